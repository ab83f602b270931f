/* text - questions about NUL-terminated texts, and strict numbers. */
#ifndef CONTROLLER_BASE_TEXT_H
#define CONTROLLER_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"

/** Both NULL, or the same text. */
bool text_equal(const char *a, const char *b);
bool text_equal_ignoring_case(const char *a, const char *b);
bool text_starts_with(const char *text, const char *prefix);
bool text_ends_with(const char *text, const char *suffix);
bool text_is_empty(const char *text); /* NULL or "" */

/** For qsort() of an array of texts: by bytes. */
int text_compare_items(const void *a, const void *b);

/** The text, or fallback where it is NULL or empty. */
const char *text_or(const char *text, const char *fallback);

/** A decimal integer and nothing else: an optional '-', digits, no space; false when it is
 * anything else or does not fit. */
bool text_to_int64(const char *text, int64_t *ret_value) MUST_CHECK;
bool text_to_uint64(const char *text, uint64_t *ret_value) MUST_CHECK;

/** Whether size bytes are valid UTF-8 (RFC 3629: no surrogates, no overlong forms). */
bool text_is_utf8(const void *bytes, size_t size);

/** Whether it is a name as of namespaces (RFC 1123 label): 1 to 63 of a-z, 0-9 and '-', the last
 * not at either end. False for NULL. */
bool text_is_dns_label(const char *text);

/** The size of the UTF-8 character that size bytes begin with; 0 when they begin with none. */
size_t text_utf8_size(const void *bytes, size_t size);

/** "", or "s" for what there is not one of: "%zu run%s". */
const char *text_plural(uint64_t count);

/** The closest of count candidates to what was written, for "did you mean"; NULL when none is
 * close (an edit distance, ignoring case, of at most a third of the longer one's length, and never
 * more than 3). The earlier one wins a tie. */
const char *text_closest(const char *written, const char *const *candidates, size_t count);

#endif
