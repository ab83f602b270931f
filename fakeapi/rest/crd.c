/* crd - the life of a CustomResourceDefinition: names accepted, established, served, ended. */
#include "fakeapi/rest/crd.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/rest/parts.h"
#include "fakeapi/rest/revise.h"
#include "fakeapi/rest/write.h"

#define FINALIZER_CLEANUP "customresourcecleanup.apiextensions.k8s.io"

/* --- conditions --- */

struct condition {
    const char *type;
    const char *status;
    const char *reason;
    const char *message;
};

static struct json_object *find_condition(struct json_object *conditions, const char *type)
{
    for (size_t i = 0; i < json_object_array_length(conditions); i++) {
        struct json_object *item = json_object_array_get_idx(conditions, i);

        if (text_equal(json_get_text(item, "type"), type))
            return item;
    }
    return NULL;
}

static void set_condition(struct rest *rest, struct json_object *tree,
                          const struct condition *condition)
{
    struct json_object *status = json_ensure_object(tree, "status");
    struct json_object *conditions = json_get_array(status, "conditions");
    struct json_object *item;
    char now[TIME_TEXT_SIZE];

    if (conditions == NULL) {
        conditions = json_object_new_array();
        json_set(status, "conditions", conditions);
    }
    item = find_condition(conditions, condition->type);
    if (item == NULL) {
        item = json_object_new_object();
        json_set_text(item, "type", condition->type);
        json_add(conditions, item);
    }
    if (!text_equal(json_get_text(item, "status"), condition->status)) {
        time_format(runtime_wall_us(rest->rt), now);
        json_set_text(item, "lastTransitionTime", now);
    }
    json_set_text(item, "status", condition->status);
    json_set_text(item, "reason", condition->reason);
    json_set_text(item, "message", condition->message);
}

/* Stores the changed metadata and status of the definition as it is now; nothing here changes its
 * spec. It can only fail by its size: then the definition stays as it is. */
static void save(struct rest *rest, const char *name, struct json_object *tree)
{
    const struct store_object *now = store_get(rest->definitions, NULL, name);
    const struct store_parts parts = {.metadata = json_get(tree, "metadata"),
                                      .status = json_get(tree, "status")};
    struct error err = ERROR_INIT;
    struct log_field fields[] = {LOG_TEXT("name", name), LOG_TEXT("why", err.text)};
    struct log_record record = {LOG_WARN, "definition not saved", fields, ARRAY_SIZE(fields)};

    if (!store_update_parts(rest->definitions, now, &parts, NULL, &err))
        runtime_log(rest->rt, &record);
}

/* --- names (R4) --- */

static bool holds_text(char *const *texts, size_t count, const char *text)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(texts[i], text) == 0)
            return true;
    return false;
}

/* Whether a name is one of another kind of the group: as plural, singular or short name. */
static bool is_taken(const struct kind *other, const char *name)
{
    return strcmp(other->plural, name) == 0 || strcmp(other->singular, name) == 0 ||
           holds_text(other->short_names, other->short_name_count, name);
}

static bool conflicts_with(const struct kind *other, const struct kind *kind,
                           const char **ret_reason, const char **ret_name)
{
    *ret_reason = "PluralConflict";
    *ret_name = kind->plural;
    if (is_taken(other, kind->plural))
        return true;
    *ret_reason = "SingularConflict";
    *ret_name = kind->singular;
    if (is_taken(other, kind->singular))
        return true;
    *ret_reason = "ShortNamesConflict";
    for (size_t i = 0; i < kind->short_name_count; i++) {
        *ret_name = kind->short_names[i];
        if (is_taken(other, kind->short_names[i]))
            return true;
    }
    *ret_reason = "KindConflict";
    *ret_name = kind->kind;
    if (strcmp(other->kind, kind->kind) == 0 || strcmp(other->list_kind, kind->kind) == 0)
        return true;
    *ret_reason = "ListKindConflict";
    *ret_name = kind->list_kind;
    return strcmp(other->kind, kind->list_kind) == 0 ||
           strcmp(other->list_kind, kind->list_kind) == 0;
}

