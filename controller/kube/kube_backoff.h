/* kube_backoff - how long to wait after failures in a row (RULES 4.1). */
#ifndef CONTROLLER_KUBE_KUBE_BACKOFF_H
#define CONTROLLER_KUBE_KUBE_BACKOFF_H

#include <stdint.h>

#define KUBE_BACKOFF_BASE_S 2
#define KUBE_BACKOFF_CEILING_S 60

/** The pause after the failures-th failure in a row (from 1; 0 counts as 1): 2 s and a uniform
 * whole number of seconds up to min(60, 2 * 2^failures) - 2, drawn from 64 random bits. */
int64_t kube_backoff_us(unsigned failures, uint64_t random);

#endif
