/* shutdown - the orderly end of a program in a pod (RULES.md 5.1): not ready at once, working on
 * for a while if so told, then draining, and leaving when all has ended or time is up. */
#ifndef CONTROLLER_TELEMETRY_SHUTDOWN_H
#define CONTROLLER_TELEMETRY_SHUTDOWN_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct shutdown;

struct shutdown_options {
    int64_t min_delay_us; /* 0 or more */
    int64_t timeout_us;   /* above 0 */
    /* Take nothing new, let end what is being written, then call shutdown_finished(), from the
     * loop. */
    void (*drain)(void *arg);
    /* The last call; cut when time was up before shutdown_finished(). */
    void (*leave)(void *arg, bool cut);
    void *arg;
};

/** Idle until shutdown_begin(). options is copied. */
struct shutdown *shutdown_new(struct runtime *rt,
                              const struct shutdown_options *options) MUST_CHECK;
/** Frees it, calling nobody. Takes NULL. */
void shutdown_free(struct shutdown *shutdown);

/** What a signal asks for. Call it once. */
void shutdown_begin(struct shutdown *shutdown);
bool shutdown_is_asked(const struct shutdown *shutdown);
/** All that drain was to end has ended: leaves, before it returns. */
void shutdown_finished(struct shutdown *shutdown);

#endif
