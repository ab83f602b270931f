#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/json_gate.h"
#include "controller/base/memory.h"

/* All texts here have passed the gate; the checks against end only keep a caller's mistake from
 * reading past it. */

/* at is on the opening quote. Returns the byte behind the closing one. */
static const char *skip_string(const char *at, const char *end)
{
    at++;
    while (at < end) {
        at = json_skip_plain(at, end);
        if (at == end || *at == '"')
            break;
        at += *at == '\\' ? 2 : 1;
    }
    return at < end ? at + 1 : end;
}

static const char *skip_container(const char *at, const char *end)
{
    size_t depth = 0;

    while (at < end) {
        switch (*at) {
        case '"':
            at = skip_string(at, end);
            continue;
        case '{':
        case '[':
            depth++;
            break;
        case '}':
        case ']':
            if (--depth == 0)
                return at + 1;
            break;
        default:
            break;
        }
        at++;
    }
    return end;
}

static const char *skip_value(const char *at, const char *end)
{
    if (at == end)
        return end;
    if (*at == '"')
        return skip_string(at, end);
    if (*at == '{' || *at == '[')
        return skip_container(at, end);
    while (at < end && *at != ',' && *at != '}' && *at != ']' && (unsigned char)*at > ' ')
        at++;
    return at;
}

static struct json_slice slice_between(const char *start, const char *end)
{
    return (struct json_slice){.bytes = start, .size = (size_t)(end - start)};
}

/* Where the next item or member begins; NULL at the end, or when text is no such container. */
static const char *next_start(struct json_slice container, char open, size_t next)
{
    const char *end;
    const char *at;

    if (container.bytes == NULL)
        return NULL;
    end = container.bytes + container.size;
    at = json_skip_space(container.bytes + next, end);
    if (next == 0) {
        if (at == end || *at != open)
            return NULL;
        at = json_skip_space(at + 1, end);
    } else if (at < end && *at == ',') {
        at = json_skip_space(at + 1, end);
    }
    if (at == end || *at == '}' || *at == ']')
        return NULL;
    return at;
}

bool json_slice_next(struct json_slice array, size_t *next, struct json_slice *ret_item)
{
    const char *at = next_start(array, '[', *next);
    const char *behind;

    if (at == NULL)
        return false;
    behind = skip_value(at, array.bytes + array.size);
    *ret_item = slice_between(at, behind);
    *next = (size_t)(behind - array.bytes);
    return true;
}

bool json_slice_next_member(struct json_slice object, size_t *next, struct json_slice *ret_key,
                            struct json_slice *ret_value)
{
    const char *key = next_start(object, '{', *next);
    const char *end;
    const char *value;
    const char *behind;

    if (key == NULL || *key != '"')
        return false;
    end = object.bytes + object.size;
    behind = skip_string(key, end);
    value = json_skip_space(behind, end);
    if (value < end && *value == ':')
        value++;
    value = json_skip_space(value, end);
    *ret_key = slice_between(key, behind);
    behind = skip_value(value, end);
    *ret_value = slice_between(value, behind);
    *next = (size_t)(behind - object.bytes);
    return true;
}

static bool is_string(struct json_slice value)
{
    return value.bytes != NULL && value.size >= 2 && value.bytes[0] == '"';
}

/* Whether a quoted key is that text. */
static bool key_is(struct json_slice quoted, const char *key, size_t key_size)
{
    const char *inside = quoted.bytes + 1;
    size_t size = quoted.size - 2;
    char *text;
    bool same;

    if (memchr(inside, '\\', size) == NULL)
        return size == key_size && memcmp(inside, key, size) == 0;
    text = json_slice_text(quoted);
    same = text != NULL && strcmp(text, key) == 0;
    free(text);
    return same;
}

struct json_slice json_slice_get(struct json_slice object, const char *key)
{
    size_t key_size = strlen(key);
    size_t next = 0;
    struct json_slice found;
    struct json_slice value;

    while (json_slice_next_member(object, &next, &found, &value)) {
        if (is_string(found) && key_is(found, key, key_size))
            return value;
    }
    return (struct json_slice){.bytes = NULL, .size = 0};
}

char *json_slice_text(struct json_slice value)
{
    char *text;
    size_t size;

    if (!is_string(value))
        return NULL;
    text = xmemdup(value.bytes + 1, value.size - 2);
    size = json_unescape(value.bytes + 1, value.size - 2, text);
    text[size] = '\0';
    if (memchr(text, '\0', size) != NULL) {
        free(text);
        return NULL;
    }
    return text;
}
