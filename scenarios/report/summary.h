/* summary - results for people: a line each, the whole story of a failure, and the totals. */
#ifndef SCENARIOS_REPORT_SUMMARY_H
#define SCENARIOS_REPORT_SUMMARY_H

#include "scenarios/report/result.h"

/** What all results of one call add up to. */
struct totals {
    size_t passed;
    size_t failed;
    size_t skipped;
    size_t checks; /* steps and assertions that passed */
    int64_t virtual_us;
};

void totals_add(struct totals *totals, const struct result *result);

/** "ok      first/run-succeeds      1m3s  4.2 ms", and of a failure all that helps. program is how
 * the runner was called, for the command that repeats the run. */
void summary_append(const struct result *result, const char *program, struct buffer *buffer);

/** "18 scenarios: 18 passed; 3h virtual in 0.2 s real, 54000 times as fast". real_us is the time
 * that passed for the caller, all workers together. */
void totals_append(const struct totals *totals, int64_t real_us, struct buffer *buffer);

/** "slowest: ..." and the few that took longest, of many; nothing where there are but a few. */
void slowest_append(const struct result *results, size_t count, struct buffer *buffer);

/** Each line of text, as plain_append() shows it, indented by so many spaces. */
void append_indented(struct buffer *buffer, const char *text, unsigned spaces);

#endif
