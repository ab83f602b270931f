/* sorted_keys - the members' names of an object in byte order. */
#include "controller/base/sorted_keys.h"

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

struct sorted_keys sorted_keys_of(const struct json_object *object)
{
    struct sorted_keys keys = {NULL, 0};

    keys.items = xcalloc((size_t)json_object_object_length(object), sizeof(*keys.items));
    json_object_object_foreach((struct json_object *)(uintptr_t)object, key, value)
    {
        (void)value;
        keys.items[keys.count++] = key;
    }
    qsort(keys.items, keys.count, sizeof(*keys.items), text_compare_items);
    return keys;
}

void sorted_keys_release(struct sorted_keys *keys)
{
    free(keys->items);
    *keys = (struct sorted_keys){NULL, 0};
}
