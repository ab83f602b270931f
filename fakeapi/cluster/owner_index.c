/* owner_index - every object by uid, and its dependents. */
#include "fakeapi/cluster/owner_index.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/base/memory.h"

struct owned;

/* From a dependent to one of its owners. */
struct link {
    struct owned *dependent;
    struct owned *owner; /* whose list it is in; may be of an owner that never was */
    struct link *prev;   /* in the owner's list */
    struct link *next;
};

/* A uid that is an object's, or that an object names as its owner, or both. */
struct owned {
    struct owner_node node; /* node.uid is own; the others are "" and NULL while it is absent */
    bool present;
    struct link *dependents;
    size_t dependent_count;
    struct link **links; /* to its owners */
    size_t link_count;
    UT_hash_handle hh; /* by uid */
};

struct owner_index {
    struct owned *by_uid;
    uint64_t next_number;
};

static struct owned *find(const struct owner_index *index, const char *uid)
{
    struct owned *owned;

    HASH_FIND_STR(index->by_uid, uid, owned);
    return owned;
}

static struct owned *find_or_add(struct owner_index *index, const char *uid)
{
    struct owned *owned = find(index, uid);

    if (owned != NULL)
        return owned;
    owned = xcalloc(1, sizeof(*owned));
    owned->node.uid = xstrdup(uid);
    HASH_ADD_KEYPTR(hh, index->by_uid, owned->node.uid, strlen(owned->node.uid), owned);
    return owned;
}

static void free_text(const char *text)
{
    free((char *)(uintptr_t)text);
}

static void free_owned(struct owned *owned)
{
    free_text(owned->node.uid);
    free_text(owned->node.namespace);
    free_text(owned->node.name);
    free(owned->links);
    free(owned);
}

/* A uid that is neither an object's nor an owner's is forgotten. */
static void forget_if_unused(struct owner_index *index, struct owned *owned)
{
    if (owned->present || owned->dependents != NULL)
        return;
    HASH_DEL(index->by_uid, owned);
    free_owned(owned);
}

/* --- links --- */

static void unlink_owners(struct owner_index *index, struct owned *owned)
{
    for (size_t i = 0; i < owned->link_count; i++) {
        struct link *link = owned->links[i];

        DL_DELETE(link->owner->dependents, link);
        link->owner->dependent_count--;
        if (link->owner != owned)
            forget_if_unused(index, link->owner);
        free(link);
    }
    free(owned->links);
    owned->links = NULL;
    owned->link_count = 0;
}

static void link_owners(struct owner_index *index, struct owned *owned,
                        const struct store_object *object)
{
    owned->links = xcalloc(object->owner_count, sizeof(struct link *));
    for (size_t i = 0; i < object->owner_count; i++) {
        struct link *link = xcalloc(1, sizeof(*link));

        link->dependent = owned;
        link->owner = find_or_add(index, object->owners[i].uid);
        DL_APPEND(link->owner->dependents, link);
        link->owner->dependent_count++;
        owned->links[owned->link_count++] = link;
    }
}

static bool has_same_owners(const struct owned *owned, const struct store_object *object)
{
    if (owned->link_count != object->owner_count)
        return false;
    for (size_t i = 0; i < owned->link_count; i++)
        if (strcmp(owned->links[i]->owner->node.uid, object->owners[i].uid) != 0)
            return false;
    return true;
}

/* --- changes --- */

static void note_present(struct owner_index *index, struct store_resource *resource,
                         const struct store_object *object)
{
    struct owned *owned = find_or_add(index, object->uid);

    if (!owned->present) {
        owned->present = true;
        owned->node.namespace = xstrdup(object->namespace);
        owned->node.name = xstrdup(object->name);
        owned->node.resource = resource;
        owned->node.number = index->next_number++;
    }
    if (has_same_owners(owned, object))
        return;
    unlink_owners(index, owned);
    link_owners(index, owned, object);
}

