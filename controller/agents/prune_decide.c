#include "controller/agents/prune_decide.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

bool prune_counts(const struct agent *agent, const char *station_name)
{
    return agent_phase_is_terminal(agent->phase) && !agent->deleting &&
           text_equal(agent->station, station_name);
}

bool prune_is_due(const struct station *station, size_t succeeded, size_t failed)
{
    return succeeded > (uint64_t)station->succeeded_max || failed > (uint64_t)station->failed_max;
}

static int descending(int64_t a, int64_t b)
{
    return (a < b) - (a > b);
}

/* Succeeded before Failed; then the newest first. */
static int compare(const void *left, const void *right)
{
    const struct agent *a = *(const struct agent *const *)left;
    const struct agent *b = *(const struct agent *const *)right;
    int order = (int)a->phase - (int)b->phase;

    if (order == 0)
        order = descending(a->completed_at_us, b->completed_at_us);
    if (order == 0)
        order = descending(a->created_at_us, b->created_at_us);
    return order == 0 ? strcmp(b->name, a->name) : order;
}

size_t prune_decide(const struct station *station, const struct agent **agents, size_t count)
{
    int64_t kept[AGENT_PHASE_COUNT] = {0};
    size_t pruned = 0;

    qsort(agents, count, sizeof(const struct agent *), compare);
    for (size_t i = 0; i < count; i++) {
        enum agent_phase phase = agents[i]->phase;
        int64_t most = phase == AGENT_SUCCEEDED ? station->succeeded_max : station->failed_max;

        if (kept[phase] < most)
            kept[phase]++;
        else
            agents[pruned++] = agents[i];
    }
    return pruned;
}
