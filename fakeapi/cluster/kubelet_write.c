/* kubelet_write - what the steps of pods have in common: states, Events, statuses, waits. */
#include <assert.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet_parts.h"

/* --- states --- */

/* What a state may become. */
static const bool moves[][POD_ENDED + 1] = {
    [POD_NEW] = {[POD_UNSCHEDULED] = true, [POD_SCHEDULED] = true, [POD_ENDED] = true},
    [POD_UNSCHEDULED] = {[POD_NEW] = true,      [POD_ENDED] = true},
    [POD_SCHEDULED] = {[POD_BLOCKED] = true,
                 [POD_STUCK] = true,
                 [POD_INITIALIZING] = true,
                 [POD_RUNNING] = true,
                 [POD_ENDED] = true},
    [POD_BLOCKED] = {[POD_BLOCKED] = true,
                 [POD_STUCK] = true,
                 [POD_INITIALIZING] = true,
                 [POD_RUNNING] = true,
                 [POD_ENDED] = true},
    [POD_STUCK] = {[POD_SCHEDULED] = true,       [POD_ENDED] = true},
    [POD_INITIALIZING] = {[POD_INITIALIZING] = true,     [POD_RUNNING] = true, [POD_ENDED] = true},
    [POD_RUNNING] = {[POD_RUNNING] = true,
                 [POD_CRASHED] = true,
                 [POD_LOST] = true,
                 [POD_OUTLIVED] = true,
                 [POD_ENDED] = true},
    [POD_CRASHED] = {[POD_RUNNING] = true,       [POD_ENDED] = true},
    [POD_LOST] =
        {[POD_LOST] = true,     [POD_CRASHED] = true, [POD_OUTLIVED] = true, [POD_ENDED] = true},
    [POD_OUTLIVED] = {[POD_ENDED] = true                       },
};

void kubelet_set_state(struct pod_run *run, enum pod_state state, int64_t next_elapsed_us)
{
    assert(moves[run->state][state]);
    run->state = state;
    run->next_elapsed_us = next_elapsed_us;
}

/* --- telling --- */

/* An Event of the node's about the pod, or about one of its containers. */
void kubelet_tell(const struct kubelet *kubelet, const struct pod_run *run,
                  const struct pod_container *container, const char *type, const char *reason,
                  const char *message)
{
    const struct store_object *pod = kubelet_pod(kubelet, run);
    struct event_record record = {.component = KUBELET_ACTOR,
                                  .host = KUBELET_NODE,
                                  .type = type,
                                  .reason = reason,
                                  .message = message};
    char *path = NULL;

    if (container != NULL)
        path = xprintf("spec.%s{%s}",
                       container->role == CONTAINER_MAIN ? "containers" : "initContainers",
                       container->name);
    record.field_path = path;
    if (pod != NULL)
        events_record(kubelet->context->events, pod, &record);
    free(path);
}

static void tell_of(const struct kubelet *kubelet, const struct pod_run *run,
                    const struct pod_container *container, const char *reason, const char *verb)
{
    char *message = xprintf("%s container %s", verb, container->name);

    kubelet_tell(kubelet, run, container, "Normal", reason, message);
    free(message);
}

void kubelet_tell_stop(const struct kubelet *kubelet, const struct pod_run *run,
                       const struct pod_container *container)
{
    tell_of(kubelet, run, container, "Killing", "Stopping");
}

void kubelet_tell_start(const struct kubelet *kubelet, const struct pod_run *run,
                        const struct pod_container *container)
{
    char *message =
        container->pulls
            ? xprintf("Successfully pulled image \"%s\" in 0s (0s including waiting). "
                      "Image size: 0 bytes.",
                      container->image)
            : xprintf("Container image \"%s\" already present on machine", container->image);

    kubelet_tell(kubelet, run, container, "Normal", "Pulled", message);
    free(message);
    message = xprintf("Created container: %s", container->name);
    kubelet_tell(kubelet, run, container, "Normal", "Created", message);
    free(message);
    tell_of(kubelet, run, container, "Started", "Started");
}

/* --- statuses --- */

bool kubelet_save_status(struct kubelet *kubelet, const struct pod_run *run,
                         const struct json_object *tree)
{
    const struct store_object *pod = kubelet_pod(kubelet, run);

    return pod != NULL && cluster_update(kubelet->context, KUBELET_ACTOR, kubelet_pods(kubelet),
                                         pod, "status", tree);
}

bool kubelet_write_status(struct kubelet *kubelet, const struct pod_run *run, struct pod_view view)
{
    struct json_object *tree = partial_with_status(kubelet_pod(kubelet, run));
    bool ok;

    view.now_us = kubelet_wall_us(kubelet);
    pod_status_write(tree, run, &view);
    ok = kubelet_save_status(kubelet, run, tree);
    json_object_put(tree);
    return ok;
}

/* A copy of the containers' states, to go back to when a write fails. */
struct pod_container *kubelet_remember(const struct pod_run *run)
{
    struct pod_container *copies = xcalloc(run->container_count, sizeof(*copies));

    for (size_t i = 0; i < run->container_count; i++) {
        copies[i] = run->containers[i];
        copies[i].message = xstrdup(run->containers[i].message);
    }
    return copies;
}

/* Ends a step: keeps what was done when it is written, else undoes it. Frees before. */
bool kubelet_conclude(struct pod_run *run, struct pod_container *before, bool written)
{
    for (size_t i = 0; i < run->container_count; i++) {
        char *unused = written ? before[i].message : run->containers[i].message;

        if (!written)
            run->containers[i] = before[i];
        free(unused);
    }
    free(before);
    return written;
}

/* --- restarts --- */

/* The wait before a container is started again; the next one will be longer. */
int64_t kubelet_take_backoff(struct pod_run *run, int64_t ran_us)
{
    int64_t wait_us = ran_us >= POD_BACKOFF_FORGOTTEN_US ? 0 : run->backoff_us;

    run->backoff_us = wait_us == 0 ? POD_BACKOFF_FIRST_US : 2 * wait_us;
    if (run->backoff_us > POD_BACKOFF_LONGEST_US)
        run->backoff_us = POD_BACKOFF_LONGEST_US;
    return wait_us;
}

/* "1m20s", as Go shows it; room for 24 bytes. */
static void show_wait(int64_t wait_us, char text[24])
{
    long long seconds = (long long)(wait_us / US_PER_SECOND);

    if (seconds < 60)
        snprintf(text, 24, "%llds", seconds);
    else
        snprintf(text, 24, "%lldm%llds", seconds / 60, seconds % 60);
}

char *kubelet_backoff_message(const struct pod_run *run, const struct pod_container *container,
                              int64_t wait_us)
{
    char wait[24];

    show_wait(wait_us, wait);
    return xprintf("back-off %s restarting failed container=%s pod=%s_%s(%s)", wait,
                   container->name, run->name, run->namespace, run->uid);
}

void kubelet_tell_backoff(const struct kubelet *kubelet, const struct pod_run *run,
                          const struct pod_container *container)
{
    char *message = xprintf("Back-off restarting failed container %s in pod %s_%s(%s)",
                            container->name, run->name, run->namespace, run->uid);

    kubelet_tell(kubelet, run, container, "Warning", "BackOff", message);
    free(message);
}
