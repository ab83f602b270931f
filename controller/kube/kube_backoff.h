/* kube_backoff - how long to wait after failures in a row, and after an answer that says how long
 * (RULES 4.1). */
#ifndef CONTROLLER_KUBE_KUBE_BACKOFF_H
#define CONTROLLER_KUBE_KUBE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/time.h"

#define KUBE_BACKOFF_BASE_S 2
#define KUBE_BACKOFF_CEILING_S 60
/** A server that asks for more is asked again after this. */
#define KUBE_RETRY_AFTER_MAX_US (KUBE_BACKOFF_CEILING_S * US_PER_SECOND)
/** Those who were told the same do not all come back at once. */
#define KUBE_RETRY_AFTER_SPREAD_US (2 * US_PER_SECOND)

/** The pause after the failures-th failure in a row (from 1; 0 counts as 1): 2 s and a uniform
 * whole number of seconds up to min(60, 2 * 2^failures) - 2, drawn from 64 random bits. */
int64_t kube_backoff_us(unsigned failures, uint64_t random);

/** Whether the pause grows no more after so many failures in a row. */
bool kube_backoff_is_at_cap(unsigned failures);

/** What a Retry-After header says at wall_us: whole seconds, or a date as in RFC 9110 5.6.7 (not in
 * its obsolete forms). 0 when it says nothing, or nothing that can be read; at most
 * KUBE_RETRY_AFTER_MAX_US. header may be NULL. */
int64_t kube_retry_after_us(const char *header, int64_t wall_us);

/** The pause after the failures-th failure in a row where the server asked for retry_after_us (0:
 * it did not): the longer of that, spread by up to KUBE_RETRY_AFTER_SPREAD_US, and the backoff. */
int64_t kube_pause_us(unsigned failures, int64_t retry_after_us, uint64_t random);

#endif
