/* observe - what happens in the world is shown to the invariants, and told in the story. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/kinds.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

/** What every replica's paths begin with, left out in the story. */
#define OUR_PATHS "/apis/agents.re-cinq.com/v1beta1/namespaces/" SCENARIO_NAMESPACE "/"

/* --- changes of the store --- */

/** The kinds that invariants and the story look into. */
static const char *const watched[] = {"agents",           "jobs",   "stations",
                                      "agentdefinitions", "leases", "secrets"};

static bool is_watched(const char *plural)
{
    for (size_t i = 0; i < ARRAY_SIZE(watched); i++) {
        if (strcmp(watched[i], plural) == 0)
            return true;
    }
    return false;
}

static void tell(struct world *world, const char *who, char *what)
{
    char *text = xprintf("%-6s %s", who, what);

    free(what);
    story_tell(&world->story, sim_now_us(world->sim), text);
}

static const char *condition_of(const struct json_object *job)
{
    struct json_object *conditions = json_get_array(json_get(job, "status"), "conditions");

    for (size_t i = 0; conditions != NULL && i < json_object_array_length(conditions); i++) {
        struct json_object *condition = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(condition, "status"), "True"))
            return text_or(json_get_text(condition, "type"), "");
    }
    return "";
}

static const char *holder_of(const struct json_object *lease)
{
    return text_or(json_get_text(json_get(lease, "spec"), "holderIdentity"), "");
}

/** What a change means, in a few words; NULL when it means nothing to a reader. */
static char *meaning(const struct change *change)
{
    struct json_object *object = change->after == NULL ? change->before : change->after;
    const char *name = object_name(object);

    if (strcmp(change->plural, "agents") == 0) {
        enum phase after = agent_phase(object);

        if (change->kind == CHANGE_ADDED)
            return xprintf("Agent %s is there", name);
        if (change->kind == CHANGE_DELETED)
            return xprintf("Agent %s is gone (%s)", name, phase_name(after));
        if (after != agent_phase(change->before))
            return xprintf("Agent %s: %s -> %s", name, phase_name(agent_phase(change->before)),
                           phase_name(after));
    } else if (strcmp(change->plural, "jobs") == 0) {
        if (change->kind == CHANGE_ADDED)
            return xprintf("Job %s is there", name);
        if (change->kind == CHANGE_DELETED)
            return xprintf("Job %s is gone", name);
        if (strcmp(condition_of(change->before), condition_of(object)) != 0)
            return xprintf("Job %s is %s", name, condition_of(object));
    } else if (strcmp(change->plural, "leases") == 0 && change->after != NULL) {
        const char *before = holder_of(change->before);
        const char *after = holder_of(change->after);

        if (strcmp(before, after) != 0)
            return xprintf("the Lease goes from %s to %s", text_or(before, "nobody"),
                           text_or(after, "nobody"));
    }
    return NULL;
}

/* --- objects as they were last, so that each is parsed once --- */

struct seen_object {
    char *key; /* "agents/ai-agents/hello" */
    struct json_object *tree;
    UT_hash_handle hh;
};

static struct seen_object *seen_find(const struct world *world, const char *key)
{
    struct seen_object *seen;

    HASH_FIND_STR(world->seen, key, seen);
    return seen;
}

static void seen_forget(struct world *world, struct seen_object *seen)
{
    HASH_DEL(world->seen, seen);
    (void)json_object_put(seen->tree);
    free(seen->key);
    free(seen);
}

/** Takes ownership of tree. */
static void seen_keep(struct world *world, const char *key, struct json_object *tree)
{
    struct seen_object *seen = seen_find(world, key);

    if (seen != NULL) {
        (void)json_object_put(seen->tree);
        seen->tree = tree;
        return;
    }
    seen = xcalloc(1, sizeof(*seen));
    seen->key = xstrdup(key);
    seen->tree = tree;
    HASH_ADD_KEYPTR(hh, world->seen, seen->key, strlen(seen->key), seen);
}

void observe_release(struct world *world)
{
    while (world->seen != NULL)
        seen_forget(world, world->seen);
}

static void note_watched(struct world *world, const char *plural)
{
    for (size_t i = 0; world->watched != NULL && i < world->watched->count; i++) {
        if (strcmp(world->watched->items[i].target.plural, plural) == 0)
            world->changed = true;
    }
}

