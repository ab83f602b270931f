/* scale - the scale subresource: an autoscaling/v1 Scale of three fields of an object, of a custom
 * kind or a built-in one (WIRE.md R22). */
#ifndef FAKEAPI_REST_SCALE_H
#define FAKEAPI_REST_SCALE_H

#include "controller/base/json.h"
#include "fakeapi/rest/call.h"

/** What is at a path like ".spec.replicas"; NULL when nothing is. */
struct json_object *scale_value(const struct json_object *tree, const char *path);

/** GET, PUT and PATCH of a scale. */
void call_scale(struct call *call);

#endif
