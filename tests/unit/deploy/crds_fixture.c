#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/station.h"
#include "tests/unit/deploy/crds_fixture.h"

#define FILE_BYTES_MAX 262144
#define PATH_SIZE_MAX 256

static const char *const files[CRD_COUNT] = {
    [CRD_AGENT] = "controller/deploy/crds/agents.yaml",
    [CRD_STATION] = "controller/deploy/crds/stations.yaml",
    [CRD_DEFINITION] = "controller/deploy/crds/agentdefinitions.yaml",
    [CRD_SPAWNER] = "controller/deploy/crds/agentspawners.yaml",
};

/* --- the spy: the linker puts it in front of what readers ask through (--wrap) --- */

struct json_object *__real_json_get(const struct json_object *object, const char *key);
struct json_object *__wrap_json_get(const struct json_object *object, const char *key);
struct json_slice __real_json_slice_get(struct json_slice object, const char *key);
struct json_slice __wrap_json_slice_get(struct json_slice object, const char *key);

static struct buffer *listening; /* gets the keys that were not found; NULL: nobody listens */

struct json_object *__wrap_json_get(const struct json_object *object, const char *key)
{
    struct json_object *found = __real_json_get(object, key);

    if (found == NULL && listening != NULL)
        buffer_append_format(listening, "%s\n", key);
    return found;
}

struct json_slice __wrap_json_slice_get(struct json_slice object, const char *key)
{
    struct json_slice found = __real_json_slice_get(object, key);

    if (found.bytes == NULL && listening != NULL)
        buffer_append_format(listening, "%s\n", key);
    return found;
}

/* --- the files --- */

/* To be put. Fails the test when it cannot be read. */
static struct json_object *crd_load(enum crd crd)
{
    FILE *file = fopen(files[crd], "rb");
    char *bytes = xcalloc(1, FILE_BYTES_MAX);
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct json_object *tree;
    size_t size;

    if (file == NULL)
        fail_msg("%s: cannot be opened", files[crd]);
    size = fread(bytes, 1, FILE_BYTES_MAX, file);
    fclose(file);
    if (!yaml_parse(bytes, size, FILE_BYTES_MAX, &document, NULL, NULL, &err))
        fail_msg("%s: %s", files[crd], err.text);
    tree = yaml_to_json(yaml_root(document));
    yaml_free(document);
    free(bytes);
    return tree;
}

size_t crd_version_count(const struct json_object *crd)
{
    struct json_object *versions = json_walk(crd, "spec", "versions", NULL);

    assert_non_null(versions);
    return json_object_array_length(versions);
}

struct json_object *crd_schema(const struct json_object *crd, size_t version)
{
    struct json_object *versions = json_walk(crd, "spec", "versions", NULL);

    return json_walk(json_object_array_get_idx(versions, version), "schema", "openAPIV3Schema",
                     NULL);
}

/* --- schemas --- */

static bool names(struct json_object *list, const char *name)
{
    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), name))
            return true;
    return false;
}

static void walk_below(struct json_object *node, const char *path, crd_visit *visit, void *arg)
{
    struct json_object *properties = json_get(node, "properties");
    struct json_object *items = json_get(node, "items");
    char below[PATH_SIZE_MAX];

    if (items != NULL) {
        snprintf(below, sizeof(below), "%s[]", path);
        visit(below, items, false, arg);
        walk_below(items, below, visit, arg);
    }
    if (properties == NULL)
        return;

    struct json_object_iterator at = json_object_iter_begin(properties);
    struct json_object_iterator end = json_object_iter_end(properties);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        struct json_object *value = json_object_iter_peek_value(&at);

        if (path[0] == '\0' && (text_equal(key, "apiVersion") || text_equal(key, "kind") ||
                                text_equal(key, "metadata")))
            continue;
        snprintf(below, sizeof(below), "%s%s%s", path, path[0] == '\0' ? "" : ".", key);
        visit(below, value, names(json_get(node, "required"), key), arg);
        walk_below(value, below, visit, arg);
    }
}

