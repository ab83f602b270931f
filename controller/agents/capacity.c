#include "controller/agents/capacity.h"

#include "controller/agents/capacity_decide.h"

size_t capacity_running(const struct agent_cache *cache, const char *station)
{
    size_t count = 0;

    for (const struct agent *agent = agent_cache_next(cache, NULL); agent != NULL;
         agent = agent_cache_next(cache, agent))
        count += capacity_counts(agent, station);
    return count;
}

const struct agent *capacity_victim(const struct agent_cache *cache, const char *station)
{
    const struct agent *victim = NULL;

    for (const struct agent *agent = agent_cache_next(cache, NULL); agent != NULL;
         agent = agent_cache_next(cache, agent)) {
        if (capacity_counts(agent, station) && !agent->starting &&
            (victim == NULL || capacity_is_victim_before(agent, victim)))
            victim = agent;
    }
    return victim;
}
