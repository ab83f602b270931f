#include "controller/agents/admit.h"

#include "controller/agents/capacity_decide.h"

enum admission_part admit_part(const struct agent *agent)
{
    if (agent == NULL || agent->station == NULL || agent->deleting)
        return ADMISSION_NONE;
    if (agent->phase == AGENT_PENDING)
        return ADMISSION_STARTING;
    return agent->phase == AGENT_RUNNING ? ADMISSION_ENDING : ADMISSION_NONE;
}

/* Whether the Station, for all that is known, has a limit. */
static bool is_bounded(const struct agent_context *context, const char *name)
{
    struct ref *station = refs_station(context->refs, name, INT64_MIN);
    bool bounded = station == NULL || capacity_is_bounded(ref_station(station));

    ref_drop(station);
    return bounded;
}

enum admission admit(const struct agent_context *context, const struct work_queue *queue,
                     const struct work_item *item, const struct agent *agent)
{
    struct admission_view view = {.part = admit_part(agent)};

    if (view.part == ADMISSION_NONE)
        return ADMISSION_GO;
    view.bounded = is_bounded(context, agent->station);
    view.others_wait = !item->was_held && work_queue_holds(queue, agent->station);
    view.load = admissions_load(context->admissions, agent->station);
    return admission_decide(&view);
}
