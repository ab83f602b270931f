/* revise - stored objects as they are read, where that is not as they are stored: built-in kinds
 * that are another's under other names (kind_row.twin), and those of custom kinds, pruned and given
 * defaults by the schemas of the day (WIRE.md R6, R10).
 *
 * Almost no kind ever needs it: objects are stored as its schema has them. Only where that has
 * changed since, or versions differ, is an object looked at again; what comes of it is kept with
 * the object until it is read by another version or schema. */
#ifndef FAKEAPI_REST_REVISE_H
#define FAKEAPI_REST_REVISE_H

#include "controller/base/json.h"
#include "fakeapi/rest/kinds.h"

/** Notes whether objects of kind may have to be revised; before is the row that it replaces, or
 * NULL. */
void revise_note_schemas(struct kind *kind, const struct kind *before);

/** The object as version shows it: often itself. Borrowed from object, until it is read by another
 * version. */
const struct store_object *revised(const struct kind *kind, const struct kind_version *version,
                                   const struct store_object *object);
/** The same as a tree; json_object_put() it. */
struct json_object *revised_parse(const struct kind *kind, const struct kind_version *version,
                                  const struct store_object *object) MUST_CHECK;
/** What of a tree, written through version, can be stored. */
void revise_for_storage(const struct kind *kind, const struct kind_version *version,
                        struct json_object *tree);

#endif
