/* model - what the store holds, as far as the invariants need it: Agents, Stations and Jobs. */
#ifndef SCENARIOS_INVARIANTS_MODEL_H
#define SCENARIOS_INVARIANTS_MODEL_H

#include <uthash.h>

#include "controller/base/time.h"
#include "scenarios/invariants/observation.h"

/** Phases in the order in which they may follow each other. */
enum phase { PHASE_PENDING, PHASE_RUNNING, PHASE_SUCCEEDED, PHASE_FAILED };

struct model_agent {
    char *name; /* the key */
    char *uid;
    char *station;
    enum phase phase;
    int64_t moved_us; /* when somebody named another Station in it; INT64_MIN: never */
    int64_t created_us;
    int64_t completed_us; /* INT64_MIN when missing */
    bool terminating;
    UT_hash_handle hh;
};

enum policy { POLICY_ALLOW, POLICY_FORBID, POLICY_REPLACE };

struct model_station {
    char *name;           /* the key */
    int64_t limit;        /* of Running Agents; 0: none */
    int64_t limit_before; /* the loosest that may count since changed_us; 0: none at all */
    int64_t changed_us;
    bool gone;
    int64_t keep_succeeded; /* history limits */
    int64_t keep_failed;
    UT_hash_handle hh;
};

struct model_job {
    char *name; /* the key */
    char *uid;
    char *agent_uid; /* of the controlling Agent; "" when it has none */
    int64_t made_us; /* INT64_MIN: it was there from the start */
    UT_hash_handle hh;
};

/** A decision made under a Station's old limit, or before an Agent was moved to it, may still land
 * this long after: two requests of 30 s each (controller/RULES.md 4.1), and as long again for what
 * was served stale. */
#define MODEL_LIMIT_HOLDS_US (120 * US_PER_SECOND)

struct model {
    struct model_agent *agents;
    struct model_station *stations;
    struct model_job *jobs;
};

void model_apply(struct model *model, const struct change *change);
void model_release(struct model *model);

/** NULL when there is none. */
const struct model_agent *model_agent(const struct model *model, const char *name);
const struct model_station *model_station(const struct model *model, const char *name);
const struct model_job *model_job(const struct model *model, const char *name);

/** The Job that an Agent of that uid controls; NULL when there is none. */
const struct model_job *model_job_of(const struct model *model, const char *agent_uid);

/** Of two limits, where 0 is none. */
int64_t model_looser(int64_t limit, int64_t other);

/** Running Agents of a Station that are not being deleted, as who begins a run at begun_us must
 * know of them: one that was moved there later, or shortly before, need not be known. */
size_t model_running(const struct model *model, const char *station, int64_t begun_us);
/** Agents that have not ended and are not being deleted. */
size_t model_unfinished(const struct model *model);
/** So many Agents of the same Station and phase are surely newer than agent: they completed in a
 * later second. */
size_t model_newer(const struct model *model, const struct model_agent *agent);

/* Readers of trees. */
enum phase agent_phase(const struct json_object *agent);
bool phase_is_terminal(enum phase phase);
const char *phase_name(enum phase phase);
/** metadata.name and metadata.uid; "" when absent. */
const char *object_name(const struct json_object *object);
const char *object_uid(const struct json_object *object);
/** The uid of the controlling owner of kind Agent; "" when there is none. */
const char *object_agent_uid(const struct json_object *object);

#endif
