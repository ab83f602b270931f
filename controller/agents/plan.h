/* plan - which Agents a pass reconciles, and in which order (RULES.md 3.4). */
#ifndef CONTROLLER_AGENTS_PLAN_H
#define CONTROLLER_AGENTS_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/agents/cache.h"
#include "controller/agents/queue.h"

/** Whether there may be anything to reconcile. agent may be NULL. */
bool plan_is_due(const struct agent *agent);

/** What a pass goes through. */
struct plan_pass {
    size_t running;
    size_t pending;
};

/** Marks all Agents that are due in the queue, in the order of a pass, and counts them. */
struct plan_pass plan_pass_keys(const struct agent_cache *cache, struct work_queue *queue,
                                int64_t now_us);

/** Of the Pending Agents at that Station the first in the order of a pass, or NULL. Borrowed from
 * the cache. */
const struct agent *plan_next_in_line(const struct agent_cache *cache, const char *station);

#endif
