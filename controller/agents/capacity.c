#include "controller/agents/capacity.h"

#include "controller/agents/capacity_decide.h"
#include "controller/base/text.h"

size_t capacity_running(const struct agent_cache *cache, const char *station, const char *except)
{
    const struct agent *agent = agent_cache_get(cache, except);
    size_t count = agent_cache_count_at(cache, station, ROSTER_RUNNING);

    return count - (size_t)(agent != NULL && capacity_counts(agent, station));
}

size_t capacity_ahead(const struct agent_cache *cache, const struct agent *agent, size_t enough)
{
    const struct roster_place *place = agent_cache_first_at(cache, agent->station, ROSTER_PENDING);
    size_t count = 0;

    for (; place != NULL && count < enough; place = place->next)
        count += capacity_is_ahead(place->agent, agent);
    return count;
}

const struct agent *capacity_victim(const struct agent_cache *cache, const char *station,
                                    const char *except)
{
    const struct agent *victim = NULL;
    const struct roster_place *place = agent_cache_first_at(cache, station, ROSTER_RUNNING);

    for (; place != NULL; place = place->next) {
        if (text_equal(place->agent->name, except))
            continue;
        if (place->agent->phase != AGENT_RUNNING)
            return NULL; /* it would take the place that the victim left */
        if (victim == NULL || capacity_is_victim_before(place->agent, victim))
            victim = place->agent;
    }
    return victim;
}
