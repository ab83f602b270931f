#include "controller/base/json_gate.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"
#include "controller/base/json_keys.h"
#include "controller/base/lanes.h"
#include "controller/base/text.h"

/* Longest spelling of one number: all digits of the least double are 1,077. */
#define NUMBER_BYTES_MAX 1100

/* Digits before the point that cannot reach the largest double, 1.8e308. */
#define FINITE_DIGITS_MAX 300

/* What json-c allocates for one value, about; an object has room for 16 members at once. */
#define OBJECT_BYTES 800
#define ARRAY_BYTES 384
#define VALUE_BYTES 64

struct scan {
    const char *start;
    const char *end;
    size_t tree_left; /* bytes of JSON_TREE_BYTES_MAX */
    unsigned depth;
    bool *ret_repeats; /* NULL: keys that repeat are refused */
    struct json_keys keys;
    struct error *err;
};

/* NULL, so that a scanning function can end in it. */
static const char *refuse(const struct scan *scan, const char *at, const char *what)
{
    error_set(scan->err, ERROR_MALFORMED, "byte %zu: %s", (size_t)(at - scan->start), what);
    return NULL;
}

static const char *refuse_large(const struct scan *scan, const char *at, const char *what)
{
    error_set(scan->err, ERROR_TOO_LARGE, "byte %zu: %s", (size_t)(at - scan->start), what);
    return NULL;
}

const char *json_skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\r' || *at == '\t'))
        at++;
    return at;
}

static bool is_special(char byte)
{
    return (signed char)byte < ' ' || byte == '"' || byte == '\\';
}

const char *json_skip_plain(const char *at, const char *end)
{
    for (; end - at >= (ptrdiff_t)sizeof(lanes); at += sizeof(lanes)) {
        lanes bytes = lanes_load(at);
        /* As signed numbers, control characters and what is not ASCII are both below the space. */
        unsigned special = lanes_bits((lanes)((bytes < ' ') | (bytes == '"') | (bytes == '\\')));

        if (special != 0)
            return at + __builtin_ctz(special);
    }
    while (at < end && !is_special(*at))
        at++;
    return at;
}

/* Four hex digits; -1 when they are none. */
static int32_t read_hex4(const char *at)
{
    int32_t value = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned char digit = (unsigned char)at[i];
        int32_t nibble;

        if (digit >= '0' && digit <= '9')
            nibble = digit - '0';
        else if ((digit | 0x20) >= 'a' && (digit | 0x20) <= 'f')
            nibble = (digit | 0x20) - 'a' + 10;
        else
            return -1;
        value = value << 4 | nibble;
    }
    return value;
}

static size_t put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    if (code < 0x800) {
        out[0] = (char)(0xc0 | code >> 6);
        out[1] = (char)(0x80 | (code & 0x3f));
        return 2;
    }
    if (code < 0x10000) {
        out[0] = (char)(0xe0 | code >> 12);
        out[1] = (char)(0x80 | (code >> 6 & 0x3f));
        out[2] = (char)(0x80 | (code & 0x3f));
        return 3;
    }
    out[0] = (char)(0xf0 | code >> 18);
    out[1] = (char)(0x80 | (code >> 12 & 0x3f));
    out[2] = (char)(0x80 | (code >> 6 & 0x3f));
    out[3] = (char)(0x80 | (code & 0x3f));
    return 4;
}

/* The character of a "\uXXXX" or of a pair of them; *at moves behind. */
static uint32_t read_unicode(const char **at, const char *end)
{
    uint32_t code = (uint32_t)read_hex4(*at + 2);

    *at += 6;
    if (code < 0xd800 || code > 0xdfff)
        return code;
    if (code < 0xdc00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u') {
        uint32_t low = (uint32_t)read_hex4(*at + 2);

        if (low >= 0xdc00 && low <= 0xdfff) {
            *at += 6;
            return 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        }
    }
    return 0xfffd;
}

static char short_escape(char letter)
{
    switch (letter) {
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return letter; /* '"', '\\' and '/' */
    }
}

size_t json_unescape(const char *inside, size_t size, char *out)
{
    const char *at = inside;
    const char *end = inside + size;
    char *start = out;

    while (at < end) {
        const char *escape = memchr(at, '\\', (size_t)(end - at));
        size_t run = (size_t)((escape == NULL ? end : escape) - at);

        memcpy(out, at, run);
        out += run;
        at += run;
        if (escape == NULL)
            break;
        if (at[1] == 'u') {
            out += put_utf8(out, read_unicode(&at, end));
        } else {
            *out++ = short_escape(at[1]);
            at += 2;
        }
    }
    return (size_t)(out - start);
}

