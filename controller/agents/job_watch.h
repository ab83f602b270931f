/* job_watch - tells at once when the Job of a run has ended, so that nobody waits for the next poll
 * (RULES.md 4.5).
 *
 * A hint alone: nothing is kept, and what is missed here, the poll finds. The stream is of Tables,
 * whose rows do not grow with the pods that Jobs describe. */
#ifndef CONTROLLER_AGENTS_JOB_WATCH_H
#define CONTROLLER_AGENTS_JOB_WATCH_H

#include "controller/agents/agent_api.h"
#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct job_watch;

/** on_end is told the Agent that a Job which has ended or gone belongs to, by the Job's controller
 * owner reference; it may stop the watch, not free it. api is borrowed. */
struct job_watch *job_watch_new(struct runtime *rt, const struct agent_api *api,
                                void (*on_end)(void *arg, const char *agent, const char *uid),
                                void *arg) MUST_CHECK;
/** Takes NULL. */
void job_watch_free(struct job_watch *watch);

/** Leadership begins: tells of what ends from now on. */
void job_watch_start(struct job_watch *watch);
/** Leadership has ended. */
void job_watch_stop(struct job_watch *watch);

#endif
