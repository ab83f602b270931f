/* job_controller - makes pods from Jobs and counts how they end.
 *
 * Source: kubernetes pkg/controller/job. Observe (view), decide (job_decide), act: pods first, then
 * the status, in the order of K13: what is uncounted, the finalizers, the counters. */
#include "fakeapi/cluster/job_controller.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/job_decide.h"
#include "fakeapi/cluster/work_queue.h"

#define ACTOR "job-controller"
#define TRACKING_FINALIZER "batch.kubernetes.io/job-tracking"
#define MANAGED_BY "kubernetes.io/job-controller"

/* Failed pods of a Job since one of its pods succeeded: how long to wait for the next (K16). It is
 * memory of the controller alone, as on a real cluster. */
struct backoff {
    char *uid;
    int64_t failures;
    int64_t last_at_us;
    UT_hash_handle hh;
};

struct job_controller {
    struct backoff *backoffs; /* by the Job's uid */
    const struct cluster_context *context;
    int64_t delay_us;
    struct work_queue *queue; /* of uids: of Jobs, and of pods whose Job is gone */
};

/* One of a Job's pods. */
struct job_pod {
    struct store_object *object; /* held */
    bool succeeded;
    bool failed; /* also: on its way out without having succeeded */
    bool ended;  /* terminal phase */
    bool ready;
    bool tracked;   /* has the finalizer */
    bool uncounted; /* its end is not in the counters yet */
    int64_t ended_at_us;
};

/* One look at a Job. */
struct job_sync {
    struct job_controller *controller;
    struct store_resource *jobs;
    struct store_resource *pods_resource;
    struct store_object *job; /* held */
    struct json_object *tree; /* of the job; its status is written into */
    struct json_object *status;
    struct job_pod *pods; /* in the order of their coming */
    size_t pod_count;
    int64_t now_us;
    struct job_view view;
    int64_t new_succeeded;
    int64_t new_failed;
};

/* --- observing --- */

static const struct store_owner *controller_owner(const struct store_object *pod)
{
    for (size_t i = 0; i < pod->owner_count; i++)
        if (pod->owners[i].controller)
            return &pod->owners[i];
    return NULL;
}

static int64_t end_of(const struct json_object *tree)
{
    const struct json_object *statuses = json_walk(tree, "status", "containerStatuses", NULL);
    int64_t latest_us = 0;

    for (size_t i = 0; statuses != NULL && i < json_object_array_length(statuses); i++) {
        const struct json_object *ended =
            json_walk(json_object_array_get_idx(statuses, i), "state", "terminated", NULL);
        int64_t at_us = cluster_get_time(ended, "finishedAt");

        latest_us = at_us > latest_us ? at_us : latest_us;
    }
    return latest_us;
}

static void read_pod(struct job_pod *pod, const struct store_object *object, int64_t now_us)
{
    struct json_object *tree = store_object_parse(object);
    const char *phase = json_get_text(json_get(tree, "status"), "phase");

    pod->object = store_object_ref(object);
    pod->succeeded = text_equal(phase, "Succeeded");
    pod->ended = pod->succeeded || text_equal(phase, "Failed");
    pod->failed = !pod->succeeded && (pod->ended || object->deleting);
    pod->ready = cluster_condition_holds(tree, "Ready");
    pod->tracked = store_object_has_finalizer(object, TRACKING_FINALIZER);
    pod->ended_at_us = end_of(tree);
    if (pod->ended_at_us == 0)
        pod->ended_at_us = now_us;
    json_object_put(tree);
}

static void read_pods(struct job_sync *sync)
{
    const struct owner_index *index = sync->controller->context->index;
    size_t count;
    char **uids = owner_index_dependents(index, sync->job->uid, &count);

    sync->pods = xcalloc(count, sizeof(*sync->pods));
    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(index, uids[i]);
        const struct store_object *object = NULL;
        const struct store_owner *owner = NULL;

        if (node != NULL && node->resource == sync->pods_resource)
            object = owner_node_object(node);
        if (object != NULL)
            owner = controller_owner(object);
        if (owner != NULL && strcmp(owner->uid, sync->job->uid) == 0)
            read_pod(&sync->pods[sync->pod_count++], object, sync->now_us);
    }
    owner_uids_free(uids, count);
}

static bool holds_text(const struct json_object *list, const char *text)
{
    for (size_t i = 0; json_is(list, json_type_array) && i < json_object_array_length(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), text))
            return true;
    return false;
}