void crd_walk(struct json_object *schema, crd_visit *visit, void *arg)
{
    walk_below(schema, "", visit, arg);
}

/* The next step of a path into key: its name, or "[]". False at the end. */
static bool next_step(const char **at, char *key)
{
    size_t size;

    if (**at == '\0')
        return false;
    *at += **at == '.';
    size = text_starts_with(*at, "[]") ? 2 : strcspn(*at, ".[");
    memcpy(key, *at, size);
    key[size] = '\0';
    *at += size;
    return true;
}

struct json_object *crd_node(struct json_object *schema, const char *path)
{
    char key[PATH_SIZE_MAX];

    while (schema != NULL && next_step(&path, key))
        schema = text_equal(key, "[]") ? json_get(schema, "items")
                                       : json_walk(schema, "properties", key, NULL);
    return schema;
}

/* --- objects --- */

static struct json_object *sample_text(struct json_object *node, const char *key)
{
    struct json_object *choices = json_get(node, "enum");

    if (choices != NULL)
        return json_copy(json_object_array_get_idx(choices, json_object_array_length(choices) - 1));
    if (text_equal(json_get_text(node, "format"), "date-time"))
        return json_object_new_string(text_equal(key, "startedAt") ? "2026-01-02T03:04:05Z"
                                                                   : "2026-01-02T03:05:05Z");
    return json_object_new_string(key);
}

static struct json_object *sample_value(struct json_object *node, const char *key)
{
    const char *type = json_get_text(node, "type");
    struct json_object *properties = json_get(node, "properties");
    struct json_object *value;

    if (text_equal(type, "string"))
        return sample_text(node, key);
    if (text_equal(type, "integer"))
        return json_object_new_int64(7);
    if (text_equal(type, "boolean"))
        return json_object_new_boolean(true);
    if (text_equal(type, "array")) {
        value = json_object_new_array();
        json_add(value, sample_value(json_get(node, "items"), key));
        return value;
    }
    value = json_object_new_object();
    if (json_get(node, "additionalProperties") != NULL)
        json_set_text(value, "name", "value");
    if (json_get(node, "x-kubernetes-preserve-unknown-fields") != NULL) {
        json_set(value, "command", json_object_new_array());
        json_add(json_get(value, "command"), json_object_new_string("spawn"));
    }
    if (properties == NULL)
        return value;

    struct json_object_iterator at = json_object_iter_begin(properties);
    struct json_object_iterator end = json_object_iter_end(properties);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(value, json_object_iter_peek_name(&at),
                 sample_value(json_object_iter_peek_value(&at), json_object_iter_peek_name(&at)));
    return value;
}

struct json_object *crd_sample(struct json_object *schema)
{
    static const char metadata[] =
        "{\"name\":\"n\",\"namespace\":\"ns\",\"uid\":\"u\",\"resourceVersion\":\"1\","
        "\"generation\":1,\"creationTimestamp\":\"2026-01-01T00:00:00Z\","
        "\"deletionTimestamp\":\"2026-01-03T00:00:00Z\",\"labels\":{\"l\":\"v\"},"
        "\"annotations\":{\"a\":\"v\"},\"finalizers\":[\"f\"],\"ownerReferences\":[{}]}";
    struct json_object *sample = sample_value(schema, "");
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    assert_true(json_parse(metadata, strlen(metadata), sizeof(metadata), &tree, &err));
    json_set(sample, "metadata", tree);
    return sample;
}

static struct json_object *step_into(struct json_object *object, const char *key)
{
    return text_equal(key, "[]") ? json_object_array_get_idx(object, 0) : json_get(object, key);
}

static struct json_object *sample_get(struct json_object *object, const char *path)
{
    char key[PATH_SIZE_MAX];

    while (object != NULL && next_step(&path, key))
        object = step_into(object, key);
    return object;
}

