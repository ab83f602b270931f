#include "controller/kinds/station.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/field.h"

static enum concurrency_policy policy_parse(const char *text)
{
    if (text_equal(text, "Forbid"))
        return CONCURRENCY_FORBID;
    if (text_equal(text, "Replace"))
        return CONCURRENCY_REPLACE;
    return CONCURRENCY_ALLOW;
}

static int64_t clamp(int64_t value, int64_t least, int64_t most)
{
    if (value < least)
        return least;
    return value > most ? most : value;
}

/* A limit: 0 at least. */
static bool read_limit(const struct json_object *spec, const char *key, int64_t fallback,
                       int64_t *ret_limit, struct error *err)
{
    if (!field_int64(spec, key, fallback, ret_limit, err))
        return false;
    *ret_limit = clamp(*ret_limit, 0, INT64_MAX);
    return true;
}

static bool read_spec(const struct json_object *spec, struct station *station, struct error *err)
{
    struct json_object *template = json_get(spec, "template");
    char *policy = NULL;

    if (!field_text(spec, "agentDefRef", &station->definition, err) ||
        !field_int64(spec, "deadlineMinutes", STATION_DEADLINE_MINUTES, &station->deadline_minutes,
                     err) ||
        !read_limit(spec, "successfulRunsHistoryLimit", STATION_HISTORY_LIMIT,
                    &station->succeeded_max, err) ||
        !read_limit(spec, "failedRunsHistoryLimit", STATION_HISTORY_LIMIT, &station->failed_max,
                    err) ||
        !read_limit(spec, "maxConcurrentRuns", 0, &station->runs_max, err) ||
        !field_text(spec, "concurrencyPolicy", &policy, err))
        return false;
    station->deadline_minutes = clamp(station->deadline_minutes, 1, STATION_DEADLINE_MINUTES_MAX);
    station->policy = policy_parse(policy);
    free(policy);
    if (template != NULL) {
        size_t size;

        station->template_json = json_to_text(template, &size);
    }
    return true;
}

static bool read_object(const struct json_object *tree, struct station *station, struct error *err)
{
    struct json_object *metadata = NULL;
    struct json_object *spec = NULL;

    if (!field_object(tree, "metadata", &metadata, err) || !field_object(tree, "spec", &spec, err))
        return false;
    if (!field_text(metadata, "name", &station->name, err))
        return false;
    if (station->name[0] == '\0')
        return error_set(err, ERROR_INVALID, "metadata.name is missing");
    return read_spec(spec, station, err);
}

bool station_read(struct json_slice object, struct station **ret_station, struct error *err)
{
    struct station *station = xcalloc(1, sizeof(*station));
    struct json_object *tree = json_slice_parse(object);
    bool ok = read_object(tree, station, err);

    json_object_put(tree);
    if (!ok) {
        station_free(station);
        return error_prefix(err, "Station");
    }
    *ret_station = station;
    return true;
}

void station_free(struct station *station)
{
    if (station == NULL)
        return;
    free(station->name);
    free(station->definition);
    free(station->template_json);
    free(station);
}