static size_t count_of(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

/* The ends that are not in the counters: left over from a look that did not come to its end, and
 * those of tracked pods that ended since. */
static void find_uncounted(struct job_sync *sync)
{
    const struct json_object *uncounted = json_get(sync->status, "uncountedTerminatedPods");
    const struct json_object *succeeded = json_get(uncounted, "succeeded");
    const struct json_object *failed = json_get(uncounted, "failed");

    sync->new_succeeded = (int64_t)count_of(succeeded);
    sync->new_failed = (int64_t)count_of(failed);
    for (size_t i = 0; i < sync->pod_count; i++) {
        struct job_pod *pod = &sync->pods[i];

        if (!pod->tracked || (!pod->succeeded && !pod->failed))
            continue;
        pod->uncounted = true;
        if (!holds_text(succeeded, pod->object->uid) && !holds_text(failed, pod->object->uid)) {
            sync->new_succeeded += pod->succeeded;
            sync->new_failed += pod->failed;
        }
    }
}

static struct backoff *find_backoff(struct job_controller *controller, const char *uid)
{
    struct backoff *backoff;

    HASH_FIND_STR(controller->backoffs, uid, backoff);
    return backoff;
}

static void forget_backoff(struct job_controller *controller, const char *uid)
{
    struct backoff *backoff = find_backoff(controller, uid);

    if (backoff == NULL)
        return;
    HASH_DEL(controller->backoffs, backoff);
    free(backoff->uid);
    free(backoff);
}

/* Takes in the ends that were not known before. */
static void note_failures(struct job_sync *sync, int64_t failures, int64_t last_at_us)
{
    struct backoff *backoff = find_backoff(sync->controller, sync->job->uid);

    if (backoff == NULL && failures > 0) {
        backoff = xcalloc(1, sizeof(*backoff));
        backoff->uid = xstrdup(sync->job->uid);
        HASH_ADD_KEYPTR(hh, sync->controller->backoffs, backoff->uid, strlen(backoff->uid),
                        backoff);
    }
    if (backoff == NULL)
        return;
    backoff->failures += failures;
    if (last_at_us > backoff->last_at_us)
        backoff->last_at_us = last_at_us;
    sync->view.failures_in_row = backoff->failures;
    sync->view.last_failure_at_us = backoff->last_at_us;
}

static void find_failures_in_row(struct job_sync *sync)
{
    int64_t success_at_us = -1;
    int64_t last_at_us = 0;
    int64_t failures = 0;

    for (size_t i = 0; i < sync->pod_count; i++)
        if (sync->pods[i].uncounted && sync->pods[i].succeeded &&
            sync->pods[i].ended_at_us > success_at_us)
            success_at_us = sync->pods[i].ended_at_us;
    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];

        if (!pod->uncounted || !pod->failed || pod->ended_at_us <= success_at_us)
            continue;
        failures++;
        last_at_us = pod->ended_at_us > last_at_us ? pod->ended_at_us : last_at_us;
    }
    if (success_at_us >= 0)
        forget_backoff(sync->controller, sync->job->uid);
    note_failures(sync, failures, last_at_us);
}

static void read_view(struct job_sync *sync)
{
    const struct json_object *spec = json_get(sync->tree, "spec");
    struct job_view *view = &sync->view;

    view->suspend = json_get_bool(spec, "suspend", false);
    view->parallelism = json_get_int64(spec, "parallelism", 1);
    view->completions = json_get_int64(spec, "completions", -1);
    view->backoff_limit = json_get_int64(spec, "backoffLimit", 6);
    view->deadline_seconds = json_get_int64(spec, "activeDeadlineSeconds", -1);
    view->started_at_us = cluster_get_time(sync->status, "startTime");
    view->success_decided = cluster_condition_holds(sync->tree, "SuccessCriteriaMet");
    view->failure_decided = cluster_condition_holds(sync->tree, "FailureTarget");
    find_uncounted(sync);
    view->succeeded = json_get_int64(sync->status, "succeeded", 0) + sync->new_succeeded;
    view->failed = json_get_int64(sync->status, "failed", 0) + sync->new_failed;
    view->failed_now = sync->new_failed > 0;
    for (size_t i = 0; i < sync->pod_count; i++) {
        bool ended = sync->pods[i].ended;
        bool deleting = sync->pods[i].object->deleting;

        view->active += !ended && !deleting;
        view->terminating += !ended && deleting;
    }
    find_failures_in_row(sync);
}

/* --- acting on pods --- */

