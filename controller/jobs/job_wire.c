#include "controller/jobs/job_wire.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

static size_t length(const struct json_object *array)
{
    return array == NULL ? 0 : json_object_array_length(array);
}

static enum job_condition_type condition_type(const char *type)
{
    if (text_equal(type, "Complete"))
        return JOB_CONDITION_COMPLETE;
    if (text_equal(type, "Failed"))
        return JOB_CONDITION_FAILED;
    if (text_equal(type, "SuccessCriteriaMet") || text_equal(type, "FailureTarget"))
        return JOB_CONDITION_EARLY;
    return JOB_CONDITION_OTHER;
}

static void read_conditions(const struct json_object *status, struct job *job)
{
    const struct json_object *array = json_get_array(status, "conditions");

    job->conditions = xcalloc(length(array) + 1, sizeof(*job->conditions));
    for (size_t i = 0; i < length(array); i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);

        if (!text_equal(json_get_text(item, "status"), "True"))
            continue;
        job->conditions[job->condition_count++] = (struct job_condition){
            .type = condition_type(json_get_text(item, "type")),
            .reason = xstrdup(text_or(json_get_text(item, "reason"), "")),
            .message = xstrdup(text_or(json_get_text(item, "message"), "")),
        };
    }
}

/* A member of an object's text as a tree, NULL when absent: the rest of it is never built. */
static struct json_object *parse_member(struct json_slice object, const char *key)
{
    struct json_slice member;

    if (object.bytes == NULL || object.bytes[0] != '{')
        return NULL;
    member = json_slice_get(object, key);
    return member.bytes == NULL ? NULL : json_slice_parse(member);
}

/* The first controller among the owners, of that kind unless it is NULL; NULL: none. */
static const struct json_object *find_controller(const struct json_object *owners, const char *kind)
{
    for (size_t i = 0; json_is(owners, json_type_array) && i < length(owners); i++) {
        const struct json_object *item = json_object_array_get_idx(owners, i);

        if (json_get_bool(item, "controller", false) &&
            (kind == NULL || text_equal(json_get_text(item, "kind"), kind)))
            return item;
    }
    return NULL;
}

/* The uid of that controller; NULL: none. */
static char *controller_uid(const struct json_object *owners, const char *kind)
{
    const struct json_object *owner = find_controller(owners, kind);

    return owner == NULL ? NULL : xstrdup(text_or(json_get_text(owner, "uid"), ""));
}

static void read_metadata(struct json_slice metadata, struct job *job)
{
    struct json_object *deleted = parse_member(metadata, "deletionTimestamp");
    struct json_object *owners = parse_member(metadata, "ownerReferences");
    char *version = json_slice_text(json_slice_get(metadata, "resourceVersion"));

    job->uid = json_slice_text(json_slice_get(metadata, "uid"));
    job->resource_version = version == NULL ? xstrdup("") : version;
    job->deleting = json_text(deleted) != NULL;
    job->owner_uid = controller_uid(owners, "Agent");
    json_object_put(deleted);
    json_object_put(owners);
}

void job_read(struct json_slice object, struct job *ret_job)
{
    struct json_object *status = parse_member(object, "status");
    struct job job = {
        .active = json_get_int64(status, "active", 0),
        .terminating = json_get_int64(status, "terminating", 0),
        .succeeded = json_get_int64(status, "succeeded", 0),
        .failed = json_get_int64(status, "failed", 0),
    };

    read_metadata(json_slice_get(object, "metadata"), &job);
    read_conditions(status, &job);
    json_object_put(status);
    *ret_job = job;
}

void job_release(struct job *job)
{
    for (size_t i = 0; i < job->condition_count; i++) {
        free(job->conditions[i].reason);
        free(job->conditions[i].message);
    }
    free(job->conditions);
    free(job->owner_uid);
    free(job->resource_version);
    free(job->uid);
    *job = (struct job){0};
}

bool job_owner_read(struct json_slice metadata, struct job_owner *ret_owner)
{
    struct json_object *deleted = parse_member(metadata, "deletionTimestamp");
    struct json_object *owners = parse_member(metadata, "ownerReferences");
    const struct json_object *owner = find_controller(owners, "Agent");
    bool found = deleted == NULL && owner != NULL;

    if (found)
        *ret_owner = (struct job_owner){.name = xstrdup(text_or(json_get_text(owner, "name"), "")),
                                        .uid = xstrdup(text_or(json_get_text(owner, "uid"), ""))};
    json_object_put(deleted);
    json_object_put(owners);
    return found;
}

void job_owner_release(struct job_owner *owner)
{
    free(owner->name);
    free(owner->uid);
    *owner = (struct job_owner){0};
}

static enum pod_phase pod_phase(const char *phase)
{
    if (text_equal(phase, "Succeeded"))
        return POD_SUCCEEDED;
    return text_equal(phase, "Failed") ? POD_FAILED : POD_OTHER;
}

static void read_exit_code(const struct json_object *status, struct pod *pod)
{
    const struct json_object *array = json_get_array(status, "containerStatuses");

    for (size_t i = 0; i < length(array); i++) {
        const struct json_object *item = json_object_array_get_idx(array, i);
        const struct json_object *code;

        if (!text_equal(json_get_text(item, "name"), "agent"))
            continue;
        code = json_walk(item, "state", "terminated", "exitCode", NULL);
        pod->has_exit_code = json_is(code, json_type_int);
        if (pod->has_exit_code)
            pod->exit_code = json_object_get_int64(code);
        return;
    }
}

/** False when it has no name. */
static bool read_pod(struct json_slice item, struct pod *ret_pod)
{
    struct json_object *metadata = parse_member(item, "metadata");
    struct json_object *status = parse_member(item, "status");
    const char *name = json_get_text(metadata, "name");
    const char *created = json_get_text(metadata, "creationTimestamp");
    struct pod pod = {.phase = pod_phase(json_get_text(status, "phase"))};
    bool named = !text_is_empty(name);

    if (named) {
        pod.name = xstrdup(name);
        pod.owner_uid = controller_uid(json_get_array(metadata, "ownerReferences"), NULL);
        if (created == NULL || !time_parse(created, &pod.created_at_us))
            pod.created_at_us = INT64_MIN;
        read_exit_code(status, &pod);
        *ret_pod = pod;
    }
    json_object_put(metadata);
    json_object_put(status);
    return named;
}

void pod_list_read(struct json_slice object, struct pod_list *ret_pods)
{
    struct json_slice items = json_slice_get(object, "items");
    struct pod_list list = {0};
    struct json_slice item;
    struct pod pod;

    if (items.bytes != NULL && items.bytes[0] == '[') {
        for (size_t next = 0; json_slice_next(items, &next, &item);) {
            if (item.bytes[0] != '{' || !read_pod(item, &pod))
                continue;
            list.pods = xrealloc(list.pods, (list.count + 1) * sizeof(*list.pods));
            list.pods[list.count++] = pod;
        }
    }
    *ret_pods = list;
}

void pod_list_release(struct pod_list *pods)
{
    for (size_t i = 0; i < pods->count; i++) {
        free(pods->pods[i].name);
        free(pods->pods[i].owner_uid);
    }
    free(pods->pods);
    *pods = (struct pod_list){0};
}
