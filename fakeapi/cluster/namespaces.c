/* namespaces - empties namespaces that are being deleted, then lets them go. */
#include "fakeapi/cluster/namespaces.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/due_queue.h"

#define ACTOR "namespace-controller"
#define FINALIZER "kubernetes"

/* Longest message of what is left. */
#define REMAINS_BYTES_MAX ((size_t)64 * 1024)

struct namespaces {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of names */
};

/* What is left of a namespace after a look at it. */
struct remains {
    size_t count;
    struct json_object *resources;  /* "pods." to how many; in the order of the store's resources */
    struct json_object *finalizers; /* to how many objects they hold */
};

static void add_one(struct json_object *counts, const char *key)
{
    json_set_int64(counts, key, json_get_int64(counts, key, 0) + 1);
}

/* Notes what a namespace still holds of one resource. */
static void note_remains(struct store_resource *resource, const char *name, struct remains *remains)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    char *key = xprintf("%s.%s", store_resource_plural(resource), store_resource_group(resource));
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, name, &index, &end);
    remains->count += end - index;
    for (; index < end; index++) {
        const struct store_object *object = store_snapshot_object(snapshot, index);

        add_one(remains->resources, key);
        for (size_t i = 0; i < object->finalizer_count; i++)
            add_one(remains->finalizers, object->finalizers[i]);
    }
    store_snapshot_free(snapshot);
    free(key);
}

/* Deletes what a namespace holds of one resource. */
static void empty_resource(struct namespaces *namespaces, struct store_resource *resource,
                           const char *name)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, name, &index, &end);
    for (; index < end; index++) {
        const struct store_object *object = store_snapshot_object(snapshot, index);

        if (!object->deleting)
            (void)cluster_delete(namespaces->context, ACTOR, resource, object, REST_BACKGROUND);
    }
    store_snapshot_free(snapshot);
}

static struct remains empty(struct namespaces *namespaces, const char *name)
{
    const struct store *store = namespaces->context->store;
    struct remains remains = {.resources = json_object_new_object(),
                              .finalizers = json_object_new_object()};
    struct store_resource *resource;

    for (size_t i = 0; (resource = store_resource_at(store, i)) != NULL; i++) {
        if (!store_resource_namespaced(resource))
            continue;
        empty_resource(namespaces, resource, name);
        note_remains(resource, name, &remains);
    }
    return remains;
}

/* --- what is told of it --- */

/* "prefix" and each count in the words of format, in order, ", " between. free() it. */
static char *list_counts(const char *prefix, struct json_object *counts, bool of_resources)
{
    struct buffer text = BUFFER_INIT(REMAINS_BYTES_MAX);
    size_t count = (size_t)json_object_object_length(counts);
    char **items = xcalloc(count, sizeof(char *));
    struct json_object_iter at;
    size_t used = 0;

    json_object_object_foreachC(counts, at)
    {
        long long number = (long long)json_object_get_int64(at.val);

        items[used++] = of_resources ? xprintf("%s has %lld resource instances", at.key, number)
                                     : xprintf("%s in %lld resource instances", at.key, number);
    }
    qsort(items, used, sizeof(char *), text_compare_items);
    buffer_append_text(&text, prefix);
    for (size_t i = 0; i < used; i++) {
        buffer_append_format(&text, "%s%s", i == 0 ? "" : ", ", items[i]);
        free(items[i]);
    }
    free(items);
    return buffer_take(&text, NULL);
}

static void set_remaining(struct json_object *tree, const char *type, struct json_object *counts,
                          const char *reason, const char *prefix, const char *good_reason,
                          const char *good_message, int64_t now_us)
{
    bool remains = json_object_object_length(counts) > 0;
    char *message = list_counts(prefix, counts, strcmp(type, "NamespaceContentRemaining") == 0);

    cluster_set_condition(tree, type, remains ? "True" : "False", remains ? reason : good_reason,
                          remains ? message : good_message, false, now_us);
    free(message);
}

