#include "controller/kube/kube_watch.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "controller/kube/kube_http.h"
#include "controller/kube/watch_wire.h"

struct kube_watch {
    struct kube *kube;
    struct kube_watch *prev, *next; /* in kube->watches */
    struct kube_wire wire;
    struct buffer line; /* the beginning of one whose end has not arrived */
    size_t malformed;
    const struct kube_watch_events *events;
    void *arg;
    bool busy; /* a piece is being read: whoever ends the watch must leave it to be freed there */
    bool stopped; /* nobody is told anything more */
};

static void watch_free(struct kube_watch *watch)
{
    kube_wire_release(&watch->wire);
    buffer_release(&watch->line);
    free(watch);
}

/* The owner's handle ends here, whoever asked for it. */
static void detach(struct kube_watch *watch)
{
    watch->stopped = true;
    DL_DELETE(watch->kube->watches, watch);
    exchange_cancel(watch->wire.exchange);
    watch->wire.exchange = NULL;
}

void kube_watch_stop(struct kube_watch *watch)
{
    if (watch == NULL)
        return;
    detach(watch);
    if (!watch->busy)
        watch_free(watch);
}

static void mark_end(struct kube_watch *watch, enum kube_watch_end end)
{
    static const enum mark marks[] = {
        [KUBE_WATCH_CLEAN] = MARK_WATCH_ENDED,
        [KUBE_WATCH_GONE] = MARK_WATCH_GONE,
        [KUBE_WATCH_FAILED] = MARK_WATCH_FAILED,
    };

    runtime_mark(watch->kube->rt, marks[end]);
}

static void finish(struct kube_watch *watch, struct kube_watch_result *result)
{
    bool busy = watch->busy;

    result->status = watch->wire.status;
    result->malformed = watch->malformed;
    mark_end(watch, result->end);
    detach(watch);
    watch->events->on_end(watch->arg, result); /* may free the client */
    if (!busy)
        watch_free(watch);
}

/* --- lines --- */

static void finish_on_error(struct kube_watch *watch, struct kube_status *status)
{
    struct kube_watch_result result = {.end = KUBE_WATCH_FAILED};
    unsigned code = status->code > 0 && status->code < 600 ? (unsigned)status->code : 500;

    if (status->code == 410)
        result.end = KUBE_WATCH_GONE;
    /* Before the text is cut: a cut one would show a part of it. */
    kube_redact(status->reason, watch->wire.token);
    kube_redact(status->message, watch->wire.token);
    error_set(&result.error, kube_status_kind(code, status), "watch: %s: ERROR event: %u %s: %s",
              watch->wire.label, code, text_or(status->reason, "(no reason)"),
              text_or(status->message, "(no message)"));
    finish(watch, &result);
}

static void finish_too_long(struct kube_watch *watch)
{
    struct kube_watch_result result = {.end = KUBE_WATCH_FAILED};

    error_set(&result.error, ERROR_TOO_LARGE, "watch: %s: a line of more than %zu bytes",
              watch->wire.label, KUBE_WATCH_LINE_BYTES_MAX);
    finish(watch, &result);
}

static void read_line(struct kube_watch *watch, const char *bytes, size_t size)
{
    struct watch_line_content content;
    struct kube_event event;

    if (size > 0 && bytes[size - 1] == '\r')
        size--;
    if (size == 0)
        return;
    switch (watch_line_decode(bytes, size, &content)) {
    case WATCH_LINE_EVENT:
        event = (struct kube_event){content.type, content.object, content.resource_version};
        watch->events->on_event(watch->arg, &event);
        break;
    case WATCH_LINE_ERROR:
        finish_on_error(watch, &content.status);
        break;
    case WATCH_LINE_MALFORMED:
        watch->malformed++;
        break;
    }
    watch_line_release(&content);
}

/* Reads a line that ends in this piece; most of them lie in it whole, and are not copied. */
static void end_line(struct kube_watch *watch, const char *bytes, size_t size)
{
    struct buffer line = watch->line;

    if (line.size == 0 && size <= KUBE_WATCH_LINE_BYTES_MAX) {
        read_line(watch, bytes, size);
        return;
    }
    watch->line = BUFFER_INIT(KUBE_WATCH_LINE_BYTES_MAX);
    buffer_append(&line, bytes, size);
    if (line.overflowed)
        finish_too_long(watch);
    else
        read_line(watch, line.bytes, line.size);
    buffer_release(&line);
}

