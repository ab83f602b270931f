/* pattern - regular expressions (PCRE2) with limits on matching and heap, so none runs away. */
#ifndef CONTROLLER_BASE_PATTERN_H
#define CONTROLLER_BASE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** Longest pattern taken, in bytes. */
#define PATTERN_BYTES_MAX 16384

struct pattern;

/** Compiles; UTF-8, '$' at the very end only. ERROR_MALFORMED says at which offset and why. */
bool pattern_new(const char *text, struct pattern **ret_pattern, struct error *err) MUST_CHECK;
void pattern_free(struct pattern *pattern);

/** Steps of one search where nobody says otherwise: some tens of milliseconds at most. A step is an
 * item of the pattern tried at a place, or sixteen bytes gone over. */
#define PATTERN_STEPS_MAX 1000000

/** Searches unanchored. False with ERROR_TOO_LARGE when a limit ended the search, ERROR_MALFORMED
 * when the subject is not UTF-8. */
bool pattern_match(const struct pattern *pattern, const char *subject, size_t size,
                   bool *ret_matches, struct error *err) MUST_CHECK;

/** As pattern_match(), with the steps that are left for this and other searches: takes off what it
 * took, and is over, with 0 left, when it would take more. */
bool pattern_match_within(const struct pattern *pattern, const char *subject, size_t size,
                          uint64_t *steps, bool *ret_matches, struct error *err) MUST_CHECK;

#endif
