/* patch - JSON patch (RFC 6902) and JSON merge patch (RFC 7386) over trees. */
#include "fakeapi/patch/patch.h"

#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/patch/pointer.h"

/* A JSON patch under way. */
struct patching {
    struct json_object *document;
    size_t copied; /* bytes, against PATCH_COPY_BYTES_MAX */
    size_t steps;  /* against PATCH_STEPS_MAX */
};

/* One operation, read. */
struct operation {
    struct pointer path;
    struct pointer from;
    struct json_object *value; /* borrowed; NULL for null, and when absent */
};

static bool check_steps(const struct patching *patching, struct error *err)
{
    return patching->steps <= PATCH_STEPS_MAX ||
           error_set(err, ERROR_TOO_LARGE, "the patch takes more than %zu steps", PATCH_STEPS_MAX);
}

static size_t depth_of(struct patching *patching, const struct json_object *value)
{
    size_t deepest = 0;

    patching->steps++;
    if (json_is(value, json_type_object)) {
        json_object_object_foreach((struct json_object *)(uintptr_t)value, key, member)
        {
            size_t depth = depth_of(patching, member);

            (void)key;
            deepest = depth > deepest ? depth : deepest;
        }
        return deepest + 1;
    }
    if (!json_is(value, json_type_array))
        return 0;
    for (size_t i = 0; i < json_object_array_length(value); i++) {
        size_t depth = depth_of(patching, json_object_array_get_idx(value, i));

        deepest = depth > deepest ? depth : deepest;
    }
    return deepest + 1;
}

/* Puts value in the place of the whole document. */
static void set_document(struct patching *patching, struct json_object *value)
{
    json_object_put(patching->document);
    patching->document = value;
}

/* Inserts into an array, "-" or the length appending. */
static bool insert_item(struct patching *patching, struct json_object *array, const char *token,
                        struct json_object *value)
{
    size_t length = json_object_array_length(array);
    size_t index = length;

    if (strcmp(token, "-") != 0 && !pointer_index(token, length + 1, &index))
        return false;
    patching->steps += length - index;
    json_object_array_add(array, NULL);
    for (size_t i = length; i > index; i--) {
        struct json_object *item = json_object_array_get_idx(array, i - 1);

        json_object_array_put_idx(array, i, json_object_get(item));
    }
    json_object_array_put_idx(array, index, value);
    return true;
}

/* Takes ownership of value, also on failure. */
static bool add_value(struct patching *patching, const struct pointer *path,
                      struct json_object *value, struct error *err)
{
    struct json_object *parent;
    const char *token;

    if (path->count + depth_of(patching, value) > JSON_DEPTH_MAX) {
        json_object_put(value);
        return error_set(err, ERROR_INVALID, "the result is nested too deep");
    }
    if (path->count == 0) {
        set_document(patching, value);
        return true;
    }
    parent = pointer_parent(path, patching->document);
    token = path->tokens[path->count - 1];
    if (json_is(parent, json_type_object)) {
        json_set(parent, token, value);
        return true;
    }
    if (parent == NULL || !insert_item(patching, parent, token, value)) {
        json_object_put(value);
        return error_set(err, ERROR_INVALID, "no place to add to");
    }
    return true;
}

static bool remove_value(struct patching *patching, const struct pointer *path, struct error *err)
{
    struct json_object *parent;
    const char *token;
    size_t index;

    if (path->count == 0)
        return error_set(err, ERROR_INVALID, "the whole document cannot be removed");
    parent = pointer_parent(path, patching->document);
    token = path->tokens[path->count - 1];
    if (json_is(parent, json_type_object) && json_object_object_get_ex(parent, token, NULL)) {
        json_object_object_del(parent, token);
        return true;
    }
    if (json_is(parent, json_type_array) &&
        pointer_index(token, json_object_array_length(parent), &index)) {
        patching->steps += json_object_array_length(parent) - index;
        json_object_array_del_idx(parent, index, 1);
        return true;
    }
    return error_set(err, ERROR_INVALID, "no such value to remove");
}

static bool apply_add(struct patching *patching, const struct operation *op, struct error *err)
{
    return add_value(patching, &op->path, json_copy(op->value), err);
}

static bool apply_remove(struct patching *patching, const struct operation *op, struct error *err)
{
    return remove_value(patching, &op->path, err);
}

/* A place in an object that is there: it counts as null where it has no such member. */
static bool is_member_path(const struct patching *patching, const struct pointer *path)
{
    return path->count > 0 && json_is(pointer_parent(path, patching->document), json_type_object);
}

static bool apply_replace(struct patching *patching, const struct operation *op, struct error *err)
{
    if (op->path.count > 0 && !is_member_path(patching, &op->path) &&
        !remove_value(patching, &op->path, err))
        return false;
    return add_value(patching, &op->path, json_copy(op->value), err);
}

static bool apply_move(struct patching *patching, const struct operation *op, struct error *err)
{
    struct json_object *value;

    if (!pointer_find(&op->from, patching->document, &value))
        return error_set(err, ERROR_INVALID, "no such value to move");
    if (pointer_is_above(&op->from, &op->path))
        return op->from.count == op->path.count ||
               error_set(err, ERROR_INVALID, "a value cannot move into itself");
    json_object_get(value);
    if (!remove_value(patching, &op->from, err)) {
        json_object_put(value);
        return false;
    }
    return add_value(patching, &op->path, value, err);
}

