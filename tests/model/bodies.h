/* bodies - random objects, and random changes of objects. */
#ifndef TESTS_MODEL_BODIES_H
#define TESTS_MODEL_BODIES_H

#include "tests/model/model.h"
#include "tests/model/random.h"

/** A body to create an object from, without a name. */
struct json_object *draw_object(struct random *random, const struct kind *kind);
/** Changes an object that is to be sent back: nothing, a little, or much. */
void draw_change(struct random *random, const struct kind *kind, struct json_object *object);
struct json_object *draw_merge(struct random *random, const struct kind *kind, const char *sub);
struct json_object *draw_operations(struct random *random, const struct kind *kind, const char *sub,
                                    const char *revision);
/** One of the names in use, or one that is no name. */
const char *draw_name(struct random *random, const struct kind *kind);

#endif
