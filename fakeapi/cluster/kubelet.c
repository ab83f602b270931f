/* kubelet - scheduler and node in one. */
#include "fakeapi/cluster/kubelet.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet_parts.h"
#include "fakeapi/faults/glob.h"

static struct pod_run *find_run(const struct kubelet *kubelet, const char *uid)
{
    struct pod_run *run;

    HASH_FIND_STR(kubelet->runs, uid, run);
    return run;
}

int64_t kubelet_elapsed_us(const struct kubelet *kubelet)
{
    return runtime_elapsed_us(kubelet->context->rt);
}

int64_t kubelet_wall_us(const struct kubelet *kubelet)
{
    return runtime_wall_us(kubelet->context->rt);
}

struct store_resource *kubelet_pods(const struct kubelet *kubelet)
{
    return store_find_resource(kubelet->context->store, "", "pods");
}

const struct store_object *kubelet_pod(const struct kubelet *kubelet, const struct pod_run *run)
{
    const struct store_object *object = store_get(kubelet_pods(kubelet), run->namespace, run->name);

    return object == NULL || strcmp(object->uid, run->uid) != 0 ? NULL : object;
}

int64_t kubelet_later(int64_t now_us, int64_t delay_us)
{
    return delay_us > INT64_MAX - now_us ? INT64_MAX : now_us + delay_us;
}

/* --- scripts --- */

static bool fits(const char *pattern, const char *text)
{
    return pattern == NULL || glob_matches(pattern, text_or(text, ""));
}

static bool matches(const struct scripted *scripted, const struct store_object *pod)
{
    const struct kubelet_match *match = &scripted->match;
    const char *value;

    if (match->count != 0 && scripted->used >= match->count)
        return false;
    if (!fits(match->namespace, pod->namespace) || !fits(match->name, pod->name))
        return false;
    if (match->label == NULL)
        return true;
    value = store_object_label(pod, match->label);
    return value != NULL && fits(match->label_value, value);
}

/* Writes what the pod's annotations say over the script. */
static void annotate(struct kubelet_script *script, const struct store_object *pod)
{
    struct json_slice annotations = partial_slice(pod, "metadata", "annotations");
    struct json_object *tree = annotations.bytes == NULL ? NULL : json_slice_parse(annotations);

    kubelet_script_annotate(script, tree);
    json_object_put(tree);
}

static struct kubelet_script choose_script(struct kubelet *kubelet, const struct store_object *pod)
{
    struct kubelet_script script = KUBELET_SCRIPT_INIT;
    struct scripted *scripted;

    DL_FOREACH (kubelet->scripts, scripted) {
        if (!matches(scripted, pod))
            continue;
        scripted->used++;
        script = kubelet_script_copy(&scripted->script);
        break;
    }
    annotate(&script, pod);
    return script;
}

void kubelet_add_script(struct kubelet *kubelet, const struct kubelet_match *match,
                        const struct kubelet_script *script)
{
    struct scripted *scripted = xcalloc(1, sizeof(*scripted));

    scripted->match = (struct kubelet_match){
        .namespace = xstrdup(match->namespace),
        .name = xstrdup(match->name),
        .label = xstrdup(match->label),
        .label_value = xstrdup(match->label_value),
        .count = match->count,
    };
    scripted->script = kubelet_script_copy(script);
    DL_APPEND(kubelet->scripts, scripted);
}

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

void kubelet_clear_scripts(struct kubelet *kubelet)
{
    struct scripted *scripted;
    struct scripted *next;

    DL_FOREACH_SAFE(kubelet->scripts, scripted, next)
    {
        DL_DELETE(kubelet->scripts, scripted);
        free_text(scripted->match.namespace);
        free_text(scripted->match.name);
        free_text(scripted->match.label);
        free_text(scripted->match.label_value);
        kubelet_script_release(&scripted->script);
        free(scripted);
    }
}

/* --- one look --- */

static void wait_for_next(struct kubelet *kubelet, const struct pod_run *run)
{
    int64_t due_us = pod_run_due(run);

    if (due_us != INT64_MAX)
        due_queue_add(kubelet->queue, run->uid, due_us - kubelet_elapsed_us(kubelet));
}

static void work(void *arg, const char *uid)
{
    struct kubelet *kubelet = arg;
    struct pod_run *run = find_run(kubelet, uid);

    if (run == NULL || kubelet_pod(kubelet, run) == NULL)
        return;
    if (kubelet_step(kubelet, run))
        wait_for_next(kubelet, run);
    else
        due_queue_add(kubelet->queue, uid, CLUSTER_RETRY_US);
}

/* --- told of changes --- */

static bool has_ended(const struct store_object *pod)
{
    struct json_slice phase = json_slice_get(store_object_status(pod), "phase");

    return partial_is(phase, "Succeeded") || partial_is(phase, "Failed");
}

static bool has_log(const struct store_object *pod)
{
    struct json_slice annotations = partial_slice(pod, "metadata", "annotations");

    return json_slice_get(annotations, "fakeapi/log").bytes != NULL;
}

