#include "controller/agents/follow.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_backoff.h"
#include "controller/kube/kube_list.h"
#include "controller/kube/kube_watch.h"
#include "controller/telemetry/controller_metrics.h"

/* What a listing is for. */
enum listing { LISTING_NONE, LISTING_START, LISTING_POLL };

struct follow {
    const struct agent_context *context;
    const struct follow_events *events;
    void *arg;
    bool started;

    struct kube_lister *lister;
    enum listing listing; /* under way */
    bool start_due;       /* a listing for the watch, after the one under way */
    bool poll_due;        /* likewise for a poll */
    char *floor;          /* the newest version known when the listing was sent, or NULL */
    bool set_back;        /* the last listing was below that: the next one is believed */

    struct kube_watch *watch;
    char *cursor;          /* NULL: list first */
    bool connected_before; /* in this leadership */
    unsigned failures;     /* of the watch loop, in a row */
    struct timer *watch_timer;

    struct timer *poll_timer;
    unsigned poll_failures; /* in a row */
};

static void watch_loop(struct follow *follow);
static void list(struct follow *follow, enum listing listing);

/* --- small things --- */

static void set_cursor(struct follow *follow, const char *version)
{
    char *copy = xstrdup(version);

    free(follow->cursor);
    follow->cursor = copy;
    if (copy != NULL)
        agent_cache_note_version(follow->context->cache, copy);
}

static void say(struct follow *follow, enum log_level level, const char *message,
                const struct error *err)
{
    const struct log_field fields[] = {LOG_TEXT("error", err->text)};
    const struct log_record record = {level, message, fields, err->kind == ERROR_NONE ? 0 : 1};

    runtime_log(follow->context->rt, &record);
}

static void on_watch_timer(void *arg)
{
    struct follow *follow = arg;

    follow->watch_timer = NULL;
    watch_loop(follow);
}

static void watch_after(struct follow *follow, int64_t delay_us)
{
    timer_cancel(follow->watch_timer);
    follow->watch_timer = runtime_after(follow->context->rt, delay_us, on_watch_timer, follow);
}

static void watch_failed(struct follow *follow, int64_t retry_after_us)
{
    uint64_t random = runtime_random(follow->context->rt);

    follow->failures++;
    watch_after(follow, kube_pause_us(follow->failures, retry_after_us, random));
}

static void on_poll_timer(void *arg)
{
    struct follow *follow = arg;

    follow->poll_timer = NULL;
    list(follow, LISTING_POLL);
}

static void poll_after(struct follow *follow, int64_t delay_us)
{
    timer_cancel(follow->poll_timer);
    follow->poll_timer = runtime_after(follow->context->rt, delay_us, on_poll_timer, follow);
}

void follow_poll_done(struct follow *follow)
{
    if (follow->started)
        poll_after(follow, FOLLOW_POLL_US);
}

bool follow_is_healthy(const struct follow *follow)
{
    return follow->poll_failures < FOLLOW_POLL_FAILURES_MAX;
}

/* --- listings --- */

static uint64_t item_digest(const struct kube_item *item)
{
    uint64_t parts[1 + AGENT_COLUMN_COUNT];

    if (item->cells == NULL)
        return digest_quick64(item->object.bytes, item->object.size);
    parts[0] = digest_quick64(item->metadata.bytes, item->metadata.size);
    for (size_t i = 0; i < AGENT_COLUMN_COUNT; i++)
        parts[1 + i] = digest_quick64(item->cells[i].bytes, item->cells[i].size);
    return digest_quick64(parts, sizeof(parts));
}

static bool decode_item(struct follow *follow, const struct kube_item *item, uint64_t digest)
{
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;
    bool ok = item->cells == NULL ? agent_read(item->object, &agent, &err)
                                  : agent_row_read(item->metadata, item->cells, &agent, &err);

    if (!ok) {
        say(follow, LOG_WARN, "listed Agent not usable", &err);
        return false;
    }
    agent_cache_list_item(follow->context->cache, agent, digest);
    return true;
}

static bool on_item(void *arg, const struct kube_item *item)
{
    struct follow *follow = arg;
    uint64_t digest = item_digest(item);
    char *name = agent_read_name(item->metadata);
    bool same;

    if (name == NULL)
        return false;
    same = agent_cache_list_same(follow->context->cache, name, digest);
    free(name);
    return same || decode_item(follow, item, digest);
}

static void on_restart(void *arg)
{
    struct follow *follow = arg;

    agent_cache_list_begin(follow->context->cache);
}

