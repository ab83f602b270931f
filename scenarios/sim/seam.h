/* seam - the table of struct runtime over the simulated world, and its small calls: clocks,
 * settings, log lines, signals, standard input and output. */
#ifndef SCENARIOS_SIM_SEAM_H
#define SCENARIOS_SIM_SEAM_H

#include "scenarios/sim/parts.h"

/** A runtime for the next life of a process, which owns it. */
struct sim_runtime *seam_new(struct sim_process *process) MUST_CHECK;
/** Frees it; timers, exchanges, listeners and requests are gone by then. */
void seam_free(struct sim_runtime *runtime);

void settings_free(struct setting *settings, size_t count);

#endif
