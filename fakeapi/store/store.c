/* store - the resources, their objects, and the writes. */
#include "fakeapi/store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/store/object.h"
#include "fakeapi/store/parts.h"

/* Where a new store stands: above 0, which means "any" to clients (S1). */
#define STORE_FIRST_REVISION 1

struct store *store_new(const struct store_options *options)
{
    struct store *store = xcalloc(1, sizeof(*store));

    if (options != NULL)
        store->options = *options;
    if (store->options.history_events_max == 0)
        store->options.history_events_max = STORE_HISTORY_EVENTS;
    if (store->options.history_bytes_max == 0)
        store->options.history_bytes_max = STORE_HISTORY_BYTES;
    if (store->options.first_revision == 0)
        store->options.first_revision = STORE_FIRST_REVISION;
    store->revision = store->options.first_revision;
    store->oldest = store->options.first_revision;
    return store;
}

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static char **copy_texts(const char *const *texts, size_t count)
{
    char **copies = xcalloc(count, sizeof(*copies));

    for (size_t i = 0; i < count; i++)
        copies[i] = xstrdup(texts[i]);
    return copies;
}

void resource_unref(struct store_resource *resource)
{
    if (--resource->references > 0)
        return;
    tree_unref(resource->objects);
    tree_unref(resource->past);
    event_queue_release(&resource->events);
    free_texts(resource->field_paths, resource->field_path_count);
    free(resource->group);
    free(resource->plural);
    free(resource);
}

void store_free(struct store *store)
{
    if (store == NULL)
        return;
    history_release(store);
    for (size_t i = 0; i < store->resource_count; i++)
        resource_unref(store->resources[i]);
    free(store->resources);
    free(store->observers);
    free(store);
}

uint64_t store_revision(const struct store *store)
{
    return store->revision;
}

struct store_resource *store_add_resource(struct store *store,
                                          const struct store_resource_options *options)
{
    struct store_resource *resource = xcalloc(1, sizeof(*resource));

    assert(store_find_resource(store, options->group, options->plural) == NULL);
    resource->references = 1;
    resource->store = store;
    resource->group = xstrdup(options->group);
    resource->plural = xstrdup(options->plural);
    resource->namespaced = options->namespaced;
    resource->field_paths = copy_texts(options->field_paths, options->field_path_count);
    resource->field_path_count = options->field_path_count;
    store->resources =
        xrealloc(store->resources, (store->resource_count + 1) * sizeof(struct store_resource *));
    store->resources[store->resource_count++] = resource;
    return resource;
}

void store_remove_resource(struct store_resource *resource)
{
    struct store *store = resource->store;
    size_t index = 0;

    assert(resource->objects == NULL);
    while (store->resources[index] != resource)
        index++;
    memmove(&store->resources[index], &store->resources[index + 1],
            (store->resource_count - index - 1) * sizeof(struct store_resource *));
    store->resource_count--;
    watches_leave(resource);
    resource->store = NULL;
    resource_unref(resource);
}

struct store_resource *store_find_resource(const struct store *store, const char *group,
                                           const char *plural)
{
    for (size_t i = 0; i < store->resource_count; i++)
        if (strcmp(store->resources[i]->plural, plural) == 0 &&
            strcmp(store->resources[i]->group, group) == 0)
            return store->resources[i];
    return NULL;
}

struct store_resource *store_resource_at(const struct store *store, size_t index)
{
    return index < store->resource_count ? store->resources[index] : NULL;
}

const char *store_resource_group(const struct store_resource *resource)
{
    return resource->group;
}

const char *store_resource_plural(const struct store_resource *resource)
{
    return resource->plural;
}

bool store_resource_namespaced(const struct store_resource *resource)
{
    return resource->namespaced;
}

size_t store_resource_count(const struct store_resource *resource)
{
    return tree_count(resource->objects);
}

/* --- objects --- */

/* Longest key that is looked up without an allocation. */
#define KEY_ON_STACK 600

const struct store_object *store_get(const struct store_resource *resource, const char *namespace,
                                     const char *name)
{
    char key[KEY_ON_STACK];
    size_t namespace_size = namespace == NULL ? 0 : strlen(namespace);
    size_t name_size = strlen(name);

    if (namespace_size == 0)
        return tree_get(resource->objects, name);
    if (namespace_size + name_size + 2 > sizeof(key))
        return NULL; /* longer than any that is stored: names have at most 253 characters */
    memcpy(key, namespace, namespace_size);
    key[namespace_size] = '/';
    memcpy(key + namespace_size + 1, name, name_size + 1);
    return tree_get(resource->objects, key);
}

static bool make_object(const struct store_resource *resource, const struct json_object *tree,
                        uint64_t revision, const struct store_object **ret_object,
                        struct error *err)
{
    return object_new(tree, revision, (const char *const *)resource->field_paths,
                      resource->field_path_count, ret_object, err);
}

