/* live - a scenario played by real processes on this machine's loopback, in real time: the same
 * file, the same steps, the same claims.
 *
 * What is real: the programs as they are deployed, sockets, clocks, signals. What the simulation
 * alone can see is not there: invariants, a trace hash, a seed. */
#ifndef SCENARIOS_LIVE_LIVE_H
#define SCENARIOS_LIVE_LIVE_H

#include "scenarios/live/fit.h"
#include "scenarios/world/world.h"

/** Plays a scenario that live_unfit() lets through, with the programs of that folder. The outcome
 * is as of world_run(); its hash is empty, and virtual_us the time it took. */
void live_run_scenario(const struct scenario *scenario, const char *programs,
                       struct outcome *ret_outcome);

#endif