static void note_absent(struct owner_index *index, const char *uid)
{
    struct owned *owned = find(index, uid);

    if (owned == NULL || !owned->present)
        return;
    unlink_owners(index, owned);
    owned->present = false;
    free_text(owned->node.namespace);
    free_text(owned->node.name);
    owned->node.namespace = NULL;
    owned->node.name = NULL;
    owned->node.resource = NULL;
    forget_if_unused(index, owned);
}

void owner_index_note(struct owner_index *index, const struct store_event *event)
{
    if (event->change == STORE_DELETED)
        note_absent(index, event->object->uid);
    else
        note_present(index, event->resource, event->object);
}

static void note_all(struct owner_index *index, struct store_resource *resource)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource);

    for (size_t i = 0; i < store_snapshot_count(snapshot); i++)
        note_present(index, resource, store_snapshot_object(snapshot, i));
    store_snapshot_free(snapshot);
}

struct owner_index *owner_index_new(const struct store *store)
{
    struct owner_index *index = xcalloc(1, sizeof(*index));
    struct store_resource *resource;

    for (size_t i = 0; (resource = store_resource_at(store, i)) != NULL; i++)
        note_all(index, resource);
    return index;
}

void owner_index_free(struct owner_index *index)
{
    struct owned *owned;
    struct owned *next;

    if (index == NULL)
        return;
    HASH_ITER (hh, index->by_uid, owned, next) {
        HASH_DEL(index->by_uid, owned);
        for (size_t i = 0; i < owned->link_count; i++)
            free(owned->links[i]);
        free_owned(owned);
    }
    free(index);
}

/* --- questions --- */

const struct owner_node *owner_index_find(const struct owner_index *index, const char *uid)
{
    const struct owned *owned = find(index, uid);

    return owned == NULL || !owned->present ? NULL : &owned->node;
}

const struct store_object *owner_node_object(const struct owner_node *node)
{
    const struct store_object *object = store_get(node->resource, node->namespace, node->name);

    return object == NULL || strcmp(object->uid, node->uid) != 0 ? NULL : object;
}

static int compare_numbers(const void *a, const void *b)
{
    const struct owner_node *left = *(const struct owner_node *const *)a;
    const struct owner_node *right = *(const struct owner_node *const *)b;

    return left->number < right->number ? -1 : left->number > right->number;
}

/* Copies of the nodes' uids, sorted, each once; frees the array of nodes. */
static char **uids_of(const struct owner_node **nodes, size_t count, size_t *ret_count)
{
    char **uids = xcalloc(count, sizeof(char *));
    size_t kept = 0;

    qsort(nodes, count, sizeof(*nodes), compare_numbers);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || nodes[i] != nodes[i - 1])
            uids[kept++] = xstrdup(nodes[i]->uid);
    free(nodes);
    *ret_count = kept;
    return uids;
}

char **owner_index_dependents(const struct owner_index *index, const char *uid, size_t *ret_count)
{
    const struct owned *owned = find(index, uid);
    size_t count = owned == NULL ? 0 : owned->dependent_count;
    const struct owner_node **nodes = xcalloc(count, sizeof(*nodes));
    const struct link *link;

    count = 0;
    if (owned != NULL)
        DL_FOREACH (owned->dependents, link) {
            nodes[count++] = &link->dependent->node;
        }
    return uids_of(nodes, count, ret_count);
}

size_t owner_index_dependent_count(const struct owner_index *index, const char *uid)
{
    const struct owned *owned = find(index, uid);

    return owned == NULL ? 0 : owned->dependent_count;
}

char **owner_index_all(const struct owner_index *index, size_t *ret_count)
{
    const struct owner_node **nodes = xcalloc(HASH_COUNT(index->by_uid), sizeof(*nodes));
    const struct owned *owned;
    const struct owned *next;
    size_t count = 0;

    HASH_ITER (hh, index->by_uid, owned, next) {
        if (owned->present)
            nodes[count++] = &owned->node;
    }
    return uids_of(nodes, count, ret_count);
}

void owner_uids_free(char **uids, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(uids[i]);
    free(uids);
}
