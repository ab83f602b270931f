/* kubelet_steps - which step a pod takes next, and how its containers and it end (fakeapi/WIRE.md
 * K22 to K28). */
#include <json-c/json.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet_parts.h"

/* Exit codes of a container that was told to stop, and of one that was killed. */
#define EXIT_TERMINATED 143
#define EXIT_KILLED 137

/* --- ends --- */

/* All that runs is over: the container that the script is about ended so, or (NULL) none did, and
 * the others as the script says unless all are killed. */
static void end_containers(struct pod_run *run, const struct container_end *how, bool killed,
                           int64_t now_us)
{
    const struct container_end well = {.ended_at_us = now_us,
                                       .exit_code = run->script.others_exit_code};
    const struct container_end good = {.ended_at_us = now_us};

    for (size_t i = 0; i < run->container_count; i++) {
        struct pod_container *container = &run->containers[i];

        if (container->state == CONTAINER_RUNS)
            pod_container_end(container, how != NULL && (killed || i == run->main) ? how
                                         : container->role == CONTAINER_MAIN       ? &well
                                                                                   : &good);
        else if (container->state == CONTAINER_WAITS && container->last.there) {
            container->end = container->last;
            container->last = (struct container_end){0};
            container->state = CONTAINER_ENDED;
        }
        container->ready = false;
    }
}

static bool has_failed(const struct pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].role != CONTAINER_SIDECAR && run->containers[i].end.exit_code != 0)
            return true;
    return false;
}

static bool is_killed(const struct container_end *how)
{
    return how != NULL && !how->says && how->reason == NULL;
}

/* What the container wrote until its end: all of it when it ended by itself. */
static void write_last_log(struct kubelet *kubelet, struct pod_run *run, bool whole)
{
    int64_t now_us = kubelet_wall_us(kubelet);

    run->log_elapsed_us = INT64_MAX;
    if (whole && run->script.log_late_us > 0 && !run->script.log_gone)
        run->log_elapsed_us = kubelet_later(kubelet_elapsed_us(kubelet), run->script.log_late_us);
    else if (whole || run->script.log_every_us == 0)
        pod_run_write_log(run, whole, now_us);
    if (run->script.log_gone)
        pod_run_lose_log(run, now_us);
    rest_log_changed(kubelet->context->rest, run->uid);
}

/* The pod is over. reason and message are the pod's; how is as of end_containers(). */
bool kubelet_end_pod(struct kubelet *kubelet, struct pod_run *run, const struct container_end *how,
                     const char *reason, const char *message)
{
    struct pod_container *before = kubelet_remember(run);
    int64_t now_us = kubelet_wall_us(kubelet);
    struct pod_view view = {.phase = "Failed",
                            .reason = reason,
                            .message = message,
                            .statuses_missing = run->script.status_missing};

    end_containers(run, how, is_killed(how) || reason != NULL, now_us);
    if (reason == NULL && !has_failed(run))
        view.phase = "Succeeded";
    if (!kubelet_conclude(run, before, kubelet_write_status(kubelet, run, view)))
        return false;
    kubelet_set_state(run, POD_ENDED, INT64_MAX);
    run->deadline_elapsed_us = INT64_MAX;
    run->ready_elapsed_us = INT64_MAX;
    write_last_log(kubelet, run, how != NULL && how->says);
    return true;
}

static bool evict(struct kubelet *kubelet, struct pod_run *run)
{
    static const char message[] = "The node was low on resource: memory.";
    const struct container_end how = {.exit_code = EXIT_KILLED,
                                      .ended_at_us = kubelet_wall_us(kubelet)};

    if (!kubelet_end_pod(kubelet, run, &how, "Evicted", message))
        return false;
    runtime_mark(kubelet->context->rt, MARK_API_POD_EVICTED);
    kubelet_tell(kubelet, run, NULL, "Warning", "Evicted", message);
    return true;
}

static bool run_out(struct kubelet *kubelet, struct pod_run *run)
{
    static const char message[] = "Pod was active on the node longer than the specified deadline";
    const struct container_end how = {.exit_code = EXIT_KILLED,
                                      .ended_at_us = kubelet_wall_us(kubelet)};

    if (!kubelet_end_pod(kubelet, run, &how, "DeadlineExceeded", message))
        return false;
    kubelet_tell(kubelet, run, NULL, "Normal", "DeadlineExceeded", message);
    return true;
}

/* --- exits and restarts --- */

