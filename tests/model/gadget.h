/* gadget - the schema of the model's custom kind, by hand (WIRE.md R10 to R20). */
#ifndef TESTS_MODEL_GADGET_H
#define TESTS_MODEL_GADGET_H

#include "tests/model/value.h"

extern const char gadget_definition[];

/** Drops what the schema does not know, and lists the paths of that in unknown (may be NULL). */
void gadget_prune(struct json_object *object, struct json_object *unknown);
void gadget_complete(struct json_object *object, const struct json_object *old);
/** The spec and the status. */
void gadget_check(struct json_object *object, const struct json_object *old,
                  struct json_object *causes);

#endif
