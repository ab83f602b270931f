#include "controller/telemetry/shutdown_decide.h"

enum shutdown_step shutdown_decide(const struct shutdown_view *view, int64_t now_us,
                                   int64_t *ret_wake_us)
{
    *ret_wake_us = INT64_MAX;
    if (!view->asked)
        return SHUTDOWN_SERVE;
    if (view->finished)
        return SHUTDOWN_LEAVE;
    if (view->draining) {
        if (now_us - view->drain_us >= view->timeout_us)
            return SHUTDOWN_CUT;
        *ret_wake_us = view->drain_us + view->timeout_us;
        return SHUTDOWN_DRAIN;
    }
    if (now_us - view->asked_us >= view->min_delay_us) {
        *ret_wake_us = now_us + view->timeout_us;
        return SHUTDOWN_DRAIN;
    }
    *ret_wake_us = view->asked_us + view->min_delay_us;
    return SHUTDOWN_LINGER;
}
