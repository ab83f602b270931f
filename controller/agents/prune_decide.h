/* prune_decide - which finished Agents of a Station are past its history (RULES.md 3.5, 13.11). The
 * rule alone. */
#ifndef CONTROLLER_AGENTS_PRUNE_DECIDE_H
#define CONTROLLER_AGENTS_PRUNE_DECIDE_H

#include <stddef.h>

#include "controller/kinds/agent.h"
#include "controller/kinds/station.h"

/** Whether agent is in a history bucket of the Station of that name: it has ended and is not
 * being deleted. */
bool prune_counts(const struct agent *agent, const char *station_name);

/** Whether so many in the two buckets are past a Station's history. */
bool prune_is_due(const struct station *station, size_t succeeded, size_t failed);

/** Of count Agents for which prune_counts() holds, moves those to be deleted to the front, in the
 * order of their deletion: Succeeded before Failed, newest first. Returns how many. */
size_t prune_decide(const struct station *station, const struct agent **agents, size_t count);

#endif