static bool find_conflict(const struct rest *rest, const struct kind *kind, const char **ret_reason,
                          const char **ret_name)
{
    for (size_t i = 0; i < kinds_count(rest->kinds); i++) {
        const struct kind *other = kinds_at(rest->kinds, i);

        if (strcmp(other->group, kind->group) != 0 || strcmp(other->plural, kind->plural) == 0)
            continue;
        if (conflicts_with(other, kind, ret_reason, ret_name))
            return true;
    }
    return false;
}

static void refuse_names(struct rest *rest, const char *name, struct json_object *tree,
                         const char *reason, const char *taken)
{
    static const struct condition not_established = {"Established", "False", "NotAccepted",
                                                     "not all names are accepted"};
    char *message = xprintf("\"%s\" is already in use", taken);
    struct condition not_accepted = {"NamesAccepted", "False", reason, message};

    set_condition(rest, tree, &not_accepted);
    set_condition(rest, tree, &not_established);
    save(rest, name, tree);
    free(message);
}

/* --- serving --- */

static bool is_established(struct json_object *tree)
{
    struct json_object *conditions = json_get_array(json_get(tree, "status"), "conditions");
    struct json_object *item =
        conditions == NULL ? NULL : find_condition(conditions, "Established");

    return text_equal(json_get_text(item, "status"), "True");
}

/* Two writes, as two controllers of the real server make them (R4). */
static void establish(struct rest *rest, const char *name, struct json_object *tree)
{
    static const struct condition accepted = {"NamesAccepted", "True", "NoConflicts",
                                              "no conflicts found"};
    static const struct condition installing = {"Established", "False", "Installing",
                                                "the initial names have been accepted"};
    static const struct condition established = {"Established", "True", "InitialNamesAccepted",
                                                 "the initial names have been accepted"};
    struct json_object *names = json_walk(tree, "spec", "names", NULL);

    json_set(json_ensure_object(tree, "status"), "acceptedNames", json_copy(names));
    set_condition(rest, tree, &accepted);
    if (!is_established(tree)) {
        set_condition(rest, tree, &installing);
        save(rest, name, tree);
    }
    set_condition(rest, tree, &established);
    save(rest, name, tree);
}

/* R5 */
static void note_newness(struct rest *rest, struct kind *kind, const struct kind *before)
{
    if (before != NULL)
        kind->hold_until_us = before->hold_until_us;
    else if (!rest->loading)
        kind->hold_until_us = runtime_elapsed_us(rest->rt) + ESTABLISHMENT_HOLD_US;
}

static void serve(struct rest *rest, const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    char *name = xstrdup(object->name);
    struct kind *kind = crd_kind(rest->kinds, tree);
    const char *reason;
    const char *taken;

    if (find_conflict(rest, kind, &reason, &taken)) {
        refuse_names(rest, name, tree, reason, taken);
        kind_unref(kind);
    } else {
        note_newness(rest, kind, kinds_find(rest->kinds, kind->group, kind->plural));
        revise_note_schemas(kind, kinds_find(rest->kinds, kind->group, kind->plural));
        kind = kinds_put(rest->kinds, kind);
        store_end_watches(rest->store, kind->objects, false); /* W13 */
        establish(rest, name, tree);
    }
    free(name);
    json_object_put(tree);
}

/* --- the end (R8) --- */

void crd_mark_deleted(struct rest *rest, struct json_object *tree)
{
    static const struct condition terminating = {
        "Terminating", "True", "InstanceDeletionPending",
        "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"};
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct json_object *finalizers = json_get_array(metadata, "finalizers");

    if (json_get(metadata, "deletionTimestamp") != NULL)
        return;
    set_condition(rest, tree, &terminating);
    for (size_t i = 0; i < json_object_array_length(finalizers); i++)
        if (text_equal(json_text(json_object_array_get_idx(finalizers, i)), FINALIZER_CLEANUP))
            return;
    json_add(finalizers, json_object_new_string(FINALIZER_CLEANUP));
}

static struct kind *served_kind(const struct rest *rest, const struct json_object *tree)
{
    const struct json_object *spec = json_get(tree, "spec");
    struct kind *kind = kinds_find(rest->kinds, text_or(json_get_text(spec, "group"), ""),
                                   text_or(json_get_text(json_get(spec, "names"), "plural"), ""));

    return kind != NULL && kind->row == NULL ? kind : NULL;
}

