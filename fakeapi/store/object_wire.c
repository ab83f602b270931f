/* object_wire - canonical JSON of an object: equal trees, equal bytes. */
#include "fakeapi/store/object_wire.h"

#include <inttypes.h>
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"

struct member {
    const char *name;
    const struct json_object *value;
};

/* Room that most objects do with. */
#define USUAL_BYTES 4096

/* Members up to here are sorted without an allocation, and by insertion: most come sorted. */
#define MEMBERS_ON_STACK 24

static int compare_members(const void *a, const void *b)
{
    const struct member *left = a;
    const struct member *right = b;

    return strcmp(left->name, right->name);
}

static void append_value(struct buffer *buffer, const struct json_object *value);

static void sort(struct member *members, size_t count)
{
    if (count > MEMBERS_ON_STACK) {
        qsort(members, count, sizeof(*members), compare_members);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        struct member member = members[i];
        size_t at = i;

        for (; at > 0 && strcmp(members[at - 1].name, member.name) > 0; at--)
            members[at] = members[at - 1];
        members[at] = member;
    }
}

/* The members of object, as they come, into room, which holds as many as it has. */
static size_t list_members(const struct json_object *object, struct member *room)
{
    struct json_object_iter at;
    size_t count = 0;

    json_object_object_foreachC(object, at) room[count++] = (struct member){at.key, at.val};
    return count;
}

static void append_name(struct buffer *buffer, const char *name)
{
    json_append_quoted(buffer, name, strlen(name));
    buffer_append_char(buffer, ':');
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
    size_t count = list_members(object, members);

    sort(members, count);
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

static void append_revision(struct buffer *buffer, uint64_t revision, struct store_layout *layout)
{
    buffer_append_char(buffer, '"');
    layout->revision_offset = buffer->size;
    buffer_append_format(buffer, "%" PRIu64, revision);
    layout->revision_size = buffer->size - layout->revision_offset;
    buffer_append_char(buffer, '"');
}

/* The metadata with resourceVersion in its sorted place, whatever the tree says it is. */
static void append_metadata(struct buffer *buffer, const struct json_object *metadata,
                            uint64_t revision, struct store_layout *layout)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(metadata, stack, 1);
    size_t count = list_members(metadata, members);
    bool present = false;

    for (size_t i = 0; i < count; i++)
        present = present || strcmp(members[i].name, "resourceVersion") == 0;
    if (!present)
        members[count++] = (struct member){"resourceVersion", NULL};
    sort(members, count);
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

/* A text where there is none yet, or in the place of what there is. */
static void append_kept_member(struct buffer *buffer, bool first, const struct store_keep *keep)
{
    if (!first)
        buffer_append_char(buffer, ',');
    append_name(buffer, keep->key);
    json_append_quoted(buffer, keep->text, strlen(keep->text));
}

/* How a quoted key compares to a plain one. */
static int compare_key(struct json_slice quoted, const char *key)
{
    char *text = json_slice_text(quoted);
    int order = strcmp(text, key);

    free(text);
    return order;
}

/* The kept spec with one member set. */
static void append_changed_spec(struct buffer *buffer, const struct store_keep *keep)
{
    struct json_slice spec = store_object_spec(keep->object);
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;
    bool first = true;
    bool done = false;

    buffer_append_char(buffer, '{');
    for (; json_slice_next_member(spec, &next, &key, &value); first = false) {
        int order = compare_key(key, keep->key);

        if (order >= 0 && !done) {
            append_kept_member(buffer, first, keep);
            first = false;
            done = true;
        }
        if (order == 0)
            continue;
        if (!first)
            buffer_append_char(buffer, ',');
        buffer_append(buffer, key.bytes, key.size);
        buffer_append_char(buffer, ':');
        buffer_append(buffer, value.bytes, value.size);
    }
    if (!done)
        append_kept_member(buffer, first, keep);
    buffer_append_char(buffer, '}');
}

static void append_kept_spec(struct buffer *buffer, const struct store_keep *keep)
{
    struct json_slice spec = store_object_spec(keep->object);

    if (keep->key != NULL)
        append_changed_spec(buffer, keep);
    else
        buffer_append(buffer, spec.bytes, spec.size);
}

static bool keeps_spec(const struct store_keep *keep)
{
    return keep != NULL && (keep->key != NULL || keep->object->at.spec_size > 0);
}

static bool is_head(const char *name)
{
    return strcmp(name, "apiVersion") == 0 || strcmp(name, "kind") == 0 ||
           strcmp(name, "metadata") == 0;
}

static void append_rest(struct buffer *buffer, const struct json_object *tree,
                        const struct store_keep *keep, struct store_layout *layout)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(tree, stack, 1);
    size_t count = list_members(tree, members);

    if (keeps_spec(keep))
        members[count++] = (struct member){"spec", NULL};
    sort(members, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = members[i].name;
        bool is_spec = strcmp(name, "spec") == 0;
        size_t start;

        if (is_head(name))
            continue;
        buffer_append_char(buffer, ',');
        append_name(buffer, name);
        start = buffer->size;
        if (is_spec && keep != NULL)
            append_kept_spec(buffer, keep);
        else
            append_value(buffer, members[i].value);
        if (is_spec) {
            layout->spec_offset = start;
            layout->spec_size = buffer->size - start;
        } else if (strcmp(name, "status") == 0) {
            layout->status_offset = start;
            layout->status_size = buffer->size - start;
        }
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

bool object_wire(const struct json_object *tree, uint64_t revision, const struct store_keep *keep,
                 size_t size_max, struct store_layout *ret_layout, struct bytes **ret_bytes,
                 struct error *err)
{
    struct buffer buffer = BUFFER_INIT(size_max);
    bool ok = false;

    *ret_layout = (struct store_layout){0};
    (void)buffer_reserve(&buffer, keep == NULL ? USUAL_BYTES : keep->object->bytes->size + 512);
    buffer_append_char(&buffer, '{');
    append_head(&buffer, tree, "apiVersion");
    append_head(&buffer, tree, "kind");
    ret_layout->members_offset = buffer.size;
    append_name(&buffer, "metadata");
    append_metadata(&buffer, json_get_object(tree, "metadata"), revision, ret_layout);
    append_rest(&buffer, tree, keep, ret_layout);
    buffer_append_char(&buffer, '}');
    if (!buffer_check(&buffer, err))
        goto out;
    *ret_bytes = bytes_new(buffer.bytes, buffer.size);
    ok = true;
out:
    buffer_release(&buffer);
    return ok;
}
