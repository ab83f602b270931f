/* capacity - the runs at a Station, counted in the cache (RULES.md 3.4). */
#ifndef CONTROLLER_AGENTS_CAPACITY_H
#define CONTROLLER_AGENTS_CAPACITY_H

#include <stddef.h>

#include "controller/agents/cache.h"

/** Agents beside the one named except that count as running at the Station of that name. */
size_t capacity_running(const struct agent_cache *cache, const char *station, const char *except);

/** Pending Agents of the same Station that came in an earlier second than this one, and have not
 * begun; counted up to enough. */
size_t capacity_ahead(const struct agent_cache *cache, const struct agent *agent, size_t enough);

/** Which of those that run is preempted first for the one named except; NULL when there is none,
 * and while another one has only begun. Borrowed from the cache. */
const struct agent *capacity_victim(const struct agent_cache *cache, const char *station,
                                    const char *except);

#endif