static bool restart(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *main = pod_run_main(run);

    pod_container_start(main, kubelet_wall_us(kubelet));
    main->restarts++;
    main->ready = run->script.ready_us == 0;
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Running", .networked = true})))
        return false;
    pod_run_turn_log(run);
    kubelet_tell_start(kubelet, run, main);
    kubelet_begin_run(kubelet, run);
    return true;
}

static bool crash(struct kubelet *kubelet, struct pod_run *run, const struct container_end *how)
{
    struct pod_container *before = kubelet_remember(run);
    struct pod_container *main = pod_run_main(run);
    int64_t kept_us = run->backoff_us;
    int64_t wait_us = kubelet_take_backoff(run, how->ended_at_us - main->started_at_us);

    pod_container_end(main, how);
    if (wait_us > 0)
        pod_container_wait(main, "CrashLoopBackOff", kubelet_backoff_message(run, main, wait_us));
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Running", .networked = true}))) {
        run->backoff_us = kept_us;
        return false;
    }
    pod_run_write_log(run, how->says, how->ended_at_us);
    run->log_elapsed_us = INT64_MAX;
    run->ready_elapsed_us = INT64_MAX;
    kubelet_set_state(run, POD_CRASHED, kubelet_later(kubelet_elapsed_us(kubelet), wait_us));
    rest_log_changed(kubelet->context->rest, run->uid);
    if (wait_us > 0)
        kubelet_tell_backoff(kubelet, run, main);
    return true;
}

/* Whether other containers run on when the one that the script is about has ended. */
static bool is_outlived(const struct pod_run *run)
{
    for (size_t i = 0; run->script.others_run_us > 0 && i < run->container_count; i++)
        if (i != run->main && run->containers[i].role == CONTAINER_MAIN &&
            run->containers[i].state == CONTAINER_RUNS)
            return true;
    return false;
}

/* It has ended, and the pod goes on as long as the others do. */
static bool outlive(struct kubelet *kubelet, struct pod_run *run, const struct container_end *how)
{
    struct pod_container *before = kubelet_remember(run);

    pod_container_end(pod_run_main(run), how);
    if (!kubelet_conclude(
            run, before,
            kubelet_write_status(kubelet, run,
                                 (struct pod_view){.phase = "Running", .networked = true})))
        return false;
    run->ready_elapsed_us = INT64_MAX;
    kubelet_set_state(run, POD_OUTLIVED,
                      kubelet_later(kubelet_elapsed_us(kubelet), run->script.others_run_us));
    write_last_log(kubelet, run, how->says);
    return true;
}

/* The container has run as long as the script says. */
bool kubelet_finish_run(struct kubelet *kubelet, struct pod_run *run)
{
    enum kubelet_ending ending = pod_run_ending(run);
    struct container_end how = {
        .exit_code = pod_run_exit_code(run), .says = true, .ended_at_us = kubelet_wall_us(kubelet)};

    if (ending == KUBELET_EVICTED)
        return evict(kubelet, run);
    if (ending == KUBELET_NODE_LOST)
        return kubelet_lose_node(kubelet, run);
    if (ending == KUBELET_OUT_OF_MEMORY) {
        runtime_mark(kubelet->context->rt, MARK_API_POD_OUT_OF_MEMORY);
        how.exit_code = EXIT_KILLED;
        how.reason = "OOMKilled";
        how.says = false;
    }
    if (pod_run_main(run) != NULL && (run->restarts == RESTART_ALWAYS ||
                                      (run->restarts == RESTART_ON_FAILURE && how.exit_code != 0)))
        return crash(kubelet, run, &how);
    if (is_outlived(run))
        return outlive(kubelet, run, &how);
    return kubelet_end_pod(kubelet, run, &how, NULL, NULL);
}

/* --- stopping --- */

/* The last word of the node on a deleted pod (K28): whoever holds finalizers may still keep it. */
bool kubelet_let_go(struct kubelet *kubelet, const struct pod_run *run)
{
    const struct store_object *pod = kubelet_pod(kubelet, run);
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = run->namespace, .name = run->name};
    const struct rest_delete_options options = {.uid = run->uid, .grace_given = true};
    struct error err = ERROR_INIT;

    if (pod == NULL || rest_delete(kubelet->context->rest, &target, &options, &err))
        return true;
    if (err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT)
        return true;
    cluster_log_failure(kubelet->context, KUBELET_ACTOR, pod, &err);
    return false;
}

