/* prune - what a schema does to an object before it is checked: unknown fields go, defaults come.
 */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/node.h"
#include "fakeapi/schema/path.h"

static bool is_of_object_meta(const char *name)
{
    return text_equal(name, "apiVersion") || text_equal(name, "kind") ||
           text_equal(name, "metadata");
}

void schema_unknown_add(struct schema_unknown *unknown, const char *path)
{
    if (unknown == NULL || unknown->count == SCHEMA_UNKNOWN_MAX)
        return;
    unknown->paths = xrealloc(unknown->paths, (unknown->count + 1) * sizeof(*unknown->paths));
    unknown->paths[unknown->count++] = xstrdup(path);
}

void schema_unknown_release(struct schema_unknown *unknown)
{
    for (size_t i = 0; i < unknown->count; i++)
        free(unknown->paths[i]);
    free(unknown->paths);
    *unknown = (struct schema_unknown)SCHEMA_UNKNOWN_INIT;
}

struct pruning {
    struct schema_unknown *unknown;
    struct path path;
};

static void prune(struct pruning *pruning, const struct schema *schema, struct json_object *value,
                  bool root);

static void prune_object(struct pruning *pruning, const struct schema *schema,
                         struct json_object *object, bool root)
{
    json_object_object_foreach(object, key, value)
    {
        const struct schema *member = schema_member(schema, key);
        size_t here;

        if ((root || schema->embedded) && is_of_object_meta(key))
            continue;
        here = path_member(&pruning->path, key);
        if (member != NULL) {
            prune(pruning, member, value, false);
        } else if (!schema->preserve && !schema->additional_allowed) {
            schema_unknown_add(pruning->unknown, pruning->path.text);
            json_object_object_del(object, key);
        }
        path_back(&pruning->path, here);
    }
}

static void prune(struct pruning *pruning, const struct schema *schema, struct json_object *value,
                  bool root)
{
    if (json_is(value, json_type_object)) {
        prune_object(pruning, schema, value, root);
    } else if (json_is(value, json_type_array) && schema->items != NULL) {
        for (size_t i = 0; i < json_object_array_length(value); i++) {
            size_t here = path_index(&pruning->path, i);

            prune(pruning, schema->items, json_object_array_get_idx(value, i), false);
            path_back(&pruning->path, here);
        }
    }
}

void schema_prune(const struct schema *schema, struct json_object *object,
                  struct schema_unknown *unknown)
{
    struct pruning pruning = {.unknown = unknown};

    path_init(&pruning.path, "");
    prune(&pruning, schema, object, true);
}

void schema_prune_value(const struct schema *schema, struct json_object *value)
{
    struct pruning pruning = {.unknown = NULL};

    path_init(&pruning.path, "");
    prune(&pruning, schema, value, false);
}

/* --- defaults --- */

/* As JSON, of what is filled into one object: more than that is more than can be stored, so it does
 * not matter what is missing. Defaults within lists could make gigabytes of a small body. */
#define DEFAULTS_BYTES_MAX ((size_t)2 * 1024 * 1024)

static void fill_in(const struct schema *schema, struct json_object *value, bool root,
                    size_t *left);

/* Whether there is room for a default of that name. */
static bool take_room(const struct schema *schema, const char *name, size_t *left)
{
    size_t size = schema->default_size + strlen(name) + strlen("\"\":,");

    *left -= size < *left ? size : *left;
    return *left > 0;
}

/* A null that may not be one goes; where there is a default that takes its place (R14). */
static void drop_nulls(const struct schema *schema, struct json_object *object)
{
    json_object_object_foreach(object, key, value)
    {
        const struct schema *member = value == NULL ? schema_member(schema, key) : NULL;

        if (member != NULL && !member->nullable && member->type != SCHEMA_ANY)
            json_object_object_del(object, key);
    }
}

static void fill_in_object(const struct schema *schema, struct json_object *object, bool root,
                           size_t *left)
{
    struct schema_property *property;
    struct schema_property *next;

    if (*left == 0)
        return;
    drop_nulls(schema, object);
    HASH_ITER (hh, schema->properties, property, next) {
        if (root && is_of_object_meta(property->name))
            continue;
        if (property->schema->has_default &&
            !json_object_object_get_ex(object, property->name, NULL) &&
            take_room(property->schema, property->name, left))
            json_set(object, property->name, json_copy(property->schema->default_value));
    }
    json_object_object_foreach(object, key, value)
    {
        const struct schema *member =
            root && is_of_object_meta(key) ? NULL : schema_member(schema, key);

        if (member != NULL)
            fill_in(member, value, false, left);
    }
}

static void fill_in(const struct schema *schema, struct json_object *value, bool root, size_t *left)
{
    if (json_is(value, json_type_object)) {
        fill_in_object(schema, value, root, left);
    } else if (json_is(value, json_type_array) && schema->items != NULL) {
        for (size_t i = 0; i < json_object_array_length(value); i++)
            fill_in(schema->items, json_object_array_get_idx(value, i), false, left);
    }
}

void schema_default(const struct schema *schema, struct json_object *object)
{
    size_t left = DEFAULTS_BYTES_MAX;

    fill_in(schema, object, true, &left);
}
