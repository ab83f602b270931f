#include "controller/agents/agent_decide.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "controller/jobs/outcome_decide.h"
#include "controller/kinds/failure_reason.h"

/* A namesake of old, or somebody else's run. A Job of no Agent is taken for the Agent's own. */
static bool is_of_another(const struct job *job, const struct agent *agent)
{
    return job->owner_uid != NULL && !text_equal(job->owner_uid, agent->uid);
}

bool agent_owns_job(const struct agent *agent, const struct job *job)
{
    return !job->deleting && !is_of_another(job, agent);
}

/* The Job as the Agent has it, else as it is derived. */
static const char *name_job(const struct agent *agent, struct agent_decision *decision)
{
    if (agent->job != NULL)
        return agent->job;
    job_name(agent->name, decision->job_name);
    return decision->job_name;
}

static void patch(struct agent_decision *decision, enum agent_phase phase, enum run_event event)
{
    decision->step = STEP_PATCH;
    decision->event = event;
    decision->change.phase = phase;
    decision->change.started_at_us = AGENT_NO_TIME;
    decision->change.completed_at_us = AGENT_NO_TIME;
}

/* What follows an answered patch of the status. */
static enum agent_step after_patch(const struct agent_view *view, bool terminal)
{
    if (view->patch == WRITE_CONFLICT || view->patch == WRITE_FAILED)
        return STEP_REFRESH; /* it may have landed all the same */
    if (view->patch != WRITE_DONE)
        return STEP_RETRY;
    return terminal && !view->pruned ? STEP_PRUNE : STEP_DONE;
}

/* A run that ends before it has started. */
static void fail(const struct agent_view *view, const char *reason, enum run_event event,
                 struct agent_decision *decision)
{
    patch(decision, AGENT_FAILED, event);
    decision->change.completed_at_us = view->now_us;
    decision->change.has_exit_code = true;
    decision->change.exit_code = 1;
    decision->change.failure_reason = reason;
}

static void start(const struct agent_view *view, struct agent_decision *decision)
{
    patch(decision, AGENT_RUNNING, RUN_STARTED);
    job_name(view->agent->name, decision->job_name); /* whatever its status says already */
    decision->change.job = decision->job_name;
    decision->change.started_at_us = view->now_us;
}

/* Goes on with a run whose Job is there already, whatever has become of its Station since. False
 * when there is none after all. */
static bool resume(const struct agent_view *view, struct agent_decision *decision)
{
    if (view->create != WRITE_NOT_YET)
        return false;
    if (view->job_read == READ_NOT_YET)
        decision->step = STEP_GET_JOB;
    else if (view->job_read == READ_FAILED)
        decision->step = STEP_RETRY;
    else if (view->job_read == READ_FOUND && agent_owns_job(view->agent, view->job))
        start(view, decision);
    else
        return false;
    return true;
}

/* Whether the Job that was read is none that a leader made for this Agent: it would control it. */
static bool is_foreign(const struct agent_view *view)
{
    return view->job_read == READ_FOUND && !text_equal(view->job->owner_uid, view->agent->uid);
}

/* A run that ends before it has started; where nobody knows whether it has, its Job says so. */
static void refuse(const struct agent_view *view, const char *reason, enum run_event event,
                   struct agent_decision *decision)
{
    if (!view->uncounted || is_foreign(view) || !resume(view, decision))
        fail(view, reason, event, decision);
}

/* Why this controller cannot run the recipe so; NULL when it can. Batch and realtime are components
 * that it does not have (RULES.md 6.1, 7.1). */
static const char *execution_error(const struct agent_view *view)
{
    bool resumes = view->agent->resume_session != NULL;

    switch (view->definition->execution) {
    case EXECUTION_BATCH:
        return resumes ? REASON_RESUME_NEEDS_REALTIME : REASON_BATCH_DISABLED;
    case EXECUTION_REALTIME:
        return REASON_REALTIME_DISABLED;
    case EXECUTION_INTERACTIVE:
        break;
    }
    return resumes ? REASON_RESUME_NEEDS_REALTIME : NULL;
}