static void list(struct follow *follow, enum listing listing)
{
    if (follow->listing != LISTING_NONE) {
        runtime_mark(follow->context->rt, MARK_LISTING_QUEUED);
        follow->start_due = follow->start_due || listing == LISTING_START;
        follow->poll_due = follow->poll_due || listing == LISTING_POLL;
        return;
    }
    follow->listing = listing;
    free(follow->floor);
    follow->floor = xstrdup(agent_cache_newest(follow->context->cache));
    agent_cache_list_begin(follow->context->cache);
    kube_lister_start(follow->lister);
}

static void list_what_is_due(struct follow *follow)
{
    if (follow->listing == LISTING_NONE && follow->start_due) {
        follow->start_due = false;
        list(follow, LISTING_START);
    } else if (follow->listing == LISTING_NONE && follow->poll_due) {
        follow->poll_due = false;
        list(follow, LISTING_POLL);
    }
}

static void listing_failed(struct follow *follow, enum listing listing,
                           const struct kube_list_result *result)
{
    agent_cache_list_abandon(follow->context->cache);
    say(follow, LOG_WARN, "Agents not listed", &result->error);
    if (listing == LISTING_POLL) {
        if (++follow->poll_failures == FOLLOW_POLL_FAILURES_MAX)
            runtime_mark(follow->context->rt, MARK_POLL_FAILED_OFTEN);
        poll_after(follow, result->retry_after_us > FOLLOW_POLL_US ? result->retry_after_us
                                                                   : FOLLOW_POLL_US);
    } else {
        watch_failed(follow, result->retry_after_us);
    }
}

/* A collection older than what stream and answers have told already: the answer is stale, or the
 * store was set back. It is not believed, and nor is the cursor; the next one is, whatever it says
 * (RULES.md 13.1). */
static void start_over(struct follow *follow)
{
    const struct error none = ERROR_INIT;

    runtime_mark(follow->context->rt, MARK_LISTING_IS_OLDER);
    agent_cache_list_abandon(follow->context->cache);
    say(follow, LOG_WARN, "a listing is older than what is known: listing again", &none);
    kube_watch_stop(follow->watch);
    follow->watch = NULL;
    set_cursor(follow, NULL);
    follow->set_back = true;
    watch_after(follow, 0);
    follow->events->on_set_back(follow->arg);
}

static void listing_done(struct follow *follow, enum listing listing,
                         const struct kube_list_result *result)
{
    const struct agent_context *context = follow->context;
    bool older =
        follow->floor != NULL && agent_cache_is_older(result->resource_version, follow->floor);

    metrics_count(context->metrics, METRIC_RESYNCS, NULL, NULL);
    if (listing == LISTING_POLL)
        follow->poll_failures = 0;
    if (older && !follow->set_back) {
        start_over(follow);
        if (listing == LISTING_POLL)
            follow_poll_done(follow);
        return;
    }
    follow->set_back = false;
    if (older) {
        runtime_mark(context->rt, MARK_LISTING_OLDER_TWICE);
        agent_cache_forget_newest(context->cache);
    }
    agent_cache_note_version(context->cache, result->resource_version);
    agent_cache_list_apply(context->cache, result->resource_version, listing == LISTING_START);
    if (listing == LISTING_START) {
        set_cursor(follow, result->resource_version);
        watch_after(follow, 0);
    }
    follow->events->on_list(follow->arg, listing == LISTING_POLL);
}

static void on_list_end(void *arg, const struct kube_list_result *result)
{
    struct follow *follow = arg;
    enum listing listing = follow->listing;

    follow->listing = LISTING_NONE;
    if (!context_is_leader(follow->context)) {
        runtime_mark(follow->context->rt, MARK_LISTING_FENCED);
        agent_cache_list_abandon(follow->context->cache); /* the end of this term is on its way */
        return;
    }
    if (result->ok)
        listing_done(follow, listing, result);
    else
        listing_failed(follow, listing, result);
    if (follow->started)
        list_what_is_due(follow);
}

static const struct kube_list_events list_events = {
    .on_item = on_item,
    .on_restart = on_restart,
    .on_end = on_list_end,
};

/* --- the watch --- */

static void on_upsert(struct follow *follow, const struct kube_event *event)
{
    struct agent *agent = NULL;
    struct error err = ERROR_INIT;
    enum cache_event became;
    char *name;

    if (!agent_read(event->object, &agent, &err)) {
        say(follow, LOG_WARN, "watched Agent not usable", &err); /* the poll tries again */
        return;
    }
    name = xstrdup(agent->name);
    became = agent_cache_upsert(follow->context->cache, agent);
    if (became == CACHE_CHANGED)
        follow->events->on_change(follow->arg, name);
    else if (became == CACHE_OUTDATED)
        runtime_mark(follow->context->rt, MARK_EVENT_OUTDATED);
    free(name);
}

