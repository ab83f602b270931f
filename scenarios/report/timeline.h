/* timeline - runs as one page of HTML that needs nothing else: lanes, events, the failure.
 *
 * The page is made of the files of timeline/, which are embedded at build time, and of the runs'
 * results and traces as they are. What stands in those cannot leave its place in the page, and the
 * page's policy lets nothing run but its own script. */
#ifndef SCENARIOS_REPORT_TIMELINE_H
#define SCENARIOS_REPORT_TIMELINE_H

#include "scenarios/report/result.h"

/** Most bytes of one page; runs that do not fit are counted, and failed ones come first. */
#define TIMELINE_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct timeline {
    struct buffer failed; /* runs, as the page takes them */
    struct buffer others;
    size_t other_count;
    size_t left_out;
};

struct timeline timeline_new(void);
/** A result whose trace is there; others are left out, quietly where they were skipped. */
void timeline_add(struct timeline *timeline, const struct result *result, const char *program);
/** The page. */
void timeline_append(const struct timeline *timeline, struct buffer *buffer);
void timeline_release(struct timeline *timeline);

#endif