static void set_owner(struct json_object *metadata, const struct store_object *job)
{
    struct json_object *owners = json_object_new_array();
    struct json_object *owner = json_object_new_object();

    json_set_text(owner, "apiVersion", "batch/v1");
    json_set_text(owner, "kind", "Job");
    json_set_text(owner, "name", job->name);
    json_set_text(owner, "uid", job->uid);
    json_set_bool(owner, "controller", true);
    json_set_bool(owner, "blockOwnerDeletion", true);
    json_add(owners, owner);
    json_set(metadata, "ownerReferences", owners);
}

/* A pod as the template has it (K11). */
static struct json_object *pod_of(const struct job_sync *sync)
{
    const struct json_object *template = json_walk(sync->tree, "spec", "template", NULL);
    struct json_object *pod = json_object_new_object();
    struct json_object *metadata = json_object_new_object();
    struct json_object *finalizers = json_object_new_array();
    char *prefix = xprintf("%s-", sync->job->name);

    json_set_text(metadata, "generateName", prefix);
    for (size_t i = 0; i < 2; i++) {
        const char *key = i == 0 ? "labels" : "annotations";
        const struct json_object *value = json_walk(template, "metadata", key, NULL);

        if (value != NULL)
            json_set(metadata, key, json_copy(value));
    }
    json_add(finalizers, json_object_new_string(TRACKING_FINALIZER));
    json_set(metadata, "finalizers", finalizers);
    set_owner(metadata, sync->job);
    json_set(pod, "metadata", metadata);
    json_set(pod, "spec", json_copy(json_get(template, "spec")));
    free(prefix);
    return pod;
}

/* A namespace on its way out takes no more: the Job goes with it. */
static void create_pods(struct job_sync *sync, int64_t count)
{
    const struct cluster_context *context = sync->controller->context;
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = sync->job->namespace};
    struct json_object *pod = count > 0 ? pod_of(sync) : NULL;
    struct error err = ERROR_INIT;

    for (int64_t i = 0; i < count; i++) {
        if (!rest_create(context->rest, &target, pod, NULL, &err)) {
            cluster_log_failure(context, ACTOR, sync->job, &err);
            if (err.kind != ERROR_DENIED)
                work_queue_add(sync->controller->queue, sync->job->uid, CLUSTER_RETRY_US);
            break;
        }
        sync->view.active++;
    }
    json_object_put(pod);
}

static void delete_pods(struct job_sync *sync, int64_t count)
{
    for (size_t i = sync->pod_count; i > 0 && count > 0; i--) {
        struct job_pod *pod = &sync->pods[i - 1];

        if (pod->ended || pod->object->deleting)
            continue;
        count--;
        if (cluster_delete(sync->controller->context, ACTOR, sync->pods_resource, pod->object,
                           REST_BACKGROUND)) {
            sync->view.active--;
            sync->view.terminating++;
        }
    }
}

/* Lets go of the pods whose end is about to be counted; false when one could not be. */
static bool release_pods(struct job_sync *sync)
{
    bool ok = true;

    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        const struct store_object *now =
            store_get(sync->pods_resource, pod->object->namespace, pod->object->name);

        if (pod->uncounted && now != NULL && strcmp(now->uid, pod->object->uid) == 0)
            ok = cluster_remove_finalizer(sync->controller->context, ACTOR, sync->pods_resource,
                                          now, TRACKING_FINALIZER) &&
                 ok;
    }
    return ok;
}

/* --- the status --- */

static void set_count(struct json_object *status, const char *key, int64_t count)
{
    if (count == 0)
        json_object_object_del(status, key);
    else
        json_set_int64(status, key, count);
}

static void condition(struct job_sync *sync, const char *type, const char *reason,
                      const char *message)
{
    cluster_set_condition(sync->tree, type, "True", reason, message, true, sync->now_us);
}

/* Started, suspended, resumed (K13, K18). */
static void write_start(struct job_sync *sync, const struct job_decision *decision)
{
    bool was_suspended = cluster_condition_holds(sync->tree, "Suspended");

    if (decision->verdict == JOB_SUSPENDED) {
        if (!was_suspended)
            condition(sync, "Suspended", job_verdict_reason(JOB_SUSPENDED),
                      job_verdict_message(JOB_SUSPENDED));
        json_object_object_del(sync->status, "startTime");
        return;
    }
    if (was_suspended && !sync->view.suspend)
        cluster_set_condition(sync->tree, "Suspended", "False", "JobResumed", "Job resumed", true,
                              sync->now_us);
    if (json_get(sync->status, "startTime") == NULL && !sync->view.suspend)
        cluster_set_time(sync->status, "startTime", sync->now_us);
}

