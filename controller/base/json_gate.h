/* json_gate - the strict scanner behind json_check(), and what the slices share with it.
 *
 * For json*.c alone. The grammar is RFC 8259, with the further refusals that json.h lists. */
#ifndef CONTROLLER_BASE_JSON_GATE_H
#define CONTROLLER_BASE_JSON_GATE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** Checks that size bytes (at most JSON_BYTES_MAX) are one value with nothing but space around it.
 * A key that an object has twice is refused; or else, with ret_repeats, *ret_repeats becomes true.
 */
bool json_gate(const char *bytes, size_t size, bool *ret_repeats, struct error *err) MUST_CHECK;

/** The first byte from at on that is no space; end when there is none. */
const char *json_skip_space(const char *at, const char *end);

/** The byte behind the value that begins at at; the text has passed the gate. */
const char *json_skip_value(const char *at, const char *end);

/** The first byte from at on that a string cannot hold as it is or that is not ASCII: '"', '\\', a
 * control character, or 0x80 and up; end when there is none. */
const char *json_skip_plain(const char *at, const char *end);

/** Resolves the escapes of a string's inside that has passed the gate; out has room for size bytes.
 * A surrogate without its other half becomes U+FFFD. Returns the resolved size, at most size. */
size_t json_unescape(const char *inside, size_t size, char *out);

#endif