static void on_delete(struct follow *follow, const struct kube_event *event)
{
    struct json_slice metadata = json_slice_get(event->object, "metadata");
    char *name = agent_read_name(metadata);
    const struct agent *agent;
    char *uid;
    char *station;

    if (name == NULL)
        return;
    agent = agent_cache_get(follow->context->cache, name);
    station = agent == NULL ? NULL : xstrdup(agent->station);
    uid = json_slice_text(json_slice_get(metadata, "uid"));
    if (agent_cache_remove(follow->context->cache, name, uid, event->resource_version))
        follow->events->on_gone(follow->arg, name, station);
    else
        runtime_mark(follow->context->rt, MARK_DELETION_OUTDATED);
    free(uid);
    free(station);
    free(name);
}

static void on_event(void *arg, const struct kube_event *event)
{
    struct follow *follow = arg;

    if (!context_is_leader(follow->context)) {
        runtime_mark(follow->context->rt, MARK_EVENT_FENCED);
        return;
    }
    if (event->resource_version != NULL)
        set_cursor(follow, event->resource_version);
    if (event->type == KUBE_ADDED || event->type == KUBE_MODIFIED)
        on_upsert(follow, event);
    else if (event->type == KUBE_DELETED)
        on_delete(follow, event);
}

static void on_watch_end(void *arg, const struct kube_watch_result *result)
{
    struct follow *follow = arg;

    follow->watch = NULL;
    if (result->end == KUBE_WATCH_FAILED) {
        say(follow, LOG_WARN, "watch failed", &result->error);
        watch_failed(follow, result->retry_after_us);
        return;
    }
    if (result->end == KUBE_WATCH_GONE) {
        say(follow, LOG_INFO, "watch is too old: listing again", &result->error);
        set_cursor(follow, NULL);
    }
    follow->failures = 0;
    watch_after(follow, FOLLOW_PAUSE_US);
}

static const struct kube_watch_events watch_events = {
    .on_event = on_event,
    .on_end = on_watch_end,
};

static void watch_loop(struct follow *follow)
{
    const struct kube_watch_options options = {
        .resource = &agent_api_agents,
        .namespace_name = follow->context->api.namespace_name,
        .resource_version = follow->cursor,
        .bookmarks = true,
    };

    if (follow->cursor == NULL) {
        list(follow, LISTING_START);
        return;
    }
    if (follow->connected_before)
        metrics_count(follow->context->metrics, METRIC_WATCH_RECONNECTS, NULL, NULL);
    follow->connected_before = true;
    follow->watch = kube_watch_start(follow->context->api.kube, &options, &watch_events, follow);
}

/* --- life --- */

struct follow *follow_new(const struct agent_context *context, const struct follow_events *events,
                          void *arg)
{
    struct follow *follow = xcalloc(1, sizeof(*follow));
    const struct kube_lister_options options = {
        .resource = &agent_api_agents,
        .namespace_name = context->api.namespace_name,
        .columns = agent_column_names,
        .column_count = AGENT_COLUMN_COUNT,
    };

    follow->context = context;
    follow->events = events;
    follow->arg = arg;
    follow->lister = kube_lister_new(context->api.kube, &options, &list_events, follow);
    return follow;
}

void follow_start(struct follow *follow)
{
    follow->started = true;
    watch_after(follow, 0);
    follow_poll_done(follow);
}

void follow_stop(struct follow *follow)
{
    kube_lister_stop(follow->lister);
    kube_watch_stop(follow->watch);
    timer_cancel(follow->watch_timer);
    timer_cancel(follow->poll_timer);
    free(follow->cursor);
    free(follow->floor);
    follow->watch = NULL;
    follow->watch_timer = NULL;
    follow->poll_timer = NULL;
    follow->cursor = NULL;
    follow->floor = NULL;
    follow->set_back = false;
    follow->listing = LISTING_NONE;
    follow->start_due = false;
    follow->poll_due = false;
    follow->connected_before = false;
    follow->failures = 0;
    follow->poll_failures = 0;
    follow->started = false;
}

void follow_free(struct follow *follow)
{
    if (follow == NULL)
        return;
    follow_stop(follow);
    kube_lister_free(follow->lister);
    free(follow);
}
