/* kubelet - scheduler and node in one. */
#include "fakeapi/cluster/kubelet.h"

#include <assert.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/cluster/pod_run.h"
#include "fakeapi/cluster/pod_status.h"
#include "fakeapi/faults/glob.h"

#define ACTOR "kubelet"

/* Exit codes of a container that was told to stop, and of one that was killed. */
#define EXIT_TERMINATED 143
#define EXIT_KILLED 137

struct scripted {
    struct kubelet_match match; /* its texts are of this entry */
    struct kubelet_script script;
    uint64_t used;
    struct scripted *prev;
    struct scripted *next;
};

struct kubelet {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of uids */
    struct pod_run *runs;    /* by uid */
    struct scripted *scripts;
    uint64_t next_number;
};

static int64_t elapsed(const struct kubelet *kubelet)
{
    return runtime_elapsed_us(kubelet->context->rt);
}

static int64_t wall(const struct kubelet *kubelet)
{
    return runtime_wall_us(kubelet->context->rt);
}

static struct store_resource *pods(const struct kubelet *kubelet)
{
    return store_find_resource(kubelet->context->store, "", "pods");
}

static struct pod_run *find_run(const struct kubelet *kubelet, const char *uid)
{
    struct pod_run *run;

    HASH_FIND_STR(kubelet->runs, uid, run);
    return run;
}

