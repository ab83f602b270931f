/* job_observe - what is known of a Job: its pods, their ends, how often they failed in a row. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/job_policy.h"
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

/* A whole number that is the text of a label or annotation; fallback when it is none. */
static int64_t annotated(struct json_slice annotations, const char *key, int64_t fallback)
{
    struct json_slice value = json_slice_get(annotations, key);
    char *text = value.bytes == NULL ? NULL : json_slice_text(value);
    int64_t number = fallback;

    if (text != NULL && (!text_to_int64(text, &number) || number < 0))
        number = fallback;
    free(text);
    return number;
}

static int64_t restarts_in(struct json_slice statuses)
{
    struct json_slice container;
    size_t next = 0;
    int64_t total = 0;

    while (json_slice_next(statuses, &next, &container))
        total += partial_int64(container, "restartCount", 0);
    return total;
}

static void read_index(struct job_pod *pod, const struct store_object *object)
{
    struct json_slice annotations = partial_slice(object, "metadata", "annotations");

    pod->index = annotated(annotations, JOB_INDEX_KEY, -1);
    pod->index_failures = annotated(annotations, JOB_INDEX_FAILURES_KEY, 0);
    pod->index_ignored = annotated(annotations, JOB_INDEX_IGNORED_KEY, 0);
}

/* What the Job's policy says of a pod that failed. */
static void judge_failure(struct job_sync *sync, struct job_pod *pod)
{
    struct json_slice slice = store_object_status(pod->object);
    struct json_object *status;
    enum job_policy_action action;
    char *message;

    if (!pod->failed || sync->policy == NULL || slice.bytes == NULL)
        return;
    status = json_slice_parse(slice);
    action = job_policy_of_failure(sync->policy, pod->object->namespace, pod->object->name, status,
                                   &message);
    json_object_put(status);
    pod->ignored = action == JOB_POLICY_IGNORE;
    pod->fails_index = action == JOB_POLICY_FAIL_INDEX;
    if (sync->policy_message == NULL)
        sync->policy_message = message;
    else
        free(message);
}

static void read_pod(struct job_sync *sync, struct job_pod *pod, const struct store_object *object)
{
    struct json_slice status = store_object_status(object);
    struct json_slice phase = json_slice_get(status, "phase");
    struct json_slice node = json_slice_get(store_object_spec(object), "nodeName");
    bool awaited = sync->view.replaces_failed_only && !sync->view.failure_decided;

    pod->object = store_object_ref(object);
    pod->succeeded = partial_is(phase, "Succeeded");
    pod->ended = pod->succeeded || partial_is(phase, "Failed");
    pod->running = partial_is(phase, "Running");
    pod->failed = !pod->succeeded && (pod->ended || (object->deleting && !awaited));
    pod->ready = partial_condition_holds(status, "Ready");
    pod->bound = node.bytes != NULL && !partial_is(node, "");
    pod->tracked = store_object_has_finalizer(object, JOB_TRACKING_FINALIZER);
    pod->index = -1;
    if (sync->indexed)
        read_index(pod, object);
    if (!pod->ended)
        pod->restarts = restarts_in(json_slice_get(status, "initContainerStatuses")) +
                        restarts_in(json_slice_get(status, "containerStatuses"));
    pod->ended_at_us = pod->ended ? end_of(status) : 0;
    if (pod->ended_at_us == 0)
        pod->ended_at_us = sync->now_us;
    judge_failure(sync, pod);
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
            read_pod(sync, &sync->pods[sync->pod_count++], object);
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

/* --- indexes --- */

static bool has_index(const struct job_sync *sync, const struct job_pod *pod)
{
    return pod->index >= 0 && pod->index < sync->view.completions;
}

/* What the status says; a text of others that is no list of indexes counts as none. */
static void read_set(const struct job_sync *sync, const char *key, struct index_set *set)
{
    struct error err = ERROR_INIT;

    if (!index_set_parse(text_or(json_get_text(sync->status, key), ""), sync->view.completions, set,
                         &err))
        *set = (struct index_set){0};
}

/* Whether its index is lost with this pod. */
static bool loses_index(const struct job_sync *sync, const struct job_pod *pod)
{
    return pod->failed && (pod->fails_index ||
                           (!pod->ignored && pod->index_failures >= sync->index_backoff_limit));
}

/* Before the others are counted: they say which failed pods are kept. */
static void find_indexes(struct job_sync *sync)
{
    if (!sync->indexed)
        return;
    read_set(sync, "completedIndexes", &sync->succeeded);
    if (sync->index_backoff_limit >= 0)
        read_set(sync, "failedIndexes", &sync->failed);
    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];

        if (!has_index(sync, pod))
            continue;
        if (!pod->ended && !pod->object->deleting)
            index_set_add(&sync->active, pod->index);
        if (pod->succeeded && pod->tracked)
            index_set_add(&sync->succeeded, pod->index);
        else if (sync->index_backoff_limit >= 0 && loses_index(sync, pod))
            index_set_add(&sync->failed, pod->index);
    }
}