static void delete_instances(struct rest *rest, struct kind *kind)
{
    struct store_snapshot *snapshot = store_snapshot_new(kind->objects);
    struct delete_request request = {.options = {.propagation = REST_BACKGROUND}};

    for (size_t i = 0; i < store_snapshot_count(snapshot); i++) {
        const struct store_object *object = store_snapshot_object(snapshot, i);
        struct write write = {.rest = rest,
                              .kind = kind,
                              .version = kind_storage_version(kind),
                              .namespace = object->namespace,
                              .name = object->name};
        enum delete_outcome outcome;

        if (!object->deleting && !write_delete(&write, &request, &outcome))
            rest_status_release(&write.status); /* gone already: as wanted */
        write_release(&write);
    }
    store_snapshot_free(snapshot);
}

static void remove_finalizer(struct json_object *tree)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    struct json_object *list = json_get_array(metadata, "finalizers");

    for (size_t i = list == NULL ? 0 : json_object_array_length(list); i > 0; i--)
        if (text_equal(json_text(json_object_array_get_idx(list, i - 1)), FINALIZER_CLEANUP))
            json_object_array_del_idx(list, i - 1, 1);
    if (list != NULL && json_object_array_length(list) == 0)
        json_object_object_del(metadata, "finalizers");
}

/* No object is left: the definition may go, when nobody else holds it. */
static void complete(struct rest *rest, const char *name, struct json_object *tree, bool was_served)
{
    const struct condition completed = {
        "Terminating", "False", was_served ? "InstanceDeletionCompleted" : "NeverEstablished",
        was_served ? "removed all instances" : "resource was never established"};
    struct error err = ERROR_INIT;

    set_condition(rest, tree, &completed);
    save(rest, name, tree);
    remove_finalizer(tree);
    if (json_walk(tree, "metadata", "finalizers", NULL) != NULL)
        save(rest, name, tree);
    else if (!store_delete(rest->definitions, store_get(rest->definitions, NULL, name), NULL, &err))
        return; /* not reached: it is what was just read */
}

static void terminate(struct rest *rest, const struct store_object *object)
{
    static const struct condition in_progress = {"Terminating", "True",
                                                 "InstanceDeletionInProgress",
                                                 "CustomResource deletion is in progress"};
    struct json_object *tree = store_object_parse(object);
    struct kind *kind = served_kind(rest, tree);
    char *name = xstrdup(object->name);

    if (kind != NULL && !kind->terminating) {
        kind->terminating = true;
        set_condition(rest, tree, &in_progress);
        save(rest, name, tree);
        delete_instances(rest, kind);
    }
    if (kind == NULL || store_resource_count(kind->objects) == 0)
        complete(rest, name, tree, kind != NULL);
    free(name);
    json_object_put(tree);
}

/* --- told of changes --- */

static void definition_changed(struct rest *rest, const struct store_event *event)
{
    const struct store_object *now = store_get(rest->definitions, NULL, event->object->name);
    struct kind *kind;
    struct json_object *tree;

    if (now == NULL) {
        tree = store_object_parse(event->object);
        kind = served_kind(rest, tree);
        if (kind != NULL && store_resource_count(kind->objects) == 0)
            kinds_remove(rest->kinds, kind);
        json_object_put(tree);
    } else if (now->deleting) {
        if (store_object_has_finalizer(now, FINALIZER_CLEANUP))
            terminate(rest, now);
    } else if (event->change == STORE_ADDED ||
               event->object->generation != event->old->generation) {
        serve(rest, now);
    }
}

/* The last object of a kind whose definition is on its way out. */
static void instance_gone(struct rest *rest, const struct store_event *event)
{
    struct kind *kind = kinds_find(rest->kinds, store_resource_group(event->resource),
                                   store_resource_plural(event->resource));
    const struct store_object *object;
    char *name;

    if (kind == NULL || !kind->terminating || store_resource_count(kind->objects) > 0)
        return;
    name = xprintf("%s.%s", kind->plural, kind->group);
    object = store_get(rest->definitions, NULL, name);
    if (object != NULL && store_object_has_finalizer(object, FINALIZER_CLEANUP))
        terminate(rest, object);
    free(name);
}

static void on_change(void *arg, const struct store_event *event)
{
    struct rest *rest = arg;

    if (event->resource == rest->definitions)
        definition_changed(rest, event);
    else if (event->change == STORE_DELETED)
        instance_gone(rest, event);
}

const struct store_observer crd_observer = {on_change};
