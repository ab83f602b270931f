/* strategic - strategic merge patches of built-in kinds: lists merge by key, with directives.
 *
 * Rules of the wire: fakeapi/WIRE.md P13 to P20. Errors as in patch.h, and ERROR_INTERNAL: a 500
 * without a reason, whose message is the text (P19). */
#ifndef FAKEAPI_PATCH_STRATEGIC_H
#define FAKEAPI_PATCH_STRATEGIC_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Longest list that is merged item by item; every item is compared with every other. */
#define STRATEGIC_ITEMS_MAX 2000

/** Applies a patch, which must be an object, to an object of that kind ("Service": its ports go by
 * another key than a container's). json_object_put() the result. */
bool patch_apply_strategic(const struct json_object *document, const struct json_object *patch,
                           const char *kind, struct json_object **ret_result,
                           struct error *err) MUST_CHECK;

#endif
