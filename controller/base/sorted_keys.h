/* sorted_keys - the members' names of an object in byte order. */
#ifndef CONTROLLER_BASE_SORTED_KEYS_H
#define CONTROLLER_BASE_SORTED_KEYS_H

#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

struct sorted_keys {
    const char **items; /* borrowed from the object, which must not change meanwhile */
    size_t count;
};

struct sorted_keys sorted_keys_of(const struct json_object *object) MUST_CHECK;
void sorted_keys_release(struct sorted_keys *keys);

#endif
