/* duration - spans of time in microseconds, and as the texts of Go. */
#ifndef CONTROLLER_BASE_DURATION_H
#define CONTROLLER_BASE_DURATION_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"

#define US_PER_MS INT64_C(1000)
#define US_PER_SECOND INT64_C(1000000)
#define US_PER_MINUTE (60 * US_PER_SECOND)
#define US_PER_HOUR (60 * US_PER_MINUTE)
#define US_PER_DAY (24 * US_PER_HOUR)

/** Room for any duration that the formatter writes, with its NUL. */
#define DURATION_TEXT_SIZE 32

/** A Go duration ("1h2m3.5s", "300ms", "-1s", "0"); cut to microseconds. */
bool duration_parse(const char *text, int64_t *ret_duration_us) MUST_CHECK;

/** The same, or bare seconds ("45", "1.5"): what people write into a setting. */
bool duration_parse_lenient(const char *text, int64_t *ret_duration_us) MUST_CHECK;

/** The shortest exact Go form: "1h0m0s" is written "1h", zero "0s". */
void duration_format(int64_t duration_us, char text[DURATION_TEXT_SIZE]);

#endif
