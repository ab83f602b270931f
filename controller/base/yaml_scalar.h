/* yaml_scalar - what a plain scalar means. For yaml*.c alone. */
#ifndef CONTROLLER_BASE_YAML_SCALAR_H
#define CONTROLLER_BASE_YAML_SCALAR_H

#include <json-c/json_object.h>
#include <stdbool.h>

#include "controller/base/attributes.h"

/** The null, boolean or number that a plain scalar is; false when it is a string. *ret_value is the
 * caller's; NULL for null. */
bool yaml_resolve_plain(const char *text, struct json_object **ret_value) MUST_CHECK;

#endif
