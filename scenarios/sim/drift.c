#include "scenarios/sim/drift.h"

#define MILLION INT64_C(1000000)

/* The floor of span * ppm / 1e6, without overflow for spans of many years. */
static int64_t gained(int64_t span_us, int64_t ppm)
{
    int64_t part = (span_us % MILLION) * ppm;
    int64_t floor = part / MILLION;

    if (part % MILLION < 0)
        floor--;
    return (span_us / MILLION) * ppm + floor;
}

int64_t drift_show(const struct drift *drift, int64_t at_us)
{
    int64_t span_us = at_us - drift->true_us;

    if (drift->ppm == 0)
        return drift->shown_us + span_us;
    return drift->shown_us + span_us + gained(span_us, drift->ppm);
}

int64_t drift_when(const struct drift *drift, int64_t shown_us)
{
    int64_t rate = MILLION + drift->ppm;
    int64_t target_us;
    int64_t span_us;

    if (shown_us <= drift->shown_us)
        return drift->true_us;
    if (__builtin_sub_overflow(shown_us, drift->shown_us, &target_us) || target_us > INT64_MAX / 4)
        return INT64_MAX;
    if (drift->ppm == 0)
        return drift->true_us + target_us;
    span_us = target_us / rate * MILLION + target_us % rate * MILLION / rate;
    while (span_us + gained(span_us, drift->ppm) < target_us)
        span_us++;
    while (span_us > 0 && span_us - 1 + gained(span_us - 1, drift->ppm) >= target_us)
        span_us--;
    return drift->true_us + span_us;
}

void drift_set_rate(struct drift *drift, int64_t now_us, int64_t ppm)
{
    drift->shown_us = drift_show(drift, now_us);
    drift->true_us = now_us;
    drift->ppm = ppm > DRIFT_PPM_MAX ? DRIFT_PPM_MAX : ppm < -DRIFT_PPM_MAX ? -DRIFT_PPM_MAX : ppm;
}

void drift_stop(struct drift *drift, int64_t now_us)
{
    drift->shown_us = drift_show(drift, now_us);
    drift->true_us = now_us;
    drift->ppm = -MILLION;
}
