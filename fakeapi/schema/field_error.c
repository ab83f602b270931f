/* field_error - what is wrong with which field of an object. */
#include "fakeapi/schema/field_error.h"

#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/sorted_keys.h"
#include "controller/base/text.h"

/* A shown value or message may repeat a whole object. */
#define BODY_BYTES_MAX (4 * 1024 * 1024)

const char *field_error_reason(enum field_error_type type)
{
    static const char *const reasons[] = {
        [FIELD_REQUIRED] = "FieldValueRequired",
        [FIELD_FORBIDDEN] = "FieldValueForbidden",
        [FIELD_INVALID] = "FieldValueInvalid",
        [FIELD_TYPE_INVALID] = "FieldValueTypeInvalid",
        [FIELD_NOT_SUPPORTED] = "FieldValueNotSupported",
        [FIELD_DUPLICATE] = "FieldValueDuplicate",
        [FIELD_NOT_FOUND] = "FieldValueNotFound",
        [FIELD_TOO_LONG] = "FieldValueTooLong",
        [FIELD_TOO_MANY] = "FieldValueTooMany",
        [FIELD_INTERNAL] = "InternalError",
    };

    return reasons[type];
}

bool field_errors_skip(struct field_errors *errors)
{
    bool skip = errors->count == FIELD_ERRORS_MAX || errors->size > FIELD_ERRORS_BYTES_MAX;

    if (skip)
        errors->left_out++;
    return skip;
}

void field_errors_add(struct field_errors *errors, enum field_error_type type, const char *path,
                      const char *body_format, ...)
{
    struct buffer body = BUFFER_INIT(BODY_BYTES_MAX);
    struct field_error *error;
    va_list values;

    if (field_errors_skip(errors))
        return;
    if (errors->count == errors->capacity) {
        errors->capacity = errors->capacity == 0 ? 4 : 2 * errors->capacity;
        errors->items = xrealloc(errors->items, errors->capacity * sizeof(*errors->items));
    }
    va_start(values, body_format);
    buffer_append_format_list(&body, body_format, values);
    va_end(values);
    error = &errors->items[errors->count++];
    error->type = type;
    error->path = xstrdup(path);
    errors->size += body.size;
    error->body = buffer_take(&body, NULL);
}

void field_errors_move(struct field_errors *to, struct field_errors *from)
{
    for (size_t i = 0; i < from->count; i++)
        field_errors_add(to, from->items[i].type, from->items[i].path, "%s", from->items[i].body);
    to->left_out += from->left_out;
    field_errors_release(from);
}

static int compare_errors(const void *a, const void *b)
{
    const struct field_error *left = a;
    const struct field_error *right = b;
    char *texts[] = {xprintf("%s: %s", left->path, left->body),
                     xprintf("%s: %s", right->path, right->body)};
    int order = strcmp(texts[0], texts[1]);

    free(texts[0]);
    free(texts[1]);
    return order;
}

void field_errors_sort(struct field_errors *errors)
{
    if (errors->count > 1)
        qsort(errors->items, errors->count, sizeof(*errors->items), compare_errors);
}

static bool is_repeat(const struct field_errors *errors, size_t index)
{
    const struct field_error *error = &errors->items[index];

    for (size_t i = 0; i < index; i++)
        if (strcmp(errors->items[i].path, error->path) == 0 &&
            strcmp(errors->items[i].body, error->body) == 0)
            return true;
    return false;
}

void field_errors_append_message(const struct field_errors *errors, struct buffer *buffer)
{
    struct buffer list = BUFFER_INIT(buffer->size_max);
    size_t shown = 0;

    for (size_t i = 0; i < errors->count; i++) {
        if (is_repeat(errors, i))
            continue;
        buffer_append_format(&list, "%s%s: %s", shown == 0 ? "" : ", ", errors->items[i].path,
                             errors->items[i].body);
        shown++;
    }
    if (errors->left_out > 0) {
        buffer_append_format(&list, ", and %zu more", errors->left_out);
        shown++;
    }
    if (shown > 1)
        buffer_append_format(buffer, "[%s]", buffer_text(&list));
    else
        buffer_append_text(buffer, buffer_text(&list));
    buffer_release(&list);
}

void field_errors_release(struct field_errors *errors)
{
    for (size_t i = 0; i < errors->count; i++) {
        free(errors->items[i].path);
        free(errors->items[i].body);
    }
    free(errors->items);
    *errors = (struct field_errors)FIELD_ERRORS_INIT;
}

/* --- values in Go's syntax --- */

/* Bytes of the UTF-8 character at text; 0 where it is none. *ret_rune is its code point. */
static size_t character_size(const char *text, size_t size, uint32_t *ret_rune)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t want = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    uint32_t rune = bytes[0] & (0xffU >> (want + 1));

    if (want > size || !text_is_utf8(text, want))
        return 0;
    for (size_t i = 1; i < want; i++)
        rune = rune << 6 | (bytes[i] & 0x3fU);
    *ret_rune = rune;
    return want;
}

/* Spaces, separators and marks that Go escapes although they are valid. */
static bool is_shown_escaped(uint32_t rune)
{
    return (rune >= 0x80 && rune <= 0xa0) || rune == 0xad || (rune >= 0x2000 && rune <= 0x200f) ||
           (rune >= 0x2028 && rune <= 0x202f) || (rune >= 0xe000 && rune <= 0xf8ff) ||
           rune == 0xfeff;
}

