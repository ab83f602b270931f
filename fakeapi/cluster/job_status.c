/* job_status - a Job's status as its controller writes it (fakeapi/WIRE.md K13 to K18). */
#include <inttypes.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/job_sync.h"

/* Kubernetes bounds completions such that the indexes' text stays below that. */
#define INDEXES_BYTES_MAX ((size_t)1024 * 1024)

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

static void tell(const struct job_sync *sync, const char *type, const char *reason,
                 const char *message)
{
    cluster_event(sync->controller->context, JOB_ACTOR, sync->job, type, reason, "%s", message);
}

/* Started, suspended, resumed (K13, K18). */
static void write_start(struct job_sync *sync, const struct job_decision *decision)
{
    bool was_suspended = cluster_condition_holds(sync->tree, "Suspended");

    if (decision->verdict == JOB_SUSPENDED) {
        if (!was_suspended) {
            condition(sync, "Suspended", job_verdict_reason(JOB_SUSPENDED),
                      job_verdict_message(JOB_SUSPENDED));
            tell(sync, "Normal", "Suspended", "Job suspended");
        }
        json_object_object_del(sync->status, "startTime");
        return;
    }
    if (was_suspended && !sync->view.suspend) {
        cluster_set_condition(sync->tree, "Suspended", "False", "JobResumed", "Job resumed", true,
                              sync->now_us);
        tell(sync, "Normal", "Resumed", "Job resumed");
    }
    if (json_get(sync->status, "startTime") == NULL && !sync->view.suspend)
        cluster_set_time(sync->status, "startTime", sync->now_us);
}

/* Indexes say of themselves that they succeeded, and what is ignored is not counted. */
static bool is_listed(const struct job_sync *sync, const struct job_pod *pod)
{
    if (!sync->indexed)
        return !pod->ignored;
    return pod->failed && !pod->ignored && pod->index >= 0 && pod->index < sync->view.completions;
}

static void write_uncounted(struct job_sync *sync)
{
    struct json_object *uncounted = json_ensure_object(sync->status, "uncountedTerminatedPods");

    for (size_t i = 0; i < sync->pod_count; i++) {
        const struct job_pod *pod = &sync->pods[i];
        const char *key = pod->succeeded ? "succeeded" : "failed";
        struct json_object *list = json_get(uncounted, key);

        if (!pod->uncounted || job_sync_holds_text(list, pod->object->uid) || !is_listed(sync, pod))
            continue;
        if (list == NULL) {
            list = json_object_new_array();
            json_set(uncounted, key, list);
        }
        json_add(list, json_object_new_string(pod->object->uid));
    }
}

static char *message_of(const struct job_sync *sync, const struct job_decision *decision)
{
    if (decision->verdict == JOB_FAILS_BY_POLICY)
        return xstrdup(sync->policy_message);
    if (decision->verdict == JOB_SUCCEEDS_BY_POLICY)
        return xprintf("Matched rules at index %" PRId64, sync->success_rule);
    return xstrdup(job_verdict_message(decision->verdict));
}

/* The decision is told before it is final (K14, K15). */
static void write_verdict(struct job_sync *sync, const struct job_decision *decision)
{
    const char *reason = job_verdict_reason(decision->verdict);
    char *message = message_of(sync, decision);

    if (decision->verdict == JOB_FAILS_DEADLINE)
        runtime_mark(sync->controller->context->rt, MARK_API_JOB_DEADLINE);
    if (job_verdict_succeeds(decision->verdict) && !sync->view.success_decided)
        condition(sync, "SuccessCriteriaMet", reason, message);
    if (job_verdict_fails(decision->verdict) && decision->verdict != JOB_FAILS_AS_DECIDED)
        condition(sync, "FailureTarget", reason, message);
    free(message);
}

static void set_indexes(struct json_object *status, const char *key, const struct index_set *set)
{
    struct buffer text = BUFFER_INIT(INDEXES_BYTES_MAX);

    index_set_append(&text, set);
    json_set_text(status, key, buffer_text(&text));
    buffer_release(&text);
}

static void write_indexes(struct job_sync *sync)
{
    if (!sync->indexed)
        return;
    set_count(sync->status, "succeeded", sync->view.succeeded);
    set_indexes(sync->status, "completedIndexes", &sync->succeeded);
    if (sync->succeeded.count == 0)
        json_object_object_del(sync->status, "completedIndexes");
    if (sync->index_backoff_limit >= 0)
        set_indexes(sync->status, "failedIndexes", &sync->failed);
}

static void write_end(struct job_sync *sync, const struct job_decision *decision)
{
    bool success = job_verdict_succeeds(decision->verdict);
    const char *type = success ? "SuccessCriteriaMet" : "FailureTarget";
    const struct json_object *target = cluster_condition(sync->tree, type);
    char *reason = xstrdup(json_get_text(target, "reason"));
    char *message = xstrdup(json_get_text(target, "message"));

    condition(sync, success ? "Complete" : "Failed", reason, message);
    if (success)
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
    return cluster_update(sync->controller->context, JOB_ACTOR, sync->jobs, now, "status",
                          sync->tree);
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

/* What the end of a Job is told as, once it is written. */
static void tell_end(const struct job_sync *sync, const struct job_decision *decision)
{
    const struct json_object *failed = cluster_condition(sync->tree, "Failed");

    if (job_verdict_succeeds(decision->verdict))
        tell(sync, "Normal", "Completed", "Job completed");
    else
        tell(sync, "Warning", text_or(json_get_text(failed, "reason"), ""),
             text_or(json_get_text(failed, "message"), ""));
}

/* The first write of two: which ends are about to be counted. */
static bool write_ends(struct job_sync *sync)
{
    if (!save(sync) || !job_sync_release_pods(sync) || !reread(sync))
        return false;
    json_object_put(sync->stored_status);
    sync->stored_status = json_copy(sync->status);
    json_set(sync->status, "uncountedTerminatedPods", json_object_new_object());
    set_count(sync->status, "succeeded", sync->view.succeeded);
    set_count(sync->status, "failed", sync->view.failed);
    return true;
}

bool job_sync_write_status(struct job_sync *sync, const struct job_decision *decision)
{
    write_start(sync, decision);
    write_counts(sync);
    write_verdict(sync, decision);
    write_indexes(sync);
    write_uncounted(sync);
    if (sync->lets_go && !write_ends(sync))
        return false;
    job_sync_keep_backoff(sync);
    if (decision->over)
        write_end(sync, decision);
    if (!save(sync))
        return false;
    if (decision->over)
        tell_end(sync, decision);
    return true;
}
