/* deletes - DELETE of an object and of a collection (WIRE.md X1 to X12). */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"
#include "tests/model/writes.h"

#define DEFAULT_GRACE_SECONDS 30
#define US_OF_A_SECOND INT64_C(1000000)

/* What DeleteOptions say, wherever they stand; orphanDependents is the old way to say it. */
static const char *policy_of(const struct ask *ask)
{
    struct json_object *orphan = value_get(ask->body, "orphanDependents");

    if (orphan != NULL)
        return json_object_get_boolean(orphan) ? "Orphan" : "Background";
    if (ask->body != NULL)
        return value_text(ask->body, "propagationPolicy");
    return ask->policy == NULL ? "" : ask->policy;
}

static bool is_dry_delete(const struct ask *ask)
{
    return ask->body != NULL ? value_lists(value_get(ask->body, "dryRun"), "All") : is_dry(ask);
}

static struct json_object *check_policy(const struct ask *ask)
{
    const char *policy = policy_of(ask);
    const char *said = value_text(ask->body, "propagationPolicy");
    struct json_object *causes;

    if (value_get(ask->body, "orphanDependents") != NULL && said[0] != '\0') {
        causes = json_object_new_array();
        cause(causes, "FieldValueInvalid", "propagationPolicy",
              "Invalid value: \"%s\": orphanDependents and deletionPropagation cannot be both set",
              said);
        return refuse_options("DeleteOptions", causes);
    }
    if (policy[0] == '\0' || strcmp(policy, "Foreground") == 0 ||
        strcmp(policy, "Background") == 0 || strcmp(policy, "Orphan") == 0)
        return NULL;
    causes = json_object_new_array();
    cause(causes, "FieldValueNotSupported", "propagationPolicy",
          "Unsupported value: \"%s\": supported values: \"Foreground\", \"Background\", "
          "\"Orphan\", \"nil\"",
          policy);
    return refuse_options("DeleteOptions", causes);
}

/* X2: in the words that name the Kind. */
static struct json_object *refuse_precondition(const struct kind *kind, const char *name,
                                               const char *what, const char *want, const char *have,
                                               const char *hint)
{
    struct kind as_kind = *kind;

    as_kind.plural = kind->kind;
    return refuse_conflict(&as_kind, name,
                           "the %s in the precondition (%s) does not match the %s in record (%s). "
                           "The object might have been %s",
                           what, want, what, have, hint);
}

static struct json_object *check_preconditions(const struct ask *ask, const char *name,
                                               const struct json_object *old)
{
    const char *uid = value_text(ask->body, "preconditions.uid");
    const char *revision = value_text(ask->body, "preconditions.resourceVersion");
    const char *old_uid = value_text(old, "metadata.uid");
    const char *old_revision = value_text(old, "metadata.resourceVersion");

    if (uid[0] != '\0' && strcmp(uid, old_uid) != 0)
        return refuse_precondition(ask->kind, name, "UID", uid, old_uid,
                                   "deleted and then recreated");
    if (revision[0] != '\0' && strcmp(revision, old_revision) != 0)
        return refuse_precondition(ask->kind, name, "ResourceVersion", revision, old_revision,
                                   "modified");
    return NULL;
}

/* --- finalizers of the collector (X7) --- */

static void add_finalizer(struct json_object *list, const char *finalizer, bool wanted)
{
    if (wanted)
        value_add_text(list, finalizer);
}

/* The others stay in front; nothing changes when the same ones come out. */
static void set_finalizers(const struct ask *ask, struct json_object *metadata)
{
    const char *policy = policy_of(ask);
    struct json_object *old = value_get(metadata, "finalizers");
    bool had_orphan = value_lists(old, "orphan");
    bool had_foreground = value_lists(old, "foregroundDeletion");
    bool orphan = policy[0] == '\0' ? had_orphan : strcmp(policy, "Orphan") == 0;
    bool foreground = policy[0] == '\0' ? had_foreground : strcmp(policy, "Foreground") == 0;
    struct json_object *list;

    if (orphan == had_orphan && foreground == had_foreground)
        return;
    list = json_object_new_array();
    for (size_t i = 0; i < value_length(old); i++) {
        const char *finalizer = json_object_get_string(value_item(old, i));

        if (strcmp(finalizer, "orphan") != 0 && strcmp(finalizer, "foregroundDeletion") != 0)
            value_add_text(list, finalizer);
    }
    add_finalizer(list, "orphan", orphan);
    add_finalizer(list, "foregroundDeletion", foreground);
    value_put(metadata, "finalizers", list);
    value_drop_if_empty(metadata, "finalizers");
}