static void write_uncounted(struct job_sync *sync)
{
    struct json_object *uncounted = json_ensure_object(sync->status, "uncountedTerminatedPods");

    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        const char *key = pod->succeeded ? "succeeded" : "failed";
        struct json_object *list = json_get(uncounted, key);

        if (!pod->uncounted || holds_text(list, pod->object->uid))
            continue;
        if (list == NULL) {
            list = json_object_new_array();
            json_set(uncounted, key, list);
        }
        json_add(list, json_object_new_string(pod->object->uid));
    }
}

/* The decision is told before it is final (K14, K15). */
static void write_verdict(struct job_sync *sync, const struct job_decision *decision)
{
    const char *reason = job_verdict_reason(decision->verdict);
    const char *message = job_verdict_message(decision->verdict);

    if (decision->verdict == JOB_SUCCEEDS && !sync->view.success_decided)
        condition(sync, "SuccessCriteriaMet", reason, message);
    if (decision->verdict == JOB_FAILS_BACKOFF || decision->verdict == JOB_FAILS_DEADLINE)
        condition(sync, "FailureTarget", reason, message);
}

static void write_end(struct job_sync *sync, const struct job_decision *decision)
{
    const char *type = decision->verdict == JOB_SUCCEEDS ? "SuccessCriteriaMet" : "FailureTarget";
    const struct json_object *target = cluster_condition(sync->tree, type);
    char *reason = xstrdup(json_get_text(target, "reason"));
    char *message = xstrdup(json_get_text(target, "message"));

    condition(sync, decision->verdict == JOB_SUCCEEDS ? "Complete" : "Failed", reason, message);
    if (decision->verdict == JOB_SUCCEEDS)
        cluster_set_time(sync->status, "completionTime", sync->now_us);
    free(message);
    free(reason);
}

static bool save(struct job_sync *sync)
{
    const struct store_object *now = store_get(sync->jobs, sync->job->namespace, sync->job->name);

    if (now == NULL || strcmp(now->uid, sync->job->uid) != 0)
        return false;
    return cluster_update(sync->controller->context, ACTOR, sync->jobs, now, "status", sync->tree);
}

/* The tree's resourceVersion follows the writes of this look. */
static bool reread(struct job_sync *sync)
{
    const struct store_object *now = store_get(sync->jobs, sync->job->namespace, sync->job->name);
    struct json_object *fresh;

    if (now == NULL || strcmp(now->uid, sync->job->uid) != 0)
        return false;
    fresh = store_object_parse(now);
    json_set(fresh, "status", json_copy(json_get(sync->tree, "status")));
    json_object_put(sync->tree);
    sync->tree = fresh;
    sync->status = json_ensure_object(fresh, "status");
    return true;
}

static void write_counts(struct job_sync *sync)
{
    int64_t ready = 0;

    for (size_t i = 0; i < sync->pod_count; i++)
        ready += sync->pods[i].ready && !sync->pods[i].ended && !sync->pods[i].object->deleting;
    set_count(sync->status, "active", sync->view.active);
    json_set_int64(sync->status, "ready", ready);
    json_set_int64(sync->status, "terminating", sync->view.terminating);
}

static bool write_status(struct job_sync *sync, const struct job_decision *decision)
{
    write_start(sync, decision);
    write_counts(sync);
    write_verdict(sync, decision);
    write_uncounted(sync);
    if (sync->new_succeeded + sync->new_failed > 0) {
        if (!save(sync) || !release_pods(sync) || !reread(sync))
            return false;
        json_set(sync->status, "uncountedTerminatedPods", json_object_new_object());
        set_count(sync->status, "succeeded", sync->view.succeeded);
        set_count(sync->status, "failed", sync->view.failed);
    }
    if (decision->over)
        write_end(sync, decision);
    return save(sync);
}

/* --- one look --- */

static void act(struct job_sync *sync)
{
    struct job_decision decision = job_decide(&sync->view, sync->now_us);

    delete_pods(sync, decision.remove);
    if (!sync->job->deleting)
        create_pods(sync, decision.create);
    if (!write_status(sync, &decision))
        work_queue_add(sync->controller->queue, sync->job->uid, CLUSTER_RETRY_US);
    if (sync->view.started_at_us == 0 && sync->view.deadline_seconds >= 0 &&
        decision.verdict == JOB_RUNS)
        decision.wake_at_us = sync->now_us + sync->view.deadline_seconds * US_PER_SECOND;
    if (decision.wake_at_us != INT64_MAX)
        work_queue_add(sync->controller->queue, sync->job->uid, decision.wake_at_us - sync->now_us);
}

static bool is_ours(const struct json_object *tree)
{
    const char *manager = json_get_text(json_get(tree, "spec"), "managedBy");

    return manager == NULL || strcmp(manager, MANAGED_BY) == 0;
}