void sample_set(struct json_object *object, const char *path, struct json_object *value)
{
    char key[PATH_SIZE_MAX] = "";

    while (next_step(&path, key) && *path != '\0')
        object = step_into(object, key);
    assert_non_null(object);
    if (text_equal(key, "[]"))
        json_object_array_put_idx(object, 0, value);
    else if (value == NULL)
        json_object_object_del(object, key);
    else
        json_set(object, key, value);
}

/* --- the readers --- */

static void tell(struct buffer *into, const char *what, const char *text)
{
    buffer_append_format(into, "%s=%s\n", what, text == NULL ? "" : text);
}

static void count(struct buffer *into, const char *what, int64_t number)
{
    buffer_append_format(into, "%s=%lld\n", what, (long long)number);
}

static void tell_agent(struct buffer *into, const struct agent *agent)
{
    tell(into, "name", agent->name);
    tell(into, "uid", agent->uid);
    tell(into, "version", agent->resource_version);
    count(into, "created", agent->created_at_us);
    count(into, "deleting", agent->deleting);
    tell(into, "phase", agent_phase_name(agent->phase));
    tell(into, "station", agent->station);
    tell(into, "job", agent->job);
    tell(into, "batch", agent->batch_id);
    tell(into, "resume", agent->resume_session);
    count(into, "fallback", agent->batch_fallback);
    count(into, "started", agent->started_at_us);
    count(into, "completed", agent->completed_at_us);
}

static void tell_agent_spec(struct buffer *into, const struct agent_spec *spec)
{
    tell(into, "task", spec->task_id);
    tell(into, "repo", spec->target_repo);
    tell(into, "branch", spec->branch);
    tell(into, "model", spec->model);
    tell(into, "session", spec->resume_session);
    count(into, "parameters", (int64_t)spec->parameter_count);
    count(into, "files", (int64_t)spec->file_count);
}

static void tell_station(struct buffer *into, const struct station *station)
{
    tell(into, "definition", station->definition);
    tell(into, "template", station->template_json);
    count(into, "deadline", station->deadline_minutes);
    count(into, "succeeded", station->succeeded_max);
    count(into, "failed", station->failed_max);
    count(into, "runs", station->runs_max);
    count(into, "policy", (int64_t)station->policy);
}

static void tell_definition(struct buffer *into, const struct definition *definition)
{
    tell(into, "model", definition->model);
    tell(into, "prompt", definition->prompt);
    count(into, "execution", (int64_t)definition->execution);
    count(into, "bypass", definition->bypass);
    count(into, "turns", definition->max_turns);
    count(into, "allowed", (int64_t)definition->allowed_tools.count);
    count(into, "disallowed", (int64_t)definition->disallowed_tools.count);
    count(into, "skills", (int64_t)definition->skills.count);
    tell(into, "skills_source", definition->skills_source);
    tell(into, "source", definition->conversation.source);
    tell(into, "id", definition->conversation.id);
    tell(into, "pin", definition->conversation.pin);
    tell(into, "conversation_secret", definition->conversation.headers_secret);
    count(into, "command", (int64_t)definition->tool_command);
    count(into, "env", (int64_t)definition->env_count);
    count(into, "secrets", (int64_t)definition->secret_count);
    count(into, "servers", (int64_t)definition->server_count);
    count(into, "repos", (int64_t)definition->repo_count);
    count(into, "selects", (int64_t)definition->select_count);
    count(into, "sinks", (int64_t)definition->sink_count);
    count(into, "watches", (int64_t)definition->watch_count);
}

static bool read_as_agent(struct json_slice text, struct buffer *into)
{
    struct error err = ERROR_INIT;
    struct agent *agent = NULL;
    struct agent_spec *spec = NULL;
    bool ok = agent_read(text, &agent, &err) && agent_spec_read(text, &spec, &err);

    if (ok) {
        tell_agent(into, agent);
        tell_agent_spec(into, spec);
    }
    agent_free(agent);
    agent_spec_free(spec);
    return ok;
}

