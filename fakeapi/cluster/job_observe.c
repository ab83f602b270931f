/* job_observe - what is known of a Job: its pods, their ends, how often they failed in a row. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/job_sync.h"

const struct store_owner *job_sync_controller_owner(const struct store_object *pod)
{
    for (size_t i = 0; i < pod->owner_count; i++)
        if (pod->owners[i].controller)
            return &pod->owners[i];
    return NULL;
}

/* The latest end of a container. */
static int64_t end_of(struct json_slice status)
{
    struct json_slice statuses = json_slice_get(status, "containerStatuses");
    struct json_slice container;
    size_t next = 0;
    int64_t latest_us = 0;

    while (json_slice_next(statuses, &next, &container)) {
        struct json_slice state = json_slice_get(container, "state");
        int64_t at_us = partial_time(json_slice_get(state, "terminated"), "finishedAt");

        latest_us = at_us > latest_us ? at_us : latest_us;
    }
    return latest_us;
}

static void read_pod(struct job_pod *pod, const struct store_object *object, int64_t now_us)
{
    struct json_slice status = store_object_status(object);
    struct json_slice phase = json_slice_get(status, "phase");

    pod->object = store_object_ref(object);
    pod->succeeded = partial_is(phase, "Succeeded");
    pod->ended = pod->succeeded || partial_is(phase, "Failed");
    pod->failed = !pod->succeeded && (pod->ended || object->deleting);
    pod->ready = partial_condition_holds(status, "Ready");
    pod->tracked = store_object_has_finalizer(object, JOB_TRACKING_FINALIZER);
    pod->ended_at_us = pod->ended ? end_of(status) : 0;
    if (pod->ended_at_us == 0)
        pod->ended_at_us = now_us;
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
            owner = job_sync_controller_owner(object);
        if (owner != NULL && strcmp(owner->uid, sync->job->uid) == 0)
            read_pod(&sync->pods[sync->pod_count++], object, sync->now_us);
    }
    owner_uids_free(uids, count);
}

bool job_sync_holds_text(const struct json_object *list, const char *text)
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
        if (!job_sync_holds_text(succeeded, pod->object->uid) &&
            !job_sync_holds_text(failed, pod->object->uid)) {
            sync->new_succeeded += pod->succeeded;
            sync->new_failed += pod->failed;
        }
    }
}

static struct job_backoff *find_backoff(struct job_controller *controller, const char *uid)
{
    struct job_backoff *backoff;

    HASH_FIND_STR(controller->backoffs, uid, backoff);
    return backoff;
}

void job_sync_forget_backoff(struct job_controller *controller, const char *uid)
{
    struct job_backoff *backoff = find_backoff(controller, uid);

    if (backoff == NULL)
        return;
    HASH_DEL(controller->backoffs, backoff);
    free(backoff->uid);
    free(backoff);
}

/* Takes in the ends that were not known before. */
static void note_failures(struct job_sync *sync, int64_t failures, int64_t last_at_us)
{
    struct job_backoff *backoff = find_backoff(sync->controller, sync->job->uid);

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
        job_sync_forget_backoff(sync->controller, sync->job->uid);
    note_failures(sync, failures, last_at_us);
}

static void read_view(struct job_sync *sync)
{
    struct json_slice spec = store_object_spec(sync->job);
    struct job_view *view = &sync->view;

    view->suspend = partial_bool(spec, "suspend", false);
    view->parallelism = partial_int64(spec, "parallelism", 1);
    view->completions = partial_int64(spec, "completions", -1);
    view->backoff_limit = partial_int64(spec, "backoffLimit", 6);
    view->deadline_seconds = partial_int64(spec, "activeDeadlineSeconds", -1);
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

void job_sync_observe(struct job_sync *sync)
{
    read_pods(sync);
    read_view(sync);
}

void job_sync_release(struct job_sync *sync)
{
    for (size_t i = 0; i < sync->pod_count; i++)
        store_object_unref(sync->pods[i].object);
    free(sync->pods);
}
