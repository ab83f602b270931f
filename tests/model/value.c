#include "tests/model/value.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PATH_MAX_SIZE 256

struct json_object *value_parse(const char *text, size_t size)
{
    struct json_tokener *reader = json_tokener_new();
    struct json_object *tree = json_tokener_parse_ex(reader, text, (int)size);
    size_t end = json_tokener_get_parse_end(reader);
    bool whole;

    if (json_tokener_get_error(reader) == json_tokener_continue) /* a number: does it go on? */
        tree = json_tokener_parse_ex(reader, "", 1);
    whole = json_tokener_get_error(reader) == json_tokener_success;

    while (end < size && (text[end] == '\n' || text[end] == ' '))
        end++;
    json_tokener_free(reader);
    if (whole && end == size)
        return tree;
    json_object_put(tree);
    return NULL;
}

struct json_object *value_of(const char *text)
{
    char *copy = strdup(text);
    struct json_object *tree;

    for (char *at = copy; *at != '\0'; at++)
        if (*at == '\'')
            *at = '"';
    tree = value_parse(copy, strlen(copy));
    assert(tree != NULL || strcmp(text, "null") == 0);
    free(copy);
    return tree;
}

/* json-c takes what it only reads without const. */
static struct json_object *unlocked(const struct json_object *tree)
{
    struct json_object *same;

    memcpy(&same, &tree, sizeof(same));
    return same;
}

struct json_object *value_copy(const struct json_object *tree)
{
    struct json_object *copy = NULL;

    if (tree != NULL)
        (void)json_object_deep_copy(unlocked(tree), &copy, NULL);
    return copy;
}

bool value_equal(const struct json_object *a, const struct json_object *b)
{
    return json_object_equal(unlocked(a), unlocked(b)) != 0;
}

bool value_is(const struct json_object *tree, enum json_type type)
{
    return tree != NULL && json_object_is_type(tree, type) != 0;
}

struct json_object *value_get(const struct json_object *tree, const char *key)
{
    struct json_object *value = NULL;

    if (value_is(tree, json_type_object))
        (void)json_object_object_get_ex(tree, key, &value);
    return value;
}

struct json_object *value_at(const struct json_object *tree, const char *path)
{
    char key[PATH_MAX_SIZE];
    size_t size = strcspn(path, ".");

    assert(size < sizeof(key));
    memcpy(key, path, size);
    key[size] = '\0';
    if (path[size] == '\0')
        return value_get(tree, key);
    return value_at(value_get(tree, key), path + size + 1);
}

const char *value_string(const struct json_object *value)
{
    return value_is(value, json_type_string) ? json_object_get_string(unlocked(value)) : "";
}

const char *value_text(const struct json_object *tree, const char *path)
{
    return value_string(value_at(tree, path));
}

int64_t value_int(const struct json_object *tree, const char *path, int64_t otherwise)
{
    struct json_object *value = value_at(tree, path);

    return value_is(value, json_type_int) ? json_object_get_int64(value) : otherwise;
}

size_t value_length(const struct json_object *list)
{
    return value_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

struct json_object *value_item(const struct json_object *list, size_t index)
{
    return json_object_array_get_idx(list, index);
}

bool value_lists(const struct json_object *list, const char *text)
{
    for (size_t i = 0; i < value_length(list); i++)
        if (value_is(value_item(list, i), json_type_string) &&
            strcmp(json_object_get_string(value_item(list, i)), text) == 0)
            return true;
    return false;
}

void value_put(struct json_object *object, const char *key, struct json_object *value)
{
    (void)json_object_object_add(object, key, value);
}

void value_put_text(struct json_object *object, const char *key, const char *value)
{
    value_put(object, key, json_object_new_string(value));
}

void value_put_int(struct json_object *object, const char *key, int64_t value)
{
    value_put(object, key, json_object_new_int64(value));
}

void value_add(struct json_object *list, struct json_object *value)
{
    (void)json_object_array_add(list, value);
}

void value_add_text(struct json_object *list, const char *value)
{
    value_add(list, json_object_new_string(value));
}

void value_drop(struct json_object *object, const char *key)
{
    if (value_is(object, json_type_object))
        json_object_object_del(object, key);
}

struct json_object *value_within(struct json_object *object, const char *key)
{
    struct json_object *value = value_get(object, key);

    if (value_is(value, json_type_object))
        return value;
    value = json_object_new_object();
    value_put(object, key, value);
    return value;
}

void value_keep(struct json_object *to, const struct json_object *from, const char *key)
{
    struct json_object *value = value_get(from, key);

    if (value == NULL)
        value_drop(to, key);
    else
        value_put(to, key, value_copy(value));
}

void value_drop_if_empty(struct json_object *object, const char *key)
{
    struct json_object *value = value_get(object, key);

    if ((value_is(value, json_type_object) && json_object_object_length(value) == 0) ||
        (value_is(value, json_type_array) && json_object_array_length(value) == 0) ||
        (value_is(value, json_type_string) && json_object_get_string_len(value) == 0) ||
        value == NULL)
        value_drop(object, key);
}

char *format(const char *text, ...)
{
    char *result;
    va_list values;
    int size;

    va_start(values, text);
    size = vsnprintf(NULL, 0, text, values);
    va_end(values);
    result = malloc((size_t)size + 1);
    assert(result != NULL);
    va_start(values, text);
    (void)vsnprintf(result, (size_t)size + 1, text, values);
    va_end(values);
    return result;
}