/** Something that can happen only so often: Agents and Jobs come, go, and change as they end. */
static bool is_progress(const struct change *change)
{
    if (strcmp(change->plural, "agents") == 0)
        return change->kind != CHANGE_MODIFIED ||
               agent_phase(change->before) != agent_phase(change->after);
    return strcmp(change->plural, "jobs") == 0 &&
           (change->kind == CHANGE_DELETED ||
            (change->kind == CHANGE_MODIFIED &&
             strcmp(condition_of(change->before), condition_of(change->after)) != 0));
}

static void on_change(void *arg, const struct store_event *event)
{
    struct world *world = arg;
    const char *plural = store_resource_plural(event->resource);
    struct change change = {.at_us = sim_now_us(world->sim), .plural = plural};
    struct seen_object *seen;
    char *key;
    char *what;

    note_watched(world, plural);
    if (!is_watched(plural)) {
        world_stir(world);
        return;
    }
    key = xprintf("%s/%s", plural, event->object->key);
    seen = seen_find(world, key);
    change.before = seen == NULL ? NULL : seen->tree;
    if (event->change != STORE_DELETED)
        change.after = store_object_parse_brief(event->object);
    change.kind = event->change == STORE_DELETED ? CHANGE_DELETED
                  : seen == NULL                 ? CHANGE_ADDED
                                                 : CHANGE_MODIFIED;
    invariants_change(world->invariants, &change);
    if (is_progress(&change))
        world->progressed_us = change.at_us;
    trace_change(world, &change);
    what = meaning(&change);
    if (what != NULL || strcmp(plural, "leases") != 0)
        world_stir(world);
    if (what != NULL)
        tell(world, "api", what);
    if (change.after != NULL)
        seen_keep(world, key, change.after);
    else if (seen != NULL)
        seen_forget(world, seen);
    free(key);
}

const struct store_observer observe_store = {.on_change = on_change};

/** What is there at the start. */
void observe_present(struct world *world)
{
    for (size_t i = 0; i < kind_count(); i++) {
        const struct kind *kind = kind_at(i);
        struct store_resource *resource =
            store_find_resource(world->store, kind->group, kind->plural);
        struct store_snapshot *snapshot;

        if (resource == NULL || !is_watched(kind->plural))
            continue;
        snapshot = store_snapshot_new(resource);
        for (size_t j = 0; j < store_snapshot_count(snapshot); j++) {
            const struct store_object *object = store_snapshot_object(snapshot, j);
            struct change change = {
                .at_us = sim_now_us(world->sim), .kind = CHANGE_PRESENT, .plural = kind->plural};
            char *key = xprintf("%s/%s", kind->plural, object->key);

            change.after = store_object_parse_brief(object);
            invariants_change(world->invariants, &change);
            trace_change(world, &change);
            seen_keep(world, key, change.after);
            free(key);
        }
        store_snapshot_free(snapshot);
    }
}

void observe_set_back(struct world *world)
{
    while (world->seen != NULL)
        seen_forget(world, world->seen);
    invariants_set_back(world->invariants);
    observe_present(world);
    world->changed = true;
    world_stir(world);
}

/* --- calls --- */

/** How many replicas there are when it is none of them. */
static size_t replica_index(const struct world *world, const struct sim_process *process)
{
    size_t index = 0;

    while (index < world->replica_count && world->replicas[index] != process)
        index++;
    return index;
}

static bool is_replica(const struct world *world, const struct sim_process *process)
{
    return replica_index(world, process) < world->replica_count;
}

/** At REQUEST_SENT, or at REQUEST when the client has long forgotten it. */
static struct exchange_info *remember(struct world *world, const struct sim_event *event,
                                      const struct sim_process *client)
{
    struct exchange_info info = {.id = event->exchange_id,
                                 .asked_us = event->asked_us,
                                 .asked_elapsed_us = event->asked_elapsed_us};
    const char *user_agent = http_header_get(event->headers, event->header_count, "User-Agent");

    info.client = xstrdup(client == NULL ? "" : sim_process_name(client));
    info.user_agent = xstrdup(text_or(user_agent, ""));
    info.by_controller = is_replica(world, client);
    info.method = xstrdup(event->method);
    info.target = xstrdup(event->target);
    api_path_parse(event->target, &info.path);
    if (event->size > 0) {
        info.body = xmemdup(event->bytes, event->size);
        info.body_size = event->size;
    }
    return exchanges_add(&world->exchanges, info);
}

static void note_write(struct world *world, const struct exchange_info *info, int64_t at_us)
{
    const char *subresource = info->path.subresource;

    world->written_us = at_us;
    free(world->written);
    world->written = xprintf("%s %s%s%s", exchange_verb(info), info->path.plural,
                             *subresource == '\0' ? "" : "/", subresource);
}

