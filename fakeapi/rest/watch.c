/* watch - the stream of a watch: what is there, then what happens (WIRE.md W1 to W20).
 *
 * The store's watch is a cursor into its history; this turns events into lines of the asked form,
 * by selectors (W10), with bookmarks and time limits, and does what fault rules say.
 *
 * What readers that take nothing cost: each its cursor, one event, the runtime's buffer of an
 * answer, and until it has taken what was there first the objects of that snapshot; all of them
 * together the store's history (STORE_HISTORY_BYTES), once. One that falls off the history lets go
 * of that snapshot at once and is broken off when it does not read on (W9): what a snapshot holds,
 * the history held too. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/watch_stream.h"

/* Bookmarks come about every minute, and this long before the end (W6). */
#define BOOKMARK_US US_PER_MINUTE
#define BOOKMARK_BEFORE_END_US (2 * US_PER_SECOND)
/* A watch without a limit of its own ends somewhere here (W7). */
#define TIMEOUT_MIN_SECONDS 1800
#define TIMEOUT_SPREAD_SECONDS 1800
/* Who fell off the history and reads on within this sees a clean end. */
#define FALLEN_GRACE_US US_PER_SECOND

struct watch_request {
    struct accept accept;
    enum emit_object object;
    uint64_t revision; /* 0: what is there first */
    bool initial;      /* what is there first */
    bool initial_end;  /* a bookmark says where that ends (W5) */
    bool bookmarks;
    int64_t timeout_seconds;
    struct selector selector;
};

static void stream_free(void *arg)
{
    struct watch_stream *stream = arg;

    timer_cancel(stream->delay);
    timer_cancel(stream->timeout);
    timer_cancel(stream->bookmark);
    timer_cancel(stream->cut);
    store_watch_free(stream->watch);
    store_snapshot_free(stream->initial);
    selector_release(&stream->selector);
    emit_release(&stream->emit);
    kind_unref(stream->kind);
    free(stream->namespace);
    free(stream);
}

/* --- events --- */

static bool is_wanted(const struct watch_stream *stream, const struct store_object *object)
{
    if (object == NULL)
        return false;
    if (stream->namespace[0] != '\0' && strcmp(stream->namespace, object->namespace) != 0)
        return false;
    return selector_matches(&stream->selector, object);
}

/* Puts the line of an event into emit. False: it is none of this watch's (W10). */
static bool emit_change(struct watch_stream *stream, const struct store_event *event)
{
    bool now = event->change != STORE_DELETED && is_wanted(stream, event->object);
    bool before = is_wanted(stream, event->old);

    if (!now && !before)
        return false;
    if (now)
        watch_emit_event(stream, before ? "MODIFIED" : "ADDED", event->object, 0);
    else
        watch_emit_event(stream, "DELETED", event->old, event->revision);
    return true;
}

static void on_delay_over(void *arg)
{
    struct watch_stream *stream = arg;

    stream->delay = NULL;
    stream->delay_over = true;
    call_wake(stream->call);
}

static void delay(struct watch_stream *stream, const struct store_event *event, int64_t delay_us)
{
    stream->delayed = event;
    stream->delay_over = false;
    stream->delay = runtime_after(stream->call->rest->rt, delay_us, on_delay_over, stream);
}

/* What becomes of an event that this watch wants. True: a line is in emit. */
static bool handle_event(struct watch_stream *stream, const struct store_event *event)
{
    struct fault_effect effect;

    if (!is_wanted(stream, event->object) && !is_wanted(stream, event->old))
        return false;
    if (stream->gap > 0) {
        stream->gap--;
        return false;
    }
    call_decide_event(stream->call, event->object, &effect);
    if (watch_spoil(stream, &effect))
        return stream->emit.piece_count > 0;
    if (effect.action == FAULT_WATCH_DELAY) {
        delay(stream, event, effect.wait_us);
        return false;
    }
    if (!emit_change(stream, event))
        return false;
    if (effect.action == FAULT_WATCH_REPEAT)
        stream->again = event;
    if (effect.action == FAULT_WATCH_HALF)
        watch_halve(stream);
    return true;
}

