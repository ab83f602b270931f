/* fork - a process tries on what is to come: a copy of it goes on, tells how that ended, and is
 * gone.
 *
 * Whatever the copy does, this process is as it was. */
#ifndef SCENARIOS_WORKERS_FORK_H
#define SCENARIOS_WORKERS_FORK_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

/** What the copy may use up; past it, it dies. */
struct fork_limits {
    int64_t real_us;     /* of the real clock */
    size_t memory_bytes; /* beyond what this process has now */
    size_t answer_bytes; /* of what it tells */
};

enum fork_side {
    FORK_TRIED,  /* this process, once the copy is gone */
    FORK_COPY,   /* the copy: go on, and end in fork_end() */
    FORK_FAILED, /* ERROR_IO: no process or pipe can be had */
};

/** Makes a copy and waits for it. FORK_TRIED appends what it told to answer, or sets *ret_death,
 * how it died before ("signal 6 (Aborted)", "it did not end within 10s"): free() it; NULL when it
 * told all. FORK_COPY sets *ret_line, for fork_end(). */
enum fork_side fork_try(const struct fork_limits *limits, struct buffer *answer, char **ret_death,
                        int *ret_line, struct error *err) MUST_CHECK;

/** The copy tells its answer and is gone at once, without freeing anything. */
void fork_end(int line, const void *bytes, size_t size) __attribute__((noreturn));

/** In a new process: from now on it ends with the one that made it, however that ends. */
void fork_end_with(pid_t parent);

#endif
