/* suite - many scenario files: read and checked, run over workers, reported in their order. */
#ifndef SCENARIOS_WORKERS_SUITE_H
#define SCENARIOS_WORKERS_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "scenarios/language/scenario.h"
#include "scenarios/search/shards.h"
#include "scenarios/workers/reports.h"
#include "scenarios/world/world.h"

/** Most seeds of one call. */
#define SUITE_SEEDS_MAX 100000

struct suite_options {
    const char *program; /* how the runner was called, for the command that repeats a run */
    const char *filter;  /* a glob over names; NULL: all */
    uint64_t jobs;       /* 1 to POOL_WORKERS_MAX */
    bool has_seed;
    uint64_t seed;        /* instead of each file's own */
    uint64_t seeds;       /* so many seeds from that one on, 1 at least */
    uint64_t run_seconds; /* of real time for one run at most; 0: as long as it likes */
    bool twice;
    bool tap;    /* instead of lines for people */
    bool hashes; /* likewise */
    struct report_options reports;
    /* plays a scenario elsewhere than in the simulation, and returns NULL; or why it cannot be
     * played so: free() it. NULL: all are simulated */
    char *(*play)(const struct scenario *scenario, struct outcome *ret_outcome);
};

/** Exit statuses of the runner. */
enum { SUITE_GOOD = 0, SUITE_FAILED = 1, SUITE_UNUSABLE = 2 };

struct suite {
    struct scenario **items; /* in the order of their paths */
    size_t count;
    bool small; /* to be read with the sizes of searches: see 'sizes' */
};

/** Reads every file under paths whose name the filter takes. Mistakes go to standard error, all of
 * them; then false. */
bool suite_read(struct suite *suite, const char *const *paths, size_t path_count,
                const char *filter);
void suite_release(struct suite *suite);

/** Keeps the scenarios of one shard; all shards together are the suite. */
void suite_shard(struct suite *suite, const struct shard *shard);

/** Runs all of them; the exit status. */
int suite_run(const struct suite *suite, const struct suite_options *options);

#endif
