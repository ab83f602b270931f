/* pointer - JSON pointers (RFC 6901) as the server reads them. */
#include "fakeapi/patch/pointer.h"

#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Undoes "~0" and "~1" in place. */
static bool unescape(char *token)
{
    char *to = token;

    for (const char *from = token; *from != '\0'; from++) {
        if (*from != '~') {
            *to++ = *from;
            continue;
        }
        from++;
        if (*from != '0' && *from != '1')
            return false;
        *to++ = *from == '0' ? '~' : '/';
    }
    *to = '\0';
    return true;
}

static bool split(struct pointer *pointer)
{
    char *token = pointer->text;

    while (*token != '\0') {
        char *slash = strchr(token + 1, '/');

        if (pointer->count == ARRAY_SIZE(pointer->tokens))
            return false;
        *token++ = '\0';
        if (slash != NULL)
            *slash = '\0';
        if (!unescape(token))
            return false;
        pointer->tokens[pointer->count++] = token;
        if (slash == NULL)
            break;
        *slash = '/';
        token = slash;
    }
    return true;
}

bool pointer_parse(const char *text, struct pointer *ret_pointer)
{
    struct pointer pointer = {.text = xstrdup(text)};

    if ((*text != '\0' && *text != '/') || !split(&pointer)) {
        pointer_release(&pointer);
        return false;
    }
    *ret_pointer = pointer;
    return true;
}

void pointer_release(struct pointer *pointer)
{
    free(pointer->text);
    *pointer = (struct pointer){0};
}

bool pointer_is_above(const struct pointer *a, const struct pointer *b)
{
    if (a->count > b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->tokens[i], b->tokens[i]) != 0)
            return false;
    return true;
}

bool pointer_index(const char *token, size_t bound, size_t *ret_index)
{
    int64_t index;

    if (!text_to_int64(token, &index))
        return false;
    if (index < 0 && index >= -(int64_t)bound)
        index += (int64_t)bound;
    if (index < 0 || index >= (int64_t)bound)
        return false;
    *ret_index = (size_t)index;
    return true;
}

static bool step(struct json_object *from, const char *token, struct json_object **ret_value)
{
    size_t index;

    if (json_is(from, json_type_object))
        return json_object_object_get_ex(from, token, ret_value);
    if (!json_is(from, json_type_array) ||
        !pointer_index(token, json_object_array_length(from), &index))
        return false;
    *ret_value = json_object_array_get_idx(from, index);
    return true;
}

struct json_object *pointer_parent(const struct pointer *pointer, struct json_object *document)
{
    struct json_object *at = document;

    for (size_t i = 0; i + 1 < pointer->count; i++)
        if (!step(at, pointer->tokens[i], &at))
            return NULL;
    return json_is(at, json_type_object) || json_is(at, json_type_array) ? at : NULL;
}

bool pointer_find(const struct pointer *pointer, struct json_object *document,
                  struct json_object **ret_value)
{
    struct json_object *at = document;

    for (size_t i = 0; i < pointer->count; i++)
        if (!step(at, pointer->tokens[i], &at))
            return false;
    *ret_value = at;
    return true;
}
