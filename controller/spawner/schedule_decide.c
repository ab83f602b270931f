#include "controller/spawner/schedule_decide.h"

#include "controller/base/time.h"
#include "controller/spawner/spawn.h"

static bool is_due(const struct spawner *spawner, const struct cron *cron, int64_t now_us,
                   int64_t *ret_slot_us)
{
    int64_t since_us = spawner->last_schedule_at_us;

    if (since_us == AGENT_NO_TIME)
        since_us = spawner->created_at_us;
    return since_us != AGENT_NO_TIME && cron_latest(cron, now_us, ret_slot_us) &&
           *ret_slot_us > since_us;
}

enum schedule_action schedule_decide(const struct spawner *spawner, const struct cron *cron,
                                     enum schedule_active active, int64_t now_us,
                                     struct schedule_due *ret_due)
{
    int64_t slot_us;

    if (cron == NULL || spawner->suspend || spawner->deleting ||
        !is_due(spawner, cron, now_us, &slot_us))
        return SCHEDULE_NOTHING;
    ret_due->slot_us = slot_us;
    spawn_slot_name(spawner->name, time_floor(slot_us, US_PER_MINUTE), ret_due->agent);
    if (!spawner->forbid || active == SCHEDULE_ACTIVE_NONE)
        return SCHEDULE_CREATE;
    return active == SCHEDULE_ACTIVE_SOME ? SCHEDULE_SKIP : SCHEDULE_COUNT;
}

enum schedule_active schedule_active_of(const struct agent *const *agents, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!agent_phase_is_terminal(agents[i]->phase))
            return SCHEDULE_ACTIVE_SOME;
    return SCHEDULE_ACTIVE_NONE;
}
