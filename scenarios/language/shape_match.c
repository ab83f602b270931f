/* shape_match - whether a value has a shape, and if not, what differs; see shape.h. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/shape.h"

/** Longest value that a difference shows. */
#define SHOWN_BYTES_MAX 200
#define PATH_BYTES_MAX 4096

/* --- differences --- */

static char *shown(struct json_object *value)
{
    char *text;
    size_t size;

    if (value == NULL)
        return xstrdup("nothing");
    text = json_to_text(value, &size);
    if (size > SHOWN_BYTES_MAX)
        strcpy(text + SHOWN_BYTES_MAX - 3, "...");
    return text;
}

static char *written(const struct shape *shape)
{
    if (shape->kind == SHAPE_MAPPING)
        return xstrdup("a mapping");
    if (shape->kind == SHAPE_LIST)
        return xstrdup("a list");
    if (shape->kind == SHAPE_VALUE && json_is(shape->value, json_type_string))
        return shown(shape->value);
    return xstrdup(shape->written);
}

/** Headers whose values are nobody's business, in lower case; so are all of them at once. */
static bool is_private(const char *path)
{
    static const char *const words[] = {"authorization", "cookie",    "token",
                                        "secret",        "signature", "key"};
    static const char headers[] = "headers";

    if (strcmp(path, headers) == 0)
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        if (text_starts_with(path, "headers.") && strstr(path, words[i]) != NULL)
            return true;
    }
    return false;
}

/** Takes ownership of expected and got. Returns false. */
static bool differ(struct differences *differences, const struct shape *shape, const char *path,
                   char *expected, char *got)
{
    if (differences == NULL || differences->count == DIFFERENCES_MAX) {
        if (differences != NULL)
            differences->left_out++;
        free(expected);
        free(got);
        return false;
    }
    if (is_private(path)) {
        free(got);
        got = xstrdup("what is not shown");
    }
    differences->items =
        xrealloc(differences->items, (differences->count + 1) * sizeof(*differences->items));
    differences->items[differences->count++] =
        (struct difference){shape->place, xstrdup(path), expected, got};
    return false;
}

void differences_release(struct differences *differences)
{
    for (size_t i = 0; i < differences->count; i++) {
        free(differences->items[i].path);
        free(differences->items[i].expected);
        free(differences->items[i].got);
    }
    free(differences->items);
    *differences = (struct differences){0};
}

/* --- scalars --- */

static bool related(enum shape_relation relation, bool below, bool equal)
{
    switch (relation) {
    case SHAPE_EQUAL:
        return equal;
    case SHAPE_ABOVE:
        return !below && !equal;
    case SHAPE_AT_LEAST:
        return !below;
    case SHAPE_BELOW:
        return below;
    case SHAPE_AT_MOST:
        return below || equal;
    }
    return false;
}

static bool number_matches(const struct shape *shape, struct json_object *value)
{
    double number;

    if (!json_is(value, json_type_int) && !json_is(value, json_type_double))
        return false;
    number = json_object_get_double(value);
    return related(shape->relation, number < shape->number,
                   !(number < shape->number) && !(number > shape->number));
}

static bool time_matches(const struct shape *shape, struct json_object *value)
{
    const char *text = json_text(value);
    int64_t at_us;

    return text != NULL && time_parse(text, &at_us) &&
           related(shape->relation, at_us < shape->at_us, at_us == shape->at_us);
}

static bool pattern_matches(const struct shape *shape, struct json_object *value)
{
    const char *text;
    struct error err = ERROR_INIT;
    bool matches = false;

    if (value == NULL || json_is(value, json_type_object) || json_is(value, json_type_array))
        return false;
    text = json_object_get_string(value);
    return pattern_match(shape->pattern, text, strlen(text), &matches, &err) && matches;
}

static bool scalar_matches(const struct shape *shape, struct json_object *value)
{
    switch (shape->kind) {
    case SHAPE_ABSENT:
        return value == NULL;
    case SHAPE_VALUE:
        return value != NULL && json_equal(shape->value, value);
    case SHAPE_UNLIKE:
        return !json_equal(shape->value, value);
    case SHAPE_NUMBER:
        return number_matches(shape, value);
    case SHAPE_TIME:
        return time_matches(shape, value);
    case SHAPE_PATTERN:
        return pattern_matches(shape, value);
    case SHAPE_MAPPING:
    case SHAPE_LIST:
        break;
    }
    return false;
}

/* --- lists --- */

/** The member by which an expectation of an item says which one it means, as Kubernetes' lists of
 * conditions, containers, variables and owners have one; NULL: by none. */
static const struct shape_member *key_of(const struct shape *wanted)
{
    static const char *const keys[] = {"uid", "name", "type", "key", "mountPath"};

    for (size_t k = 0; wanted->kind == SHAPE_MAPPING && k < ARRAY_SIZE(keys); k++) {
        for (size_t i = 0; i < wanted->member_count; i++) {
            const struct shape *shape = wanted->members[i].shape;

            if (text_equal(wanted->members[i].name, keys[k]) && shape->kind == SHAPE_VALUE &&
                json_is(shape->value, json_type_string))
                return &wanted->members[i];
        }
    }
    return NULL;
}

