#include "tests/unit/agents/agents_world.h"

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
#include "controller/kinds/agent.h"
#include "controller/telemetry/controller_metrics.h"

#define ANSWER_BYTES_MAX ((size_t)4 * 1024 * 1024)

/* Where a request points: "agents", "a", "status"; texts are inside path. */
struct place {
    char path[512];
    const char *plural;
    const char *name; /* or NULL */
    const char *subresource;
    const char *query; /* "" without one */
};

static void find_place(const char *target, struct place *place)
{
    char *at;

    snprintf(place->path, sizeof(place->path), "%s", target);
    at = strchr(place->path, '?');
    place->query = at == NULL ? "" : at + 1;
    if (at != NULL)
        *at = '\0';
    at = strstr(place->path, "/namespaces/ns/");
    assert_non_null(at);
    place->plural = at + strlen("/namespaces/ns/");
    at = strchr(place->plural, '/');
    place->name = at == NULL ? NULL : at + 1;
    if (at == NULL) {
        place->subresource = NULL;
        return;
    }
    *at = '\0';
    at = strchr(at + 1, '/');
    place->subresource = at == NULL ? NULL : at + 1;
    if (at != NULL)
        *at = '\0';
}

/* --- objects --- */

static void stamp(struct agents_world *world, struct json_object *object)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)++world->version);
    json_set_text(json_ensure_object(object, "metadata"), "resourceVersion", text);
}

static void emit(struct agents_world *world, const char *type, struct json_object *object)
{
    struct buffer line = BUFFER_INIT(ANSWER_BYTES_MAX);

    if (!world->watched || !world->leading)
        return;
    buffer_append_format(&line, "{\"type\":\"%s\",\"object\":", type);
    json_append(&line, object);
    buffer_append_text(&line, "}\n");
    script_write(&world->script, buffer_text(&line));
    buffer_release(&line);
}

void agents_world_tell_job(struct agents_world *world, const char *agent, const char *uid,
                           const char *status)
{
    struct buffer line = BUFFER_INIT(ANSWER_BYTES_MAX);

    buffer_append_format(&line,
                         "{\"type\":\"MODIFIED\",\"object\":{\"kind\":\"Table\","
                         "\"columnDefinitions\":[{\"name\":\"Status\"}],"
                         "\"rows\":[{\"cells\":[\"%s\"],\"object\":{\"metadata\":{"
                         "\"ownerReferences\":[{\"kind\":\"Agent\",\"name\":\"%s\","
                         "\"uid\":\"%s\",\"controller\":true}]}}}]}}\n",
                         status, agent, uid);
    script_write_aside(&world->script, buffer_text(&line));
    buffer_release(&line);
}

static bool is_agent(const char *key)
{
    return text_starts_with(key, "agents/");
}

static struct json_object *find(const struct agents_world *world, const char *plural,
                                const char *name)
{
    char key[512];

    snprintf(key, sizeof(key), "%s/%s", plural, name);
    return json_get(world->objects, key);
}

static void put(struct agents_world *world, const char *key, const char *uid, const char *body)
{
    struct buffer text = BUFFER_INIT(ANSWER_BYTES_MAX);
    struct json_object *object = NULL;
    bool known = json_get(world->objects, key) != NULL;
    struct error err = ERROR_INIT;

    buffer_append_format(&text,
                         "{\"metadata\":{\"name\":\"%s\",\"uid\":\"%s\","
                         "\"creationTimestamp\":\"2024-01-01T00:00:%02dZ\"},%s}",
                         strchr(key, '/') + 1, uid, (int)(world->version % 60), body);
    if (!json_parse(text.bytes, text.size, ANSWER_BYTES_MAX, &object, &err))
        fail_msg("%s: %s", err.text, buffer_text(&text));
    stamp(world, object);
    json_set(world->objects, key, object);
    if (is_agent(key))
        emit(world, known ? "MODIFIED" : "ADDED", object);
    buffer_release(&text);
}

void agents_world_put(struct agents_world *world, const char *key, const char *body)
{
    char uid[128];

    snprintf(uid, sizeof(uid), "uid-%s", strchr(key, '/') + 1);
    put(world, key, uid, body);
}

