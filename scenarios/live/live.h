/* live - a scenario played by real processes on this machine's loopback, in real time: the same
 * file, the same steps, the same claims.
 *
 * What is real: the programs as they are deployed, sockets, clocks, signals. What the simulation
 * alone can see is not there: invariants, a trace hash, a seed. */
#ifndef SCENARIOS_LIVE_LIVE_H
#define SCENARIOS_LIVE_LIVE_H

#include "scenarios/live/fit.h"
#include "scenarios/world/world.h"

/** Plays a scenario with the programs that stand beside this one; the outcome is as of world_run(),
 * its hash empty, and virtual_us the time it took. Or returns why it cannot be played live: free()
 * it. */
char *live_play(const struct scenario *scenario, struct outcome *ret_outcome) MUST_CHECK;

#endif
