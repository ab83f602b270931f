/* grants - what a write needs besides the right to write (WIRE.md A10, A11). */
#ifndef FAKEAPI_REST_GRANTS_H
#define FAKEAPI_REST_GRANTS_H

#include "controller/base/attributes.h"
#include "fakeapi/rest/write.h"

/** Whether an update that finds no object may create it. False: write->status. */
bool write_may_create(struct write *write) MUST_CHECK;
/** Whether tree, which replaces old (NULL: nothing), gives away no more than its writer holds: for
 * roles and bindings; other kinds give nothing. False: write->status. */
bool write_may_grant(struct write *write, const struct json_object *tree,
                     const struct json_object *old) MUST_CHECK;

#endif
