#include "controller/base/yaml_gate.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"

/* No block scalar is open; -1 is one that only a document marker ends. */
#define NO_BLOCK (-2)

struct scan {
    char *bytes; /* the copy that is handed on */
    size_t size;
    size_t at;
    char stand_in;
    bool stood_in;
    char quote;         /* the open quoted scalar's, or '\0' */
    bool behind_quoted; /* nothing but blanks since a quoted scalar was closed */
    unsigned flow_depth;
    long block_indent;    /* the open block scalar's lines are indented by more; or NO_BLOCK */
    long node_indent;     /* of the last "- " or key on this line */
    bool token_start;     /* the next character that is not blank begins a token */
    unsigned blank_lines; /* in a row, up to here */
    struct error *err;
};

static bool refuse(const struct scan *scan, const char *what)
{
    return error_set(scan->err, ERROR_MALFORMED, "%s", what);
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* The byte, or a line end where the text ends. */
static char peek(const struct scan *scan, size_t at)
{
    return at < scan->size ? scan->bytes[at] : '\n';
}

static bool is_space(char character)
{
    return is_blank(character) || character == '\n';
}

static bool is_flow_indicator(char character)
{
    return character != '\0' && strchr(",[]{}", character) != NULL;
}

static bool is_key_mark(const struct scan *scan, size_t at)
{
    char next = peek(scan, at + 1);

    return scan->bytes[at] == '?' && (is_space(next) || is_flow_indicator(next));
}

static void stand_in(struct scan *scan, size_t at)
{
    scan->bytes[at] = scan->stand_in;
    scan->stood_in = true;
}

/* To the line's end, all of it a scalar's or a comment's. */
static void pass_line(struct scan *scan)
{
    for (; peek(scan, scan->at) != '\n'; scan->at++) {
        if (is_key_mark(scan, scan->at))
            stand_in(scan, scan->at);
    }
}

/* Whether the line goes on as a block scalar's header does: "|2-  # why". */
static bool is_block_header(const struct scan *scan, size_t at)
{
    size_t digits;

    for (digits = at; strchr("+-0123456789", peek(scan, digits)) != NULL; digits++)
        ;
    for (at = digits; is_blank(peek(scan, at)); at++)
        ;
    return peek(scan, at) == '\n' || (at > digits && peek(scan, at) == '#');
}

static bool enter_flow(struct scan *scan)
{
    if (++scan->flow_depth > YAML_DEPTH_MAX)
        return error_set(scan->err, ERROR_TOO_LARGE, "nested too deeply");
    return true;
}

static void leave_flow(struct scan *scan)
{
    if (scan->flow_depth > 0)
        scan->flow_depth--;
    scan->token_start = false;
}

static long column(const struct scan *scan, size_t line_start)
{
    return (long)(scan->at - line_start);
}

/* The first character of a token. */
static bool begin_token(struct scan *scan, size_t line_start)
{
    char character = scan->bytes[scan->at];
    bool before_space = is_space(peek(scan, scan->at + 1));

    switch (character) {
    case '-':
        if (before_space && scan->flow_depth == 0) {
            scan->node_indent = column(scan, line_start);
            return true;
        }
        break;
    case ':':
        if (before_space)
            return true;
        break;
    case ',':
        if (scan->flow_depth > 0)
            return true;
        break;
    case '?':
        if (is_key_mark(scan, scan->at))
            return refuse(scan, "'? ' keys are not taken");
        break;
    case '[':
    case '{':
        return enter_flow(scan);
    case ']':
    case '}':
        leave_flow(scan);
        return true;
    case '"':
    case '\'':
        scan->quote = character;
        break;
    case '|':
    case '>':
        if (scan->flow_depth == 0 && is_block_header(scan, scan->at + 1))
            scan->block_indent = scan->node_indent;
        break;
    default:
        break;
    }
    scan->token_start = false;
    return true;
}

/* A character inside a plain scalar, or behind a quoted one. */
static bool go_on(struct scan *scan)
{
    char character = scan->bytes[scan->at];
    char next = peek(scan, scan->at + 1);
    bool flow = scan->flow_depth > 0;

    if (character == ':')
        scan->token_start =
            is_space(next) || (flow && (is_flow_indicator(next) || scan->behind_quoted));
    else if (flow && character == ',')
        scan->token_start = true;
    else if (flow && (character == '[' || character == '{')) {
        scan->token_start = true;
        return enter_flow(scan);
    } else if (flow && (character == ']' || character == '}'))
        leave_flow(scan);
    else if (is_key_mark(scan, scan->at))
        stand_in(scan, scan->at);
    return true;
}

/* A character inside a quoted scalar. */
static void go_on_quoted(struct scan *scan)
{
    char character = scan->bytes[scan->at];

    if (is_key_mark(scan, scan->at)) {
        stand_in(scan, scan->at);
    } else if (character == '\\' && scan->quote == '"') {
        if (peek(scan, scan->at + 1) != '\n' && peek(scan, scan->at + 1) != '?')
            scan->at++;
    } else if (character == scan->quote) {
        if (character == '\'' && peek(scan, scan->at + 1) == '\'') {
            scan->at++;
        } else {
            scan->quote = '\0';
            scan->behind_quoted = true;
        }
    }
}

/* The rest of a line, from scan->at. */
static bool scan_tokens(struct scan *scan, size_t line_start)
{
    for (; peek(scan, scan->at) != '\n'; scan->at++) {
        char character = scan->bytes[scan->at];
        bool first = scan->at == line_start || is_blank(scan->bytes[scan->at - 1]);

        if (scan->quote != '\0') {
            go_on_quoted(scan);
            continue;
        }
        if (is_blank(character))
            continue;
        if (character == '#' && first) {
            pass_line(scan);
            break;
        }
        if (!scan->token_start) {
            if (!go_on(scan))
                return false;
        } else {
            long here = column(scan, line_start);

            if (!begin_token(scan, line_start))
                return false;
            if (!scan->token_start && scan->block_indent == NO_BLOCK && scan->flow_depth == 0 &&
                here > scan->node_indent)
                scan->node_indent = here; /* it may turn out to be a key */
        }
        if (scan->quote == '\0' && character != ':')
            scan->behind_quoted = false;
    }
    return true;
}

/* libfyaml takes quadratic time over a scalar's blank lines in a row. */
static bool count_blank_line(struct scan *scan, bool blank)
{
    scan->blank_lines = blank ? scan->blank_lines + 1 : 0;
    if (scan->blank_lines > YAML_BLANK_LINES_MAX)
        return error_set(scan->err, ERROR_TOO_LARGE, "more than %d blank lines in a row",
                         YAML_BLANK_LINES_MAX);
    return true;
}

static bool is_document_marker(const struct scan *scan, size_t at)
{
    return scan->size - at >= 3 &&
           (memcmp(scan->bytes + at, "---", 3) == 0 || memcmp(scan->bytes + at, "...", 3) == 0) &&
           is_space(peek(scan, at + 3));
}

static bool scan_line(struct scan *scan)
{
    size_t line_start = scan->at;
    size_t content;
    long indent;

    scan->token_start = scan->quote == '\0';
    scan->node_indent = -1;
    scan->behind_quoted = false;
    if (peek(scan, scan->at) == '%')
        return refuse(scan, "lines that begin with '%' are not taken");
    if (is_document_marker(scan, scan->at)) {
        scan->quote = '\0';
        scan->flow_depth = 0;
        scan->block_indent = NO_BLOCK;
        scan->token_start = true;
        scan->at += 3;
        return scan_tokens(scan, line_start);
    }
    while (peek(scan, scan->at) == ' ')
        scan->at++;
    indent = (long)(scan->at - line_start);
    for (content = scan->at; is_blank(peek(scan, content)); content++)
        ;
    if (!count_blank_line(scan, peek(scan, content) == '\n'))
        return false;
    if (scan->block_indent != NO_BLOCK) {
        if (indent > scan->block_indent || peek(scan, content) == '\n') {
            pass_line(scan);
            return true;
        }
        scan->block_indent = NO_BLOCK;
    }
    scan->node_indent = indent - 1; /* of a block scalar whose header stands alone */
    if (content > scan->at && scan->quote == '\0' && scan->flow_depth == 0 &&
        peek(scan, content) != '\n' && peek(scan, content) != '#')
        return refuse(scan, "a tab in the indentation");
    return scan_tokens(scan, line_start);
}

/* Of the byte order mark at the start, if there is one. */
static size_t mark_size(const char *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

static bool scan_lines(struct scan *scan)
{
    scan->at = mark_size(scan->bytes, scan->size);
    while (scan->at < scan->size) {
        if (!scan_line(scan))
            return false;
        if (scan->at < scan->size)
            scan->at++;
    }
    return true;
}

static bool is_character(unsigned char byte)
{
    return byte >= ' ' || byte == '\t' || byte == '\n';
}

static bool check_bytes(struct scan *scan)
{
    unsigned blanks = 0;

    while (scan->at < scan->size) {
        size_t step = text_utf8_size(scan->bytes + scan->at, scan->size - scan->at);

        if (step == 0)
            return refuse(scan, "not UTF-8");
        if (!is_character((unsigned char)scan->bytes[scan->at]))
            return refuse(scan, "a control character");
        blanks = is_blank(scan->bytes[scan->at]) ? blanks + 1 : 0;
        if (blanks > YAML_BLANKS_MAX)
            return error_set(scan->err, ERROR_TOO_LARGE, "more than %d blanks in a row",
                             YAML_BLANKS_MAX);
        scan->at += step;
    }
    scan->at = 0;
    return true;
}

/* The code that \xNN, \uNNNN or \UNNNNNNNN spells when that is below 32; else 0. */
static unsigned spelled_control(const char *escape, size_t size)
{
    static const char *const forms[] = {"x", "u00", "U000000"};

    for (size_t i = 0; i < ARRAY_SIZE(forms); i++) {
        size_t lead = 1 + strlen(forms[i]);
        char digits[3];

        if (size < lead + 2 || memcmp(escape + 1, forms[i], lead - 1) != 0)
            continue;
        memcpy(digits, escape + lead, 2);
        digits[2] = '\0';
        if (digits[0] == '0' || digits[0] == '1')
            return (unsigned)strtoul(digits, NULL, 16);
    }
    return 0;
}

/* A control character that no escape in the text spells, from 31 down; '\0' when all are. Those
 * with short escapes (7 to 13 and 27) are never taken. */
static char choose_stand_in(const char *bytes, size_t size)
{
    uint32_t taken = UINT32_C(1) << 27 | UINT32_C(0x3f81);
    const char *end = bytes + size;
    const char *at = bytes;

    while ((at = memchr(at, '\\', (size_t)(end - at))) != NULL) {
        taken |= UINT32_C(1) << spelled_control(at, (size_t)(end - at));
        at++;
    }
    for (unsigned code = 31; code > 0; code--) {
        if ((taken >> code & 1) == 0)
            return (char)code;
    }
    return '\0';
}

/* Copies the text with each CR LF and each CR as a line end; libfyaml folds some of them wrongly.
 */
static char *copy_lines(const char *bytes, size_t size, size_t *ret_size)
{
    char *copy = xmemdup(bytes, size);
    char *out = copy;

    for (size_t i = 0; i < size; i++) {
        if (copy[i] != '\r')
            *out++ = copy[i];
        else if (copy[i + 1] != '\n') /* behind the last there is a NUL */
            *out++ = '\n';
    }
    *out = '\0';
    *ret_size = (size_t)(out - copy);
    return copy;
}

static struct yaml_position position_of(const char *bytes, size_t at)
{
    struct yaml_position position = {.line = 1, .column = 1};

    for (size_t i = mark_size(bytes, at); i < at; i++) {
        if (bytes[i] == '\n')
            position = (struct yaml_position){.line = position.line + 1, .column = 1};
        else if (((unsigned char)bytes[i] & 0xc0) != 0x80)
            position.column++;
    }
    return position;
}

static bool scan_all(struct scan *scan)
{
    if (!check_bytes(scan))
        return false;
    scan->stand_in = choose_stand_in(scan->bytes, scan->size);
    if (!scan_lines(scan))
        return false;
    if (!scan->stood_in || scan->stand_in != '\0')
        return true;
    scan->at = 0;
    return refuse(scan, "every control character as an escape, and '? '");
}

bool yaml_gate_open(const char *bytes, size_t size, struct yaml_gate *ret_gate,
                    struct yaml_position *ret_at, struct error *err)
{
    struct scan scan = {.block_indent = NO_BLOCK, .node_indent = -1, .err = err};

    scan.bytes = copy_lines(bytes, size, &scan.size);
    if (!scan_all(&scan)) {
        *ret_at = position_of(scan.bytes, scan.at);
        free(scan.bytes);
        return false;
    }
    *ret_gate = (struct yaml_gate){
        .bytes = scan.bytes,
        .size = scan.size,
        .stand_in = scan.stood_in ? scan.stand_in : '\0',
    };
    return true;
}

void yaml_gate_release(struct yaml_gate *gate)
{
    free(gate->bytes);
    *gate = (struct yaml_gate){0};
}
