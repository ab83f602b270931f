/* namespaces - empties namespaces that are being deleted, then lets them go. */
#include "fakeapi/cluster/namespaces.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/due_queue.h"

#define ACTOR "namespace-controller"
#define FINALIZER "kubernetes"

struct namespaces {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of names */
};

/* Deletes what a namespace holds of one resource; true when that is nothing. */
static bool empty_resource(struct namespaces *namespaces, struct store_resource *resource,
                           const char *name)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    size_t first;
    size_t end;

    store_snapshot_range(snapshot, name, &first, &end);
    for (size_t i = first; i < end; i++) {
        const struct store_object *object = store_snapshot_object(snapshot, i);

        if (!object->deleting)
            (void)cluster_delete(namespaces->context, ACTOR, resource, object, REST_BACKGROUND);
    }
    store_snapshot_free(snapshot);
    if (end == first)
        return true;
    snapshot = store_snapshot_new(resource);
    store_snapshot_range(snapshot, name, &first, &end);
    store_snapshot_free(snapshot);
    return end == first;
}

static bool empty(struct namespaces *namespaces, const char *name)
{
    struct store_resource *resource;
    bool is_empty = true;

    for (size_t i = 0; (resource = store_resource_at(namespaces->context->store, i)) != NULL; i++)
        if (store_resource_namespaced(resource))
            is_empty = empty_resource(namespaces, resource, name) && is_empty;
    return is_empty;
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

    if (object == NULL || !object->deleting)
        return;
    if (!empty(namespaces, name))
        return; /* looked at again when something there goes */
    object = store_get(resource, NULL, name);
    if (object != NULL && !let_go(namespaces, resource, object))
        due_queue_add(namespaces->queue, name, CLUSTER_RETRY_US);
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
