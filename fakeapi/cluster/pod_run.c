/* pod_run - one pod's life on the node. */
#include "fakeapi/cluster/pod_run.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/partial.h"

/* --- what it is made of --- */

static char *text_at(struct json_slice object, const char *key)
{
    char *text = json_slice_text(json_slice_get(object, key));

    return text == NULL ? xstrdup("") : text;
}

static void add_container(struct pod_run *run, struct json_slice slice, bool init)
{
    struct pod_container *container;

    run->containers =
        xrealloc(run->containers, (run->container_count + 1) * sizeof(*run->containers));
    container = &run->containers[run->container_count++];
    *container = (struct pod_container){.waiting = "ContainerCreating"};
    container->name = text_at(slice, "name");
    container->image = text_at(slice, "image");
    container->pulls = partial_is(json_slice_get(slice, "imagePullPolicy"), "Always");
    if (init)
        container->role = partial_is(json_slice_get(slice, "restartPolicy"), "Always")
                              ? CONTAINER_SIDECAR
                              : CONTAINER_INIT;
}

static void add_containers(struct pod_run *run, struct json_slice list, bool init)
{
    struct json_slice item;

    for (size_t next = 0; json_slice_next(list, &next, &item);)
        add_container(run, item, init);
}

/* The one that was asked for, or "agent", or the first. */
static size_t find_main(const struct pod_run *run)
{
    size_t first = run->container_count;
    const char *wanted = text_or(run->script.container, "agent");

    for (size_t i = 0; i < run->container_count; i++) {
        if (run->containers[i].role != CONTAINER_MAIN)
            continue;
        if (strcmp(run->containers[i].name, wanted) == 0)
            return i;
        first = i < first ? i : first;
    }
    return first;
}

static enum restart_policy policy_of(struct json_slice spec)
{
    struct json_slice policy = json_slice_get(spec, "restartPolicy");

    if (partial_is(policy, "Never"))
        return RESTART_NEVER;
    return partial_is(policy, "OnFailure") ? RESTART_ON_FAILURE : RESTART_ALWAYS;
}

static bool is_for_others(struct json_slice spec)
{
    struct json_slice scheduler = json_slice_get(spec, "schedulerName");
    struct json_slice gates = json_slice_get(spec, "schedulingGates");
    struct json_slice gate;
    size_t next = 0;

    return (scheduler.bytes != NULL && !partial_is(scheduler, "default-scheduler")) ||
           json_slice_next(gates, &next, &gate);
}

void pod_run_read_spec(struct pod_run *run, const struct store_object *pod)
{
    struct json_slice spec = store_object_spec(pod);
    struct json_slice node = json_slice_get(spec, "nodeName");
    int64_t seconds = partial_int64(spec, "activeDeadlineSeconds", -1);

    run->bound = node.bytes != NULL && !partial_is(node, "");
    run->others_schedule = is_for_others(spec);
    run->deadline_seconds = seconds < INT64_MAX / US_PER_SECOND ? seconds : -1;
}

/* Parts the log into lines, each with its newline. */
static void split_log(struct pod_run *run)
{
    const char *at = run->script.log;
    size_t capacity = 0;

    while (at != NULL && *at != '\0') {
        const char *newline = strchr(at, '\n');
        size_t size = newline == NULL ? strlen(at) : (size_t)(newline - at) + 1;

        if (run->line_count == capacity) {
            capacity = capacity == 0 ? 4 : 2 * capacity;
            run->lines = xrealloc(run->lines, capacity * sizeof(*run->lines));
        }
        run->lines[run->line_count++] = (struct rest_log_line){.text = at, .size = size};
        at += size;
    }
}

