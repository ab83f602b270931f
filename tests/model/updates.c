/* updates - PUT and PATCH, of objects and of their status (WIRE.md U1 to U12, X6, P1 to P12). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/patches.h"
#include "tests/model/refusals.h"
#include "tests/model/writes.h"

/** An update under way. */
struct update {
    struct model *model;
    const struct ask *ask;
    const struct kind *kind;
    const struct event *event;     /* of what is stored; NULL: nothing is */
    const struct json_object *old; /* its object */
    struct answer *answer;
};

/* --- what is asked for --- */

/* U1 */
static struct json_object *check_names(const struct update *update,
                                       const struct json_object *object)
{
    const char *name = value_text(object, "metadata.name");

    if (name[0] == '\0')
        return refuse_bad("the name of the object (%s based on URL) was undeterminable: name must "
                          "be provided",
                          update->ask->name);
    if (strcmp(name, update->ask->name) != 0)
        return refuse_bad("the name of the object (%s) does not match the name on the URL (%s)",
                          name, update->ask->name);
    return NULL;
}

/* U5 */
static struct json_object *check_uid(const struct update *update, const struct json_object *object)
{
    const struct ask *ask = update->ask;
    const char *uid = value_text(object, "metadata.uid");
    const char *have = value_text(update->old, "metadata.uid");
    bool namespaced = ask->namespace != NULL;

    if (uid[0] == '\0' || strcmp(uid, have) == 0)
        return NULL;
    return refuse_conflict(update->kind, ask->name,
                           "StorageError: invalid object, Code: 4, Key: %s/%s%s%s, "
                           "ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in "
                           "precondition: %s, UID in object meta: %s",
                           update->kind->etcd, namespaced ? ask->namespace : "",
                           namespaced ? "/" : "", ask->name, uid, have);
}

/* U3, U4 */
static struct json_object *check_revision(const struct update *update,
                                          const struct json_object *object)
{
    const char *revision = value_text(object, "metadata.resourceVersion");
    struct kind as_resource = *update->kind;
    struct json_object *causes;

    if (revision[0] != '\0') {
        if (strcmp(revision, value_text(update->old, "metadata.resourceVersion")) == 0)
            return NULL;
        return refuse_conflict(update->kind, update->ask->name,
                               "the object has been modified; please apply your changes to the "
                               "latest version and try again");
    }
    if (!update->kind->needs_revision)
        return NULL;
    as_resource.kind = update->kind->plural;
    causes = json_object_new_array();
    cause(causes, "FieldValueInvalid", "metadata.resourceVersion",
          "Invalid value: 0x0: must be specified for an update");
    return refuse_invalid(&as_resource, update->ask->name, causes);
}

/* --- what becomes of the object --- */

/* U11: what this endpoint does not write stays as it is. */
static struct json_object *confine(const struct update *update, struct json_object *object)
{
    const struct kind *kind = update->kind;
    struct json_object *result;

    if (update->ask->sub == NULL) {
        if (kind->status)
            value_keep(object, update->old, "status");
        if (kind->is_namespace)
            value_keep(value_within(object, "spec"), value_get(update->old, "spec"), "finalizers");
        return json_object_get(object);
    }
    result = value_copy(update->old);
    if (strcmp(update->ask->sub, "status") == 0)
        value_keep(result, object, "status");
    else
        value_keep(value_within(result, "spec"), value_get(object, "spec"), "finalizers");
    return result;
}

/* U6: what is the server's is restored. */
static void restore(const struct update *update, struct json_object *object)
{
    static const char *const kept[] = {"creationTimestamp", "generation", "namespace",
                                       "resourceVersion"};
    struct json_object *metadata = value_get(object, "metadata");
    const struct json_object *old = value_get(update->old, "metadata");

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
        value_keep(metadata, old, kept[i]);
    value_drop(metadata, "managedFields");
    if (value_text(metadata, "uid")[0] == '\0')
        value_keep(metadata, old, "uid");
    if (value_get(old, "deletionTimestamp") != NULL) {
        value_keep(metadata, old, "deletionTimestamp");
        value_keep(metadata, old, "deletionGracePeriodSeconds");
    }
}

/* U10: all but metadata, and but the status where that is written apart. */
static void count_generation(const struct update *update, struct json_object *object)
{
    struct json_object *now = value_copy(object);
    struct json_object *before = value_copy(update->old);
    static const char *const apart[] = {"metadata", "apiVersion", "kind"};

    for (size_t i = 0; i < sizeof(apart) / sizeof(apart[0]); i++) {
        value_drop(now, apart[i]);
        value_drop(before, apart[i]);
    }
    if (update->kind->status) {
        value_drop(now, "status");
        value_drop(before, "status");
    }
    if (update->kind->counted && !value_equal(now, before))
        value_put_int(value_get(object, "metadata"), "generation",
                      value_int(update->old, "metadata.generation", 0) + 1);
    json_object_put(now);
    json_object_put(before);
}