static void show(struct world *world, const struct exchange_info *info, enum call_stage stage,
                 const struct sim_event *event)
{
    struct call call = {.stage = stage,
                        .at_us = event->at_us,
                        .id = info->id,
                        .client = info->client,
                        .by_controller = info->by_controller,
                        .method = info->method,
                        .target = info->target,
                        .path = &info->path,
                        .body = info->body,
                        .body_size = info->body_size,
                        .status = info->status,
                        .asked_us = info->asked_us,
                        .asked_elapsed_us = info->asked_elapsed_us};

    if (stage == CALL_ANSWERED) {
        call.status = event->status;
        call.answer = event->bytes;
        call.answer_size = event->size;
    }
    invariants_call(world->invariants, &call);
    if (call.by_controller && stage == CALL_ENDED &&
        (info->status == 0 || info->status == 429 || info->status >= 500))
        world->failed_us = event->at_us;
    if (!call.by_controller || !call_is_write(&call))
        return;
    if (strcmp(info->path.plural, "leases") != 0) {
        if (stage == CALL_SENT)
            note_write(world, info, event->at_us);
    } else if (stage == CALL_RECEIVED && info->status < 300) {
        world->led_us = event->at_us;
    }
}

/** Reads that go well and renewals are what a reader skips anyway. */
static void tell_end(struct world *world, const struct exchange_info *info,
                     const struct sim_event *event)
{
    bool write = strcmp(info->method, "GET") != 0 && strcmp(info->path.plural, "leases") != 0;
    bool whole = event->kind == SIM_EVENT_END && event->number == EXCHANGE_COMPLETE;
    const char *target = info->target;

    if (event->kind == SIM_EVENT_CANCELLED || (whole && !write && info->status < 400))
        return;
    if (text_starts_with(target, OUR_PATHS))
        target += strlen(OUR_PATHS);
    if (whole)
        tell(world, info->client, xprintf("%s %s -> %u", info->method, target, info->status));
    else
        tell(world, info->client,
             xprintf("%s %s -> %s%s%s", info->method, target,
                     exchange_end_name((enum exchange_end)event->number),
                     text_is_empty(event->text) ? "" : ": ", text_or(event->text, "")));
}

static void on_client(struct world *world, const struct sim_event *event)
{
    struct exchange_info *info;

    if (event->kind == SIM_EVENT_REQUEST_SENT) {
        world->calls++;
        info = remember(world, event, event->process);
        show(world, info, CALL_SENT, event);
        faults_on_call(world, info, MOMENT_SENT);
        return;
    }
    info = exchanges_find(&world->exchanges, event->exchange_id);
    if (info == NULL)
        return;
    if (event->kind == SIM_EVENT_RESPONSE) {
        info->status = event->status;
        show(world, info, CALL_RECEIVED, event);
        return;
    }
    info->client_done = true;
    sweep_on_answer(world, info);
    sweep_on_end(world, info, event);
    show(world, info, CALL_ENDED, event);
    tell_end(world, info, event);
    if (event->kind == SIM_EVENT_END && info->status != 0)
        faults_on_call(world, info, MOMENT_ANSWERED);
    exchanges_settle(&world->exchanges, info);
}

static void on_server(struct world *world, const struct sim_event *event)
{
    struct exchange_info *info = exchanges_find(&world->exchanges, event->exchange_id);

    if (event->process != world->api)
        return;
    if (event->kind == SIM_EVENT_REQUEST) {
        if (info == NULL) {
            info = remember(world, event, event->peer);
            info->client_done = true;
        }
        info->arrived = true;
        show(world, info, CALL_ARRIVED, event);
    } else if (info != NULL && event->kind == SIM_EVENT_RESPONSE_SENT) {
        show(world, info, CALL_ANSWERED, event);
        faults_on_call(world, info, MOMENT_APPLIED);
    } else if (info != NULL) {
        info->server_done = true;
        exchanges_settle(&world->exchanges, info);
    }
}

/* --- processes --- */

static void note_asked(struct world *world, const struct sim_process *process, bool asked)
{
    size_t index = replica_index(world, process);

    if (index >= world->replica_count)
        return;
    world->asked_to_end[index] = asked;
    if (!asked)
        world->started_us[index] = sim_now_us(world->sim);
}

