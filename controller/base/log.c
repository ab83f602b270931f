#include "controller/base/log.h"

#include <inttypes.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* Each byte of a value may need "\u0000". */
#define QUOTED_BYTES_MAX (6 * LOG_VALUE_BYTES_MAX + 2)

static const char *const level_names[] = {
    [LOG_DEBUG] = "debug",
    [LOG_INFO] = "info",
    [LOG_WARN] = "warn",
    [LOG_ERROR] = "error",
};

const char *log_level_name(enum log_level level)
{
    return level_names[level];
}

bool log_level_parse(const char *text, enum log_level *ret_level)
{
    for (size_t i = 0; i < ARRAY_SIZE(level_names); i++) {
        if (text_equal(text, level_names[i])) {
            *ret_level = (enum log_level)i;
            return true;
        }
    }
    return false;
}

/* How much of the value to show; what is cut leaves room for "..." and ends between characters. */
static size_t shown_size(const char *value, bool *ret_cut)
{
    size_t size = strnlen(value, LOG_VALUE_BYTES_MAX + 1);

    *ret_cut = size > LOG_VALUE_BYTES_MAX;
    if (!*ret_cut)
        return size;
    size = LOG_VALUE_BYTES_MAX - 3;
    while (size > LOG_VALUE_BYTES_MAX - 6 && ((unsigned char)value[size] & 0xc0) == 0x80)
        size--;
    return size;
}

/* Whether a character makes a terminal do something, or shows a line otherwise than it is: DEL, the
 * C1 controls, line separators, and what turns the direction of writing around (UAX 9). */
static bool is_treacherous(unsigned code)
{
    return (code >= 0x7f && code <= 0x9f) || code == 0x61c || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* The size of a treacherous character that the valid UTF-8 begins with; 0 when it is none. */
static size_t treacherous_size(const char *text, unsigned *ret_code)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t size = 1;

    *ret_code = at[0];
    if ((at[0] & 0xe0) == 0xc0) {
        size = 2;
        *ret_code = (at[0] & 0x1fU) << 6 | (at[1] & 0x3fU);
    } else if ((at[0] & 0xf0) == 0xe0) {
        size = 3;
        *ret_code = (at[0] & 0x0fU) << 12 | (at[1] & 0x3fU) << 6 | (at[2] & 0x3fU);
    } else if (at[0] >= 0x80) {
        return 0; /* inside a character, or beyond the first plane */
    }
    return is_treacherous(*ret_code) ? size : 0;
}

static bool needs_quotes(const char *value, size_t size)
{
    unsigned code;

    if (size == 0 || !text_is_utf8(value, size))
        return true;
    for (size_t i = 0; i < size; i++) {
        unsigned char character = (unsigned char)value[i];

        if (character <= ' ' || character == '"' || character == '=' || character == '\\' ||
            treacherous_size(value + i, &code) > 0)
            return true;
    }
    return false;
}

/* As a JSON string. */
static void append_quoted(struct buffer *buffer, const char *value, size_t size)
{
    struct buffer quoted = BUFFER_INIT(QUOTED_BYTES_MAX);
    const char *at;

    json_append_quoted(&quoted, value, size);
    for (at = buffer_text(&quoted); *at != '\0';) {
        unsigned code;
        size_t width = treacherous_size(at, &code);

        if (width > 0)
            buffer_append_format(buffer, "\\u%04x", code);
        else
            buffer_append_char(buffer, *at);
        at += width > 0 ? width : 1;
    }
    buffer_release(&quoted);
}

static void append_value(struct buffer *buffer, const char *value, bool always_quoted)
{
    char shown[LOG_VALUE_BYTES_MAX];
    bool cut;
    size_t size = shown_size(value, &cut);

    memcpy(shown, value, size);
    if (cut) {
        memcpy(shown + size, "...", 3);
        size += 3;
    }
    if (always_quoted || needs_quotes(shown, size))
        append_quoted(buffer, shown, size);
    else
        buffer_append(buffer, shown, size);
}

void log_append_text(struct buffer *buffer, const struct log_record *record)
{
    buffer_append_text(buffer, record->message);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct log_field *field = &record->fields[i];

        buffer_append_format(buffer, " %s=", field->key);
        if (field->text == NULL)
            buffer_append_format(buffer, "%" PRId64, field->number);
        else
            append_value(buffer, field->text, false);
    }
}

void log_append_json(struct buffer *buffer, const struct log_record *record, int64_t wall_us)
{
    char time[TIME_TEXT_SIZE];

    time_format_micro(wall_us, time);
    buffer_append_format(buffer, "{\"time\":\"%s\",\"level\":\"%s\",\"msg\":", time,
                         log_level_name(record->level));
    append_value(buffer, record->message, true);
    for (size_t i = 0; i < record->field_count; i++) {
        const struct log_field *field = &record->fields[i];

        buffer_append_char(buffer, ',');
        json_append_quoted(buffer, field->key, strlen(field->key));
        buffer_append_char(buffer, ':');
        if (field->text == NULL)
            buffer_append_format(buffer, "%" PRId64, field->number);
        else
            append_value(buffer, field->text, true);
    }
    buffer_append_char(buffer, '}');
}