void agents_world_remove(struct agents_world *world, const char *key)
{
    struct json_object *object = json_object_get(json_get(world->objects, key));

    assert_non_null(object);
    json_object_object_del(world->objects, key);
    stamp(world, object);
    if (is_agent(key))
        emit(world, "DELETED", object);
    json_object_put(object);
}

const char *agents_world_text(const struct agents_world *world, const char *key, const char *member,
                              const char *field)
{
    return text_or(json_get_text(json_get(json_get(world->objects, key), member), field), "");
}

/* --- answers --- */

static void cell(struct buffer *into, const struct json_object *object, const char *member,
                 const char *field)
{
    const struct json_object *value = json_get(json_get(object, member), field);

    if (value == NULL)
        buffer_append_text(into, "null");
    else
        json_append(into, value);
}

static void row(struct buffer *into, const struct json_object *object)
{
    static const char *const cells[AGENT_COLUMN_COUNT][2] = {
        [AGENT_COLUMN_PHASE] = {"status", "phase"},
        [AGENT_COLUMN_STATION] = {"spec", "stationRef"},
        [AGENT_COLUMN_JOB] = {"status", "jobName"},
        [AGENT_COLUMN_STARTED] = {"status", "startedAt"},
        [AGENT_COLUMN_COMPLETED] = {"status", "completedAt"},
        [AGENT_COLUMN_BATCH] = {"status", "batchId"},
        [AGENT_COLUMN_PROVIDER] = {"status", "batchProvider"},
        [AGENT_COLUMN_FALLBACK] = {"status", "batchFallback"},
        [AGENT_COLUMN_CLEANUPS] = {"status", "batchCleanupAttempts"},
        [AGENT_COLUMN_MODEL] = {"spec", "model"},
        [AGENT_COLUMN_RESUME] = {"spec", "resumeSession"},
    };

    buffer_append_text(into, "{\"cells\":[");
    for (size_t i = 0; i < AGENT_COLUMN_COUNT; i++) {
        if (i > 0)
            buffer_append_char(into, ',');
        cell(into, object, cells[i][0], cells[i][1]);
    }
    buffer_append_text(into, "],\"object\":{\"metadata\":");
    json_append(into, json_get(object, "metadata"));
    buffer_append_text(into, "}}");
}

static const char *const job_columns[] = {"Name", "Status", "Selector"};

/* A Job's row, with its metadata, which a census reads. */
static void job_row(struct buffer *into, const struct json_object *job)
{
    const struct json_object *metadata = json_get(job, "metadata");
    const struct json_object *conditions = json_get(json_get(job, "status"), "conditions");
    const char *end =
        conditions == NULL ? NULL : json_get_text(json_object_array_get_idx(conditions, 0), "type");

    buffer_append_format(into,
                         "{\"cells\":[\"%s\",\"%s\",\"batch.kubernetes.io/controller-uid=%s\"],"
                         "\"object\":{\"metadata\":",
                         json_get_text(metadata, "name"), text_or(end, "Running"),
                         json_get_text(metadata, "uid"));
    json_append(into, metadata);
    buffer_append_text(into, "}}");
}

/* The collection: a Table for Agents and Jobs, else plain. */
static void list(struct agents_world *world, const char *plural, struct buffer *into)
{
    bool agents = text_equal(plural, "agents");
    bool table = agents || text_equal(plural, "jobs");
    struct json_object_iterator at = json_object_iter_begin(world->objects);
    struct json_object_iterator end = json_object_iter_end(world->objects);
    int64_t version = world->list_version > 0 ? world->list_version : world->version;
    size_t count = 0;

    buffer_append_format(into,
                         "{\"kind\":\"%s\",\"metadata\":{\"resourceVersion\":\"%lld\","
                         "\"continue\":\"%s\"},",
                         table ? "Table" : "List", (long long)version,
                         text_or(world->list_continue, ""));
    if (table) {
        buffer_append_text(into, "\"columnDefinitions\":[");
        for (size_t i = 0; i < (agents ? AGENT_COLUMN_COUNT : ARRAY_SIZE(job_columns)); i++)
            buffer_append_format(into, "%s{\"name\":\"%s\"}", i == 0 ? "" : ",",
                                 agents ? agent_column_names[i] : job_columns[i]);
        buffer_append_text(into, "],");
    }
    buffer_append_text(into, table ? "\"rows\":[" : "\"items\":[");
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const struct json_object *object = json_object_iter_peek_value(&at);

        if (strncmp(json_object_iter_peek_name(&at), plural, strlen(plural)) != 0)
            continue;
        if (count++ > 0)
            buffer_append_char(into, ',');
        if (agents)
            row(into, object);
        else if (table)
            job_row(into, object);
        else
            json_append(into, object);
    }
    buffer_append_text(into, "]}");
}

