/* decode - what a body must be before anything else is looked at (WIRE.md C2 to C4, R10, R11). */
#ifndef FAKEAPI_REST_DECODE_H
#define FAKEAPI_REST_DECODE_H

#include "fakeapi/rest/write.h"

enum body_form { BODY_JSON, BODY_YAML };

/** Bytes into an object; 400 when they are none. kind and version are words for messages. */
bool decode_body(const void *bytes, size_t size, enum body_form form, const struct kind *kind,
                 const struct kind_version *version, struct json_object **ret_tree,
                 struct rest_status *status) MUST_CHECK;

#endif
