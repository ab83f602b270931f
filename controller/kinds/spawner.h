/* spawner - the kind AgentSpawner: starts Agents by schedule or by webhook (RULES.md 1.4). */
#ifndef CONTROLLER_KINDS_SPAWNER_H
#define CONTROLLER_KINDS_SPAWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/parameter.h"
#include "controller/kinds/text_list.h"

/** spec.github: which deliveries start an Agent. Texts are owned; "" when absent. */
struct spawner_github {
    char *secret;            /* secretRef: the key in the Secret agent-secrets */
    struct text_list events; /* as written; an empty list matches nothing */
    char *label;
    char *repository;
};

/** An AgentSpawner, parsed once. Texts are owned and never NULL: "" when absent. Times are wall
 * times in microseconds, or AGENT_NO_TIME when missing or unreadable. */
struct spawner {
    char *name; /* not empty, as are the next two */
    char *uid;
    char *resource_version; /* opaque */
    int64_t generation;     /* 0 when absent */
    int64_t created_at_us;
    bool deleting; /* it has a deletionTimestamp */
    char *station; /* spec.stationRef */
    char *schedule;
    struct spawner_github *github;      /* NULL: no webhooks */
    struct agent_parameter *parameters; /* as written, names distinct */
    size_t parameter_count;
    bool forbid;  /* concurrencyPolicy */
    bool suspend; /* starts nothing of either kind */
    int64_t last_schedule_at_us;
    char *last_agent;
    struct text_list deliveries; /* status.recentDeliveries, as written (RULES 13.6) */
};

/** Reads a whole AgentSpawner's text, which has passed the JSON gate. ERROR_INVALID when metadata
 * lacks name, uid or resourceVersion, or a member has another type (the caller skips the object).
 */
bool spawner_read(struct json_slice object, struct spawner **ret_spawner,
                  struct error *err) MUST_CHECK;
void spawner_free(struct spawner *spawner);

#endif
