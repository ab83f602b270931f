/* object - the header of a stored object, read from its tree once. */
#include "fakeapi/store/object.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/store/object_wire.h"

/* The object and all that it points to are one allocation: the same code runs twice, first with
 * base NULL to measure, then to fill. */
struct arena {
    char *base;
    size_t used;
};

static void *arena_take(struct arena *arena, size_t count, size_t size)
{
    size_t start = (arena->used + 7) / 8 * 8;

    arena->used = start + count * size;
    return arena->base == NULL ? NULL : arena->base + start;
}

/* What an object is made from: a tree, or the object before it and what changes of that. */
struct source {
    const struct json_object *tree; /* NULL: by parts */
    const struct store_object *old;
    const struct store_parts *parts;
    const char *key;
    const char *const *field_paths;
    size_t field_path_count;
};

static const char *arena_text(struct arena *arena, const char *text)
{
    size_t size;
    char *copy;

    if (text_is_empty(text))
        return "";
    size = strlen(text) + 1;
    copy = arena->base == NULL ? NULL : arena->base + arena->used;
    arena->used += size;
    if (copy == NULL)
        return "";
    memcpy(copy, text, size);
    return copy;
}

static size_t array_count(const struct json_object *array)
{
    return array == NULL ? 0 : json_object_array_length(array);
}

static void read_labels(struct arena *arena, const struct json_object *metadata,
                        struct store_object *object)
{
    struct json_object *labels = json_get_object(metadata, "labels");
    size_t count = labels == NULL ? 0 : (size_t)json_object_object_length(labels);
    struct store_label *array = arena_take(arena, count, sizeof(*array));
    size_t i = 0;

    if (count > 0) {
        struct json_object_iterator at = json_object_iter_begin(labels);
        struct json_object_iterator end = json_object_iter_end(labels);

        for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at), i++) {
            const char *key = arena_text(arena, json_object_iter_peek_name(&at));
            const char *value = arena_text(arena, json_text(json_object_iter_peek_value(&at)));

            if (array != NULL)
                array[i] = (struct store_label){.key = key, .value = value};
        }
    }
    object->labels = array;
    object->label_count = count;
}

static void read_owners(struct arena *arena, const struct json_object *metadata,
                        struct store_object *object)
{
    struct json_object *owners = json_get_array(metadata, "ownerReferences");
    size_t count = array_count(owners);
    struct store_owner *array = arena_take(arena, count, sizeof(*array));

    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(owners, i);
        struct store_owner owner = {
            .api_version = arena_text(arena, json_get_text(item, "apiVersion")),
            .kind = arena_text(arena, json_get_text(item, "kind")),
            .name = arena_text(arena, json_get_text(item, "name")),
            .uid = arena_text(arena, json_get_text(item, "uid")),
            .controller = json_get_bool(item, "controller", false),
            .block_owner_deletion = json_get_bool(item, "blockOwnerDeletion", false),
        };

        if (array != NULL)
            array[i] = owner;
    }
    object->owners = array;
    object->owner_count = count;
}

static void read_finalizers(struct arena *arena, const struct json_object *metadata,
                            struct store_object *object)
{
    struct json_object *finalizers = json_get_array(metadata, "finalizers");
    size_t count = array_count(finalizers);
    const char **array = arena_take(arena, count, sizeof(*array));

    for (size_t i = 0; i < count; i++) {
        const char *text = arena_text(arena, json_text(json_object_array_get_idx(finalizers, i)));

        if (array != NULL)
            array[i] = text;
    }
    object->finalizers = array;
    object->finalizer_count = count;
}

/* The value at a dotted path; NULL when there is none. */
static struct json_object *follow(const struct json_object *tree, const char *path)
{
    struct json_object *value = NULL;
    char name[256];

    while (*path != '\0') {
        size_t size = strcspn(path, ".");

        if (size >= sizeof(name))
            return NULL;
        memcpy(name, path, size);
        name[size] = '\0';
        value = json_get(tree, name);
        if (value == NULL)
            return NULL;
        tree = value;
        path += size + (path[size] == '.');
    }
    return value;
}

static const char *field_text(struct arena *arena, struct json_object *value)
{
    char *text;
    const char *kept;
    size_t size;

    if (value == NULL || json_is(value, json_type_object) || json_is(value, json_type_array))
        return "";
    if (json_is(value, json_type_string))
        return arena_text(arena, json_text(value));
    text = json_to_text(value, &size);
    kept = arena_text(arena, text);
    free(text);
    return kept;
}

/* What is behind "spec." in "spec.nodeName", when path begins so. */
static const char *behind(const char *path, const char *member)
{
    size_t size = strlen(member);

    return strncmp(path, member, size) == 0 && path[size] == '.' ? path + size + 1 : NULL;
}