/* A pod that comes. One that is over when it comes has no life here, and of its log what its own
 * annotations say: the node has that still when the API server was away. */
static struct pod_run *take_in(struct kubelet *kubelet, const struct store_object *pod)
{
    struct kubelet_script script;
    struct pod_run *run;
    int64_t wall_us;
    int64_t elapsed_us;

    if (has_ended(pod) && !has_log(pod))
        return NULL;
    script = choose_script(kubelet, pod);
    run = pod_run_new(pod, &script, kubelet->next_number++);
    wall_us = kubelet_wall_us(kubelet);
    elapsed_us = kubelet_elapsed_us(kubelet);
    run->next_elapsed_us = kubelet_later(elapsed_us, kubelet->delay_us);
    if (has_ended(pod))
        pod_run_restore_ended(run, pod, wall_us);
    else
        pod_run_restore(run, pod, wall_us, elapsed_us);
    HASH_ADD_KEYPTR(hh, kubelet->runs, run->uid, strlen(run->uid), run);
    return run;
}

/* When a deleted pod must stop: a later, shorter deletion hurries it (X8). */
static void hurry(struct kubelet *kubelet, struct pod_run *run, const struct store_object *pod)
{
    struct json_slice metadata = partial_slice(pod, "metadata", NULL);
    int64_t grace_us = partial_int64(metadata, "deletionGracePeriodSeconds", 0) * US_PER_SECOND;
    int64_t stop_us =
        kubelet_later(kubelet_elapsed_us(kubelet),
                      run->script.stop_us < grace_us ? run->script.stop_us : grace_us);

    if (run->state == POD_ENDED || stop_us >= run->stop_elapsed_us)
        return;
    run->stop_elapsed_us = stop_us;
    run->stops_in_time = run->script.stop_us <= grace_us && grace_us > 0;
    for (size_t i = 0; i < run->container_count; i++)
        if (run->containers[i].state == CONTAINER_RUNS)
            kubelet_tell_stop(kubelet, run, &run->containers[i]);
}

static bool same_bytes(struct json_slice a, struct json_slice b)
{
    return a.size == b.size && (a.size == 0 || memcmp(a.bytes, b.bytes, a.size) == 0);
}

/* What the clock that never goes back said at a time of the wall clock. */
static int64_t elapsed_at(const struct kubelet *kubelet, int64_t at_wall_us)
{
    int64_t wall_us = kubelet_wall_us(kubelet);
    int64_t elapsed_us = kubelet_elapsed_us(kubelet);

    return elapsed_us - (wall_us - at_wall_us);
}

/* What a change of the pod's own annotations makes of a step that is armed. */
static void take_annotations(struct kubelet *kubelet, struct pod_run *run,
                             const struct store_object *pod, const struct store_object *old)
{
    const struct pod_container *main;
    struct kubelet_script script;

    if (same_bytes(partial_slice(pod, "metadata", "annotations"),
                   partial_slice(old, "metadata", "annotations")))
        return;
    script = kubelet_script_copy(&run->script);
    annotate(&script, pod);
    pod_run_set_script(run, &script);
    main = pod_run_main(run);
    if (run->state == POD_RUNNING && main != NULL)
        run->next_elapsed_us =
            kubelet_later(elapsed_at(kubelet, main->started_at_us), pod_run_length(run));
    else if (run->state == POD_SCHEDULED)
        run->next_elapsed_us =
            kubelet_later(elapsed_at(kubelet, run->started_at_us), run->script.start_us);
    else if (run->state == POD_STUCK && pod_run_ending(run) != KUBELET_IMAGE_PULL_FAILS)
        kubelet_set_state(run, POD_SCHEDULED, kubelet_elapsed_us(kubelet));
    else if (run->state == POD_UNSCHEDULED)
        kubelet_set_state(run, POD_NEW, kubelet_elapsed_us(kubelet));
}

/* A node was chosen by somebody else, a gate went, or the deadline was changed. */
static void take_spec(struct kubelet *kubelet, struct pod_run *run, const struct store_object *pod,
                      const struct store_object *old)
{
    if (same_bytes(store_object_spec(pod), store_object_spec(old)))
        return;
    pod_run_read_spec(run, pod);
    if (run->started_at_us != 0 && run->state != POD_ENDED && run->state != POD_LOST)
        run->deadline_elapsed_us = run->deadline_seconds < 0
                                       ? INT64_MAX
                                       : kubelet_later(elapsed_at(kubelet, run->started_at_us),
                                                       run->deadline_seconds * US_PER_SECOND);
    if (run->state == POD_UNSCHEDULED && (run->bound || !run->others_schedule))
        kubelet_set_state(run, POD_NEW, kubelet_elapsed_us(kubelet));
}

static void see_pod(struct kubelet *kubelet, const struct store_object *pod,
                    const struct store_object *old)
{
    struct pod_run *run = find_run(kubelet, pod->uid);

    if (run == NULL) {
        run = take_in(kubelet, pod);
    } else if (old != NULL) {
        take_spec(kubelet, run, pod, old);
        take_annotations(kubelet, run, pod, old);
    }
    if (run == NULL)
        return;
    if (pod->deleting)
        hurry(kubelet, run, pod);
    wait_for_next(kubelet, run);
}

