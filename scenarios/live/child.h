/* child - a program of ours as a real process of this machine. */
#ifndef SCENARIOS_LIVE_CHILD_H
#define SCENARIOS_LIVE_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

struct child {
    char *name;
    pid_t pid;      /* 0: not running */
    int status;     /* of its last end, as a shell says it: 128 + number after a signal */
    bool was_asked; /* to end, by a signal of ours */
    bool is_paused; /* by a signal of ours */
};

/** Starts words[0] (a path) with these words and no settings but these ("NAME=value"), both ended
 * by NULL. What it prints goes behind what is in the file log_path. It dies with this process.
 * ERROR_IO. */
bool child_start(struct child *child, const char *const *words, const char *const *settings,
                 const char *log_path, struct error *err) MUST_CHECK;

/** Whether it runs; notices its end. */
bool child_is_alive(struct child *child);

/** Whether a signal that we did not send has stopped it. */
bool child_was_stopped(const struct child *child);

/** SIGTERM, SIGSTOP, SIGCONT, SIGKILL: no error where it runs no more. */
void child_signal(struct child *child, int number);

/** Kills it and waits for its end. */
void child_end(struct child *child);

#endif
