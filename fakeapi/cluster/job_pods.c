/* job_pods - the pods that the Job controller makes, deletes and lets go of (WIRE.md K11, K12). */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/job_policy.h"
#include "fakeapi/cluster/job_sync.h"

/* When pods that were not let in are tried again. */
#define DENIED_US (10 * INT64_C(1000000))

/* --- what a pod is made of --- */

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

/* As the template has it, its finalizers too. */
static struct json_object *metadata_of(const struct job_sync *sync,
                                       const struct json_object *template)
{
    struct json_object *metadata = json_object_new_object();
    struct json_object *finalizers = json_copy(json_walk(template, "metadata", "finalizers", NULL));

    for (size_t i = 0; i < 2; i++) {
        const char *key = i == 0 ? "labels" : "annotations";
        struct json_object *value = json_walk(template, "metadata", key, NULL);

        if (value != NULL)
            json_set(metadata, key, json_object_get(value));
    }
    if (!json_is(finalizers, json_type_array)) {
        json_object_put(finalizers);
        finalizers = json_object_new_array();
    }
    if (!job_sync_holds_text(finalizers, JOB_TRACKING_FINALIZER))
        json_add(finalizers, json_object_new_string(JOB_TRACKING_FINALIZER));
    json_set(metadata, "finalizers", finalizers);
    set_owner(metadata, sync->job);
    return metadata;
}

/* JOB_COMPLETION_INDEX of every container, unless it has one of its own. */
static void add_index_variable(struct json_object *containers)
{
    size_t count = json_is(containers, json_type_array) ? json_object_array_length(containers) : 0;

    for (size_t i = 0; i < count; i++) {
        struct json_object *container = json_object_array_get_idx(containers, i);
        struct json_object *list = json_get_array(container, "env");
        struct json_object *variable = json_object_new_object();
        struct json_object *field;
        bool there = false;

        for (size_t k = 0; list != NULL && k < json_object_array_length(list); k++)
            there = there || text_equal(json_get_text(json_object_array_get_idx(list, k), "name"),
                                        "JOB_COMPLETION_INDEX");
        if (list == NULL) {
            list = json_object_new_array();
            json_set(container, "env", list);
        }
        json_set_text(variable, "name", "JOB_COMPLETION_INDEX");
        field = json_ensure_object(json_ensure_object(variable, "valueFrom"), "fieldRef");
        json_set_text(field, "fieldPath", "metadata.labels['" JOB_INDEX_KEY "']");
        if (there)
            json_object_put(variable);
        else
            json_add(list, variable);
    }
}

static void set_number(struct json_object *map, const char *key, int64_t number)
{
    char *text = xprintf("%" PRId64, number);

    json_set_text(map, key, text);
    free(text);
}

/* How often the index failed before, by the pod that is replaced. */
static void set_failures(const struct job_sync *sync, struct json_object *annotations,
                         int64_t index)
{
    int64_t failures = 0;
    int64_t ignored = 0;

    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];

        if (!pod->kept || pod->index != index)
            continue;
        failures = pod->index_failures + !pod->ignored;
        ignored = pod->index_ignored + pod->ignored;
    }
    set_number(annotations, JOB_INDEX_FAILURES_KEY, failures);
    if (ignored > 0)
        set_number(annotations, JOB_INDEX_IGNORED_KEY, ignored);
}

static void set_index(const struct job_sync *sync, struct json_object *metadata,
                      struct json_object *spec, int64_t index)
{
    /* The template's own maps stay as they are. */
    struct json_object *labels = json_copy(json_get(metadata, "labels"));
    struct json_object *annotations = json_copy(json_get(metadata, "annotations"));
    char *hostname = xprintf("%s-%" PRId64, sync->job->name, index);

    json_set(metadata, "labels", labels == NULL ? json_object_new_object() : labels);
    json_set(metadata, "annotations", annotations == NULL ? json_object_new_object() : annotations);
    set_number(json_get(metadata, "labels"), JOB_INDEX_KEY, index);
    set_number(json_get(metadata, "annotations"), JOB_INDEX_KEY, index);
    if (sync->index_backoff_limit >= 0)
        set_failures(sync, json_get(metadata, "annotations"), index);
    json_set_text(spec, "hostname", hostname);
    add_index_variable(json_get(spec, "containers"));
    add_index_variable(json_get(spec, "initContainers"));
    free(hostname);
}

/* A pod for an index; -1: of a Job without indexes. */
static struct json_object *pod_of(const struct job_sync *sync, int64_t index)
{
    struct json_object *template = json_slice_parse(partial_slice(sync->job, "spec", "template"));
    struct json_object *pod = json_object_new_object();
    struct json_object *metadata = metadata_of(sync, template);
    struct json_object *spec = json_get(template, "spec");
    char *prefix = index < 0 ? xprintf("%s-", sync->job->name)
                             : xprintf("%s-%" PRId64 "-", sync->job->name, index);

    json_set_text(metadata, "generateName", prefix);
    if (index >= 0)
        set_index(sync, metadata, spec, index);
    json_set(pod, "metadata", metadata);
    json_set(pod, "spec", json_object_get(spec));
    json_object_put(template);
    free(prefix);
    return pod;
}

/* --- making --- */

static bool is_terminating(const struct job_sync *sync)
{
    struct store *store = sync->controller->context->store;
    const struct store_object *namespace =
        store_get(store_find_resource(store, "", "namespaces"), NULL, sync->job->namespace);

    return namespace == NULL || namespace->deleting;
}

