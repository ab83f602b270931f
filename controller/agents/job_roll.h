/* job_roll - one listing of all Jobs instead of a GET for each, when many runs are under way
 * (RULES.md 4.5). A Job that was read and was running, and that the listing shows as the same one
 * and not ended, is running still. */
#ifndef CONTROLLER_AGENTS_JOB_ROLL_H
#define CONTROLLER_AGENTS_JOB_ROLL_H

#include <stdbool.h>

#include "controller/agents/agent_api.h"
#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

/** From so many Running Agents in a pass, a listing is cheaper for the server than their GETs. */
#define JOB_ROLL_RUNS_MIN 5

struct job_roll;

/** api is borrowed. */
struct job_roll *job_roll_new(struct runtime *rt, const struct agent_api *api) MUST_CHECK;
/** Takes NULL. */
void job_roll_free(struct job_roll *roll);

/** A GET has found the Job of that uid running. */
void job_roll_note(struct job_roll *roll, const char *name, const char *uid);

/** It is known to have changed: what was noted counts no more. Takes NULL. */
void job_roll_drop(struct job_roll *roll, const char *name);

/** Lists; done is called once, from the loop, unless job_roll_clear() comes first. A listing that
 * fails tells nothing, and the Jobs are read one by one. None may be under way. */
void job_roll_list(struct job_roll *roll, void (*done)(void *arg), void *arg);

/** Whether the last listing shows the Job that was noted, running. False after job_roll_forget().
 */
bool job_roll_is_unchanged(const struct job_roll *roll, const char *name);

/** The last listing counts no more: its pass is over. What was noted stays. */
void job_roll_forget(struct job_roll *roll);
/** Ends a listing under way and forgets everything: leadership has ended. */
void job_roll_clear(struct job_roll *roll);

#endif
