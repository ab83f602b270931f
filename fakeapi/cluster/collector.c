/* collector - deletes what has lost its owners.
 *
 * Objects are found by uid, and their owners' uids lead to them: nothing here walks over all
 * objects but the return of a kind that was missing (K3). */
#include "fakeapi/cluster/collector.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/collector_decide.h"
#include "fakeapi/cluster/due_queue.h"

#define ACTOR "generic-garbage-collector"
#define FINALIZER_ORPHAN "orphan"
#define FINALIZER_FOREGROUND "foregroundDeletion"

/* Longest group of an apiVersion. */
#define GROUP_SIZE 256

struct collector {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of uids */
};

/* One look at an object. */
struct collector_sync {
    const struct collector *collector;
    const struct owner_node *node;
    struct store_object *object; /* held */
    struct collector_view view;
};

static const struct owner_index *index_of(const struct collector_sync *sync)
{
    return sync->collector->context->index;
}

/* --- owners --- */

/* The group of "apps/v1"; "" for "v1". */
static void group_of(const char *api_version, char group[GROUP_SIZE])
{
    const char *slash = strchr(api_version, '/');
    size_t size = slash == NULL ? 0 : (size_t)(slash - api_version);

    if (size >= GROUP_SIZE)
        size = GROUP_SIZE - 1;
    memcpy(group, api_version, size);
    group[size] = '\0';
}

static bool is_kind(const struct store_object *object, const char *kind)
{
    struct json_slice whole = {object->bytes->data, object->bytes->size};
    char *text = json_slice_text(json_slice_get(whole, "kind"));
    bool same = text_equal(text, kind);

    free(text);
    return same;
}

/* The object that a reference means, by all it says; NULL when that is not there. */
static const struct store_object *owner_object(const struct collector_sync *sync,
                                               const struct store_owner *owner)
{
    const struct owner_node *node = owner_index_find(index_of(sync), owner->uid);
    const struct store_object *object = node == NULL ? NULL : owner_node_object(node);
    char group[GROUP_SIZE];

    if (object == NULL)
        return NULL;
    group_of(owner->api_version, group);
    if (strcmp(store_resource_group(node->resource), group) != 0 ||
        strcmp(object->name, owner->name) != 0 || !is_kind(object, owner->kind))
        return NULL;
    if (store_resource_namespaced(node->resource) &&
        strcmp(object->namespace, sync->object->namespace) != 0)
        return NULL;
    return object;
}

static enum owner_state state_of(const struct collector_sync *sync, const struct store_owner *owner)
{
    const struct store_object *object = owner_object(sync, owner);
    enum rest_scope scope;
    char group[GROUP_SIZE];

    if (object != NULL)
        return object->deleting && store_object_has_finalizer(object, FINALIZER_FOREGROUND)
                   ? OWNER_WAITING
                   : OWNER_SOLID;
    group_of(owner->api_version, group);
    scope = rest_kind_scope(sync->collector->context->rest, group, owner->kind);
    if (scope == REST_NOT_SERVED)
        return OWNER_UNKNOWN;
    if (scope == REST_NAMESPACED && !store_resource_namespaced(sync->node->resource))
        return OWNER_UNKNOWN; /* K1: never collected */
    return OWNER_ABSENT;
}

/* --- dependents --- */

/* Whether a dependent holds up the deletion of uid. */
static bool blocks(const struct store_object *dependent, const char *uid)
{
    for (size_t i = 0; i < dependent->owner_count; i++)
        if (strcmp(dependent->owners[i].uid, uid) == 0 && dependent->owners[i].block_owner_deletion)
            return true;
    return false;
}

/* Calls fn for each dependent there is now; fn may write. */
static void each_dependent(struct collector_sync *sync,
                           void (*fn)(struct collector_sync *sync, const struct owner_node *node,
                                      const struct store_object *dependent))
{
    size_t count;
    char **uids = owner_index_dependents(index_of(sync), sync->object->uid, &count);

    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(index_of(sync), uids[i]);
        const struct store_object *dependent = node == NULL ? NULL : owner_node_object(node);

        if (dependent != NULL)
            fn(sync, node, dependent);
    }
    owner_uids_free(uids, count);
}