/** "Failed, Complete": what the items have as this key; an item without it is "?". */
static char *keys_shown(struct json_object *list, const char *key)
{
    struct buffer text = BUFFER_INIT(SHOWN_BYTES_MAX);
    size_t count = json_object_array_length(list);
    char *shown_text;

    for (size_t i = 0; i < count; i++) {
        const char *name = json_get_text(json_object_array_get_idx(list, i), key);

        if (text.size + strlen(text_or(name, "?")) + strlen(", ...") >= SHOWN_BYTES_MAX) {
            buffer_append_text(&text, ", ...");
            break;
        }
        buffer_append_format(&text, "%s%s", i == 0 ? "" : ", ", text_or(name, "?"));
    }
    shown_text = xstrdup(count == 0 ? "an empty list" : buffer_text(&text));
    buffer_release(&text);
    return shown_text;
}

/** Which item of the list each expectation has; and the search for them (augmenting paths). */
struct pairing {
    const struct shape *shape;
    struct json_object *list;
    size_t list_count;
    size_t *owner; /* of each item: the expectation's index plus 1; 0: free */
    bool *tried;
};

static bool pair(struct pairing *pairing, size_t expectation)
{
    const struct shape *wanted = pairing->shape->members[expectation].shape;

    for (size_t i = 0; i < pairing->list_count; i++) {
        if (pairing->tried[i] ||
            !shape_match(wanted, json_object_array_get_idx(pairing->list, i), NULL))
            continue;
        pairing->tried[i] = true;
        if (pairing->owner[i] == 0 || pair(pairing, pairing->owner[i] - 1)) {
            pairing->owner[i] = expectation + 1;
            return true;
        }
    }
    return false;
}

/** The free item that differs least from an expectation; list_count when none is free. */
static size_t closest_item(const struct pairing *pairing, const struct shape *wanted)
{
    size_t closest = pairing->list_count;
    size_t fewest = SIZE_MAX;

    for (size_t i = 0; i < pairing->list_count; i++) {
        struct differences found = {0};
        size_t count;

        if (pairing->owner[i] != 0)
            continue;
        (void)shape_match(wanted, json_object_array_get_idx(pairing->list, i), &found);
        count = found.count + found.left_out;
        differences_release(&found);
        if (count < fewest) {
            fewest = count;
            closest = i;
        }
    }
    return closest;
}

/** The item of that key, or that there is none. */
static void tell_keyed(const struct pairing *pairing, const struct shape *wanted,
                       const struct shape_member *key, const char *path,
                       struct differences *differences)
{
    const char *value = json_text(key->shape->value);
    char item_path[PATH_BYTES_MAX];
    char *others;

    (void)snprintf(item_path, sizeof(item_path), "%s[%s=%s]", path, key->name, value);
    for (size_t i = 0; i < pairing->list_count; i++) {
        struct json_object *item = json_object_array_get_idx(pairing->list, i);

        if (pairing->owner[i] == 0 && text_equal(json_get_text(item, key->name), value)) {
            (void)shape_match_at(wanted, item_path, item, differences);
            return;
        }
    }
    others = keys_shown(pairing->list, key->name);
    (void)differ(differences, wanted, item_path, xstrdup("an item"),
                 xprintf("%s%s", pairing->list_count == 0 ? "" : "only ", others));
    free(others);
}

static bool is_scalar(const struct shape *wanted)
{
    return wanted->kind != SHAPE_MAPPING && wanted->kind != SHAPE_LIST;
}

/** A set of texts or numbers has no places. */
static void tell_scalar(const struct pairing *pairing, const struct shape *wanted, const char *path,
                        struct differences *differences)
{
    char *value = written(wanted);

    (void)differ(differences, wanted, path, xprintf("%s among its items", value),
                 shown(pairing->list));
    free(value);
}

static void tell_missing(const struct pairing *pairing, const struct shape *wanted,
                         const char *path, struct differences *differences)
{
    const struct shape_member *key = key_of(wanted);
    char item_path[PATH_BYTES_MAX];
    size_t closest;

    if (differences == NULL)
        return;
    closest = closest_item(pairing, wanted);
    if (key != NULL) {
        tell_keyed(pairing, wanted, key, path, differences);
        return;
    }
    if (is_scalar(wanted) && closest < pairing->list_count) {
        tell_scalar(pairing, wanted, path, differences);
        return;
    }
    (void)snprintf(item_path, sizeof(item_path), "%s[%zu]", path, closest);
    if (closest == pairing->list_count)
        (void)differ(differences, wanted, path, xstrdup("one more item"),
                     xprintf("%zu item%s", pairing->list_count, text_plural(pairing->list_count)));
    else
        (void)shape_match_at(wanted, item_path, json_object_array_get_idx(pairing->list, closest),
                             differences);
}

static bool any_order_matches(const struct shape *shape, const char *path, struct json_object *list,
                              struct differences *differences)
{
    size_t count = json_object_array_length(list);
    struct pairing pairing = {shape, list, count, xcalloc(count + 1, sizeof(size_t)),
                              xcalloc(count + 1, sizeof(bool))};
    bool matches = true;

