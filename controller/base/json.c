#include "controller/base/json.h"

#include <assert.h>
#include <json-c/linkhash.h>
#include <stdarg.h>
#include <string.h>

#include "controller/base/json_build.h"
#include "controller/base/json_gate.h"
#include "controller/base/json_repeats.h"

static bool check(const void *bytes, size_t size, size_t size_max, bool *ret_repeats,
                  struct error *err)
{
    if (size > size_max || size > JSON_BYTES_MAX)
        return error_set(err, ERROR_TOO_LARGE, "more than %zu bytes",
                         size_max < JSON_BYTES_MAX ? size_max : JSON_BYTES_MAX);
    return json_gate(size == 0 ? "" : bytes, size, ret_repeats, err);
}

bool json_check(const void *bytes, size_t size, size_t size_max, struct error *err)
{
    return check(bytes, size, size_max, NULL, err);
}

bool json_parse(const void *bytes, size_t size, size_t size_max, struct json_object **ret_value,
                struct error *err)
{
    if (!json_check(bytes, size, size_max, err))
        return false;
    *ret_value = json_build(bytes, size, false);
    return true;
}

bool json_parse_repeating(const void *bytes, size_t size, size_t size_max,
                          struct json_object **ret_value, struct json_repeats *repeats,
                          struct error *err)
{
    bool any = false;

    if (!check(bytes, size, size_max, &any, err))
        return false;
    if (any)
        json_repeats_find((struct json_slice){bytes, size}, repeats);
    *ret_value = json_build(bytes, size, any);
    return true;
}

struct json_object *json_slice_parse(struct json_slice value)
{
    return json_build(value.bytes, value.size, false);
}

struct json_object *json_slice_parse_without(struct json_slice value, const char *const *names,
                                             size_t name_count)
{
    return json_build_without(value.bytes, value.size, names, name_count);
}

/* --- reading --- */

bool json_is(const struct json_object *value, enum json_type type)
{
    return json_object_is_type(value, type) != 0;
}

/* Up to here looking at every name beats hashing the key. */
#define MEMBERS_WALKED_MAX 12

struct json_object *json_get(const struct json_object *object, const char *key)
{
    const struct lh_table *members = json_object_get_object(object);
    struct json_object *member = NULL;

    if (members == NULL)
        return NULL;
    if (members->count > MEMBERS_WALKED_MAX) {
        (void)json_object_object_get_ex(object, key, &member);
        return member;
    }
    for (const struct lh_entry *entry = members->head; entry != NULL; entry = entry->next) {
        const char *name = entry->k;

        if (*name == *key && strcmp(name, key) == 0) /* most differ at once: no call */
            return lh_entry_v(entry);
    }
    return NULL;
}

struct json_object *json_walk(const struct json_object *object, ...)
{
    struct json_object *found = NULL;
    va_list keys;
    const char *key;

    va_start(keys, object);
    while ((key = va_arg(keys, const char *)) != NULL) {
        found = json_get(object, key);
        object = found;
    }
    va_end(keys);
    return found;
}

const char *json_text(const struct json_object *value)
{
    /* json-c's accessors of a string's bytes take no const, and change nothing of a string. */
    union {
        const struct json_object *in;
        struct json_object *out;
    } unconst = {.in = value};
    const char *text;

    if (!json_is(value, json_type_string))
        return NULL;
    text = json_object_get_string(unconst.out);
    return strlen(text) == (size_t)json_object_get_string_len(value) ? text : NULL;
}

const char *json_get_text(const struct json_object *object, const char *key)
{
    return json_text(json_get(object, key));
}

int64_t json_get_int64(const struct json_object *object, const char *key, int64_t fallback)
{
    const struct json_object *member = json_get(object, key);
    int64_t value;

    if (!json_is(member, json_type_int))
        return fallback;
    value = json_object_get_int64(member);
    if (value == INT64_MAX && json_object_get_uint64(member) > INT64_MAX)
        return fallback; /* json-c cuts what does not fit */
    return value;
}

bool json_get_bool(const struct json_object *object, const char *key, bool fallback)
{
    const struct json_object *member = json_get(object, key);

    return json_is(member, json_type_boolean) ? json_object_get_boolean(member) != 0 : fallback;
}

struct json_object *json_get_object(const struct json_object *object, const char *key)
{
    struct json_object *member = json_get(object, key);

    return json_is(member, json_type_object) ? member : NULL;
}

struct json_object *json_get_array(const struct json_object *object, const char *key)
{
    struct json_object *member = json_get(object, key);