/* Its time to stop has come. */
static bool stop(struct kubelet *kubelet, struct pod_run *run)
{
    const struct container_end how = {.exit_code =
                                          run->stops_in_time ? EXIT_TERMINATED : EXIT_KILLED,
                                      .ended_at_us = kubelet_wall_us(kubelet)};
    bool runs = run->state == POD_RUNNING || run->state == POD_CRASHED ||
                run->state == POD_INITIALIZING || run->state == POD_OUTLIVED;

    if (run->state == POD_LOST) { /* the node does not hear of it */
        run->stop_elapsed_us = INT64_MAX;
        return true;
    }
    if (runs && !kubelet_end_pod(kubelet, run, &how, NULL, NULL))
        return false;
    if (!kubelet_let_go(kubelet, run))
        return false;
    if (runs)
        runtime_mark(kubelet->context->rt, MARK_API_POD_STOPPED);
    run->stop_elapsed_us = INT64_MAX;
    if (run->state != POD_ENDED)
        kubelet_set_state(run, POD_ENDED, INT64_MAX);
    return true;
}

/* --- the step that is due --- */

/* More of its log can be read. */
static void write_log(struct kubelet *kubelet, struct pod_run *run)
{
    int64_t now_us = kubelet_wall_us(kubelet);
    bool more = run->state == POD_RUNNING && pod_run_write_line(run, now_us);

    if (run->state != POD_RUNNING)
        pod_run_write_log(run, true, now_us);
    run->log_elapsed_us =
        more ? kubelet_later(run->log_elapsed_us, run->script.log_every_us) : INT64_MAX;
    rest_log_changed(kubelet->context->rest, run->uid);
}

bool kubelet_step(struct kubelet *kubelet, struct pod_run *run)
{
    int64_t now_us = kubelet_elapsed_us(kubelet);
    bool ok;

    if (run->log_elapsed_us <= now_us) {
        write_log(kubelet, run);
        return true;
    }
    if ((run->state == POD_LOST || run->back_elapsed_us <= now_us) &&
        kubelet_step_lost(kubelet, run, &ok))
        return ok;
    if (run->stop_elapsed_us <= now_us)
        return stop(kubelet, run);
    if (run->deadline_elapsed_us <= now_us && run->state != POD_ENDED)
        return run_out(kubelet, run);
    if (run->ready_elapsed_us <= now_us && run->ready_elapsed_us <= run->next_elapsed_us)
        return kubelet_become_ready(kubelet, run);
    if (run->next_elapsed_us > now_us)
        return true;
    switch (run->state) {
    case POD_NEW:
        return kubelet_schedule(kubelet, run);
    case POD_SCHEDULED:
    case POD_BLOCKED:
        return kubelet_prepare(kubelet, run);
    case POD_INITIALIZING:
        return kubelet_end_init(kubelet, run);
    case POD_RUNNING:
        return kubelet_finish_run(kubelet, run);
    case POD_CRASHED:
        return restart(kubelet, run);
    case POD_OUTLIVED:
        return kubelet_end_pod(kubelet, run, NULL, NULL, NULL);
    case POD_UNSCHEDULED:
    case POD_STUCK:
        return kubelet_recover(kubelet, run);
    case POD_LOST:
    case POD_ENDED:
        break;
    }
    return true;
}

const char *kubelet_step_name(const struct pod_run *run)
{
    static const char *const names[] = {
        [POD_NEW] = "schedule",    [POD_UNSCHEDULED] = "recover",
        [POD_SCHEDULED] = "start", [POD_BLOCKED] = "start",
        [POD_STUCK] = "recover",   [POD_INITIALIZING] = "end init container",
        [POD_RUNNING] = "end",     [POD_CRASHED] = "restart",
        [POD_LOST] = "give up",    [POD_OUTLIVED] = "end other containers",
        [POD_ENDED] = "none",
    };
    int64_t due_us = pod_run_due(run);

    if (run->stop_elapsed_us == due_us && due_us != INT64_MAX)
        return "stop";
    if (run->deadline_elapsed_us == due_us && due_us != INT64_MAX)
        return "run out of time";
    if (run->ready_elapsed_us == due_us && due_us != INT64_MAX)
        return "become ready";
    if (run->log_elapsed_us == due_us && due_us != INT64_MAX)
        return "write its log";
    if (run->back_elapsed_us == due_us && due_us != INT64_MAX)
        return "come back with its node";
    if (run->gone_elapsed_us == due_us && due_us != INT64_MAX)
        return "go with its node";
    return names[run->state];
}
