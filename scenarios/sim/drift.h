/* drift - a clock that runs too fast or too slow: from true time to what it shows, and back.
 * Integers only, so that every build shows the same. */
#ifndef SCENARIOS_SIM_DRIFT_H
#define SCENARIOS_SIM_DRIFT_H

#include <stdint.h>

#define DRIFT_PPM_MAX 500000

struct drift {
    int64_t true_us;  /* at this true time */
    int64_t shown_us; /* it showed this */
    int64_t ppm;      /* and gains this many microseconds per true second since */
};

/** What it shows at at_us, which is not before drift->true_us. */
int64_t drift_show(const struct drift *drift, int64_t at_us);
/** The first true time, from drift->true_us on, at which it shows shown_us or later; INT64_MAX
 * when that is too far off. */
int64_t drift_when(const struct drift *drift, int64_t shown_us);
/** Another rate from now on; what it shows does not jump. Clamped to DRIFT_PPM_MAX either way. */
void drift_set_rate(struct drift *drift, int64_t now_us, int64_t ppm);

/** Stands from now on, until it is set anew. drift_when() must not be asked of it meanwhile. */
void drift_stop(struct drift *drift, int64_t now_us);

#endif
