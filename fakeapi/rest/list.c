/* list - GET of one object and LIST of a collection: snapshots streamed as slices (WIRE.md G1 to
 * G3, L1 to L21). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/page.h"

enum list_stage { LIST_HEAD, LIST_ITEMS, LIST_TAIL, LIST_OVER };

struct list_stream {
    struct kind *kind; /* held */
    struct page page;
    struct selector selector;
    struct emit emit;
    char *head;
    enum list_stage stage;
    bool first;
};

/* --- the stream --- */

static void stream_free(void *arg)
{
    struct list_stream *stream = arg;

    selector_release(&stream->selector);
    store_snapshot_free(stream->page.snapshot);
    emit_release(&stream->emit);
    kind_unref(stream->kind);
    free(stream->head);
    free(stream);
}

/* Puts the next item into emit. False: there is none. */
static bool next_item(struct list_stream *stream)
{
    while (stream->page.next < stream->page.end) {
        const struct store_object *object =
            store_snapshot_object(stream->page.snapshot, stream->page.next++);

        if (!selector_matches(&stream->selector, object))
            continue;
        if (!stream->first)
            buffer_append_char(&stream->emit.head, ',');
        stream->first = false;
        emit_object(&stream->emit, object, 0);
        return true;
    }
    return false;
}

static bool next_part(struct list_stream *stream)
{
    emit_begin(&stream->emit);
    switch (stream->stage) {
    case LIST_HEAD:
        emit_text(&stream->emit, stream->head);
        stream->stage = LIST_ITEMS;
        return true;
    case LIST_ITEMS:
        if (next_item(stream))
            return true;
        stream->stage = LIST_TAIL;
        emit_begin(&stream->emit);
        /* fall through */
    case LIST_TAIL:
        emit_text(&stream->emit, "]}\n");
        stream->stage = LIST_OVER;
        return true;
    case LIST_OVER:
        break;
    }
    return false;
}

static enum body_pull pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct list_stream *stream = arg;
    size_t used = 0;

    while (used < room_size) {
        size_t copied = emit_copy(&stream->emit, room + used, room_size - used);

        used += copied;
        if (copied == 0 && !next_part(stream))
            break;
    }
    *ret_size = used;
    return used > 0 ? BODY_BYTES : BODY_END;
}

static const struct stream_ops list_ops = {.pull = pull, .free = stream_free};

/* --- the page --- */

