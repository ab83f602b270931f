/* parameter - spec.parameters: what runs are told (RULES.md 1.1, 1.4). */
#ifndef CONTROLLER_KINDS_PARAMETER_H
#define CONTROLLER_KINDS_PARAMETER_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

struct agent_parameter {
    char *name;
    char *value;
};

/** Reads the member "parameters" of a spec, in the order written: names are distinct. *ret_items
 * was NULL, and is the caller's also when this fails. ERROR_INVALID when it is no map of texts. */
bool parameters_read(const struct json_object *spec, struct agent_parameter **ret_items,
                     size_t *ret_count, struct error *err) MUST_CHECK;
void parameters_free(struct agent_parameter *items, size_t count);

#endif
