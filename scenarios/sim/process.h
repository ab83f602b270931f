/* process - the lives of processes: start, end, pause, signals. */
#ifndef SCENARIOS_SIM_PROCESS_H
#define SCENARIOS_SIM_PROCESS_H

#include "scenarios/sim/parts.h"

/** It ends by its own doing, once the running callback has returned. */
void process_exit(struct sim_process *process, int status);

/** Frees what has ended since the last event; called between events. */
void processes_reap(struct sim *sim);

/** Ends it, whatever it does, and frees all of it. */
void process_free(struct sim_process *process);

#endif
