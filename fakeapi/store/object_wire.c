/* object_wire - canonical JSON of an object: equal trees, equal bytes. */
#include "fakeapi/store/object_wire.h"

#include <assert.h>
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
/* How much most parts grow at most. */
#define GROWTH_BYTES 1024

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

static bool is_head(const char *name)
{
    return strcmp(name, "apiVersion") == 0 || strcmp(name, "kind") == 0 ||
           strcmp(name, "metadata") == 0;
}

static void append_rest(struct buffer *buffer, const struct json_object *tree,
                        struct store_layout *layout)
{
    struct member stack[MEMBERS_ON_STACK];
    struct member *members = members_room(tree, stack, 0);
    size_t count = list_members(tree, members);

    sort(members, count);
    for (size_t i = 0; i < count; i++) {
        const char *name = members[i].name;
        size_t start;

        if (is_head(name))
            continue;
        buffer_append_char(buffer, ',');
        append_name(buffer, name);
        start = buffer->size;
        append_value(buffer, members[i].value);
        if (strcmp(name, "spec") == 0) {
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

static bool finish(struct buffer *buffer, struct bytes **ret_bytes, struct error *err)
{
    bool ok = buffer_check(buffer, err);

    if (ok)
        *ret_bytes = bytes_new(buffer->bytes, buffer->size);
    buffer_release(buffer);
    return ok;
}

bool object_wire(const struct json_object *tree, uint64_t revision, size_t size_max,
                 struct store_layout *ret_layout, struct bytes **ret_bytes, struct error *err)
{
    struct buffer buffer = BUFFER_INIT(size_max);

    *ret_layout = (struct store_layout){0};
    if (size_max > USUAL_BYTES)
        (void)buffer_reserve(&buffer, USUAL_BYTES);
    buffer_append_char(&buffer, '{');
    append_head(&buffer, tree, "apiVersion");
    append_head(&buffer, tree, "kind");
    ret_layout->members_offset = buffer.size;
    append_name(&buffer, "metadata");
    append_metadata(&buffer, json_get_object(tree, "metadata"), revision, ret_layout);
    append_rest(&buffer, tree, ret_layout);
    buffer_append_char(&buffer, '}');
    return finish(&buffer, ret_bytes, err);
}

/* --- parts --- */

static void append_member(struct buffer *buffer, bool first, const struct store_parts *parts)
{
    if (!first)
        buffer_append_char(buffer, ',');
    append_name(buffer, parts->spec_key);
    json_append_quoted(buffer, parts->spec_text, strlen(parts->spec_text));
}

/* How a quoted key compares to a plain one. */
static int compare_key(struct json_slice quoted, const char *key)
{
    char *text = json_slice_text(quoted);
    int order = strcmp(text, key);

    free(text);
    return order;
}

/* The spec with one member set. */
static void append_changed_spec(struct buffer *buffer, struct json_slice spec,
                                const struct store_parts *parts)
{
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;
    bool first = true;
    bool done = false;

    buffer_append_char(buffer, '{');
    for (; json_slice_next_member(spec, &next, &key, &value); first = false) {
        int order = compare_key(key, parts->spec_key);

        if (order >= 0 && !done) {
            append_member(buffer, first, parts);
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
        append_member(buffer, first, parts);
    buffer_append_char(buffer, '}');
}

/* The old bytes from..end, as they are. */
static void append_old(struct buffer *buffer, const struct store_object *old, size_t from,
                       size_t end)
{
    buffer_append(buffer, old->bytes->data + from, end - from);
}

static void append_old_metadata(struct buffer *buffer, const struct store_object *old,
                                uint64_t revision, struct store_layout *layout)
{
    const struct store_layout *at = &old->at;
    size_t quote = at->revision_offset - 1;

    layout->metadata_offset = buffer->size;
    append_old(buffer, old, at->metadata_offset, quote);
    append_revision(buffer, revision, layout);
    append_old(buffer, old, quote + at->revision_size + 2, at->metadata_offset + at->metadata_size);
    layout->metadata_size = buffer->size - layout->metadata_offset;
}

/* Where the member before which a status belongs begins, its comma included: in their order by
 * name, behind metadata. */
static size_t status_place(const struct store_object *old)
{
    struct json_slice whole = {old->bytes->data, old->bytes->size};
    size_t place = old->at.metadata_offset + old->at.metadata_size;
    size_t next = place;
    struct json_slice key;
    struct json_slice value;

    while (json_slice_next_member(whole, &next, &key, &value) && compare_key(key, "status") < 0)
        place = next;
    return place;
}

static void append_old_spec(struct buffer *buffer, const struct store_object *old,
                            const struct store_parts *parts, struct store_layout *layout)
{
    layout->spec_offset = buffer->size;
    if (parts->spec_key != NULL)
        append_changed_spec(buffer, store_object_spec(old), parts);
    else
        append_old(buffer, old, old->at.spec_offset, old->at.spec_offset + old->at.spec_size);
    layout->spec_size = buffer->size - layout->spec_offset;
}

/* Spec and status are the members behind metadata that others may stand before, between, behind. */
static void append_old_rest(struct buffer *buffer, const struct store_object *old,
                            const struct store_parts *parts, struct store_layout *layout)
{
    const struct store_layout *at = &old->at;
    size_t done = at->metadata_offset + at->metadata_size;
    size_t place = at->status_size > 0 ? at->status_offset : status_place(old);

    if (at->spec_size > 0) {
        append_old(buffer, old, done, at->spec_offset);
        append_old_spec(buffer, old, parts, layout);
        done = at->spec_offset + at->spec_size;
    }
    append_old(buffer, old, done, place);
    if (at->status_size == 0 && parts->status != NULL)
        buffer_append_text(buffer, ",\"status\":");
    layout->status_offset = buffer->size;
    if (parts->status != NULL)
        append_value(buffer, parts->status);
    else
        append_old(buffer, old, place, place + at->status_size);
    layout->status_size = buffer->size - layout->status_offset;
    if (layout->status_size == 0)
        layout->status_offset = 0;
    append_old(buffer, old, place + at->status_size, old->bytes->size);
}

bool object_wire_parts(const struct store_object *old, const struct store_parts *parts,
                       uint64_t revision, size_t size_max, struct store_layout *ret_layout,
                       struct bytes **ret_bytes, struct error *err)
{
    struct buffer buffer = BUFFER_INIT(size_max);

    assert(parts->spec_key == NULL || old->at.spec_size > 0);
    *ret_layout = (struct store_layout){.members_offset = old->at.members_offset};
    if (size_max > old->bytes->size + GROWTH_BYTES)
        (void)buffer_reserve(&buffer, old->bytes->size + GROWTH_BYTES);
    append_old(&buffer, old, 0, old->at.metadata_offset);
    if (parts->metadata != NULL)
        append_metadata(&buffer, parts->metadata, revision, ret_layout);
    else
        append_old_metadata(&buffer, old, revision, ret_layout);
    append_old_rest(&buffer, old, parts, ret_layout);
    return finish(&buffer, ret_bytes, err);
}
