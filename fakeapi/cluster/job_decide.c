/* job_decide - what the Job controller does next: the rule alone.
 *
 * Source: kubernetes pkg/controller/job, syncJob and manageJob. */
#include "fakeapi/cluster/job_decide.h"

#include <stddef.h>

#include "controller/base/time.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t deadline_of(const struct job_view *view)
{
    if (view->deadline_seconds < 0 || view->started_at_us == 0 ||
        view->deadline_seconds > (INT64_MAX - view->started_at_us) / US_PER_SECOND)
        return INT64_MAX;
    return view->started_at_us + view->deadline_seconds * US_PER_SECOND;
}

/* K14 */
static bool has_succeeded(const struct job_view *view)
{
    if (view->completions < 0)
        return view->succeeded > 0 && view->active == 0;
    return view->succeeded >= view->completions;
}

/* Of a Job whose indexes fail each by itself; JOB_RUNS: nothing is against it. */
static enum job_verdict judge_indexes(const struct job_view *view)
{
    if (!view->limits_indexes)
        return JOB_RUNS;
    if (view->max_failed_indexes >= 0 && view->failed_indexes > view->max_failed_indexes)
        return JOB_FAILS_MAX_INDEXES;
    if (view->failed_indexes > 0 && view->failed_indexes + view->succeeded >= view->completions)
        return JOB_FAILS_INDEXES;
    return JOB_RUNS;
}

static enum job_verdict judge(const struct job_view *view, int64_t now_us)
{
    if (view->failure_decided)
        return JOB_FAILS_AS_DECIDED;
    if (view->success_decided)
        return JOB_SUCCEEDS;
    if (view->failed_by_policy)
        return JOB_FAILS_BY_POLICY;
    if ((view->failed_now && view->failed > view->backoff_limit) || view->restarts_exceeded)
        return JOB_FAILS_BACKOFF;
    if (now_us >= deadline_of(view) && !view->suspend)
        return JOB_FAILS_DEADLINE;
    if (judge_indexes(view) != JOB_RUNS)
        return judge_indexes(view);
    if (view->succeeded_by_policy)
        return JOB_SUCCEEDS_BY_POLICY;
    if (has_succeeded(view))
        return JOB_SUCCEEDS;
    return view->suspend ? JOB_SUSPENDED : JOB_RUNS;
}

int64_t job_wait_end(int64_t failures, int64_t last_at_us)
{
    int64_t wait_us = JOB_BACKOFF_FIRST_US;

    if (failures == 0)
        return 0;
    for (int64_t i = 1; i < failures && wait_us < JOB_BACKOFF_LONGEST_US; i++)
        wait_us *= 2;
    return last_at_us + least(wait_us, JOB_BACKOFF_LONGEST_US);
}

/* When the next pod may be made; indexes that fail by themselves wait by themselves. */
static int64_t backoff_end(const struct job_view *view)
{
    return view->limits_indexes ? 0 : job_wait_end(view->failures_in_row, view->last_failure_at_us);
}

/* Pods that should be active (K12). */
static int64_t wanted(const struct job_view *view)
{
    if (view->completions >= 0)
        return least(view->parallelism, view->completions - view->succeeded);
    return view->succeeded > 0 ? view->active : view->parallelism;
}

static void decide_pods(const struct job_view *view, int64_t now_us, struct job_decision *decision)
{
    int64_t want = wanted(view);
    int64_t may_at_us = backoff_end(view);
    int64_t missing = want - view->active;

    if (view->active > want)
        decision->remove = view->active - want;
    if (view->replaces_failed_only)
        missing -= view->terminating;
    if (missing <= 0)
        return;
    if (now_us < may_at_us)
        decision->wake_at_us = least(decision->wake_at_us, may_at_us);
    else
        decision->create = least(missing, JOB_PODS_AT_ONCE_MAX);
}

struct job_decision job_decide(const struct job_view *view, int64_t now_us)
{
    struct job_decision decision = {.verdict = judge(view, now_us), .wake_at_us = INT64_MAX};

    if (decision.verdict == JOB_RUNS) {
        decision.wake_at_us = deadline_of(view);
        decide_pods(view, now_us, &decision);
        return decision;
    }
    decision.remove = view->active;
    decision.over =
        decision.verdict != JOB_SUSPENDED && view->active == 0 && view->terminating == 0;
    return decision;
}

bool job_verdict_succeeds(enum job_verdict verdict)
{
    return verdict == JOB_SUCCEEDS || verdict == JOB_SUCCEEDS_BY_POLICY;
}

bool job_verdict_fails(enum job_verdict verdict)
{
    return verdict >= JOB_FAILS_BY_POLICY;
}

const char *job_verdict_reason(enum job_verdict verdict)
{
    static const char *const reasons[] = {
        [JOB_SUSPENDED] = "JobSuspended",
        [JOB_SUCCEEDS] = "CompletionsReached",
        [JOB_SUCCEEDS_BY_POLICY] = "SuccessPolicy",
        [JOB_FAILS_BY_POLICY] = "PodFailurePolicy",
        [JOB_FAILS_BACKOFF] = "BackoffLimitExceeded",
        [JOB_FAILS_DEADLINE] = "DeadlineExceeded",
        [JOB_FAILS_MAX_INDEXES] = "MaxFailedIndexesExceeded",
        [JOB_FAILS_INDEXES] = "FailedIndexes",
        [JOB_FAILS_AS_DECIDED] = NULL,
    };

    return reasons[verdict];
}

const char *job_verdict_message(enum job_verdict verdict)
{
    static const char *const messages[] = {
        [JOB_SUSPENDED] = "Job suspended",
        [JOB_SUCCEEDS] = "Reached expected number of succeeded pods",
        [JOB_FAILS_BACKOFF] = "Job has reached the specified backoff limit",
        [JOB_FAILS_DEADLINE] = "Job was active longer than specified deadline",
        [JOB_FAILS_MAX_INDEXES] = "Job has exceeded the specified maximal number of failed indexes",
        [JOB_FAILS_INDEXES] = "Job has failed indexes",
        [JOB_FAILS_AS_DECIDED] = NULL,
    };

    return messages[verdict];
}
