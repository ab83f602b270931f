/* emit - stored objects on their way out: slices of their bytes, never a copy of them.
 *
 * An item is a few pieces of memory in order: texts made here and slices of an object that the
 * caller holds for as long as the item is being copied out. */
#ifndef FAKEAPI_REST_EMIT_H
#define FAKEAPI_REST_EMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "fakeapi/rest/accept.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/store/store.h"

#define EMIT_PIECES_MAX 10

enum emit_object { EMIT_METADATA, EMIT_WHOLE, EMIT_NOTHING };

struct emit {
    /* how; set by the owner */
    const struct kind *kind;
    const struct kind_version *version;
    enum accept_form form;
    enum emit_object object; /* of a Table row: includeObject (L12) */
    bool list_item;          /* without kind and apiVersion where the kind's lists have none (G3) */
    int64_t now_us;          /* wall time, for ages */

    /* the item at hand */
    struct {
        const char *bytes;
        size_t size;
    } pieces[EMIT_PIECES_MAX];
    size_t piece_count;
    size_t piece;  /* being copied */
    size_t offset; /* within it */
    struct buffer head;
    char revision[24];
    const struct store_object *held; /* where the pieces are; or NULL */
};

void emit_release(struct emit *emit);

/** Forgets the item; texts for the new one's beginning go into emit->head. */
void emit_begin(struct emit *emit);
/** Adds the object in its form, behind the head. revision replaces its own unless 0. */
void emit_object(struct emit *emit, const struct store_object *object, uint64_t revision);
/** Adds constant bytes, or the head when nothing was added yet. */
void emit_text(struct emit *emit, const char *text);
/** Copies what fits; how much it was. 0: the item is over. */
size_t emit_copy(struct emit *emit, char *room, size_t room_size);
/** Appends all of the item. */
void emit_append(const struct emit *emit, struct buffer *buffer);

/** Appends columnDefinitions' value (L11). */
void emit_columns(struct buffer *buffer, const struct kind_version *version);

#endif
