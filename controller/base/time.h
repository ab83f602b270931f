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

/** Room for any instant that the formatters write, with its NUL. */
#define TIME_TEXT_SIZE 32

/** RFC 3339 in UTC with whole seconds: "2024-02-29T12:00:00Z". Years 0 to 9999; others clamp. */
void time_format(int64_t at_us, char text[TIME_TEXT_SIZE]);

/** Kubernetes MicroTime, six digits: "2024-02-29T12:00:00.000000Z". */
void time_format_micro(int64_t at_us, char text[TIME_TEXT_SIZE]);

/** RFC 3339 with any offset and up to nine digits of fraction (cut to microseconds). 't', 'z' and
 * a space for 'T' are refused, and so is a leap second. */
bool time_parse(const char *text, int64_t *ret_at_us) MUST_CHECK;

#endif
