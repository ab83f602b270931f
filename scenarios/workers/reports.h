/* reports - the files that a call leaves behind: which, whether they can be written, what goes in.
 */
#ifndef SCENARIOS_WORKERS_REPORTS_H
#define SCENARIOS_WORKERS_REPORTS_H

#include <stdbool.h>
#include <stddef.h>

#include "scenarios/report/timeline.h"

/** Longest report of all kinds. */
#define REPORT_BYTES_MAX ((size_t)1024 * 1024 * 1024)

/** Paths; NULL where there is to be none. */
/** What --json leaves of a part without a scenario: an empty file is one that got lost. */
#define REPORT_OF_NOTHING "{\"scenarios\":0}\n"

struct report_options {
    const char *junit;
    const char *json;
    const char *trace;
    const char *timeline;
    const char *keep; /* a file for one run, a folder for more */
    bool github;      /* failures as annotations, beside what is printed */
};

struct reports {
    const struct report_options *options;
    const char *program; /* how the runner was called */
    struct buffer trace;
    struct timeline timeline;
    size_t annotations; /* so far */
};

/** Whether each could be written, so that a long run whose report has no place is not begun; false
 * after complaints. */
bool reports_check(const struct report_options *options, size_t run_count);

/** Whether there is anything to run for where nobody reads what is printed. */
bool reports_are_wanted(const struct report_options *options);

void reports_init(struct reports *reports, const struct report_options *options,
                  const char *program);

/** A result has come: takes its trace and its objects out, whose turn is now. False after a
 * complaint. */
bool reports_take(struct reports *reports, struct result *result);

/** Appends the annotation of a failure, unless there were too many. */
void reports_annotate(struct reports *reports, const struct result *result, struct buffer *text);

/** All results are there: writes the files. False after complaints. */
bool reports_write(struct reports *reports, const struct result *results, size_t count);

void reports_release(struct reports *reports);

/** "scenario: what" on standard error. */
void report_complain(const char *what);

#endif
