/* agent_controller_cron - "agent-controller cron": the slots of a schedule, before it is used. */
#ifndef CONTROLLER_AGENT_CONTROLLER_CRON_H
#define CONTROLLER_AGENT_CONTROLLER_CRON_H

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"

/** Most slots that are told at once: enough to see the rhythm of any schedule. */
#define CRON_COMMAND_SLOTS_MAX 10000

/** Answers the command line, whose argv[1] is "cron", and stops the runtime. False with
 * ERROR_USAGE for bad usage; and, stopped with status 1, when the schedule is none, with what the
 * controller would log of it (RULES.md 8.2). */
bool cron_command(struct runtime *rt, int argc, const char *const *argv,
                  struct error *err) MUST_CHECK;

#endif
