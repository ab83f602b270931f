/* sweep_tally - how often each claim of each scenario failed in a sweep. */
#ifndef SCENARIOS_SEARCH_SWEEP_TALLY_H
#define SCENARIOS_SEARCH_SWEEP_TALLY_H

#include <stdint.h>

#include "controller/base/buffer.h"
#include "scenarios/search/points.h"

/** Most failures of a claim that are told one by one; the others are counted. */
#define SWEEP_TALLY_TOLD_MAX 3

struct sweep_tally_row {
    char *scenario;
    char *failure; /* outcome.failure */
    uint64_t count;
    uint64_t by_kind[POINTS_KINDS_MAX];
};

/** {0} is empty. */
struct sweep_tally {
    struct sweep_tally_row *rows; /* in the order of their first failures */
    size_t count;
};

/** Counts a failure under a fault of this kind (fault_kind_index()); how many there are of its
 * claim now. */
uint64_t sweep_tally_add(struct sweep_tally *tally, const char *scenario, const char *failure,
                         size_t kind);

/** For each claim that failed a line, and one with the kinds; nothing when none did. */
void sweep_tally_append(const struct sweep_tally *tally, struct buffer *text);

void sweep_tally_release(struct sweep_tally *tally);

#endif
