/* agent_decide - the next step of reconciling one Agent (RULES.md 3.1 to 3.3). The rule alone.
 *
 * reconcile.c fetches, asks here, does what it is told, adds what came of it to the view, and asks
 * again. Everything may have changed in between: nothing is remembered but the view. */
#ifndef CONTROLLER_AGENTS_AGENT_DECIDE_H
#define CONTROLLER_AGENTS_AGENT_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/agents/capacity_decide.h"
#include "controller/jobs/job_wire.h"
#include "controller/jobs/naming.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/station.h"

enum agent_step {
    STEP_DONE,  /* nothing more until something changes */
    STEP_RETRY, /* an error: come back later */
    STEP_YIELD, /* others are under way at the Station: come back after them */
    STEP_GET_STATION,
    STEP_GET_DEFINITION,
    STEP_GET_AGENT, /* whole */
    STEP_BUILD_JOB,
    STEP_DELETE_VICTIM,
    STEP_CREATE_JOB,
    STEP_GET_JOB,
    STEP_LIST_PODS,
    STEP_GET_LOG,
    STEP_PATCH,   /* the status, by the decision's change */
    STEP_REFRESH, /* a write was not accepted: read the Agent, and begin anew later */
    STEP_PRUNE,   /* the Station's history */
};

/** What a read gave. */
enum read { READ_NOT_YET, READ_FOUND, READ_MISSING, READ_FAILED };

/** What became of a write. */
enum write {
    WRITE_NOT_YET,
    WRITE_DONE,
    WRITE_CONFLICT, /* 409: what it was decided from has changed, or it is there already */
    WRITE_REFUSED,  /* 422, 413 and their like: it will never be taken */
    WRITE_FAILED,   /* anything else */
};

/** Everything known. Pointers are borrowed. */
struct agent_view {
    const struct agent *agent;
    int64_t now_us; /* wall time */
    bool whole;     /* agent's spec was read whole, and in this version */
    enum read station_read;
    const struct station *station; /* when found */
    enum read definition_read;
    const struct definition *definition; /* when found */
    size_t running;                      /* other Agents that count at the Station */
    bool has_victim;                     /* one of them surely runs (capacity.h) */
    bool uncounted;                      /* of those some, or this one, may have begun unseen */
    size_t ahead;     /* Pending Agents that came before, and that only a pass lets it overtake */
    bool crowded;     /* other reconciles may take or free a slot there meanwhile */
    enum write build; /* done or refused */
    const char *build_error;  /* when refused */
    enum write victim;        /* its deletion */
    enum write create;        /* of the Job; a conflict: one of that name exists */
    const char *create_error; /* when refused */
    bool job_unchanged;       /* since it was last read, and was running (job_roll.h) */
    enum read job_read;
    const struct job *job; /* when found */
    enum read pods_read;
    const struct pod *pod; /* that explains the outcome; NULL: none */
    enum read log_read;
    bool output_may_come; /* pods or log could not be read, and another time they may be */
    const char *output;   /* when the log was found: capped */
    size_t output_size;
    enum write patch;
    bool pruned;
};

/** What an accepted patch means for the metrics (RULES.md 4.6). */
enum run_event {
    RUN_STARTED,
    RUN_MISSING_REF,
    RUN_REFUSED, /* it never started */
    RUN_ENDED,   /* after running */
};

struct agent_decision {
    enum agent_step step;
    struct agent_change change; /* of STEP_PATCH; points into the view and into this decision */
    enum run_event event;       /* of STEP_PATCH */
    char job_name[SAFE_NAME_SIZE];
    char *reason; /* owned: of a failed Job, else NULL */
};

/** The next step. Release the decision. */
void agent_decide(const struct agent_view *view, struct agent_decision *ret_decision);
void agent_decision_release(struct agent_decision *decision);

/** Whether a Job of the run's name is the Agent's own and stays: neither another Agent's nor being
 * deleted (RULES.md 3.2). */
bool agent_owns_job(const struct agent *agent, const struct job *job);

#endif
