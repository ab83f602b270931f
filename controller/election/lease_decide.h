/* lease_decide - which replica leads: the rule alone, without the requests (RULES 5, 13.2-13.5).
 *
 * All times are of the elapsed clock of this replica, in microseconds. What another replica's
 * clock says is compared as text, never as a time. */
#ifndef CONTROLLER_ELECTION_LEASE_DECIDE_H
#define CONTROLLER_ELECTION_LEASE_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/time.h"

#define LEASE_DURATION_S 15
#define LEASE_DURATION_MAX_S 60
/** A tick starts this long after the previous one started. */
#define LEASE_TICK_US (5 * US_PER_SECOND)
/** How long a renewal makes a leader, counted from when it was sent. */
#define LEASE_LEADER_AGE_MAX_US (10 * US_PER_SECOND)

enum lease_holder {
    LEASE_ABSENT,   /* never seen by this replica */
    LEASE_VANISHED, /* it was there */
    LEASE_UNHELD,
    LEASE_OURS,
    LEASE_THEIRS,
};
enum lease_action { LEASE_CREATE, LEASE_RENEW, LEASE_TAKE_OVER, LEASE_STAND_BY };

/** What this replica knows of the Lease. */
struct lease_view {
    enum lease_holder holder;
    bool leading;        /* this replica leads at this moment */
    int64_t changed_us;  /* when we first saw this holder with this renewTime, or the Lease gone */
    int64_t duration_us; /* lease_duration_us() of what the Lease records, or recorded last */
};

/** The next step at now_us, which is not before view->changed_us.
 *
 * A Lease that has vanished is made anew by the leader at once, and by others only when it would
 * have lapsed: its last holder may not have heard of it yet, and lead (RULES 13.2). */
enum lease_action lease_decide(const struct lease_view *view, int64_t now_us);

/** Whether to write at this view is to follow on a holder that was never heard of to have left. */
bool lease_is_after_a_lapse(const struct lease_view *view);

/** What a recorded leaseDurationSeconds counts as: above 60 as 60, below 1 (and so 0 for absent or
 * unreadable) as 15 (RULES 13.3). */
int64_t lease_duration_us(int64_t recorded_s);

/** Whether a renewal sent at sent_us makes a leader at now_us: no more than 10 s have passed. */
bool lease_is_young(int64_t sent_us, int64_t now_us);

/** How long to wait at now_us for the next tick when the last one started at started_us. */
int64_t lease_tick_delay_us(int64_t started_us, int64_t now_us);

/** The renewTime to write: the wall clock, but always later than the last one that we wrote. */
int64_t lease_renew_time_us(int64_t wall_us, int64_t last_written_us);

#endif
