/* commands - all that there are. */
#ifndef SCENARIOS_COMMANDS_COMMANDS_H
#define SCENARIOS_COMMANDS_COMMANDS_H

#include "scenarios/commands/command.h"

extern const struct command command_check;
extern const struct command command_explain;
extern const struct command command_explore;
extern const struct command command_faults;
extern const struct command command_list;
extern const struct command command_merge;
extern const struct command command_run;
extern const struct command command_shrink;
extern const struct command command_sweep;

#endif
