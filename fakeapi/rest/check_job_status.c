/* check_job_status - what a Job's status must not say, whoever writes it (WIRE.md K20): a check is
 * made when what it is about changes. Source: kubernetes pkg/apis/batch/validation, and the
 * options of pkg/registry/batch/job. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/index_set.h"
#include "fakeapi/rest/metadata.h"

/* A status as the rules look at it. */
struct facts {
    const struct json_object *status;
    bool complete; /* conditions that are True */
    bool failed;
    bool failure_target;
    bool success_criteria;
    const char *start_time; /* or NULL */
    const char *completion_time;
    int64_t active;
    int64_t succeeded;
    int64_t failures;
};

static size_t list_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

static bool holds(const struct json_object *conditions, const char *type)
{
    for (size_t i = 0; i < list_count(conditions); i++) {
        const struct json_object *condition = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(condition, "type"), type))
            return text_equal(json_get_text(condition, "status"), "True");
    }
    return false;
}

static struct facts facts_of(const struct json_object *job)
{
    const struct json_object *status = json_get(job, "status");
    const struct json_object *conditions = json_get(status, "conditions");

    return (struct facts){
        .status = status,
        .complete = holds(conditions, "Complete"),
        .failed = holds(conditions, "Failed"),
        .failure_target = holds(conditions, "FailureTarget"),
        .success_criteria = holds(conditions, "SuccessCriteriaMet"),
        .start_time = json_get_text(status, "startTime"),
        .completion_time = json_get_text(status, "completionTime"),
        .active = json_get_int64(status, "active", 0),
        .succeeded = json_get_int64(status, "succeeded", 0),
        .failures = json_get_int64(status, "failed", 0),
    };
}

static bool is_finished(const struct facts *facts)
{
    return facts->complete || facts->failed;
}

static bool differ(const struct facts *now, const struct facts *before, const char *key)
{
    return !json_equal(json_get(now->status, key), json_get(before->status, key));
}

static void refuse_conditions(struct field_errors *errors, const char *why)
{
    field_errors_add(errors, FIELD_INVALID, "status.conditions", "Invalid value: %s", why);
}

static void refuse(struct field_errors *errors, const struct facts *facts, const char *key,
                   const char *why)
{
    char *path = xprintf("status.%s", key);

    metadata_add_invalid_value(errors, path, json_get(facts->status, key), why);
    free(path);
}

/* A time as Go shows it: "2024-01-02 03:04:05 +0000 UTC". */
static void refuse_time(struct field_errors *errors, const char *key, const char *text,
                        const char *why)
{
    char shown[TIME_TEXT_SIZE];
    char *path = xprintf("status.%s", key);
    int64_t at_us = 0;

    if (!time_parse(text, &at_us))
        at_us = 0;
    time_format(at_us, shown);
    field_errors_add(errors, FIELD_INVALID, path, "Invalid value: %.10s %.8s +0000 UTC: %s", shown,
                     shown + 11, why);
    free(path);
}

/* --- one status --- */

static void check_uncounted_list(const struct facts *facts, const char *key,
                                 struct field_errors *errors)
{
    const struct json_object *list =
        json_get(json_get(facts->status, "uncountedTerminatedPods"), key);

    for (size_t i = 0; i < list_count(list); i++) {
        const char *uid = text_or(json_text(json_object_array_get_idx(list, i)), "");
        char *path = xprintf("status.uncountedTerminatedPods.%s[%zu]", key, i);

        if (uid[0] == '\0')
            metadata_add_invalid(errors, path, uid, "must not be empty");
        free(path);
    }
}

static void check_counts(const struct facts *facts, struct field_errors *errors)
{
    static const char *const counts[] = {"active", "succeeded", "failed", "ready", "terminating"};

    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        check_not_negative(facts->status, "status", counts[i], errors);
    check_uncounted_list(facts, "succeeded", errors);
    check_uncounted_list(facts, "failed", errors);
}

static void check_end(const struct facts *now, const struct facts *before,
                      struct field_errors *errors)
{
    bool completes = now->complete != before->complete;
    bool timed = differ(now, before, "completionTime");

    if ((completes || now->failed != before->failed) && now->complete && now->failed)
        refuse_conditions(errors, "cannot set Complete=True and Failed=true conditions");
    if ((completes || now->failure_target != before->failure_target) && now->complete &&
        now->failure_target)
        refuse_conditions(errors, "cannot set Complete=True and FailureTarget=true conditions");
    if ((completes || timed) && now->completion_time != NULL && !now->complete)
        refuse_time(errors, "completionTime", now->completion_time,
                    "cannot set completionTime when there is no Complete=True condition");
    if ((completes || timed) && now->completion_time == NULL && now->complete)
        field_errors_add(errors, FIELD_REQUIRED, "status.completionTime",
                         "Required value: completionTime is required for Complete jobs");
}

