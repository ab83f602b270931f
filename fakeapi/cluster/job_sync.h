/* job_sync - one look of the Job controller at a Job, as the files that carry it out share it. */
#ifndef FAKEAPI_CLUSTER_JOB_SYNC_H
#define FAKEAPI_CLUSTER_JOB_SYNC_H

#include <uthash.h>

#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/cluster/job_controller.h"
#include "fakeapi/cluster/job_decide.h"

#define JOB_TRACKING_FINALIZER "batch.kubernetes.io/job-tracking"

/* Failed pods of a Job since one of its pods succeeded: how long to wait for the next (K16). It is
 * memory of the controller alone, as on a real cluster. */
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
    bool failed; /* also: on its way out without having succeeded */
    bool ended;  /* terminal phase */
    bool ready;
    bool tracked;   /* has the finalizer */
    bool uncounted; /* its end is not in the counters yet */
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
};

/** The owner that has controller set; NULL when there is none. Borrowed. */
const struct store_owner *job_sync_controller_owner(const struct store_object *pod);

/** Reads the Job's pods and status, and fills in the view. sync has all above pods set. */
void job_sync_observe(struct job_sync *sync);
/** Lets go of what observing took. */
void job_sync_release(struct job_sync *sync);

/** Forgets how often a Job's pods failed. */
void job_sync_forget_backoff(struct job_controller *controller, const char *uid);

/** Whether a list of texts holds one. */
bool job_sync_holds_text(const struct json_object *list, const char *text);

#endif
