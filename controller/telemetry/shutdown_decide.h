/* shutdown_decide - how a program that was asked to end goes: the rule alone (RULES.md 5.1).
 *
 * All times are of the elapsed clock, in microseconds. */
#ifndef CONTROLLER_TELEMETRY_SHUTDOWN_DECIDE_H
#define CONTROLLER_TELEMETRY_SHUTDOWN_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

enum shutdown_step {
    SHUTDOWN_SERVE,  /* nobody asked */
    SHUTDOWN_LINGER, /* not ready any more, but working as before */
    SHUTDOWN_DRAIN,  /* begins nothing new; what is being written may end */
    SHUTDOWN_LEAVE,  /* all has ended */
    SHUTDOWN_CUT,    /* time is up: leaves with what is under way */
};

struct shutdown_view {
    bool asked;
    bool draining;        /* told to drain already, at drain_us */
    bool finished;        /* all that was to end has ended */
    int64_t asked_us;     /* when; counts once asked */
    int64_t drain_us;     /* when draining began; counts once draining */
    int64_t min_delay_us; /* 0 or more */
    int64_t timeout_us;   /* above 0 */
};

/** The step at now_us, which is not before asked_us and drain_us. *ret_wake_us is when to ask
 * again at the latest: INT64_MAX where time changes nothing.
 *
 * The timeout counts from when draining really began, so that a program that stood still while it
 * lingered has all of it. */
enum shutdown_step shutdown_decide(const struct shutdown_view *view, int64_t now_us,
                                   int64_t *ret_wake_us);

#endif
