/* world - one server and one model side by side, and a list of steps that both take. */
#ifndef TESTS_MODEL_WORLD_H
#define TESTS_MODEL_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tests/model/census.h"

/** What makes a world: the same plan makes the same run. */
struct plan {
    uint64_t seed;
    const size_t *steps; /* numbers of the steps taken, rising: each has its own randomness, so that
                            some can be left out */
    size_t step_count;
    bool told; /* print each request and answer */
};

/** Plays a world. False when server and model differ: *ret_why says how (free() it), and
 * *ret_taken how many steps it took. census may be NULL. */
bool world_play(const struct plan *plan, struct census *census, char **ret_why, size_t *ret_taken);

#endif
