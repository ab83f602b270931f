/* edits_values - smaller numbers, shorter texts and durations, and less time between things.
 *
 * Limits stay as they are: one that is tighter is missed for no other reason. */
#include <json-c/linkhash.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/duration.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/search/edit_kinds.h"

/** Texts up to this long stay. */
#define TEXT_BYTES 12
/** Most times that are looked at. */
#define TIMES_MAX 256

/* What durations become, the simplest first. */
static const int64_t simple_us[] = {
    0,
    US_PER_MS,
    100 * US_PER_MS,
    US_PER_SECOND,
    2 * US_PER_SECOND,
    5 * US_PER_SECOND,
    10 * US_PER_SECOND,
    20 * US_PER_SECOND,
    30 * US_PER_SECOND,
    US_PER_MINUTE,
    2 * US_PER_MINUTE,
    5 * US_PER_MINUTE,
    10 * US_PER_MINUTE,
    30 * US_PER_MINUTE,
    US_PER_HOUR,
};

/* What durations are rounded down to. */
static const int64_t units_us[] = {
    US_PER_HOUR, US_PER_MINUTE, 10 * US_PER_SECOND, US_PER_SECOND, 100 * US_PER_MS, US_PER_MS,
};

static bool is_limit(const char *key)
{
    return strcmp(key, "within") == 0 || strcmp(key, "settle") == 0 || strcmp(key, "duration") == 0;
}

/** When something happens, since the start. */
static bool is_time(const char *key)
{
    return strcmp(key, "at") == 0 || strcmp(key, "from") == 0 || strcmp(key, "until") == 0;
}

static bool to_duration(const struct json_object *value, int64_t *ret_us)
{
    const char *text = json_text(value);

    return text != NULL && duration_parse(text, ret_us) && *ret_us > 0;
}

static struct json_object *from_duration(int64_t duration_us)
{
    char text[DURATION_TEXT_SIZE];

    duration_format(duration_us, text);
    return json_object_new_string(text);
}

/* --- values --- */

static struct json_object *simpler_duration(struct edit_walk *walk, int64_t now_us)
{
    for (size_t i = 0; i < ARRAY_SIZE(simple_us) && simple_us[i] < now_us; i++) {
        if (edit_is_due(walk))
            return from_duration(simple_us[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(units_us); i++) {
        int64_t cut_us = now_us - now_us % units_us[i];

        if (cut_us > 0 && cut_us < now_us && edit_is_due(walk))
            return from_duration(cut_us);
    }
    return NULL;
}

static struct json_object *simpler_integer(struct edit_walk *walk, int64_t now)
{
    static const int64_t simple[] = {0, 1, 2, 3, 5, 10};

    for (size_t i = 0; i < ARRAY_SIZE(simple) && simple[i] < now; i++) {
        if (edit_is_due(walk))
            return json_object_new_int64(simple[i]);
    }
    if (now > 4 && edit_is_due(walk))
        return json_object_new_int64(now / 2);
    if (now > 1 && edit_is_due(walk))
        return json_object_new_int64(now - 1);
    return NULL;
}

/** What stands in its place; NULL when its edits are passed by. */
static struct json_object *simpler(struct edit_walk *walk, const char *key,
                                   const struct json_object *value)
{
    int64_t duration_us;

    if (is_limit(key) || strcmp(key, "description") == 0 || strcmp(key, "seed") == 0)
        return NULL;
    if (json_is(value, json_type_int))
        return simpler_integer(walk, json_object_get_int64(value));
    if (to_duration(value, &duration_us))
        return is_time(key) ? NULL : simpler_duration(walk, duration_us);
    if (json_text(value) != NULL && strlen(json_text(value)) > TEXT_BYTES && edit_is_due(walk))
        return json_object_new_string("x");
    return NULL;
}

static void values_below(struct edit_walk *walk, struct json_object *value, const char *key)
{
    struct json_object_iter member;

    if (json_is(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value) && !walk->done; i++)
            values_below(walk, json_object_array_get_idx(value, i), key);
    }
    if (!json_is(value, json_type_object))
        return;
    json_object_object_foreachC(value, member)
    {
        struct json_object *made = simpler(walk, member.key, member.val);

        if (made != NULL) {
            json_set(value, member.key, made);
            return;
        }
        values_below(walk, member.val, member.key);
        if (walk->done)
            return;
    }
}

void edit_values(struct edit_walk *walk, struct json_object *tree)
{
    values_below(walk, tree, "");
}

/* --- sooner --- */

struct times {
    int64_t items[TIMES_MAX];
    size_t count;
};

/** Calls on_time for every time in the tree. */
static void each_time(struct json_object *value,
                      struct json_object *(*on_time)(void *arg, int64_t at_us), void *arg)
{
    struct json_object_iter member;

    if (json_is(value, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(value); i++)
            each_time(json_object_array_get_idx(value, i), on_time, arg);
    }
    if (!json_is(value, json_type_object))
        return;
    json_object_object_foreachC(value, member)
    {
        int64_t at_us;
        struct json_object *made = NULL;

        if (is_time(member.key) && to_duration(member.val, &at_us))
            made = on_time(arg, at_us);
        if (made != NULL)
            json_set(value, member.key, made);
        else
            each_time(member.val, on_time, arg);
    }
}

static struct json_object *collect(void *arg, int64_t at_us)
{
    struct times *times = arg;

    if (times->count < TIMES_MAX)
        times->items[times->count++] = at_us;
    return NULL;
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a;
    int64_t y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

struct shift {
    int64_t from_us; /* times from this one on ... */
    int64_t by_us;   /* ... come so much sooner */
};

static struct json_object *shift(void *arg, int64_t at_us)
{
    const struct shift *shift = arg;

    return at_us < shift->from_us ? NULL : from_duration(at_us - shift->by_us);
}

/** A smaller gap before one of the times. */
static bool close_gap(struct edit_walk *walk, struct shift *shift, int64_t gap_us)
{
    for (size_t i = 0; i < ARRAY_SIZE(simple_us) && simple_us[i] < gap_us; i++) {
        if (edit_is_due(walk)) {
            shift->by_us = gap_us - simple_us[i];
            return true;
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(units_us); i++) {
        int64_t more_us = shift->from_us % units_us[i];

        if (more_us > 0 && more_us < gap_us && edit_is_due(walk)) {
            shift->by_us = more_us;
            return true;
        }
    }
    return false;
}

void edit_sooner(struct edit_walk *walk, struct json_object *tree)
{
    struct times times = {.count = 0};
    int64_t before_us = 0;

    each_time(tree, collect, &times);
    qsort(times.items, times.count, sizeof(times.items[0]), compare_times);
    for (size_t i = 0; i < times.count; i++) {
        struct shift how = {.from_us = times.items[i]};

        if (times.items[i] == before_us)
            continue;
        if (close_gap(walk, &how, times.items[i] - before_us)) {
            each_time(tree, shift, &how);
            return;
        }
        before_us = times.items[i];
    }
}
