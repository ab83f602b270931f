/* job_policy - what a Job's policies say of its pods: the rules alone (fakeapi/WIRE.md K14, K15).
 *
 * Source: kubernetes pkg/controller/job, pod_failure_policy and success_policy. */
#ifndef FAKEAPI_CLUSTER_JOB_POLICY_H
#define FAKEAPI_CLUSTER_JOB_POLICY_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "fakeapi/rest/index_set.h"

/** What becomes of a failed pod. */
enum job_policy_action {
    JOB_POLICY_COUNT, /* it counts against the limits: also what no rule is about */
    JOB_POLICY_IGNORE,
    JOB_POLICY_FAIL_INDEX,
    JOB_POLICY_FAIL_JOB,
};

/** The action of the first rule of spec.podFailurePolicy that a failed pod matches; status is the
 * pod's. For JOB_POLICY_FAIL_JOB *ret_message is the Job's message, to be freed; else NULL. */
enum job_policy_action job_policy_of_failure(const struct json_object *policy,
                                             const char *namespace, const char *pod,
                                             const struct json_object *status, char **ret_message);

/** The first rule of spec.successPolicy that the succeeded indexes meet; -1 when none does. */
int64_t job_policy_success_rule(const struct json_object *policy, int64_t completions,
                                const struct index_set *succeeded);

#endif
