/* sweep - each scenario again and again with one more fault: at every call, timer and event of its
 * run, of every kind that makes sense there. The run is not begun anew for it: at the place a copy
 * of it (fork.h) goes on with the fault. */
#ifndef SCENARIOS_WORKERS_SWEEP_H
#define SCENARIOS_WORKERS_SWEEP_H

#include "scenarios/workers/suite.h"

struct sweep_options {
    const char *program; /* how the runner was called, for the command that repeats a point */
    const char *filter;
    uint64_t jobs;
    bool no_fold;
    bool list;       /* only says which points there are */
    bool hashes;     /* prints the trace hash of every point that is tried */
    const char *out; /* a folder: each point that fails becomes a file there; NULL: none */
    uint64_t point;  /* only prints this one as a file, from 1; 0: all are tried */
};

/** The exit status. */
int sweep_run(const struct suite *suite, const struct sweep_options *options);

#endif