static bool has_finished(const struct json_object *tree)
{
    return cluster_condition_holds(tree, "Complete") || cluster_condition_holds(tree, "Failed");
}

static void sync_job(struct job_controller *controller, struct store_resource *jobs,
                     const struct store_object *job)
{
    struct job_sync sync = {.controller = controller, .jobs = jobs};

    sync.pods_resource = store_find_resource(controller->context->store, "", "pods");
    sync.job = store_object_ref(job);
    sync.tree = store_object_parse(job);
    sync.status = json_ensure_object(sync.tree, "status");
    sync.now_us = runtime_wall_us(controller->context->rt);
    if (is_ours(sync.tree) && !has_finished(sync.tree)) {
        read_pods(&sync);
        read_view(&sync);
        act(&sync);
    } else {
        forget_backoff(controller, job->uid);
    }
    for (size_t i = 0; i < sync.pod_count; i++)
        store_object_unref(sync.pods[i].object);
    free(sync.pods);
    json_object_put(sync.tree);
    store_object_unref(sync.job);
}

/* Lets a pod go whose Job is no more (K13). */
static void sync_pod(struct job_controller *controller, struct store_resource *pods,
                     const struct store_object *pod)
{
    const struct store_owner *owner = controller_owner(pod);

    if (owner != NULL && owner_index_find(controller->context->index, owner->uid) != NULL)
        return;
    if (!cluster_remove_finalizer(controller->context, ACTOR, pods, pod, TRACKING_FINALIZER))
        work_queue_add(controller->queue, pod->uid, CLUSTER_RETRY_US);
}

static void work(void *arg, const char *uid)
{
    struct job_controller *controller = arg;
    const struct owner_node *node;
    const struct store_object *object;

    store_deliver(controller->context->store); /* so that the index knows every pod */
    node = owner_index_find(controller->context->index, uid);
    object = node == NULL ? NULL : owner_node_object(node);
    if (object == NULL)
        return;
    if (cluster_is_resource(node->resource, "batch", "jobs"))
        sync_job(controller, node->resource, object);
    else
        sync_pod(controller, node->resource, object);
}

/* --- told of changes --- */

static void see_pod(struct job_controller *controller, const struct store_object *pod)
{
    const struct store_owner *owner = controller_owner(pod);

    if (owner != NULL && strcmp(owner->kind, "Job") == 0 &&
        owner_index_find(controller->context->index, owner->uid) != NULL)
        work_queue_add(controller->queue, owner->uid, controller->delay_us);
    else if (store_object_has_finalizer(pod, TRACKING_FINALIZER))
        work_queue_add(controller->queue, pod->uid, controller->delay_us);
}

/* The pods of a Job that went without them. */
static void see_job_gone(struct job_controller *controller, const struct store_object *job)
{
    size_t count;
    char **uids = owner_index_dependents(controller->context->index, job->uid, &count);

    forget_backoff(controller, job->uid);
    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(controller->context->index, uids[i]);

        if (node != NULL && cluster_is_resource(node->resource, "", "pods"))
            work_queue_add(controller->queue, uids[i], controller->delay_us);
    }
    owner_uids_free(uids, count);
}

void job_controller_see(struct job_controller *controller, struct store_resource *resource,
                        const struct store_object *object)
{
    if (cluster_is_resource(resource, "batch", "jobs"))
        work_queue_add(controller->queue, object->uid, controller->delay_us);
    else if (cluster_is_resource(resource, "", "pods"))
        see_pod(controller, object);
}

void job_controller_note(struct job_controller *controller, const struct store_event *event)
{
    if (event->change != STORE_DELETED || !cluster_is_resource(event->resource, "batch", "jobs"))
        job_controller_see(controller, event->resource, event->object);
    else
        see_job_gone(controller, event->object);
}

void job_controller_pause(struct job_controller *controller)
{
    work_queue_clear(controller->queue);
}

struct job_controller *job_controller_new(const struct cluster_context *context, int64_t delay_us)
{
    struct job_controller *controller = xcalloc(1, sizeof(*controller));

    controller->context = context;
    controller->delay_us = delay_us;
    controller->queue = work_queue_new(context->rt, work, controller);
    return controller;
}

void job_controller_free(struct job_controller *controller)
{
    struct backoff *backoff;
    struct backoff *next;

    if (controller == NULL)
        return;
    HASH_ITER (hh, controller->backoffs, backoff, next) {
        HASH_DEL(controller->backoffs, backoff);
        free(backoff->uid);
        free(backoff);
    }
    work_queue_free(controller->queue);
    free(controller);
}
