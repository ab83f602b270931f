/* trace - every event goes through here: into the hash, and to those who tap it. */
#ifndef SCENARIOS_SIM_TRACE_H
#define SCENARIOS_SIM_TRACE_H

#include "scenarios/sim/parts.h"

void trace_init(struct trace *trace);
void trace_release(struct trace *trace);

/** Records an event; its at_us is filled in here. */
void trace_event(struct sim *sim, struct sim_event *event);

/** A mark: shown to taps, not in the hash. */
void trace_mark(struct sim *sim, const struct sim_process *process, enum mark mark);

/** The short form, for events that are a number or a text (may be NULL) of a process. */
void trace_number(struct sim *sim, enum sim_event_kind kind, const struct sim_process *process,
                  int64_t number, const char *text);

#endif
