/* job_decide - what the Job controller does next: the rule alone (fakeapi/WIRE.md K12 to K18). */
#ifndef FAKEAPI_CLUSTER_JOB_DECIDE_H
#define FAKEAPI_CLUSTER_JOB_DECIDE_H

#include <stdbool.h>
#include <stdint.h>

/** First wait after a failed pod, and the longest (K16). */
#define JOB_BACKOFF_FIRST_US (10 * INT64_C(1000000))
#define JOB_BACKOFF_LONGEST_US (600 * INT64_C(1000000))

/** Pods that one look at a Job makes at most. */
#define JOB_PODS_AT_ONCE_MAX 500

/** What is known of a Job that has not finished. Times are wall time in microseconds. */
struct job_view {
    bool suspend;
    int64_t parallelism;
    int64_t completions;      /* -1: one success is enough, once no pod is active */
    int64_t backoff_limit;    /* failed pods that are borne */
    int64_t deadline_seconds; /* -1: none */
    int64_t started_at_us;    /* 0: not yet */
    int64_t active;           /* pods neither ended nor being deleted */
    int64_t terminating;      /* pods being deleted that have not ended */
    int64_t succeeded;        /* all so far */
    int64_t failed;
    bool failed_now;      /* at least one of them was not known before */
    bool success_decided; /* condition SuccessCriteriaMet */
    bool failure_decided; /* condition FailureTarget */
    int64_t failures_in_row;
    int64_t last_failure_at_us; /* counts with failures_in_row */
    bool replaces_failed_only;  /* podReplacementPolicy: what is on its way out is waited for */
    bool restarts_exceeded;     /* of containers of pods that restart them (K16) */
    bool failed_by_policy;      /* a pod failed in a way that fails the Job */
    bool succeeded_by_policy;
    bool limits_indexes;        /* backoffLimitPerIndex: waits are the indexes' own */
    int64_t failed_indexes;     /* counts with limits_indexes */
    int64_t max_failed_indexes; /* likewise; -1: any number */
};

enum job_verdict {
    JOB_RUNS,
    JOB_SUSPENDED,
    JOB_SUCCEEDS,
    JOB_SUCCEEDS_BY_POLICY,
    JOB_FAILS_BY_POLICY,
    JOB_FAILS_BACKOFF,
    JOB_FAILS_DEADLINE,
    JOB_FAILS_MAX_INDEXES, /* more indexes failed than are borne */
    JOB_FAILS_INDEXES,     /* all indexes have ended, and some failed */
    JOB_FAILS_AS_DECIDED,  /* for the reason that its FailureTarget condition has */
};

struct job_decision {
    enum job_verdict verdict;
    bool over;          /* with a verdict for good: no pod is left to wait for */
    int64_t create;     /* pods to make */
    int64_t remove;     /* active pods to delete; the newest first */
    int64_t wake_at_us; /* look again then; INT64_MAX: when something changes */
};

/** When the next pod may be made after so many failures in a row, the last at last_at_us (K16);
 * 0 after none. */
int64_t job_wait_end(int64_t failures, int64_t last_at_us);

/** Does no I/O; cannot fail. */
struct job_decision job_decide(const struct job_view *view, int64_t now_us);

/** Whether the verdict is a success, or a failure. */
bool job_verdict_succeeds(enum job_verdict verdict);
bool job_verdict_fails(enum job_verdict verdict);

/** "BackoffLimitExceeded" and its like, and the message that goes with it; NULL for JOB_RUNS and
 * JOB_FAILS_AS_DECIDED; of the verdicts by policy the message alone is NULL: a rule makes it. */
const char *job_verdict_reason(enum job_verdict verdict);
const char *job_verdict_message(enum job_verdict verdict);

#endif
