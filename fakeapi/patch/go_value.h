/* go_value - decoded JSON as Go prints it with %v, for the patcher's messages. */
#ifndef FAKEAPI_PATCH_GO_VALUE_H
#define FAKEAPI_PATCH_GO_VALUE_H

#include "controller/base/buffer.h"
#include "controller/base/json.h"

/** Appends "map[a:1 b:[x y]]", "<nil>", a text without quotes. */
void go_value_append(struct buffer *text, const struct json_object *value);

#endif