static void count_dependent(struct collector_sync *sync, const struct owner_node *node,
                            const struct store_object *dependent)
{
    (void)node;
    sync->view.has_dependents = true;
    if (blocks(dependent, sync->object->uid))
        sync->view.has_blocking_dependents = true;
}

/* --- acting --- */

/* Takes references out of a tree: those to uid, or (NULL) those that are not solid. */
static bool strip(struct collector_sync *sync, const struct store_object *object,
                  struct json_object *tree, const char *uid)
{
    struct json_object *metadata = json_get(tree, "metadata");
    struct json_object *owners = json_get_array(metadata, "ownerReferences");
    bool changed = false;

    for (size_t i = object->owner_count; i > 0; i--) {
        const struct store_owner *owner = &object->owners[i - 1];
        enum owner_state state;

        if (uid != NULL)
            state = strcmp(owner->uid, uid) == 0 ? OWNER_ABSENT : OWNER_SOLID;
        else
            state = state_of(sync, owner);
        if (state == OWNER_SOLID || state == OWNER_UNKNOWN)
            continue;
        json_object_array_del_idx(owners, i - 1, 1);
        changed = true;
    }
    if (changed && json_object_array_length(owners) == 0)
        json_object_object_del(metadata, "ownerReferences");
    return changed;
}

static bool strip_owners(struct collector_sync *sync)
{
    struct json_object *tree = store_object_parse(sync->object);
    bool ok = !strip(sync, sync->object, tree, NULL) ||
              cluster_update(sync->collector->context, ACTOR, sync->node->resource, sync->object,
                             NULL, tree);

    json_object_put(tree);
    return ok;
}

static void orphan_dependent(struct collector_sync *sync, const struct owner_node *node,
                             const struct store_object *dependent)
{
    struct json_object *tree = store_object_parse(dependent);
    const char *uid = dependent->uid;

    if (strip(sync, dependent, tree, sync->object->uid) &&
        !cluster_update(sync->collector->context, ACTOR, node->resource, dependent, NULL, tree))
        due_queue_add(sync->collector->queue, uid, CLUSTER_RETRY_US);
    json_object_put(tree);
}

static void delete_dependent(struct collector_sync *sync, const struct owner_node *node,
                             const struct store_object *dependent)
{
    bool has_own = owner_index_dependent_count(index_of(sync), dependent->uid) > 0;

    if (dependent->deleting || !blocks(dependent, sync->object->uid))
        return;
    (void)cluster_delete(sync->collector->context, ACTOR, node->resource, dependent,
                         has_own ? REST_FOREGROUND : REST_BACKGROUND);
}

static bool delete_object(struct collector_sync *sync, enum rest_propagation propagation)
{
    const struct cluster_context *context = sync->collector->context;
    struct rest_target target = cluster_target(sync->node->resource, sync->object, NULL);
    struct rest_delete_options options = {
        .propagation = propagation, .uid = sync->object->uid, .revision = sync->object->revision};
    struct error err = ERROR_INIT;

    if (rest_delete(context->rest, &target, &options, &err) || err.kind == ERROR_NOT_FOUND)
        return true;
    if (err.kind != ERROR_CONFLICT)
        cluster_log_failure(context, ACTOR, sync->object, &err);
    return false;
}

static bool release(struct collector_sync *sync, const char *finalizer)
{
    return cluster_remove_finalizer(sync->collector->context, ACTOR, sync->node->resource,
                                    sync->object, finalizer);
}

static void mark_action(const struct collector_sync *sync, enum collector_action action)
{
    struct runtime *rt = sync->collector->context->rt;

    if (action == COLLECT_DELETE_BACKGROUND)
        runtime_mark(rt, MARK_API_GC_BACKGROUND);
    else if (action == COLLECT_DELETE_DEPENDENTS)
        runtime_mark(rt, MARK_API_GC_FOREGROUND);
    else if (action == COLLECT_RELEASE_FOREGROUND)
        runtime_mark(rt, MARK_API_GC_RELEASED);
    else if (action == COLLECT_ORPHAN_DEPENDENTS)
        runtime_mark(rt, MARK_API_GC_ORPHANED);
}

