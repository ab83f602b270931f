/* rivals - other controllers: each sees the objects of its kind change, and writes what it wants of
 * them over HTTP, from a host of its own. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/base/url.h"
#include "scenarios/world/actors.h"

#define API_URL "http://api:8001"
#define NUMBER_TOKEN "{n}"
#define PATIENCE_US (30 * US_PER_SECOND)
#define URL_BYTES_MAX 4096
#define PATCH_BYTES_MAX ((size_t)1024 * 1024)
#define ANSWER_BYTES_MAX ((size_t)64 * 1024 * 1024)

/** A write that is to come, of one object. */
struct rival_write {
    struct rival_state *state;
    char *name;
    struct sim_alarm *alarm;
    struct rival_write *next;
};

struct rival_state {
    struct world *world;
    const struct rival *rival;
    struct sim_process *process;
    struct rival_write *writes; /* armed ones */
    struct sim_alarm *pace;     /* NULL: none */
    int64_t written;
    bool ended;
    struct rival_state *next;
};

/* --- what it wants --- */

/** Whether a merge patch would change nothing in value, which may be NULL. */
static bool is_as_wanted(struct json_object *merge, struct json_object *value)
{
    struct json_object_iterator at;
    struct json_object_iterator end;

    if (!json_is(merge, json_type_object))
        return json_object_equal(merge, value) != 0;
    at = json_object_iter_begin(merge);
    end = json_object_iter_end(merge);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        struct json_object *wanted = json_object_iter_peek_value(&at);
        struct json_object *is = json_get(value, json_object_iter_peek_name(&at));

        if (wanted == NULL ? is != NULL : !is_as_wanted(wanted, is))
            return false;
    }
    return json_is(value, json_type_object);
}

static bool is_its_own(const struct rival *rival, const struct store_object *object)
{
    return strcmp(text_or(object->namespace, ""), rival->namespace) == 0 &&
           fnmatch(rival->object, object->name, 0) == 0;
}

/* --- writing --- */

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    (void)arg; /* what it could not write it will see again */
    (void)end;
    (void)detail;
}

/** The patch with the number of this write in it. free() it. */
static char *patch_of(const struct rival_state *state)
{
    const struct rival *rival = state->rival;
    char *text = json_to_text(rival->merge != NULL ? rival->merge : rival->json, NULL);
    struct buffer made = BUFFER_INIT(PATCH_BYTES_MAX);
    const char *from = text;
    const char *found;

    while ((found = strstr(from, NUMBER_TOKEN)) != NULL) {
        buffer_append(&made, from, (size_t)(found - from));
        buffer_append_format(&made, "%" PRId64, state->written);
        from = found + strlen(NUMBER_TOKEN);
    }
    buffer_append_text(&made, from);
    free(text);
    return buffer_take(&made, &(size_t){0});
}

static char *url_of(const struct rival *rival, const char *name)
{
    struct buffer url = BUFFER_INIT(URL_BYTES_MAX);

    buffer_append_format(&url, API_URL "%s%s/%s", *rival->group == '\0' ? "/api" : "/apis/",
                         *rival->group == '\0' ? "" : rival->group, rival->version);
    if (*rival->namespace != '\0')
        buffer_append_format(&url, "/namespaces/%s", rival->namespace);
    buffer_append_format(&url, "/%s/", rival->plural);
    url_append_encoded(&url, name);
    if (rival->status)
        buffer_append_text(&url, "/status");
    return buffer_take(&url, &(size_t){0});
}

static void write_to(struct rival_state *state, const char *name)
{
    static const struct exchange_events events = {.on_end = on_end};
    const struct rival *rival = state->rival;
    const struct http_header headers[] = {
        {"User-Agent",   rival->name                                                          },
        {"Accept",       "application/json"                                                   },
        {"Content-Type",
         rival->merge != NULL ? "application/merge-patch+json" : "application/json-patch+json"},
    };
    struct http_request request = {.method = "PATCH",
                                   .headers = headers,
                                   .header_count = ARRAY_SIZE(headers),
                                   .total_timeout_us = PATIENCE_US,
                                   .response_bytes_max = ANSWER_BYTES_MAX};
    char *patch;
    char *url;

    if (state->ended || state->written >= rival->times || !sim_process_is_alive(state->process))
        return;
    state->written++;
    patch = patch_of(state);
    url = url_of(rival, name);
    request.url = url;
    request.body = patch;
    request.body_size = strlen(patch);
    (void)runtime_request(sim_process_runtime(state->process), &request, &events, state);
    free(url);
    free(patch);
}

