/* object_wire - canonical JSON of an object: equal trees, equal bytes. */
#include "fakeapi/store/object_wire.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct member {
    const char *name;
    const struct json_object *value;
};

/* Members up to here are sorted without an allocation. */
#define MEMBERS_ON_STACK 24

static int compare_members(const void *a, const void *b)
{
    const struct member *left = a;
    const struct member *right = b;

    return strcmp(left->name, right->name);
}

static void append_value(struct buffer *buffer, const struct json_object *value);

/* The members of object sorted into room, which holds as many as it has. */
static size_t sort_members(struct json_object *object, struct member *room)
{
    struct json_object_iterator at = json_object_iter_begin(object);
    struct json_object_iterator end = json_object_iter_end(object);
    size_t count = 0;

    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        room[count++] =
            (struct member){json_object_iter_peek_name(&at), json_object_iter_peek_value(&at)};
    qsort(room, count, sizeof(*room), compare_members);
    return count;
}

static void append_name(struct buffer *buffer, const char *name)
{
    json_append_quoted(buffer, name, strlen(name));
    buffer_append_char(buffer, ':');
}

/* json-c's iterators want a pointer without const; nothing is changed through it. */
static struct json_object *unconst(const struct json_object *value)
{
    union {
        const struct json_object *readable;
        struct json_object *writable;
    } both = {.readable = value};

    return both.writable;
}

static struct member *members_room(const struct json_object *object, struct member *stack,
                                   size_t extra)
{
    size_t count = (size_t)json_object_object_length(object) + extra;

    return count <= MEMBERS_ON_STACK ? stack : xcalloc(count, sizeof(struct member));
}

static void append_object(struct buffer *buffer, const struct json_object *object)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(object, stack, 0);
    size_t count = sort_members(unconst(object), members);

    buffer_append_char(buffer, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ',');
        append_name(buffer, members[i].name);
        append_value(buffer, members[i].value);
    }
    buffer_append_char(buffer, '}');
    if (members != stack)
        free(members);
}

static void append_value(struct buffer *buffer, const struct json_object *value)
{
    size_t count;

    if (json_is(value, json_type_object)) {
        append_object(buffer, value);
        return;
    }
    if (!json_is(value, json_type_array)) {
        json_append(buffer, value);
        return;
    }
    buffer_append_char(buffer, '[');
    count = json_object_array_length(value);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ',');
        append_value(buffer, json_object_array_get_idx(value, i));
    }
    buffer_append_char(buffer, ']');
}

static void append_revision(struct buffer *buffer, uint64_t revision, struct object_layout *layout)
{
    buffer_append_char(buffer, '"');
    layout->revision_offset = buffer->size;
    buffer_append_format(buffer, "%" PRIu64, revision);
    layout->revision_size = buffer->size - layout->revision_offset;
    buffer_append_char(buffer, '"');
}

/* The metadata with resourceVersion in its sorted place, whatever the tree says it is. */
static void append_metadata(struct buffer *buffer, const struct json_object *metadata,
                            uint64_t revision, struct object_layout *layout)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(metadata, stack, 1);
    size_t count = sort_members(unconst(metadata), members);
    bool present = false;

    for (size_t i = 0; i < count; i++)
        present = present || strcmp(members[i].name, "resourceVersion") == 0;
    if (!present) {
        members[count++] = (struct member){"resourceVersion", NULL};
        qsort(members, count, sizeof(*members), compare_members);
    }
    layout->metadata_offset = buffer->size;
    buffer_append_char(buffer, '{');
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buffer_append_char(buffer, ',');
        append_name(buffer, members[i].name);
        if (strcmp(members[i].name, "resourceVersion") == 0)
            append_revision(buffer, revision, layout);
        else
            append_value(buffer, members[i].value);
    }
    buffer_append_char(buffer, '}');
    layout->metadata_size = buffer->size - layout->metadata_offset;
    if (members != stack)
        free(members);
}

static void append_rest(struct buffer *buffer, const struct json_object *tree)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(tree, stack, 0);
    size_t count = sort_members(unconst(tree), members);

    for (size_t i = 0; i < count; i++) {
        const char *name = members[i].name;

        if (strcmp(name, "apiVersion") == 0 || strcmp(name, "kind") == 0 ||
            strcmp(name, "metadata") == 0)
            continue;
        buffer_append_char(buffer, ',');
        append_name(buffer, name);
        append_value(buffer, members[i].value);
    }
    if (members != stack)
        free(members);
}

static void append_head(struct buffer *buffer, const struct json_object *tree, const char *name)
{
    const struct json_object *value = json_get(tree, name);

    if (value == NULL)
        return;
    append_name(buffer, name);
    append_value(buffer, value);
    buffer_append_char(buffer, ',');
}

bool object_wire(const struct json_object *tree, uint64_t revision, size_t size_max,
                 struct object_layout *ret_layout, struct bytes **ret_bytes, struct error *err)
{
    struct buffer buffer = BUFFER_INIT(size_max);
    bool ok = false;

    buffer_append_char(&buffer, '{');
    append_head(&buffer, tree, "apiVersion");
    append_head(&buffer, tree, "kind");
    ret_layout->members_offset = buffer.size;
    append_name(&buffer, "metadata");
    append_metadata(&buffer, json_get_object(tree, "metadata"), revision, ret_layout);
    append_rest(&buffer, tree);
    buffer_append_char(&buffer, '}');
    if (!buffer_check(&buffer, err))
        goto out;
    *ret_bytes = bytes_new(buffer.bytes, buffer.size);
    ok = true;
out:
    buffer_release(&buffer);
    return ok;
}