static bool act(struct collector_sync *sync, enum collector_action action)
{
    mark_action(sync, action);
    switch (action) {
    case COLLECT_NOTHING:
        return true;
    case COLLECT_STRIP:
        return strip_owners(sync);
    case COLLECT_DELETE_BACKGROUND:
        return delete_object(sync, REST_BACKGROUND);
    case COLLECT_DELETE_FOREGROUND:
        return delete_object(sync, REST_FOREGROUND);
    case COLLECT_DELETE_ORPHAN:
        return delete_object(sync, REST_ORPHAN);
    case COLLECT_ORPHAN_DEPENDENTS:
        each_dependent(sync, orphan_dependent);
        return release(sync, FINALIZER_ORPHAN);
    case COLLECT_DELETE_DEPENDENTS:
        each_dependent(sync, delete_dependent);
        return true; /* looked at again when one of them goes */
    case COLLECT_RELEASE_FOREGROUND:
        return release(sync, FINALIZER_FOREGROUND);
    }
    return true;
}

/* An owner that is there, but in another namespace, does not count: people are told (K1). */
static void tell_of_namespace(const struct collector_sync *sync, const struct store_owner *owner)
{
    const struct owner_node *node = owner_index_find(index_of(sync), owner->uid);
    const char *namespace = sync->object->namespace;

    if (node == NULL || !store_resource_namespaced(node->resource) ||
        strcmp(node->namespace, namespace) == 0)
        return;
    cluster_event(sync->collector->context, "garbage-collector-controller", sync->object, "Warning",
                  "OwnerRefInvalidNamespace",
                  "ownerRef [%s/%s, namespace: %s, name: %s, uid: %s] does not exist in namespace "
                  "\"%s\"",
                  owner->api_version, owner->kind, namespace, owner->name, owner->uid, namespace);
}

static void observe(struct collector_sync *sync)
{
    struct collector_view *view = &sync->view;
    const struct store_object *object = sync->object;

    view->deleting = object->deleting;
    view->orphan_finalizer = store_object_has_finalizer(object, FINALIZER_ORPHAN);
    view->foreground_finalizer = store_object_has_finalizer(object, FINALIZER_FOREGROUND);
    for (size_t i = 0; i < object->owner_count && !view->deleting; i++) {
        enum owner_state state = state_of(sync, &object->owners[i]);

        view->solid += state == OWNER_SOLID;
        view->absent += state == OWNER_ABSENT;
        view->waiting += state == OWNER_WAITING;
        view->unknown += state == OWNER_UNKNOWN;
        if (state == OWNER_ABSENT)
            tell_of_namespace(sync, &object->owners[i]);
    }
    if (view->deleting ? view->foreground_finalizer : view->waiting > 0)
        each_dependent(sync, count_dependent);
}

static void work(void *arg, const char *uid)
{
    struct collector *collector = arg;
    struct collector_sync sync = {.collector = collector};
    const struct store_object *object;

    store_deliver(collector->context->store); /* so that the index knows every dependent */
    sync.node = owner_index_find(collector->context->index, uid);
    object = sync.node == NULL ? NULL : owner_node_object(sync.node);
    if (object == NULL)
        return;
    sync.object = store_object_ref(object);
    observe(&sync);
    if (!act(&sync, collector_decide(&sync.view)))
        due_queue_add(collector->queue, uid, CLUSTER_RETRY_US);
    store_object_unref(sync.object);
}

/* --- told of changes --- */

static void add(struct collector *collector, const char *uid)
{
    due_queue_add(collector->queue, uid, collector->delay_us);
}

static bool is_held_by_us(const struct store_object *object)
{
    return object->deleting && (store_object_has_finalizer(object, FINALIZER_ORPHAN) ||
                                store_object_has_finalizer(object, FINALIZER_FOREGROUND));
}

/* Owners that wait for this one to go, or to let go of them. */
static void add_waiting_owners(struct collector *collector, const struct store_object *object)
{
    for (size_t i = 0; i < object->owner_count; i++) {
        const struct owner_node *node =
            owner_index_find(collector->context->index, object->owners[i].uid);
        const struct store_object *owner = node == NULL ? NULL : owner_node_object(node);

        if (owner != NULL && is_held_by_us(owner))
            add(collector, owner->uid);
    }
}

