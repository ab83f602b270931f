#include "controller/kinds/spawner.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/kinds/field.h"

static bool read_needed(const struct json_object *metadata, const char *key, char **ret_text,
                        struct error *err)
{
    if (!field_text(metadata, key, ret_text, err))
        return false;
    if (text_is_empty(*ret_text))
        return error_set(err, ERROR_INVALID, "metadata.%s is missing", key);
    return true;
}

/* Missing and unreadable ones are AGENT_NO_TIME, another type is an error. */
static bool read_time(const struct json_object *object, const char *key, int64_t *ret_at_us,
                      struct error *err)
{
    char *text = NULL;

    if (!field_text(object, key, &text, err))
        return false;
    if (!time_parse(text, ret_at_us))
        *ret_at_us = AGENT_NO_TIME;
    free(text);
    return true;
}

static bool read_metadata(const struct json_object *metadata, struct spawner *spawner,
                          struct error *err)
{
    char *deleted = NULL;

    if (!read_needed(metadata, "name", &spawner->name, err) ||
        !read_needed(metadata, "uid", &spawner->uid, err) ||
        !read_needed(metadata, "resourceVersion", &spawner->resource_version, err) ||
        !field_int64(metadata, "generation", 0, &spawner->generation, err) ||
        !read_time(metadata, "creationTimestamp", &spawner->created_at_us, err) ||
        !field_text(metadata, "deletionTimestamp", &deleted, err))
        return false;
    spawner->deleting = !text_is_empty(deleted);
    free(deleted);
    return true;
}

static bool read_github(const struct json_object *spec, struct spawner *spawner, struct error *err)
{
    static const struct field_key keys[] = {
        {"secretRef",  offsetof(struct spawner_github, secret)    },
        {"label",      offsetof(struct spawner_github, label)     },
        {"repository", offsetof(struct spawner_github, repository)},
    };
    struct json_object *tree = NULL;

    if (!field_object(spec, "github", &tree, err))
        return false;
    if (tree == NULL)
        return true;
    spawner->github = xcalloc(1, sizeof(*spawner->github));
    return (field_texts(tree, keys, ARRAY_SIZE(keys), spawner->github, err) &&
            field_text_list(tree, "events", &spawner->github->events, err)) ||
           error_prefix(err, "github");
}

static bool read_spec(const struct json_object *spec, struct spawner *spawner, struct error *err)
{
    char *policy = NULL;

    if (!field_text(spec, "stationRef", &spawner->station, err) ||
        !field_text(spec, "schedule", &spawner->schedule, err) ||
        !read_github(spec, spawner, err) ||
        !parameters_read(spec, &spawner->parameters, &spawner->parameter_count, err) ||
        !field_bool(spec, "suspend", &spawner->suspend, err) ||
        !field_text(spec, "concurrencyPolicy", &policy, err))
        return false;
    spawner->forbid = text_equal(policy, "Forbid");
    free(policy);
    return true;
}

static bool read_status(const struct json_object *status, struct spawner *spawner,
                        struct error *err)
{
    return read_time(status, "lastScheduleTime", &spawner->last_schedule_at_us, err) &&
           field_text(status, "lastAgent", &spawner->last_agent, err) &&
           field_text_list(status, "recentDeliveries", &spawner->deliveries, err);
}

static bool read_object(const struct json_object *tree, struct spawner *spawner, struct error *err)
{
    struct json_object *metadata = NULL;
    struct json_object *spec = NULL;
    struct json_object *status = NULL;

    return field_object(tree, "metadata", &metadata, err) &&
           field_object(tree, "spec", &spec, err) && field_object(tree, "status", &status, err) &&
           read_metadata(metadata, spawner, err) && read_spec(spec, spawner, err) &&
           read_status(status, spawner, err);
}

bool spawner_read(struct json_slice object, struct spawner **ret_spawner, struct error *err)
{
    struct spawner *spawner = xcalloc(1, sizeof(*spawner));
    struct json_object *tree = json_slice_parse(object);
    bool ok = read_object(tree, spawner, err);

    json_object_put(tree);
    if (!ok) {
        spawner_free(spawner);
        return error_prefix(err, "AgentSpawner");
    }
    *ret_spawner = spawner;
    return true;
}

static void github_free(struct spawner_github *github)
{
    if (github == NULL)
        return;
    free(github->secret);
    text_list_release(&github->events);
    free(github->label);
    free(github->repository);
    free(github);
}

void spawner_free(struct spawner *spawner)
{
    if (spawner == NULL)
        return;
    free(spawner->name);
    free(spawner->uid);
    free(spawner->resource_version);
    free(spawner->station);
    free(spawner->schedule);
    github_free(spawner->github);
    parameters_free(spawner->parameters, spawner->parameter_count);
    free(spawner->last_agent);
    text_list_release(&spawner->deliveries);
    free(spawner);
}
