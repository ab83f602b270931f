/* cells - the cells of a Table row as JSON text, rendered once per object and kept.
 *
 * Ages change while the object does not: in the text an age is a mark that holds an instant, and
 * becomes words when the row is sent. Rules: WIRE.md L14 to L20. */
#ifndef FAKEAPI_REST_CELLS_H
#define FAKEAPI_REST_CELLS_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "fakeapi/rest/kinds.h"

/** Most bytes of one row's cells. */
#define CELLS_BYTES_MAX ((size_t)256 * 1024)

/** Cells being written, in order. */
struct cells {
    struct buffer text;
    size_t count;
};

void cells_add_text(struct cells *cells, const char *text);
void cells_add_format(struct cells *cells, const char *format, ...) PRINTF_LIKE(2, 3);
void cells_add_number(struct cells *cells, int64_t number);
/** metadata.name. */
void cells_add_name(struct cells *cells, const struct json_object *tree);
/** The age by metadata.creationTimestamp. */
void cells_add_created(struct cells *cells, const struct json_object *tree);
/** "<none>" for NULL and "". */
void cells_add_or_none(struct cells *cells, const char *text);
/** How long ago a timestamp is; "<unknown>" when timestamp is NULL, "<invalid>" when it is none. */
void cells_add_age(struct cells *cells, const char *timestamp);
/** "before 5m after" around the age of an instant. */
void cells_add_age_within(struct cells *cells, const char *before, int64_t at_us,
                          const char *after);

/** Whether a status has a condition of that type that is True. */
bool cells_has_condition(const struct json_object *status, const char *type);

/** Appends the age of an instant at now_us in Kubernetes' words (L15): "95s", "3m5s", "5d3h". */
void cells_append_age(struct buffer *buffer, int64_t at_us, int64_t now_us);

/** Appends cells as an array, ages in words. */
void cells_render(struct buffer *buffer, const char *text, size_t size, int64_t now_us);

/** The cells of an object for a version's columns, from its cache or made now. Borrowed. */
const struct bytes *cells_of(const struct store_object *object, const struct kind *kind,
                             const struct kind_version *version);

#endif