static int64_t all_failures(const struct job_pod *pod)
{
    return pod->index_failures + pod->index_ignored;
}

/* Whether that failed pod could be the one of an index that is to be tried again. */
static bool may_be_kept(const struct job_sync *sync, const struct job_pod *pod)
{
    return pod->failed && pod->tracked && has_index(sync, pod) &&
           !index_set_has(&sync->succeeded, pod->index) &&
           !index_set_has(&sync->failed, pod->index) && !index_set_has(&sync->active, pod->index);
}

/* The failed pod of an index that will be tried again stays, as it says how often that was: the
 * last one of each (K13). */
static void keep_pods(struct job_sync *sync)
{
    if (sync->index_backoff_limit < 0 || sync->job->deleting || sync->view.failure_decided ||
        sync->view.success_decided)
        return;
    for (size_t i = 0; i < sync->pod_count; i++) {
        struct job_pod *pod = &sync->pods[i];

        pod->kept = may_be_kept(sync, pod);
        for (size_t k = 0; k < i && pod->kept; k++) {
            if (!sync->pods[k].kept || sync->pods[k].index != pod->index)
                continue;
            if (all_failures(pod) >= all_failures(&sync->pods[k]))
                sync->pods[k].kept = false;
            else
                pod->kept = false;
        }
    }
}

/* --- counting --- */

/* The ends that are not in the counters: left over from a look that did not come to its end, and
 * those of tracked pods that ended since. */
static void find_uncounted(struct job_sync *sync)
{
    const struct json_object *uncounted = json_get(sync->status, "uncountedTerminatedPods");
    const struct json_object *succeeded = json_get(uncounted, "succeeded");
    const struct json_object *failed = json_get(uncounted, "failed");

    sync->new_succeeded = (int64_t)count_of(succeeded);
    sync->new_failed = (int64_t)count_of(failed);
    sync->lets_go = sync->new_succeeded + sync->new_failed > 0;
    for (size_t i = 0; i < sync->pod_count; i++) {
        struct job_pod *pod = &sync->pods[i];

        if (!pod->tracked || pod->kept || (!pod->succeeded && !pod->failed))
            continue;
        pod->uncounted = true;
        sync->lets_go = true;
        if (job_sync_holds_text(succeeded, pod->object->uid) ||
            job_sync_holds_text(failed, pod->object->uid))
            continue;
        sync->new_succeeded += pod->succeeded && !sync->indexed;
        sync->new_failed +=
            pod->failed && !pod->ignored && (!sync->indexed || has_index(sync, pod));
    }
}

/* --- backoff (K16) --- */

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

void job_sync_keep_backoff(struct job_sync *sync)
{
    struct job_backoff *backoff = find_backoff(sync->controller, sync->job->uid);

    if (sync->new_backoff.failures == 0) {
        job_sync_forget_backoff(sync->controller, sync->job->uid);
        return;
    }
    if (backoff == NULL) {
        backoff = xcalloc(1, sizeof(*backoff));
        backoff->uid = xstrdup(sync->job->uid);
        HASH_ADD_KEYPTR(hh, sync->controller->backoffs, backoff->uid, strlen(backoff->uid),
                        backoff);
    }
    backoff->failures = sync->new_backoff.failures;
    backoff->last_at_us = sync->new_backoff.last_at_us;
}

/* Whether the end of a pod is news to the backoff. */
static bool is_news(const struct job_sync *sync, const struct job_backoff *known,
                    const struct job_pod *pod)
{
    const struct json_object *uncounted = json_get(sync->status, "uncountedTerminatedPods");

    if (known == NULL)
        return true;
    return pod->uncounted &&
           !job_sync_holds_text(json_get(uncounted, "failed"), pod->object->uid) &&
           !job_sync_holds_text(json_get(uncounted, "succeeded"), pod->object->uid);
}

static void find_failures_in_row(struct job_sync *sync)
{
    const struct job_backoff *known = find_backoff(sync->controller, sync->job->uid);
    struct job_backoff *now = &sync->new_backoff;
    int64_t success_at_us = -1;

    for (size_t i = 0; i < sync->pod_count; i++)
        if (sync->pods[i].succeeded && is_news(sync, known, &sync->pods[i]) &&
            sync->pods[i].ended_at_us > success_at_us)
            success_at_us = sync->pods[i].ended_at_us;
    if (known != NULL && success_at_us < 0)
        *now = (struct job_backoff){.failures = known->failures, .last_at_us = known->last_at_us};
    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];

        if (!pod->failed || !is_news(sync, known, pod) || pod->ended_at_us <= success_at_us)
            continue;
        now->failures++;
        now->last_at_us = pod->ended_at_us > now->last_at_us ? pod->ended_at_us : now->last_at_us;
    }
    sync->view.failures_in_row = now->failures;
    sync->view.last_failure_at_us = now->last_at_us;
}

