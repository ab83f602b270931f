#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/outcome_decide.h"
#include "controller/kinds/failure_reason.h"

static char *condition_reason(const struct job_condition *condition)
{
    bool has_reason = condition->reason[0] != '\0';
    bool has_message = condition->message[0] != '\0';

    if (has_reason && has_message)
        return xprintf("%s: %s", condition->reason, condition->message);
    if (has_reason)
        return xstrdup(condition->reason);
    return has_message ? xstrdup(condition->message) : NULL;
}

/* By the counters: only once no pod is left that could still change them (RULES.md 13.9). */
static enum job_end end_by_counters(const struct job *job)
{
    if (job->active > 0 || job->terminating > 0)
        return JOB_RUNNING;
    for (size_t i = 0; i < job->condition_count; i++) {
        if (job->conditions[i].type == JOB_CONDITION_EARLY)
            return JOB_RUNNING;
    }
    if (job->succeeded > 0)
        return JOB_SUCCEEDED;
    return job->failed > 0 ? JOB_FAILED : JOB_RUNNING;
}

enum job_end outcome_of_job(const struct job *job, char **ret_reason)
{
    enum job_end end;

    *ret_reason = NULL;
    for (size_t i = 0; i < job->condition_count; i++) {
        const struct job_condition *condition = &job->conditions[i];

        if (condition->type == JOB_CONDITION_COMPLETE)
            return JOB_SUCCEEDED;
        if (condition->type == JOB_CONDITION_FAILED) {
            *ret_reason = condition_reason(condition);
            return JOB_FAILED;
        }
    }
    end = end_by_counters(job);
    if (end == JOB_FAILED)
        *ret_reason = xstrdup(REASON_JOB_FAILED);
    return end;
}

/* Whether a is preferred to b: one that has a controller, which is the Job (anybody who may create
 * pods can label one of nobody so); then what was created later; then the greater name. */
static bool is_preferred(const struct pod *a, const struct pod *b)
{
    if (b == NULL)
        return true;
    if ((a->owner_uid == NULL) != (b->owner_uid == NULL))
        return a->owner_uid != NULL;
    if (a->created_at_us != b->created_at_us)
        return a->created_at_us > b->created_at_us;
    return strcmp(a->name, b->name) > 0;
}

const struct pod *outcome_pod(const struct pod_list *pods, const char *job_uid, enum job_end end)
{
    enum pod_phase wanted = end == JOB_SUCCEEDED ? POD_SUCCEEDED : POD_FAILED;
    const struct pod *alike = NULL;
    const struct pod *best = NULL;

    for (size_t i = 0; i < pods->count; i++) {
        const struct pod *pod = &pods->pods[i];

        if (pod->owner_uid != NULL && job_uid != NULL && !text_equal(pod->owner_uid, job_uid))
            continue;
        if (is_preferred(pod, best))
            best = pod;
        if (pod->phase == wanted && is_preferred(pod, alike))
            alike = pod;
    }
    if (alike == NULL || (alike->owner_uid == NULL && best->owner_uid != NULL))
        return best;
    return alike;
}

struct outcome outcome_decide(const struct outcome_view *view)
{
    struct outcome outcome = {0};

    if (view->job_gone) {
        outcome.exit_code = 1;
        outcome.reason = REASON_JOB_GONE;
        return outcome;
    }
    outcome.succeeded = view->end == JOB_SUCCEEDED;
    outcome.reason = view->job_reason;
    if (outcome.reason == NULL && !view->has_output)
        outcome.reason = REASON_OUTPUT_UNAVAILABLE;
    if (outcome.succeeded)
        return outcome;
    outcome.exit_code = view->has_exit_code && view->exit_code != 0 ? view->exit_code : 1;
    if (outcome.reason == NULL)
        outcome.reason = REASON_JOB_FAILED;
    return outcome;
}