/* A new object of that revision, which is later than any before, or of a store being restored. */
static bool add(struct store_resource *resource, const struct json_object *tree, uint64_t revision,
                const struct store_object **ret_object, struct error *err)
{
    const struct store_object *object;
    char *key = object_key(tree);
    bool exists = tree_get(resource->objects, key) != NULL;

    free(key);
    if (exists)
        return error_set(err, ERROR_EXISTS, "already exists");
    if (!make_object(resource, tree, revision, &object, err))
        return false;
    store_skip_to(resource->store, revision);
    resource->objects = tree_set(resource->objects, object);
    history_add(resource, STORE_ADDED, object, NULL);
    if (ret_object != NULL)
        *ret_object = object;
    store_object_unref(object); /* the tree holds it */
    return true;
}

bool store_create(struct store_resource *resource, const struct json_object *tree,
                  const struct store_object **ret_object, struct error *err)
{
    return add(resource, tree, resource->store->revision + 1, ret_object, err);
}

bool store_restore(struct store_resource *resource, const struct json_object *tree,
                   uint64_t revision, struct error *err)
{
    if (!add(resource, tree, revision, NULL, err))
        return false;
    store_compact(resource->store, resource->store->revision);
    return true;
}

void store_skip_to(struct store *store, uint64_t revision)
{
    if (revision > store->revision)
        store->revision = revision;
}

/* Whether expected is what is stored now. */
static bool check_expected(const struct store_resource *resource,
                           const struct store_object *expected, struct error *err)
{
    const struct store_object *stored = tree_get(resource->objects, expected->key);

    if (stored == NULL)
        return error_set(err, ERROR_NOT_FOUND, "not found");
    if (stored != expected)
        return error_set(err, ERROR_CONFLICT, "changed to revision %" PRIu64, stored->revision);
    return true;
}

/* Whether two objects are the same but for their resourceVersion. */
static bool differ_in_revision_alone(const struct store_object *a, const struct store_object *b)
{
    size_t a_after = a->at.revision_offset + a->at.revision_size;
    size_t b_after = b->at.revision_offset + b->at.revision_size;

    return a->at.revision_offset == b->at.revision_offset &&
           a->bytes->size - a_after == b->bytes->size - b_after &&
           memcmp(a->bytes->data, b->bytes->data, a->at.revision_offset) == 0 &&
           memcmp(a->bytes->data + a_after, b->bytes->data + b_after, a->bytes->size - a_after) ==
               0;
}

/* Puts object, which is taken over, in the place of expected. */
static void replace(struct store_resource *resource, const struct store_object *expected,
                    const struct store_object *object, const struct store_object **ret_object)
{
    bool same = differ_in_revision_alone(object, expected);

    assert(strcmp(object->key, expected->key) == 0);
    if (!same) {
        resource->store->revision++;
        store_object_ref(expected);
        resource->objects = tree_set(resource->objects, object);
        history_add(resource, STORE_MODIFIED, object, expected);
        store_object_unref(expected);
    }
    if (ret_object != NULL)
        *ret_object = same ? expected : object;
    store_object_unref(object);
}

bool store_update(struct store_resource *resource, const struct store_object *expected,
                  const struct json_object *tree, const struct store_object **ret_object,
                  struct error *err)
{
    const struct store_object *object;

    if (!check_expected(resource, expected, err) ||
        !make_object(resource, tree, resource->store->revision + 1, &object, err))
        return false;
    replace(resource, expected, object, ret_object);
    return true;
}

bool store_update_parts(struct store_resource *resource, const struct store_object *expected,
                        const struct store_parts *parts, const struct store_object **ret_object,
                        struct error *err)
{
    const struct store_object *object;

    if (!check_expected(resource, expected, err) ||
        !object_new_parts(expected, parts, resource->store->revision + 1,
                          (const char *const *)resource->field_paths, resource->field_path_count,
                          &object, err))
        return false;
    replace(resource, expected, object, ret_object);
    return true;
}

bool store_delete(struct store_resource *resource, const struct store_object *expected,
                  uint64_t *ret_revision, struct error *err)
{
    struct store *store = resource->store;

    if (!check_expected(resource, expected, err))
        return false;
    store->revision++;
    store_object_ref(expected);
    resource->objects = tree_remove(resource->objects, expected->key);
    history_add(resource, STORE_DELETED, expected, expected);
    store_object_unref(expected);
    if (ret_revision != NULL)
        *ret_revision = store->revision;
    return true;
}

void store_resource_set_fields(struct store_resource *resource, const char *const *field_paths,
                               size_t field_path_count)
{
    struct tree *before = tree_ref(resource->objects);

    free_texts(resource->field_paths, resource->field_path_count);
    resource->field_paths = copy_texts(field_paths, field_path_count);
    resource->field_path_count = field_path_count;
    for (size_t i = 0; i < tree_count(before); i++) {
        const struct store_object *old = tree_at(before, i);
        struct json_object *tree = store_object_parse(old);
        const struct store_object *object;

        /* It fitted before, with the same bytes. */
        if (make_object(resource, tree, old->revision, &object, NULL)) {
            resource->objects = tree_set(resource->objects, object);
            store_object_unref(object);
        }
        json_object_put(tree);
    }
    tree_unref(before);
}