static void read_piece(struct kube_watch *watch, const char *bytes, size_t size)
{
    while (size > 0 && !watch->stopped) {
        const char *line_end = memchr(bytes, '\n', size);
        size_t line_size = line_end == NULL ? size : (size_t)(line_end - bytes);

        if (line_end == NULL) {
            buffer_append(&watch->line, bytes, line_size);
            if (watch->line.overflowed)
                finish_too_long(watch);
            return;
        }
        end_line(watch, bytes, line_size);
        bytes += line_size + 1;
        size -= line_size + 1;
    }
}

/* --- the exchange --- */

static void on_head(void *arg, const struct response_head *head)
{
    struct kube_watch *watch = arg;

    kube_wire_head(&watch->wire, head);
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct kube_watch *watch = arg;

    if (!kube_wire_accepted(&watch->wire)) {
        kube_wire_refusal(&watch->wire, bytes, size);
        return;
    }
    watch->busy = true;
    read_piece(watch, bytes, size);
    watch->busy = false;
    if (watch->stopped)
        watch_free(watch);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct kube_watch *watch = arg;
    struct kube_watch_result result = {.end = KUBE_WATCH_CLEAN};
    struct kube_status refusal = KUBE_STATUS_INIT;

    watch->wire.exchange = NULL;
    if (end == EXCHANGE_TIMED_OUT)
        runtime_mark(watch->kube->rt, MARK_WATCH_SILENT);
    if (end != EXCHANGE_COMPLETE) {
        result.end = KUBE_WATCH_FAILED;
        kube_wire_explain_end(&watch->wire, end, detail, &result.error);
    } else if (!kube_wire_accepted(&watch->wire)) {
        result.end = watch->wire.status == 410 ? KUBE_WATCH_GONE : KUBE_WATCH_FAILED;
        kube_wire_explain_refusal(&watch->wire, &refusal, &result.error);
        result.retry_after_us = kube_wire_retry_after_us(&watch->wire, &refusal);
    }
    if (result.end != KUBE_WATCH_CLEAN)
        error_prefix(&result.error, "watch");
    kube_status_release(&refusal);
    finish(watch, &result);
}

static char *make_query(const struct kube_watch_options *options)
{
    struct buffer query = BUFFER_INIT(KUBE_URL_BYTES_MAX);

    buffer_append_text(&query, "watch=1&resourceVersion=");
    url_append_encoded(&query, options->resource_version);
    buffer_append_format(&query, "&timeoutSeconds=%d", KUBE_WATCH_TIMEOUT_S);
    if (options->bookmarks)
        buffer_append_text(&query, "&allowWatchBookmarks=true");
    if (options->table)
        buffer_append_text(&query, "&includeObject=Metadata");
    if (!text_is_empty(options->label_selector)) {
        buffer_append_text(&query, "&labelSelector=");
        url_append_encoded(&query, options->label_selector);
    }
    return buffer_take(&query, NULL);
}

struct kube_watch *kube_watch_start(struct kube *kube, const struct kube_watch_options *options,
                                    const struct kube_watch_events *events, void *arg)
{
    static const struct exchange_events exchange_events = {on_head, on_body, on_end};
    static const struct http_request limits = {
        .pool = "watch",
        .connect_timeout_us = KUBE_CONNECT_TIMEOUT_US,
        .idle_timeout_us = KUBE_WATCH_IDLE_TIMEOUT_US,
        .response_bytes_max = SIZE_MAX, /* a stream: its lines are bounded instead */
    };
    struct kube_watch *watch = xcalloc(1, sizeof(*watch));
    char *query = make_query(options);
    const struct kube_request request = {
        .verb = KUBE_LIST,
        .resource = options->resource,
        .namespace_name = options->namespace_name,
        .query = query,
        .accept = options->table ? KUBE_ACCEPT_TABLE : NULL,
    };

    watch->kube = kube;
    watch->line = BUFFER_INIT(KUBE_WATCH_LINE_BYTES_MAX);
    watch->events = events;
    watch->arg = arg;
    DL_APPEND(kube->watches, watch);
    kube_wire_start(&watch->wire, kube, &request, &limits, &exchange_events, watch);
    free(query);
    return watch;
}
