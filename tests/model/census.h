/* census - what was asked and what came, counted: a test in which nothing happens proves nothing.
 */
#ifndef TESTS_MODEL_CENSUS_H
#define TESTS_MODEL_CENSUS_H

#include <stdbool.h>
#include <stdint.h>

#include "tests/model/ask.h"

#define CENSUS_CODES 600

struct census {
    uint64_t steps;
    uint64_t answers[VERB_COUNT][CENSUS_CODES];
    uint64_t of_kind[KIND_COUNT];
    uint64_t lines[5]; /* of watches: ADDED, MODIFIED, DELETED, BOOKMARK, ERROR */
    uint64_t bytes;    /* of answers that were compared */
    uint64_t worlds;
};

void census_answer(struct census *census, const struct ask *ask, int code, size_t bytes);
void census_line(struct census *census, const char *type);
void census_print(const struct census *census);
/** Whether everything that should have happened did, often enough for so many steps; says what did
 * not. */
bool census_is_full(const struct census *census);

#endif
