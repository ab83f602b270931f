#include "tests/model/patches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define TOKEN_SIZE 128

/* RFC 7386, section 2, as it stands there. */
struct json_object *merge_patch(const struct json_object *target, const struct json_object *patch)
{
    struct json_object *result;

    if (!value_is(patch, json_type_object))
        return value_copy(patch);
    result = value_is(target, json_type_object) ? value_copy(target) : json_object_new_object();
    json_object_object_foreach(patch, name, value)
    {
        if (value == NULL)
            value_drop(result, name);
        else
            value_put(result, name, merge_patch(value_get(result, name), value));
    }
    return result;
}

/* --- RFC 6902, with the pointers of RFC 6901 --- */

/* Cuts the last token off pointer, in place, and decodes it. */
static void take_last(char *pointer, char token[TOKEN_SIZE])
{
    char *slash = strrchr(pointer, '/');
    size_t size = 0;

    for (const char *at = slash + 1; *at != '\0'; at++) {
        bool escaped = *at == '~';

        if (escaped)
            at++;
        assert(size < TOKEN_SIZE - 1);
        token[size++] = escaped ? (char)(*at == '1' ? '/' : '~') : *at;
    }
    token[size] = '\0';
    *slash = '\0';
}

/* An index into a list of that length; false when token is none, or the list is shorter. */
static bool read_index(const char *token, size_t length, size_t *index)
{
    if (token[0] == '\0' || strspn(token, "0123456789") != strlen(token) ||
        (token[0] == '0' && token[1] != '\0'))
        return false;
    *index = strtoul(token, NULL, 10);
    return *index < length;
}

/* The value at pointer, in *value (NULL may be a null). False when there is none. */
static bool find(struct json_object *root, const char *pointer, struct json_object **value)
{
    char copy[TOKEN_SIZE];
    char token[TOKEN_SIZE];
    struct json_object *parent;
    size_t index;

    if (pointer[0] == '\0') {
        *value = root;
        return true;
    }
    strncpy(copy, pointer, sizeof(copy) - 1);
    copy[sizeof(copy) - 1] = '\0';
    take_last(copy, token);
    if (!find(root, copy, &parent))
        return false;
    if (value_is(parent, json_type_object))
        return json_object_object_get_ex(parent, token, value) != 0;
    if (!value_is(parent, json_type_array) || !read_index(token, value_length(parent), &index))
        return false;
    *value = value_item(parent, index);
    return true;
}

/* Takes value over. */
static bool insert(struct json_object *root, const char *pointer, struct json_object *value)
{
    char copy[TOKEN_SIZE] = "";
    char token[TOKEN_SIZE];
    struct json_object *parent;
    size_t index = 0;
    bool ok = true;

    strncpy(copy, pointer, sizeof(copy) - 1);
    take_last(copy, token);
    if (!find(root, copy, &parent))
        ok = false;
    else if (value_is(parent, json_type_object))
        value_put(parent, token, json_object_get(value));
    else if (value_is(parent, json_type_array) && strcmp(token, "-") == 0)
        value_add(parent, json_object_get(value));
    else if (value_is(parent, json_type_array) &&
             read_index(token, value_length(parent) + 1, &index)) {
        value_add(parent, NULL); /* room at the end; the others move up */
        for (size_t i = value_length(parent) - 1; i > index; i--)
            json_object_array_put_idx(parent, i, json_object_get(value_item(parent, i - 1)));
        json_object_array_put_idx(parent, index, json_object_get(value));
    } else
        ok = false;
    json_object_put(value);
    return ok;
}

static bool take_out(struct json_object *root, const char *pointer)
{
    char copy[TOKEN_SIZE] = "";
    char token[TOKEN_SIZE];
    struct json_object *parent;
    struct json_object *value;
    size_t index = 0;

    strncpy(copy, pointer, sizeof(copy) - 1);
    if (copy[0] == '\0' || !find(root, pointer, &value))
        return false;
    take_last(copy, token);
    (void)find(root, copy, &parent);
    if (value_is(parent, json_type_object))
        value_drop(parent, token);
    else if (read_index(token, value_length(parent), &index))
        json_object_array_del_idx(parent, index, 1);
    return true;
}

/* Whether its place is in an object: what is not there counts as null (P9). */
static bool is_member(struct json_object *root, const char *pointer)
{
    char copy[TOKEN_SIZE] = "";
    char token[TOKEN_SIZE];
    struct json_object *parent;

    strncpy(copy, pointer, sizeof(copy) - 1);
    if (copy[0] == '\0')
        return false;
    take_last(copy, token);
    return find(root, copy, &parent) && value_is(parent, json_type_object);
}

static bool apply(struct json_object *root, const struct json_object *operation)
{
    const char *op = value_text(operation, "op");
    const char *path = value_text(operation, "path");
    const char *from = value_text(operation, "from");
    struct json_object *value = NULL;

    if (strcmp(op, "add") == 0)
        return insert(root, path, value_copy(value_get(operation, "value")));
    if (strcmp(op, "remove") == 0)
        return take_out(root, path);
    if (strcmp(op, "replace") == 0)
        return (take_out(root, path) || is_member(root, path)) &&
               insert(root, path, value_copy(value_get(operation, "value")));
    if (strcmp(op, "test") == 0)
        return find(root, path, &value) && value_equal(value, value_get(operation, "value"));
    if (strcmp(op, "copy") == 0 && find(root, from, &value))
        return insert(root, path, value_copy(value));
    if (strcmp(op, "copy") == 0) /* null, which is "" in the maps of texts that are drawn here */
        return is_member(root, from) && insert(root, path, json_object_new_string(""));
    if (strcmp(op, "move") == 0 && find(root, from, &value)) {
        value = value_copy(value);
        return take_out(root, from) ? insert(root, path, value) : json_object_put(value) == -1;
    }
    return false;
}

struct json_object *json_patch(const struct json_object *target,
                               const struct json_object *operations)
{
    struct json_object *result = value_copy(target);

    for (size_t i = 0; i < value_length(operations); i++) {
        if (apply(result, value_item(operations, i)))
            continue;
        json_object_put(result);
        return NULL;
    }
    return result;
}
