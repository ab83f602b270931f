/* jsonpath - the part of JSONPath that printer columns use (L20). */
#ifndef FAKEAPI_REST_JSONPATH_H
#define FAKEAPI_REST_JSONPATH_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Longest path, in bytes, and most steps of one. */
#define JSONPATH_BYTES_MAX 1024
#define JSONPATH_STEPS_MAX 64

struct jsonpath;

/** Compiles ".status.conditions[?(@.type=="Ready")].status", ".a['b.c'][0]", ".list[*].name". A dot
 * in a name is written "\.". ERROR_MALFORMED says where. */
bool jsonpath_new(const char *text, struct jsonpath **ret_path, struct error *err) MUST_CHECK;
void jsonpath_free(struct jsonpath *path);

/** The first value at that path of a text that has passed the gate; without bytes when there is
 * none, or null. */
struct json_slice jsonpath_find(const struct jsonpath *path, struct json_slice value);

/** The name that a path begins with; NULL when it begins with anything else. */
const char *jsonpath_first_name(const struct jsonpath *path);
/** As jsonpath_find(), given the member of that name. */
struct json_slice jsonpath_find_below(const struct jsonpath *path, struct json_slice member);

#endif
