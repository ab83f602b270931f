#include "controller/kinds/field.h"

#include <stdlib.h>

#include "controller/base/memory.h"

static char **text_at(void *base, size_t offset)
{
    return (char **)(void *)((char *)base + offset);
}

bool field_texts(const struct json_object *object, const struct field_key *keys, size_t count,
                 void *into, struct error *err)
{
    for (size_t i = 0; i < count; i++) {
        if (!field_text(object, keys[i].key, text_at(into, keys[i].offset), err))
            return false;
    }
    return true;
}

void field_texts_release(const struct field_key *keys, size_t count, void *from)
{
    for (size_t i = 0; i < count; i++) {
        char **text = text_at(from, keys[i].offset);

        free(*text);
        *text = NULL;
    }
}

bool field_text(const struct json_object *object, const char *key, char **ret_text,
                struct error *err)
{
    struct json_object *value = json_get(object, key);
    const char *text = json_text(value);

    if (value != NULL && text == NULL)
        return error_set(err, ERROR_INVALID, "%s is not a string", key);
    *ret_text = xstrdup(text == NULL ? "" : text);
    return true;
}

/* A double that is a whole number, as a schema's integer allows. */
static bool whole_number(const struct json_object *value, int64_t *ret_value)
{
    double number = json_object_get_double(value);

    if (!(number >= -9007199254740992.0 && number <= 9007199254740992.0))
        return false;
    *ret_value = (int64_t)number;
    return (double)*ret_value == number;
}

bool field_int64(const struct json_object *object, const char *key, int64_t fallback,
                 int64_t *ret_value, struct error *err)
{
    struct json_object *value = json_get(object, key);

    if (value == NULL) {
        *ret_value = fallback;
        return true;
    }
    if (json_is(value, json_type_int)) {
        *ret_value = json_object_get_int64(value);
        return true;
    }
    if (!json_is(value, json_type_double) || !whole_number(value, ret_value))
        return error_set(err, ERROR_INVALID, "%s is not an integer", key);
    return true;
}

bool field_bool(const struct json_object *object, const char *key, bool *ret_value,
                struct error *err)
{
    struct json_object *value = json_get(object, key);

    if (value != NULL && !json_is(value, json_type_boolean))
        return error_set(err, ERROR_INVALID, "%s is not a boolean", key);
    *ret_value = json_get_bool(object, key, false);
    return true;
}

bool field_object(const struct json_object *object, const char *key,
                  struct json_object **ret_object, struct error *err)
{
    struct json_object *value = json_get(object, key);

    if (value != NULL && !json_is(value, json_type_object))
        return error_set(err, ERROR_INVALID, "%s is not an object", key);
    *ret_object = value;
    return true;
}

static bool array_of(const struct json_object *object, const char *key,
                     struct json_object **ret_array, size_t *ret_count, struct error *err)
{
    struct json_object *value = json_get(object, key);

    if (value != NULL && !json_is(value, json_type_array))
        return error_set(err, ERROR_INVALID, "%s is not an array", key);
    *ret_array = value;
    *ret_count = value == NULL ? 0 : json_object_array_length(value);
    return true;
}

bool field_objects(const struct json_object *object, const char *key,
                   struct json_object **ret_array, size_t *ret_count, struct error *err)
{
    if (!array_of(object, key, ret_array, ret_count, err))
        return false;
    for (size_t i = 0; i < *ret_count; i++) {
        if (!json_is(json_object_array_get_idx(*ret_array, i), json_type_object))
            return error_set(err, ERROR_INVALID, "%s[%zu] is not an object", key, i);
    }
    return true;
}

bool field_text_list(const struct json_object *object, const char *key, struct text_list *ret_list,
                     struct error *err)
{
    struct json_object *array;
    size_t count;

    if (!array_of(object, key, &array, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        const char *text = json_text(json_object_array_get_idx(array, i));

        if (text == NULL)
            return error_set(err, ERROR_INVALID, "%s[%zu] is not a string", key, i);
        text_list_add(ret_list, text);
    }
    return true;
}
