#include "controller/base/yaml_scalar.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/json.h"

/* Longest plain scalar that is looked at as a number. */
#define NUMBER_BYTES_MAX 512

static bool is_one_of(const char *text, const char *const words[3])
{
    return strcmp(text, words[0]) == 0 || strcmp(text, words[1]) == 0 ||
           strcmp(text, words[2]) == 0;
}

/* The value of a digit in bases up to 16; 16 when it is none. */
static unsigned digit_value(char digit)
{
    if (digit >= '0' && digit <= '9')
        return (unsigned)(digit - '0');
    if (digit >= 'a' && digit <= 'f')
        return (unsigned)(digit - 'a') + 10;
    if (digit >= 'A' && digit <= 'F')
        return (unsigned)(digit - 'A') + 10;
    return 16;
}

static bool read_magnitude(const char *digits, unsigned base, uint64_t *ret_value)
{
    uint64_t value = 0;

    if (*digits == '\0')
        return false;
    for (; *digits != '\0'; digits++) {
        unsigned digit = digit_value(*digits);

        if (digit >= base || value > (UINT64_MAX - digit) / base)
            return false;
        value = value * base + digit;
    }
    *ret_value = value;
    return true;
}

/* The base that the digits are written in, past its mark. "0644" is octal, as file modes are in
 * Kubernetes manifests; "0899" can only be decimal. */
static unsigned read_base(const char **digits)
{
    const char *text = *digits;

    if (text[0] != '0' || text[1] == '\0')
        return 10;
    if (text[1] == 'x' || text[1] == 'o') {
        *digits += 2;
        return text[1] == 'x' ? 16 : 8;
    }
    return text[strspn(text, "01234567")] == '\0' ? 8 : 10;
}

static struct json_object *to_integer(const char *text)
{
    bool negative = text[0] == '-';
    const char *digits = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    unsigned base = read_base(&digits);
    uint64_t magnitude;

    if (!read_magnitude(digits, base, &magnitude))
        return NULL;
    if (!negative)
        return magnitude <= INT64_MAX ? json_object_new_int64((int64_t)magnitude)
                                      : json_object_new_uint64(magnitude);
    if (magnitude > (uint64_t)INT64_MAX + 1)
        return NULL;
    return json_object_new_int64(magnitude <= INT64_MAX ? -(int64_t)magnitude : INT64_MIN);
}

static const char *skip_digits(const char *at)
{
    return at + strspn(at, "0123456789");
}

/* [-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?  (YAML 1.2.2, 10.3.2) */
static bool is_float(const char *text)
{
    const char *at = text + (text[0] == '-' || text[0] == '+' ? 1 : 0);
    const char *whole = at;
    size_t digits;

    at = skip_digits(at);
    digits = (size_t)(at - whole);
    if (*at == '.') {
        const char *fraction = at + 1;

        at = skip_digits(fraction);
        digits += (size_t)(at - fraction);
    }
    if (digits == 0)
        return false;
    if (*at == 'e' || *at == 'E') {
        const char *exponent = at + (at[1] == '-' || at[1] == '+' ? 2 : 1);

        at = skip_digits(exponent);
        if (at == exponent)
            return false;
    }
    return *at == '\0';
}

/* Keeps the text where JSON writes the number the same way. */
static struct json_object *to_double(const char *text)
{
    double number;

    if (!is_float(text))
        return NULL;
    number = strtod(text, NULL);
    if (!isfinite(number))
        return NULL;
    if (strpbrk(text, ".eE") != NULL && json_check(text, strlen(text), NUMBER_BYTES_MAX, NULL))
        return json_object_new_double_s(number, text);
    return json_object_new_double(number);
}

bool yaml_resolve_plain(const char *text, struct json_object **ret_value)
{
    static const char *const nulls[3] = {"null", "Null", "NULL"};
    static const char *const trues[3] = {"true", "True", "TRUE"};
    static const char *const falses[3] = {"false", "False", "FALSE"};
    struct json_object *value = NULL;

    if (text[0] == '\0' || strcmp(text, "~") == 0 || is_one_of(text, nulls)) {
        *ret_value = NULL;
        return true;
    }
    if (is_one_of(text, trues) || is_one_of(text, falses))
        value = json_object_new_boolean(is_one_of(text, trues));
    else if (strchr("+-.0123456789", text[0]) != NULL &&
             strnlen(text, NUMBER_BYTES_MAX + 1) <= NUMBER_BYTES_MAX) {
        value = to_integer(text);
        if (value == NULL)
            value = to_double(text);
    }
    if (value == NULL)
        return false;
    *ret_value = value;
    return true;
}

static bool is_blank(char character)
{
    return character == ' ' || character == '\t';
}

/* Folds the line end at *at into out: to a space, or to one line end fewer than there are. */
static char *fold_lines(const char **at, const char *end, char *out, const char *out_start)
{
    size_t line_ends = 0;

    while (out > out_start && is_blank(out[-1]))
        out--;
    for (; *at < end && (is_blank(**at) || **at == '\n'); (*at)++)
        line_ends += **at == '\n' ? 1 : 0;
    if (line_ends == 1)
        *out++ = ' ';
    for (; line_ends > 1; line_ends--)
        *out++ = '\n';
    return out;
}

size_t yaml_read_single_quoted(const char *inside, size_t size, char *out)
{
    const char *at = inside;
    const char *end = inside + size;
    const char *start = out;

    while (at < end) {
        if (*at == '\n') {
            out = fold_lines(&at, end, out, start);
            continue;
        }
        if (*at == '\'' && end - at > 1 && at[1] == '\'')
            at++;
        *out++ = *at++;
    }
    return (size_t)(out - start);
}
