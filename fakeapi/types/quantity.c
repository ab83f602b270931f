/* quantity - amounts with a suffix, as apimachinery's resource.Quantity reads and writes them. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/types/scalars.h"

/* More digits than any int64 of them has no overflow; what has more is kept as it is given. */
#define DIGITS_MAX 18
/* Smallest power of ten that there is: nano. */
#define SCALE_MIN (-9)

#define SPACES " \t\n\v\f\r"

enum format { DECIMAL, BINARY, EXPONENT };

static const struct suffix {
    const char *text;
    enum format format;
    int power; /* of 10, or of 2 */
} suffixes[] = {
    {"",   DECIMAL, 0 },
    {"n",  DECIMAL, -9},
    {"u",  DECIMAL, -6},
    {"m",  DECIMAL, -3},
    {"k",  DECIMAL, 3 },
    {"M",  DECIMAL, 6 },
    {"G",  DECIMAL, 9 },
    {"T",  DECIMAL, 12},
    {"P",  DECIMAL, 15},
    {"E",  DECIMAL, 18},
    {"Ki", BINARY,  10},
    {"Mi", BINARY,  20},
    {"Gi", BINARY,  30},
    {"Ti", BINARY,  40},
    {"Pi", BINARY,  50},
    {"Ei", BINARY,  60},
};

/* A quantity taken apart: mantissa / 10^decimals, times the power of the suffix. */
struct parts {
    bool negative;
    bool long_number; /* the mantissa is not all of it */
    bool below_one;   /* the number, without its suffix */
    int64_t mantissa;
    int decimals;
    enum format format;
    int power;
};

static bool refuse(struct buffer *why, const char *text)
{
    buffer_clear(why);
    buffer_append_text(why, text);
    return false;
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Digits, of which leading zeroes do not count. */
static const char *read_digits(const char *at, int *digits, struct parts *parts, bool decimal)
{
    for (; is_digit(*at); at++) {
        if (*digits > 0 || *at != '0')
            (*digits)++;
        if (*digits > DIGITS_MAX) {
            parts->long_number = true;
            continue;
        }
        parts->mantissa = parts->mantissa * 10 + (*at - '0');
        parts->decimals += decimal;
    }
    return at;
}

static bool read_suffix(const char *text, size_t size, struct parts *parts)
{
    char exponent[24];
    int64_t power;

    for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++) {
        if (strlen(suffixes[i].text) != size || memcmp(suffixes[i].text, text, size) != 0)
            continue;
        parts->format = suffixes[i].format;
        parts->power = suffixes[i].power;
        return true;
    }
    if (size < 2 || size >= sizeof(exponent) || (text[0] != 'e' && text[0] != 'E'))
        return false;
    snprintf(exponent, sizeof(exponent), "%.*s", (int)(size - 1), text + 1);
    if (!text_to_int64(exponent[0] == '+' ? exponent + 1 : exponent, &power))
        return false;
    parts->format = EXPONENT;
    if (power < -1000 || power > 1000)
        parts->long_number = true;
    else
        parts->power = (int)power;
    return true;
}

static bool parse(const char *text, struct parts *parts, struct buffer *why)
{
    static const char format_wrong[] = "quantities must match the regular expression "
                                       "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
    size_t size = strlen(text);
    const char *suffix;
    const char *at;
    int digits = 0;

    while (size > 0 && strchr(SPACES, text[size - 1]) != NULL)
        size--;
    if (size == 0)
        return refuse(why, format_wrong);
    parts->negative = *text == '-';
    at = read_digits(text + (*text == '-' || *text == '+'), &digits, parts, false);
    parts->below_one = digits == 0;
    if (*at == '.')
        at = read_digits(at + 1, &digits, parts, true);
    suffix = at;
    at += strspn(at, "eEinumkKMGTP");
    if (*at == '-' || *at == '+')
        at++;
    while (is_digit(*at))
        at++;
    if (at != text + size)
        return refuse(why, format_wrong);
    if (!read_suffix(suffix, (size_t)(at - suffix), parts))
        return refuse(why, "unable to parse quantity's suffix");
    return true;
}

