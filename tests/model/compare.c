#include "tests/model/compare.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/model/refusals.h"

#define ANY "<any>"
#define CAUSES "<causes>"
#define NAME "<name:"

static bool differ(char why[512], const char *path, const char *what)
{
    (void)snprintf(why, 512, "%.300s: %.180s", path[0] == '\0' ? "(whole)" : path, what);
    return false;
}

/* A UUID of version 4. */
static bool is_uuid(const char *text)
{
    static const char shape[] = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";

    for (size_t i = 0; i < sizeof(shape) - 1; i++) {
        char c = text[i];

        if (shape[i] == 'x' || shape[i] == 'y') {
            if (strchr(shape[i] == 'x' ? "0123456789abcdef" : "89ab", c) == NULL || c == '\0')
                return false;
        } else if (c != shape[i])
            return false;
    }
    return text[sizeof(shape) - 1] == '\0';
}

/* Fills in what stands for name; the same again where it repeats. */
static bool bind_text(char *room, size_t size, const char *value)
{
    if (room[0] == '\0')
        (void)snprintf(room, size, "%s", value);
    return strcmp(room, value) == 0;
}

/* A text with "<name:base>" somewhere in it: there stand base and five characters (C11). */
static bool compare_generated(const char *want, const char *got, struct bindings *bindings)
{
    const char *mark = strstr(want, NAME);
    size_t before = (size_t)(mark - want);
    const char *base = mark + strlen(NAME);
    size_t size = strcspn(base, ">");
    char name[sizeof(bindings->name)];

    if (strncmp(want, got, before) != 0 || strlen(got) < before + size + 5 ||
        strncmp(base, got + before, size) != 0 ||
        strspn(got + before + size, "bcdfghjklmnpqrstvwxz2456789") < 5)
        return false;
    (void)snprintf(name, sizeof(name), "%.*s", (int)size + 5, got + before);
    return bind_text(bindings->name, sizeof(bindings->name), name) &&
           strcmp(base + size + 1, got + before + size + 5) == 0;
}

static bool compare_texts(const char *want, const char *got, struct bindings *bindings)
{
    size_t size = strlen(want);
    size_t any = strlen(ANY);

    if (strcmp(want, "<uid>") == 0)
        return is_uuid(got) && bind_text(bindings->uid, sizeof(bindings->uid), got);
    if (strcmp(want, "<token>") == 0)
        return got[0] != '\0' && bind_text(bindings->token, sizeof(bindings->token), got);
    if (strstr(want, NAME) != NULL)
        return compare_generated(want, got, bindings);
    if (size >= any && strcmp(want + size - any, ANY) == 0)
        return strncmp(want, got, size - any) == 0;
    return strcmp(want, got) == 0;
}

static bool is_left_out(const char *key)
{
    return strcmp(key, "managedFields") == 0;
}

static bool walk(const struct json_object *want, const struct json_object *got, const char *path,
                 struct bindings *bindings, char why[512]);

/* The real server says some causes of an update two or three times over; once is enough here. */
static struct json_object *without_repeats(const struct json_object *list)
{
    struct json_object *once = json_object_new_array();

    for (size_t i = 0; i < value_length(list); i++) {
        bool repeated = false;

        for (size_t k = 0; k < value_length(once); k++)
            repeated = repeated || value_equal(value_item(once, k), value_item(list, i));
        if (!repeated)
            value_add(once, value_copy(value_item(list, i)));
    }
    return once;
}

/* The same ones, in any order. */
static bool walk_causes(const struct json_object *want, const struct json_object *got,
                        const char *path, struct bindings *bindings, char why[512])
{
    struct json_object *once = without_repeats(got);
    bool same = value_length(once) == value_length(want);

    for (size_t i = 0; i < value_length(want) && same; i++) {
        bool found = false;

        for (size_t k = 0; k < value_length(once) && !found; k++)
            found = walk(value_item(want, i), value_item(once, k), path, bindings, why);
        same = found;
    }
    json_object_put(once);
    return same || differ(why, path, "not the same causes");
}

/* A message that ends in what the causes say. */
static bool check_message(const struct json_object *want, const struct json_object *got,
                          struct bindings *bindings, char why[512])
{
    const char *message = value_text(want, "message");
    size_t before = strlen(message) - strlen(CAUSES);
    char *causes = joined_causes(value_at(got, "details.causes"));
    char *whole = format("%.*s%s", (int)before, message, causes);
    bool same = compare_texts(whole, value_text(got, "message"), bindings);

    free(causes);
    free(whole);
    return same || differ(why, "message", "not what the causes say");
}

static bool ends_in_causes(const char *text)
{
    size_t size = strlen(text);

    return size >= strlen(CAUSES) && strcmp(text + size - strlen(CAUSES), CAUSES) == 0;
}

static bool walk_objects(const struct json_object *want, const struct json_object *got,
                         const char *path, struct bindings *bindings, char why[512])
{
    char below[512];
    struct json_object *other;

    json_object_object_foreach(want, key, value)
    {
        (void)snprintf(below, sizeof(below), "%.400s.%.100s", path, key);
        if (is_left_out(key))
            continue;
        if (!json_object_object_get_ex(got, key, &other))
            return differ(why, below, "missing");
        if (strcmp(key, "causes") == 0 ? !walk_causes(value, other, below, bindings, why)
                                       : !walk(value, other, below, bindings, why))
            return false;
    }
    json_object_object_foreach(got, got_key, got_value)
    {
        (void)got_value;
        (void)snprintf(below, sizeof(below), "%.400s.%.100s", path, got_key);
        if (!is_left_out(got_key) && !json_object_object_get_ex(want, got_key, &other))
            return differ(why, below, "not expected");
    }
    return true;
}

static bool walk_lists(const struct json_object *want, const struct json_object *got,
                       const char *path, struct bindings *bindings, char why[512])
{
    char below[512];

    for (size_t i = 0; i < value_length(want) && i < value_length(got); i++) {
        (void)snprintf(below, sizeof(below), "%.400s[%zu]", path, i);
        if (!walk(value_item(want, i), value_item(got, i), below, bindings, why))
            return false;
    }
    if (value_length(want) == value_length(got))
        return true;
    (void)snprintf(below, sizeof(below), "%zu expected, %zu there", value_length(want),
                   value_length(got));
    return differ(why, path, below);
}

static bool walk(const struct json_object *want, const struct json_object *got, const char *path,
                 struct bindings *bindings, char why[512])
{
    if (json_object_get_type(want) != json_object_get_type(got))
        return differ(why, path, "of another type");
    if (value_is(want, json_type_object))
        return walk_objects(want, got, path, bindings, why);
    if (value_is(want, json_type_array))
        return walk_lists(want, got, path, bindings, why);
    if (!value_is(want, json_type_string))
        return value_equal(want, got) || differ(why, path, "another value");
    return ends_in_causes(value_string(want)) ||
           compare_texts(value_string(want), value_string(got), bindings) ||
           differ(why, path, "another text");
}

bool compare(const struct json_object *want, const struct json_object *got,
             struct bindings *bindings, char why[512])
{
    why[0] = '\0';
    return walk(want, got, "", bindings, why) && (!ends_in_causes(value_text(want, "message")) ||
                                                  check_message(want, got, bindings, why));
}
