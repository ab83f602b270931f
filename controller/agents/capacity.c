#include "controller/agents/capacity.h"

#include "controller/agents/capacity_decide.h"
#include "controller/base/text.h"

size_t capacity_running(const struct agent_cache *cache, const char *station, const char *except)
{
    struct agent_cursor cursor = {0};
    const struct agent *agent;
    size_t count = 0;

    while ((agent = agent_cache_next(cache, &cursor)) != NULL)
        count += capacity_counts(agent, station) && !text_equal(agent->name, except);
    return count;
}

const struct agent *capacity_victim(const struct agent_cache *cache, const char *station)
{
    const struct agent *victim = NULL;
    struct agent_cursor cursor = {0};
    const struct agent *agent;

    while ((agent = agent_cache_next(cache, &cursor)) != NULL) {
        if (capacity_counts(agent, station) && agent->phase == AGENT_RUNNING &&
            (victim == NULL || capacity_is_victim_before(agent, victim)))
            victim = agent;
    }
    return victim;
}