static void append_wide(struct buffer *buffer, const char *text, size_t size, size_t *used)
{
    uint32_t rune = 0;

    *used = character_size(text, size, &rune);
    if (*used == 0) {
        buffer_append_format(buffer, "\\x%02x", (unsigned)(unsigned char)text[0]);
        *used = 1;
    } else if (is_shown_escaped(rune)) {
        buffer_append_format(buffer, "\\u%04x", (unsigned)rune);
    } else {
        buffer_append(buffer, text, *used);
    }
}

void field_error_append_quoted_bytes(struct buffer *buffer, const char *text, size_t size)
{
    static const char specials[] = "\a\b\f\n\r\t\v\\\"";
    static const char letters[] = "abfnrtv\\\"";
    size_t used;

    buffer_append_char(buffer, '"');
    for (size_t i = 0; i < size; i += used) {
        unsigned char byte = (unsigned char)text[i];
        const char *special = byte == 0 ? NULL : strchr(specials, byte);

        used = 1;
        if (special != NULL)
            buffer_append_format(buffer, "\\%c", letters[special - specials]);
        else if (byte < 0x20 || byte == 0x7f)
            buffer_append_format(buffer, "\\x%02x", (unsigned)byte);
        else if (byte < 0x80)
            buffer_append_char(buffer, (char)byte);
        else
            append_wide(buffer, text + i, size - i, &used);
    }
    buffer_append_char(buffer, '"');
}

void field_error_append_quoted(struct buffer *buffer, const char *text)
{
    field_error_append_quoted_bytes(buffer, text, strlen(text));
}

/* The shortest text that reads back as the same number, as Go's %v: exponents below -4 and from
 * 21 on. */
static void append_double(struct buffer *buffer, double value)
{
    char text[64];
    int precision = 0;
    int exponent;

    if (!isfinite(value)) {
        buffer_append_text(buffer, isnan(value) ? "NaN" : value > 0 ? "+Inf" : "-Inf");
        return;
    }
    do {
        snprintf(text, sizeof(text), "%.*e", precision, value);
    } while (strtod(text, NULL) != value && ++precision < 17);
    exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    if (exponent >= -4 && exponent < 21)
        snprintf(text, sizeof(text), "%.*f", precision > exponent ? precision - exponent : 0,
                 value);
    buffer_append_text(buffer, text);
}

static void append_number(struct buffer *buffer, const struct json_object *value)
{
    if (json_is(value, json_type_double)) {
        append_double(buffer, json_object_get_double(value));
        return;
    }
    if (json_object_get_int64(value) == INT64_MAX)
        buffer_append_format(buffer, "%llu", (unsigned long long)json_object_get_uint64(value));
    else
        buffer_append_format(buffer, "%lld", (long long)json_object_get_int64(value));
}

static void append_go(struct buffer *buffer, const struct json_object *value);

static void append_go_map(struct buffer *buffer, const struct json_object *value)
{
    struct sorted_keys keys = sorted_keys_of(value);

    buffer_append_text(buffer, "map[string]interface {}{");
    for (size_t i = 0; i < keys.count; i++) {
        if (i > 0)
            buffer_append_text(buffer, ", ");
        field_error_append_quoted(buffer, keys.items[i]);
        buffer_append_char(buffer, ':');
        append_go(buffer, json_get(value, keys.items[i]));
    }
    buffer_append_char(buffer, '}');
    sorted_keys_release(&keys);
}

static void append_go_list(struct buffer *buffer, const struct json_object *value)
{
    buffer_append_text(buffer, "[]interface {}{");
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        if (i > 0)
            buffer_append_text(buffer, ", ");
        append_go(buffer, json_object_array_get_idx(value, i));
    }
    buffer_append_char(buffer, '}');
}

/* As Go's %#v of decoded JSON. */
static void append_go(struct buffer *buffer, const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        buffer_append_text(buffer, "interface {}(nil)");
        break;
    case json_type_boolean:
        buffer_append_text(buffer, json_object_get_boolean(value) ? "true" : "false");
        break;
    case json_type_int:
    case json_type_double:
        append_number(buffer, value);
        break;
    case json_type_string:
        field_error_append_quoted_bytes(
            buffer, json_object_get_string((struct json_object *)(uintptr_t)value),
            (size_t)json_object_get_string_len(value));
        break;
    case json_type_object:
        append_go_map(buffer, value);
        break;
    case json_type_array:
        append_go_list(buffer, value);
        break;
    }
}

void field_error_append_value(struct buffer *buffer, const struct json_object *value)
{
    if (value == NULL)
        buffer_append_text(buffer, "\"null\"");
    else
        append_go(buffer, value);
}

void field_error_append_texts(struct buffer *buffer, const struct json_object *list)
{
    size_t count = json_is(list, json_type_array) ? json_object_array_length(list) : 0;

    buffer_append_text(buffer, "[]string{");
    for (size_t i = 0; i < count; i++) {
        const char *text = text_or(json_text(json_object_array_get_idx(list, i)), "");

        if (i > 0)
            buffer_append_text(buffer, ", ");
        field_error_append_quoted(buffer, text);
    }
    buffer_append_char(buffer, '}');
}
