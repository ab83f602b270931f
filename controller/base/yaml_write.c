#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "controller/base/yaml_scalar.h"

struct writer {
    struct buffer *buffer;
    bool controls; /* some string holds a control character, so '? ' needs an escape everywhere */
};

/* Letters and digits that begin or fill a plain scalar, and marks that only fill one. */
static bool may_begin_plain(unsigned char character)
{
    return (character >= 'a' && character <= 'z') || (character >= 'A' && character <= 'Z') ||
           (character >= '0' && character <= '9') || character == '_' || character == '/';
}

static bool may_fill_plain(unsigned char character)
{
    return may_begin_plain(character) ||
           (character != '\0' && strchr("-.+=@,;()$*<>&^~", character) != NULL);
}

/* Words that readers of YAML 1.1 take for booleans. */
static bool is_old_boolean(const char *text)
{
    static const char *const words[] = {"y", "n", "yes", "no", "on", "off"};

    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (text_equal_ignoring_case(text, words[i]))
            return true;
    }
    return false;
}

/* Dates too, for their sake. */
static bool looks_numeric(const char *text)
{
    return text[0] >= '0' && text[0] <= '9' && text[strspn(text, "0123456789-_:.+eETZxo")] == '\0';
}

static bool may_be_plain(const char *text, size_t size)
{
    struct json_object *resolved;

    if (size == 0 || !may_begin_plain((unsigned char)text[0]) || text[size - 1] == ' ' ||
        text[size - 1] == ':')
        return false;
    for (size_t i = 1; i < size; i++) {
        bool fills = may_fill_plain((unsigned char)text[i]) || text[i] == ' ' ||
                     (text[i] == ':' && text[i + 1] != ' ');

        if (!fills)
            return false;
    }
    if (is_old_boolean(text) || looks_numeric(text))
        return false;
    if (yaml_resolve_plain(text, &resolved)) {
        json_object_put(resolved);
        return false;
    }
    return true;
}

/* What double quotes show as it is. Not C1 controls, line and paragraph separators, and marks that
 * readers take for something else. */
static bool is_printable(const char *at, size_t size)
{
    const unsigned char *byte = (const unsigned char *)at;

    if (size == 1)
        return byte[0] >= ' ' && byte[0] != 0x7f;
    if (size == 2)
        return byte[0] != 0xc2 || byte[1] >= 0xa0;
    if (size == 3 && byte[0] == 0xe2 && byte[1] == 0x80)
        return byte[2] != 0xa8 && byte[2] != 0xa9;
    if (size == 3 && byte[0] == 0xef)
        return !(byte[1] == 0xbb && byte[2] == 0xbf) && !(byte[1] == 0xbf && byte[2] >= 0xbe);
    return true;
}

static unsigned code_of(const char *at, size_t size)
{
    const unsigned char *byte = (const unsigned char *)at;

    if (size == 1)
        return byte[0];
    if (size == 2)
        return (byte[0] & 0x1fU) << 6 | (byte[1] & 0x3fU);
    return (byte[0] & 0x0fU) << 12 | (byte[1] & 0x3fU) << 6 | (byte[2] & 0x3fU);
}

static void append_character(struct buffer *buffer, const char *at, size_t size)
{
    if (size == 1 && (*at == '"' || *at == '\\'))
        buffer_append_char(buffer, '\\');
    if (is_printable(at, size))
        buffer_append(buffer, at, size);
    else if (*at == '\n')
        buffer_append_text(buffer, "\\n");
    else if (*at == '\t')
        buffer_append_text(buffer, "\\t");
    else if (*at == '\r')
        buffer_append_text(buffer, "\\r");
    else if (*at == '\0')
        buffer_append_text(buffer, "\\0");
    else
        buffer_append_format(buffer, "\\u%04x", code_of(at, size));
}