/* A namespace on its way out takes no more: the Job goes with it. A quota may be raised. */
static bool create_pod(struct job_sync *sync, int64_t index)
{
    const struct cluster_context *context = sync->controller->context;
    const struct rest_target target = {
        .group = "", .plural = "pods", .namespace = sync->job->namespace};
    const struct store_object *pod;
    struct error err = ERROR_INIT;

    if (rest_create_owned(context->rest, &target, pod_of(sync, index), &pod, &err)) {
        sync->view.active++;
        cluster_event(context, JOB_ACTOR, sync->job, "Normal", "SuccessfulCreate",
                      "Created pod: %s", pod->name);
        return true;
    }
    cluster_event(context, JOB_ACTOR, sync->job, "Warning", "FailedCreate", "Error creating: %s",
                  err.text);
    cluster_log_failure(context, JOB_ACTOR, sync->job, &err);
    if (err.kind != ERROR_DENIED)
        due_queue_add(sync->controller->queue, sync->job->uid, CLUSTER_RETRY_US);
    else if (!is_terminating(sync))
        due_queue_add(sync->controller->queue, sync->job->uid, DENIED_US);
    return false;
}

/* When an index may be tried again, by the pod that failed last. */
static int64_t index_wait_end(const struct job_sync *sync, int64_t index)
{
    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];

        if (pod->kept && pod->index == index)
            return job_wait_end(pod->index_failures + pod->index_ignored + 1, pod->ended_at_us);
    }
    return 0;
}

/* Indexes that need no pod. */
static struct index_set taken_indexes(const struct job_sync *sync)
{
    struct index_set taken = {0};

    index_set_merge(&taken, &sync->succeeded);
    index_set_merge(&taken, &sync->failed);
    index_set_merge(&taken, &sync->active);
    for (size_t i = 0; sync->view.replaces_failed_only && i < sync->pod_count; i++)
        if (sync->pods[i].index >= 0 && sync->pods[i].object->deleting && !sync->pods[i].ended)
            index_set_add(&taken, sync->pods[i].index);
    return taken;
}

/* Of the lowest indexes that want a pod, those that need not wait get one. */
static void create_indexed(struct job_sync *sync, int64_t count, int64_t *wake_at_us)
{
    struct index_set taken = taken_indexes(sync);
    int64_t index = index_set_first_missing(&taken, 0);

    for (; count > 0 && index < sync->view.completions; count--) {
        int64_t may_at_us = index_wait_end(sync, index);

        if (may_at_us > sync->now_us)
            *wake_at_us = may_at_us < *wake_at_us ? may_at_us : *wake_at_us;
        else if (!create_pod(sync, index))
            break;
        index = index_set_first_missing(&taken, index + 1);
    }
    index_set_release(&taken);
}

void job_sync_create_pods(struct job_sync *sync, int64_t count, int64_t *wake_at_us)
{
    if (sync->indexed) {
        create_indexed(sync, count, wake_at_us);
        return;
    }
    while (count > 0 && create_pod(sync, -1))
        count--;
}

/* --- deleting --- */

/* Whether another active pod before it has the same index, or the index is none of the Job's. */
static bool is_superfluous(const struct job_sync *sync, size_t at)
{
    const struct job_pod *pod = &sync->pods[at];

    if (!sync->indexed)
        return false;
    if (pod->index < 0 || pod->index >= sync->view.completions)
        return true;
    for (size_t i = 0; i < at; i++)
        if (sync->pods[i].index == pod->index && !sync->pods[i].ended &&
            !sync->pods[i].object->deleting)
            return true;
    return false;
}

/* The lower, the sooner it is deleted. */
static int rank(const struct job_sync *sync, size_t at)
{
    const struct job_pod *pod = &sync->pods[at];

    if (is_superfluous(sync, at))
        return 0;
    if (!pod->bound)
        return 1;
    if (!pod->running)
        return 2;
    return pod->ready ? 4 : 3;
}

static void delete_pod(struct job_sync *sync, struct job_pod *pod)
{
    const struct cluster_context *context = sync->controller->context;

    if (!cluster_delete(context, JOB_ACTOR, sync->pods_resource, pod->object, REST_BACKGROUND))
        return;
    sync->view.active--;
    sync->view.terminating++;
    cluster_event(context, JOB_ACTOR, sync->job, "Normal", "SuccessfulDelete", "Deleted pod: %s",
                  pod->object->name);
}

/* Of one rank the newest first. */
void job_sync_delete_pods(struct job_sync *sync, int64_t count)
{
    for (int wanted = 0; wanted <= 4 && count > 0; wanted++) {
        for (size_t i = sync->pod_count; i > 0 && count > 0; i--) {
            struct job_pod *pod = &sync->pods[i - 1];

            if (pod->ended || pod->object->deleting || rank(sync, i - 1) != wanted)
                continue;
            count--;
            delete_pod(sync, pod);
        }
    }
}

/* --- letting go --- */

bool job_sync_release_pods(struct job_sync *sync)
{
    bool ok = true;

    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        const struct store_object *now =
            store_get(sync->pods_resource, pod->object->namespace, pod->object->name);

        if (pod->uncounted && now != NULL && strcmp(now->uid, pod->object->uid) == 0)
            ok = cluster_remove_finalizer(sync->controller->context, JOB_ACTOR, sync->pods_resource,
                                          now, JOB_TRACKING_FINALIZER) &&
                 ok;
    }
    return ok;
}