    for (size_t i = 0; i < shape->member_count; i++) {
        memset(pairing.tried, 0, count * sizeof(bool));
        if (!pair(&pairing, i)) {
            matches = false;
            tell_missing(&pairing, shape->members[i].shape, path, differences);
        }
    }
    free(pairing.owner);
    free(pairing.tried);
    return matches;
}

/** The whole list, by the keys of its items where the first expectation has one. */
static char *items_shown(const struct shape *shape, struct json_object *list)
{
    const struct shape_member *key =
        shape->member_count == 0 ? NULL : key_of(shape->members[0].shape);

    return key == NULL ? shown(list) : keys_shown(list, key->name);
}

static bool ordered_matches(const struct shape *shape, const char *path, struct json_object *list,
                            struct differences *differences)
{
    size_t count = json_object_array_length(list);
    size_t next = 0;

    for (size_t i = 0; i < shape->member_count; i++) {
        while (next < count &&
               !shape_match(shape->members[i].shape, json_object_array_get_idx(list, next), NULL))
            next++;
        if (next == count)
            return differ(differences, shape->members[i].shape, path,
                          xprintf("item %zu of %zu in this order", i + 1, shape->member_count),
                          items_shown(shape, list));
        next++;
    }
    return true;
}

static bool exactly_matches(const struct shape *shape, const char *path, struct json_object *list,
                            struct differences *differences)
{
    size_t count = json_object_array_length(list);
    bool matches = true;

    if (count != shape->member_count) {
        char *items = items_shown(shape, list);

        (void)differ(differences, shape, path,
                     xprintf("%zu item%s", shape->member_count, text_plural(shape->member_count)),
                     xprintf("%zu item%s: %s", count, text_plural(count), items));
        free(items);
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        char item_path[PATH_BYTES_MAX];

        (void)snprintf(item_path, sizeof(item_path), "%s[%zu]", path, i);
        if (!shape_match_at(shape->members[i].shape, item_path, json_object_array_get_idx(list, i),
                            differences))
            matches = false;
    }
    return matches;
}

static bool size_matches(const struct shape *shape, const char *path, struct json_object *list,
                         struct differences *differences)
{
    struct json_object *size;
    bool matches;

    if (shape->size == NULL)
        return true;
    size = json_object_new_int64((int64_t)json_object_array_length(list));
    matches = scalar_matches(shape->size, size);
    if (!matches)
        (void)differ(differences, shape->size, path,
                     xprintf("%s item%s", shape->size->written,
                             strcmp(shape->size->written, "1") == 0 ? "" : "s"),
                     xprintf("%zu item%s", json_object_array_length(list),
                             text_plural(json_object_array_length(list))));
    (void)json_object_put(size);
    return matches;
}

static bool list_matches(const struct shape *shape, const char *path, struct json_object *value,
                         struct differences *differences)
{
    bool sized;

    if (!json_is(value, json_type_array)) {
        /* no list and an empty one are the same to Kubernetes */
        if (value != NULL || (shape->member_count > 0))
            return differ(differences, shape, path, written(shape), shown(value));
        value = json_object_new_array();
        sized = size_matches(shape, path, value, differences);
        (void)json_object_put(value);
        return sized;
    }
    sized = size_matches(shape, path, value, differences);
    switch (shape->order) {
    case SHAPE_ANY_ORDER:
        return any_order_matches(shape, path, value, differences) && sized;
    case SHAPE_ORDERED:
        return ordered_matches(shape, path, value, differences) && sized;
    case SHAPE_EXACTLY:
        return (shape->members == NULL || exactly_matches(shape, path, value, differences)) &&
               sized;
    }
    return false;
}

/* --- mappings --- */

static bool mapping_matches(const struct shape *shape, const char *path, struct json_object *value,
                            struct differences *differences)
{
    bool matches = true;

    if (value != NULL && !json_is(value, json_type_object))
        return differ(differences, shape, path, written(shape), shown(value));
    for (size_t i = 0; i < shape->member_count; i++) {
        const struct shape_member *member = &shape->members[i];
        char member_path[PATH_BYTES_MAX];

        (void)snprintf(member_path, sizeof(member_path), "%s%s%s", path, *path == '\0' ? "" : ".",
                       member->name);
        if (!shape_match_at(member->shape, member_path, json_get(value, member->name), differences))
            matches = false;
    }
    return matches;
}

bool shape_match_at(const struct shape *shape, const char *path, struct json_object *value,
                    struct differences *differences)
{
    if (shape->kind == SHAPE_MAPPING)
        return mapping_matches(shape, path, value, differences);
    if (shape->kind == SHAPE_LIST)
        return list_matches(shape, path, value, differences);
    if (scalar_matches(shape, value))
        return true;
    return differences == NULL ? false
                               : differ(differences, shape, path, written(shape), shown(value));
}

bool shape_match(const struct shape *shape, struct json_object *value,
                 struct differences *differences)
{
    return shape_match_at(shape, "", value, differences);
}
