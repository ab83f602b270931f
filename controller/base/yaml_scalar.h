/* yaml_scalar - what the scalars of YAML mean. For yaml*.c alone. */
#ifndef CONTROLLER_BASE_YAML_SCALAR_H
#define CONTROLLER_BASE_YAML_SCALAR_H

#include <json-c/json_object.h>
#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"

/** The null, boolean or number that a plain scalar is; false when it is a string. *ret_value is the
 * caller's; NULL for null. */
bool yaml_resolve_plain(const char *text, struct json_object **ret_value) MUST_CHECK;

/** Reads the size bytes between single quotes (YAML 1.2.2, 7.3.2; lines end in "\n") into out,
 * which has room for as many; returns how many it were. libfyaml leaks memory over such a scalar
 * with many quotes. */
size_t yaml_read_single_quoted(const char *inside, size_t size, char *out);

#endif
