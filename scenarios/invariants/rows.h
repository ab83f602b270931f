/* rows - the invariants, each in the file of its name. */
#ifndef SCENARIOS_INVARIANTS_ROWS_H
#define SCENARIOS_INVARIANTS_ROWS_H

#include "scenarios/invariants/invariants.h"

extern const struct invariant invariant_one_job;
extern const struct invariant invariant_phase;
extern const struct invariant invariant_exit_code;
extern const struct invariant invariant_same_uid;
extern const struct invariant invariant_capacity;
extern const struct invariant invariant_precondition;
extern const struct invariant invariant_one_leader;
extern const struct invariant invariant_fence;
extern const struct invariant invariant_history;
extern const struct invariant invariant_finalizers;
extern const struct invariant invariant_storm;
extern const struct invariant invariant_quiet;
extern const struct invariant invariant_secrets;
extern const struct invariant invariant_chatter;
extern const struct invariant invariant_numbers;
extern const struct invariant invariant_live;

#endif
