/* pod_status - a pod's status as the kubelet writes it. */
#include "fakeapi/cluster/pod_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/conditions.h"

#define HOST_ADDRESS "192.168.0.1"

/* Longest list of containers' names in a message. */
#define NAMES_BYTES_MAX ((size_t)64 * 1024)

/* --- conditions (K23) --- */

static void set(struct json_object *tree, const char *type, bool holds, const char *reason,
                const char *message, int64_t now_us)
{
    cluster_set_condition(tree, type, holds ? "True" : "False", reason, message, false, now_us);
}

static bool is_initialized(const struct pod_container *container)
{
    if (container->role == CONTAINER_INIT)
        return container->state == CONTAINER_ENDED && container->end.exit_code == 0;
    return container->role != CONTAINER_SIDECAR || container->state != CONTAINER_WAITS;
}

static bool is_ready(const struct pod_container *container)
{
    return container->role == CONTAINER_INIT || container->ready;
}

/* "containers with ... status: [a b]" of those that are not so; NULL when all are. free() it. */
static char *name_others(const struct pod_run *run, const char *what,
                         bool (*is)(const struct pod_container *container))
{
    struct buffer buffer = BUFFER_INIT(NAMES_BYTES_MAX);
    size_t count = 0;

    buffer_append_format(&buffer, "containers with %s status: [", what);
    for (size_t i = 0; i < run->container_count; i++)
        if (!is(&run->containers[i]))
            buffer_append_format(&buffer, "%s%s", count++ == 0 ? "" : " ", run->containers[i].name);
    buffer_append_char(&buffer, ']');
    if (count > 0)
        return buffer_take(&buffer, NULL);
    buffer_release(&buffer);
    return NULL;
}

static void set_initialized(struct json_object *tree, const struct pod_run *run,
                            const struct pod_view *view)
{
    char *others = name_others(run, "incomplete", is_initialized);

    if (others != NULL)
        set(tree, "Initialized", false, "ContainersNotInitialized", others, view->now_us);
    else
        set(tree, "Initialized", true,
            strcmp(view->phase, "Succeeded") == 0 ? "PodCompleted" : NULL, NULL, view->now_us);
    free(others);
}

static void set_readiness(struct json_object *tree, const struct pod_run *run,
                          const struct pod_view *view)
{
    char *others = name_others(run, "unready", is_ready);
    const char *reason = NULL;
    const char *message = NULL;

    if (strcmp(view->phase, "Succeeded") == 0) {
        reason = "PodCompleted";
    } else if (strcmp(view->phase, "Failed") == 0) {
        reason = "PodFailed";
    } else if (others != NULL) {
        reason = "ContainersNotReady";
        message = others;
    }
    set(tree, "Ready", reason == NULL && !view->node_lost, reason, message, view->now_us);
    set(tree, "ContainersReady", reason == NULL, reason, message, view->now_us);
    free(others);
}

/* The five, in their usual order. */
static void set_conditions(struct json_object *tree, const struct pod_run *run,
                           const struct pod_view *view)
{
    set(tree, "PodReadyToStartContainers", view->networked, NULL, NULL, view->now_us);
    set_initialized(tree, run, view);
    set_readiness(tree, run, view);
    set(tree, "PodScheduled", true, NULL, NULL, view->now_us);
}

/* --- containers (K25) --- */

static struct json_object *wrapped(const char *key, struct json_object *inner)
{
    struct json_object *state = json_object_new_object();

    json_set(state, key, inner);
    return state;
}

static char *container_id(const struct pod_run *run, const struct pod_container *container,
                          int64_t restarts)
{
    return restarts == 0
               ? xprintf("containerd://%s/%s", run->uid, container->name)
               : xprintf("containerd://%s/%s/%" PRId64, run->uid, container->name, restarts);
}

static struct json_object *waiting(const struct pod_container *container)
{
    struct json_object *inner = json_object_new_object();

    json_set_text(inner, "reason", container->waiting);
    if (container->message != NULL)
        json_set_text(inner, "message", container->message);
    return wrapped("waiting", inner);
}

static struct json_object *running(const struct pod_container *container)
{
    struct json_object *inner = json_object_new_object();

    cluster_set_time(inner, "startedAt", container->started_at_us);
    return wrapped("running", inner);
}