/** Replicas serve for as long as nobody asks them to end: one that gives up has nothing to show. */
static void on_exited(struct world *world, const struct sim_event *event)
{
    const char *name = sim_process_name(event->process);
    size_t index = replica_index(world, event->process);

    invariants_process(world->invariants, event->at_us, name, PROCESS_ENDED);
    tell(world, name,
         xprintf("ends with status %" PRId64 "%s%s", event->number,
                 text_is_empty(event->text) ? "" : ": ", text_or(event->text, "")));
    if (index < world->replica_count && !world->asked_to_end[index])
        world_fail(world, "process ended", NULL, "%s ended by itself with status %" PRId64, name,
                   event->number);
}

const char *observe_shown(const struct world *world, const char *line)
{
    const struct violation *violation = invariants_violation(world->invariants);

    return violation != NULL && strcmp(violation->id, "I-SECRET") == 0
               ? "(not shown: it holds a secret)"
               : line;
}

static void on_process(struct world *world, const struct sim_event *event)
{
    const char *name = event->process == NULL ? "world" : sim_process_name(event->process);

    if (event->kind == SIM_EVENT_TIMER) {
        if (is_replica(world, event->process))
            faults_on_timer(world, event);
        return;
    }
    if (event->kind != SIM_EVENT_LOG)
        world_stir(world);
    switch (event->kind) {
    case SIM_EVENT_LOG:
        invariants_log(world->invariants, event->at_us, name, (enum log_level)event->number,
                       event->text);
        if (event->number >= LOG_INFO)
            tell(world, name, xprintf("| %s", observe_shown(world, event->text)));
        return;
    case SIM_EVENT_NOTE:
        tell(world, "", xprintf("* %s", event->text));
        return;
    case SIM_EVENT_STARTED:
        invariants_process(world->invariants, event->at_us, name, PROCESS_STARTED);
        note_asked(world, event->process, false);
        tell(world, name, xstrdup("starts"));
        return;
    case SIM_EVENT_EXITED:
        on_exited(world, event);
        return;
    case SIM_EVENT_CRASHED:
        invariants_process(world->invariants, event->at_us, name, PROCESS_ENDED);
        tell(world, name, xstrdup("is killed"));
        return;
    case SIM_EVENT_PAUSED:
        tell(world, name, xstrdup("is stopped"));
        return;
    case SIM_EVENT_RESUMED:
        tell(world, name, xstrdup("goes on"));
        return;
    case SIM_EVENT_SIGNALLED:
        note_asked(world, event->process, true);
        tell(world, name, xstrdup("is asked to end"));
        return;
    default:
        return;
    }
}

static void on_event(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    switch (event->kind) {
    case SIM_EVENT_REQUEST_SENT:
    case SIM_EVENT_RESPONSE:
    case SIM_EVENT_END:
    case SIM_EVENT_CANCELLED:
        on_client(world, event);
        return;
    case SIM_EVENT_REQUEST:
    case SIM_EVENT_RESPONSE_SENT:
    case SIM_EVENT_REQUEST_CLOSED:
        on_server(world, event);
        return;
    default:
        on_process(world, event);
        return;
    }
}

static void on_mark(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    world->marks[event->number / 64] |= UINT64_C(1) << (event->number % 64);
    if (event->number == MARK_LEADS)
        world->term_us = event->at_us;
}

void observe_start(struct world *world)
{
    sim_add_tap(world->sim,
                SIM_EVENT_BIT(SIM_EVENT_REQUEST_SENT) | SIM_EVENT_BIT(SIM_EVENT_RESPONSE) |
                    SIM_EVENT_BIT(SIM_EVENT_END) | SIM_EVENT_BIT(SIM_EVENT_CANCELLED) |
                    SIM_EVENT_BIT(SIM_EVENT_REQUEST) | SIM_EVENT_BIT(SIM_EVENT_RESPONSE_SENT) |
                    SIM_EVENT_BIT(SIM_EVENT_REQUEST_CLOSED) | SIM_EVENT_BIT(SIM_EVENT_LOG) |
                    SIM_EVENT_BIT(SIM_EVENT_NOTE) | SIM_EVENT_BIT(SIM_EVENT_STARTED) |
                    SIM_EVENT_BIT(SIM_EVENT_EXITED) | SIM_EVENT_BIT(SIM_EVENT_CRASHED) |
                    SIM_EVENT_BIT(SIM_EVENT_PAUSED) | SIM_EVENT_BIT(SIM_EVENT_RESUMED) |
                    SIM_EVENT_BIT(SIM_EVENT_SIGNALLED) | SIM_EVENT_BIT(SIM_EVENT_TIMER),
                on_event, world);
    sim_add_tap(world->sim, SIM_EVENT_BIT(SIM_EVENT_MARK), on_mark, world);
    trace_start(world);
}
