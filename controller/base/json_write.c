#include <inttypes.h>
#include <json-c/linkhash.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/json_gate.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

/* Room for any integer or double. */
#define NUMBER_TEXT_SIZE 40

/* Compact when indent is negative, else the spaces in front of the value's own lines. */
static void append_value(struct buffer *buffer, const struct json_object *value, int indent);

static void append_escape(struct buffer *buffer, char character)
{
    static const char digits[] = "0123456789abcdef";
    static const char short_forms[] = {
        ['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
        ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't',
    };
    unsigned char code = (unsigned char)character;

    if (code < sizeof(short_forms) && short_forms[code] != '\0') {
        char escape[2] = {'\\', short_forms[code]};

        buffer_append(buffer, escape, sizeof(escape));
    } else {
        char escape[6] = {'\\', 'u', '0', '0', digits[code >> 4], digits[code & 15]};

        buffer_append(buffer, escape, sizeof(escape));
    }
}

/* The first byte that cannot stand as it is; end when there is none. */
static const char *skip_clean(const char *at, const char *end)
{
    while ((at = json_skip_plain(at, end)) < end && (unsigned char)*at >= 0x80) {
        size_t step = text_utf8_size(at, (size_t)(end - at));

        if (step == 0)
            break;
        at += step;
    }
    return at;
}

static void append_clean_quoted(struct buffer *buffer, const char *text, size_t size)
{
    char *room = buffer_reserve(buffer, size + 2);

    if (room == NULL)
        return;
    room[0] = '"';
    memcpy(room + 1, text, size);
    room[size + 1] = '"';
    buffer_extend(buffer, size + 2);
}

void json_append_quoted(struct buffer *buffer, const char *text, size_t size)
{
    const char *end = text + size;
    const char *run = text;
    const char *at = skip_clean(text, end);

    if (at == end) {
        append_clean_quoted(buffer, text, size);
        return;
    }
    buffer_append_char(buffer, '"');
    for (; at < end; at = skip_clean(at, end)) {
        buffer_append(buffer, run, (size_t)(at - run));
        if ((unsigned char)*at < 0x80)
            append_escape(buffer, *at);
        else
            buffer_append_text(buffer, "\xef\xbf\xbd"); /* U+FFFD */
        run = ++at;
    }
    buffer_append(buffer, run, (size_t)(end - run));
    buffer_append_char(buffer, '"');
}

static void append_integer(struct buffer *buffer, const struct json_object *value)
{
    char text[NUMBER_TEXT_SIZE];
    char *at = text + sizeof(text);
    int64_t number = json_object_get_int64(value);
    uint64_t rest = number < 0 ? 0 - (uint64_t)number : json_object_get_uint64(value);

    do
        *--at = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0)
        *--at = '-';
    buffer_append(buffer, at, (size_t)(text + sizeof(text) - at));
}

/* The fewest digits that read back as the same double, and still as a double. */
static void append_new_double(struct buffer *buffer, double number)
{
    char text[NUMBER_TEXT_SIZE];

    if (!isfinite(number)) {
        buffer_append_text(buffer, "null"); /* JSON has no word for it */
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    buffer_append_text(buffer, text);
    if (strpbrk(text, ".e") == NULL)
        buffer_append_text(buffer, ".0");
}

static void append_double(struct buffer *buffer, const struct json_object *value)
{
    /* The text that it was parsed from is its user data: json_object_new_double_s(). */
    union {
        const struct json_object *in;
        struct json_object *out;
    } unconst = {.in = value};
    const char *source = json_object_get_userdata(unconst.out);

    if (source != NULL)
        buffer_append_text(buffer, source);
    else
        append_new_double(buffer, json_object_get_double(value));
}

static void append_string(struct buffer *buffer, const struct json_object *value)
{
    union {
        const struct json_object *in;
        struct json_object *out;
    } unconst = {.in = value};

    json_append_quoted(buffer, json_object_get_string(unconst.out),
                       (size_t)json_object_get_string_len(value));
}

static void append_line_start(struct buffer *buffer, int indent)
{
    if (indent >= 0)
        buffer_append_format(buffer, "\n%*s", indent, "");
}

static int deeper(int indent)
{
    return indent < 0 ? indent : indent + 2;
}

static void append_object(struct buffer *buffer, const struct json_object *object, int indent)
{
    struct json_object_iter member;
    bool first = true;

    buffer_append_char(buffer, '{');
    json_object_object_foreachC(object, member)
    {
        if (!first)
            buffer_append_char(buffer, ',');
        first = false;
        append_line_start(buffer, deeper(indent));
        json_append_quoted(buffer, member.key, strlen(member.key));
        buffer_append(buffer, ": ", indent < 0 ? 1 : 2);
        append_value(buffer, member.val, deeper(indent));
    }
    if (!first)
        append_line_start(buffer, indent);
    buffer_append_char(buffer, '}');
}

static void append_array(struct buffer *buffer, const struct json_object *array, int indent)
{
    size_t count = json_object_array_length(array);

    buffer_append_char(buffer, '[');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ',');
        append_line_start(buffer, deeper(indent));
        append_value(buffer, json_object_array_get_idx(array, i), deeper(indent));
    }
    if (count > 0)
        append_line_start(buffer, indent);
    buffer_append_char(buffer, ']');
}

static void append_value(struct buffer *buffer, const struct json_object *value, int indent)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        buffer_append(buffer, "null", 4);
        break;
    case json_type_boolean:
        buffer_append_text(buffer, json_object_get_boolean(value) ? "true" : "false");
        break;
    case json_type_double:
        append_double(buffer, value);
        break;
    case json_type_int:
        append_integer(buffer, value);
        break;
    case json_type_object:
        append_object(buffer, value, indent);
        break;
    case json_type_array:
        append_array(buffer, value, indent);
        break;
    case json_type_string:
        append_string(buffer, value);
        break;
    }
}

void json_append(struct buffer *buffer, const struct json_object *value)
{
    append_value(buffer, value, -1);
}

void json_append_pretty(struct buffer *buffer, const struct json_object *value)
{
    append_value(buffer, value, 0);
}

char *json_to_text(const struct json_object *value, size_t *ret_size)
{
    struct buffer buffer = BUFFER_INIT(SIZE_MAX / 2);

    json_append(&buffer, value);
    return buffer_take(&buffer, ret_size);
}
