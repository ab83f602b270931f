#include "scenarios/world/liveness.h"

enum liveness liveness_decide(const struct liveness_view *view, int64_t now_us,
                              int64_t *ret_until_us)
{
    int64_t until_us = view->progressed_us + view->window_us;
    int64_t end_us = view->began_us + LIVENESS_WINDOWS_MAX * view->window_us;

    if (view->unfinished == 0 && now_us - view->written_us >= view->calm_us &&
        now_us - view->failed_us >= view->calm_us && now_us >= view->led_us + LIVENESS_TERM_US)
        return LIVENESS_AT_REST;
    if (now_us >= end_us && until_us > now_us)
        return LIVENESS_TOO_SLOW;
    if (until_us > now_us) {
        *ret_until_us = until_us < end_us ? until_us : end_us;
        return LIVENESS_GOES_ON;
    }
    /* What followed from the last progress is written at once; what is written long after it is
     * work that was done before. */
    return view->written_us - view->progressed_us > view->window_us / 2 ? LIVENESS_LIVELOCK
                                                                        : LIVENESS_STUCK;
}
