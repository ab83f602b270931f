/* clock - the real one: how long a scenario took, for people only. */
#ifndef SCENARIOS_WORKERS_CLOCK_H
#define SCENARIOS_WORKERS_CLOCK_H

#include <stdint.h>

/** Microseconds that only go up; the zero means nothing. */
int64_t real_clock_us(void);

#endif