/* The conditions of X10. What is deleted never fails here. */
static bool tell(struct namespaces *namespaces, struct store_resource *resource,
                 const struct store_object *object, const struct remains *remains)
{
    struct json_object *tree = partial_with_status(object);
    int64_t now_us = runtime_wall_us(namespaces->context->rt);
    bool ok;

    cluster_set_condition(tree, "NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered",
                          "All resources successfully discovered", false, now_us);
    cluster_set_condition(tree, "NamespaceDeletionGroupVersionParsingFailure", "False",
                          "ParsedGroupVersions", "All legacy kube types successfully parsed", false,
                          now_us);
    cluster_set_condition(tree, "NamespaceDeletionContentFailure", "False", "ContentDeleted",
                          "All content successfully deleted, may be waiting on finalization", false,
                          now_us);
    set_remaining(tree, "NamespaceContentRemaining", remains->resources, "SomeResourcesRemain",
                  "Some resources are remaining: ", "ContentRemoved",
                  "All content successfully removed", now_us);
    set_remaining(tree, "NamespaceFinalizersRemaining", remains->finalizers, "SomeFinalizersRemain",
                  "Some content in the namespace has finalizers remaining: ",
                  "ContentHasNoFinalizers", "All content-preserving finalizers finished", now_us);
    ok = cluster_update(namespaces->context, ACTOR, resource, object, "status", tree);
    json_object_put(tree);
    return ok;
}

static bool let_go(struct namespaces *namespaces, struct store_resource *resource,
                   const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    struct json_object *finalizers = json_walk(tree, "spec", "finalizers", NULL);
    bool ok;

    for (size_t i = finalizers == NULL ? 0 : json_object_array_length(finalizers); i > 0; i--)
        if (text_equal(json_text(json_object_array_get_idx(finalizers, i - 1)), FINALIZER))
            json_object_array_del_idx(finalizers, i - 1, 1);
    ok = cluster_update(namespaces->context, ACTOR, resource, object, "finalize", tree);
    json_object_put(tree);
    return ok;
}

static void work(void *arg, const char *name)
{
    struct namespaces *namespaces = arg;
    struct store_resource *resource =
        store_find_resource(namespaces->context->store, "", "namespaces");
    const struct store_object *object = store_get(resource, NULL, name);
    struct remains remains;
    bool ok;

    if (object == NULL || !object->deleting)
        return;
    remains = empty(namespaces, name);
    object = store_get(resource, NULL, name);
    ok = object == NULL || tell(namespaces, resource, object, &remains);
    object = store_get(resource, NULL, name);
    /* Where something is left it is looked at again when that goes. */
    if (ok && remains.count == 0 && object != NULL)
        ok = let_go(namespaces, resource, object);
    if (!ok)
        due_queue_add(namespaces->queue, name, CLUSTER_RETRY_US);
    json_object_put(remains.resources);
    json_object_put(remains.finalizers);
}

/* Whether a namespace is on its way out. */
static bool is_terminating(const struct namespaces *namespaces, const char *name)
{
    const struct store_object *object =
        store_get(store_find_resource(namespaces->context->store, "", "namespaces"), NULL, name);

    return object != NULL && object->deleting;
}

void namespaces_see(struct namespaces *namespaces, struct store_resource *resource,
                    const struct store_object *object)
{
    if (cluster_is_resource(resource, "", "namespaces") && object->deleting)
        due_queue_add(namespaces->queue, object->name, namespaces->delay_us);
}

void namespaces_note(struct namespaces *namespaces, const struct store_event *event)
{
    const struct store_object *object = event->object;

    if (event->change != STORE_DELETED)
        namespaces_see(namespaces, event->resource, object);
    else if (object->namespace[0] != '\0' && is_terminating(namespaces, object->namespace))
        due_queue_add(namespaces->queue, object->namespace, namespaces->delay_us);
}

void namespaces_pause(struct namespaces *namespaces)
{
    due_queue_clear(namespaces->queue);
}

void namespaces_list(const struct namespaces *namespaces, struct waiting *waiting)
{
    waiting_add_namespaces(waiting, "namespaces", "empty", namespaces->queue);
}

struct namespaces *namespaces_new(const struct cluster_context *context, int64_t delay_us)
{
    struct namespaces *namespaces = xcalloc(1, sizeof(*namespaces));

    namespaces->context = context;
    namespaces->delay_us = delay_us;
    namespaces->queue = due_queue_new(context->rt, work, namespaces);
    return namespaces;
}

void namespaces_free(struct namespaces *namespaces)
{
    if (namespaces == NULL)
        return;
    due_queue_free(namespaces->queue);
    free(namespaces);
}
