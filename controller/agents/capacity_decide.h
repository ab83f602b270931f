/* capacity_decide - whether a Station has room for one more run (RULES.md 3.4). The rule alone. */
#ifndef CONTROLLER_AGENTS_CAPACITY_DECIDE_H
#define CONTROLLER_AGENTS_CAPACITY_DECIDE_H

#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/station.h"

enum capacity {
    CAPACITY_FREE,
    CAPACITY_FULL,    /* wait */
    CAPACITY_PREEMPT, /* delete the victim, then start */
};

/** Whether agent counts as running at the Station of that name: it runs, or it may do so for all we
 * know. */
bool capacity_counts(const struct agent *agent, const char *station_name);

/** The order of a pass: whether a comes before b, created earlier, then by name. */
bool capacity_is_before(const struct agent *a, const struct agent *b);

/** Whether agent waits for room, wherever that is. */
bool capacity_waits(const struct agent *agent);

/** Whether other, who waits at the same Station, came before agent. Creation times are whole
 * seconds: of two within one, whoever is looked at first comes first. */
bool capacity_is_ahead(const struct agent *other, const struct agent *agent);

/** Whether a is preempted rather than b: started earlier, then created earlier, then by name; a
 * missing time is the earliest. */
bool capacity_is_victim_before(const struct agent *a, const struct agent *b);

/** How many runs a Station allows at a time; 0: as many as there are. */
int64_t capacity_limit(const struct station *station);

/** Whether a Station allows a limited number of runs at a time. */
bool capacity_is_bounded(const struct station *station);

/** What a Station allows while that many Agents run there (capacity_counts()). */
enum capacity capacity_decide(const struct station *station, size_t running);

#endif
