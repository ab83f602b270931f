/* job_controller - makes pods from Jobs and counts how they end.
 *
 * Source: kubernetes pkg/controller/job. Observe (view), decide (job_decide), act: pods first, then
 * the status, in the order of K13: what is uncounted, the finalizers, the counters. */
#include "fakeapi/cluster/job_controller.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/job_sync.h"

#define ACTOR "job-controller"
#define MANAGED_BY "kubernetes.io/job-controller"

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
    struct json_object *template = json_slice_parse(partial_slice(sync->job, "spec", "template"));
    struct json_object *pod = json_object_new_object();
    struct json_object *metadata = json_object_new_object();
    struct json_object *finalizers = json_object_new_array();
    char *prefix = xprintf("%s-", sync->job->name);

    json_set_text(metadata, "generateName", prefix);
    for (size_t i = 0; i < 2; i++) {
        const char *key = i == 0 ? "labels" : "annotations";
        struct json_object *value = json_walk(template, "metadata", key, NULL);

        if (value != NULL)
            json_set(metadata, key, json_object_get(value));
    }
    json_add(finalizers, json_object_new_string(JOB_TRACKING_FINALIZER));
    json_set(metadata, "finalizers", finalizers);
    set_owner(metadata, sync->job);
    json_set(pod, "metadata", metadata);
    json_set(pod, "spec", json_object_get(json_get(template, "spec")));
    json_object_put(template);
    free(prefix);
    return pod;
}

/* A namespace on its way out takes no more: the Job goes with it. */
static void create_pods(struct job_sync *sync, int64_t count)
{
    const struct cluster_context *context = sync->controller->context;
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = sync->job->namespace};
    struct error err = ERROR_INIT;

    for (int64_t i = 0; i < count; i++) {
        if (!rest_create_owned(context->rest, &target, pod_of(sync), NULL, &err)) {
            cluster_log_failure(context, ACTOR, sync->job, &err);
            if (err.kind != ERROR_DENIED)
                due_queue_add(sync->controller->queue, sync->job->uid, CLUSTER_RETRY_US);
            break;
        }
        sync->view.active++;
    }
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
                                          now, JOB_TRACKING_FINALIZER) &&
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

        if (!pod->uncounted || job_sync_holds_text(list, pod->object->uid))
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

    if (json_equal(sync->status, sync->stored_status))
        return true;
    if (now == NULL || strcmp(now->uid, sync->job->uid) != 0)
        return false;
    return cluster_update(sync->controller->context, ACTOR, sync->jobs, now, "status", sync->tree);
}

/* The tree's resourceVersion follows the writes of this look. */
static bool reread(struct job_sync *sync)
{
    const struct store_object *now = store_get(sync->jobs, sync->job->namespace, sync->job->name);

    if (now == NULL || strcmp(now->uid, sync->job->uid) != 0)
        return false;
    json_set(sync->tree, "metadata", partial_metadata(now));
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
        json_object_put(sync->stored_status);
        sync->stored_status = json_copy(sync->status);
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
        due_queue_add(sync->controller->queue, sync->job->uid, CLUSTER_RETRY_US);
    if (sync->view.started_at_us == 0 && sync->view.deadline_seconds >= 0 &&
        decision.verdict == JOB_RUNS)
        decision.wake_at_us = sync->now_us + sync->view.deadline_seconds * US_PER_SECOND;
    if (decision.wake_at_us != INT64_MAX)
        due_queue_add(sync->controller->queue, sync->job->uid, decision.wake_at_us - sync->now_us);
}

static bool is_ours(const struct store_object *job)
{
    struct json_slice slice = partial_slice(job, "spec", "managedBy");
    char *manager = slice.bytes == NULL ? NULL : json_slice_text(slice);
    bool ours = manager == NULL || strcmp(manager, MANAGED_BY) == 0;

    free(manager);
    return ours;
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
    sync.tree = partial_with_status(job);
    sync.status = json_ensure_object(sync.tree, "status");
    sync.stored_status = json_copy(sync.status);
    sync.now_us = runtime_wall_us(controller->context->rt);
    if (is_ours(sync.job) && !has_finished(sync.tree)) {
        job_sync_observe(&sync);
        act(&sync);
    } else {
        job_sync_forget_backoff(controller, job->uid);
    }
    job_sync_release(&sync);
    json_object_put(sync.stored_status);
    json_object_put(sync.tree);
    store_object_unref(sync.job);
}

/* Lets a pod go whose Job is no more (K13). */
static void sync_pod(struct job_controller *controller, struct store_resource *pods,
                     const struct store_object *pod)
{
    const struct store_owner *owner = job_sync_controller_owner(pod);

    if (owner != NULL && owner_index_find(controller->context->index, owner->uid) != NULL)
        return;
    if (!cluster_remove_finalizer(controller->context, ACTOR, pods, pod, JOB_TRACKING_FINALIZER))
        due_queue_add(controller->queue, pod->uid, CLUSTER_RETRY_US);
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
    const struct store_owner *owner = job_sync_controller_owner(pod);

    if (owner != NULL && strcmp(owner->kind, "Job") == 0 &&
        owner_index_find(controller->context->index, owner->uid) != NULL)
        due_queue_add(controller->queue, owner->uid, controller->delay_us);
    else if (store_object_has_finalizer(pod, JOB_TRACKING_FINALIZER))
        due_queue_add(controller->queue, pod->uid, controller->delay_us);
}

/* The pods of a Job that went without them. */
static void see_job_gone(struct job_controller *controller, const struct store_object *job)
{
    size_t count;
    char **uids = owner_index_dependents(controller->context->index, job->uid, &count);

    job_sync_forget_backoff(controller, job->uid);
    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(controller->context->index, uids[i]);

        if (node != NULL && cluster_is_resource(node->resource, "", "pods"))
            due_queue_add(controller->queue, uids[i], controller->delay_us);
    }
    owner_uids_free(uids, count);
}

void job_controller_see(struct job_controller *controller, struct store_resource *resource,
                        const struct store_object *object)
{
    if (cluster_is_resource(resource, "batch", "jobs"))
        due_queue_add(controller->queue, object->uid, controller->delay_us);
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
    due_queue_clear(controller->queue);
}

struct job_controller *job_controller_new(const struct cluster_context *context, int64_t delay_us)
{
    struct job_controller *controller = xcalloc(1, sizeof(*controller));

    controller->context = context;
    controller->delay_us = delay_us;
    controller->queue = due_queue_new(context->rt, work, controller);
    return controller;
}

void job_controller_free(struct job_controller *controller)
{
    struct job_backoff *backoff;
    struct job_backoff *next;

    if (controller == NULL)
        return;
    HASH_ITER (hh, controller->backoffs, backoff, next) {
        HASH_DEL(controller->backoffs, backoff);
        free(backoff->uid);
        free(backoff);
    }
    due_queue_free(controller->queue);
    free(controller);
}
