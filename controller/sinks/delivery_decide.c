#include "controller/sinks/delivery_decide.h"

#include "controller/base/text.h"
#include "controller/base/time.h"

#define ATTEMPTS_DEFAULT 3
#define BASE_MS_DEFAULT 200
#define MAX_MS_DEFAULT 5000

static int64_t parse(const char *text, int64_t fallback, int64_t min, int64_t max)
{
    int64_t value;

    if (text == NULL || !text_to_int64(text, &value))
        return fallback;
    if (value < min)
        return min;
    return value > max ? max : value;
}

struct delivery_settings delivery_settings_parse(const char *attempts, const char *base_ms,
                                                 const char *max_ms)
{
    return (struct delivery_settings){
        .attempts = (unsigned)parse(attempts, ATTEMPTS_DEFAULT, 1, DELIVERY_ATTEMPTS_MAX),
        .base_ms = parse(base_ms, BASE_MS_DEFAULT, 0, DELIVERY_WAIT_MS_MAX),
        .max_ms = parse(max_ms, MAX_MS_DEFAULT, 0, DELIVERY_WAIT_MS_MAX),
    };
}

/* min(base * 2^(failed - 1), max) */
static int64_t wait_ms(const struct delivery_settings *settings, unsigned failed)
{
    int64_t wait = settings->base_ms;

    for (unsigned i = 1; i < failed && wait > 0 && wait < settings->max_ms; i++)
        wait *= 2;
    return wait < settings->max_ms ? wait : settings->max_ms;
}

enum delivery_verdict delivery_decide(const struct delivery_settings *settings,
                                      const struct delivery_attempt *attempt, int64_t *ret_wait_us)
{
    if (attempt->status != 0)
        return attempt->status >= 200 && attempt->status < 300 ? DELIVERY_DONE : DELIVERY_FAILED;
    if (attempt->sent || attempt->end == EXCHANGE_MALFORMED || /* the next would be, too */
        attempt->number >= settings->attempts)
        return DELIVERY_FAILED;
    *ret_wait_us = wait_ms(settings, attempt->number) * US_PER_MS;
    return DELIVERY_AGAIN;
}
