/* log_limit - keeps a fault that lasts from flooding the log: a warning or an error whose message
 * repeats is written a few times, then once a minute, and what is left out is counted.
 *
 * Lines of lower levels tell what was done, each of something else; they are never left out. */
#ifndef CONTROLLER_BASE_LOG_LIMIT_H
#define CONTROLLER_BASE_LOG_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/log.h"

/** Messages that are told apart, by so many of their bytes; any further ones are not limited. */
#define LOG_LIMIT_MESSAGES_MAX 64
#define LOG_LIMIT_MESSAGE_SIZE 64
/** Lines of one message in a minute, and in one that follows a minute with more. */
#define LOG_LIMIT_LINES 10
#define LOG_LIMIT_LINES_ON_AND_ON 1

struct log_limit_message {
    char text[LOG_LIMIT_MESSAGE_SIZE];
    int64_t begin_us; /* of its minute */
    int64_t written;  /* lines in it */
    int64_t left_out;
    bool on_and_on;
};

/** All zero at first. */
struct log_limit {
    struct log_limit_message messages[LOG_LIMIT_MESSAGES_MAX];
    size_t count;
};

/** Calls write for the record, logged at now_us (elapsed time), unless it is to be left out; before
 * it for a record "log lines left out" for each message of which some were, in a minute that is
 * over. */
void log_limit_pass(struct log_limit *limit, const struct log_record *record, int64_t now_us,
                    void (*write)(void *arg, const struct log_record *record), void *arg);

#endif
