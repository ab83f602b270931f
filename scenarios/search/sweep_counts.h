/* sweep_counts - how much of a sweep there is: places times kinds, possible, tried, folded, failed.
 */
#ifndef SCENARIOS_SEARCH_SWEEP_COUNTS_H
#define SCENARIOS_SEARCH_SWEEP_COUNTS_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "scenarios/search/points.h"

struct sweep_counts {
    uint64_t scenarios;
    uint64_t calls; /* places in the reference runs */
    uint64_t timers;
    uint64_t events;
    uint64_t possible[POINTS_KINDS_MAX]; /* points, by kind */
    uint64_t folded[POINTS_KINDS_MAX];
    uint64_t tried[POINTS_KINDS_MAX];
    uint64_t failed[POINTS_KINDS_MAX];
};

size_t fault_kind_index(const struct fault_kind *kind);

/** Counts a place, and the points there; tried says whether they are, or are folded. */
void sweep_counts_place(struct sweep_counts *counts, const struct site *site, bool tried);
void sweep_counts_add(struct sweep_counts *counts, const struct sweep_counts *more);
uint64_t sweep_counts_sum(const uint64_t by_kind[POINTS_KINDS_MAX]);

/** A table for people: a line for each kind that was possible, and the sum. */
void sweep_counts_append(const struct sweep_counts *counts, struct buffer *text);

#endif
