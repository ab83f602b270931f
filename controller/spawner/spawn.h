/* spawn - the Agent that a spawner starts: its name and the object (RULES.md 8.4). */
#ifndef CONTROLLER_SPAWNER_SPAWN_H
#define CONTROLLER_SPAWNER_SPAWN_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/jobs/naming.h"
#include "controller/kinds/spawner.h"

/** The name of a scheduled Agent; slot_minute is the slot's, in minutes since 1970. */
void spawn_slot_name(const char *spawner, int64_t slot_minute, char into[SAFE_NAME_SIZE]);
/** The name of a webhook's Agent, with the id in lower case. */
void spawn_delivery_name(const char *spawner, const char *delivery, char into[SAFE_NAME_SIZE]);

/** What such an Agent is made of; all of it borrowed. */
struct spawn {
    const struct spawner *spawner;
    const char *name;        /* as made above */
    const char *delivery;    /* the id as received; NULL: scheduled */
    int64_t slot_minute;     /* without a delivery */
    const char *target_repo; /* NULL or "": unset */
    const struct agent_parameter *parameters;
    size_t parameter_count;
};

/** Appends the Agent as JSON. */
void spawn_write(const struct spawn *spawn, struct buffer *into);

#endif