    return json_is(member, json_type_array) ? member : NULL;
}

/* --- comparing and copying --- */

static bool integers_equal(const struct json_object *a, const struct json_object *b)
{
    /* 2^63 and up are cut to INT64_MAX by the one and below 0 to 0 by the other. */
    return json_object_get_int64(a) == json_object_get_int64(b) &&
           json_object_get_uint64(a) == json_object_get_uint64(b);
}

static bool integer_equals_double(const struct json_object *integer, double number)
{
    int64_t value = json_object_get_int64(integer);

    if (number >= 9223372036854775808.0)
        return number < 18446744073709551616.0 &&
               (uint64_t)number == json_object_get_uint64(integer) &&
               (double)(uint64_t)number == number;
    if (number < -9223372036854775808.0 || (double)(int64_t)number != number)
        return false;
    return (int64_t)number == value &&
           (value < INT64_MAX || json_object_get_uint64(integer) == INT64_MAX);
}

static bool numbers_equal(const struct json_object *a, const struct json_object *b)
{
    bool a_is_int = json_is(a, json_type_int);
    bool b_is_int = json_is(b, json_type_int);

    if (a_is_int && b_is_int)
        return integers_equal(a, b);
    if (a_is_int)
        return integer_equals_double(a, json_object_get_double(b));
    if (b_is_int)
        return integer_equals_double(b, json_object_get_double(a));
    return json_object_get_double(a) == json_object_get_double(b);
}

static bool is_number(const struct json_object *value)
{
    return json_is(value, json_type_int) || json_is(value, json_type_double);
}

static bool strings_equal(const struct json_object *a, const struct json_object *b)
{
    /* Of two strings json_object_equal() compares length and bytes. */
    union {
        const struct json_object *in;
        struct json_object *out;
    } left = {.in = a}, right = {.in = b};

    return json_object_equal(left.out, right.out) != 0;
}

static bool objects_equal(const struct json_object *a, const struct json_object *b)
{
    struct json_object_iter member;

    if (json_object_object_length(a) != json_object_object_length(b))
        return false;
    json_object_object_foreachC(a, member)
    {
        struct json_object *other;

        if (!json_object_object_get_ex(b, member.key, &other) || !json_equal(member.val, other))
            return false;
    }
    return true;
}

static bool arrays_equal(const struct json_object *a, const struct json_object *b)
{
    size_t count = json_object_array_length(a);

    if (count != json_object_array_length(b))
        return false;
    for (size_t i = 0; i < count; i++) {
        if (!json_equal(json_object_array_get_idx(a, i), json_object_array_get_idx(b, i)))
            return false;
    }
    return true;
}

bool json_equal(const struct json_object *a, const struct json_object *b)
{
    if (a == b)
        return true;
    if (is_number(a) && is_number(b))
        return numbers_equal(a, b);
    if (json_object_get_type(a) != json_object_get_type(b))
        return false;
    switch (json_object_get_type(a)) {
    case json_type_object:
        return objects_equal(a, b);
    case json_type_array:
        return arrays_equal(a, b);
    case json_type_string:
        return strings_equal(a, b);
    case json_type_boolean:
        return json_object_get_boolean(a) == json_object_get_boolean(b);
    default:
        return true; /* null */
    }
}

struct json_object *json_copy(const struct json_object *value)
{
    union {
        const struct json_object *in;
        struct json_object *out;
    } unconst = {.in = value};
    struct json_object *copy = NULL;
    int result;

    if (value == NULL)
        return NULL;
    result = json_object_deep_copy(unconst.out, &copy, NULL);
    assert(result == 0);
    return copy;
}

/* --- building --- */

void json_set(struct json_object *object, const char *key, struct json_object *value)
{
    int result = json_object_object_add(object, key, value);

    assert(result == 0);
}

void json_set_text(struct json_object *object, const char *key, const char *value)
{
    json_set(object, key, json_object_new_string(value));
}

void json_set_int64(struct json_object *object, const char *key, int64_t value)
{
    json_set(object, key, json_object_new_int64(value));
}

void json_set_bool(struct json_object *object, const char *key, bool value)
{
    json_set(object, key, json_object_new_boolean(value));
}

struct json_object *json_ensure_object(struct json_object *object, const char *key)
{
    struct json_object *member = json_get_object(object, key);

    if (member == NULL) {
        member = json_object_new_object();
        json_set(object, key, member);
    }
    return member;
}

void json_add(struct json_object *array, struct json_object *value)
{
    int result = json_object_array_add(array, value);

    assert(result == 0);
}
