/* clock - time that can be stopped and moved on: a runtime in front of another one.
 *
 * Whoever is given clock_runtime() reads its clocks and makes its timers there; all else goes
 * through to the runtime behind it. While the clock is stopped, neither the wall clock nor the
 * elapsed clock moves, and only timers without a delay fire. Moving it on fires what is due in
 * between in the order of time, each timer at its own instant. */
#ifndef FAKEAPI_ADMIN_CLOCK_H
#define FAKEAPI_ADMIN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"

/** The most that one call moves it on: watches wake every minute of it, each. */
#define CLOCK_ADVANCE_US_MAX (31 * INT64_C(86400000000))

struct clock;

/** One that runs. rt must outlive it. */
struct clock *clock_new(struct runtime *rt) MUST_CHECK;
/** Frees its timers too, without firing them. Takes NULL. */
void clock_free(struct clock *clock);

/** Lives as long as the clock. */
struct runtime *clock_runtime(struct clock *clock);

bool clock_is_stopped(const struct clock *clock);
/** Stopping a stopped one and starting a running one change nothing. Started, it runs on from
 * where it stood; what was due meanwhile comes as much later. */
void clock_stop(struct clock *clock);
void clock_start(struct clock *clock);

/** Moves it on by by_us, over as many turns of the loop as it has timers to fire; it runs again
 * then if it ran before. Calls done(arg) at the end. ERROR_CONFLICT while it is being moved,
 * ERROR_INVALID when by_us is not from 0 to CLOCK_ADVANCE_US_MAX. */
bool clock_advance(struct clock *clock, int64_t by_us, void (*done)(void *arg), void *arg,
                   struct error *err) MUST_CHECK;
/** done is not called for this arg any more. */
void clock_forget(struct clock *clock, const void *arg);

/** As a new one: it runs, and its wall clock is that of the runtime behind. A move is over. */
void clock_reset(struct clock *clock);

/** How far its wall clock is from that of the runtime behind it. */
int64_t clock_offset_us(struct clock *clock);

#endif