/* --- marks --- */

static void mark(const struct model *model, struct json_object *object, int64_t grace)
{
    struct json_object *metadata = value_get(object, "metadata");
    int64_t generation = value_int(metadata, "generation", 0);

    put_time(metadata, "deletionTimestamp", model->now_us + grace * US_OF_A_SECOND);
    value_put_int(metadata, "deletionGracePeriodSeconds", grace);
    if (generation > 0)
        value_put_int(metadata, "generation", generation + 1);
}

/* X8: how long a pod is given. */
static int64_t grace_of(const struct ask *ask, const struct json_object *pod)
{
    const char *phase = value_text(pod, "status.phase");
    int64_t grace =
        value_int(ask->body, "gracePeriodSeconds",
                  value_int(pod, "spec.terminationGracePeriodSeconds", DEFAULT_GRACE_SECONDS));

    if (value_text(pod, "spec.nodeName")[0] == '\0' || strcmp(phase, "Succeeded") == 0 ||
        strcmp(phase, "Failed") == 0)
        return 0;
    return grace < 0 ? 1 : grace;
}

enum outcome { OUTCOME_GONE, OUTCOME_WAITS, OUTCOME_PENDING };

/* A pod that was told to end may only be told to hurry. */
static enum outcome hurry(const struct ask *ask, struct json_object *metadata)
{
    int64_t before = value_int(metadata, "deletionGracePeriodSeconds", 0);
    int64_t grace = value_int(ask->body, "gracePeriodSeconds", before);
    int64_t at = time_of(value_text(metadata, "deletionTimestamp"));

    if (grace >= before)
        return OUTCOME_PENDING;
    put_time(metadata, "deletionTimestamp", (at - before + grace) * US_OF_A_SECOND);
    value_put_int(metadata, "deletionGracePeriodSeconds", grace);
    return OUTCOME_WAITS;
}

static enum outcome end_pod(const struct model *model, const struct ask *ask,
                            struct json_object *pod)
{
    struct json_object *metadata = value_get(pod, "metadata");

    if (value_get(metadata, "deletionTimestamp") == NULL)
        mark(model, pod, grace_of(ask, pod));
    else if (hurry(ask, metadata) == OUTCOME_PENDING)
        return OUTCOME_PENDING;
    set_finalizers(ask, metadata);
    return value_length(value_get(metadata, "finalizers")) == 0 &&
                   value_int(metadata, "deletionGracePeriodSeconds", 0) == 0
               ? OUTCOME_GONE
               : OUTCOME_WAITS;
}

/* Nothing of its own holds it any more: it goes on as any object. */
static enum outcome end_ended_namespace(const struct ask *ask, struct json_object *metadata)
{
    set_finalizers(ask, metadata);
    value_put_int(metadata, "deletionGracePeriodSeconds", 0);
    return value_length(value_get(metadata, "finalizers")) == 0 ? OUTCOME_GONE : OUTCOME_WAITS;
}

/* X10 */
static enum outcome end_namespace(const struct model *model, const struct ask *ask,
                                  struct json_object *object)
{
    struct json_object *metadata = value_get(object, "metadata");

    if (value_get(metadata, "deletionTimestamp") != NULL)
        return value_length(value_at(object, "spec.finalizers")) > 0
                   ? OUTCOME_PENDING
                   : end_ended_namespace(ask, metadata);
    set_finalizers(ask, metadata);
    put_time(metadata, "deletionTimestamp", model->now_us);
    value_put_text(value_within(object, "status"), "phase", "Terminating");
    return OUTCOME_WAITS;
}

static enum outcome end_object(const struct model *model, const struct ask *ask,
                               struct json_object *object)
{
    struct json_object *metadata = value_get(object, "metadata");

    set_finalizers(ask, metadata);
    if (value_length(value_get(metadata, "finalizers")) == 0)
        return OUTCOME_GONE;
    if (value_get(metadata, "deletionTimestamp") == NULL)
        mark(model, object, 0);
    return OUTCOME_WAITS;
}

/* --- one object --- */

/* X3 */
static struct json_object *say_gone(const struct kind *kind, const struct json_object *old)
{
    struct json_object *status =
        value_of("{'kind':'Status','apiVersion':'v1','metadata':{},'status':'Success'}");

