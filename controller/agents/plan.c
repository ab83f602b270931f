#include "controller/agents/plan.h"

#include <stdlib.h>

#include "controller/agents/capacity_decide.h"

bool plan_is_due(const struct agent *agent)
{
    return agent != NULL && !agent->deleting && !agent_phase_is_terminal(agent->phase);
}

/* The order of a pass: Running before Pending, first come, first served (RULES.md 3.4). */
static int compare_pass(const void *left, const void *right)
{
    const struct agent *a = *(const struct agent *const *)left;
    const struct agent *b = *(const struct agent *const *)right;

    if (a->phase != b->phase)
        return (int)b->phase - (int)a->phase; /* AGENT_RUNNING is above AGENT_PENDING */
    return capacity_is_before(b, a) - capacity_is_before(a, b);
}

struct plan_pass plan_pass_keys(const struct agent_cache *cache, struct work_queue *queue,
                                int64_t now_us)
{
    size_t count;
    struct plan_pass pass = {0};
    const struct agent **all = agent_cache_sorted(cache, &count);
    size_t due = 0;

    for (size_t i = 0; i < count; i++) {
        if (plan_is_due(all[i]))
            all[due++] = all[i];
    }
    qsort(all, due, sizeof(const struct agent *), compare_pass);
    for (size_t i = 0; i < due; i++) {
        if (all[i]->phase == AGENT_RUNNING)
            pass.running++;
        else
            pass.pending++;
        work_queue_add_marked(queue, all[i]->name, now_us);
    }
    free(all);
    return pass;
}

const struct agent *plan_next_in_line(const struct agent_cache *cache, const char *station)
{
    const struct roster_place *place = agent_cache_first_at(cache, station, ROSTER_PENDING);
    const struct agent *first = NULL;

    for (; place != NULL; place = place->next) {
        if (first == NULL || compare_pass(&place->agent, &first) < 0)
            first = place->agent;
    }
    return first;
}
