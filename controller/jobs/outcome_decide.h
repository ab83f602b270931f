/* outcome_decide - how a run ended, read back from its Job, its pod and the pod's log
 * (RULES.md 2.8, 13.9, 13.10). Rules alone; the requests are the driver's. */
#ifndef CONTROLLER_JOBS_OUTCOME_DECIDE_H
#define CONTROLLER_JOBS_OUTCOME_DECIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/jobs/job_wire.h"

enum job_end { JOB_RUNNING, JOB_SUCCEEDED, JOB_FAILED };

/** Whether a Job has ended. For JOB_FAILED *ret_reason is set: "reason: message", whichever of them
 * is there, or NULL for neither; free() it. Otherwise it is NULL. */
enum job_end outcome_of_job(const struct job *job, char **ret_reason) MUST_CHECK;

/** The pod whose log and exit code explain the Job of that uid (NULL: unknown), which ended so: the
 * newest one that ended alike, else the newest. Pods that another controls, a former Job of the
 * same name say, do not count. NULL when there is none. Borrowed. */
const struct pod *outcome_pod(const struct pod_list *pods, const char *job_uid, enum job_end end);

/** What is known of a run that has ended. Texts are borrowed. */
struct outcome_view {
    bool job_gone; /* the rest does not count */
    enum job_end end;
    const char *job_reason; /* NULL: none */
    bool has_exit_code;     /* the pod's is known */
    int64_t exit_code;
    bool has_output;
};

struct outcome {
    bool succeeded;
    int64_t exit_code;  /* 0 exactly when succeeded */
    const char *reason; /* NULL: none. Never NULL for a failure; borrowed from the view */
};

/** The end of the run, with an exit code that agrees with it. */
struct outcome outcome_decide(const struct outcome_view *view);

#endif
