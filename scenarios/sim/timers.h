/* timers - those of one life of a process, on its elapsed clock. */
#ifndef SCENARIOS_SIM_TIMERS_H
#define SCENARIOS_SIM_TIMERS_H

#include "scenarios/sim/parts.h"

/* The calls of the seam. */
struct timer *timers_after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg);
void timers_cancel(struct timer *timer);

/** The elapsed clock goes at another rate: all are due at other true times now. */
void timers_move(struct sim_runtime *runtime);
/** Frees all of them. */
void timers_free(struct sim_runtime *runtime);

/** Puts an event of the runtime's in, due when its elapsed clock shows due_us. */
void timers_put(struct sim_runtime *runtime, struct event *event, int64_t due_us);

#endif