struct pod_run *pod_run_new(const struct store_object *pod, struct kubelet_script *script,
                            uint64_t number)
{
    struct pod_run *run = xcalloc(1, sizeof(*run));
    struct json_slice spec = store_object_spec(pod);

    run->uid = xstrdup(pod->uid);
    run->namespace = xstrdup(pod->namespace);
    run->name = xstrdup(pod->name);
    run->script = *script;
    run->number = number;
    run->stop_elapsed_us = INT64_MAX;
    run->deadline_elapsed_us = INT64_MAX;
    run->ready_elapsed_us = INT64_MAX;
    run->log_elapsed_us = INT64_MAX;
    run->back_elapsed_us = INT64_MAX;
    run->gone_elapsed_us = INT64_MAX;
    add_containers(run, json_slice_get(spec, "initContainers"), true);
    add_containers(run, json_slice_get(spec, "containers"), false);
    run->main = find_main(run);
    run->restarts = policy_of(spec);
    pod_run_read_spec(run, pod);
    split_log(run);
    return run;
}

void pod_run_free(struct pod_run *run)
{
    for (size_t i = 0; i < run->container_count; i++) {
        free(run->containers[i].name);
        free(run->containers[i].image);
        free(run->containers[i].message);
    }
    free(run->containers);
    free(run->uid);
    free(run->namespace);
    free(run->name);
    free(run->lines);
    free(run->previous);
    kubelet_script_release(&run->script);
    free(run);
}

void pod_run_set_script(struct pod_run *run, struct kubelet_script *script)
{
    const char *log = run->script.log;

    /* The lines are parts of the old log: it stays, unless nothing was written of it yet. */
    if (run->lines_written == 0 && run->previous_count == 0) {
        free(run->lines);
        run->lines = NULL;
        run->line_count = 0;
    } else {
        run->script.log = script->log;
        script->log = log;
    }
    kubelet_script_release(&run->script);
    run->script = *script;
    if (run->lines == NULL)
        split_log(run);
    run->main = find_main(run);
}

/* --- questions --- */

struct pod_container *pod_run_main(const struct pod_run *run)
{
    return run->main < run->container_count ? &run->containers[run->main] : NULL;
}

const struct pod_container *pod_run_container(const struct pod_run *run, const char *name)
{
    for (size_t i = 0; i < run->container_count; i++)
        if (strcmp(run->containers[i].name, name) == 0)
            return &run->containers[i];
    return NULL;
}

/* Only so many runs fail, when the script says so. */
int64_t pod_run_exit_code(const struct pod_run *run)
{
    const struct pod_container *main = pod_run_main(run);

    if (run->script.fail_times > 0 && main != NULL && main->restarts >= run->script.fail_times)
        return 0;
    return run->script.exit_code;
}

enum kubelet_ending pod_run_ending(const struct pod_run *run)
{
    return run->recovered ? KUBELET_EXITS : run->script.ending;
}

int64_t pod_run_length(const struct pod_run *run)
{
    const struct kubelet_script *script = &run->script;

    if (script->ending == KUBELET_HANGS)
        return INT64_MAX;
    if (script->run_us != KUBELET_RUN_DEFAULT)
        return script->run_us;
    /* What is to be kept running runs for ever, unless it is told otherwise. */
    return run->restarts == RESTART_ALWAYS && pod_run_ending(run) == KUBELET_EXITS &&
                   pod_run_exit_code(run) == 0
               ? INT64_MAX
               : KUBELET_RUN_US;
}

int64_t pod_run_due(const struct pod_run *run)
{
    const int64_t others[] = {run->stop_elapsed_us, run->deadline_elapsed_us, run->ready_elapsed_us,
                              run->log_elapsed_us,  run->back_elapsed_us,     run->gone_elapsed_us};
    int64_t due_us = run->next_elapsed_us;

    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        due_us = others[i] < due_us ? others[i] : due_us;
    return due_us;
}

/* --- containers --- */

void pod_container_wait(struct pod_container *container, const char *reason, char *message)
{
    if (container->state == CONTAINER_ENDED) {
        container->last = container->end;
        container->end = (struct container_end){0};
    }
    container->state = CONTAINER_WAITS;
    container->ready = false;
    container->waiting = reason;
    free(container->message);
    container->message = message;
}

