#include "controller/agents/job_watch.h"

#include <stdlib.h>

#include "controller/agents/follow.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/job_row.h"
#include "controller/jobs/job_wire.h"
#include "controller/kube/kube_backoff.h"
#include "controller/kube/kube_watch.h"

struct job_watch {
    struct runtime *rt;
    const struct agent_api *api;
    void (*on_change)(void *arg, const char *agent, const char *uid, bool ended);
    void *arg;
    struct kube_call *call; /* asks where to begin */
    char *cursor;           /* NULL: ask first */
    struct kube_watch *stream;
    struct job_columns columns; /* of the stream under way */
    unsigned failures;          /* in a row */
    struct timer *timer;
};

static void go_on(struct job_watch *watch);

/* --- small things --- */

static void set_cursor(struct job_watch *watch, const char *version)
{
    char *copy = xstrdup(version);

    free(watch->cursor);
    watch->cursor = copy;
}

static void on_timer(void *arg)
{
    struct job_watch *watch = arg;

    watch->timer = NULL;
    go_on(watch);
}

static void go_on_after(struct job_watch *watch, int64_t delay_us)
{
    timer_cancel(watch->timer);
    watch->timer = runtime_after(watch->rt, delay_us, on_timer, watch);
}

static void failed(struct job_watch *watch, int64_t retry_after_us, const struct error *err)
{
    const struct log_field fields[] = {LOG_TEXT("error", err->text)};
    const struct log_record record = {LOG_WARN, "Jobs not watched", fields, ARRAY_SIZE(fields)};
    uint64_t random = runtime_random(watch->rt);

    runtime_mark(watch->rt, MARK_JOBS_WATCH_FAILED);
    runtime_log(watch->rt, &record);
    watch->failures++;
    go_on_after(watch, kube_pause_us(watch->failures, retry_after_us, random));
}

/* --- the stream --- */

static void on_event(void *arg, const struct kube_event *event)
{
    struct job_watch *watch = arg;
    struct job_owner owner;
    struct job_row row;

    if (event->resource_version != NULL)
        set_cursor(watch, event->resource_version);
    if (!job_row_read(event->object, &watch->columns, &row)) /* names the columns, whatever it is */
        return;
    if (event->type != KUBE_DELETED && event->type != KUBE_MODIFIED)
        return;
    if (!job_owner_read(row.metadata, &owner))
        return;
    watch->on_change(watch->arg, owner.name, owner.uid, row.ended || event->type == KUBE_DELETED);
    job_owner_release(&owner);
}

static void on_stream_end(void *arg, const struct kube_watch_result *result)
{
    struct job_watch *watch = arg;

    watch->stream = NULL;
    if (result->end == KUBE_WATCH_FAILED) {
        failed(watch, result->retry_after_us, &result->error);
        return;
    }
    if (result->end == KUBE_WATCH_GONE) {
        runtime_mark(watch->rt, MARK_JOBS_WATCH_GONE);
        set_cursor(watch, NULL);
    }
    watch->failures = 0;
    go_on_after(watch, FOLLOW_PAUSE_US);
}

static const struct kube_watch_events stream_events = {
    .on_event = on_event,
    .on_end = on_stream_end,
};

static void open_stream(struct job_watch *watch)
{
    const struct kube_watch_options options = {
        .resource = &agent_api_jobs,
        .namespace_name = watch->api->namespace_name,
        .resource_version = watch->cursor,
        .bookmarks = true,
        .table = true,
    };

    watch->columns = (struct job_columns)JOB_COLUMNS_INIT;
    watch->stream = kube_watch_start(watch->api->kube, &options, &stream_events, watch);
}

static void on_version(void *arg, const struct kube_result *result)
{
    struct job_watch *watch = arg;
    char *version = NULL;
    struct error err = result->error;

    watch->call = NULL;
    if (result->ok)
        version = json_slice_text(
            json_slice_get(json_slice_get(result->body, "metadata"), "resourceVersion"));
    if (result->ok && text_is_empty(version))
        error_set(&err, ERROR_INVALID, "a list without a resourceVersion");
    if (text_is_empty(version)) {
        failed(watch, result->retry_after_us, &err);
    } else {
        set_cursor(watch, version);
        open_stream(watch);
    }
    free(version);
}

static void go_on(struct job_watch *watch)
{
    if (watch->cursor == NULL)
        watch->call = agent_api_ask_jobs_version(watch->api, on_version, watch);
    else
        open_stream(watch);
}

/* --- life --- */

struct job_watch *job_watch_new(struct runtime *rt, const struct agent_api *api,
                                void (*on_change)(void *arg, const char *agent, const char *uid,
                                                  bool ended),
                                void *arg)
{
    struct job_watch *watch = xcalloc(1, sizeof(*watch));

    watch->rt = rt;
    watch->api = api;
    watch->on_change = on_change;
    watch->arg = arg;
    return watch;
}

void job_watch_start(struct job_watch *watch)
{
    go_on_after(watch, 0);
}

void job_watch_stop(struct job_watch *watch)
{
    kube_call_cancel(watch->call);
    kube_watch_stop(watch->stream);
    timer_cancel(watch->timer);
    free(watch->cursor);
    watch->call = NULL;
    watch->stream = NULL;
    watch->timer = NULL;
    watch->cursor = NULL;
    watch->failures = 0;
}

void job_watch_free(struct job_watch *watch)
{
    if (watch == NULL)
        return;
    job_watch_stop(watch);
    free(watch);
}
