#include "controller/base/duration.h"

#include <stdio.h>
#include <string.h>

#define NS_PER_US 1000

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

static const struct unit {
    const char *name;
    uint64_t ns;
} units[] = {
    {"ns",        1            },
    {"us",        1000         },
    {"\xc2\xb5s", 1000         }, /* micro sign */
    {"\xce\xbcs", 1000         }, /* Greek mu */
    {"ms",        1000000      },
    {"s",         1000000000   },
    {"m",         60000000000  },
    {"h",         3600000000000},
};

static const struct unit *read_unit(const char **at)
{
    size_t size = strcspn(*at, ".0123456789");

    for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
        if (strlen(units[i].name) == size && memcmp(units[i].name, *at, size) == 0) {
            *at += size;
            return &units[i];
        }
    }
    return NULL;
}

/* Past this Go's durations, nanoseconds in 64 bits, end. */
#define DURATION_NS_MAX (UINT64_C(1) << 63)

/* One "1.5h". Digits of the fraction that no longer fit are dropped, as Go does. */
static bool read_duration_part(const char **at, uint64_t *ret_ns)
{
    uint64_t whole = 0;
    uint64_t fraction = 0;
    double scale = 1;
    const struct unit *unit;
    bool any = false;

    for (; is_digit(**at); (*at)++, any = true) {
        uint64_t digit = (uint64_t)(**at - '0');

        if (whole > (DURATION_NS_MAX - digit) / 10)
            return false;
        whole = whole * 10 + digit;
    }
    if (**at == '.') {
        (*at)++;
        for (; is_digit(**at); (*at)++, any = true) {
            uint64_t digit = (uint64_t)(**at - '0');

            if (fraction <= (INT64_MAX - digit) / 10 && scale < 1e18) {
                fraction = fraction * 10 + digit;
                scale *= 10;
            }
        }
    }
    if (!any)
        return false;
    unit = read_unit(at);
    if (unit == NULL || whole > DURATION_NS_MAX / unit->ns)
        return false;
    *ret_ns = whole * unit->ns;
    *ret_ns += (uint64_t)((double)fraction * ((double)unit->ns / scale));
    return *ret_ns <= DURATION_NS_MAX;
}

bool duration_parse(const char *text, int64_t *ret_duration_us)
{
    uint64_t total_ns = 0;
    bool negative;

    if (text == NULL)
        return false;
    negative = *text == '-';
    if (*text == '-' || *text == '+')
        text++;
    if (strcmp(text, "0") == 0) {
        *ret_duration_us = 0;
        return true;
    }
    if (*text == '\0')
        return false;
    while (*text != '\0') {
        uint64_t part_ns;

        if (!read_duration_part(&text, &part_ns))
            return false;
        total_ns += part_ns; /* two of at most 2^63 each: wraps at worst to 0, seen below */
        if (part_ns > DURATION_NS_MAX || total_ns > DURATION_NS_MAX || total_ns < part_ns)
            return false;
    }
    if (!negative && total_ns == DURATION_NS_MAX)
        return false;
    *ret_duration_us = (int64_t)(total_ns / NS_PER_US);
    if (negative)
        *ret_duration_us = -*ret_duration_us;
    return true;
}

/* Room for the digits of any number that a duration can hold. */
#define BARE_SIZE 64

bool duration_parse_lenient(const char *text, int64_t *ret_duration_us)
{
    char seconds[BARE_SIZE];
    size_t size = text == NULL ? 0 : strlen(text);

    if (size == 0 || strspn(text, "+-.0123456789") != size)
        return duration_parse(text, ret_duration_us);
    if (size + sizeof("s") > sizeof(seconds))
        return false;
    snprintf(seconds, sizeof(seconds), "%ss", text);
    return duration_parse(seconds, ret_duration_us);
}

/* value / one with the digits that are there: "1.5", "3". */
static int format_decimal(char *text, size_t size, uint64_t value, uint64_t one, const char *unit)
{
    uint64_t fraction = value % one;
    int digits = one == 1000000 ? 6 : 3;

    if (fraction == 0)
        return snprintf(text, size, "%llu%s", (unsigned long long)(value / one), unit);
    while (fraction % 10 == 0) {
        fraction /= 10;
        digits--;
    }
    return snprintf(text, size, "%llu.%0*llu%s", (unsigned long long)(value / one), digits,
                    (unsigned long long)fraction, unit);
}

void duration_format(int64_t duration_us, char text[DURATION_TEXT_SIZE])
{
    uint64_t rest = duration_us < 0 ? 0 - (uint64_t)duration_us : (uint64_t)duration_us;
    int used = 0;

    if (duration_us < 0)
        text[used++] = '-';
    if (rest == 0) {
        snprintf(text, DURATION_TEXT_SIZE, "0s");
    } else if (rest < US_PER_MS) {
        snprintf(text + used, DURATION_TEXT_SIZE - (size_t)used, "%uµs", (unsigned)rest);
    } else if (rest < US_PER_SECOND) {
        format_decimal(text + used, DURATION_TEXT_SIZE - (size_t)used, rest, US_PER_MS, "ms");
    } else {
        uint64_t hours = rest / US_PER_HOUR;
        uint64_t minutes = rest / US_PER_MINUTE % 60;

        rest %= US_PER_MINUTE;
        if (hours > 0)
            used += snprintf(text + used, DURATION_TEXT_SIZE - (size_t)used, "%lluh",
                             (unsigned long long)hours);
        if (minutes > 0)
            used +=
                snprintf(text + used, DURATION_TEXT_SIZE - (size_t)used, "%um", (unsigned)minutes);
        if (rest > 0)
            format_decimal(text + used, DURATION_TEXT_SIZE - (size_t)used, rest, US_PER_SECOND,
                           "s");
    }
}