/* The next object of those that were there; false when they are all sent. */
static bool next_initial(struct watch_stream *stream)
{
    while (stream->initial_next < stream->initial_last) {
        const struct store_object *object =
            store_snapshot_object(stream->initial, stream->initial_next++);

        if (!is_wanted(stream, object))
            continue;
        watch_emit_event(stream, "ADDED", object, 0);
        return true;
    }
    return false;
}

/* The last line of the snapshot was copied out: it may go, with a word where it ends. */
static bool finish_initial(struct watch_stream *stream)
{
    store_snapshot_free(stream->initial);
    stream->initial = NULL;
    if (!stream->initial_end)
        return false;
    watch_emit_bookmark(stream, true);
    return true;
}

/* Looks for the next line among what the store has. True: there is one in emit. */
static bool next_change(struct watch_stream *stream)
{
    const struct store_event *event = stream->again;

    if (event != NULL) {
        stream->again = NULL;
        return emit_change(stream, event);
    }
    if (stream->delayed != NULL) {
        event = stream->delayed;
        if (!stream->delay_over)
            return false;
        stream->delayed = NULL;
        return emit_change(stream, event);
    }
    while (!stream->over && !stream->stalled && stream->delayed == NULL) {
        switch (store_watch_next(stream->watch, &event)) {
        case STORE_WATCH_EVENT:
            if (handle_event(stream, event))
                return true;
            break;
        case STORE_WATCH_IDLE:
            return false;
        case STORE_WATCH_ENDED:
            stream->over = true;
            break;
        case STORE_WATCH_GONE:
            runtime_mark(stream->call->rest->rt, MARK_API_WATCHER_FELL_OFF);
            watch_emit_error(stream, 410, "Expired",
                             "The resourceVersion for the provided watch is too old.");
            return true;
        }
    }
    return false;
}

static bool next_line(struct watch_stream *stream)
{
    emit_begin(&stream->emit);
    if (stream->over || stream->stalled)
        return false;
    if (stream->initial != NULL && (next_initial(stream) || finish_initial(stream)))
        return true;
    if (next_change(stream))
        return true;
    if (stream->stopping && stream->delayed == NULL)
        stream->over = true;
    if (stream->bookmark_due && !stream->stalled && stream->delayed == NULL) {
        stream->bookmark_due = false;
        if (watch_loses_bookmark(stream))
            return false;
        runtime_mark(stream->call->rest->rt, MARK_API_BOOKMARK);
        watch_emit_bookmark(stream, false);
        return true;
    }
    return false;
}

static enum body_pull pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct watch_stream *stream = arg;
    size_t used = 0;

    stream->emit.now_us = runtime_wall_us(stream->call->rest->rt);
    while (used < room_size) {
        size_t copied = watch_copy(stream, room + used, room_size - used);

        used += copied;
        if (copied == 0 && !next_line(stream))
            break;
    }
    *ret_size = used;
    if (used > 0)
        return BODY_BYTES;
    return stream->over && !stream->stalled ? BODY_END : BODY_WAIT;
}

/* One that is made to wait by a fault is not its reader's to end. */
static void on_cut(void *arg)
{
    struct watch_stream *stream = arg;

    stream->cut = NULL;
    if (!stream->stalled && stream->delayed == NULL)
        call_reset(stream->call);
}

static void on_store_wake(void *arg)
{
    struct watch_stream *stream = arg;

    if (!stream->fallen && store_watch_has_fallen(stream->watch)) {
        stream->fallen = true;
        store_snapshot_free(stream->initial);
        stream->initial = NULL;
        stream->cut = runtime_after(stream->call->rest->rt, FALLEN_GRACE_US, on_cut, stream);
    }
    call_wake(stream->call);
}

/* --- time --- */

static void on_bookmark(void *arg)
{
    struct watch_stream *stream = arg;

    stream->bookmark = runtime_after(stream->call->rest->rt, BOOKMARK_US, on_bookmark, stream);
    stream->bookmark_due = true;
    call_wake(stream->call);
}

static void on_timeout(void *arg)
{
    struct watch_stream *stream = arg;

    stream->timeout = NULL;
    stream->stopping = true;
    call_wake(stream->call);
}

