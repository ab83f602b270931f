/* agent_controller - the program agent-controller, as every runtime starts it. */
#ifndef CONTROLLER_AGENT_CONTROLLER_H
#define CONTROLLER_AGENT_CONTROLLER_H

#include "controller/runtime/runtime.h"

extern const struct program agent_controller_program;

#endif