void pod_container_start(struct pod_container *container, int64_t now_us)
{
    if (container->state == CONTAINER_ENDED)
        container->last = container->end;
    container->end = (struct container_end){0};
    container->state = CONTAINER_RUNS;
    container->started_at_us = now_us;
}

void pod_container_end(struct pod_container *container, const struct container_end *end)
{
    container->state = CONTAINER_ENDED;
    container->ready = false;
    container->end = *end;
    container->end.there = true;
    container->end.started_at_us = container->started_at_us;
}

/* --- logs --- */

void pod_run_write_log(struct pod_run *run, bool last, int64_t now_us)
{
    size_t end = last || run->line_count == 0 ? run->line_count : run->line_count - 1;

    while (run->lines_written < end)
        run->lines[run->lines_written++].at_us = now_us;
}

bool pod_run_write_line(struct pod_run *run, int64_t now_us)
{
    if (run->lines_written + 1 < run->line_count)
        run->lines[run->lines_written++].at_us = now_us;
    return run->lines_written + 1 < run->line_count;
}

void pod_run_turn_log(struct pod_run *run)
{
    free(run->previous);
    run->previous = NULL;
    run->previous_count = run->lines_written;
    if (run->lines_written > 0) {
        run->previous = xcalloc(run->lines_written, sizeof(*run->previous));
        memcpy(run->previous, run->lines, run->lines_written * sizeof(*run->previous));
    }
    run->lines_written = 0;
}

void pod_run_lose_log(struct pod_run *run, int64_t now_us)
{
    const struct pod_container *main = pod_run_main(run);

    free(run->previous);
    run->previous = NULL;
    run->previous_count = 0;
    free((char *)(uintptr_t)run->script.log);
    run->script.log = xprintf("unable to retrieve container logs for containerd://%s/%s\n",
                              run->uid, main == NULL ? "" : main->name);
    free(run->lines);
    run->lines = NULL;
    run->line_count = 0;
    run->lines_written = 0;
    split_log(run);
    pod_run_write_log(run, true, now_us);
}

/* --- a pod that runs already --- */

static struct container_end read_end(struct json_slice terminated)
{
    static const char *const known[] = {"OOMKilled", "Completed", "Error"};
    struct container_end end = {0};
    struct json_slice reason = json_slice_get(terminated, "reason");

    if (terminated.bytes == NULL || terminated.bytes[0] != '{')
        return end;
    end.there = true;
    end.exit_code = partial_int64(terminated, "exitCode", 0);
    end.says = json_slice_get(terminated, "message").bytes != NULL;
    end.started_at_us = partial_time(terminated, "startedAt");
    end.ended_at_us = partial_time(terminated, "finishedAt");
    for (size_t i = 0; i < ARRAY_SIZE(known); i++)
        if (partial_is(reason, known[i]))
            end.reason = known[i];
    return end;
}

static void restore_container(struct pod_container *container, struct json_slice status)
{
    struct json_slice state = json_slice_get(status, "state");
    struct json_slice running = json_slice_get(state, "running");

    container->restarts = partial_int64(status, "restartCount", 0);
    container->ready = partial_bool(status, "ready", false);
    container->last = read_end(json_slice_get(json_slice_get(status, "lastState"), "terminated"));
    container->end = read_end(json_slice_get(state, "terminated"));
    if (running.bytes != NULL) {
        container->state = CONTAINER_RUNS;
        container->started_at_us = partial_time(running, "startedAt");
    } else if (container->end.there) {
        container->state = CONTAINER_ENDED;
        container->started_at_us = container->end.started_at_us;
    }
}

