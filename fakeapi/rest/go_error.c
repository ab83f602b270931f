#include "fakeapi/rest/go_error.h"

#include <stdio.h>
#include <string.h>

#include "fakeapi/schema/field_error.h"

/* What may come next. */
enum place {
    PLACE_VALUE,         /* a value */
    PLACE_VALUE_OR_END,  /* in a new array */
    PLACE_KEY,           /* behind a comma */
    PLACE_KEY_OR_END,    /* in a new object */
    PLACE_COLON,         /* behind a key */
    PLACE_BEHIND_MEMBER, /* a comma or the end */
    PLACE_BEHIND_ITEM,
    PLACE_BEHIND_ALL,
};

static const char *const contexts[] = {
    [PLACE_VALUE] = "looking for beginning of value",
    [PLACE_VALUE_OR_END] = "looking for beginning of value",
    [PLACE_KEY] = "looking for beginning of object key string",
    [PLACE_KEY_OR_END] = "looking for beginning of object key string",
    [PLACE_COLON] = "after object key",
    [PLACE_BEHIND_MEMBER] = "after object key:value pair",
    [PLACE_BEHIND_ITEM] = "after array element",
    [PLACE_BEHIND_ALL] = "after top-level value",
};

struct scan {
    struct buffer *text;
    const char *at;
    const char *end;
    enum place place;
    char open[JSON_DEPTH_MAX]; /* brackets */
    size_t depth;
    bool refused;
};

/* --- saying it --- */

static bool refuse_end(struct scan *scan)
{
    buffer_append_text(scan->text, "unexpected end of JSON input");
    scan->refused = true;
    return false;
}

/* As Go shows a character: in single quotes, a byte that is not ASCII as the rune of that number.
 */
static void append_character(struct buffer *text, unsigned char byte)
{
    struct buffer quoted = BUFFER_INIT(64);
    char utf8[2] = {(char)(0xc0 | byte >> 6), (char)(0x80 | (byte & 0x3f))};
    char ascii = (char)byte;

    if (byte == '\'')
        buffer_append_text(&quoted, "\"\\'\"");
    else if (byte == '"')
        buffer_append_text(&quoted, "\"\"\"");
    else
        field_error_append_quoted_bytes(&quoted, byte < 0x80 ? &ascii : utf8, byte < 0x80 ? 1 : 2);
    buffer_append_char(text, '\'');
    buffer_append(text, quoted.bytes + 1, quoted.size - 2);
    buffer_append_char(text, '\'');
    buffer_release(&quoted);
}

static bool refuse(struct scan *scan, const char *context)
{
    if (scan->at == scan->end)
        return refuse_end(scan);
    buffer_append_text(scan->text, "invalid character ");
    append_character(scan->text, (unsigned char)*scan->at);
    buffer_append_format(scan->text, " %s", context);
    scan->refused = true;
    return false;
}

/* --- scalars: each moves behind what it takes; false: refused --- */

static bool is_digit(const struct scan *scan)
{
    return scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9';
}

static bool is_hex(char byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'a' && byte <= 'f') ||
           (byte >= 'A' && byte <= 'F');
}

static bool take_digits(struct scan *scan, const char *context)
{
    if (!is_digit(scan))
        return refuse(scan, context);
    while (is_digit(scan))
        scan->at++;
    return true;
}

static bool take_number(struct scan *scan)
{
    if (*scan->at == '-')
        scan->at++;
    if (scan->at < scan->end && *scan->at == '0')
        scan->at++;
    else if (!take_digits(scan, "in numeric literal"))
        return false;
    if (scan->at < scan->end && *scan->at == '.') {
        scan->at++;
        if (!take_digits(scan, "after decimal point in numeric literal"))
            return false;
    }
    if (scan->at == scan->end || (*scan->at | 0x20) != 'e')
        return true;
    scan->at++;
    if (scan->at < scan->end && (*scan->at == '+' || *scan->at == '-'))
        scan->at++;
    return take_digits(scan, "in exponent of numeric literal");
}

static bool take_escape(struct scan *scan)
{
    scan->at++;
    if (scan->at == scan->end || *scan->at == '\0' || strchr("\"\\/bfnrtu", *scan->at) == NULL)
        return refuse(scan, "in string escape code");
    if (*scan->at++ != 'u')
        return true;
    for (unsigned i = 0; i < 4; i++, scan->at++)
        if (scan->at == scan->end || !is_hex(*scan->at))
            return refuse(scan, "in \\u hexadecimal character escape");
    return true;
}

