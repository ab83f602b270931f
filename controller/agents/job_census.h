/* job_census - which Pending Agents have a Job already, as a new leader finds them (RULES.md 3.4).
 *
 * A request of the leader before this one may land late. Its patch to Running was sent only once
 * the Job was there: so a Job that is seen now makes its Agent count, whatever its status says. */
#ifndef CONTROLLER_AGENTS_JOB_CENSUS_H
#define CONTROLLER_AGENTS_JOB_CENSUS_H

#include <stdbool.h>

#include "controller/agents/agent_api.h"
#include "controller/agents/cache.h"
#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct job_census;

/** api and cache are borrowed. */
struct job_census *job_census_new(struct runtime *rt, const struct agent_api *api,
                                  struct agent_cache *cache) MUST_CHECK;
/** Takes NULL. */
void job_census_free(struct job_census *census);

/** Lists all Jobs, and marks in the cache those Pending Agents that have begun. done is called
 * once, from the loop, unless job_census_stop() comes first; whole: all were seen, else the failure
 * is logged. None may be under way. */
void job_census_take(struct job_census *census, void (*done)(void *arg, bool whole), void *arg);
/** Ends one under way. */
void job_census_stop(struct job_census *census);

#endif
