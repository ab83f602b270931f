/* time - instants as texts. Reads no clock.
 *
 * An instant is a count of microseconds since 1970-01-01T00:00:00Z. */
#ifndef CONTROLLER_BASE_TIME_H
#define CONTROLLER_BASE_TIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/duration.h"

/** 0000-01-01T00:00:00Z and the last microsecond of 9999: what texts can tell. */
#define TIME_MIN_US (INT64_C(-62167219200) * US_PER_SECOND)
#define TIME_MAX_US (INT64_C(253402300800) * US_PER_SECOND - 1)

/** Room for any instant that the formatters write, with its NUL. */
#define TIME_TEXT_SIZE 32

/** RFC 3339 in UTC with whole seconds: "2024-02-29T12:00:00Z". Years 0 to 9999; others clamp. */
void time_format(int64_t at_us, char text[TIME_TEXT_SIZE]);

/** Kubernetes MicroTime, six digits: "2024-02-29T12:00:00.000000Z". */
void time_format_micro(int64_t at_us, char text[TIME_TEXT_SIZE]);

/** RFC 3339 with any offset and up to nine digits of fraction (cut to microseconds). 't', 'z' and
 * a space for 'T' are refused, and so is a leap second. */
bool time_parse(const char *text, int64_t *ret_at_us) MUST_CHECK;

/** A day of the Gregorian calendar. */
struct time_date {
    unsigned year;  /* 0 to 9999 */
    unsigned month; /* 1 to 12 */
    unsigned day;   /* 1 to 31 */
};

/** Days since 1970-01-01, which was a Thursday; and back, for days of those years. */
int64_t time_days_from_date(const struct time_date *date);
struct time_date time_date_from_days(int64_t days);
unsigned time_days_of_month(unsigned year, unsigned month);

/** How many whole units are in an amount, rounded down also below 0; unit is above 0. */
static inline int64_t time_floor(int64_t amount, int64_t unit)
{
    return amount / unit - (amount % unit < 0 ? 1 : 0);
}

#endif
