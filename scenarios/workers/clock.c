/* clock - see clock.h. */
#include "scenarios/workers/clock.h"

#include <time.h>

#include "controller/base/time.h"

int64_t real_clock_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * US_PER_SECOND + now.tv_nsec / 1000;
}
