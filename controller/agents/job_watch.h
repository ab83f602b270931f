/* job_watch - tells at once when the Job of a run has changed, or ended, so that nobody waits for
 * the next poll (RULES.md 4.5).
 *
 * A hint alone: nothing is kept, and what is missed here, the poll finds. The stream is of Tables,
 * whose rows do not grow with the pods that Jobs describe. */
#ifndef CONTROLLER_AGENTS_JOB_WATCH_H
#define CONTROLLER_AGENTS_JOB_WATCH_H

#include <stdbool.h>

#include "controller/agents/agent_api.h"
#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct job_watch;

/** on_change is told the Agent that a Job which has changed belongs to, by the Job's controller
 * owner reference, and whether it has ended or gone; it may stop the watch, not free it. api is
 * borrowed. */
struct job_watch *job_watch_new(struct runtime *rt, const struct agent_api *api,
                                void (*on_change)(void *arg, const char *agent, const char *uid,
                                                  bool ended),
                                void *arg) MUST_CHECK;
/** Takes NULL. */
void job_watch_free(struct job_watch *watch);

/** Leadership begins: tells of what changes from now on. */
void job_watch_start(struct job_watch *watch);
/** Leadership has ended. */
void job_watch_stop(struct job_watch *watch);

#endif