static void check_times(const struct facts *now, const struct facts *before,
                        struct field_errors *errors)
{
    int64_t start_us;
    int64_t end_us;

    if ((differ(now, before, "startTime") || differ(now, before, "completionTime")) &&
        now->start_time != NULL && now->completion_time != NULL &&
        time_parse(now->start_time, &start_us) && time_parse(now->completion_time, &end_us) &&
        end_us < start_us)
        refuse_time(errors, "completionTime", now->completion_time,
                    "completionTime cannot be set before startTime");
}

static void append_uids(struct buffer *text, const struct json_object *list)
{
    if (list_count(list) == 0) {
        buffer_append_text(text, "[]types.UID(nil)");
        return;
    }
    buffer_append_text(text, "[]types.UID{");
    for (size_t i = 0; i < list_count(list); i++) {
        const char *uid = text_or(json_text(json_object_array_get_idx(list, i)), "");

        buffer_append_text(text, i == 0 ? "" : ", ");
        field_error_append_quoted(text, uid);
    }
    buffer_append_char(text, '}');
}

static void refuse_uncounted(const struct json_object *uncounted, struct field_errors *errors)
{
    struct buffer shown = BUFFER_INIT(64 * 1024);

    buffer_append_text(&shown, "batch.UncountedTerminatedPods{Succeeded:");
    append_uids(&shown, json_get(uncounted, "succeeded"));
    buffer_append_text(&shown, ", Failed:");
    append_uids(&shown, json_get(uncounted, "failed"));
    field_errors_add(errors, FIELD_INVALID, "status.uncountedTerminatedPods",
                     "Invalid value: %s}: uncountedTerminatedPods needs to be empty for finished "
                     "job",
                     buffer_text(&shown));
    buffer_release(&shown);
}

static void check_finished(const struct facts *now, const struct facts *before, bool suspended_none,
                           struct field_errors *errors)
{
    const struct json_object *uncounted = json_get(now->status, "uncountedTerminatedPods");
    bool finishes = is_finished(now) != is_finished(before);

    if (!is_finished(now))
        return;
    if (now->failed && now->failed != before->failed && !now->failure_target)
        refuse_conditions(
            errors, "cannot set Failed=True condition without the FailureTarget=true condition");
    if (now->complete && now->complete != before->complete && !now->success_criteria)
        refuse_conditions(
            errors,
            "cannot set Complete=True condition without the SuccessCriteriaMet=true condition");
    if ((finishes || differ(now, before, "active")) && now->active > 0)
        refuse(errors, now, "active", "active>0 is invalid for finished job");
    if ((finishes || differ(now, before, "startTime")) && now->start_time == NULL &&
        !suspended_none)
        field_errors_add(errors, FIELD_REQUIRED, "status.startTime",
                         "Required value: startTime is required for finished job");
    if ((finishes || differ(now, before, "uncountedTerminatedPods")) &&
        list_count(json_get(uncounted, "succeeded")) + list_count(json_get(uncounted, "failed")) >
            0)
        refuse_uncounted(uncounted, errors);
}

/* --- indexes --- */

/* Reads one list of indexes; an empty set when it is wrong, which was told. */
static void read_indexes(const struct facts *facts, const char *key, int64_t completions,
                         bool changed, struct index_set *set, struct field_errors *errors)
{
    struct error err = ERROR_INIT;
    char *why;

    *set = (struct index_set){0};
    if (index_set_parse(text_or(json_get_text(facts->status, key), ""), completions, set, &err) ||
        !changed)
        return;
    why = xprintf("error parsing %s: %s", key, err.text);
    refuse(errors, facts, key, why);
    free(why);
}

static void check_overlap(const struct facts *now, const struct index_set *completed,
                          const struct index_set *failed, struct field_errors *errors)
{
    int64_t index = index_set_first_common(completed, failed);
    char *why;

    if (index < 0)
        return;
    why = xprintf("failedIndexes and completedIndexes overlap at index: %lld", (long long)index);
    refuse(errors, now, "failedIndexes", why);
    free(why);
}