/* --- writes; each answers a status --- */

static const char *wanted_version(const struct json_object *body, const char *member)
{
    return json_get_text(json_get(body, member), "resourceVersion");
}

static unsigned patch_agent(struct agents_world *world, struct json_object *object,
                            const struct json_object *body)
{
    struct json_object *status = json_ensure_object(object, "status");
    struct json_object *changes = json_get(body, "status");
    struct json_object_iterator at = json_object_iter_begin(changes);
    struct json_object_iterator end = json_object_iter_end(changes);
    const char *wanted = wanted_version(body, "metadata");

    assert_non_null(wanted); /* 3.6: never without a precondition */
    if (!text_equal(wanted, wanted_version(object, "metadata")))
        return 409;
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(status, json_object_iter_peek_name(&at),
                 json_copy(json_object_iter_peek_value(&at)));
    stamp(world, object);
    emit(world, "MODIFIED", object);
    return 200;
}

static unsigned create_job(struct agents_world *world, struct json_object *body)
{
    struct json_object *job = json_copy(body);
    char key[128];

    snprintf(key, sizeof(key), "jobs/%s", json_get_text(json_get(body, "metadata"), "name"));
    if (json_get(world->objects, key) != NULL) {
        json_object_put(job);
        return 409;
    }
    stamp(world, job);
    json_set(world->objects, key, job);
    return 201;
}

static unsigned delete_agent(struct agents_world *world, const struct place *place,
                             const struct json_object *body)
{
    struct json_object *object = find(world, "agents", place->name);
    const char *wanted = wanted_version(body, "preconditions");
    char key[128];

    assert_non_null(wanted); /* 3.5: never without a precondition */
    if (object == NULL)
        return 404;
    if (!text_equal(wanted, wanted_version(object, "metadata")))
        return 409;
    snprintf(key, sizeof(key), "agents/%s", place->name);
    agents_world_remove(world, key);
    return 200;
}

static unsigned apply(struct agents_world *world, const char *method, const struct place *place,
                      struct json_object *body)
{
    struct json_object *object =
        place->name == NULL ? NULL : find(world, place->plural, place->name);

    if (text_equal(method, "POST"))
        return create_job(world, body);
    if (text_equal(method, "DELETE"))
        return delete_agent(world, place, body);
    if (text_equal(method, "PATCH"))
        return object == NULL ? 404 : patch_agent(world, object, body);
    return object == NULL && place->name != NULL ? 404 : 200;
}

static void answer(struct agents_world *world, const char *method, const struct place *place,
                   unsigned status)
{
    struct buffer body = BUFFER_INIT(ANSWER_BYTES_MAX);
    size_t size;

    if (status >= 400)
        buffer_append_format(&body,
                             "{\"kind\":\"Status\",\"code\":%u,\"reason\":\"%s\","
                             "\"message\":\"says no\"}",
                             status, status == 404 ? "NotFound" : "Other");
    else if (place->name == NULL && text_equal(method, "GET"))
        list(world, place->plural, &body);
    else if (place->name == NULL || text_equal(method, "DELETE"))
        buffer_append_text(&body, "{}");
    else if (text_equal(place->subresource, "log"))
        buffer_append_text(&body, agents_world_text(world, "pods/p", "test", "log"));
    else
        json_append(&body, find(world, place->plural, place->name));
    free(world->body);
    world->body = buffer_take(&body, &size);
}

/* "PATCH agents/a Running" */
static void describe(const char *method, const struct place *place, const struct json_object *body,
                     char *text, size_t size)
{
    const char *detail = json_get_text(json_get(body, "status"), "phase");
    bool watch = strstr(place->query, "watch=") != NULL;

    if (place->name == NULL && text_equal(method, "GET"))
        snprintf(text, size, "%s %s", watch ? "WATCH" : "LIST", place->plural);
    else if (place->name == NULL)
        snprintf(text, size, "%s %s", method, place->plural);
    else
        snprintf(text, size, "%s %s/%s%s%s%s%s", method, place->plural, place->name,
                 text_equal(place->subresource, "log") ? "/log" : "", detail == NULL ? "" : " ",
                 text_or(detail, ""), "");
}

