/* time_text - Go's time.Parse of the two layouts that Kubernetes has, word for word where it
 * refuses. It takes a little more than RFC 3339: one digit of hours, a comma for the point. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/schema/field_error.h"
#include "fakeapi/types/scalars.h"

struct parsing {
    const char *given;
    const char *at;
    bool micro;
    struct buffer *why;
};

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool refuse(const struct parsing *p, const char *layout_part)
{
    buffer_clear(p->why);
    buffer_append_text(p->why, "parsing time ");
    field_error_append_quoted(p->why, p->given);
    buffer_append_text(p->why, " as ");
    field_error_append_quoted(p->why, p->micro ? "2006-01-02T15:04:05.000000Z07:00"
                                               : "2006-01-02T15:04:05Z07:00");
    buffer_append_text(p->why, ": cannot parse ");
    field_error_append_quoted(p->why, p->at);
    buffer_append_text(p->why, " as ");
    field_error_append_quoted(p->why, layout_part);
    return false;
}

static bool refuse_range(const struct parsing *p, const char *what)
{
    buffer_clear(p->why);
    buffer_append_text(p->why, "parsing time ");
    field_error_append_quoted(p->why, p->given);
    buffer_append_format(p->why, ": %s out of range", what);
    return false;
}

static bool skip(struct parsing *p, char separator)
{
    const char text[2] = {separator, '\0'};

    if (*p->at != separator)
        return refuse(p, text);
    p->at++;
    return true;
}

/* A number of digits digits; of one as well when that may be. */
static bool number(struct parsing *p, int digits, bool one_too, const char *layout_part, int *ret)
{
    int value = 0;

    for (int i = 0; i < digits; i++) {
        if (!is_digit(p->at[i])) {
            if (i == 0 || !one_too)
                return refuse(p, layout_part);
            digits = i;
            break;
        }
        value = value * 10 + (p->at[i] - '0');
    }
    p->at += digits;
    *ret = value;
    return true;
}

static bool bounded(struct parsing *p, const char *layout_part, bool one_too, int min, int max,
                    const char *what, int *ret)
{
    return number(p, 2, one_too, layout_part, ret) &&
           ((*ret >= min && *ret <= max) || refuse_range(p, what));
}

/* Microseconds; as many digits as there are, or six. */
static bool fraction(struct parsing *p, int *ret)
{
    int value = 0;
    int digits = 0;
    bool point = *p->at == '.' || *p->at == ',';

    if (p->micro) {
        if (!point)
            return refuse(p, ".000000");
        for (int i = 1; i <= 6; i++)
            if (!is_digit(p->at[i]))
                return refuse(p, ".000000");
    } else if (!point || !is_digit(p->at[1])) {
        *ret = 0;
        return true;
    }
    for (p->at++; is_digit(*p->at) && (!p->micro || digits < 6); p->at++)
        if (digits++ < 6)
            value = value * 10 + (*p->at - '0');
    for (; digits < 6; digits++)
        value *= 10;
    *ret = value;
    return true;
}

/* "Z" or "+07:00", in minutes. */
static bool zone(struct parsing *p, int *ret)
{
    static const char part[] = "Z07:00";
    const char *at = p->at;
    int hours;
    int minutes;

    *ret = 0;
    if (*at == 'Z') {
        p->at++;
        return true;
    }
    if (strlen(at) < 6 || at[3] != ':' || !is_digit(at[1]) || !is_digit(at[2]) ||
        !is_digit(at[4]) || !is_digit(at[5]) || (at[0] != '+' && at[0] != '-'))
        return refuse(p, part);
    hours = (at[1] - '0') * 10 + (at[2] - '0');
    minutes = (at[4] - '0') * 10 + (at[5] - '0');
    if (hours > 24)
        return refuse_range(p, "time zone offset hour");
    if (minutes > 60)
        return refuse_range(p, "time zone offset minute");
    *ret = (at[0] == '-' ? -1 : 1) * (hours * 60 + minutes);
    p->at += 6;
    return true;
}

static bool nothing_more(const struct parsing *p)
{
    if (*p->at == '\0')
        return true;
    buffer_clear(p->why);
    buffer_append_text(p->why, "parsing time ");
    field_error_append_quoted(p->why, p->given);
    buffer_append_text(p->why, ": extra text: ");
    field_error_append_quoted(p->why, p->at);
    return false;
}

/* What was read. */
struct instant {
    int year, month, day, hour, minute, second, fraction_us, zone_minutes;
};

static bool parse(struct parsing *p, struct instant *now)
{
    return number(p, 4, false, "2006", &now->year) && skip(p, '-') &&
           bounded(p, "01", false, 1, 12, "month", &now->month) && skip(p, '-') &&
           number(p, 2, false, "02", &now->day) && skip(p, 'T') &&
           bounded(p, "15", true, 0, 23, "hour", &now->hour) && skip(p, ':') &&
           bounded(p, "04", false, 0, 59, "minute", &now->minute) && skip(p, ':') &&
           bounded(p, "05", false, 0, 59, "second", &now->second) &&
           fraction(p, &now->fraction_us) && zone(p, &now->zone_minutes) && nothing_more(p);
}

/* Whether it is written already as it will be stored. */
static bool is_canonical(const char *given)
{
    int64_t at_us;

    return strlen(given) == strlen("2006-01-02T15:04:05Z") && given[10] == 'T' && given[17] < '6' &&
           given[19] == 'Z' && time_parse(given, &at_us);
}

bool scalar_time(const char *given, bool micro, char text[TIME_TEXT_SIZE], struct buffer *why)
{
    struct parsing p = {given, given, micro, why};
    struct instant now = {0};
    char whole[128];
    int64_t at_us;

    if (!micro && is_canonical(given)) {
        memcpy(text, given, strlen(given) + 1);
        return true;
    }
    if (!parse(&p, &now))
        return false;
    snprintf(whole, sizeof(whole), "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ", now.year, now.month,
             now.day, now.hour, now.minute, now.second, now.fraction_us);
    if (!time_parse(whole, &at_us))
        return refuse_range(&p, "day");
    at_us -= now.zone_minutes * (int64_t)US_PER_MINUTE;
    if (micro)
        time_format_micro(at_us, text);
    else
        time_format(at_us, text);
    return true;
}
