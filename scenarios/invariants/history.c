/* history - I-HISTORY: the newest runs of a Station are kept, the rest goes
 * (controller/RULES.md 3.5). */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/invariants/pending.h"
#include "scenarios/invariants/rows.h"

static void *create(void)
{
    return xcalloc(1, sizeof(struct pending));
}

static void destroy(void *state)
{
    pending_release(state);
    free(state);
}

static int64_t limit_of(const struct model_station *station, enum phase phase)
{
    return phase == PHASE_SUCCEEDED ? station->keep_succeeded : station->keep_failed;
}

/** What would be wrong with deleting this Agent now; NULL when nothing. Completion times are whole
 * seconds, so only an Agent with fewer surely newer or equal ones than the limit is a clear case.
 */
static char *wrong_to_prune(const struct model *model, const struct model_agent *agent)
{
    const struct model_station *station = model_station(model, agent->station);
    int64_t rivals = 0;

    if (station == NULL || !phase_is_terminal(agent->phase) || agent->terminating)
        return NULL;
    for (const struct model_agent *other = model->agents; other != NULL; other = other->hh.next) {
        if (other != agent && other->phase == agent->phase && !other->terminating &&
            strcmp(other->station, agent->station) == 0 &&
            other->completed_us >= agent->completed_us)
            rivals++;
    }
    if (rivals >= limit_of(station, agent->phase))
        return NULL;
    return xprintf("%s Agent %s was pruned, though only %" PRId64
                   " of its Station %s are newer and the limit is %" PRId64,
                   phase_name(agent->phase), agent->name, rivals, agent->station,
                   limit_of(station, agent->phase));
}

static void on_call(struct judge *judge, const struct call *call)
{
    const struct model_agent *agent;
    char *wrong;

    if (!call->by_controller || strcmp(call->method, "DELETE") != 0 ||
        strcmp(call->path->plural, "agents") != 0)
        return;
    if (call->stage == CALL_ARRIVED) {
        agent = model_agent(judge->model, call->path->name);
        wrong = agent == NULL ? NULL : wrong_to_prune(judge->model, agent);
        if (wrong != NULL)
            pending_put(judge->state, call->id, wrong);
    } else if (call->stage == CALL_ANSWERED) {
        wrong = pending_take(judge->state, call->id);
        if (wrong != NULL && call->status < 300)
            judge_violation(judge, call->at_us, "%s", wrong);
        free(wrong);
    }
}

/** At rest every bucket is within its limit. */
static void on_end(struct judge *judge, int64_t at_us)
{
    const struct model *model = judge->model;

    for (const struct model_agent *agent = model->agents; agent != NULL; agent = agent->hh.next) {
        const struct model_station *station = model_station(model, agent->station);

        if (station == NULL || !phase_is_terminal(agent->phase) || agent->terminating)
            continue;
        if ((int64_t)model_newer(model, agent) >= limit_of(station, agent->phase) &&
            limit_of(station, agent->phase) >= 0)
            judge_violation(judge, at_us,
                            "%s Agent %s is still there with %zu newer ones of Station %s, whose "
                            "limit is %" PRId64,
                            phase_name(agent->phase), agent->name, model_newer(model, agent),
                            agent->station, limit_of(station, agent->phase));
    }
}

const struct invariant invariant_history = {
    .id = "I-HISTORY",
    .what = "the newest ended Agents of a Station are kept, and at rest no more than its limits",
    .create = create,
    .destroy = destroy,
    .on_call = on_call,
    .on_end = on_end,
};