static bool take_string(struct scan *scan)
{
    for (scan->at++; scan->at < scan->end && *scan->at != '"';) {
        if ((unsigned char)*scan->at < ' ')
            return refuse(scan, "in string literal");
        if (*scan->at != '\\')
            scan->at++;
        else if (!take_escape(scan))
            return false;
    }
    if (scan->at == scan->end)
        return refuse_end(scan);
    scan->at++;
    return true;
}

static bool take_word(struct scan *scan, const char *word)
{
    for (size_t i = 0; word[i] != '\0'; i++, scan->at++) {
        char context[64];

        if (scan->at < scan->end && *scan->at == word[i])
            continue;
        snprintf(context, sizeof(context), "in literal %s (expecting '%c')", word, word[i]);
        return refuse(scan, context);
    }
    return true;
}

/* --- structure --- */

static void behind_value(struct scan *scan)
{
    if (scan->depth == 0)
        scan->place = PLACE_BEHIND_ALL;
    else
        scan->place = scan->open[scan->depth - 1] == '{' ? PLACE_BEHIND_MEMBER : PLACE_BEHIND_ITEM;
}

static bool open_container(struct scan *scan)
{
    if (scan->depth == JSON_DEPTH_MAX)
        return false;
    scan->open[scan->depth++] = *scan->at;
    scan->place = *scan->at++ == '{' ? PLACE_KEY_OR_END : PLACE_VALUE_OR_END;
    return true;
}

static bool close_container(struct scan *scan)
{
    scan->at++;
    scan->depth--;
    behind_value(scan);
    return true;
}

static bool take_value(struct scan *scan)
{
    bool ok;

    switch (*scan->at) {
    case '{':
    case '[':
        return open_container(scan);
    case '"':
        ok = take_string(scan);
        break;
    case 't':
        ok = take_word(scan, "true");
        break;
    case 'f':
        ok = take_word(scan, "false");
        break;
    case 'n':
        ok = take_word(scan, "null");
        break;
    default:
        if (*scan->at != '-' && !is_digit(scan))
            return refuse(scan, contexts[PLACE_VALUE]);
        ok = take_number(scan);
        break;
    }
    if (ok)
        behind_value(scan);
    return ok;
}

/* scan->at is on a byte that is no space. */
static bool step(struct scan *scan)
{
    char byte = *scan->at;

    switch (scan->place) {
    case PLACE_VALUE_OR_END:
        if (byte == ']')
            return close_container(scan);
        return take_value(scan);
    case PLACE_VALUE:
        return take_value(scan);
    case PLACE_KEY_OR_END:
        if (byte == '}')
            return close_container(scan);
        /* fall through */
    case PLACE_KEY:
        if (byte != '"')
            return refuse(scan, contexts[PLACE_KEY]);
        scan->place = PLACE_COLON;
        return take_string(scan);
    case PLACE_COLON:
        if (byte != ':')
            break;
        scan->at++;
        scan->place = PLACE_VALUE;
        return true;
    case PLACE_BEHIND_MEMBER:
    case PLACE_BEHIND_ITEM:
        if (byte == (scan->place == PLACE_BEHIND_MEMBER ? '}' : ']'))
            return close_container(scan);
        if (byte != ',')
            break;
        scan->at++;
        scan->place = scan->place == PLACE_BEHIND_MEMBER ? PLACE_KEY : PLACE_VALUE;
        return true;
    case PLACE_BEHIND_ALL:
        break;
    }
    return refuse(scan, contexts[scan->place]);
}

bool go_error_syntax(struct buffer *text, const char *bytes, size_t size)
{
    struct scan scan = {.text = text, .at = bytes, .end = bytes + size, .place = PLACE_VALUE};

    for (;;) {
        while (scan.at < scan.end && memchr(" \t\r\n", *scan.at, 4) != NULL)
            scan.at++;
        if (scan.at == scan.end)
            break;
        if (!step(&scan))
            return scan.refused;
    }
    if (scan.place != PLACE_BEHIND_ALL)
        refuse_end(&scan);
    return scan.refused;
}