/* With bookmarks the last of them comes a little before the end. */
static void on_nearly_over(void *arg)
{
    struct watch_stream *stream = arg;

    stream->timeout =
        runtime_after(stream->call->rest->rt, BOOKMARK_BEFORE_END_US, on_timeout, stream);
    stream->bookmark_due = true;
    call_wake(stream->call);
}

static void start_timers(struct watch_stream *stream, int64_t timeout_seconds)
{
    struct runtime *rt = stream->call->rest->rt;
    int64_t timeout_us = timeout_seconds * US_PER_SECOND;

    if (stream->bookmarks)
        stream->bookmark = runtime_after(rt, BOOKMARK_US, on_bookmark, stream);
    if (stream->bookmarks && timeout_us > BOOKMARK_BEFORE_END_US)
        stream->timeout =
            runtime_after(rt, timeout_us - BOOKMARK_BEFORE_END_US, on_nearly_over, stream);
    else
        stream->timeout = runtime_after(rt, timeout_us, on_timeout, stream);
}

static void stop(void *arg)
{
    on_timeout(arg);
}

static void ask_idle_fault(void *arg)
{
    struct watch_stream *stream = arg;
    struct rest *rest = stream->call->rest;
    struct fault_effect effect = {.action = FAULT_NONE};
    struct fault_call view;
    char resource[512];

    view = call_fault_view(stream->call, resource, sizeof(resource));
    view.random = faults_draw(rest->faults) ? runtime_random(rest->rt) : 0;
    faults_decide_idle(rest->faults, &view, &effect);
    if (effect.action == FAULT_WATCH_STALL)
        stream->stalled = true;
    if (effect.action == FAULT_WATCH_CLOSE) {
        stream->over = true;
        call_wake(stream->call);
    }
}

static const struct stream_ops watch_ops = {
    .pull = pull, .free = stream_free, .stop = stop, .faults_changed = ask_idle_fault};

/* --- the request --- */

static void forbid(struct field_errors *errors, const char *detail)
{
    field_errors_add(errors, FIELD_FORBIDDEN, "resourceVersionMatch", "Forbidden: %s", detail);
}

/* What does not go together (W5). */
static bool check_match(const char *match, const char *initial, struct rest_status *status)
{
    const struct rest_subject subject = {
        .group = "meta.k8s.io", .plural = "", .kind = "ListOptions", .name = ""};
    struct field_errors errors = FIELD_ERRORS_INIT;
    bool known = text_equal(match, "NotOlderThan");
    bool ok;

    if (!text_is_empty(initial) && !known)
        forbid(&errors, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
    if (text_is_empty(initial) && !text_is_empty(match))
        forbid(&errors, "resourceVersionMatch is forbidden for watch unless sendInitialEvents is "
                        "provided");
    if (!text_is_empty(match) && !known)
        field_errors_add(&errors, FIELD_NOT_SUPPORTED, "resourceVersionMatch",
                         "Unsupported value: \"%s\": supported values: \"NotOlderThan\"", match);
    ok = errors.count == 0 || rest_status_invalid(status, &subject, &errors);
    field_errors_release(&errors);
    return ok;
}

/* What is there comes first when that is asked for, and by default without a revision (W5). */
static void read_initial(const char *match, const char *initial, struct watch_request *watch)
{
    if (text_is_empty(initial))
        watch->initial = watch->revision == 0 && text_is_empty(match);
    else
        watch->initial = strcmp(initial, "false") != 0 && strcmp(initial, "0") != 0;
    watch->initial_end = watch->initial && watch->bookmarks;
}

static bool read_texts(struct call *call, char *const *texts, struct watch_request *watch,
                       struct rest_status *status)
{
    int64_t seconds;

    if (!text_is_empty(texts[3])) {
        if (!text_to_int64(texts[3], &seconds))
            return rest_status_bad_request(
                status, "strconv.ParseInt: parsing \"%s\": invalid syntax", texts[3]);
        watch->timeout_seconds = seconds;
    }
    if (!selector_parse_labels(texts[4], &watch->selector, status) ||
        !check_match(texts[1], texts[2], status) ||
        !selector_parse_fields(texts[5], call->kind, &watch->selector, status))
        return false;
    if (!text_is_empty(texts[0]) && !text_to_uint64(texts[0], &watch->revision))
        return rest_status_untyped(status,
                                   "resourceVersion: Invalid value: \"%s\": strconv.ParseUint: "
                                   "parsing \"%s\": invalid syntax",
                                   texts[0], texts[0]);
    watch->bookmarks = route_query_flag(&call->route, "allowWatchBookmarks");
    read_initial(texts[1], texts[2], watch);
    if (text_equal(texts[6], "Object"))
        watch->object = EMIT_WHOLE;
    else if (text_equal(texts[6], "None"))
        watch->object = EMIT_NOTHING;
    return true;
}

static bool read_request(struct call *call, struct watch_request *watch, struct rest_status *status)
{
    static const char *const names[] = {
        "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds",
        "labelSelector",   "fieldSelector",        "includeObject"};
    char *texts[ARRAY_SIZE(names)];
    bool ok;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        texts[i] = route_query(&call->route, names[i]);
    if (call->route.name[0] != '\0') { /* /watch/.../name (W2) */
        free(texts[5]);
        texts[5] = xprintf("metadata.name=%s", call->route.name);
    }
    ok = read_texts(call, texts, watch, status);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++)
        free(texts[i]);
    return ok;
}