static bool same_owner(const struct store_owner *a, const struct store_owner *b)
{
    return strcmp(a->uid, b->uid) == 0 && strcmp(a->name, b->name) == 0 &&
           strcmp(a->kind, b->kind) == 0 && strcmp(a->api_version, b->api_version) == 0;
}

/* Whether a change may have left the object without its owners: what becomes of the owners
 * themselves is looked at when they change. */
static bool names_new_owners(const struct store_object *object, const struct store_object *old)
{
    if (old == NULL || object->owner_count != old->owner_count)
        return object->owner_count > 0;
    for (size_t i = 0; i < object->owner_count; i++)
        if (!same_owner(&object->owners[i], &old->owners[i]))
            return true;
    return false;
}

static void see(struct collector *collector, const struct store_object *object,
                const struct store_object *old)
{
    if (is_held_by_us(object) || (!object->deleting && names_new_owners(object, old)))
        add(collector, object->uid);
}

static void add_dependents(struct collector *collector, const char *uid)
{
    size_t count;
    char **uids = owner_index_dependents(collector->context->index, uid, &count);

    for (size_t i = 0; i < count; i++)
        add(collector, uids[i]);
    owner_uids_free(uids, count);
}

void collector_see(struct collector *collector, struct store_resource *resource,
                   const struct store_object *object)
{
    (void)resource;
    see(collector, object, NULL);
}

/* A kind came back: what waited for it is looked at again (K3). */
static void see_definition(struct collector *collector)
{
    size_t count;
    char **uids = owner_index_all(collector->context->index, &count);

    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(collector->context->index, uids[i]);
        const struct store_object *object = node == NULL ? NULL : owner_node_object(node);

        if (object != NULL)
            collector_see(collector, node->resource, object);
    }
    owner_uids_free(uids, count);
}

void collector_note(struct collector *collector, const struct store_event *event)
{
    if (event->change == STORE_DELETED)
        add_dependents(collector, event->object->uid);
    else
        see(collector, event->object, event->old);
    if (event->old != NULL)
        add_waiting_owners(collector, event->old);
    if (event->change == STORE_DELETED)
        add_waiting_owners(collector, event->object);
    if (event->change != STORE_DELETED &&
        cluster_is_resource(event->resource, "apiextensions.k8s.io", "customresourcedefinitions"))
        see_definition(collector);
}

void collector_set_delay(struct collector *collector, int64_t delay_us)
{
    collector->delay_us = delay_us;
}

void collector_pause(struct collector *collector)
{
    due_queue_clear(collector->queue);
}

/* A look that would find nothing to do is no step. */
static const char *step_of(const void *arg, const struct store_resource *resource,
                           const struct store_object *object, int64_t *due_elapsed_us)
{
    const struct collector *collector = arg;
    const struct owner_node *node = owner_index_find(collector->context->index, object->uid);
    struct store_object *held = store_object_ref(object);
    const struct collector_sync sync = {.collector = collector, .node = node, .object = held};
    bool wanted = is_held_by_us(object);

    (void)resource;
    (void)due_elapsed_us;
    for (size_t i = 0; i < object->owner_count && !wanted; i++)
        wanted = state_of(&sync, &object->owners[i]) != OWNER_SOLID;
    store_object_unref(held);
    return wanted ? "collect" : NULL;
}

void collector_list(const struct collector *collector, struct waiting *waiting)
{
    waiting_add_uids(waiting, "collector", collector->queue, step_of, collector);
}

struct collector *collector_new(const struct cluster_context *context, int64_t delay_us)
{
    struct collector *collector = xcalloc(1, sizeof(*collector));

    collector->context = context;
    collector->delay_us = delay_us;
    collector->queue = due_queue_new(context->rt, work, collector);
    return collector;
}

void collector_free(struct collector *collector)
{
    if (collector == NULL)
        return;
    due_queue_free(collector->queue);
    free(collector);
}
