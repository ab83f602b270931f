/* delivery_decide - whether an event is sent again, and when: the rule alone (RULES 10.5). */
#ifndef CONTROLLER_SINKS_DELIVERY_DECIDE_H
#define CONTROLLER_SINKS_DELIVERY_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/runtime/runtime.h"

/* A larger setting counts as this: an event that is still tried after hours tells nobody anything.
 */
#define DELIVERY_ATTEMPTS_MAX 1000
#define DELIVERY_WAIT_MS_MAX (INT64_C(60) * 60 * 1000)

struct delivery_settings {
    unsigned attempts; /* 1 at least */
    int64_t base_ms;   /* 0 at least */
    int64_t max_ms;    /* 0 at least */
};

/** From AGENT_SINK_RETRY_ATTEMPTS, _BASE_MS and _MAX_MS; NULL where unset. Negative values count
 * as 0, and what is no integer as unset: 3, 200 and 5000. */
struct delivery_settings delivery_settings_parse(const char *attempts, const char *base_ms,
                                                 const char *max_ms);

/** How an attempt ended. */
struct delivery_attempt {
    unsigned number; /* from 1 */
    bool sent;       /* a byte of the request may have been written */
    unsigned status; /* of the answer; 0: none came */
    enum exchange_end end;
};

enum delivery_verdict { DELIVERY_DONE, DELIVERY_AGAIN, DELIVERY_FAILED };

/** What becomes of the event. Sets *ret_wait_us, how long to wait before the next attempt, for
 * DELIVERY_AGAIN alone.
 *
 * An event arrives at most once, so only one that cannot have left is sent again; and a status
 * decides, whatever becomes of the answer's body. */
enum delivery_verdict delivery_decide(const struct delivery_settings *settings,
                                      const struct delivery_attempt *attempt, int64_t *ret_wait_us);

#endif