/* X6 */
static bool is_over(const struct update *update, const struct json_object *object)
{
    return value_at(update->old, "metadata.deletionTimestamp") != NULL &&
           value_int(update->old, "metadata.deletionGracePeriodSeconds", 0) == 0 &&
           value_length(value_at(object, "metadata.finalizers")) == 0 &&
           (!update->kind->is_namespace || value_length(value_at(object, "spec.finalizers")) == 0);
}

static void answer_object(const struct update *update, const struct json_object *object)
{
    update->answer->body = shown(update->kind, update->ask->other_version, object);
}

/* Writes the object, unless it is what is there already (S4). */
static void commit(const struct update *update, struct json_object *object)
{
    const struct kind *kind = update->kind;
    struct json_object *before = shown(kind, false, update->old);
    struct json_object *after = shown(kind, false, object);
    bool same = value_equal(before, after);

    json_object_put(before);
    json_object_put(after);
    if (is_dry(update->ask) || same) {
        answer_object(update, object);
    } else if (is_over(update, object)) {
        answer_object(update, object);
        model_add(update->model, CHANGE_DELETED, kind, value_copy(update->old));
    } else {
        model_add(update->model, CHANGE_MODIFIED, kind, json_object_get(object));
        answer_object(update, object);
    }
}

/* object is whole and in the version of the request. */
static struct json_object *replace(const struct update *update, struct json_object *object)
{
    struct json_object *status;
    struct json_object *result;

    complete(update->kind, object, update->old);
    result = confine(update, object);
    restore(update, result);
    complete(update->kind, result, update->old);
    count_generation(update, result);
    status = check_object(update->kind, result, update->old);
    if (status == NULL) {
        warn_of_finalizers(update->kind, result, update->old, update->answer);
        commit(update, result);
    }
    json_object_put(result);
    return status;
}

/* --- PUT --- */

/* U2: whatever version the body says. */
static struct json_object *create_instead(const struct update *update)
{
    struct ask ask = *update->ask;

    ask.verb = VERB_CREATE;
    ask.body = value_copy(update->ask->body);
    value_drop(value_get(ask.body, "metadata"), "resourceVersion");
    model_create(update->model, &ask, update->answer);
    json_object_put(ask.body);
    return NULL;
}

static struct json_object *put(const struct update *update, struct json_object *object)
{
    const struct ask *ask = update->ask;
    struct json_object *status = check_head(ask, object);

    if (status == NULL)
        status = drop_unknown(ask, object, update->answer);
    if (status == NULL)
        status = fit_namespace(ask, object);
    if (status == NULL)
        status = check_names(update, object);
    if (status == NULL)
        status = check_uid(update, object);
    if (status != NULL)
        return status;
    if (update->old == NULL)
        return update->kind->update_creates ? create_instead(update)
                                            : refuse_missing(update->kind, ask->name);
    status = check_namespace(update->model, ask, ask->name, false);
    if (status == NULL)
        status = check_revision(update, object);
    return status != NULL ? status : replace(update, object);
}

/* --- PATCH --- */

/* P9 */
static struct json_object *refuse_patch(void)
{
    struct json_object *status =
        refuse(422, "Invalid", "the server rejected our request due to an error in our request");

    (void)value_within(status, "details");
    return status;
}

static struct json_object *patch_object(const struct update *update)
{
    const struct ask *ask = update->ask;
    struct json_object *before;
    struct json_object *object;
    struct json_object *status;

    before = shown(update->kind, ask->other_version, update->old);
    object =
        ask->verb == VERB_MERGE ? merge_patch(before, ask->body) : json_patch(before, ask->body);
    json_object_put(before);
    if (object == NULL)
        return refuse_patch();
    status = drop_unknown(ask, object, update->answer);
    if (status == NULL)
        status = fit_namespace(ask, object);
    if (status == NULL)
        status = check_names(update, object);
    if (status == NULL)
        status = check_namespace(update->model, ask, ask->name, false);
    if (status == NULL)
        status = check_revision(update, object);
    if (status == NULL)
        status = replace(update, object);
    json_object_put(object);
    return status;
}

void model_update(struct model *model, const struct ask *ask, struct answer *answer)
{
    struct update update = {.model = model, .ask = ask, .kind = ask->kind, .answer = answer};
    struct json_object *status = NULL;

    update.event = model_find(model, ask->kind, ask->namespace == NULL ? "" : ask->namespace,
                              ask->name, model->revision);
    if (update.event != NULL)
        update.old = update.event->object;
    if (ask->sub != NULL && !ask->kind->status)
        status = refuse_missing(ask->kind, ask->name); /* U12: there is no such path */
    if (status == NULL)
        status = check_options(ask, ask->verb == VERB_UPDATE ? "UpdateOptions" : "PatchOptions");
    if (status == NULL && ask->verb == VERB_UPDATE) {
        struct json_object *object = value_copy(ask->body);

        status = put(&update, object);
        json_object_put(object);
    } else if (status == NULL) {
        status = update.old == NULL ? refuse_missing(ask->kind, ask->name) : patch_object(&update);
    }
    if (status != NULL)
        answer_refuse(answer, status);
}
