/* emit - pieces of items, in the form that was asked for. */
#include "fakeapi/rest/emit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "fakeapi/rest/cells.h"
#include "fakeapi/rest/revise.h"

#define PARTIAL_HEAD                                                                               \
    "{\"kind\":\"PartialObjectMetadata\",\"apiVersion\":\"meta.k8s.io/v1\",\"metadata\":"

void emit_release(struct emit *emit)
{
    buffer_release(&emit->head);
    store_object_unref(emit->held);
    emit->held = NULL;
}

void emit_begin(struct emit *emit)
{
    emit->piece_count = 0;
    emit->piece = 0;
    emit->offset = 0;
    if (emit->head.size_max == 0)
        emit->head = BUFFER_INIT(4 * CELLS_BYTES_MAX);
    buffer_clear(&emit->head);
    store_object_unref(emit->held);
    emit->held = NULL;
}

static void add_piece(struct emit *emit, const char *bytes, size_t size)
{
    assert(emit->piece_count < EMIT_PIECES_MAX);
    emit->pieces[emit->piece_count].bytes = bytes;
    emit->pieces[emit->piece_count].size = size;
    emit->piece_count++;
}

/* The head does not move any more once it is a piece. */
static void add_head(struct emit *emit)
{
    if (emit->piece_count == 0 && emit->head.size > 0)
        add_piece(emit, emit->head.bytes, emit->head.size);
}

void emit_text(struct emit *emit, const char *text)
{
    add_head(emit);
    add_piece(emit, text, strlen(text));
}

/* The object's bytes from..end, with another resourceVersion if asked. */
static void add_slice(struct emit *emit, const struct store_object *object, size_t from, size_t end,
                      uint64_t revision)
{
    const char *data = object->bytes->data;
    size_t after = object->at.revision_offset + object->at.revision_size;

    if (revision == 0) {
        add_piece(emit, data + from, end - from);
        return;
    }
    snprintf(emit->revision, sizeof(emit->revision), "%" PRIu64, revision);
    add_piece(emit, data + from, object->at.revision_offset - from);
    add_piece(emit, emit->revision, strlen(emit->revision));
    add_piece(emit, data + after, end - after);
}

static void add_whole(struct emit *emit, const struct store_object *object, uint64_t revision)
{
    add_slice(emit, object, object->at.members_offset, object->bytes->size, revision);
}

static void add_metadata(struct emit *emit, const struct store_object *object, uint64_t revision)
{
    add_slice(emit, object, object->at.metadata_offset,
              object->at.metadata_offset + object->at.metadata_size, revision);
}

static void append_prefix(struct emit *emit)
{
    buffer_append(&emit->head, emit->version->prefix, emit->version->prefix_size);
}

/* Pods that have ended say so (L17). */
static void append_row_conditions(struct emit *emit, const struct store_object *object)
{
    const char *phase = "";

    for (size_t i = 0; i < emit->kind->field_count && i < object->field_count; i++)
        if (strcmp(emit->kind->fields[i].label, "status.phase") == 0)
            phase = object->fields[i];
    if (strcmp(emit->kind->plural, "pods") != 0)
        return;
    if (strcmp(phase, "Succeeded") == 0)
        buffer_append_text(&emit->head,
                           "\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
                           "\"reason\":\"Succeeded\",\"message\":\"The pod has completed "
                           "successfully.\"}],");
    else if (strcmp(phase, "Failed") == 0)
        buffer_append_text(&emit->head,
                           "\"conditions\":[{\"type\":\"Completed\",\"status\":\"True\","
                           "\"reason\":\"Failed\",\"message\":\"The pod failed.\"}],");
}

static void add_row(struct emit *emit, const struct store_object *object, uint64_t revision)
{
    const struct bytes *cells = cells_of(object, emit->kind, emit->version);

    buffer_append_text(&emit->head, "{\"cells\":");
    cells_render(&emit->head, cells->data, cells->size, emit->now_us);
    buffer_append_char(&emit->head, ',');
    append_row_conditions(emit, object);
    buffer_append_text(&emit->head, "\"object\":");
    switch (emit->object) {
    case EMIT_METADATA:
        buffer_append_text(&emit->head, PARTIAL_HEAD);
        add_head(emit);
        add_metadata(emit, object, revision);
        emit_text(emit, "}}");
        break;
    case EMIT_WHOLE:
        append_prefix(emit);
        add_head(emit);
        add_whole(emit, object, revision);
        emit_text(emit, "}");
        break;
    case EMIT_NOTHING:
        buffer_append_text(&emit->head, "null}");
        add_head(emit);
        break;
    }
}

void emit_object(struct emit *emit, const struct store_object *object, uint64_t revision)
{
    if (emit->kind->revises) {
        object = revised(emit->kind, emit->version, object);
        emit->held = store_object_ref(object);
    }
    switch (emit->form) {
    case FORM_TABLE:
        add_row(emit, object, revision);
        return;
    case FORM_PARTIAL:
    case FORM_PARTIAL_LIST:
        buffer_append_text(&emit->head, PARTIAL_HEAD);
        add_head(emit);
        add_metadata(emit, object, revision);
        emit_text(emit, "}");
        return;
    case FORM_PLAIN:
    case FORM_DISCOVERY:
        break;
    }
    if (emit->list_item && emit->kind->row != NULL)
        buffer_append_char(&emit->head, '{');
    else
        append_prefix(emit);
    add_head(emit);
    add_whole(emit, object, revision);
}

size_t emit_copy(struct emit *emit, char *room, size_t room_size)
{
    size_t used = 0;

    while (emit->piece < emit->piece_count && used < room_size) {
        size_t left = emit->pieces[emit->piece].size - emit->offset;
        size_t size = left < room_size - used ? left : room_size - used;

        memcpy(room + used, emit->pieces[emit->piece].bytes + emit->offset, size);
        used += size;
        emit->offset += size;
        if (size == left) {
            emit->piece++;
            emit->offset = 0;
        }
    }
    return used;
}

void emit_append(const struct emit *emit, struct buffer *buffer)
{
    size_t size = 0;

    for (size_t i = 0; i < emit->piece_count; i++)
        size += emit->pieces[i].size;
    (void)buffer_reserve(buffer, size);
    for (size_t i = 0; i < emit->piece_count; i++)
        buffer_append(buffer, emit->pieces[i].bytes, emit->pieces[i].size);
}

static void append_member(struct buffer *buffer, const char *name, const char *value)
{
    buffer_append_char(buffer, '"');
    buffer_append_text(buffer, name);
    buffer_append_text(buffer, "\":");
    json_append_quoted(buffer, value, strlen(value));
    buffer_append_char(buffer, ',');
}

void emit_columns(struct buffer *buffer, const struct kind_version *version)
{
    buffer_append_char(buffer, '[');
    for (size_t i = 0; i < version->column_count; i++) {
        const struct served_column *column = &version->columns[i];

        buffer_append_text(buffer, i > 0 ? ",{" : "{");
        append_member(buffer, "name", column->name);
        append_member(buffer, "type", column->type);
        append_member(buffer, "format", column->format);
        append_member(buffer, "description", column->description);
        buffer_append_format(buffer, "\"priority\":%d}", column->priority);
    }
    buffer_append_char(buffer, ']');
}
