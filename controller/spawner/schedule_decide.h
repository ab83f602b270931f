/* schedule_decide - what is to be done for the schedule of a spawner: the rule alone
 * (RULES.md 8.3).
 *
 * At most one Agent is started for a slot, as its name is made of the slot; and after many missed
 * slots one, for the latest, as no others are looked for. */
#ifndef CONTROLLER_SPAWNER_SCHEDULE_DECIDE_H
#define CONTROLLER_SPAWNER_SCHEDULE_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/jobs/naming.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/spawner.h"
#include "controller/spawner/cron.h"

/** How often the leader looks. */
#define SCHEDULE_TICK_US (15 * US_PER_SECOND)

enum schedule_action {
    SCHEDULE_NOTHING, /* no slot is due */
    SCHEDULE_COUNT,   /* list the spawner's Agents and ask again: whether one is active matters */
    SCHEDULE_SKIP,    /* record the slot, and that alone */
    SCHEDULE_CREATE,  /* create the Agent; it or one of its name there: record slot and Agent */
};

/** Whether an Agent of this spawner has not ended. */
enum schedule_active { SCHEDULE_ACTIVE_UNKNOWN, SCHEDULE_ACTIVE_NONE, SCHEDULE_ACTIVE_SOME };

/** What is due, for SCHEDULE_SKIP and SCHEDULE_CREATE. */
struct schedule_due {
    int64_t slot_us;
    char agent[SAFE_NAME_SIZE]; /* its name */
};

/** What becomes of the spawner's schedule at now_us, a wall time. cron is its schedule, parsed, or
 * NULL where it has none or a bad one: then nothing. Cannot fail. Sets *ret_due for
 * SCHEDULE_SKIP, SCHEDULE_CREATE and SCHEDULE_COUNT.
 *
 * The slot is the latest one not after now_us, and due if it is later than the recorded one, or
 * than the spawner's creation where none is recorded. So a clock that was set back makes nothing
 * due again; and a spawner that lacks both times starts nothing. */
enum schedule_action schedule_decide(const struct spawner *spawner, const struct cron *cron,
                                     enum schedule_active active, int64_t now_us,
                                     struct schedule_due *ret_due);

/** Whether the agents, those with the spawner's label, are active: one is Pending, or has no
 * phase, or is Running. */
enum schedule_active schedule_active_of(const struct agent *const *agents, size_t count);

#endif
