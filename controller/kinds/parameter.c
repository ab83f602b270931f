#include "controller/kinds/parameter.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/kinds/field.h"

bool parameters_read(const struct json_object *spec, struct agent_parameter **ret_items,
                     size_t *ret_count, struct error *err)
{
    struct json_object *map = NULL;

    if (!field_object(spec, "parameters", &map, err))
        return false;
    if (map == NULL)
        return true;

    struct json_object_iterator at = json_object_iter_begin(map);
    struct json_object_iterator end = json_object_iter_end(map);

    *ret_items = xcalloc((size_t)json_object_object_length(map) + 1, sizeof(**ret_items));
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *value = json_text(json_object_iter_peek_value(&at));

        if (value == NULL)
            return error_set(err, ERROR_INVALID, "parameters.%s is not a string",
                             json_object_iter_peek_name(&at));
        (*ret_items)[(*ret_count)++] = (struct agent_parameter){
            .name = xstrdup(json_object_iter_peek_name(&at)), .value = xstrdup(value)};
    }
    return true;
}

void parameters_free(struct agent_parameter *items, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(items[i].name);
        free(items[i].value);
    }
    free(items);
}
