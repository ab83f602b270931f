/* json_build - json-c's tree of a text that has passed the gate. For json.c alone.
 *
 * json-c's own tokener reads one character at a time, at a twelfth of the scanner's speed. What it
 * would build is built here: fuzz/json.c holds the two against each other. */
#ifndef CONTROLLER_BASE_JSON_BUILD_H
#define CONTROLLER_BASE_JSON_BUILD_H

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"

/** The tree of a value's size bytes, space around it allowed; NULL for the JSON null. repeats says
 * that keys may repeat: the last counts. */
struct json_object *json_build(const char *bytes, size_t size, bool repeats) MUST_CHECK;

/** Likewise, without the lists whose keys are among names, at any depth. */
struct json_object *json_build_without(const char *bytes, size_t size, const char *const *names,
                                       size_t name_count) MUST_CHECK;

#endif