static void restore_containers(struct pod_run *run, struct json_slice list)
{
    struct json_slice status;

    for (size_t next = 0; json_slice_next(list, &next, &status);) {
        char *name = json_slice_text(json_slice_get(status, "name"));

        for (size_t i = 0; i < run->container_count && name != NULL; i++)
            if (strcmp(run->containers[i].name, name) == 0)
                restore_container(&run->containers[i], status);
        free(name);
    }
}

/* A wall time on the elapsed clock. */
static int64_t elapsed_of(int64_t at_us, int64_t after_us, int64_t now_us, int64_t elapsed_us)
{
    return after_us == INT64_MAX ? INT64_MAX : elapsed_us + (at_us - now_us) + after_us;
}

/* The wait that follows so many restarts. */
static int64_t backoff_after(int64_t restarts)
{
    int64_t wait_us = restarts == 0 ? 0 : POD_BACKOFF_FIRST_US;

    for (int64_t i = 1; i < restarts && wait_us < POD_BACKOFF_LONGEST_US; i++)
        wait_us *= 2;
    return wait_us < POD_BACKOFF_LONGEST_US ? wait_us : POD_BACKOFF_LONGEST_US;
}

static void restore_state(struct pod_run *run, int64_t now_us, int64_t elapsed_us)
{
    struct pod_container *main = pod_run_main(run);

    if (main == NULL)
        return;
    run->backoff_us = backoff_after(main->restarts);
    if (main->state == CONTAINER_RUNS) {
        run->state = POD_RUNNING;
        run->next_elapsed_us =
            elapsed_of(main->started_at_us, pod_run_length(run), now_us, elapsed_us);
        pod_run_write_log(run, false, main->started_at_us);
        if (!main->ready)
            run->ready_elapsed_us =
                elapsed_of(main->started_at_us, run->script.ready_us, now_us, elapsed_us);
    } else if (main->last.there) {
        run->state = POD_CRASHED;
        run->next_elapsed_us =
            elapsed_of(main->last.ended_at_us, run->backoff_us, now_us, elapsed_us);
        run->backoff_us = backoff_after(main->restarts + 1);
        pod_container_wait(main, "CrashLoopBackOff", NULL);
    } else if (main->state == CONTAINER_ENDED) {
        run->state = POD_OUTLIVED;
        run->next_elapsed_us =
            elapsed_of(main->end.ended_at_us, run->script.others_run_us, now_us, elapsed_us);
        pod_run_write_log(run, true, main->end.ended_at_us);
    }
}

void pod_run_restore_ended(struct pod_run *run, const struct store_object *pod, int64_t now_us)
{
    struct json_slice status = store_object_status(pod);
    const struct pod_container *main;

    restore_containers(run, json_slice_get(status, "initContainerStatuses"));
    restore_containers(run, json_slice_get(status, "containerStatuses"));
    run->started_at_us = partial_time(status, "startTime");
    run->state = POD_ENDED;
    run->next_elapsed_us = INT64_MAX;
    main = pod_run_main(run);
    pod_run_write_log(run, true, main != NULL ? main->end.ended_at_us : now_us);
    if (run->script.log_gone)
        pod_run_lose_log(run, now_us);
}

void pod_run_restore(struct pod_run *run, const struct store_object *pod, int64_t now_us,
                     int64_t elapsed_us)
{
    struct json_slice status = store_object_status(pod);

    run->started_at_us = partial_time(status, "startTime");
    if (!run->bound || run->started_at_us == 0)
        return;
    restore_containers(run, json_slice_get(status, "initContainerStatuses"));
    restore_containers(run, json_slice_get(status, "containerStatuses"));
    run->state = POD_SCHEDULED;
    run->next_elapsed_us = elapsed_of(run->started_at_us, run->script.start_us, now_us, elapsed_us);
    if (run->deadline_seconds >= 0)
        run->deadline_elapsed_us = elapsed_of(
            run->started_at_us, run->deadline_seconds * US_PER_SECOND, now_us, elapsed_us);
    restore_state(run, now_us, elapsed_us);
}