/* The field of an object that is made by parts. */
static const char *field_by_parts(struct arena *arena, const struct source *source, size_t index)
{
    const struct store_parts *parts = source->parts;
    const char *path = source->field_paths[index];
    const char *inner;

    if ((inner = behind(path, "spec")) != NULL && parts->spec_key != NULL &&
        strcmp(inner, parts->spec_key) == 0)
        return arena_text(arena, parts->spec_text);
    if ((inner = behind(path, "status")) != NULL && parts->status != NULL)
        return field_text(arena, follow(parts->status, inner));
    if ((inner = behind(path, "metadata")) != NULL && parts->metadata != NULL)
        return field_text(arena, follow(parts->metadata, inner));
    return arena_text(arena, source->old->fields[index]);
}

static void read_fields(struct arena *arena, const struct source *source,
                        struct store_object *object)
{
    size_t count = source->field_path_count;
    const char **array = arena_take(arena, count, sizeof(*array));

    for (size_t i = 0; i < count; i++) {
        const char *text = source->tree == NULL
                               ? field_by_parts(arena, source, i)
                               : field_text(arena, follow(source->tree, source->field_paths[i]));

        if (array != NULL)
            array[i] = text;
    }
    object->fields = array;
    object->field_count = count;
}

char *object_key(const struct json_object *tree)
{
    struct json_object *metadata = json_get_object(tree, "metadata");
    const char *namespace = json_get_text(metadata, "namespace");
    const char *name = json_get_text(metadata, "name");
    size_t namespace_size;
    size_t name_size;
    char *key;

    assert(name != NULL);
    if (text_is_empty(namespace))
        return xstrdup(name);
    namespace_size = strlen(namespace);
    name_size = strlen(name);
    key = xrealloc(NULL, namespace_size + name_size + 2);
    memcpy(key, namespace, namespace_size);
    key[namespace_size] = '/';
    memcpy(key + namespace_size + 1, name, name_size + 1);
    return key;
}

static void read_metadata(struct arena *arena, const struct json_object *metadata,
                          struct store_object *object)
{
    const char *deleted = json_get_text(metadata, "deletionTimestamp");
    const char *created = json_get_text(metadata, "creationTimestamp");

    object->namespace = arena_text(arena, json_get_text(metadata, "namespace"));
    object->name = arena_text(arena, json_get_text(metadata, "name"));
    object->uid = arena_text(arena, json_get_text(metadata, "uid"));
    object->generation = json_get_int64(metadata, "generation", 0);
    object->deleting = deleted != NULL && time_parse(deleted, &object->deleted_at_us);
    if (created == NULL || !time_parse(created, &object->created_at_us))
        object->created_at_us = 0;
    read_labels(arena, metadata, object);
    read_owners(arena, metadata, object);
    read_finalizers(arena, metadata, object);
}

static void copy_labels(struct arena *arena, const struct store_object *old,
                        struct store_object *object)
{
    struct store_label *array = arena_take(arena, old->label_count, sizeof(*array));

    for (size_t i = 0; i < old->label_count; i++) {
        const struct store_label label = {.key = arena_text(arena, old->labels[i].key),
                                          .value = arena_text(arena, old->labels[i].value)};

        if (array != NULL)
            array[i] = label;
    }
    object->labels = array;
    object->label_count = old->label_count;
}

static void copy_owners(struct arena *arena, const struct store_object *old,
                        struct store_object *object)
{
    struct store_owner *array = arena_take(arena, old->owner_count, sizeof(*array));

    for (size_t i = 0; i < old->owner_count; i++) {
        struct store_owner owner = old->owners[i];

        owner.api_version = arena_text(arena, owner.api_version);
        owner.kind = arena_text(arena, owner.kind);
        owner.name = arena_text(arena, owner.name);
        owner.uid = arena_text(arena, owner.uid);
        if (array != NULL)
            array[i] = owner;
    }
    object->owners = array;
    object->owner_count = old->owner_count;
}

static void copy_metadata(struct arena *arena, const struct store_object *old,
                          struct store_object *object)
{
    const char **finalizers;

    object->namespace = arena_text(arena, old->namespace);
    object->name = arena_text(arena, old->name);
    object->uid = arena_text(arena, old->uid);
    object->generation = old->generation;
    object->deleting = old->deleting;
    object->deleted_at_us = old->deleted_at_us;
    object->created_at_us = old->created_at_us;
    copy_labels(arena, old, object);
    copy_owners(arena, old, object);
    finalizers = arena_take(arena, old->finalizer_count, sizeof(*finalizers));
    for (size_t i = 0; i < old->finalizer_count; i++) {
        const char *text = arena_text(arena, old->finalizers[i]);

        if (finalizers != NULL)
            finalizers[i] = text;
    }
    object->finalizers = finalizers;
    object->finalizer_count = old->finalizer_count;
}

static struct store_object *read_header(struct arena *arena, const struct source *source,
                                        struct store_object *measured)
{
    struct store_object *object = arena_take(arena, 1, sizeof(*object));