/* The pod as it is now; NULL when it is gone. Borrowed. */
static const struct store_object *pod_of(const struct kubelet *kubelet, const struct pod_run *run)
{
    const struct store_object *object = store_get(pods(kubelet), run->namespace, run->name);

    return object == NULL || strcmp(object->uid, run->uid) != 0 ? NULL : object;
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

static struct kubelet_script choose_script(struct kubelet *kubelet, const struct store_object *pod)
{
    struct json_slice annotations = partial_slice(pod, "metadata", "annotations");
    struct json_object *tree = annotations.bytes == NULL ? NULL : json_slice_parse(annotations);
    struct kubelet_script script = KUBELET_SCRIPT_INIT;
    struct scripted *scripted;

    DL_FOREACH (kubelet->scripts, scripted) {
        if (!matches(scripted, pod))
            continue;
        scripted->used++;
        script = kubelet_script_copy(&scripted->script);
        break;
    }
    kubelet_script_annotate(&script, tree);
    json_object_put(tree);
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

/* --- states --- */

/* What a state may become. */
static const bool moves[][POD_ENDED + 1] = {
    [POD_NEW] = {[POD_SCHEDULED] = true, [POD_STUCK] = true, [POD_ENDED] = true},
    [POD_SCHEDULED] = {[POD_STUCK] = true,    [POD_RUNNING] = true, [POD_ENDED] = true},
    [POD_STUCK] = {[POD_ENDED] = true    },
    [POD_RUNNING] = {[POD_ENDED] = true   },
};

/* Goes over to a state that is over by itself at next_elapsed_us. */
static void set_state(struct pod_run *run, enum pod_state state, int64_t next_elapsed_us)
{
    assert(moves[run->state][state]);
    run->state = state;
    run->next_elapsed_us = next_elapsed_us;
}

static bool save_status(struct kubelet *kubelet, const struct pod_run *run,
                        const struct json_object *tree)
{
    const struct store_object *pod = pod_of(kubelet, run);

    return pod != NULL &&
           cluster_update(kubelet->context, ACTOR, pods(kubelet), pod, "status", tree);
}

/* A pod without its spec but for what its status needs of it. */
static struct json_object *partial_pod(const struct kubelet *kubelet, const struct pod_run *run)
{
    struct json_object *tree = partial_with_status(pod_of(kubelet, run));

    json_set(tree, "spec", json_object_get(run->containers));
    return tree;
}

static bool bind(struct kubelet *kubelet, const struct store_object *pod)
{
    struct json_object *patch = json_object_new_object();

    json_set_text(json_ensure_object(patch, "spec"), "nodeName", KUBELET_NODE);
    return cluster_patch(kubelet->context, ACTOR, pods(kubelet), pod, patch);
}

static int64_t later(int64_t now_us, int64_t delay_us)
{
    return delay_us > INT64_MAX - now_us ? INT64_MAX : now_us + delay_us;
}

/* Each step gives false when a write failed: it is tried again. */
static bool leave_unscheduled(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_object *tree = partial_pod(kubelet, run);
    bool ok;

    pod_status_unschedulable(tree, wall(kubelet));
    ok = save_status(kubelet, run, tree);
    if (ok)
        set_state(run, POD_STUCK, INT64_MAX);
    json_object_put(tree);
    return ok;
}

static bool schedule(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_object *tree;
    bool ok;

    if (run->script.ending == KUBELET_NEVER_SCHEDULED)
        return leave_unscheduled(kubelet, run);
    if (!run->bound && !bind(kubelet, pod_of(kubelet, run)))
        return false;
    run->bound = true;
    tree = partial_pod(kubelet, run);
    pod_status_scheduled(tree, wall(kubelet));
    ok = save_status(kubelet, run, tree);
    if (ok) {
        if (run->deadline_seconds >= 0)
            run->deadline_elapsed_us =
                later(elapsed(kubelet), run->deadline_seconds * US_PER_SECOND);
        set_state(run, POD_SCHEDULED, later(elapsed(kubelet), run->script.start_us));
    }
    json_object_put(tree);
    return ok;
}

static bool start(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_object *tree = partial_pod(kubelet, run);
    int64_t now_us = wall(kubelet);
    bool ok;

    if (run->script.ending == KUBELET_IMAGE_PULL_FAILS) {
        pod_status_image_pull(tree, run->container, now_us);
        ok = save_status(kubelet, run, tree);
        if (ok)
            set_state(run, POD_STUCK, INT64_MAX);
    } else {
        pod_status_running(tree, run->number, now_us);
        ok = save_status(kubelet, run, tree);
    }
    json_object_put(tree);
    if (!ok || run->state == POD_STUCK)
        return ok;
    run->started_at_us = now_us;
    pod_run_write_log(run, false, now_us);
    set_state(run, POD_RUNNING,
              run->script.ending == KUBELET_HANGS ? INT64_MAX
                                                  : later(elapsed(kubelet), run->script.run_us));
    rest_log_changed(kubelet->context->rest, run->uid);
    return true;
}

/* --- ends --- */

static struct pod_exit exit_by_script(const struct pod_run *run)
{
    struct pod_exit how = {.exit_code = run->script.exit_code};

    if (run->script.ending == KUBELET_OUT_OF_MEMORY) {
        how.exit_code = EXIT_KILLED;
        how.reason = "OOMKilled";
    } else if (run->script.ending == KUBELET_EVICTED) {
        how.exit_code = EXIT_KILLED;
        how.killed = true;
        how.pod_reason = "Evicted";
        how.pod_message = "The node was low on resource: memory.";
    }
    return how;
}

static bool end(struct kubelet *kubelet, struct pod_run *run, struct pod_exit how)
{
    struct json_object *tree = partial_pod(kubelet, run);
    bool by_itself = !how.killed && run->script.ending == KUBELET_EXITS;
    bool ok;

    how.container = run->container;
    how.statuses_missing = run->script.status_missing;
    how.started_at_us = run->started_at_us;
    how.ended_at_us = wall(kubelet);
    pod_status_ended(tree, &how);
    ok = save_status(kubelet, run, tree);
    json_object_put(tree);
    if (!ok)
        return false;
    run->ended_at_us = how.ended_at_us;
    pod_run_write_log(run, by_itself, how.ended_at_us);
    if (run->script.log_gone)
        pod_run_lose_log(run);
    set_state(run, POD_ENDED, INT64_MAX);
    run->deadline_elapsed_us = INT64_MAX;
    rest_log_changed(kubelet->context->rest, run->uid);
    return true;
}

/* The last word of the node on a deleted pod (K28): whoever holds finalizers may still keep it. */
static bool let_go(struct kubelet *kubelet, struct pod_run *run)
{
    const struct store_object *pod = pod_of(kubelet, run);
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = run->namespace, .name = run->name};
    const struct rest_delete_options options = {.uid = run->uid, .grace_given = true};
    struct error err = ERROR_INIT;

    if (pod == NULL || rest_delete(kubelet->context->rest, &target, &options, &err))
        return true;
    if (err.kind == ERROR_NOT_FOUND || err.kind == ERROR_CONFLICT)
        return true;
    cluster_log_failure(kubelet->context, ACTOR, pod, &err);
    return false;
}

/* Its time to stop has come. */
static bool stop(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_exit how = {.exit_code = run->stops_in_time ? EXIT_TERMINATED : EXIT_KILLED,
                           .killed = true};

    if (run->state == POD_RUNNING && !end(kubelet, run, how))
        return false;
    if (!let_go(kubelet, run))
        return false;
    run->stop_elapsed_us = INT64_MAX;
    if (run->state != POD_ENDED)
        set_state(run, POD_ENDED, INT64_MAX);
    return true;
}

static bool run_out(struct kubelet *kubelet, struct pod_run *run)
{
    struct pod_exit how = {
        .exit_code = EXIT_KILLED,
        .killed = true,
        .pod_reason = "DeadlineExceeded",
        .pod_message = "Pod was active on the node longer than the specified deadline",
    };

    return end(kubelet, run, how);
}

/* --- one look --- */

/* Takes the step that is due; true when that went well, or none is. */
static bool take_step(struct kubelet *kubelet, struct pod_run *run)
{
    int64_t now_us = elapsed(kubelet);

    if (run->stop_elapsed_us <= now_us)
        return stop(kubelet, run);
    if (run->deadline_elapsed_us <= now_us && run->state != POD_ENDED)
        return run_out(kubelet, run);
    if (run->next_elapsed_us > now_us)
        return true;
    switch (run->state) {
    case POD_NEW:
        return schedule(kubelet, run);
    case POD_SCHEDULED:
        return start(kubelet, run);
    case POD_RUNNING:
        return end(kubelet, run, exit_by_script(run));
    case POD_STUCK:
    case POD_ENDED:
        break;
    }
    return true;
}

static void work(void *arg, const char *uid)
{
    struct kubelet *kubelet = arg;
    struct pod_run *run = find_run(kubelet, uid);
    int64_t due_us;

    if (run == NULL || pod_of(kubelet, run) == NULL)
        return;
    if (!take_step(kubelet, run)) {
        due_queue_add(kubelet->queue, uid, CLUSTER_RETRY_US);
        return;
    }
    due_us = pod_run_due(run);
    if (due_us != INT64_MAX)
        due_queue_add(kubelet->queue, uid, due_us - elapsed(kubelet));
}

/* --- told of changes --- */

static bool has_ended(const struct store_object *pod)
{
    struct json_slice phase = partial_slice(pod, "status", "phase");

    return partial_is(phase, "Succeeded") || partial_is(phase, "Failed");
}

static void add_text(struct json_object *entry, struct json_slice container, const char *key)
{
    char *text = json_slice_text(json_slice_get(container, key));

    json_set_text(entry, key, text_or(text, ""));
    free(text);
}

/* Name and image of each container of a list. */
static struct json_object *slim(struct json_slice containers)
{
    struct json_object *list = json_object_new_array();
    struct json_slice container;
    size_t next = 0;

    while (json_slice_next(containers, &next, &container)) {
        struct json_object *entry = json_object_new_object();

        add_text(entry, container, "name");
        add_text(entry, container, "image");
        json_add(list, entry);
    }
    return list;
}

/* What is needed of its spec later. */
static void read_spec(struct pod_run *run, const struct store_object *pod)
{
    struct json_slice spec = store_object_spec(pod);
    struct json_object *tree = json_object_new_object();
    int64_t seconds = partial_int64(spec, "activeDeadlineSeconds", -1);
    struct json_slice node = json_slice_get(spec, "nodeName");

    run->containers = json_object_new_object();
    json_set(run->containers, "containers", slim(json_slice_get(spec, "containers")));
    json_set(run->containers, "initContainers", slim(json_slice_get(spec, "initContainers")));
    json_set(tree, "spec", json_object_get(run->containers));
    run->container = xstrdup(pod_status_container(tree, run->script.container));
    json_object_put(tree);
    run->bound = node.bytes != NULL && !partial_is(node, "");
    run->deadline_seconds = seconds < INT64_MAX / US_PER_SECOND ? seconds : -1;
}

/* A pod that comes. One that is over when it comes has no life here, and no log. */
static struct pod_run *take_in(struct kubelet *kubelet, const struct store_object *pod)
{
    struct kubelet_script script;
    struct pod_run *run;

    if (has_ended(pod))
        return NULL;
    script = choose_script(kubelet, pod);
    run = pod_run_new(pod->uid, pod->namespace, pod->name, &script, kubelet->next_number++);
    read_spec(run, pod);
    run->next_elapsed_us = later(elapsed(kubelet), kubelet->delay_us);
    HASH_ADD_KEYPTR(hh, kubelet->runs, run->uid, strlen(run->uid), run);
    return run;
}

/* When a deleted pod must stop: a later, shorter deletion hurries it (X8). */
static void hurry(struct kubelet *kubelet, struct pod_run *run, const struct store_object *pod)
{
    struct json_slice metadata = partial_slice(pod, "metadata", NULL);
    int64_t grace_us = partial_int64(metadata, "deletionGracePeriodSeconds", 0) * US_PER_SECOND;
    int64_t stop_us =
        later(elapsed(kubelet), run->script.stop_us < grace_us ? run->script.stop_us : grace_us);

    if (run->state == POD_ENDED || stop_us >= run->stop_elapsed_us)
        return;
    run->stop_elapsed_us = stop_us;
    run->stops_in_time = run->script.stop_us <= grace_us && grace_us > 0;
}

static void see_pod(struct kubelet *kubelet, const struct store_object *pod)
{
    struct pod_run *run = find_run(kubelet, pod->uid);

    if (run == NULL)
        run = take_in(kubelet, pod);
    if (run == NULL)
        return;
    if (pod->deleting)
        hurry(kubelet, run, pod);
    if (pod_run_due(run) != INT64_MAX)
        due_queue_add(kubelet->queue, run->uid, pod_run_due(run) - elapsed(kubelet));
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

void kubelet_see(struct kubelet *kubelet, struct store_resource *resource,
                 const struct store_object *object)
{
    if (cluster_is_resource(resource, "", "pods"))
        see_pod(kubelet, object);
}

void kubelet_note(struct kubelet *kubelet, const struct store_event *event)
{
    if (!cluster_is_resource(event->resource, "", "pods"))
        return;
    if (event->change == STORE_DELETED)
        see_gone(kubelet, event->object);
    else
        see_pod(kubelet, event->object);
}

void kubelet_pause(struct kubelet *kubelet)
{
    due_queue_clear(kubelet->queue);
}

/* --- logs --- */

static bool read_log(void *arg, const char *pod_uid, const char *container, bool previous,
                     struct rest_log *ret_log)
{
    const struct kubelet *kubelet = arg;
    const struct pod_run *run = find_run(kubelet, pod_uid);
    bool is_scripted;

    if (run == NULL || previous || (run->state != POD_RUNNING && run->state != POD_ENDED) ||
        run->started_at_us == 0)
        return false;
    is_scripted = strcmp(container, run->container) == 0;
    *ret_log = (struct rest_log){
        .lines = run->lines,
        .line_count = is_scripted ? run->lines_written : 0,
        .ended = run->state == POD_ENDED,
    };
    return true;
}

static const struct rest_log_source log_source = {read_log};

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
