/* job_wire - what is read of Jobs and of their pods. */
#ifndef CONTROLLER_JOBS_JOB_WIRE_H
#define CONTROLLER_JOBS_JOB_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/* What a condition of a Job with status True says. */
enum job_condition_type {
    JOB_CONDITION_OTHER,
    JOB_CONDITION_COMPLETE,
    JOB_CONDITION_FAILED,
    JOB_CONDITION_EARLY, /* SuccessCriteriaMet, FailureTarget: the end is decided, not reached */
};

struct job_condition {
    enum job_condition_type type;
    char *reason;  /* "" when absent */
    char *message; /* "" when absent */
};

/** A Job as the outcome and the question of ownership need it. Texts are owned. */
struct job {
    char *uid;              /* NULL when absent */
    char *resource_version; /* "" when absent */
    bool deleting;
    char *owner_uid; /* of the controller owner reference of kind Agent; NULL when there is none */
    struct job_condition *conditions; /* those with status True, in order */
    size_t condition_count;
    int64_t active;
    int64_t terminating;
    int64_t succeeded;
    int64_t failed;
};

enum pod_phase { POD_OTHER, POD_SUCCEEDED, POD_FAILED };

struct pod {
    char *name;
    char *owner_uid; /* of its controller; NULL when it has none */
    enum pod_phase phase;
    int64_t created_at_us; /* INT64_MIN when unreadable */
    bool has_exit_code;    /* the container "agent" has terminated */
    int64_t exit_code;
};

struct pod_list {
    struct pod *pods; /* as listed, those with a name */
    size_t count;
};

/** Reads a Job's text, which has passed the JSON gate. Lenient: what is absent or of another type
 * counts as absent. job_release() it. */
void job_read(struct json_slice object, struct job *ret_job);
void job_release(struct job *job);

/** The Agent that controls a Job. Texts are owned. */
struct job_owner {
    char *name;
    char *uid;
};

/** Reads the owner from a Job's metadata. False when no Agent controls it, or when it is being
 * deleted. job_owner_release() it. */
bool job_owner_read(struct json_slice metadata, struct job_owner *ret_owner) MUST_CHECK;
void job_owner_release(struct job_owner *owner);

/** Reads a PodList's text, leniently as well. pod_list_release() it. */
void pod_list_read(struct json_slice object, struct pod_list *ret_pods);
void pod_list_release(struct pod_list *pods);

#endif
