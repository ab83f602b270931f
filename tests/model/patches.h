/* patches - JSON merge patches (RFC 7386) and JSON patches (RFC 6902), from the RFCs. */
#ifndef TESTS_MODEL_PATCHES_H
#define TESTS_MODEL_PATCHES_H

#include "tests/model/value.h"

/** The target as the merge patch makes it. */
struct json_object *merge_patch(const struct json_object *target, const struct json_object *patch);
/** The target as the operations make it; NULL when one of them fails. */
struct json_object *json_patch(const struct json_object *target,
                               const struct json_object *operations);

#endif