/* Whether a '?' here could be taken for a key's mark; see yaml_gate.h. */
static bool is_key_mark(const char *at, size_t size)
{
    return *at == '?' && (size == 1 || strchr(" \t\r\n,[]{}", at[1]) != NULL);
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* Whether there are more blanks in a row than yaml_parse() takes. */
static bool has_many_blanks(const char *text, size_t size)
{
    unsigned blanks = 0;

    for (size_t i = 0; i < size; i++) {
        blanks = is_blank(text[i]) ? blanks + 1 : 0;
        if (blanks > YAML_BLANKS_MAX)
            return true;
    }
    return false;
}

static void append_quoted(struct buffer *buffer, const char *text, size_t size)
{
    unsigned blanks = 0;

    buffer_append_char(buffer, '"');
    while (size > 0) {
        size_t step = text_utf8_size(text, size);

        blanks = *text == ' ' ? blanks + 1 : 0;
        if (blanks == YAML_BLANKS_MAX) {
            buffer_append_text(buffer, "\\x20");
            blanks = 0;
        } else if (step == 0) {
            buffer_append_text(buffer, "\xef\xbf\xbd"); /* U+FFFD */
            step = 1;
        } else if (is_key_mark(text, size)) {
            buffer_append_text(buffer, "\\x3f");
        } else {
            append_character(buffer, text, step);
        }
        text += step;
        size -= step;
    }
    buffer_append_char(buffer, '"');
}

/* Whether one line, without its end, may stand in a literal block. */
static bool may_be_literal_line(const struct writer *writer, const char *line, size_t size)
{
    bool blank = true;

    for (size_t i = 0; i < size;) {
        size_t step = text_utf8_size(line + i, size - i);

        if (step == 0 || (!is_printable(line + i, step) && line[i] != '\t'))
            return false;
        if (writer->controls && is_key_mark(line + i, size - i))
            return false;
        blank = blank && is_blank(line[i]);
        i += step;
    }
    return size == 0 || (!blank && line[0] != '\t');
}

/* Several lines, ending in one line end or none, the first of them not indented. */
static bool may_be_literal(const struct writer *writer, const char *text, size_t size)
{
    const char *end = text + size;
    unsigned blank_lines = 0;

    if (size < 2 || memchr(text, '\n', size - 1) == NULL || text[0] == ' ' || text[0] == '\n')
        return false;
    if (text[size - 1] == '\n' && text[size - 2] == '\n')
        return false;
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));

        if (line_end == NULL)
            line_end = end;
        blank_lines = line_end == text ? blank_lines + 1 : 0;
        if (blank_lines > YAML_BLANK_LINES_MAX ||
            !may_be_literal_line(writer, text, (size_t)(line_end - text)))
            return false;
        text = line_end + 1;
    }
    return true;
}

static void append_indent(struct buffer *buffer, unsigned indent)
{
    buffer_append_format(buffer, "%*s", (int)indent, "");
}

static void append_literal(struct buffer *buffer, const char *text, size_t size, unsigned indent)
{
    const char *end = text + size;

    buffer_append_text(buffer, end[-1] == '\n' ? "|" : "|-");
    while (text < end) {
        const char *line_end = memchr(text, '\n', (size_t)(end - text));

        if (line_end == NULL)
            line_end = end;
        buffer_append_char(buffer, '\n');
        if (line_end > text)
            append_indent(buffer, indent);
        buffer_append(buffer, text, (size_t)(line_end - text));
        text = line_end + 1;
    }
}

void yaml_append_key(struct buffer *buffer, const char *key)
{
    size_t size = strlen(key);

    if (!has_many_blanks(key, size) && may_be_plain(key, size))
        buffer_append(buffer, key, size);
    else
        append_quoted(buffer, key, size);
    buffer_append_char(buffer, ':');
}

/* Borrowed, NUL behind it. */
static const char *string_of(const struct json_object *value, size_t *ret_size)
{
    union {
        const struct json_object *in;
        struct json_object *out;
    } unconst = {.in = value};

    *ret_size = (size_t)json_object_get_string_len(value);
    return json_object_get_string(unconst.out);
}

static void append_string(const struct writer *writer, const struct json_object *value,
                          unsigned indent, bool top)
{
    size_t size;
    const char *text = string_of(value, &size);

    if (has_many_blanks(text, size) || memchr(text, '\0', size) != NULL)
        append_quoted(writer->buffer, text, size);
    else if (may_be_plain(text, size))
        buffer_append(writer->buffer, text, size);
    else if (!top && may_be_literal(writer, text, size))
        append_literal(writer->buffer, text, size, indent);
    else
        append_quoted(writer->buffer, text, size);
}

static size_t member_count(const struct json_object *value)
{
    if (json_is(value, json_type_object))
        return (size_t)json_object_object_length(value);
    return json_is(value, json_type_array) ? json_object_array_length(value) : 0;
}

static void append_block(const struct writer *writer, const struct json_object *value,
                         unsigned indent);

