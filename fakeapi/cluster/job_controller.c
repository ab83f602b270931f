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

#define MANAGED_BY "kubernetes.io/job-controller"

/* --- one look --- */

static void act(struct job_sync *sync)
{
    struct job_decision decision = job_decide(&sync->view, sync->now_us);

    if (decision.verdict != JOB_RUNS && decision.verdict != JOB_SUSPENDED)
        job_sync_keep_none(sync);
    job_sync_delete_pods(sync, decision.remove);
    if (!sync->job->deleting && decision.remove == 0)
        job_sync_create_pods(sync, decision.create, &decision.wake_at_us);
    if (!job_sync_write_status(sync, &decision))
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
    if (!cluster_remove_finalizer(controller->context, JOB_ACTOR, pods, pod,
                                  JOB_TRACKING_FINALIZER))
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

static const char *step_of(const void *arg, const struct store_resource *resource,
                           const struct store_object *object, int64_t *due_elapsed_us)
{
    (void)arg;
    (void)object;
    (void)due_elapsed_us;
    return cluster_is_resource(resource, "batch", "jobs") ? "sync" : "release";
}

void job_controller_list(const struct job_controller *controller, struct waiting *waiting)
{
    waiting_add_uids(waiting, "jobs", controller->queue, step_of, controller);
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
