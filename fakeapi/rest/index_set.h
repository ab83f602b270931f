/* index_set - completion indexes of a Job as sorted intervals: "0-2,5" (fakeapi/WIRE.md K13). */
#ifndef FAKEAPI_REST_INDEX_SET_H
#define FAKEAPI_REST_INDEX_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

/** Both ends belong to it. */
struct index_interval {
    int64_t first;
    int64_t last;
};

/** Sorted intervals that neither overlap nor touch. {0} is the empty set. */
struct index_set {
    struct index_interval *intervals;
    size_t count;
    size_t capacity;
};

void index_set_release(struct index_set *set);

/** Reads "0-2,5"; "" is the empty set. Indexes must rise and be below completions.
 * ERROR_INVALID with the server's words; *ret_set is to be released only when it is true. */
bool index_set_parse(const char *text, int64_t completions, struct index_set *ret_set,
                     struct error *err) MUST_CHECK;

/** Adds an index, which is at least 0. */
void index_set_add(struct index_set *set, int64_t index);
/** Adds all of from. */
void index_set_merge(struct index_set *set, const struct index_set *from);

bool index_set_has(const struct index_set *set, int64_t index);
int64_t index_set_total(const struct index_set *set);
/** How many indexes are in both. */
int64_t index_set_common(const struct index_set *a, const struct index_set *b);
/** The lowest of them; -1 when there is none. */
int64_t index_set_first_common(const struct index_set *a, const struct index_set *b);
/** The lowest index from `from` on that is not in the set. */
int64_t index_set_first_missing(const struct index_set *set, int64_t from);

/** Appends "0-2,5"; two neighbours stand alone: "0,1". */
void index_set_append(struct buffer *buffer, const struct index_set *set);

#endif
