/* merge_list - lists whose items have an identity. */
#include "fakeapi/patch/merge_list.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

bool merge_list_holds(const struct json_object *list, const char *text)
{
    for (size_t i = 0; json_is(list, json_type_array) && i < json_object_array_length(list); i++)
        if (text_equal(json_text(json_object_array_get_idx(list, i)), text))
            return true;
    return false;
}

/* What makes an item itself. */
static const struct json_object *identity(const struct json_object *item, const char *key)
{
    return key == NULL ? item : json_get(item, key);
}

bool merge_list_find(const struct json_object *list, const char *key,
                     const struct json_object *value, size_t *ret_index)
{
    size_t count = json_is(list, json_type_array) ? json_object_array_length(list) : 0;

    for (size_t i = 0; i < count; i++) {
        const struct json_object *own = identity(json_object_array_get_idx(list, i), key);

        if (own != NULL && json_equal(own, value)) {
            *ret_index = i;
            return true;
        }
    }
    return false;
}

/* An item, and where it stands in two other lists. */
struct placed {
    struct json_object *item; /* borrowed */
    bool is_live;
    size_t live_index;
};

struct placed_list {
    struct placed *items;
    size_t count;
};

static void add(struct placed_list *list, struct json_object *item, const char *key,
                const struct json_object *live)
{
    struct placed *placed = &list->items[list->count++];

    placed->item = item;
    placed->is_live = merge_list_find(live, key, identity(item, key), &placed->live_index);
}

static bool is_named(const struct placed_list *named, const struct json_object *item)
{
    for (size_t i = 0; i < named->count; i++)
        if (named->items[i].item == item)
            return true;
    return false;
}

/* Those that order names, in its order. */
static void add_named(struct placed_list *named, const struct json_object *list, const char *key,
                      const struct json_object *order, const struct json_object *live)
{
    size_t index;

    for (size_t i = 0; i < json_object_array_length(order); i++) {
        const struct json_object *wanted = json_object_array_get_idx(order, i);

        if (json_is(wanted, json_type_object))
            wanted = identity(wanted, key);
        if (wanted != NULL && merge_list_find(list, key, wanted, &index) &&
            !is_named(named, json_object_array_get_idx(list, index)))
            add(named, json_object_array_get_idx(list, index), key, live);
    }
}

/* The others, in the order they have, each in front of the first named one that live has behind. */
static struct json_object *interleave(const struct placed_list *named,
                                      const struct placed_list *others)
{
    struct json_object *result = json_object_new_array();
    size_t i = 0;
    size_t j = 0;

    while (i < others->count || j < named->count) {
        const struct placed *left = i < others->count ? &others->items[i] : NULL;
        const struct placed *right = j < named->count ? &named->items[j] : NULL;
        bool take_left = right == NULL || (left != NULL && left->is_live && right->is_live &&
                                           left->live_index < right->live_index);

        json_add(result, json_object_get(take_left ? left->item : right->item));
        if (take_left)
            i++;
        else
            j++;
    }
    return result;
}

struct json_object *merge_list_ordered(const struct json_object *list, const char *key,
                                       const struct json_object *order,
                                       const struct json_object *live)
{
    size_t count = json_object_array_length(list);
    struct placed_list named = {xcalloc(count, sizeof(*named.items)), 0};
    struct placed_list others = {xcalloc(count, sizeof(*others.items)), 0};
    struct json_object *result;

    add_named(&named, list, key, order, live);
    for (size_t i = 0; i < count; i++) {
        struct json_object *item = json_object_array_get_idx(list, i);

        if (!is_named(&named, item))
            add(&others, item, key, live);
    }
    result = interleave(&named, &others);
    free(others.items);
    free(named.items);
    return result;
}

bool merge_list_is_same(const struct json_object *item, const struct json_object *entry,
                        const char *key)
{
    const struct json_object *wanted =
        json_is(entry, json_type_object) ? identity(entry, key) : entry;
    const struct json_object *own = identity(item, key);

    return own != NULL && wanted != NULL && json_equal(own, wanted);
}