static struct json_object *terminated(const struct pod_run *run, const struct container_end *end,
                                      const char *id)
{
    struct json_object *inner = json_object_new_object();
    const char *reason = end->exit_code == 0 ? "Completed" : "Error";

    json_set_int64(inner, "exitCode", end->exit_code);
    json_set_text(inner, "reason", end->reason != NULL ? end->reason : reason);
    if (end->says && run->script.message != NULL)
        json_set_text(inner, "message", run->script.message);
    cluster_set_time(inner, "startedAt", end->started_at_us);
    cluster_set_time(inner, "finishedAt", end->ended_at_us);
    json_set_text(inner, "containerID", id);
    return wrapped("terminated", inner);
}

static struct json_object *last_state(const struct pod_run *run,
                                      const struct pod_container *container)
{
    int64_t before = container->restarts;
    struct json_object *state;
    char *id;

    if (!container->last.there)
        return json_object_new_object();
    if (container->state != CONTAINER_WAITS)
        before--; /* one that waits to be started again counts no restart yet */
    id = container_id(run, container, before);
    state = terminated(run, &container->last, id);
    free(id);
    return state;
}

static struct json_object *status_of(const struct pod_run *run,
                                     const struct pod_container *container)
{
    struct json_object *status = json_object_new_object();
    bool has_id = container->state != CONTAINER_WAITS || container->last.there;
    char *id = container_id(run, container, container->restarts);

    json_set_text(status, "name", container->name);
    if (container->state == CONTAINER_WAITS)
        json_set(status, "state", waiting(container));
    else if (container->state == CONTAINER_RUNS)
        json_set(status, "state", running(container));
    else
        json_set(status, "state", terminated(run, &container->end, id));
    json_set(status, "lastState", last_state(run, container));
    json_set_bool(status, "ready",
                  container->role == CONTAINER_INIT ? is_initialized(container) : container->ready);
    json_set_int64(status, "restartCount", container->restarts);
    json_set_text(status, "image", container->image);
    json_set_text(status, "imageID", has_id ? container->image : "");
    if (has_id)
        json_set_text(status, "containerID", id);
    json_set_bool(status, "started", container->state == CONTAINER_RUNS);
    free(id);
    return status;
}

static void set_statuses(struct json_object *tree, const struct pod_run *run, bool of_mains,
                         const char *key)
{
    struct json_object *statuses = json_object_new_array();

    for (size_t i = 0; i < run->container_count; i++)
        if ((run->containers[i].role == CONTAINER_MAIN) == of_mains)
            json_add(statuses, status_of(run, &run->containers[i]));
    if (json_object_array_length(statuses) > 0)
        json_set(json_get(tree, "status"), key, statuses);
    else
        json_object_put(statuses);
}

/* --- addresses --- */

static void set_addresses(struct json_object *status, const char *key, const char *list_key,
                          const char *address)
{
    struct json_object *list = json_object_new_array();
    struct json_object *entry = json_object_new_object();

    json_set_text(status, key, address);
    json_set_text(entry, "ip", address);
    json_add(list, entry);
    json_set(status, list_key, list);
}

static void set_own_address(struct json_object *status, uint64_t number)
{
    char address[32];

    if (json_get(status, "podIP") != NULL)
        return;
    snprintf(address, sizeof(address), "10.%u.%u.%u", (unsigned)(number / 62500 % 250) + 1,
             (unsigned)(number / 250 % 250) + 1, (unsigned)(number % 250) + 1);
    set_addresses(status, "podIP", "podIPs", address);
}

/* --- the whole --- */

void pod_status_unschedulable(struct json_object *tree, const char *reason, const char *message,
                              int64_t now_us)
{
    json_set_text(json_ensure_object(tree, "status"), "phase", "Pending");
    set(tree, "PodScheduled", false, reason, message, now_us);
}

void pod_status_write(struct json_object *tree, const struct pod_run *run,
                      const struct pod_view *view)
{
    struct json_object *status = json_ensure_object(tree, "status");

    json_set_text(status, "phase", view->phase);
    if (view->reason != NULL)
        json_set_text(status, "reason", view->reason);
    if (view->message != NULL)
        json_set_text(status, "message", view->message);
    set_conditions(tree, run, view);
    set_addresses(status, "hostIP", "hostIPs", HOST_ADDRESS);
    if (view->networked)
        set_own_address(status, run->number);
    cluster_set_time(status, "startTime", run->started_at_us);
    set_statuses(tree, run, false, "initContainerStatuses");
    set_statuses(tree, run, true, "containerStatuses");
    if (view->statuses_missing)
        json_object_object_del(status, "containerStatuses");
}

void pod_status_disrupted(struct json_object *tree, const char *reason, const char *message,
                          int64_t now_us)
{
    set(tree, "DisruptionTarget", true, reason, message, now_us);
}