    if (object == NULL)
        object = measured;
    object->key = arena_text(arena, source->key);
    if (source->tree != NULL)
        read_metadata(arena, json_get_object(source->tree, "metadata"), object);
    else if (source->parts->metadata != NULL)
        read_metadata(arena, source->parts->metadata, object);
    else
        copy_metadata(arena, source->old, object);
    read_fields(arena, source, object);
    return object;
}

static const struct store_object *make(const struct source *source, uint64_t revision,
                                       struct bytes *bytes, const struct store_layout *layout)
{
    struct store_object measured = {0};
    struct arena arena = {NULL, 0};
    struct store_object *object;

    read_header(&arena, source, &measured);
    arena = (struct arena){xcalloc(1, arena.used), 0};
    object = read_header(&arena, source, NULL);
    object->references = 1;
    object->bytes = bytes;
    object->revision = revision;
    object->at = *layout;
    return object;
}

bool object_new(const struct json_object *tree, uint64_t revision, const char *const *field_paths,
                size_t field_path_count, const struct store_object **ret_object, struct error *err)
{
    struct source source = {
        .tree = tree, .field_paths = field_paths, .field_path_count = field_path_count};
    struct store_layout layout;
    struct bytes *bytes;
    char *key;

    if (!object_wire(tree, revision, OBJECT_BYTES_MAX, &layout, &bytes, err))
        return false;
    key = object_key(tree);
    source.key = key;
    *ret_object = make(&source, revision, bytes, &layout);
    free(key);
    return true;
}

bool object_new_parts(const struct store_object *old, const struct store_parts *parts,
                      uint64_t revision, const char *const *field_paths, size_t field_path_count,
                      const struct store_object **ret_object, struct error *err)
{
    const struct source source = {.old = old,
                                  .parts = parts,
                                  .key = old->key,
                                  .field_paths = field_paths,
                                  .field_path_count = field_path_count};
    struct store_layout layout;
    struct bytes *bytes;

    if (!object_wire_parts(old, parts, revision, OBJECT_BYTES_MAX, &layout, &bytes, err))
        return false;
    *ret_object = make(&source, revision, bytes, &layout);
    return true;
}

/* Objects are const to everybody but their count and their caches. */
static struct store_object *writable(const struct store_object *object)
{
    union {
        const struct store_object *readable;
        struct store_object *writable;
    } both = {.readable = object};

    return both.writable;
}

struct store_object *store_object_ref(const struct store_object *object)
{
    struct store_object *held = writable(object);

    held->references++;
    return held;
}

void store_object_unref(const struct store_object *object)
{
    struct store_object *held = writable(object);

    if (held == NULL || --held->references > 0)
        return;
    bytes_unref(held->bytes);
    bytes_unref(held->cells);
    store_object_unref(held->revised);
    free(held);
}

struct json_object *store_object_parse(const struct store_object *object)
{
    return json_slice_parse((struct json_slice){object->bytes->data, object->bytes->size});
}

struct json_object *store_object_parse_brief(const struct store_object *object)
{
    static const char *const left_out[] = {"managedFields", "env"};

    return json_slice_parse_without((struct json_slice){object->bytes->data, object->bytes->size},
                                    left_out, ARRAY_SIZE(left_out));
}

static struct json_slice slice_of(const struct store_object *object, size_t offset, size_t size)
{
    return (struct json_slice){size == 0 ? NULL : object->bytes->data + offset, size};
}

struct json_slice store_object_metadata(const struct store_object *object)
{
    return slice_of(object, object->at.metadata_offset, object->at.metadata_size);
}

struct json_slice store_object_spec(const struct store_object *object)
{
    return slice_of(object, object->at.spec_offset, object->at.spec_size);
}

struct json_slice store_object_status(const struct store_object *object)
{
    return slice_of(object, object->at.status_offset, object->at.status_size);
}

struct json_object *store_object_parse_parts(const struct store_object *object, bool with_status)
{
    struct json_slice head = {object->bytes->data,
                              object->at.metadata_offset + object->at.metadata_size};
    struct json_slice status = store_object_status(object);
    struct buffer text = BUFFER_INIT(OBJECT_BYTES_MAX + 1);
    struct json_object *tree;

    (void)buffer_reserve(&text, head.size + 1);
    buffer_append(&text, head.bytes, head.size);
    buffer_append_char(&text, '}');
    tree = json_slice_parse((struct json_slice){text.bytes, text.size});
    buffer_release(&text);
    if (with_status && status.bytes != NULL)
        json_set(tree, "status", json_slice_parse(status));
    return tree;
}

const char *store_object_label(const struct store_object *object, const char *key)
{
    for (size_t i = 0; i < object->label_count; i++)
        if (strcmp(object->labels[i].key, key) == 0)
            return object->labels[i].value;
    return NULL;
}

bool store_object_has_finalizer(const struct store_object *object, const char *finalizer)
{
    for (size_t i = 0; i < object->finalizer_count; i++)
        if (strcmp(object->finalizers[i], finalizer) == 0)
            return true;
    return false;
}