static void see_gone(struct kubelet *kubelet, const struct store_object *pod)
{
    struct pod_run *run = find_run(kubelet, pod->uid);

    if (run == NULL)
        return;
    due_queue_remove(kubelet->queue, run->uid);
    HASH_DEL(kubelet->runs, run);
    pod_run_free(run);
}

/* The node takes pods again, perhaps: those that none took are looked at, in the order of their
 * coming. */
static void see_node(struct kubelet *kubelet)
{
    struct pod_run *run;

    for (run = kubelet->runs; run != NULL; run = run->hh.next) {
        if (run->state != POD_UNSCHEDULED || run->others_schedule ||
            pod_run_ending(run) == KUBELET_NEVER_SCHEDULED)
            continue;
        kubelet_set_state(run, POD_NEW, kubelet_elapsed_us(kubelet));
        wait_for_next(kubelet, run);
    }
}

void kubelet_see(struct kubelet *kubelet, struct store_resource *resource,
                 const struct store_object *object)
{
    if (cluster_is_resource(resource, "", "pods"))
        see_pod(kubelet, object, NULL);
}

void kubelet_note(struct kubelet *kubelet, const struct store_event *event)
{
    if (cluster_is_resource(event->resource, "", "nodes") &&
        (event->old == NULL ||
         !same_bytes(store_object_spec(event->object), store_object_spec(event->old))))
        see_node(kubelet);
    if (!cluster_is_resource(event->resource, "", "pods"))
        return;
    if (event->change == STORE_DELETED)
        see_gone(kubelet, event->object);
    else
        see_pod(kubelet, event->object, event->old);
}

void kubelet_pause(struct kubelet *kubelet)
{
    due_queue_clear(kubelet->queue);
}

/* --- logs --- */

/* Which run of the container a log is of: the number of its restarts before. */
static bool read_previous(const struct pod_run *run, const struct pod_container *container,
                          struct rest_log *ret_log)
{
    bool waits = container->state == CONTAINER_WAITS;

    if (!container->last.there)
        return false;
    *ret_log = (struct rest_log){
        .lines = waits ? run->lines : run->previous,
        .line_count = waits ? run->lines_written : run->previous_count,
        .ended = true,
        .run = (uint64_t)container->restarts - (waits ? 0 : 1),
    };
    return true;
}

static bool read_log(void *arg, const char *pod_uid, const char *name, bool previous,
                     struct rest_log *ret_log)
{
    const struct kubelet *kubelet = arg;
    const struct pod_run *run = find_run(kubelet, pod_uid);
    const struct pod_container *container = run == NULL ? NULL : pod_run_container(run, name);
    bool ok;

    if (container == NULL)
        return false;
    ok = previous || container->state == CONTAINER_WAITS;
    if (ok) {
        ok = read_previous(run, container, ret_log);
    } else {
        *ret_log = (struct rest_log){.lines = run->lines,
                                     .line_count = run->lines_written,
                                     .ended = container->state == CONTAINER_ENDED &&
                                              run->log_elapsed_us == INT64_MAX,
                                     .run = (uint64_t)container->restarts};
        ok = true;
    }
    if (container != pod_run_main(run))
        ret_log->line_count = 0;
    return ok;
}

static const struct rest_log_source log_source = {read_log};

static const char *step_of(const void *arg, const struct store_resource *resource,
                           const struct store_object *object, int64_t *due_elapsed_us)
{
    const struct kubelet *kubelet = arg;
    const struct pod_run *run = find_run(kubelet, object->uid);

    (void)resource;
    if (run == NULL)
        return "start";
    if (pod_run_due(run) != INT64_MAX && pod_run_due(run) > *due_elapsed_us)
        *due_elapsed_us = pod_run_due(run); /* it was made longer since */
    return kubelet_step_name(run);
}

void kubelet_list(const struct kubelet *kubelet, struct waiting *waiting)
{
    waiting_add_uids(waiting, "kubelet", kubelet->queue, step_of, kubelet);
}

struct kubelet *kubelet_new(const struct cluster_context *context, int64_t delay_us)
{
    struct kubelet *kubelet = xcalloc(1, sizeof(*kubelet));

    kubelet->context = context;
    kubelet->delay_us = delay_us;
    kubelet->queue = due_queue_new(context->rt, work, kubelet);
    rest_set_log_source(context->rest, &log_source, kubelet);
    return kubelet;
}

void kubelet_free(struct kubelet *kubelet)
{
    struct pod_run *run;
    struct pod_run *next;

    if (kubelet == NULL)
        return;
    HASH_ITER (hh, kubelet->runs, run, next) {
        HASH_DEL(kubelet->runs, run);
        pod_run_free(run);
    }
    rest_set_log_source(kubelet->context->rest, NULL, NULL);
    kubelet_clear_scripts(kubelet);
    due_queue_free(kubelet->queue);
    free(kubelet);
}
