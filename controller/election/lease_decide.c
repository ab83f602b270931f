#include "controller/election/lease_decide.h"

enum lease_action lease_decide(const struct lease_view *view, int64_t now_us)
{
    bool lapsed = now_us - view->changed_us >= view->duration_us;

    switch (view->holder) {
    case LEASE_ABSENT:
        return LEASE_CREATE;
    case LEASE_VANISHED:
        return view->leading || lapsed ? LEASE_CREATE : LEASE_STAND_BY;
    case LEASE_OURS:
        return LEASE_RENEW;
    case LEASE_UNHELD:
        return LEASE_TAKE_OVER;
    case LEASE_THEIRS:
        break;
    }
    return lapsed ? LEASE_TAKE_OVER : LEASE_STAND_BY;
}

bool lease_is_after_a_lapse(const struct lease_view *view)
{
    return view->holder == LEASE_THEIRS || (view->holder == LEASE_VANISHED && !view->leading);
}

int64_t lease_duration_us(int64_t recorded_s)
{
    if (recorded_s < 1)
        return LEASE_DURATION_S * US_PER_SECOND;
    if (recorded_s > LEASE_DURATION_MAX_S)
        return LEASE_DURATION_MAX_S * US_PER_SECOND;
    return recorded_s * US_PER_SECOND;
}

bool lease_is_young(int64_t sent_us, int64_t now_us)
{
    return now_us - sent_us <= LEASE_LEADER_AGE_MAX_US;
}

int64_t lease_tick_delay_us(int64_t started_us, int64_t now_us)
{
    int64_t delay_us = started_us + LEASE_TICK_US - now_us;

    return delay_us > 0 ? delay_us : 0;
}

int64_t lease_renew_time_us(int64_t wall_us, int64_t last_written_us)
{
    return wall_us > last_written_us ? wall_us : last_written_us + 1;
}