static bool read_as_station(struct json_slice text, struct buffer *into)
{
    struct error err = ERROR_INIT;
    struct station *station = NULL;
    bool ok = station_read(text, &station, &err);

    if (ok)
        tell_station(into, station);
    station_free(station);
    return ok;
}

static bool read_as_definition(struct json_slice text, struct buffer *into)
{
    struct error err = ERROR_INIT;
    struct definition *definition = NULL;
    bool ok = definition_read(text, &definition, &err);

    if (ok)
        tell_definition(into, definition);
    definition_free(definition);
    return ok;
}

static bool (*const readers[CRD_COUNT])(struct json_slice text, struct buffer *into) = {
    [CRD_AGENT] = read_as_agent,
    [CRD_STATION] = read_as_station,
    [CRD_DEFINITION] = read_as_definition,
};

char *read_object(enum crd crd, const struct json_object *object, struct buffer *missed)
{
    struct buffer said = BUFFER_INIT(FILE_BYTES_MAX);
    struct json_slice text;
    char *bytes = json_to_text(object, &text.size);
    char *copy = NULL;

    text.bytes = bytes;
    listening = missed;
    if (readers[crd](text, &said))
        copy = xmemdup(said.bytes, said.size);
    listening = NULL;
    buffer_release(&said);
    free(bytes);
    return copy;
}

char *read_agent(const struct json_object *object)
{
    struct buffer said = BUFFER_INIT(FILE_BYTES_MAX);
    struct error err = ERROR_INIT;
    struct agent *agent = NULL;
    struct json_slice text;
    char *bytes = json_to_text(object, &text.size);
    char *copy;

    text.bytes = bytes;
    if (!agent_read(text, &agent, &err))
        fail_msg("agent_read: %s", err.text);
    tell_agent(&said, agent);
    copy = xmemdup(said.bytes, said.size);
    buffer_release(&said);
    agent_free(agent);
    free(bytes);
    return copy;
}

char *read_agent_row(struct json_object *object, const char *const *paths)
{
    struct buffer said = BUFFER_INIT(FILE_BYTES_MAX);
    struct json_slice cells[AGENT_COLUMN_COUNT];
    struct json_slice metadata;
    char *texts[AGENT_COLUMN_COUNT];
    char *bytes = json_to_text(json_get(object, "metadata"), &metadata.size);
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;
    char *copy;

    metadata.bytes = bytes;
    for (size_t i = 0; i < AGENT_COLUMN_COUNT; i++) {
        texts[i] = json_to_text(sample_get(object, paths[i]), &cells[i].size);
        cells[i].bytes = texts[i];
    }
    if (!agent_row_read(metadata, cells, &agent, &err))
        fail_msg("agent_row_read: %s", err.text);
    tell_agent(&said, agent);
    copy = xmemdup(said.bytes, said.size);
    buffer_release(&said);
    agent_free(agent);
    free(bytes);
    for (size_t i = 0; i < AGENT_COLUMN_COUNT; i++)
        free(texts[i]);
    return copy;
}

/* --- tests --- */

void complain(struct crds *crds, const char *row, const char *format, ...)
{
    char text[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    print_error("%s: %s\n", row, text);
    crds->complaints++;
}

struct json_object *parse(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(text, strlen(text), 65536, &value, &err))
        fail_msg("%s: %s", text, err.text);
    return value;
}

int crds_set_up(void **state)
{
    struct crds *crds = xcalloc(1, sizeof(*crds));

    for (size_t i = 0; i < CRD_COUNT; i++)
        crds->list[i] = crd_load((enum crd)i);
    *state = crds;
    return 0;
}

int crds_tear_down(void **state)
{
    struct crds *crds = *state;

    for (size_t i = 0; i < CRD_COUNT; i++)
        json_object_put(crds->list[i]);
    free(crds);
    return 0;
}