static char *list_head(const struct call *call, const struct list_stream *stream)
{
    struct buffer head = BUFFER_INIT(1024 * 1024);
    size_t size;

    switch (stream->emit.form) {
    case FORM_TABLE:
        buffer_append_text(&head, "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",");
        break;
    case FORM_PARTIAL:
    case FORM_PARTIAL_LIST:
        buffer_append_text(&head, "{\"kind\":\"PartialObjectMetadataList\",\"apiVersion\":"
                                  "\"meta.k8s.io/v1\",");
        break;
    case FORM_PLAIN:
    case FORM_DISCOVERY:
        buffer_append_format(&head, "{\"kind\":\"%s\",\"apiVersion\":\"%s\",",
                             call->kind->list_kind, call->version->api_version);
        break;
    }
    page_append_metadata(&head, call, &stream->page, &stream->selector,
                         stream->emit.form == FORM_PLAIN);
    if (stream->emit.form == FORM_TABLE) {
        buffer_append_text(&head, "\"columnDefinitions\":");
        emit_columns(&head, call->version);
        buffer_append_text(&head, ",\"rows\":[");
    } else {
        buffer_append_text(&head, "\"items\":[");
    }
    return buffer_take(&head, &size);
}

static struct list_stream *list_stream_new(struct call *call, struct list_request *list,
                                           const struct page *page)
{
    struct list_stream *stream = xcalloc(1, sizeof(*stream));

    stream->kind = kind_ref(call->kind);
    stream->page = *page;
    stream->selector = list->selector;
    list->selector = (struct selector){0};
    stream->first = true;
    stream->emit.kind = call->kind;
    stream->emit.version = call->version;
    stream->emit.form = list->accept.form;
    stream->emit.object = list->object;
    stream->emit.list_item = true;
    stream->emit.now_us = runtime_wall_us(call->rest->rt);
    stream->head = list_head(call, stream);
    return stream;
}

/* Small ones are sent whole, and those that have to be made over. */
#define WHOLE_BYTES_MAX ((size_t)64 * 1024)
#define REFORMED_BYTES_MAX ((size_t)256 * 1024 * 1024)

/* All that the stream has; false when that is more than size_max (the stream is spent then). */
static bool collect(struct list_stream *stream, struct buffer *body)
{
    size_t size;
    char room[16 * 1024];

    while (pull(stream, room, sizeof(room), &size) == BODY_BYTES)
        buffer_append(body, room, size);
    return !body->overflowed;
}

/* A guess at the size, on the safe side for typical objects. */
static bool is_small(const struct list_stream *stream)
{
    size_t bytes = 0;

    for (size_t i = stream->page.next; i < stream->page.end && bytes <= WHOLE_BYTES_MAX; i++)
        bytes += store_snapshot_object(stream->page.snapshot, i)->bytes->size + 512;
    return bytes <= WHOLE_BYTES_MAX;
}

/* Streams are never compressed: what is to be must be whole (O6). */
static bool takes_gzip(const struct call *call)
{
    return strstr(text_or(call_header(call, "Accept-Encoding"), ""), "gzip") != NULL;
}

static void answer_list(struct call *call, const struct accept *accept, struct list_stream *stream)
{
    struct buffer body = BUFFER_INIT(REFORMED_BYTES_MAX);
    struct write warnings = {0};
    bool reformed = accept->yaml || call_wants_pretty(call, accept) || takes_gzip(call);

    if (!reformed && !is_small(stream)) {
        call_answer_stream(call, "application/json", call->version->warning, &list_ops, stream);
        return;
    }
    if (call->version->warning != NULL)
        write_warn(&warnings, "%s", call->version->warning);
    if (collect(stream, &body))
        call_answer_json(call, 200, accept, &warnings, body.bytes, body.size);
    else
        call_answer_text(call, 500, "text/plain; charset=utf-8",
                         "list is too large for this form\n");
    write_release(&warnings);
    buffer_release(&body);
    stream_free(stream);
}

void call_list(struct call *call)
{
    struct list_request list = {.limit = 0};
    struct rest_status status = {0};
    struct page page;
    const struct accept_offer offer = {.table = true, .partial = true};

    if (!call_accept(call, &offer, &list.accept))
        return;
    if (list.accept.form == FORM_PARTIAL) {
        rest_status_set(&status, 406, "NotAcceptable",
                        "you requested PartialObjectMetadata, but the requested object is a list "
                        "(*%s)",
                        call->kind->list_kind);
        call_fail(call, &status);
    } else if (!list_options_read(call, &list, &status) ||
               !page_open(call, &list, &page, &status)) {
        call_fail(call, &status);
    } else {
        answer_list(call, &list.accept, list_stream_new(call, &list, &page));
    }
    list_options_release(&list);
}

/* --- one object --- */

static void append_object(struct buffer *body, const struct call *call,
                          const struct list_request *get, const struct store_object *object)
{
    struct emit emit = {.kind = call->kind,
                        .version = call->version,
                        .form = get->accept.form,
                        .object = get->object,
                        .now_us = runtime_wall_us(call->rest->rt)};

    emit_begin(&emit);
    if (emit.form == FORM_TABLE) {
        buffer_append_format(&emit.head,
                             "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
                             "\"resourceVersion\":\"%" PRIu64 "\"},\"columnDefinitions\":",
                             object->revision);
        emit_columns(&emit.head, call->version);
        buffer_append_text(&emit.head, ",\"rows\":[");
    }
    emit_object(&emit, object, 0);
    emit_text(&emit, emit.form == FORM_TABLE ? "]}\n" : "\n");
    emit_append(&emit, body);
    emit_release(&emit);
}

static void answer_object(struct call *call, const struct list_request *get,
                          const struct store_object *object)
{
    struct buffer body = BUFFER_INIT(8 * REST_BODY_BYTES_MAX);
    struct write warnings = {0};

    append_object(&body, call, get, object);
    if (call->version->warning != NULL)
        write_warn(&warnings, "%s", call->version->warning);
    call_answer_json(call, 200, &get->accept, &warnings, body.bytes, body.size);
    write_release(&warnings);
    buffer_release(&body);
}

static const struct store_object *find_in_snapshot(const struct store_snapshot *snapshot,
                                                   const struct route *route)
{
    char *key = route->namespace[0] == '\0' ? xstrdup(route->name)
                                            : xprintf("%s/%s", route->namespace, route->name);
    size_t index = store_snapshot_find(snapshot, key);
    const struct store_object *object = NULL;

    if (index < store_snapshot_count(snapshot))
        object = store_snapshot_object(snapshot, index);
    if (object != NULL && strcmp(object->key, key) != 0)
        object = NULL;
    free(key);
    return object;
}

void call_get(struct call *call)
{
    struct list_request get = {.limit = 0};
    struct rest_status status = {0};
    struct rest_subject subject = {.group = call->kind->group,
                                   .plural = call->kind->plural,
                                   .kind = call->kind->kind,
                                   .name = call->route.name};
    const struct accept_offer offer = {.table = true, .partial = true};
    struct store_snapshot *snapshot = NULL;
    const struct store_object *object;
    uint64_t faulty = page_faulty_revision(call);

    if (!call_accept(call, &offer, &get.accept))
        return;
    if (!list_options_read_get(call, &get, &status)) {
        call_fail(call, &status);
        return;
    }
    if (faulty != 0)
        snapshot = page_stale_snapshot(call, faulty);
    object = snapshot != NULL
                 ? find_in_snapshot(snapshot, &call->route)
                 : store_get(call->kind->objects, call->route.namespace, call->route.name);
    if (object == NULL) {
        rest_status_not_found(&status, &subject);
        call_fail(call, &status);
    } else {
        answer_object(call, &get, object);
    }
    store_snapshot_free(snapshot);
}