static int64_t choose_timeout(struct rest *rest, int64_t asked_seconds)
{
    /* A day at most: timers count in microseconds. */
    if (asked_seconds > 0)
        return asked_seconds < 86400 ? asked_seconds : 86400;
    return TIMEOUT_MIN_SECONDS + (int64_t)(runtime_random(rest->rt) % TIMEOUT_SPREAD_SECONDS);
}

static struct watch_stream *stream_new(struct call *call, struct watch_request *watch)
{
    struct watch_stream *stream = xcalloc(1, sizeof(*stream));

    stream->call = call;
    stream->kind = kind_ref(call->kind);
    stream->namespace = xstrdup(call->route.namespace);
    stream->selector = watch->selector;
    watch->selector = (struct selector){0};
    stream->emit.kind = call->kind;
    stream->emit.version = call->version;
    stream->emit.form = watch->accept.form;
    stream->emit.object = watch->object;
    stream->bookmarks = watch->bookmarks;
    stream->initial_end = watch->initial_end;
    return stream;
}

/* Where the live part begins; too old ones are told inside the stream (W4). */
static void open_watch(struct watch_stream *stream, const struct watch_request *watch)
{
    struct store_resource *objects = stream->kind->objects;
    uint64_t current = store_revision(stream->call->rest->store);
    uint64_t from = watch->revision;
    struct error err = ERROR_INIT;

    if (watch->initial) {
        stream->initial = store_snapshot_new(objects);
        store_snapshot_range(stream->initial, stream->namespace, &stream->initial_next,
                             &stream->initial_last);
    }
    if (watch->initial || from == 0)
        from = current;
    if (store_watch_new(objects, from, on_store_wake, stream, &stream->watch, &err))
        return;
    runtime_mark(stream->call->rest->rt, MARK_API_GONE_AT_START);
    emit_begin(&stream->emit);
    watch_emit_error(stream, 410, "Expired", err.text);
}

/* A bookmark that says where the initial events end has no place in a table (W12). */
static bool choose_form(struct call *call, struct watch_request *watch)
{
    const struct accept_offer offer = {
        .table = !watch->initial_end, .partial = true, .watch = true};

    return call_accept(call, &offer, &watch->accept);
}

void call_watch(struct call *call)
{
    struct watch_request watch = {.revision = 0};
    struct rest_status status = {0};
    struct watch_stream *stream;
    struct rest *rest = call->rest;
    bool read = read_request(call, &watch, &status);

    if (!read)
        call_fail(call, &status);
    if (!read || !choose_form(call, &watch)) {
        selector_release(&watch.selector);
        return;
    }
    stream = stream_new(call, &watch);
    open_watch(stream, &watch);
    if (!stream->over)
        start_timers(stream, choose_timeout(rest, watch.timeout_seconds));
    call_answer_stream(call, "application/json", call->version->warning, &watch_ops, stream);
}
