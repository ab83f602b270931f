/* pool - pieces of work spread over worker processes; answers come in the order of the work.
 *
 * A worker that dies takes only its own piece with it. */
#ifndef SCENARIOS_WORKERS_POOL_H
#define SCENARIOS_WORKERS_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

#define POOL_WORKERS_MAX 256
/** Largest answer to one piece of work. */
#define POOL_ANSWER_BYTES_MAX ((size_t)256 * 1024 * 1024)

struct pool_work {
    size_t count; /* pieces: 0 to count-1 */
    unsigned workers;
    /* does a piece, in a worker (or in this process, see limit_us) */
    void (*work)(void *arg, size_t index, struct buffer *answer);
    /* takes an answer, in this process, in the order of the pieces; bytes is NULL when the worker
     * died, and then death says how: "signal 6", "it took longer than 10m of real time".
     * False: stop. */
    bool (*done)(void *arg, size_t index, const char *bytes, size_t size, const char *death);
    void *arg;
    int64_t limit_us; /* a worker that is longer at one piece dies; 0: it may take as long as it
                       * likes, and one worker alone is this process */
};

enum pool_end {
    POOL_DONE,
    POOL_FAILED, /* ERROR_IO: processes or pipes cannot be had */
    POOL_WORKER, /* this is a worker that has done its part: free all there is and exit */
};

/** Does all of it. Returns in the workers too, so that they end as clean as the first process. */
enum pool_end pool_run(const struct pool_work *work, struct error *err) MUST_CHECK;

#endif