static bool apply_copy(struct patching *patching, const struct operation *op, struct error *err)
{
    struct json_object *value = NULL;
    size_t size;

    if (!pointer_find(&op->from, patching->document, &value) &&
        !is_member_path(patching, &op->from))
        return error_set(err, ERROR_INVALID, "no such value to copy");
    free(json_to_text(value, &size));
    if (size > PATCH_COPY_BYTES_MAX - patching->copied)
        return error_set(err, ERROR_INVALID, "copies of more than %d bytes", PATCH_COPY_BYTES_MAX);
    patching->copied += size;
    return add_value(patching, &op->path, json_copy(value), err);
}

/* A missing value equals null, as on the real server. */
static bool apply_test(struct patching *patching, const struct operation *op, struct error *err)
{
    struct json_object *value = NULL;

    if (!pointer_find(&op->path, patching->document, &value) &&
        !is_member_path(patching, &op->path))
        return error_set(err, ERROR_INVALID, "no such value to test");
    return json_equal(value, op->value) || error_set(err, ERROR_INVALID, "test failed");
}

static const struct applier {
    const char *name;
    bool needs_from;
    bool (*apply)(struct patching *patching, const struct operation *op, struct error *err);
} appliers[] = {
    {"add",     false, apply_add    },
    {"remove",  false, apply_remove },
    {"replace", false, apply_replace},
    {"move",    true,  apply_move   },
    {"copy",    true,  apply_copy   },
    {"test",    false, apply_test   },
};

static const struct applier *find_applier(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(appliers); i++)
        if (text_equal(appliers[i].name, name))
            return &appliers[i];
    return NULL;
}

static bool read_pointer(const struct json_object *item, const char *key,
                         struct pointer *ret_pointer, struct error *err)
{
    const char *text = json_get_text(item, key);

    if (text == NULL || !pointer_parse(text, ret_pointer))
        return error_set(err, ERROR_INVALID, "'%s' is not a JSON pointer", key);
    return true;
}

static bool apply_operation(struct patching *patching, const struct json_object *item,
                            struct error *err)
{
    const struct applier *applier = find_applier(json_get_text(item, "op"));
    struct operation op = {.value = json_get(item, "value")};
    bool ok = false;

    if (applier == NULL)
        return error_set(err, ERROR_INVALID, "no such operation");
    if (!read_pointer(item, "path", &op.path, err))
        goto out;
    if (applier->needs_from && !read_pointer(item, "from", &op.from, err))
        goto out;
    ok = applier->apply(patching, &op, err) && check_steps(patching, err);
out:
    pointer_release(&op.from);
    pointer_release(&op.path);
    return ok;
}

/* That it is a list of objects, and not too long (P8). */
static bool check_operations(const struct json_object *operations, struct error *err)
{
    size_t count;

    if (!json_is(operations, json_type_array))
        return error_set(err, ERROR_MALFORMED, "a JSON patch is a list of operations");
    count = json_object_array_length(operations);
    if (count > PATCH_OPERATIONS_MAX)
        return error_set(err, ERROR_TOO_LARGE,
                         "The allowed maximum operations in a JSON patch is %d, got %zu",
                         PATCH_OPERATIONS_MAX, count);
    for (size_t i = 0; i < count; i++)
        if (!json_is(json_object_array_get_idx(operations, i), json_type_object))
            return error_set(err, ERROR_MALFORMED, "operation %zu is not an object", i);
    return true;
}

bool patch_apply_operations(const struct json_object *document,
                            const struct json_object *operations, struct json_object **ret_result,
                            struct error *err)
{
    struct patching patching = {0};

    if (!check_operations(operations, err))
        return false;
    patching.document = json_copy(document);
    for (size_t i = 0; i < json_object_array_length(operations); i++) {
        if (!apply_operation(&patching, json_object_array_get_idx(operations, i), err)) {
            json_object_put(patching.document);
            return error_prefix(err, "operation %zu", i);
        }
    }
    *ret_result = patching.document;
    return true;
}

/* Merges patch into target, which it owns; returns what comes of it. */
static struct json_object *merge(struct json_object *target, const struct json_object *patch)
{
    if (!json_is(patch, json_type_object)) {
        json_object_put(target);
        return json_copy(patch);
    }
    if (!json_is(target, json_type_object)) {
        json_object_put(target);
        target = json_object_new_object();
    }
    json_object_object_foreach((struct json_object *)(uintptr_t)patch, key, value)
    {
        if (value == NULL)
            json_object_object_del(target, key);
        else
            json_set(target, key, merge(json_object_get(json_get(target, key)), value));
    }
    return target;
}

bool patch_apply_merge(const struct json_object *document, const struct json_object *patch,
                       struct json_object **ret_result, struct error *err)
{
    if (!json_is(patch, json_type_object))
        return error_set(err, ERROR_MALFORMED, "Invalid JSON Patch");
    *ret_result = merge(json_copy(document), patch);
    return true;
}
