/* tree - an ordered set of objects by key, persistent: who holds a root keeps that state.
 *
 * A treap with copied paths. Nodes that nobody else holds are changed in place, so writing without
 * snapshots copies nothing. Priorities come from the keys, so the shape depends on the content
 * alone. Every operation is O(log n) but ref, which is O(1). */
#ifndef FAKEAPI_STORE_TREE_H
#define FAKEAPI_STORE_TREE_H

#include <stddef.h>

#include "fakeapi/store/store.h"

/** NULL is the empty tree. */
struct tree;

struct tree *tree_ref(struct tree *root);
void tree_unref(struct tree *root);

/** Both take over the caller's hold on root and give one on the result. */
struct tree *tree_set(struct tree *root, const struct store_object *object) MUST_CHECK;
struct tree *tree_remove(struct tree *root, const char *key) MUST_CHECK;

size_t tree_count(const struct tree *root);
/** NULL when there is none. */
const struct store_object *tree_get(const struct tree *root, const char *key);
/** How many keys are below key. */
size_t tree_find(const struct tree *root, const char *key);
/** index is below the count. */
const struct store_object *tree_at(const struct tree *root, size_t index);

#endif