/* at is on a backslash. Returns the byte behind the escape. */
static const char *scan_escape(const struct scan *scan, const char *at, bool is_key)
{
    int32_t code;

    if (scan->end - at < 2)
        return refuse(scan, at, "the text ends inside a string");
    if (at[1] != 'u') {
        if (at[1] == '\0' || strchr("\"\\/bfnrt", at[1]) == NULL)
            return refuse(scan, at, "unknown escape");
        return at + 2;
    }
    code = scan->end - at < 6 ? -1 : read_hex4(at + 2);
    if (code < 0)
        return refuse(scan, at, "\\u without four hex digits");
    if (code == 0 && is_key)
        return refuse(scan, at, "NUL in a key");
    return at + 6;
}

/* at is behind the opening quote. Returns the closing quote. */
static const char *scan_string(const struct scan *scan, const char *at, bool is_key,
                               bool *ret_escaped)
{
    *ret_escaped = false;
    for (;;) {
        at = json_skip_plain(at, scan->end);
        if (at == scan->end)
            return refuse(scan, at, "the text ends inside a string");
        if (*at == '"')
            return at;
        if (*at == '\\') {
            *ret_escaped = true;
            at = scan_escape(scan, at, is_key);
            if (at == NULL)
                return NULL;
        } else if ((unsigned char)*at < ' ') {
            return refuse(scan, at, "a control character in a string");
        } else {
            size_t step = text_utf8_size(at, (size_t)(scan->end - at));

            if (step == 0)
                return refuse(scan, at, "not UTF-8");
            at += step;
        }
    }
}

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        at++;
    return at;
}

/* Whether count digits fit 64 bits, signed when negative. No leading zeros. */
static bool fits_64_bits(const char *digits, size_t count, bool negative)
{
    static const char least[] = "9223372036854775808";
    static const char most[] = "18446744073709551615";
    const char *limit = negative ? least : most;
    size_t limit_size = negative ? sizeof(least) - 1 : sizeof(most) - 1;

    return count < limit_size || (count == limit_size && memcmp(digits, limit, count) <= 0);
}

/* Whether a well-formed number with a fraction or exponent is a finite double. */
static bool is_finite(const char *number, size_t size)
{
    char text[NUMBER_BYTES_MAX + 1];

    memcpy(text, number, size);
    text[size] = '\0';
    return isfinite(strtod(text, NULL));
}

/* at is behind the integer part. Returns the end of the number. */
static const char *scan_real(const struct scan *scan, const char *number, const char *at)
{
    const char *digits;
    bool may_be_infinite = at - number > FINITE_DIGITS_MAX;

    if (*at == '.') {
        digits = at + 1;
        at = skip_digits(digits, scan->end);
        if (at == digits)
            return refuse(scan, at, "no digit behind the point");
    }
    if (at < scan->end && (*at == 'e' || *at == 'E')) {
        digits = at + 1;
        if (digits < scan->end && (*digits == '+' || *digits == '-'))
            digits++;
        at = skip_digits(digits, scan->end);
        if (at == digits)
            return refuse(scan, at, "no digit in the exponent");
        may_be_infinite = true;
    }
    if (at - number > NUMBER_BYTES_MAX)
        return refuse_large(scan, number, "a number of too many digits");
    if (may_be_infinite && !is_finite(number, (size_t)(at - number)))
        return refuse(scan, number, "a number beyond the range of doubles");
    return at;
}

static const char *scan_number(const struct scan *scan, const char *at)
{
    const char *number = at;
    bool negative = *at == '-';
    const char *digits = negative ? at + 1 : at;

    at = skip_digits(digits, scan->end);
    if (at == digits)
        return refuse(scan, at, "no digit behind the minus sign");
    if (*digits == '0' && at - digits > 1)
        return refuse(scan, digits, "a leading zero");
    if (at < scan->end && (*at == '.' || *at == 'e' || *at == 'E'))
        return scan_real(scan, number, at);
    if (!fits_64_bits(digits, (size_t)(at - digits), negative))
        return refuse(scan, number, "an integer beyond 64 bits");
    return at;
}

static const char *scan_word(const struct scan *scan, const char *at, const char *word)
{
    size_t size = strlen(word);

    if ((size_t)(scan->end - at) < size || memcmp(at, word, size) != 0)
        return refuse(scan, at, "unexpected character");
    return at + size;
}

static const char *scan_value(struct scan *scan, const char *at);

