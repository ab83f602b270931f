/* watch_lines - lines of a watch, in the form that was asked for. */
#include <inttypes.h>
#include <string.h>

#include "fakeapi/rest/watch_stream.h"

/* {"type":"ADDED","object":...}, the head of it in emit->head. */
static void begin_line(struct watch_stream *stream, const char *type)
{
    emit_begin(&stream->emit);
    buffer_append_format(&stream->emit.head, "{\"type\":\"%s\",\"object\":", type);
}

static void begin_table(struct watch_stream *stream, uint64_t revision)
{
    buffer_append_format(&stream->emit.head,
                         "{\"kind\":\"Table\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":{"
                         "\"resourceVersion\":\"%" PRIu64 "\"},\"columnDefinitions\":",
                         revision);
    if (stream->columns_sent)
        buffer_append_text(&stream->emit.head, "null");
    else
        emit_columns(&stream->emit.head, stream->emit.version);
    stream->columns_sent = true;
    buffer_append_text(&stream->emit.head, ",\"rows\":[");
}

/* revision is the deletion's for DELETED; 0: the object's own. */
void watch_emit_event(struct watch_stream *stream, const char *type,
                      const struct store_object *object, uint64_t revision)
{
    bool table = stream->emit.form == FORM_TABLE;

    begin_line(stream, type);
    if (table)
        begin_table(stream, revision == 0 ? object->revision : revision);
    emit_object(&stream->emit, object, revision);
    emit_text(&stream->emit, table ? "]}}\n" : "}\n");
}

static void append_bookmark_object(struct watch_stream *stream, uint64_t revision, bool initial_end)
{
    struct buffer *head = &stream->emit.head;

    if (stream->emit.form == FORM_PLAIN)
        buffer_append(head, stream->emit.version->prefix, stream->emit.version->prefix_size);
    else
        buffer_append_text(head, "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":"
                                 "\"meta.k8s.io/v1\",");
    buffer_append_format(
        head, "\"metadata\":{\"resourceVersion\":\"%" PRIu64 "\",\"creationTimestamp\":null",
        revision);
    if (initial_end)
        buffer_append_text(head, ",\"annotations\":{\"k8s.io/initial-events-end\":\"true\"}");
    buffer_append_char(head, '}');
    if (stream->emit.form == FORM_PLAIN && strcmp(stream->kind->kind, "Pod") == 0)
        buffer_append_text(head, ",\"spec\":{\"containers\":null},\"status\":{}");
    buffer_append_char(head, '}');
}

void watch_emit_bookmark(struct watch_stream *stream, bool initial_end)
{
    uint64_t revision = store_watch_revision(stream->watch);

    begin_line(stream, "BOOKMARK");
    if (stream->emit.form == FORM_TABLE) {
        begin_table(stream, revision);
        buffer_append_text(&stream->emit.head, "{\"cells\":[],\"object\":");
        append_bookmark_object(stream, revision, initial_end);
        emit_text(&stream->emit, "}]}}\n");
        return;
    }
    append_bookmark_object(stream, revision, initial_end);
    emit_text(&stream->emit, "}\n");
}

void watch_emit_error(struct watch_stream *stream, unsigned code, const char *reason,
                      const char *message)
{
    struct rest_status status = {0};

    rest_status_set(&status, code, reason, "%s", message);
    begin_line(stream, "ERROR");
    rest_status_append(&status, &stream->emit.head);
    emit_text(&stream->emit, "}\n");
    rest_status_release(&status);
    stream->over = true;
}
