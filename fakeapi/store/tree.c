/* tree - a persistent treap; see tree.h. */
#include "fakeapi/store/tree.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct tree {
    unsigned references;
    size_t count; /* of this subtree */
    uint64_t priority;
    const char *key; /* the object's, so that a walk does not touch every object on its way */
    const struct store_object *object;
    struct tree *left;
    struct tree *right;
};

/* FNV-1a with a finisher, as names that differ in their last digit must differ in the high bits. */
static uint64_t priority_of(const char *key)
{
    uint64_t hash = UINT64_C(14695981039346656037);

    for (; *key != '\0'; key++) {
        hash ^= (unsigned char)*key;
        hash *= UINT64_C(1099511628211);
    }
    hash ^= hash >> 30;
    hash *= UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= hash >> 27;
    hash *= UINT64_C(0x94d049bb133111eb);
    return hash ^ (hash >> 31);
}

struct tree *tree_ref(struct tree *root)
{
    if (root != NULL)
        root->references++;
    return root;
}

void tree_unref(struct tree *root)
{
    if (root == NULL || --root->references > 0)
        return;
    tree_unref(root->left);
    tree_unref(root->right);
    store_object_unref(root->object);
    free(root);
}

static struct tree *node_new(const struct store_object *object)
{
    struct tree *node = xcalloc(1, sizeof(*node));

    node->references = 1;
    node->count = 1;
    node->priority = priority_of(object->key);
    node->key = object->key;
    node->object = store_object_ref(object);
    return node;
}

/* The node, or a copy of it when others hold it too: one that may be changed. */
static struct tree *own(struct tree *node)
{
    struct tree *copy;

    if (node->references == 1)
        return node;
    copy = xcalloc(1, sizeof(*copy));
    *copy = *node;
    copy->references = 1;
    store_object_ref(copy->object);
    tree_ref(copy->left);
    tree_ref(copy->right);
    node->references--;
    return copy;
}

size_t tree_count(const struct tree *root)
{
    return root == NULL ? 0 : root->count;
}

static void recount(struct tree *node)
{
    node->count = 1 + tree_count(node->left) + tree_count(node->right);
}

static struct tree *rotate_right(struct tree *node)
{
    struct tree *up = own(node->left);

    node->left = up->right;
    up->right = node;
    recount(node);
    recount(up);
    return up;
}

static struct tree *rotate_left(struct tree *node)
{
    struct tree *up = own(node->right);

    node->right = up->left;
    up->left = node;
    recount(node);
    recount(up);
    return up;
}

struct tree *tree_set(struct tree *root, const struct store_object *object)
{
    int order;

    if (root == NULL)
        return node_new(object);
    root = own(root);
    order = strcmp(object->key, root->key);
    if (order == 0) {
        store_object_ref(object);
        store_object_unref(root->object);
        root->object = object;
        root->key = object->key;
        return root;
    }
    if (order < 0) {
        root->left = tree_set(root->left, object);
        if (root->left->priority > root->priority)
            return rotate_right(root);
    } else {
        root->right = tree_set(root->right, object);
        if (root->right->priority > root->priority)
            return rotate_left(root);
    }
    recount(root);
    return root;
}

/* Joins two trees, every key of left below every key of right. Takes over both. */
static struct tree *join(struct tree *left, struct tree *right)
{
    if (left == NULL)
        return right;
    if (right == NULL)
        return left;
    if (left->priority > right->priority) {
        left = own(left);
        left->right = join(left->right, right);
        recount(left);
        return left;
    }
    right = own(right);
    right->left = join(left, right->left);
    recount(right);
    return right;
}

struct tree *tree_remove(struct tree *root, const char *key)
{
    int order;

    if (root == NULL)
        return NULL;
    order = strcmp(key, root->key);
    if (order == 0) {
        struct tree *left = tree_ref(root->left);
        struct tree *right = tree_ref(root->right);

        tree_unref(root); /* first, so that nodes held by it alone are joined in place */
        return join(left, right);
    }
    root = own(root);
    if (order < 0)
        root->left = tree_remove(root->left, key);
    else
        root->right = tree_remove(root->right, key);
    recount(root);
    return root;
}

const struct store_object *tree_get(const struct tree *root, const char *key)
{
    while (root != NULL) {
        int order = strcmp(key, root->key);

        if (order == 0)
            return root->object;
        root = order < 0 ? root->left : root->right;
    }
    return NULL;
}

size_t tree_find(const struct tree *root, const char *key)
{
    size_t below = 0;

    while (root != NULL) {
        if (strcmp(root->key, key) < 0) {
            below += tree_count(root->left) + 1;
            root = root->right;
        } else {
            root = root->left;
        }
    }
    return below;
}

const struct store_object *tree_at(const struct tree *root, size_t index)
{
    for (;;) {
        size_t before;

        assert(root != NULL);
        before = tree_count(root->left);
        if (index == before)
            return root->object;
        if (index < before) {
            root = root->left;
        } else {
            index -= before + 1;
            root = root->right;
        }
    }
}
