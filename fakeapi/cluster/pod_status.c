/* pod_status - a pod's status as the kubelet writes it. */
#include "fakeapi/cluster/pod_status.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/conditions.h"

#define HOST_ADDRESS "192.168.0.1"

/* Long enough for "containerd://", a pod's uid and a container's name. */
#define CONTAINER_ID_SIZE 512

static size_t count_of(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static const struct json_object *containers_of(const struct json_object *tree, const char *key)
{
    return json_get_array(json_get(tree, "spec"), key);
}

static bool has_container(const struct json_object *containers, const char *name)
{
    for (size_t i = 0; i < count_of(containers); i++)
        if (text_equal(json_get_text(json_object_array_get_idx(containers, i), "name"), name))
            return true;
    return false;
}

const char *pod_status_container(const struct json_object *tree, const char *wanted)
{
    const struct json_object *containers = containers_of(tree, "containers");

    if (wanted != NULL)
        return wanted;
    if (has_container(containers, "agent"))
        return "agent";
    if (count_of(containers) == 0)
        return "";
    return text_or(json_get_text(json_object_array_get_idx(containers, 0), "name"), "");
}

/* --- conditions (K23) --- */

static void set(struct json_object *tree, const char *type, bool holds, const char *reason,
                const char *message, int64_t now_us)
{
    cluster_set_condition(tree, type, holds ? "True" : "False", reason, message, false, now_us);
}

/* The five, in their usual order. reason is why it is not ready. */
static void set_conditions(struct json_object *tree, bool started, bool initialized, bool ready,
                           const char *reason, const char *message, int64_t now_us)
{
    set(tree, "PodReadyToStartContainers", started, NULL, NULL, now_us);
    set(tree, "Initialized", initialized, initialized ? NULL : "ContainersNotInitialized", NULL,
        now_us);
    set(tree, "Ready", ready, reason, message, now_us);
    set(tree, "ContainersReady", ready, reason, message, now_us);
    set(tree, "PodScheduled", true, NULL, NULL, now_us);
}

/* "containers with unready status: [a b]"; free() it. */
static char *unready_message(const struct json_object *tree)
{
    const struct json_object *containers = containers_of(tree, "containers");
    struct buffer buffer = BUFFER_INIT(64 * 1024);

    buffer_append_text(&buffer, "containers with unready status: [");
    for (size_t i = 0; i < count_of(containers); i++) {
        const char *name = json_get_text(json_object_array_get_idx(containers, i), "name");

        buffer_append_format(&buffer, "%s%s", i == 0 ? "" : " ", text_or(name, ""));
    }
    buffer_append_char(&buffer, ']');
    return buffer_take(&buffer, NULL);
}

/* --- states of containers (K25) --- */

static struct json_object *wrapped(const char *key, struct json_object *inner)
{
    struct json_object *state = json_object_new_object();

    json_set(state, key, inner);
    return state;
}

static struct json_object *waiting(const char *reason, const char *message)
{
    struct json_object *inner = json_object_new_object();

    json_set_text(inner, "reason", reason);
    if (message != NULL)
        json_set_text(inner, "message", message);
    return wrapped("waiting", inner);
}

static struct json_object *running(int64_t since_us)
{
    struct json_object *inner = json_object_new_object();

    cluster_set_time(inner, "startedAt", since_us);
    return wrapped("running", inner);
}

static struct json_object *terminated(int64_t exit_code, const char *reason, const char *id,
                                      int64_t started_at_us, int64_t ended_at_us)
{
    struct json_object *inner = json_object_new_object();

    json_set_int64(inner, "exitCode", exit_code);
    json_set_text(inner, "reason",
                  reason != NULL   ? reason
                  : exit_code == 0 ? "Completed"
                                   : "Error");
    cluster_set_time(inner, "startedAt", started_at_us);
    cluster_set_time(inner, "finishedAt", ended_at_us);
    json_set_text(inner, "containerID", id);
    return wrapped("terminated", inner);
}

/* One status. Takes ownership of state. id may be "". */
static struct json_object *status_of(const struct json_object *container, struct json_object *state,
                                     bool ready, bool started, const char *id)
{
    const char *image = text_or(json_get_text(container, "image"), "");
    struct json_object *status = json_object_new_object();

    json_set_text(status, "name", text_or(json_get_text(container, "name"), ""));
    json_set(status, "state", state);
    json_set(status, "lastState", json_object_new_object());
    json_set_bool(status, "ready", ready);
    json_set_int64(status, "restartCount", 0);
    json_set_text(status, "image", image);
    json_set_text(status, "imageID", id[0] == '\0' ? "" : image);
    if (id[0] != '\0')
        json_set_text(status, "containerID", id);
    json_set_bool(status, "started", started);
    return status;
}

static void container_id(const struct json_object *tree, const struct json_object *container,
                         char id[CONTAINER_ID_SIZE])
{
    snprintf(id, CONTAINER_ID_SIZE, "containerd://%s/%s",
             text_or(json_walk(tree, "metadata", "uid", NULL) == NULL
                         ? NULL
                         : json_get_text(json_get(tree, "metadata"), "uid"),
                     ""),
             text_or(json_get_text(container, "name"), ""));
}

/* What a container of a list is doing. */
struct stage {
    enum { STAGE_WAITS, STAGE_RUNS, STAGE_ENDED } is;
    const char *reason; /* of waiting */
    const char *message;
    const struct pod_exit *how; /* of an end; NULL: exited 0 when the pod began to run */
    int64_t since_us;
};

static struct json_object *status_at(const struct json_object *tree,
                                     const struct json_object *container, const struct stage *stage)
{
    const char *name = text_or(json_get_text(container, "name"), "");
    const struct pod_exit *how = stage->how;
    char id[CONTAINER_ID_SIZE];

    container_id(tree, container, id);
    if (stage->is == STAGE_WAITS)
        return status_of(container, waiting(stage->reason, stage->message), false, false, "");
    if (stage->is == STAGE_RUNS)
        return status_of(container, running(stage->since_us), true, true, id);
    if (how == NULL)
        return status_of(container, terminated(0, NULL, id, stage->since_us, stage->since_us), true,
                         false, id);
    if (how->killed || strcmp(name, how->container) == 0)
        return status_of(
            container,
            terminated(how->exit_code, how->reason, id, how->started_at_us, how->ended_at_us),
            false, false, id);
    return status_of(container, terminated(0, NULL, id, how->started_at_us, how->ended_at_us),
                     false, false, id);
}

static void set_statuses(struct json_object *tree, const char *spec_key, const char *status_key,
                         const struct stage *stage)
{
    const struct json_object *containers = containers_of(tree, spec_key);
    struct json_object *statuses = json_object_new_array();

    for (size_t i = 0; i < count_of(containers); i++)
        json_add(statuses, status_at(tree, json_object_array_get_idx(containers, i), stage));
    if (count_of(statuses) > 0)
        json_set(json_ensure_object(tree, "status"), status_key, statuses);
    else
        json_object_put(statuses);
}

/* --- the stages of a pod --- */

void pod_status_unschedulable(struct json_object *tree, int64_t now_us)
{
    json_set_text(json_ensure_object(tree, "status"), "phase", "Pending");
    set(tree, "PodScheduled", false, "Unschedulable",
        "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 nodes are available: 1 No "
        "preemption victims found for incoming pod.",
        now_us);
}

static void set_host(struct json_object *status)
{
    struct json_object *hosts = json_object_new_array();
    struct json_object *host = json_object_new_object();

    json_set_text(status, "hostIP", HOST_ADDRESS);
    json_set_text(host, "ip", HOST_ADDRESS);
    json_add(hosts, host);
    json_set(status, "hostIPs", hosts);
}

void pod_status_scheduled(struct json_object *tree, int64_t now_us)
{
    bool has_init = count_of(containers_of(tree, "initContainers")) > 0;
    const struct stage first = {.is = STAGE_WAITS, .reason = "PodInitializing"};
    const struct stage main_stage = {.is = STAGE_WAITS,
                                     .reason = has_init ? "PodInitializing" : "ContainerCreating"};
    struct json_object *status = json_ensure_object(tree, "status");
    char *message = unready_message(tree);

    json_set_text(status, "phase", "Pending");
    set_conditions(tree, false, !has_init, false, "ContainersNotReady", message, now_us);
    set_host(status);
    cluster_set_time(status, "startTime", now_us);
    set_statuses(tree, "initContainers", "initContainerStatuses", &first);
    set_statuses(tree, "containers", "containerStatuses", &main_stage);
    free(message);
}

void pod_status_image_pull(struct json_object *tree, const char *container, int64_t now_us)
{
    struct json_object *statuses = json_walk(tree, "status", "containerStatuses", NULL);

    (void)now_us;
    for (size_t i = 0; i < count_of(statuses); i++) {
        struct json_object *status = json_object_array_get_idx(statuses, i);
        const char *image = text_or(json_get_text(status, "image"), "");
        char *message;

        if (!text_equal(json_get_text(status, "name"), container))
            continue;
        message = xprintf("Back-off pulling image \"%s\"", image);
        json_set(status, "state", waiting("ImagePullBackOff", message));
        free(message);
    }
}

static void set_address(struct json_object *status, uint64_t number)
{
    char address[32];
    struct json_object *addresses = json_object_new_array();
    struct json_object *entry = json_object_new_object();

    snprintf(address, sizeof(address), "10.%u.%u.%u", (unsigned)(number / 62500 % 250) + 1,
             (unsigned)(number / 250 % 250) + 1, (unsigned)(number % 250) + 1);
    json_set_text(status, "podIP", address);
    json_set_text(entry, "ip", address);
    json_add(addresses, entry);
    json_set(status, "podIPs", addresses);
}

void pod_status_running(struct json_object *tree, uint64_t number, int64_t now_us)
{
    const struct stage first = {.is = STAGE_ENDED, .since_us = now_us};
    const struct stage main_stage = {.is = STAGE_RUNS, .since_us = now_us};
    struct json_object *status = json_ensure_object(tree, "status");

    json_set_text(status, "phase", "Running");
    set_conditions(tree, true, true, true, NULL, NULL, now_us);
    set_address(status, number);
    set_statuses(tree, "initContainers", "initContainerStatuses", &first);
    set_statuses(tree, "containers", "containerStatuses", &main_stage);
}

void pod_status_ended(struct json_object *tree, const struct pod_exit *how)
{
    const struct stage main_stage = {.is = STAGE_ENDED, .how = how};
    struct json_object *status = json_ensure_object(tree, "status");
    bool failed = how->exit_code != 0 || how->pod_reason != NULL;

    json_set_text(status, "phase", failed ? "Failed" : "Succeeded");
    if (how->pod_reason != NULL)
        json_set_text(status, "reason", how->pod_reason);
    if (how->pod_message != NULL)
        json_set_text(status, "message", how->pod_message);
    set_conditions(tree, false, true, false, failed ? "PodFailed" : "PodCompleted", NULL,
                   how->ended_at_us);
    if (how->statuses_missing)
        json_object_object_del(status, "containerStatuses");
    else
        set_statuses(tree, "containers", "containerStatuses", &main_stage);
}
