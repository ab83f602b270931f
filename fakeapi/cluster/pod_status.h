/* pod_status - a pod's status as the kubelet writes it (fakeapi/WIRE.md K22, K23, K25, K26).
 *
 * Each function writes into tree, a pod with its names and status; none does I/O. */
#ifndef FAKEAPI_CLUSTER_POD_STATUS_H
#define FAKEAPI_CLUSTER_POD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/json.h"
#include "fakeapi/cluster/pod_run.h"

/** What there is to say beside the states of the containers. */
struct pod_view {
    const char *phase;
    const char *reason; /* of the pod; or NULL */
    const char *message;
    bool networked;        /* it has an address */
    bool node_lost;        /* so it is not ready, whatever its containers are */
    bool statuses_missing; /* of the containers */
    int64_t now_us;
};

/** No node takes it: reason is why, "Unschedulable" or "SchedulingGated". */
void pod_status_unschedulable(struct json_object *tree, const char *reason, const char *message,
                              int64_t now_us);

/** On its node: containers, conditions, addresses. What the status says of quality of service and
 * the address that it has already stay. */
void pod_status_write(struct json_object *tree, const struct pod_run *run,
                      const struct pod_view *view);

/** It is about to be deleted for a reason of the cluster's: condition DisruptionTarget. */
void pod_status_disrupted(struct json_object *tree, const char *reason, const char *message,
                          int64_t now_us);

#endif