/* --- the view --- */

static struct json_object *parse_given(struct json_slice value)
{
    return value.bytes == NULL ? NULL : json_slice_parse(value);
}

/* What its pods are read by. */
static void read_spec(struct job_sync *sync)
{
    struct json_slice suspend;
    struct json_slice parallelism;
    struct json_slice completions;
    struct json_slice backoff;
    struct json_slice deadline;
    struct json_slice failed_indexes;
    struct json_slice replacement;
    struct json_slice index_backoff;
    struct json_slice mode;
    struct json_slice policy;
    struct json_slice successes;
    const struct json_member wanted[] = {
        {"suspend",               &suspend       },
        {"parallelism",           &parallelism   },
        {"completions",           &completions   },
        {"backoffLimit",          &backoff       },
        {"activeDeadlineSeconds", &deadline      },
        {"maxFailedIndexes",      &failed_indexes},
        {"podReplacementPolicy",  &replacement   },
        {"backoffLimitPerIndex",  &index_backoff },
        {"completionMode",        &mode          },
        {"podFailurePolicy",      &policy        },
        {"successPolicy",         &successes     },
    };
    struct job_view *view = &sync->view;

    json_slice_find(store_object_spec(sync->job), wanted, ARRAY_SIZE(wanted));
    view->suspend = partial_flag(suspend, false);
    view->parallelism = partial_number(parallelism, 1);
    view->completions = partial_number(completions, -1);
    view->backoff_limit = partial_number(backoff, 6);
    view->deadline_seconds = partial_number(deadline, -1);
    view->max_failed_indexes = partial_number(failed_indexes, -1);
    view->replaces_failed_only = partial_is(replacement, "Failed");
    view->success_decided = cluster_condition_holds(sync->tree, "SuccessCriteriaMet");
    view->failure_decided = cluster_condition_holds(sync->tree, "FailureTarget");
    sync->index_backoff_limit = partial_number(index_backoff, -1);
    sync->indexed = view->completions >= 0 && partial_is(mode, "Indexed");
    view->limits_indexes = sync->indexed && sync->index_backoff_limit >= 0;
    sync->policy = parse_given(policy);
    sync->successes = parse_given(successes);
}

static bool restarts_exceeded(const struct job_sync *sync)
{
    struct json_slice template = json_slice_get(store_object_spec(sync->job), "template");
    struct json_slice policy = json_slice_get(json_slice_get(template, "spec"), "restartPolicy");
    int64_t total = 0;

    if (!partial_is(policy, "OnFailure"))
        return false;
    for (size_t i = 0; i < sync->pod_count; i++)
        total += sync->pods[i].restarts;
    return sync->view.backoff_limit == 0 ? total > 0 : total >= sync->view.backoff_limit;
}

static void read_counts(struct job_sync *sync)
{
    struct job_view *view = &sync->view;

    view->started_at_us = cluster_get_time(sync->status, "startTime");
    view->succeeded = sync->indexed
                          ? index_set_total(&sync->succeeded)
                          : json_get_int64(sync->status, "succeeded", 0) + sync->new_succeeded;
    view->failed = json_get_int64(sync->status, "failed", 0) + sync->new_failed;
    view->failed_now = sync->new_failed > 0;
    view->failed_indexes = index_set_total(&sync->failed);
    view->active = 0;
    view->terminating = 0;
    for (size_t i = 0; i < sync->pod_count; i++) {
        bool ended = sync->pods[i].ended;
        bool deleting = sync->pods[i].object->deleting;

        view->active += !ended && !deleting;
        view->terminating += !ended && deleting;
    }
}

void job_sync_observe(struct job_sync *sync)
{
    read_spec(sync);
    read_pods(sync);
    find_indexes(sync);
    keep_pods(sync);
    find_uncounted(sync);
    read_counts(sync);
    find_failures_in_row(sync);
    sync->view.restarts_exceeded = restarts_exceeded(sync);
    sync->view.failed_by_policy = sync->policy_message != NULL;
    sync->success_rule =
        sync->indexed
            ? job_policy_success_rule(sync->successes, sync->view.completions, &sync->succeeded)
            : -1;
    sync->view.succeeded_by_policy = sync->success_rule >= 0;
}

void job_sync_keep_none(struct job_sync *sync)
{
    bool any = false;

    for (size_t i = 0; i < sync->pod_count; i++) {
        any = any || sync->pods[i].kept;
        sync->pods[i].kept = false;
    }
    if (!any)
        return;
    find_uncounted(sync);
    read_counts(sync);
}

void job_sync_release(struct job_sync *sync)
{
    for (size_t i = 0; i < sync->pod_count; i++)
        store_object_unref(sync->pods[i].object);
    free(sync->pods);
    index_set_release(&sync->succeeded);
    index_set_release(&sync->failed);
    index_set_release(&sync->active);
    json_object_put(sync->policy);
    json_object_put(sync->successes);
    free(sync->policy_message);
}
