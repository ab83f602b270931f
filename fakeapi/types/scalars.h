/* scalars - texts that stand for something: times, quantities, base64; as Go and apimachinery read
 * them, and the one form in which they write them. */
#ifndef FAKEAPI_TYPES_SCALARS_H
#define FAKEAPI_TYPES_SCALARS_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/time.h"

/** An RFC 3339 time (a MicroTime has six digits of fraction) in UTC. False when it is none: why
 * then says so in the words of Go's time.Parse, and nothing else. */
bool scalar_time(const char *given, bool micro, char text[TIME_TEXT_SIZE],
                 struct buffer *why) MUST_CHECK;

/** Room for any quantity that is rewritten, with its NUL. */
#define QUANTITY_TEXT_SIZE 32

/** A quantity in its canonical form, "0.5" as "500m"; text is "" where given is to be kept as it
 * is, since it has more than 18 digits. False when it is none: why then says so, and nothing else.
 */
bool scalar_quantity(const char *given, char text[QUANTITY_TEXT_SIZE],
                     struct buffer *why) MUST_CHECK;

/** Below, at or above 0 as a is less than, as much as or more than b; both are quantities, of which
 * 18 digits and nanos count. */
int scalar_quantity_compare(const char *a, const char *b);

/** Base64 of Go's standard alphabet with padding, in which line ends do not count. Sets
 * *ret_canonical (free() it) where it would be written otherwise. False when it is none: at which
 * byte. */
bool scalar_base64(const char *given, size_t size, char **ret_canonical,
                   size_t *ret_bad) MUST_CHECK;

#endif