/* --- at each change --- */

static void on_due(void *arg)
{
    struct rival_write *write = arg;
    struct rival_write **at = &write->state->writes;

    while (*at != write)
        at = &(*at)->next;
    *at = write->next;
    write_to(write->state, write->name);
    free(write->name);
    free(write);
}

/** One write comes for all that changes until then. */
static void arm(struct rival_state *state, const char *name)
{
    struct rival_write **at = &state->writes;
    struct rival_write *write;

    for (; *at != NULL; at = &(*at)->next) {
        if (strcmp((*at)->name, name) == 0)
            return;
    }
    write = xcalloc(1, sizeof(*write));
    write->state = state;
    write->name = xstrdup(name);
    write->alarm = sim_at(state->world->sim, sim_now_us(state->world->sim) + state->rival->after_us,
                          on_due, write);
    *at = write;
}

static void look(struct rival_state *state, const struct store_object *object)
{
    struct json_object *tree;

    if (state->ended || state->rival->every_us >= 0 || !is_its_own(state->rival, object))
        return;
    tree = store_object_parse(object);
    if (!is_as_wanted(state->rival->merge, tree))
        arm(state, object->name);
    (void)json_object_put(tree);
}

static bool is_of(const struct rival *rival, const struct store_resource *resource)
{
    return strcmp(store_resource_plural(resource), rival->plural) == 0 &&
           strcmp(store_resource_group(resource), rival->group) == 0;
}

static void on_change(void *arg, const struct store_event *event)
{
    struct world *world = arg;

    for (struct rival_state *state = world->actors->rivals; state != NULL; state = state->next) {
        if (event->change != STORE_DELETED && is_of(state->rival, event->resource))
            look(state, event->object);
    }
}

static const struct store_observer observer = {.on_change = on_change};

/* --- all there is --- */

static void each(struct rival_state *state,
                 void (*fn)(struct rival_state *state, const struct store_object *object))
{
    struct store_resource *resource =
        store_find_resource(state->world->store, state->rival->group, state->rival->plural);
    struct store_snapshot *snapshot;
    size_t first;
    size_t end;

    if (resource == NULL)
        return;
    snapshot = store_snapshot_new(resource);
    store_snapshot_range(snapshot, state->rival->namespace, &first, &end);
    for (size_t i = first; i < end; i++)
        fn(state, store_snapshot_object(snapshot, i));
    store_snapshot_free(snapshot);
}

static void write_object(struct rival_state *state, const struct store_object *object)
{
    if (is_its_own(state->rival, object))
        write_to(state, object->name);
}

static void on_pace(void *arg)
{
    struct rival_state *state = arg;

    state->pace = NULL;
    if (state->ended || state->written >= state->rival->times)
        return;
    each(state, write_object);
    state->pace = sim_at(state->world->sim, sim_now_us(state->world->sim) + state->rival->every_us,
                         on_pace, state);
}

/* --- their lives --- */

void rivals_start(struct world *world)
{
    struct rival_state **at = &world->actors->rivals;

    for (size_t i = 0; i < world->scenario->rival_count; i++) {
        struct rival_state *state = xcalloc(1, sizeof(*state));

        state->world = world;
        state->rival = &world->scenario->rivals[i];
        state->process =
            sim_process_new(world->sim, &(struct sim_process_options){.name = state->rival->name});
        sim_process_start(state->process);
        *at = state;
        at = &state->next;
        each(state, look);
        if (state->rival->every_us >= 0)
            state->pace = sim_at(world->sim, state->rival->every_us, on_pace, state);
    }
    if (world->actors->rivals != NULL)
        store_observe(world->store, &observer, world);
}

void rivals_end(struct world *world)
{
    for (struct rival_state *state = world->actors->rivals; state != NULL; state = state->next)
        state->ended = true;
}

void rivals_leave(struct world *world)
{
    if (world->actors->rivals != NULL)
        store_unobserve(world->store, &observer, world);
}

void rivals_release(struct world *world)
{
    while (world->actors->rivals != NULL) {
        struct rival_state *state = world->actors->rivals;

        world->actors->rivals = state->next;
        while (state->writes != NULL) {
            struct rival_write *write = state->writes;

            state->writes = write->next;
            free(write->name);
            free(write);
        }
        free(state);
    }
}
