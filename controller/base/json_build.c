#include "controller/base/json_build.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json_gate.h"
#include "controller/base/memory.h"

struct build {
    const char *at;
    const char *end;
    char *scratch; /* for a key or an unescaped string, with a NUL behind it */
    size_t scratch_size;
    unsigned add_options;        /* of json-c */
    const char *const *left_out; /* keys */
    size_t left_out_count;
};

/* A string's inside, as it was written. */
struct inside {
    const char *bytes;
    size_t size;
    bool escaped;
};

/* build->at is on the opening quote, and moves behind the closing one. */
static struct inside take_string(struct build *build)
{
    struct inside inside = {.bytes = build->at + 1};
    const char *at = inside.bytes;

    while (*(at = json_skip_plain(at, build->end)) != '"') {
        inside.escaped = inside.escaped || *at == '\\';
        at += *at == '\\' ? 2 : 1;
    }
    inside.size = (size_t)(at - inside.bytes);
    build->at = at + 1;
    return inside;
}

/* The text, in the scratch until the next one. */
static size_t unescape(struct build *build, const struct inside *inside)
{
    size_t size = inside->size;

    if (build->scratch == NULL || build->scratch_size < size + 1) {
        build->scratch_size = 2 * size + 1;
        build->scratch = xrealloc(build->scratch, build->scratch_size);
    }
    if (inside->escaped)
        size = json_unescape(inside->bytes, size, build->scratch);
    else
        memcpy(build->scratch, inside->bytes, size);
    build->scratch[size] = '\0';
    return size;
}

static struct json_object *build_string(struct build *build)
{
    struct inside inside = take_string(build);

    if (!inside.escaped)
        return json_object_new_string_len(inside.bytes, (int)inside.size);
    inside.size = unescape(build, &inside);
    return json_object_new_string_len(build->scratch, (int)inside.size);
}

static struct json_object *build_integer(const char *digits, const char *end, bool negative)
{
    uint64_t magnitude = 0;

    for (; digits < end; digits++)
        magnitude = magnitude * 10 + (uint64_t)(*digits - '0');
    if (negative)
        return json_object_new_int64(magnitude <= INT64_MAX ? -(int64_t)magnitude : INT64_MIN);
    return magnitude <= INT64_MAX ? json_object_new_int64((int64_t)magnitude)
                                  : json_object_new_uint64(magnitude);
}

static struct json_object *build_number(struct build *build)
{
    struct inside text = {.bytes = build->at};
    bool negative = *build->at == '-';
    const char *digits = build->at + (negative ? 1 : 0);
    const char *at = digits;
    bool real = false;

    for (; at < build->end && *at != '\0' && strchr("0123456789+-.eE", *at) != NULL; at++)
        real = real || *at < '0' || *at > '9';
    build->at = at;
    if (!real)
        return build_integer(digits, at, negative);
    text.size = (size_t)(at - text.bytes);
    unescape(build, &text);
    return json_object_new_double_s(strtod(build->scratch, NULL), build->scratch);
}

static struct json_object *build_value(struct build *build);

/* Whether the container goes on; steps over its bracket or its comma. */
static bool has_next(struct build *build, char close)
{
    build->at = json_skip_space(build->at, build->end);
    if (*build->at == close) {
        build->at++;
        return false;
    }
    if (*build->at == ',')
        build->at = json_skip_space(build->at + 1, build->end);
    return true;
}

static struct json_object *build_array(struct build *build)
{
    struct json_object *array = json_object_new_array();

    build->at++;
    while (has_next(build, ']')) {
        int result = json_object_array_add(array, build_value(build));

        assert(result == 0);
    }
    return array;
}

/* build->at is on the value. */
static bool is_left_out(const struct build *build, const struct inside *key)
{
    if (*build->at != '[')
        return false;
    for (size_t i = 0; i < build->left_out_count; i++) {
        if (strlen(build->left_out[i]) == key->size &&
            memcmp(build->left_out[i], key->bytes, key->size) == 0)
            return true;
    }
    return false;
}

static struct json_object *build_object(struct build *build)
{
    struct json_object *object = json_object_new_object();

    build->at++;
    while (has_next(build, '}')) {
        struct inside inside = take_string(build);
        struct json_object *value;
        char key[64];
        char *long_key = NULL;
        size_t size;
        int result;

        build->at = json_skip_space(build->at, build->end) + 1;
        build->at = json_skip_space(build->at, build->end);
        if (is_left_out(build, &inside)) {
            build->at = json_skip_value(build->at, build->end);
            continue;
        }
        if (!inside.escaped && inside.size < sizeof(key)) {
            memcpy(key, inside.bytes, inside.size);
            key[inside.size] = '\0';
        } else {
            size = unescape(build, &inside);
            long_key = xmemdup(build->scratch, size);
        }
        value = build_value(build);
        result = json_object_object_add_ex(object, long_key == NULL ? key : long_key, value,
                                           build->add_options);
        assert(result == 0);
        free(long_key);
    }
    return object;
}

static struct json_object *build_value(struct build *build)
{
    build->at = json_skip_space(build->at, build->end);
    switch (*build->at) {
    case '{':
        return build_object(build);
    case '[':
        return build_array(build);
    case '"':
        return build_string(build);
    case 't':
        build->at += 4;
        return json_object_new_boolean(true);
    case 'f':
        build->at += 5;
        return json_object_new_boolean(false);
    case 'n':
        build->at += 4;
        return NULL;
    default:
        return build_number(build);
    }
}

static struct json_object *build(struct build *build)
{
    struct json_object *value = build_value(build);

    free(build->scratch);
    return value;
}

struct json_object *json_build(const char *bytes, size_t size, bool repeats)
{
    struct build of = {.at = bytes,
                       .end = bytes + size,
                       .add_options = repeats ? 0 : JSON_C_OBJECT_ADD_KEY_IS_NEW};

    return build(&of);
}

struct json_object *json_build_without(const char *bytes, size_t size, const char *const *names,
                                       size_t name_count)
{
    struct build of = {.at = bytes,
                       .end = bytes + size,
                       .add_options = JSON_C_OBJECT_ADD_KEY_IS_NEW,
                       .left_out = names,
                       .left_out_count = name_count};

    return build(&of);
}
