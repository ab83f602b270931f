/* writes - what creates and updates have in common: bodies on their way in, and metadata. */
#ifndef TESTS_MODEL_WRITES_H
#define TESTS_MODEL_WRITES_H

#include "tests/model/model.h"

/** What the query and the head of a body are told; NULL when they are good. */
struct json_object *check_options(const struct ask *ask, const char *options);
struct json_object *check_head(const struct ask *ask, const struct json_object *body);
/** Drops fields that the kind does not know. Under Strict that is refused; under Warn, which is the
 * default, it is told (C4). */
struct json_object *drop_unknown(const struct ask *ask, struct json_object *object,
                                 struct answer *answer);
/** Whether the namespace takes a write: NULL, or why not (C9, C10). */
struct json_object *check_namespace(const struct model *model, const struct ask *ask,
                                    const char *name, bool create);
/** Fits the body's namespace to the request's; NULL, or why not (C8). */
struct json_object *fit_namespace(const struct ask *ask, struct json_object *object);
/** What defaults, empty members and the kind make of a decoded object. */
void complete(const struct kind *kind, struct json_object *object, const struct json_object *old);
/** 422 for all that is wrong with it; NULL when nothing is. old is NULL for a create. */
struct json_object *check_object(const struct kind *kind, struct json_object *object,
                                 const struct json_object *old);
/** Warns of finalizers that old (may be NULL) did not have (C16). */
void warn_of_finalizers(const struct kind *kind, const struct json_object *object,
                        const struct json_object *old, struct answer *answer);
bool is_dry(const struct ask *ask);
/** "2024-06-01T00:00:00Z" */
void put_time(struct json_object *object, const char *key, int64_t at_us);

#endif
