/* job_sync - one look of the Job controller at a Job, as the files that carry it out share it. */
#ifndef FAKEAPI_CLUSTER_JOB_SYNC_H
#define FAKEAPI_CLUSTER_JOB_SYNC_H

#include <uthash.h>

#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/cluster/job_controller.h"
#include "fakeapi/cluster/job_decide.h"
#include "fakeapi/rest/index_set.h"

#define JOB_ACTOR "job-controller"
#define JOB_TRACKING_FINALIZER "batch.kubernetes.io/job-tracking"
/* Of a label and an annotation. */
#define JOB_INDEX_KEY "batch.kubernetes.io/job-completion-index"
#define JOB_INDEX_FAILURES_KEY "batch.kubernetes.io/job-index-failure-count"
#define JOB_INDEX_IGNORED_KEY "batch.kubernetes.io/job-index-ignored-failure-count"

/* Failed pods of a Job since one of its pods succeeded: how long to wait for the next (K16). A
 * controller that sees a Job for the first time makes it up from the pods that are there. */
struct job_backoff {
    char *uid;
    int64_t failures;
    int64_t last_at_us;
    UT_hash_handle hh;
};

struct job_controller {
    struct job_backoff *backoffs; /* by the Job's uid */
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of uids: of Jobs, and of pods whose Job is gone */
};

/* One of a Job's pods. */
struct job_pod {
    struct store_object *object; /* held */
    bool succeeded;
    bool failed; /* also: on its way out without having succeeded, unless the Job waits for that */
    bool ended;  /* terminal phase */
    bool ready;
    bool bound;
    bool running;
    bool tracked;     /* has the finalizer */
    bool ignored;     /* failed, and a rule says that it does not count */
    bool fails_index; /* failed, and a rule says that its index fails with it */
    bool uncounted;   /* its end is to be taken note of, and then it is let go */
    bool kept;        /* failed, and to stay until another has taken over its index */
    int64_t index;    /* completion index; -1: none */
    int64_t index_failures;
    int64_t index_ignored;
    int64_t restarts; /* of its containers, while it runs */
    int64_t ended_at_us;
};

/* One look at a Job. */
struct job_sync {
    struct job_controller *controller;
    struct store_resource *jobs;
    struct store_resource *pods_resource;
    struct store_object *job;          /* held */
    struct json_object *tree;          /* of the job, partial: its status is written into */
    struct json_object *stored_status; /* as it is stored */
    struct json_object *status;
    struct job_pod *pods; /* in the order of their coming */
    size_t pod_count;
    int64_t now_us;
    struct job_view view;
    int64_t new_succeeded;
    int64_t new_failed;
    bool lets_go;                   /* some pod is uncounted */
    bool indexed;                   /* completionMode, and all below */
    struct index_set succeeded;     /* indexes, with those of uncounted pods */
    struct index_set failed;        /* with backoffLimitPerIndex */
    struct index_set active;        /* of pods that are neither ended nor being deleted */
    int64_t index_backoff_limit;    /* backoffLimitPerIndex; -1: none */
    struct json_object *policy;     /* podFailurePolicy; or NULL */
    char *policy_message;           /* of the pod that failed the Job */
    struct json_object *successes;  /* successPolicy; or NULL */
    int64_t success_rule;           /* that is met; -1: none */
    struct job_backoff new_backoff; /* what the backoff becomes once this look is written */
};

/** The owner that has controller set; NULL when there is none. Borrowed. */
const struct store_owner *job_sync_controller_owner(const struct store_object *pod);

/** Reads the Job's pods and status, and fills in the view. sync has all above pods set. */
void job_sync_observe(struct job_sync *sync);
/** The Job is as good as over: no failed pod waits for another to take over its index. */
void job_sync_keep_none(struct job_sync *sync);
/** Lets go of what observing took. */
void job_sync_release(struct job_sync *sync);
/** Takes note of the failures that this look found. */
void job_sync_keep_backoff(struct job_sync *sync);
/** Forgets how often a Job's pods failed. */
void job_sync_forget_backoff(struct job_controller *controller, const char *uid);

/** Makes pods, and deletes active ones, the least useful first; both follow in the view. When an
 * index has to wait, *wake_at_us becomes the earliest time (job_pods.c). */
void job_sync_create_pods(struct job_sync *sync, int64_t count, int64_t *wake_at_us);
void job_sync_delete_pods(struct job_sync *sync, int64_t count);
/** Lets go of the pods whose end is about to be counted; false when one could not be. */
bool job_sync_release_pods(struct job_sync *sync) MUST_CHECK;

/** Writes the status, and lets go of the pods that it counts (job_status.c). */
bool job_sync_write_status(struct job_sync *sync, const struct job_decision *decision) MUST_CHECK;

/** Whether a list of texts holds one. */
bool job_sync_holds_text(const struct json_object *list, const char *text);

#endif