/* Reads the Station and the recipe. False while that is not done; then the step is set. */
static bool resolve(const struct agent_view *view, struct agent_decision *decision)
{
    enum read station = view->agent->station == NULL ? READ_MISSING : view->station_read;
    enum read recipe = view->definition_read;

    if (station == READ_FOUND && text_is_empty(view->station->definition))
        recipe = READ_MISSING;
    if (station == READ_NOT_YET)
        decision->step = STEP_GET_STATION;
    else if (station == READ_FAILED)
        decision->step = STEP_RETRY;
    else if (station == READ_FOUND && recipe == READ_NOT_YET)
        decision->step = STEP_GET_DEFINITION;
    else if (station == READ_FOUND && recipe == READ_FAILED)
        decision->step = STEP_RETRY;
    else if (station == READ_MISSING || recipe == READ_MISSING)
        refuse(view, REASON_MISSING_REF, RUN_MISSING_REF, decision);
    else
        return true;
    return false;
}

/* Whether there is room for it, but only if it overtakes those who came before: a pass takes them
 * in their order, and waits for nobody. One whose Job may land yet has its place already. */
static bool must_queue(const struct agent_view *view)
{
    return view->ahead > 0 && !view->agent->begun && view->victim == WRITE_NOT_YET &&
           capacity_decide(view->station, view->running + view->ahead) != CAPACITY_FREE;
}

/* Sees to the run's Job text and to room for it. False while that is not done; then the step is
 * set. A victim goes only for a Job that can be built. */
static bool prepare(const struct agent_view *view, struct agent_decision *decision)
{
    enum capacity capacity = capacity_decide(view->station, view->running);

    if (view->crowded && capacity_is_bounded(view->station)) {
        decision->step = STEP_YIELD;
        return false;
    }
    if (view->uncounted && capacity_is_bounded(view->station))
        capacity = CAPACITY_FULL;
    else if (view->victim == WRITE_DONE)
        capacity = CAPACITY_FREE; /* one victim for one run */
    else if (capacity == CAPACITY_PREEMPT && view->victim == WRITE_NOT_YET && !view->has_victim)
        capacity = CAPACITY_FULL; /* of runs that have begun, but do not show it yet */
    if (capacity == CAPACITY_FULL || view->victim == WRITE_CONFLICT || must_queue(view))
        decision->step = STEP_DONE; /* wait for the next pass */
    else if (!view->whole)
        decision->step = STEP_GET_AGENT;
    else if (view->build == WRITE_NOT_YET)
        decision->step = STEP_BUILD_JOB;
    else if (view->build != WRITE_DONE)
        fail(view, view->build_error, RUN_REFUSED, decision);
    else if (capacity == CAPACITY_PREEMPT)
        decision->step = view->victim == WRITE_NOT_YET ? STEP_DELETE_VICTIM : STEP_RETRY;
    else
        return true;
    return false;
}

/* Creates the Job. False while that is not done; then the step is set. */
static bool create(const struct agent_view *view, struct agent_decision *decision)
{
    switch (view->create) {
    case WRITE_DONE:
        return true;
    case WRITE_NOT_YET:
        decision->step = STEP_CREATE_JOB;
        return false;
    case WRITE_REFUSED:
        fail(view, view->create_error, RUN_REFUSED, decision);
        return false;
    case WRITE_FAILED:
        decision->step = STEP_RETRY;
        return false;
    case WRITE_CONFLICT:
        break;
    }
    if (view->job_read == READ_FOUND && agent_owns_job(view->agent, view->job))
        return true;
    if (view->job_read == READ_NOT_YET)
        decision->step = STEP_GET_JOB;
    else /* a former namesake's: it goes by itself */
        decision->step = view->job_read == READ_FOUND ? STEP_DONE : STEP_RETRY;
    return false;
}