    add_details(status, kind, value_text(old, "metadata.name"));
    value_put_text(value_get(status, "details"), "uid", value_text(old, "metadata.uid"));
    return status;
}

static void write_outcome(struct model *model, const struct ask *ask, enum outcome outcome,
                          const struct json_object *old, struct json_object *object,
                          struct answer *answer)
{
    const struct kind *kind = ask->kind;
    bool dry = is_dry_delete(ask);
    struct json_object *orphan = value_get(ask->body, "orphanDependents");

    if (outcome != OUTCOME_GONE && orphan != NULL && !json_object_get_boolean(orphan))
        answer->code = 202; /* X4 */
    if (outcome == OUTCOME_WAITS && !value_equal(old, object) && !dry)
        model_add(model, CHANGE_MODIFIED, kind, json_object_get(object));
    if (outcome == OUTCOME_GONE && kind->graceful && !dry && !value_equal(old, object))
        model_add(model, CHANGE_MODIFIED, kind, json_object_get(object));
    if (outcome == OUTCOME_GONE && !dry)
        model_add(model, CHANGE_DELETED, kind, value_copy(kind->graceful ? object : old));
    if (outcome == OUTCOME_GONE && !kind->delete_shows)
        answer->body = say_gone(kind, old);
    else if (outcome == OUTCOME_GONE)
        answer->body = shown(kind, ask->other_version,
                             dry ? old : model->events[model->event_count - 1].object);
    else
        answer->body = shown(kind, ask->other_version, object);
}

static bool is_immortal(const char *name)
{
    return strcmp(name, "default") == 0 || strcmp(name, "kube-system") == 0 ||
           strcmp(name, "kube-public") == 0;
}

static struct json_object *delete_one(struct model *model, const struct ask *ask,
                                      const char *namespace, const char *name,
                                      struct answer *answer)
{
    const struct event *event = model_find(model, ask->kind, namespace, name, model->revision);
    struct json_object *status = NULL;
    struct json_object *object;
    struct json_object *old;
    enum outcome outcome;

    if (ask->kind->is_namespace && is_immortal(name))
        return refuse_forbidden(ask->kind, name, "this namespace may not be deleted");
    if (event == NULL)
        return refuse_missing(ask->kind, name);
    old = json_object_get(event->object); /* the list of events may move */
    status = check_preconditions(ask, name, old);
    if (status == NULL) {
        object = value_copy(old);
        outcome = ask->kind->graceful       ? end_pod(model, ask, object)
                  : ask->kind->is_namespace ? end_namespace(model, ask, object)
                                            : end_object(model, ask, object);
        write_outcome(model, ask, outcome, old, object, answer);
        json_object_put(object);
    }
    json_object_put(old);
    return status;
}

/* --- a collection (X11) --- */

static struct json_object *delete_all(struct model *model, const struct ask *ask,
                                      struct answer *answer)
{
    struct ask list = *ask;
    struct answer listed = {.code = 200};
    struct json_object *items;
    struct json_object *status = NULL;

    list.verb = VERB_LIST;
    list.body = NULL;
    model_read(model, &list, &listed);
    if (listed.code != 200)
        return listed.body;
    items = value_get(listed.body, "items");
    for (size_t i = 0; i < value_length(items) && status == NULL; i++) {
        const struct json_object *item = value_item(items, i);
        struct answer one = {.code = 200};

        status = delete_one(model, ask, value_text(item, "metadata.namespace"),
                            value_text(item, "metadata.name"), &one);
        answer_release(&one);
    }
    if (status == NULL)
        answer->body = listed.body;
    else
        json_object_put(listed.body);
    return status;
}

/* D4 */
static struct json_object *refuse_method(void)
{
    struct json_object *status = refuse(
        405, "MethodNotAllowed", "the server does not allow this method on the requested resource");

    (void)value_within(status, "details");
    return status;
}

void model_delete(struct model *model, const struct ask *ask, struct answer *answer)
{
    struct json_object *status = NULL;

    if (ask->verb == VERB_DELETE_ALL && ask->kind->is_namespace)
        status = refuse_method();
    if (status == NULL)
        status = check_policy(ask);
    if (status == NULL && ask->verb == VERB_DELETE)
        status =
            delete_one(model, ask, ask->namespace == NULL ? "" : ask->namespace, ask->name, answer);
    else if (status == NULL)
        status = delete_all(model, ask, answer);
    if (status != NULL)
        answer_refuse(answer, status);
}
