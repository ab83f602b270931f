/* patch - JSON patch (RFC 6902) and JSON merge patch (RFC 7386) over trees.
 *
 * Pure functions: the document and the patch are read, the result is a new tree of the caller's.
 * Rules of the wire: fakeapi/WIRE.md P8 to P12.
 *
 * Error kinds, and what they are to a client:
 * - ERROR_MALFORMED: no patch at all, 400; the text goes behind "error decoding patch: " (P8, P12).
 * - ERROR_TOO_LARGE: more operations, or more work, than are allowed, 413; the text goes behind
 *   "Request entity too large: " (P8).
 * - ERROR_INVALID: it does not apply, 422 with the one constant message of P9; the text is for logs
 *   and tests alone. */
#ifndef FAKEAPI_PATCH_PATCH_H
#define FAKEAPI_PATCH_PATCH_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Most operations of one JSON patch (P8). */
#define PATCH_OPERATIONS_MAX 10000

/** Most bytes, as compact JSON, that all copy operations of one patch may add up to (P8). */
#define PATCH_COPY_BYTES_MAX (3 * 1024 * 1024)

/** Most steps of one JSON patch: elements of lists that are shifted, and values that are looked
 * through because they move. A list of a million shifted ten thousand times would take minutes. */
#define PATCH_STEPS_MAX ((size_t)20 * 1000 * 1000)

/** Applies a list of operations, all or nothing. document may be NULL (the JSON null).
 * *ret_result may be NULL likewise; json_object_put() it. */
bool patch_apply_operations(const struct json_object *document,
                            const struct json_object *operations, struct json_object **ret_result,
                            struct error *err) MUST_CHECK;

/** Applies a merge patch, which must be an object (P12): null deletes, objects merge, all else
 * replaces; nulls inside what is newly added are dropped. json_object_put() the result. */
bool patch_apply_merge(const struct json_object *document, const struct json_object *patch,
                       struct json_object **ret_result, struct error *err) MUST_CHECK;

#endif