/* Whether this request goes wrong; then reply says how. */
static bool fail_request(struct agents_world *world, const char *told, struct script_reply *reply,
                         bool *ret_applies)
{
    struct agents_fault *fault = &world->fault;

    if (fault->times == 0 || !text_starts_with(told, fault->prefix))
        return false;
    fault->times--;
    reply->silent = fault->status == 0;
    reply->status = fault->status;
    reply->delay_us = fault->delay_us;
    reply->retry_after = fault->retry_after;
    *ret_applies = fault->applies || (fault->status == 200 && !fault->gateway);
    return true;
}

/* The watch of Jobs, which is not told: that of Agents is what the stories are about. */
static bool answer_job_watch(const struct place *place, struct script_reply *reply)
{
    reply->stream = strstr(place->query, "watch=") != NULL;
    if (!text_equal(place->plural, "jobs") ||
        (!reply->stream && !text_equal(place->query, "limit=1"))) {
        reply->stream = false;
        return false;
    }
    reply->aside = true;
    reply->body = reply->stream ? "" : "{\"metadata\":{\"resourceVersion\":\"5\"}}";
    return true;
}

/* Somebody writes to every Agent, without changing anything. */
static void echo(struct agents_world *world)
{
    struct json_object_iterator at = json_object_iter_begin(world->objects);
    struct json_object_iterator end = json_object_iter_end(world->objects);

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *object = json_object_iter_peek_value(&at);

        if (!is_agent(json_object_iter_peek_name(&at)))
            continue;
        stamp(world, object);
        emit(world, "MODIFIED", object);
    }
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct agents_world *world = arg;
    struct json_object *body = NULL;
    struct place place;
    char told[256];
    bool applies = true;
    bool faulty;

    find_place(request->target, &place);
    if (answer_job_watch(&place, reply))
        return;
    if (request->body[0] != '\0')
        assert_true(
            json_parse(request->body, strlen(request->body), ANSWER_BYTES_MAX, &body, NULL));
    describe(request->method, &place, body, told, sizeof(told));
    faulty = fail_request(world, told, reply, &applies);
    if (applies) {
        unsigned status = apply(world, request->method, &place, body);

        if (!faulty || reply->status == 200)
            reply->status = status;
    }
    if (text_starts_with(told, "WATCH"))
        reply->stream = world->watched = reply->status == 200 && !world->short_watches;
    else
        answer(world, request->method, &place, reply->status);
    reply->body = text_starts_with(told, "WATCH") ? "" : world->body;
    if (faulty && world->fault.gateway)
        reply->body = reply->status == 204 ? "" : "<html>nobody is here</html>";
    if (!world->silent_reads || !text_equal(request->method, "GET"))
        script_tell(&world->script, "%s %u", told, reply->silent ? 0 : reply->status);
    if (world->echoes && !text_starts_with(told, "WATCH"))
        echo(world);
    json_object_put(body);
}

/* --- the replica --- */

static bool is_leader(void *arg)
{
    return ((struct agents_world *)arg)->leading;
}

int agents_world_set_up(void **state)
{
    struct agents_world *world = xcalloc(1, sizeof(*world));
    const struct agents_options options = {
        .namespace_name = "ns",
        .agent_image = "agent-image",
        .output_bytes_max = 10,
        .is_leader = is_leader,
        .arg = world,
    };

    script_init(&world->script, handle, world);
    world->script.quiet = true;
    world->version = 10;
    world->objects = json_object_new_object();
    world->metrics = controller_metrics_new();
    world->agents = agents_new(world->script.rt, world->script.kube, world->metrics, &options);
    *state = world;
    return 0;
}

int agents_world_tear_down(void **state)
{
    struct agents_world *world = *state;

    agents_free(world->agents);
    script_release(&world->script);
    metrics_free(world->metrics);
    json_object_put(world->objects);
    free(world->body);
    free(world);
    return 0;
}

void agents_world_lead(struct agents_world *world)
{
    world->leading = true;
    agents_lead(world->agents, "", false);
}

void agents_world_stand_by(struct agents_world *world)
{
    world->leading = false;
    agents_stand_by(world->agents);
}