/* A scalar, or an empty collection; what follows it is the caller's. */
static void append_inline(const struct writer *writer, const struct json_object *value,
                          unsigned indent, bool top)
{
    if (json_is(value, json_type_string))
        append_string(writer, value, indent, top);
    else
        json_append(writer->buffer, value);
}

/* Members in lines of their own, the first one where the buffer stands. */
static void append_mapping(const struct writer *writer, const struct json_object *object,
                           unsigned indent)
{
    struct json_object_iter member;
    bool first = true;

    json_object_object_foreachC(object, member)
    {
        if (!first) {
            buffer_append_char(writer->buffer, '\n');
            append_indent(writer->buffer, indent);
        }
        first = false;
        yaml_append_key(writer->buffer, member.key);
        if (member_count(member.val) == 0) {
            buffer_append_char(writer->buffer, ' ');
            append_inline(writer, member.val, indent + 2, false);
        } else {
            unsigned deeper = json_is(member.val, json_type_array) ? indent : indent + 2;

            buffer_append_char(writer->buffer, '\n');
            append_indent(writer->buffer, deeper);
            append_block(writer, member.val, deeper);
        }
    }
}

static void append_sequence(const struct writer *writer, const struct json_object *array,
                            unsigned indent)
{
    size_t count = json_object_array_length(array);

    for (size_t i = 0; i < count; i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);

        if (i > 0) {
            buffer_append_char(writer->buffer, '\n');
            append_indent(writer->buffer, indent);
        }
        buffer_append_text(writer->buffer, "- ");
        if (member_count(item) == 0)
            append_inline(writer, item, indent + 2, false);
        else
            append_block(writer, item, indent + 2);
    }
}

/* A collection that is not empty. */
static void append_block(const struct writer *writer, const struct json_object *value,
                         unsigned indent)
{
    if (json_is(value, json_type_object))
        append_mapping(writer, value, indent);
    else
        append_sequence(writer, value, indent);
}

static bool text_has_controls(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)text[i] < ' ' && text[i] != '\n' && text[i] != '\t' && text[i] != '\r')
            return true;
    }
    return false;
}

static bool has_controls(const struct json_object *value)
{
    if (json_is(value, json_type_string)) {
        size_t size;
        const char *text = string_of(value, &size);

        return text_has_controls(text, size);
    }
    if (json_is(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            if (has_controls(json_object_array_get_idx(value, i)))
                return true;
        }
    } else if (json_is(value, json_type_object)) {
        struct json_object_iter member;

        json_object_object_foreachC(value, member)
        {
            if (text_has_controls(member.key, strlen(member.key)) || has_controls(member.val))
                return true;
        }
    }
    return false;
}

void yaml_append(struct buffer *buffer, const struct json_object *value)
{
    struct writer writer = {.buffer = buffer, .controls = has_controls(value)};

    if (member_count(value) == 0)
        append_inline(&writer, value, 0, true);
    else
        append_block(&writer, value, 0);
    buffer_append_char(buffer, '\n');
}

/* --- in one line --- */

static void append_flow_text(struct buffer *buffer, const char *text, size_t size)
{
    if (memchr(text, '\0', size) == NULL && strpbrk(text, ",:") == NULL &&
        !has_many_blanks(text, size) && may_be_plain(text, size))
        buffer_append(buffer, text, size);
    else
        append_quoted(buffer, text, size);
}

static void append_flow_scalar(struct buffer *buffer, const struct json_object *value)
{
    if (json_is(value, json_type_string)) {
        size_t size;
        const char *text = string_of(value, &size);

        append_flow_text(buffer, text, size);
    } else {
        json_append(buffer, value);
    }
}

void yaml_append_flow(struct buffer *buffer, const struct json_object *value)
{
    const char *between = "";

    if (json_is(value, json_type_object)) {
        struct json_object_iter member;

        buffer_append_char(buffer, '{');
        json_object_object_foreachC(value, member)
        {
            buffer_append_text(buffer, between);
            append_flow_text(buffer, member.key, strlen(member.key));
            buffer_append_text(buffer, ": ");
            yaml_append_flow(buffer, member.val);
            between = ", ";
        }
        buffer_append_char(buffer, '}');
    } else if (json_is(value, json_type_array)) {
        buffer_append_char(buffer, '[');
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            buffer_append_text(buffer, between);
            yaml_append_flow(buffer, json_object_array_get_idx(value, i));
            between = ", ";
        }
        buffer_append_char(buffer, ']');
    } else {
        append_flow_scalar(buffer, value);
    }
}
