/* kubelet_start - a pod from its coming to its running: scheduled, made, initialized, ready. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet_parts.h"
#include "fakeapi/cluster/pod_references.h"

/* How soon the node looks again for what a pod refers to. */
#define BLOCKED_US (10 * INT64_C(1000000))

#define UNSCHEDULABLE_TAIL                                                                         \
    "preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling."

/* --- scheduling --- */

static bool is_cordoned(const struct kubelet *kubelet)
{
    struct store_resource *nodes = store_find_resource(kubelet->context->store, "", "nodes");
    const struct store_object *node = store_get(nodes, NULL, KUBELET_NODE);

    return node != NULL && partial_bool(store_object_spec(node), "unschedulable", false);
}

/* When what keeps it from running is over, by its script. */
static int64_t recovery(const struct kubelet *kubelet, const struct pod_run *run)
{
    return run->script.recover_us == KUBELET_NEVER
               ? INT64_MAX
               : kubelet_later(kubelet_elapsed_us(kubelet), run->script.recover_us);
}

bool kubelet_recover(struct kubelet *kubelet, struct pod_run *run)
{
    run->recovered = true;
    kubelet_set_state(run, run->state == POD_STUCK ? POD_SCHEDULED : POD_NEW,
                      kubelet_elapsed_us(kubelet));
    return true;
}

static bool leave_unscheduled(struct kubelet *kubelet, struct pod_run *run, const char *reason,
                              const char *message)
{
    struct json_object *tree = partial_with_status(kubelet_pod(kubelet, run));
    bool ok;

    pod_status_unschedulable(tree, reason, message, kubelet_wall_us(kubelet));
    ok = kubelet_save_status(kubelet, run, tree);
    json_object_put(tree);
    if (!ok)
        return false;
    kubelet_set_state(run, POD_UNSCHEDULED,
                      pod_run_ending(run) == KUBELET_NEVER_SCHEDULED && !run->others_schedule
                          ? recovery(kubelet, run)
                          : INT64_MAX);
    if (strcmp(reason, "Unschedulable") == 0)
        cluster_event(kubelet->context, "default-scheduler", kubelet_pod(kubelet, run), "Warning",
                      "FailedScheduling", "%s", message);
    return true;
}

/* Another scheduler has it, or a gate. */
static bool leave_to_others(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_slice spec = store_object_spec(kubelet_pod(kubelet, run));

    if (json_slice_get(spec, "schedulingGates").bytes != NULL)
        return leave_unscheduled(kubelet, run, "SchedulingGated",
                                 "Scheduling is blocked due to non-empty scheduling gates");
    kubelet_set_state(run, POD_UNSCHEDULED, INT64_MAX);
    return true;
}

static bool bind(struct kubelet *kubelet, struct pod_run *run)
{
    const struct store_object *pod = kubelet_pod(kubelet, run);
    struct json_object *patch = json_object_new_object();

    json_set_text(json_ensure_object(patch, "spec"), "nodeName", KUBELET_NODE);
    if (!cluster_patch(kubelet->context, KUBELET_ACTOR, kubelet_pods(kubelet), pod, patch))
        return false;
    run->bound = true;
    cluster_event(kubelet->context, "default-scheduler", kubelet_pod(kubelet, run), "Normal",
                  "Scheduled", "Successfully assigned %s/%s to " KUBELET_NODE, run->namespace,
                  run->name);
    return true;
}

static void set_waiting(struct pod_run *run)
{
    bool has_init = run->container_count > 0 && run->containers[0].role != CONTAINER_MAIN;

    for (size_t i = 0; i < run->container_count; i++)
        pod_container_wait(&run->containers[i], has_init ? "PodInitializing" : "ContainerCreating",
                           NULL);
}

/* The node takes note of it. */
static bool admit(struct kubelet *kubelet, struct pod_run *run)
{
    run->started_at_us = kubelet_wall_us(kubelet);
    set_waiting(run);
    if (!kubelet_write_status(kubelet, run, (struct pod_view){.phase = "Pending"}))
        return false;
    if (run->deadline_seconds >= 0)
        run->deadline_elapsed_us =
            kubelet_later(kubelet_elapsed_us(kubelet), run->deadline_seconds * US_PER_SECOND);
    kubelet_set_state(run, POD_SCHEDULED,
                      kubelet_later(kubelet_elapsed_us(kubelet), run->script.start_us));
    return true;
}

