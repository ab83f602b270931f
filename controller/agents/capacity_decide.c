#include "controller/agents/capacity_decide.h"

#include <string.h>

#include "controller/base/text.h"

bool capacity_counts(const struct agent *agent, const char *station_name)
{
    bool runs = agent->phase == AGENT_RUNNING || (agent->phase == AGENT_PENDING && agent->begun);

    return runs && !agent->deleting && text_equal(agent->station, station_name);
}

bool capacity_is_victim_before(const struct agent *a, const struct agent *b)
{
    if (a->started_at_us != b->started_at_us)
        return a->started_at_us < b->started_at_us;
    return capacity_is_before(a, b);
}

bool capacity_is_before(const struct agent *a, const struct agent *b)
{
    if (a->created_at_us != b->created_at_us)
        return a->created_at_us < b->created_at_us;
    return strcmp(a->name, b->name) < 0;
}

int64_t capacity_limit(const struct station *station)
{
    return station->policy == CONCURRENCY_ALLOW ? station->runs_max : 1;
}

bool capacity_is_bounded(const struct station *station)
{
    return capacity_limit(station) != 0;
}

bool capacity_waits(const struct agent *agent)
{
    return agent->phase == AGENT_PENDING && !agent->begun && !agent->deleting;
}

bool capacity_is_ahead(const struct agent *other, const struct agent *agent)
{
    return other->created_at_us < agent->created_at_us;
}

enum capacity capacity_decide(const struct station *station, size_t running)
{
    int64_t limit = capacity_limit(station);

    if (limit == 0 || running < (uint64_t)limit)
        return CAPACITY_FREE;
    return station->policy == CONCURRENCY_REPLACE ? CAPACITY_PREEMPT : CAPACITY_FULL;
}