static void check_indexes(const struct facts *now, const struct facts *before,
                          const struct json_object *spec, struct field_errors *errors)
{
    bool completed_changed = differ(now, before, "completedIndexes");
    bool failed_changed = differ(now, before, "failedIndexes");
    bool indexed = text_equal(json_get_text(spec, "completionMode"), "Indexed");
    bool limited = json_get(spec, "backoffLimitPerIndex") != NULL;
    int64_t completions = json_get_int64(spec, "completions", 0);
    struct index_set completed = {0};
    struct index_set failed = {0};

    if (!completed_changed && !failed_changed)
        return;
    if (json_get(spec, "completions") != NULL)
        read_indexes(now, "completedIndexes", completions, completed_changed, &completed, errors);
    if (json_get(spec, "completions") != NULL && limited)
        read_indexes(now, "failedIndexes", completions, failed_changed, &failed, errors);
    if (completed_changed && !indexed &&
        !text_is_empty(json_get_text(now->status, "completedIndexes")))
        refuse(errors, now, "completedIndexes",
               "cannot set non-empty completedIndexes when non-indexed completion mode");
    if (failed_changed && !limited && json_get(now->status, "failedIndexes") != NULL)
        refuse(errors, now, "failedIndexes",
               "cannot set non-null failedIndexes when backoffLimitPerIndex is null");
    check_overlap(now, &completed, &failed, errors);
    index_set_release(&completed);
    index_set_release(&failed);
}

/* --- against the status before --- */

static void check_terminating(const struct facts *now, const struct facts *before,
                              struct field_errors *errors)
{
    if (json_get_int64(now->status, "terminating", 0) > 0 && is_finished(now) &&
        (is_finished(now) != is_finished(before) || differ(now, before, "terminating")))
        refuse(errors, now, "terminating", "terminating>0 is invalid for finished job");
    if ((differ(now, before, "ready") || differ(now, before, "active")) &&
        json_get_int64(now->status, "ready", 0) > now->active)
        refuse(errors, now, "ready", "cannot set more ready pods than active");
    if (now->success_criteria && now->failed)
        refuse_conditions(errors, "cannot set SuccessCriteriaMet=True and Failed=true conditions");
    if (now->success_criteria && now->failure_target)
        refuse_conditions(errors,
                          "cannot set SuccessCriteriaMet=True and FailureTarget=true conditions");
}

static void check_disabled(bool now, bool before, const char *type, struct field_errors *errors)
{
    char *why = xprintf("cannot disable the terminal %s=True condition", type);

    if (before && !now)
        refuse_conditions(errors, why);
    free(why);
}

static void check_transition(const struct facts *now, const struct facts *before,
                             const struct json_object *spec, struct field_errors *errors)
{
    bool shrinks = text_equal(json_get_text(spec, "completionMode"), "Indexed") &&
                   json_equal(json_get(spec, "completions"), json_get(spec, "parallelism"));

    check_disabled(now->failed, before->failed, "Failed", errors);
    check_disabled(now->complete, before->complete, "Complete", errors);
    check_disabled(now->failure_target, before->failure_target, "FailureTarget", errors);
    if (now->failures < before->failures)
        metadata_add_invalid_value(errors, "status.failed", json_get(now->status, "failed"),
                                   "cannot decrease the failed counter");
    if (now->succeeded < before->succeeded && !shrinks)
        metadata_add_invalid_value(errors, "status.succeeded", json_get(now->status, "succeeded"),
                                   "cannot decrease the succeeded counter");
    if (now->completion_time != NULL && before->completion_time != NULL &&
        strcmp(now->completion_time, before->completion_time) != 0)
        refuse_time(errors, "completionTime", now->completion_time,
                    "completionTime cannot be mutated");
    if (before->start_time != NULL && !text_equal(now->start_time, before->start_time) &&
        !json_get_bool(spec, "suspend", false))
        field_errors_add(errors, FIELD_REQUIRED, "status.startTime",
                         "Required value: startTime cannot be removed for unsuspended job");
    if (before->success_criteria && !now->success_criteria)
        refuse_conditions(errors, "cannot disable the SuccessCriteriaMet=True condition");
    if (before->complete && !before->success_criteria && now->success_criteria)
        refuse_conditions(
            errors,
            "cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions");
}

void check_job_status(const struct json_object *tree, const struct json_object *old,
                      struct field_errors *errors)
{
    const struct json_object *spec = json_get(tree, "spec");
    struct facts now = facts_of(tree);
    struct facts before = facts_of(old);
    bool suspended_none =
        json_get_bool(spec, "suspend", false) && json_get_int64(spec, "completions", 1) == 0;

    check_counts(&now, errors);
    check_end(&now, &before, errors);
    check_times(&now, &before, errors);
    check_finished(&now, &before, suspended_none, errors);
    check_indexes(&now, &before, spec, errors);
    check_terminating(&now, &before, errors);
    check_transition(&now, &before, spec, errors);
}