bool kubelet_schedule(struct kubelet *kubelet, struct pod_run *run)
{
    if (run->bound)
        return admit(kubelet, run);
    if (run->others_schedule)
        return leave_to_others(kubelet, run);
    if (pod_run_ending(run) == KUBELET_NEVER_SCHEDULED)
        return leave_unscheduled(kubelet, run, "Unschedulable",
                                 "0/1 nodes are available: 1 Insufficient cpu. preemption: 0/1 "
                                 "nodes are available: 1 No preemption victims found for incoming "
                                 "pod.");
    if (is_cordoned(kubelet))
        return leave_unscheduled(
            kubelet, run, "Unschedulable",
            "0/1 nodes are available: 1 node(s) were unschedulable. " UNSCHEDULABLE_TAIL);
    return bind(kubelet, run) && admit(kubelet, run);
}

/* --- starting --- */

static struct pod_container *find_container(const struct pod_run *run, const char *name)
{
    for (size_t i = 0; i < run->container_count; i++)
        if (text_equal(run->containers[i].name, name))
            return &run->containers[i];
    return NULL;
}

/* Something that the pod refers to is not there. */
static bool block(struct kubelet *kubelet, struct pod_run *run, const struct pod_missing *missing)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *container = find_container(run, missing->container);
    char *message;

    if (container != NULL)
        pod_container_wait(container, "CreateContainerConfigError", xstrdup(missing->message));
    if (!kubelet_conclude(
            run, before, kubelet_write_status(kubelet, run, (struct pod_view){.phase = "Pending"})))
        return false;
    message = container != NULL ? xprintf("Error: %s", missing->message)
                                : xprintf("MountVolume.SetUp failed for volume \"%s\" : %s",
                                          missing->volume, missing->message);
    kubelet_tell(kubelet, run, container, "Warning", container != NULL ? "Failed" : "FailedMount",
                 message);
    free(message);
    kubelet_set_state(run, POD_BLOCKED, kubelet_elapsed_us(kubelet) + BLOCKED_US);
    return true;
}

static bool get_stuck(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *main = pod_run_main(run);
    char *message = xprintf("Back-off pulling image \"%s\"", main == NULL ? "" : main->image);

    if (main != NULL)
        pod_container_wait(main, "ImagePullBackOff", xstrdup(message));
    if (kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run, (struct pod_view){.phase = "Pending"}))) {
        kubelet_set_state(run, POD_STUCK, recovery(kubelet, run));
        kubelet_tell(kubelet, run, main, "Normal", "BackOff", message);
        kubelet_tell(kubelet, run, main, "Warning", "Failed", "Error: ImagePullBackOff");
    }
    free(message);
    return run->state == POD_STUCK;
}

/* Whether the init containers take time, or fail. */
static bool has_stages(const struct pod_run *run)
{
    if (run->script.init_us == 0 && run->script.init_exit_code == 0)
        return false;
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].role == CONTAINER_INIT)
            return true;
    return false;
}

static bool run_all(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_container *before = kubelet_remember(run);
    int64_t now_us = kubelet_wall_us(kubelet);
    bool waits = run->script.ready_us > 0;

    for (size_t i = 0; i < run->container_count; i++) {
        struct pod_container *container = &run->containers[i];

        if (container->state == CONTAINER_WAITS)
            pod_container_start(container, now_us);
        if (container->role == CONTAINER_INIT && container->state == CONTAINER_RUNS)
            pod_container_end(container, &(struct container_end){.ended_at_us = now_us});
        container->ready = container->role != CONTAINER_INIT && (i != run->main || !waits);
    }
    return kubelet_conclude(
        run, before,
        kubelet_write_status(kubelet, run,
                             (struct pod_view){.phase = "Running", .networked = true}));
}

/* The container runs from here on. */
void kubelet_begin_run(struct kubelet *kubelet, struct pod_run *run)
{
    int64_t now_us = kubelet_elapsed_us(kubelet);

    if (run->script.log_every_us == 0)
        pod_run_write_log(run, false, kubelet_wall_us(kubelet));
    else if (pod_run_write_line(run, kubelet_wall_us(kubelet)))
        run->log_elapsed_us = kubelet_later(now_us, run->script.log_every_us);
    kubelet_set_state(run, POD_RUNNING, kubelet_later(now_us, pod_run_length(run)));
    run->ready_elapsed_us =
        run->script.ready_us > 0 ? kubelet_later(now_us, run->script.ready_us) : INT64_MAX;
    rest_log_changed(kubelet->context->rest, run->uid);
}

