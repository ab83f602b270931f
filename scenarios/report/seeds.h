/* seeds - what the runs of one scenario under many seeds add up to. */
#ifndef SCENARIOS_REPORT_SEEDS_H
#define SCENARIOS_REPORT_SEEDS_H

#include "scenarios/report/result.h"

/** Kinds of moments that are named, the most frequent ones. */
#define SEEDS_MOMENTS_NAMED_MAX 64

struct seeds {
    size_t passed;
    size_t failed;
    int64_t virtual_us;
    int64_t real_us;
    char **kills; /* after what each kill happened */
    size_t kill_count;
};

void seeds_add(struct seeds *seeds, const struct result *result);

/** "ok      leader/killed   200 seeds   7h30m   5012.3 ms", and after what processes were killed
 * how often. Sorts the kills. */
void seeds_append(struct seeds *seeds, const char *name, struct buffer *buffer);

/** Ready for the next scenario. */
void seeds_release(struct seeds *seeds);

#endif