static void pending(const struct agent_view *view, struct agent_decision *decision)
{
    const char *error;

    if (view->agent->begun && resume(view, decision))
        return;
    if (!resolve(view, decision))
        return;
    error = execution_error(view);
    if (error != NULL) {
        refuse(view, error, RUN_REFUSED, decision);
        return;
    }
    if (view->create == WRITE_NOT_YET && !prepare(view, decision))
        return;
    if (create(view, decision))
        start(view, decision);
}

/* Gathers what ended the run. False while that is not done; then the step is set. */
static bool observe_end(const struct agent_view *view, struct outcome_view *ret_outcome,
                        struct agent_decision *decision)
{
    struct outcome_view outcome = {0};

    if (view->job_read == READ_NOT_YET && view->job_unchanged) {
        decision->step = STEP_DONE;
        return false;
    }
    if (view->job_read == READ_NOT_YET || view->job_read == READ_FAILED) {
        decision->step = view->job_read == READ_NOT_YET ? STEP_GET_JOB : STEP_RETRY;
        return false;
    }
    outcome.job_gone = view->job_read == READ_MISSING || is_of_another(view->job, view->agent);
    if (!outcome.job_gone) {
        outcome.end = outcome_of_job(view->job, &decision->reason);
        outcome.job_reason = decision->reason;
        if (outcome.end == JOB_RUNNING) {
            decision->step = STEP_DONE;
            return false;
        }
        if (view->pods_read == READ_NOT_YET ||
            (view->pod != NULL && view->log_read == READ_NOT_YET)) {
            decision->step = view->pods_read == READ_NOT_YET ? STEP_LIST_PODS : STEP_GET_LOG;
            return false;
        }
        if (view->output_may_come) {
            decision->step = STEP_RETRY;
            return false;
        }
        outcome.has_output = view->pod != NULL && view->log_read == READ_FOUND;
        outcome.has_exit_code = view->pod != NULL && view->pod->has_exit_code;
        outcome.exit_code = outcome.has_exit_code ? view->pod->exit_code : 0;
    }
    *ret_outcome = outcome;
    return true;
}

static void running(const struct agent_view *view, struct agent_decision *decision)
{
    const struct agent *agent = view->agent;
    struct outcome_view seen;
    struct outcome outcome;

    /* A batch, or one that falls back and has no Job yet: not ours to judge (RULES.md 3.1 row 4).
     */
    if (agent->batch_id != NULL && (!agent->batch_fallback || agent->job == NULL)) {
        decision->step = STEP_DONE;
        return;
    }
    if (!observe_end(view, &seen, decision))
        return;
    outcome = outcome_decide(&seen);
    patch(decision, outcome.succeeded ? AGENT_SUCCEEDED : AGENT_FAILED, RUN_ENDED);
    decision->change.job = name_job(agent, decision);
    decision->change.completed_at_us = view->now_us;
    decision->change.has_exit_code = true;
    decision->change.exit_code = outcome.exit_code;
    decision->change.failure_reason = outcome.reason;
    decision->change.output = seen.has_output ? view->output : "";
    decision->change.output_size = seen.has_output ? view->output_size : 0;
}

void agent_decide(const struct agent_view *view, struct agent_decision *ret_decision)
{
    const struct agent *agent = view->agent;
    bool terminal = agent_phase_is_terminal(agent->phase);

    *ret_decision = (struct agent_decision){.step = STEP_DONE};
    if (view->patch != WRITE_NOT_YET)
        ret_decision->step = after_patch(view, terminal);
    else if (agent->deleting || terminal)
        ret_decision->step = STEP_DONE;
    else if (agent->phase == AGENT_PENDING)
        pending(view, ret_decision);
    else
        running(view, ret_decision);
}

void agent_decision_release(struct agent_decision *decision)
{
    free(decision->reason);
    decision->reason = NULL;
}
