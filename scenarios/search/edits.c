/* edits - see edits.h. Each kind is a walk over a copy of the tree, which counts down at every
 * edit that it could make and makes the one at which nothing is left to count. */
#include "scenarios/search/edits.h"

#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/duration.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/search/edit_kinds.h"

/** Seeds that are tried with every part gone. */
#define RESEEDS 5

bool edit_is_due(struct edit_walk *walk)
{
    if (walk->left > 0) {
        walk->left--;
        return false;
    }
    walk->done = true;
    return true;
}

/* --- chunks --- */

static size_t length_of(const struct json_object *value)
{
    return json_is(value, json_type_array) ? json_object_array_length(value) : 0;
}

static size_t longest_list(const struct json_object *tree)
{
    struct json_object_iter member;
    size_t longest = 0;

    json_object_object_foreachC(tree, member)
    {
        if (length_of(member.val) > longest)
            longest = length_of(member.val);
    }
    return longest;
}

static void chunks_of(struct edit_walk *walk, struct json_object *tree, size_t size)
{
    struct json_object_iter member;

    json_object_object_foreachC(tree, member)
    {
        size_t count = length_of(member.val);

        for (size_t at = 0; count > size && at < count; at += size) {
            if (!edit_is_due(walk))
                continue;
            (void)json_object_array_del_idx(member.val, at, size < count - at ? size : count - at);
            return;
        }
    }
}

static void chunks(struct edit_walk *walk, struct json_object *tree)
{
    for (size_t size = longest_list(tree) / 2; size > 1 && !walk->done; size /= 2)
        chunks_of(walk, tree, size);
}

/* --- parts --- */

/** A file without a description is none. A limit is what a failure may be about, so that without
 * the key it must not become tighter. */
static bool is_kept(const char *key, const struct json_object *value)
{
    static const struct {
        const char *key;
        int64_t unless_said_us;
    } limits[] = {
        {"within",   10 * US_PER_MINUTE},
        {"settle",   45 * US_PER_MINUTE},
        {"duration", 24 * US_PER_HOUR  },
    };
    int64_t limit_us;

    for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
        if (strcmp(limits[i].key, key) == 0 && json_text(value) != NULL &&
            duration_parse(json_text(value), &limit_us) && limit_us > limits[i].unless_said_us)
            return true;
    }
    return strcmp(key, "description") == 0;
}

/** Without it a fault would hit more, or be judged otherwise. */
static bool bounds(const struct json_object *value, const char *key)
{
    return json_get(value, "do") != NULL && strcmp(key, "optional") != 0;
}

static void parts(struct edit_walk *walk, struct json_object *value)
{
    struct json_object_iter member;

    if (json_is(value, json_type_object)) {
        json_object_object_foreachC(value, member)
        {
            if (walk->bounded_faults && bounds(value, member.key))
                continue;
            if (!is_kept(member.key, member.val) && edit_is_due(walk)) {
                json_object_object_del(value, member.key);
                return;
            }
            parts(walk, member.val);
            if (walk->done)
                return;
        }
    }
    for (size_t i = 0; i < length_of(value) && !walk->done; i++) {
        if (edit_is_due(walk))
            (void)json_object_array_del_idx(value, i, 1);
        else
            parts(walk, json_object_array_get_idx(value, i));
    }
}

/* --- single --- */

static char *without_index(const char *text)
{
    const char *index = strstr(text, "{index}");

    return index == NULL ? xstrdup(text)
                         : xprintf("%.*s1%s", (int)(index - text), text, index + strlen("{index}"));
}

/** Every "{index}" in its texts is a 1 now. */
static struct json_object *first_of(struct json_object *value)
{
    struct json_object *made = NULL;
    struct json_object_iter member;

    if (json_is(value, json_type_string)) {
        char *text = without_index(json_object_get_string(value));

        made = json_object_new_string(text);
        free(text);
    } else if (json_is(value, json_type_array)) {
        made = json_object_new_array();
        for (size_t i = 0; i < length_of(value); i++)
            json_add(made, first_of(json_object_array_get_idx(value, i)));
    } else if (json_is(value, json_type_object)) {
        made = json_object_new_object();
        json_object_object_foreachC(value, member)
        {
            json_set(made, member.key, first_of(member.val));
        }
    } else {
        made = json_copy(value);
    }
    return made;
}

/** What stands in its place; NULL when there is nothing to make single. */
static struct json_object *single_of(struct json_object *value)
{
    struct json_object *made = NULL;

    if (length_of(value) == 1)
        return json_object_get(json_object_array_get_idx(value, 0));
    if (!json_is(value, json_type_object) || json_get_int64(value, "count", 0) < 1)
        return NULL;
    made = first_of(value);
    json_object_object_del(made, "count");
    return made;
}

static void singles(struct edit_walk *walk, struct json_object *value)
{
    struct json_object_iter member;

    if (json_is(value, json_type_object)) {
        json_object_object_foreachC(value, member)
        {
            struct json_object *single = single_of(member.val);

            if (single != NULL && edit_is_due(walk)) {
                json_set(value, member.key, single);
                return;
            }
            (void)json_object_put(single);
            singles(walk, member.val);
            if (walk->done)
                return;
        }
    }
    for (size_t i = 0; i < length_of(value) && !walk->done; i++) {
        struct json_object *single = single_of(json_object_array_get_idx(value, i));

        if (single != NULL && edit_is_due(walk)) {
            (void)json_object_array_put_idx(value, i, single);
            return;
        }
        (void)json_object_put(single);
        singles(walk, json_object_array_get_idx(value, i));
    }
}

/** The lists at the top stay lists. */
static void singles_below(struct edit_walk *walk, struct json_object *tree)
{
    struct json_object_iter member;

    json_object_object_foreachC(tree, member)
    {
        singles(walk, member.val);
        if (walk->done)
            return;
    }
}

/** Without a part, and from another seed: where chance plays a part this may do what the first
 * alone does not. */
static void reseeded(struct edit_walk *walk, struct json_object *tree)
{
    size_t index = walk->left;

    walk->left = index / RESEEDS;
    json_object_object_del(tree, "seed");
    parts(walk, tree);
    if (walk->done)
        json_set_int64(tree, "seed", (int64_t)(index % RESEEDS) + 1);
}

/* --- all --- */

struct json_object *edit_make(const struct json_object *tree, enum edit_kind kind, size_t index,
                              const struct edit_context *context)
{
    static void (*const kinds[])(struct edit_walk * walk, struct json_object * tree) = {
        [EDIT_CHUNKS] = chunks,        [EDIT_PARTS] = parts,        [EDIT_SINGLE] = singles_below,
        [EDIT_CERTAIN] = edit_certain, [EDIT_SOONER] = edit_sooner, [EDIT_VALUES] = edit_values,
        [EDIT_SEED] = edit_seed,       [EDIT_RESEEDED] = reseeded,
    };
    struct edit_walk walk = {.left = index,
                             .kills = text_or(context->kills, ""),
                             .bounded_faults = context->bounded_faults};
    struct json_object *made = json_copy(tree);

    kinds[kind](&walk, made);
    if (walk.done)
        return made;
    (void)json_object_put(made);
    return NULL;
}