static const char *suffix_of(enum format format, int power)
{
    for (size_t i = 0; i < ARRAY_SIZE(suffixes); i++)
        if ((suffixes[i].format == format || power == 0) && suffixes[i].power == power)
            return suffixes[i].text;
    return NULL;
}

/* The largest power of 1024 as the suffix. */
static void write_binary(const struct parts *parts, int64_t value, char text[QUANTITY_TEXT_SIZE])
{
    int power = 0;

    while (value % 1024 == 0 && power < 60) {
        value /= 1024;
        power += 10;
    }
    snprintf(text, QUANTITY_TEXT_SIZE, "%s%" PRId64 "%s", parts->negative ? "-" : "", value,
             suffix_of(BINARY, power));
}

/* No zero at the end of the number but those that a power of 1000 as the suffix leaves over. */
static void write_decimal(const struct parts *parts, int64_t value, int power,
                          char text[QUANTITY_TEXT_SIZE])
{
    const char *sign = parts->negative ? "-" : "";
    const char *suffix;

    for (; value % 10 == 0; value /= 10)
        power++;
    for (; power % 3 != 0; power--)
        if (__builtin_mul_overflow(value, 10, &value))
            return;
    suffix = suffix_of(DECIMAL, power);
    if (parts->format == EXPONENT && power != 0)
        snprintf(text, QUANTITY_TEXT_SIZE, "%s%" PRId64 "e%d", sign, value, power);
    else if (suffix != NULL)
        snprintf(text, QUANTITY_TEXT_SIZE, "%s%" PRId64 "%s", sign, value, suffix);
}

/* Whether it is written as it was given: apimachinery's short way takes it for canonical. */
static bool is_kept(const struct parts *parts)
{
    if (parts->long_number)
        return true;
    if (parts->format == BINARY)
        return parts->decimals == 0 && parts->mantissa % 8 != 0;
    return (parts->power - parts->decimals) % 3 == 0 && parts->mantissa % 1000 != 0 &&
           !parts->below_one;
}

static void write_value(const struct parts *parts, char text[QUANTITY_TEXT_SIZE])
{
    int64_t value = parts->mantissa;
    int power = -parts->decimals;

    if (parts->format != BINARY)
        power += parts->power;
    else if (__builtin_mul_overflow(value, (int64_t)1 << parts->power, &value))
        return;
    for (; parts->format == BINARY && power < 0 && value % 10 == 0; power++)
        value /= 10;
    if (parts->format == BINARY && power == 0 && value >= 1024)
        write_binary(parts, value, text);
    else if (power >= SCALE_MIN)
        write_decimal(parts, value, power, text);
}

bool scalar_quantity(const char *given, char text[QUANTITY_TEXT_SIZE], struct buffer *why)
{
    struct parts parts = {0};

    text[0] = '\0';
    if (!parse(given + strspn(given, SPACES), &parts, why))
        return false;
    if (parts.mantissa == 0 && !parts.long_number)
        snprintf(text, QUANTITY_TEXT_SIZE, "0");
    else if (!is_kept(&parts))
        write_value(&parts, text);
    else if (strpbrk(given, SPACES) != NULL && strlen(given) < QUANTITY_TEXT_SIZE)
        sscanf(given, "%31s", text);
    return true;
}

/* In nanos; the largest there is when it is more. What is no quantity is 0. */
static __int128 nanos(const char *text)
{
    static const __int128 largest = (__int128)(~(unsigned __int128)0 >> 1);
    struct buffer why = BUFFER_INIT(256);
    struct parts parts = {0};
    bool ok = parse(text, &parts, &why);
    int power = (parts.format == BINARY ? 0 : parts.power) - parts.decimals - SCALE_MIN;
    __int128 value = parts.mantissa;

    buffer_release(&why);
    if (!ok || value == 0)
        return 0;
    if (parts.format == BINARY && __builtin_mul_overflow(value, (__int128)1 << parts.power, &value))
        return parts.negative ? -largest : largest;
    for (; power < 0; power++)
        value /= 10;
    for (; power > 0; power--)
        if (__builtin_mul_overflow(value, 10, &value))
            return parts.negative ? -largest : largest;
    return parts.negative ? -value : value;
}

int scalar_quantity_compare(const char *a, const char *b)
{
    __int128 left = nanos(a);
    __int128 right = nanos(b);

    return (left > right) - (left < right);
}
