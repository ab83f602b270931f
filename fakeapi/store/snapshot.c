/* snapshot - a resource as it was: a held root, or one rebuilt by undoing the history. */
#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "fakeapi/store/parts.h"

struct store_snapshot {
    struct tree *root;
    uint64_t revision;
};

static struct store_snapshot *snapshot_new(struct tree *root, uint64_t revision)
{
    struct store_snapshot *snapshot = xcalloc(1, sizeof(*snapshot));

    snapshot->root = root;
    snapshot->revision = revision;
    return snapshot;
}

struct store_snapshot *store_snapshot_new(struct store_resource *resource)
{
    return snapshot_new(tree_ref(resource->objects), resource->store->revision);
}

/* A state that took so many events to rebuild is kept: the next page of a list asks for it again.
 * What it holds of objects the history holds too. */
#define PAST_EVENTS_MIN 64

void snapshot_forget_past(struct store_resource *resource, uint64_t dropped)
{
    if (resource->past == NULL || resource->past_revision >= dropped)
        return;
    tree_unref(resource->past);
    resource->past = NULL;
}

static struct tree *undo(const struct store_resource *resource, uint64_t revision,
                         size_t *ret_undone)
{
    struct tree *root = tree_ref(resource->objects);
    size_t i;

    for (i = resource->events.count; i > 0; i--) {
        const struct store_event *event = event_queue_at(&resource->events, i - 1);

        if (event->revision <= revision)
            break;
        if (event->change == STORE_ADDED)
            root = tree_remove(root, event->object->key);
        else
            root = tree_set(root, event->old);
    }
    *ret_undone = resource->events.count - i;
    return root;
}

static struct tree *past(struct store_resource *resource, uint64_t revision)
{
    struct tree *root;
    size_t undone;

    if (resource->past != NULL && resource->past_revision == revision)
        return tree_ref(resource->past);
    root = undo(resource, revision, &undone);
    if (root != NULL && undone >= PAST_EVENTS_MIN) {
        tree_unref(resource->past);
        resource->past = tree_ref(root);
        resource->past_revision = revision;
    }
    return root;
}

bool store_snapshot_at(struct store_resource *resource, uint64_t revision,
                       struct store_snapshot **ret_snapshot, struct error *err)
{
    const struct store *store = resource->store;

    if (revision < store->oldest)
        return error_set(err, ERROR_GONE, "revision %" PRIu64 " was compacted", revision);
    if (revision > store->revision)
        return error_set(err, ERROR_INVALID, "revision %" PRIu64 " is not there yet", revision);
    *ret_snapshot = snapshot_new(past(resource, revision), revision);
    return true;
}

void store_snapshot_free(struct store_snapshot *snapshot)
{
    if (snapshot == NULL)
        return;
    tree_unref(snapshot->root);
    free(snapshot);
}

uint64_t store_snapshot_revision(const struct store_snapshot *snapshot)
{
    return snapshot->revision;
}

size_t store_snapshot_count(const struct store_snapshot *snapshot)
{
    return tree_count(snapshot->root);
}

size_t store_snapshot_find(const struct store_snapshot *snapshot, const char *key)
{
    return tree_find(snapshot->root, key);
}

const struct store_object *store_snapshot_object(const struct store_snapshot *snapshot,
                                                 size_t index)
{
    return tree_at(snapshot->root, index);
}

void store_snapshot_range(const struct store_snapshot *snapshot, const char *namespace,
                          size_t *ret_first, size_t *ret_end)
{
    char *key;

    *ret_first = 0;
    *ret_end = tree_count(snapshot->root);
    if (namespace == NULL || namespace[0] == '\0')
        return;
    key = xprintf("%s/", namespace);
    *ret_first = tree_find(snapshot->root, key);
    free(key);
    key = xprintf("%s0", namespace);
    *ret_end = tree_find(snapshot->root, key);
    free(key);
}
