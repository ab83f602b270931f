#include "controller/base/json_repeats.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/json_gate.h"
#include "controller/base/memory.h"

/* Longest path that is told whole; what is behind is cut off. */
#define PATH_BYTES_MAX 4096

struct member {
    char *key; /* unescaped; the gate lets no NUL through */
    struct json_slice value;
    size_t place;
    bool repeats;
};

struct members {
    struct member *items;
    size_t count;
    size_t capacity;
};

/* Where one is. */
struct trail {
    struct buffer path;
    struct json_repeats *repeats;
};

static char *unescaped(struct json_slice key)
{
    char *text = xmemdup(key.bytes + 1, key.size - 2);

    text[json_unescape(key.bytes + 1, key.size - 2, text)] = '\0';
    return text;
}

static struct members members_of(struct json_slice object)
{
    struct members members = {0};
    struct json_slice key;
    struct json_slice value;
    size_t next = 0;

    while (json_slice_next_member(object, &next, &key, &value)) {
        if (members.count == members.capacity) {
            members.capacity = members.capacity == 0 ? 16 : 2 * members.capacity;
            members.items = xrealloc(members.items, members.capacity * sizeof(*members.items));
        }
        members.items[members.count] =
            (struct member){.key = unescaped(key), .value = value, .place = members.count};
        members.count++;
    }
    return members;
}

static int compare_keys(const void *left, const void *right)
{
    const struct member *const *a = left;
    const struct member *const *b = right;
    int order = strcmp((*a)->key, (*b)->key);

    if (order != 0)
        return order;
    return (*a)->place < (*b)->place ? -1 : 1;
}

/* Marks those that stand behind another of the same key. */
static void mark(struct members *members)
{
    struct member **sorted = xcalloc(members->count, sizeof(struct member *));

    for (size_t i = 0; i < members->count; i++)
        sorted[i] = &members->items[i];
    qsort(sorted, members->count, sizeof(struct member *), compare_keys);
    for (size_t i = 1; i < members->count; i++)
        sorted[i]->repeats = strcmp(sorted[i]->key, sorted[i - 1]->key) == 0;
    free(sorted);
}

static void tell(struct trail *trail)
{
    struct json_repeats *repeats = trail->repeats;

    for (size_t i = 0; i < repeats->count; i++)
        if (strcmp(repeats->paths[i], buffer_text(&trail->path)) == 0)
            return;
    if (repeats->count == JSON_REPEATS_MAX)
        return;
    if (repeats->paths == NULL)
        repeats->paths = xcalloc(JSON_REPEATS_MAX, sizeof(char *));
    repeats->paths[repeats->count++] = xstrdup(buffer_text(&trail->path));
}

static void append_key(struct buffer *path, const char *key)
{
    size_t room = PATH_BYTES_MAX - path->size;
    size_t size = strlen(key);

    buffer_append(path, key, size < room ? size : room);
}

static void look(struct trail *trail, struct json_slice value);

static void look_in_object(struct trail *trail, struct json_slice object)
{
    struct members members = members_of(object);
    size_t size = trail->path.size;

    mark(&members);
    for (size_t i = 0; i < members.count; i++) {
        if (size > 0)
            buffer_append_char(&trail->path, '.');
        append_key(&trail->path, members.items[i].key);
        if (members.items[i].repeats)
            tell(trail);
        look(trail, members.items[i].value);
        buffer_cut(&trail->path, size);
        free(members.items[i].key);
    }
    free(members.items);
}

static void look_in_array(struct trail *trail, struct json_slice array)
{
    size_t size = trail->path.size;
    struct json_slice item;
    size_t next = 0;

    for (size_t i = 0; json_slice_next(array, &next, &item); i++) {
        buffer_append_format(&trail->path, "[%zu]", i);
        look(trail, item);
        buffer_cut(&trail->path, size);
    }
}

/* As deep as the gate lets a text be. */
static void look(struct trail *trail, struct json_slice value)
{
    if (value.bytes[0] == '{')
        look_in_object(trail, value);
    else if (value.bytes[0] == '[')
        look_in_array(trail, value);
}

void json_repeats_find(struct json_slice text, struct json_repeats *repeats)
{
    const char *end = text.bytes + text.size;
    const char *at = json_skip_space(text.bytes, end);
    struct trail trail = {.path = BUFFER_INIT(PATH_BYTES_MAX), .repeats = repeats};

    look(&trail, (struct json_slice){at, (size_t)(end - at)});
    buffer_release(&trail.path);
}

void json_repeats_release(struct json_repeats *repeats)
{
    for (size_t i = 0; i < repeats->count; i++)
        free(repeats->paths[i]);
    free(repeats->paths);
    *repeats = (struct json_repeats){0};
}
