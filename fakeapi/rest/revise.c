/* revise - what a stored custom object is read as. */
#include "fakeapi/rest/revise.h"

#include <stdint.h>

#include "fakeapi/schema/schema.h"
#include "fakeapi/store/object.h"

static bool have_same_schema(const struct kind *kind, const struct json_object *openapi)
{
    for (size_t i = 0; i < kind->version_count; i++)
        if (!json_equal(kind->versions[i].openapi, openapi))
            return false;
    return true;
}

void revise_note_schemas(struct kind *kind, const struct kind *before)
{
    const struct json_object *openapi = kind->version_count == 0 ? NULL : kind->versions[0].openapi;
    bool old_objects = before != NULL && before->row == NULL && before->objects != NULL &&
                       store_resource_count(before->objects) > 0;

    kind->revises = !have_same_schema(kind, openapi) ||
                    (old_objects && (before->revises || !have_same_schema(before, openapi)));
}

/* By the storage version, then by the version that is asked for, which has no say in defaults. */
static void revise(const struct kind *kind, const struct kind_version *version,
                   struct json_object *tree)
{
    const struct kind_version *storage = kind_storage_version(kind);

    if (kind->row != NULL) {
        kind->row->show(tree);
        return;
    }
    schema_prune(storage->schema, tree, NULL);
    schema_default(storage->schema, tree);
    if (version != storage)
        schema_prune(version->schema, tree, NULL);
}

/* A cache, as that of cells: the object stays what it is. */
static void keep(const struct store_object *object, const struct store_object *other,
                 unsigned epoch)
{
    struct store_object *held = (struct store_object *)(uintptr_t)object;

    store_object_unref(held->revised);
    held->revised = other;
    held->revised_epoch = epoch;
}

const struct store_object *revised(const struct kind *kind, const struct kind_version *version,
                                   const struct store_object *object)
{
    const struct store_object *other = NULL;
    struct error err = ERROR_INIT;
    struct json_object *before;
    struct json_object *tree;

    if (!kind->revises)
        return object;
    if (object->revised_epoch != version->epoch) {
        before = store_object_parse(object);
        tree = json_copy(before);
        revise(kind, version, tree);
        if (!json_equal(tree, before) && !object_new(tree, object->revision, NULL, 0, &other, &err))
            other = NULL; /* its defaults make it too large: shown as it is stored */
        keep(object, other, version->epoch);
        json_object_put(tree);
        json_object_put(before);
    }
    return object->revised != NULL ? object->revised : object;
}

struct json_object *revised_parse(const struct kind *kind, const struct kind_version *version,
                                  const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);

    if (kind->revises)
        revise(kind, version, tree);
    return tree;
}

void revise_for_storage(const struct kind *kind, const struct kind_version *version,
                        struct json_object *tree)
{
    const struct kind_version *storage = kind_storage_version(kind);

    if (kind->revises && kind->row != NULL)
        kind->row->store(tree);
    else if (kind->revises && version != storage)
        schema_prune(storage->schema, tree, NULL);
}
