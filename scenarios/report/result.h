/* result - how one run of one scenario ended, as it travels from a worker to the reports. */
#ifndef SCENARIOS_REPORT_RESULT_H
#define SCENARIOS_REPORT_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/digest.h"
#include "controller/base/error.h"
#include "scenarios/world/check.h"

enum result_kind {
    RESULT_PASSED,
    RESULT_FAILED,  /* an expectation or an invariant does not hold */
    RESULT_SKIPPED, /* its file says so */
};

/** Texts belong to the result; NULL where there is none. */
struct result {
    enum result_kind kind;
    char *name;
    char *path;
    uint64_t seed;
    int64_t virtual_us;
    int64_t real_us;
    uint64_t events;
    char hash[SHA256_HEX_SIZE]; /* "" when it was not run */
    bool twice;                 /* it was run twice, and the two were compared */
    bool live;                  /* by real processes: no seed, no hash, and all time is real */
    char *failure;              /* of a failure: what does not move with lines and times */
    char *reason;               /* of a failure: one line, what does not hold; of a skip: why */
    char *details;              /* of a failure: the difference, whole lines */
    char *story;                /* of a failure: the last of the trace, whole lines */
    char *trace;                /* JSON lines, when asked for */
    char *kills;                /* whole lines: after what each kill happened */
    char *kept;                 /* the objects at the end as YAML, when asked for */
    char *cleanup;              /* what of its cleanup failed, whole lines */
    struct checks checks;       /* what its steps and claims came to */
};

void result_release(struct result *result);

/** "passed", "failed", "skipped". */
const char *result_kind_name(enum result_kind kind);

/** The first check that failed; NULL: none did, as where its process died. */
const struct check *result_failed_check(const struct result *result);

/** "scenario run FILE --seed 7": the command that repeats it, for a shell. program is how the
 * runner was called. */
void result_append_command(const struct result *result, const char *program, struct buffer *buffer);

/** To and from a line of JSON without its end: for the way between processes, and for those who
 * read reports by program. ERROR_MALFORMED says what is missing or of another type. */
void result_append(const struct result *result, struct buffer *buffer);
bool result_parse(const char *bytes, size_t size, struct result *ret_result,
                  struct error *err) MUST_CHECK;

#endif
