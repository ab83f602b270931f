/* sweep - a run with one more fault, as the other files of this folder see it: when that happened,
 * and what it excuses. */
#ifndef SCENARIOS_WORLD_SWEEP_H
#define SCENARIOS_WORLD_SWEEP_H

#include "scenarios/world/parts.h"
#include "scenarios/world/probe.h"

/** Says what kind of run it will be, before anything runs. */
void sweep_prepare(struct world *world);

/** In on_site of whoever probes; see probe.h. */
bool sweep_looks(const struct world *world);
void sweep_on_call(struct world *world, const struct exchange_info *info, const char *resource,
                   enum site_stage stage);
void sweep_on_timer(struct world *world, const struct sim_event *event);
/** A call of whoever it is has ended: well or not. */
void sweep_on_end(struct world *world, const struct exchange_info *info,
                  const struct sim_event *event);
/** Forgets how calls went. */
void sweep_release(struct world *world);
/** Of a call or an event that the API server decides on. */
void sweep_on_api(struct world *world, const struct fault_call *call, bool event);

/** The swept fault happens now. */
void sweep_happens(struct world *world, const struct fault *fault);
/** Looks whether it has, at the API server. */
void sweep_look(struct world *world);
/** When a replica was at work last: it wrote, or in a sweep the fault was not over, or it waited
 * for an answer. */
int64_t sweep_busy_us(const struct world *world);
/** A call of a replica has ended. */
void sweep_on_answer(struct world *world, const struct exchange_info *info);

/** Whether what is marked so is not judged any more. */
bool sweep_spares(const struct world *world, const struct may_change *mark);
/** Whether a failure of this identity is none any more. */
bool sweep_excuses(const struct world *world, const char *identity);

/** Something happened that a world at rest does not do: see struct site. */
void world_stir(struct world *world);

#endif