static bool start(struct kubelet *kubelet, struct pod_run *run)
{
    if (!run_all(kubelet, run))
        return false;
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].role != CONTAINER_INIT)
            kubelet_tell_start(kubelet, run, &run->containers[i]);
    kubelet_begin_run(kubelet, run);
    return true;
}

/* --- init containers --- */

/* The next one at `from` or behind it; container_count: there is none. */
static size_t next_init(const struct pod_run *run, size_t from)
{
    while (from < run->container_count && run->containers[from].role != CONTAINER_INIT)
        from++;
    return from;
}

/* Starts an init container, and the sidecars that stand before it. */
static bool start_init(struct kubelet *kubelet, struct pod_run *run, size_t index)
{
    struct pod_container *before = kubelet_remember(run);
    int64_t now_us = kubelet_wall_us(kubelet);

    for (size_t i = 0; i < index; i++)
        if (run->containers[i].role == CONTAINER_SIDECAR &&
            run->containers[i].state == CONTAINER_WAITS) {
            pod_container_start(&run->containers[i], now_us);
            run->containers[i].ready = true;
        }
    if (run->containers[index].last.there || run->containers[index].end.there)
        run->containers[index].restarts++;
    pod_container_start(&run->containers[index], now_us);
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Pending", .networked = true})))
        return false;
    kubelet_tell_start(kubelet, run, &run->containers[index]);
    run->initializing = index;
    kubelet_set_state(run, POD_INITIALIZING,
                      kubelet_later(kubelet_elapsed_us(kubelet), run->script.init_us));
    return true;
}

/* It exits 0 unless it is the last one, and the script says otherwise. */
static int64_t init_exit_code(const struct pod_run *run)
{
    const struct pod_container *init = &run->containers[run->initializing];

    if (next_init(run, run->initializing + 1) < run->container_count ||
        (run->script.fail_times > 0 && init->restarts >= run->script.fail_times))
        return 0;
    return run->script.init_exit_code;
}

/* A failed init container of a pod that starts it again. */
static bool crash_init(struct kubelet *kubelet, struct pod_run *run,
                       const struct container_end *how)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *init = &run->containers[run->initializing];
    int64_t kept_us = run->backoff_us;
    int64_t wait_us = kubelet_take_backoff(run, how->ended_at_us - init->started_at_us);

    pod_container_end(init, how);
    pod_container_wait(init, "CrashLoopBackOff", kubelet_backoff_message(run, init, wait_us));
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Pending", .networked = true}))) {
        run->backoff_us = kept_us;
        return false;
    }
    kubelet_tell_backoff(kubelet, run, init);
    kubelet_set_state(run, POD_INITIALIZING, kubelet_later(kubelet_elapsed_us(kubelet), wait_us));
    return true;
}

bool kubelet_end_init(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_container *init = &run->containers[run->initializing];
    struct container_end how = {.exit_code = init_exit_code(run),
                                .ended_at_us = kubelet_wall_us(kubelet)};
    size_t next = next_init(run, run->initializing + 1);

    if (init->state == CONTAINER_WAITS) /* its wait is over */
        return start_init(kubelet, run, run->initializing);
    if (how.exit_code != 0 && run->restarts != RESTART_NEVER)
        return crash_init(kubelet, run, &how);
    pod_container_end(init, &how);
    if (how.exit_code != 0)
        return kubelet_end_pod(kubelet, run, NULL, NULL, NULL);
    if (next < run->container_count)
        return start_init(kubelet, run, next);
    run->backoff_us = 0;
    return start(kubelet, run);
}

bool kubelet_prepare(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_missing missing = {0};
    bool ok;

    if (pod_references_missing(kubelet->context->store, kubelet_pod(kubelet, run), &missing)) {
        ok = block(kubelet, run, &missing);
        pod_missing_release(&missing);
        return ok;
    }
    if (pod_run_ending(run) == KUBELET_IMAGE_PULL_FAILS)
        return get_stuck(kubelet, run);
    if (has_stages(run))
        return start_init(kubelet, run, next_init(run, 0));
    return start(kubelet, run);
}

/* --- readiness --- */

bool kubelet_become_ready(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *main = pod_run_main(run);

    if (main != NULL)
        main->ready = true;
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Running", .networked = true})))
        return false;
    run->ready_elapsed_us = INT64_MAX;
    return true;
}
