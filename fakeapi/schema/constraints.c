/* constraints - what is wrong with one value, whatever is below it (fakeapi/WIRE.md section 7). */
#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "fakeapi/schema/validation.h"

/* A value as shown in a message. */
#define SHOWN_BYTES_MAX (3 * 1024 * 1024)

/* --- saying so --- */

/* The path in front of " in body"; the root has none. */
static const char *place(const struct validation *v)
{
    const char *text = v->path.text + v->base;

    return v->base > 0 && text[0] == '.' ? text + 1 : text;
}

/* Where an error at the root stands. */
static const char *error_path(const struct validation *v)
{
    return v->path.size == 0 ? "<nil>" : v->path.text;
}

bool validation_spend(struct validation *v, uint64_t steps)
{
    v->steps = v->steps > steps ? v->steps - steps : 0;
    return v->steps > 0;
}

char *validation_shown(const struct json_object *value)
{
    struct buffer buffer = BUFFER_INIT(SHOWN_BYTES_MAX);

    field_error_append_value(&buffer, value);
    return buffer_take(&buffer, NULL);
}

/* "Invalid value: V: P in body WHAT N" */
static void say_invalid(struct validation *v, const struct json_object *value, const char *what,
                        const struct json_object *limit)
{
    char *text;
    char *number;

    if (field_errors_skip(v->errors))
        return;
    text = validation_shown(value);
    number = validation_shown(limit);
    field_errors_add(v->errors, FIELD_INVALID, error_path(v),
                     "Invalid value: %s: %s in body should be %s %s", text, place(v), what, number);
    free(number);
    free(text);
}

void validation_say_not_of_type(struct validation *v, const char *got, const char *want)
{
    field_errors_add(v->errors, FIELD_TYPE_INVALID, error_path(v),
                     "Invalid value: \"%s\": %s in body must be of type %s: \"%s\"", got, place(v),
                     want, got);
}

/* --- strings --- */

/* Characters of valid UTF-8. */
static int64_t count_characters(const char *text, size_t size)
{
    int64_t count = 0;

    for (size_t i = 0; i < size; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80)
            count++;
    return count;
}

static void check_length(struct validation *v, const struct schema *schema,
                         const struct json_object *value, const char *bytes, size_t size)
{
    int64_t length;
    char *text;

    if (!schema->length.has_most && !schema->length.has_least)
        return;
    length = count_characters(bytes, size);
    if (schema->length.has_most && length > schema->length.most)
        field_errors_add(v->errors, FIELD_TOO_LONG, error_path(v),
                         "Too long: may not be more than %lld bytes",
                         (long long)schema->length.most);
    if (!schema->length.has_least || length >= schema->length.least)
        return;
    if (field_errors_skip(v->errors))
        return;
    text = validation_shown(value);
    field_errors_add(v->errors, FIELD_INVALID, error_path(v),
                     "Invalid value: %s: %s in body should be at least %lld chars long", text,
                     place(v), (long long)schema->length.least);
    free(text);
}

static void check_pattern(struct validation *v, const struct schema *schema,
                          const struct json_object *value, const char *bytes, size_t size)
{
    uint64_t most = v->steps < PATTERN_STEPS_MAX ? v->steps : PATTERN_STEPS_MAX;
    uint64_t steps = most;
    struct error err = ERROR_INIT;
    bool matches = false;
    bool searched;
    char *text;

    if (schema->pattern == NULL)
        return;
    searched = pattern_match_within(schema->pattern, bytes, size, &steps, &matches, &err);
    if (!validation_spend(v, most - steps) || (searched && matches))
        return;
    if (field_errors_skip(v->errors))
        return;
    text = validation_shown(value);
    field_errors_add(v->errors, FIELD_INVALID, error_path(v),
                     "Invalid value: %s: %s in body should match '%s'", text, place(v),
                     schema->pattern_text);
    free(text);
}

void validation_check_string(struct validation *v, const struct schema *schema,
                             const struct json_object *value)
{
    const char *bytes = json_object_get_string((struct json_object *)(uintptr_t)value);
    size_t size = (size_t)json_object_get_string_len(value);
    char *text;

    check_length(v, schema, value, bytes, size);
    check_pattern(v, schema, value, bytes, size);
    if (format_matches(schema->format, bytes, size))
        return;
    if (field_errors_skip(v->errors))
        return;
    text = validation_shown(value);
    field_errors_add(v->errors, FIELD_TYPE_INVALID, error_path(v),
                     "Invalid value: %s: %s in body must be of type %s: %s", text, place(v),
                     format_name(schema->format), text);
    free(text);
}

