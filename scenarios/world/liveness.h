/* liveness - whether a world in which nothing goes wrong any more comes to rest: the rule alone.
 *
 * A world that is slow still gets somewhere: Agents begin and end, and there are only so many of
 * them. One in a livelock does its work again and again, and gets nowhere. So it is not the time
 * that counts but what was reached in it. */
#ifndef SCENARIOS_WORLD_LIVENESS_H
#define SCENARIOS_WORLD_LIVENESS_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/time.h"

/** Nobody of ours has written for two polls and a tick: nothing is under way. */
#define LIVENESS_CALM_US (40 * US_PER_SECOND)
/** A leader that took over prunes nothing for 25 s, and then with a poll, every 15 s. */
#define LIVENESS_TERM_US (45 * US_PER_SECOND)
/** Progress or not, a world is given up after so many windows. */
#define LIVENESS_WINDOWS_MAX 8

/** What a world has done since its faults have stopped. Times are true ones. */
struct liveness_view {
    int64_t began_us;      /* when they stopped */
    int64_t window_us;     /* without progress for so long, there will be none */
    int64_t progressed_us; /* when something happened last that can happen only so often: an Agent
                            * or a Job began, ended or went; not before began_us */
    int64_t written_us;    /* when a replica last sent a write that is no Lease's */
    int64_t calm_us;       /* nobody writes for so long, once it is at rest */
    int64_t led_us;        /* when a replica began to lead last */
    int64_t failed_us;     /* when a request of a replica failed last: it is made again later */
    size_t unfinished;     /* Agents that have not ended */
};

enum liveness {
    LIVENESS_AT_REST,  /* all has ended, and nobody writes */
    LIVENESS_GOES_ON,  /* ask again at *ret_until_us at the latest */
    LIVENESS_LIVELOCK, /* it writes and writes, and gets nowhere */
    LIVENESS_STUCK,    /* nobody does anything for those that have not ended */
    LIVENESS_TOO_SLOW, /* it got somewhere all the time, but too slowly */
};

/** The state at now_us. *ret_until_us is set for LIVENESS_GOES_ON alone. */
enum liveness liveness_decide(const struct liveness_view *view, int64_t now_us,
                              int64_t *ret_until_us);

#endif
