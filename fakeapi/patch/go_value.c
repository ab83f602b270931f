#include "fakeapi/patch/go_value.h"

#include <json-c/json.h>

#include "controller/base/sorted_keys.h"

/* Members in the order of their names. */
static void append_map(struct buffer *text, const struct json_object *map)
{
    struct sorted_keys names = sorted_keys_of(map);

    buffer_append_text(text, "map[");
    for (size_t i = 0; i < names.count; i++) {
        buffer_append_format(text, "%s%s:", i == 0 ? "" : " ", names.items[i]);
        go_value_append(text, json_get(map, names.items[i]));
    }
    buffer_append_char(text, ']');
    sorted_keys_release(&names);
}

static void append_list(struct buffer *text, const struct json_object *list)
{
    buffer_append_char(text, '[');
    for (size_t i = 0; i < json_object_array_length(list); i++) {
        if (i > 0)
            buffer_append_char(text, ' ');
        go_value_append(text, json_object_array_get_idx(list, i));
    }
    buffer_append_char(text, ']');
}

void go_value_append(struct buffer *text, const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        buffer_append_text(text, "<nil>");
        break;
    case json_type_object:
        append_map(text, value);
        break;
    case json_type_array:
        append_list(text, value);
        break;
    case json_type_string:
        buffer_append(text, json_object_get_string((struct json_object *)(uintptr_t)value),
                      (size_t)json_object_get_string_len(value));
        break;
    case json_type_boolean:
    case json_type_int:
    case json_type_double:
        json_append(text, value);
        break;
    }
}
