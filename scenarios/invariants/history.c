/* history - I-HISTORY: the newest runs of a Station are kept, the rest goes
 * (controller/RULES.md 3.5).
 *
 * A replica prunes by what it has been told: an Agent that others have deleted meanwhile may count
 * for it still, and so may a Station as it was, for as long as listings fail or are stale. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/invariants/pending.h"
#include "scenarios/invariants/rows.h"

/** What is longer ago than this nobody believes any more. */
#define BELIEVED_US (10 * US_PER_MINUTE)

/** An ended Agent that is gone, or a Station as it was until then. */
struct past {
    char *station;
    int64_t until_us;
    enum phase phase;     /* of an Agent; else */
    int64_t completed_us; /* likewise */
    bool is_station;
    int64_t keep_succeeded;
    int64_t keep_failed;
    struct past *prev;
    struct past *next;
};

struct state {
    struct pending pending;
    struct past *past; /* in the order of their ends */
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void forget_oldest(struct state *state)
{
    struct past *past = state->past;

    DL_DELETE(state->past, past);
    free(past->station);
    free(past);
}

static void destroy(void *arg)
{
    struct state *state = arg;

    while (state->past != NULL)
        forget_oldest(state);
    pending_release(&state->pending);
    free(state);
}

/* --- what was --- */

static void add_past(struct state *state, struct past past, const char *station, int64_t at_us)
{
    struct past *kept = xcalloc(1, sizeof(*kept));

    while (state->past != NULL && at_us - state->past->until_us > BELIEVED_US)
        forget_oldest(state);
    *kept = past;
    kept->station = xstrdup(station);
    kept->until_us = at_us;
    DL_APPEND(state->past, kept);
}

static bool is_leaving(const struct change *change)
{
    return change->after == NULL ||
           json_get_text(json_get(change->after, "metadata"), "deletionTimestamp") != NULL;
}

static void on_change(struct judge *judge, const struct change *change)
{
    const char *name = object_name(change->after == NULL ? change->before : change->after);
    const struct model_agent *agent;
    const struct model_station *station;

    if (strcmp(change->plural, "agents") == 0) {
        agent = model_agent(judge->model, name);
        if (agent != NULL && phase_is_terminal(agent->phase) && !agent->terminating &&
            is_leaving(change))
            add_past(judge->state,
                     (struct past){.phase = agent->phase, .completed_us = agent->completed_us},
                     agent->station, change->at_us);
    } else if (strcmp(change->plural, "stations") == 0) {
        station = model_station(judge->model, name);
        if (station != NULL)
            add_past(judge->state,
                     (struct past){.is_station = true,
                                   .keep_succeeded = station->keep_succeeded,
                                   .keep_failed = station->keep_failed},
                     name, change->at_us);
    }
}

/* --- prunings --- */

static int64_t limit_of(const struct model_station *station, enum phase phase)
{
    return phase == PHASE_SUCCEEDED ? station->keep_succeeded : station->keep_failed;
}

/** What a replica may still believe at at_us: more rivals, or a lower limit. */
static void consider_past(const struct state *state, const struct model_agent *agent, int64_t at_us,
                          int64_t *rivals, int64_t *limit)
{
    const struct past *past;

    DL_FOREACH (state->past, past) {
        int64_t kept = agent->phase == PHASE_SUCCEEDED ? past->keep_succeeded : past->keep_failed;

        if (at_us - past->until_us > BELIEVED_US || strcmp(past->station, agent->station) != 0)
            continue;
        if (past->is_station)
            *limit = kept < *limit ? kept : *limit;
        else if (past->phase == agent->phase && past->completed_us >= agent->completed_us)
            ++*rivals;
    }
}

/** What would be wrong with deleting this Agent now; NULL when nothing. Completion times are whole
 * seconds, so only an Agent with fewer surely newer or equal ones than the limit is a clear case.
 */
static char *wrong_to_prune(const struct judge *judge, const struct model_agent *agent,
                            int64_t at_us)
{
    const struct model *model = judge->model;
    const struct model_station *station = model_station(model, agent->station);
    int64_t rivals = 0;
    int64_t limit;

    if (station == NULL || !phase_is_terminal(agent->phase) || agent->terminating)
        return NULL;
    limit = limit_of(station, agent->phase);
    for (const struct model_agent *other = model->agents; other != NULL; other = other->hh.next) {
        if (other != agent && other->phase == agent->phase && !other->terminating &&
            strcmp(other->station, agent->station) == 0 &&
            other->completed_us >= agent->completed_us)
            rivals++;
    }
    consider_past(judge->state, agent, at_us, &rivals, &limit);
    if (rivals >= limit)
        return NULL;
    return xprintf("%s Agent %s was pruned, though only %" PRId64
                   " of its Station %s are newer and the limit is %" PRId64,
                   phase_name(agent->phase), agent->name, rivals, agent->station, limit);
}

static void on_call(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;
    const struct model_agent *agent;
    char *wrong;

    if (!call->by_controller || strcmp(call->method, "DELETE") != 0 ||
        strcmp(call->path->plural, "agents") != 0)
        return;
    if (call->stage == CALL_ARRIVED) {
        agent = model_agent(judge->model, call->path->name);
        wrong = agent == NULL ? NULL : wrong_to_prune(judge, agent, call->at_us);
        if (wrong != NULL)
            pending_put(&state->pending, call->id, wrong);
    } else if (call->stage == CALL_ANSWERED) {
        wrong = pending_take(&state->pending, call->id);
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
    .of_store = true,
    .create = create,
    .destroy = destroy,
    .on_change = on_change,
    .on_call = on_call,
    .on_end = on_end,
};
