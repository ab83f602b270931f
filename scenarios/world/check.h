/* check - one thing that a scenario does or asserts, and what came of it: a case of a report. */
#ifndef SCENARIOS_WORLD_CHECK_H
#define SCENARIOS_WORLD_CHECK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Most checks kept of one run; the others are counted. */
#define CHECKS_MAX 2000

enum check_verdict {
    CHECK_PASSED,
    CHECK_FAILED,
    CHECK_NOT_REACHED, /* the run ended before it was done */
    CHECK_VERDICT_COUNT,
};

struct check {
    enum check_verdict verdict;
    char *name;       /* "03 wait: Agent hello"; the same in every run, no other check has it */
    unsigned line;    /* where it stands in its file; 0: nowhere */
    int64_t begun_us; /* virtual time; -1: never */
    int64_t ended_us; /* -1: it has not come to its end */
    int64_t real_us;  /* what it took; 0 when nobody looked at a clock */
    bool cleanup;     /* a step of the cleanup: another's failure is not its own */
};

struct checks {
    struct check *items;
    size_t count;
    size_t left_out;
};

/** What failed was expected to: it counts as passed. */
void checks_forgive(struct checks *checks);
void checks_release(struct checks *checks);

#endif
