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
    char *reason;               /* of a failure: one line, what does not hold; of a skip: why */
    char *details;              /* of a failure: the difference, whole lines */
    char *story;                /* of a failure: the last of the trace, whole lines */
    char *trace;                /* JSON lines, when asked for */
    char *kills;                /* whole lines: after what each kill happened */
};

void result_release(struct result *result);

/** To and from bytes, for the way between processes. */
void result_append(const struct result *result, struct buffer *buffer);
bool result_parse(const char *bytes, size_t size, struct result *ret_result,
                  struct error *err) MUST_CHECK;

#endif