/* at is behind a '['. Returns the byte behind its ']'. */
static const char *scan_array(struct scan *scan, const char *at)
{
    at = json_skip_space(at, scan->end);
    if (at < scan->end && *at == ']')
        return at + 1;
    for (;;) {
        at = scan_value(scan, at);
        if (at == NULL)
            return NULL;
        at = json_skip_space(at, scan->end);
        if (at < scan->end && *at == ']')
            return at + 1;
        if (at == scan->end || *at != ',')
            return refuse(scan, at, "no ',' or ']' behind an item");
        at++;
    }
}

/* "key": with its colon. */
static const char *scan_key(struct scan *scan, const char *at)
{
    const char *inside;
    bool escaped;

    at = json_skip_space(at, scan->end);
    if (at == scan->end || *at != '"')
        return refuse(scan, at, "no key");
    inside = at + 1;
    at = scan_string(scan, inside, true, &escaped);
    if (at == NULL)
        return NULL;
    json_keys_push(&scan->keys, inside, (size_t)(at - inside), escaped);
    at = json_skip_space(at + 1, scan->end);
    if (at == scan->end || *at != ':')
        return refuse(scan, at, "no ':' behind a key");
    return at + 1;
}

/* at is behind a '{'. Returns the byte behind its '}'. */
static const char *scan_object(struct scan *scan, const char *at)
{
    size_t first_key = scan->keys.count;
    const char *duplicate;

    at = json_skip_space(at, scan->end);
    if (at < scan->end && *at == '}')
        return at + 1;
    for (;;) {
        at = scan_key(scan, at);
        if (at != NULL)
            at = scan_value(scan, at);
        if (at == NULL)
            return NULL;
        at = json_skip_space(at, scan->end);
        if (at < scan->end && *at == '}')
            break;
        if (at == scan->end || *at != ',')
            return refuse(scan, at, "no ',' or '}' behind a member");
        at++;
    }
    duplicate = json_keys_close(&scan->keys, first_key);
    if (duplicate != NULL && scan->ret_repeats == NULL)
        return refuse(scan, duplicate - 1, "a key for the second time");
    if (duplicate != NULL)
        *scan->ret_repeats = true;
    return at + 1;
}

static bool spend(struct scan *scan, size_t size)
{
    if (scan->tree_left < size)
        return false;
    scan->tree_left -= size;
    return true;
}

static const char *scan_container(struct scan *scan, const char *at)
{
    if (!spend(scan, *at == '{' ? OBJECT_BYTES : ARRAY_BYTES))
        return refuse_large(scan, at, "too many values");
    if (scan->depth == JSON_DEPTH_MAX)
        return refuse_large(scan, at, "nested too deeply");
    scan->depth++;
    at = *at == '{' ? scan_object(scan, at + 1) : scan_array(scan, at + 1);
    scan->depth--;
    return at;
}

/* Returns the byte behind the value. */
static const char *scan_value(struct scan *scan, const char *at)
{
    bool escaped;

    at = json_skip_space(at, scan->end);
    if (at == scan->end)
        return refuse(scan, at, "the text ends where a value should be");
    if (!spend(scan, VALUE_BYTES))
        return refuse_large(scan, at, "too many values");
    switch (*at) {
    case '{':
    case '[':
        return scan_container(scan, at);
    case '"':
        at = scan_string(scan, at + 1, false, &escaped);
        return at == NULL ? NULL : at + 1;
    case 't':
        return scan_word(scan, at, "true");
    case 'f':
        return scan_word(scan, at, "false");
    case 'n':
        return scan_word(scan, at, "null");
    default:
        if (*at != '-' && (*at < '0' || *at > '9'))
            return refuse(scan, at, "unexpected character");
        return scan_number(scan, at);
    }
}

bool json_gate(const char *bytes, size_t size, bool *ret_repeats, struct error *err)
{
    struct scan scan = {.start = bytes,
                        .end = bytes + size,
                        .tree_left = JSON_TREE_BYTES_MAX,
                        .ret_repeats = ret_repeats,
                        .err = err};
    const char *at;

    if (size > JSON_TREE_BYTES_MAX / JSON_TREE_FACTOR_MAX)
        scan.tree_left = size * JSON_TREE_FACTOR_MAX;
    at = scan_value(&scan, bytes);
    json_keys_release(&scan.keys);
    if (at == NULL)
        return false;
    at = json_skip_space(at, scan.end);
    return at == scan.end || refuse(&scan, at, "something behind the value") != NULL;
}
