/* capacity - I-CAP: no more Agents run at a Station than it allows. */
#include <inttypes.h>
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/invariants/rows.h"

/** The loosest that may count for a run that was begun at at_us; 0: none. */
static int64_t limit_now(const struct model_station *station, int64_t at_us)
{
    if (at_us > station->changed_us + MODEL_LIMIT_HOLDS_US)
        return station->limit;
    return model_looser(station->limit, station->limit_before);
}

/** When the run of an Agent was begun that says now that it runs. */
static int64_t begun_us(const struct judge *judge, const struct change *change)
{
    const struct model_job *job = model_job_of(judge->model, object_uid(change->after));

    return job == NULL || job->made_us > change->at_us ? change->at_us : job->made_us;
}

static void on_change(struct judge *judge, const struct change *change)
{
    const struct model_station *station;
    const struct model_agent *agent;
    const char *name;
    int64_t began_us;
    int64_t limit;
    size_t running;

    if (strcmp(change->plural, "agents") != 0 || change->kind != CHANGE_MODIFIED ||
        agent_phase(change->after) != PHASE_RUNNING || agent_phase(change->before) == PHASE_RUNNING)
        return;
    name = text_or(json_get_text(json_get(change->after, "spec"), "stationRef"), "");
    station = model_station(judge->model, name);
    if (station == NULL)
        return;
    began_us = begun_us(judge, change);
    agent = model_agent(judge->model, object_name(change->after));
    if (agent != NULL && agent->moved_us > began_us)
        return; /* it began elsewhere, and was moved here by whom no limit binds */
    limit = limit_now(station, began_us);
    running = model_running(judge->model, name, began_us) + 1;
    if (limit > 0 && running > (size_t)limit)
        judge_violation(judge, change->at_us,
                        "Agent %s is number %zu to run at Station %s, which allows %" PRId64,
                        object_name(change->after), running, name, limit);
}

const struct invariant invariant_capacity = {
    .id = "I-CAP",
    .what = "at every instant no more Agents run at a Station than its limit",
    .on_change = on_change,
};