/* --- numbers --- */

/* -1, 0 or 1; whole numbers exactly, others as doubles. */
static int compare_numbers(const struct json_object *a, const struct json_object *b)
{
    if (json_is(a, json_type_int) && json_is(b, json_type_int)) {
        int64_t left = json_object_get_int64(a);
        int64_t right = json_object_get_int64(b);

        return left < right ? -1 : left > right;
    }
    double left = json_object_get_double(a);
    double right = json_object_get_double(b);

    return left < right ? -1 : left > right;
}

static bool is_multiple(const struct json_object *value, const struct json_object *factor)
{
    double quotient;

    if (json_is(value, json_type_int) && json_is(factor, json_type_int) &&
        json_object_get_int64(factor) > 0)
        return json_object_get_int64(value) % json_object_get_int64(factor) == 0;
    quotient = json_object_get_double(value) / json_object_get_double(factor);
    return trunc(quotient) == quotient;
}

static bool fits_format(const struct json_object *value, enum format format)
{
    double number = json_object_get_double(value);

    switch (format) {
    case FORMAT_INT32:
        return number >= INT32_MIN && number <= INT32_MAX;
    case FORMAT_INT64:
        return number >= -9223372036854775808.0 && number < 9223372036854775808.0;
    case FORMAT_FLOAT:
        return fabs(number) <= 3.40282346638528859811704183484516925440e+38;
    default:
        return true;
    }
}

void validation_check_number(struct validation *v, const struct schema *schema,
                             const struct json_object *value)
{
    const struct schema_bound *least = &schema->minimum;
    const struct schema_bound *most = &schema->maximum;
    char *text;

    if (least->set && compare_numbers(value, least->value) < (least->exclusive ? 1 : 0))
        say_invalid(v, value, least->exclusive ? "greater than" : "greater than or equal to",
                    least->value);
    if (most->set && compare_numbers(value, most->value) > (most->exclusive ? -1 : 0))
        say_invalid(v, value, most->exclusive ? "less than" : "less than or equal to", most->value);
    if (schema->multiple_of != NULL && !is_multiple(value, schema->multiple_of))
        say_invalid(v, value, "a multiple of", schema->multiple_of);
    if (fits_format(value, schema->format))
        return;
    if (field_errors_skip(v->errors))
        return;
    text = validation_shown(value);
    field_errors_add(v->errors, FIELD_TYPE_INVALID, error_path(v),
                     "Invalid value: %s: %s in body must be of type %s: \"%s\"", text, place(v),
                     format_name(schema->format), text);
    free(text);
}

/* --- counts --- */

bool validation_check_count(struct validation *v, const struct schema_range *range, size_t count,
                            const char *of_what)
{
    if (range->has_least && (int64_t)count < range->least) {
        field_errors_add(v->errors, FIELD_INVALID, error_path(v),
                         "Invalid value: %zu: %s in body should have at least %lld %s", count,
                         place(v), (long long)range->least, of_what);
        return false;
    }
    if (range->has_most && (int64_t)count > range->most) {
        field_errors_add(v->errors, FIELD_TOO_MANY, error_path(v),
                         "Too many: %zu: must have at most %lld items", count,
                         (long long)range->most);
        return false;
    }
    return true;
}

/* --- enumerations --- */

void validation_check_enumeration(struct validation *v, const struct schema *schema,
                                  const struct json_object *value)
{
    struct buffer body = BUFFER_INIT(SHOWN_BYTES_MAX);

    if (schema->enumeration == NULL ||
        !validation_spend(v, json_object_array_length(schema->enumeration)))
        return;
    for (size_t i = 0; i < json_object_array_length(schema->enumeration); i++)
        if (json_equal(json_object_array_get_idx(schema->enumeration, i), value))
            return;
    if (field_errors_skip(v->errors))
        return;
    buffer_append_text(&body, "Unsupported value: ");
    field_error_append_value(&body, value);
    buffer_append_text(&body, ": supported values: ");
    for (size_t i = 0; i < json_object_array_length(schema->enumeration); i++) {
        const struct json_object *allowed = json_object_array_get_idx(schema->enumeration, i);
        const char *name = json_text(allowed);
        char *text = name == NULL ? json_to_text(allowed, NULL) : xstrdup(name);

        buffer_append_text(&body, i == 0 ? "" : ", ");
        field_error_append_quoted(&body, text);
        free(text);
    }
    field_errors_add(v->errors, FIELD_NOT_SUPPORTED, error_path(v), "%s", buffer_text(&body));
    buffer_release(&body);
}
