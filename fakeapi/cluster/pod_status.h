/* pod_status - a pod's status as the kubelet writes it (fakeapi/WIRE.md K22, K23, K25, K26).
 *
 * Each function writes into tree, a whole pod; none does I/O. */
#ifndef FAKEAPI_CLUSTER_POD_STATUS_H
#define FAKEAPI_CLUSTER_POD_STATUS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/json.h"

/** How the container that a script is about ended; the others exit 0 beside it. */
struct pod_exit {
    const char *container;
    int64_t exit_code;
    const char *reason;     /* NULL: Completed or Error, by the code */
    const char *pod_reason; /* status.reason and message; or NULL */
    const char *pod_message;
    bool killed; /* all containers ended that way */
    bool statuses_missing;
    int64_t started_at_us;
    int64_t ended_at_us;
};

/** The name of the container a script is about: wanted, or "agent", or the first. Borrowed from
 * tree; "" when it has none. */
const char *pod_status_container(const struct json_object *tree, const char *wanted);

/** No node takes it. */
void pod_status_unschedulable(struct json_object *tree, int64_t now_us);
/** On its node, its containers being made. */
void pod_status_scheduled(struct json_object *tree, int64_t now_us);
/** The image of container cannot be pulled. */
void pod_status_image_pull(struct json_object *tree, const char *container, int64_t now_us);
/** All of it runs, under an address made from number. */
void pod_status_running(struct json_object *tree, uint64_t number, int64_t now_us);
/** All of it ended. */
void pod_status_ended(struct json_object *tree, const struct pod_exit *how);

#endif
