#include "fakeapi/patch/go_value.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

/* Members in the order of their names. */
static void append_map(struct buffer *text, const struct json_object *map)
{
    size_t count = (size_t)json_object_object_length(map);
    const char **names = xcalloc(count, sizeof(*names));
    struct json_object_iter at;
    size_t used = 0;

    json_object_object_foreachC(map, at) names[used++] = at.key;
    qsort(names, count, sizeof(*names), compare_names);
    buffer_append_text(text, "map[");
    for (size_t i = 0; i < count; i++) {
        buffer_append_format(text, "%s%s:", i == 0 ? "" : " ", names[i]);
        go_value_append(text, json_get(map, names[i]));
    }
    buffer_append_char(text, ']');
    free(names);
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
