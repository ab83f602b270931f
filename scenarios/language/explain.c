/* explain - see explain.h. */
#include "scenarios/language/explain.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/step_keys.h"

/** Most tables, and most keys of all of them. */
#define TABLES_MAX 64
#define KEYS_MAX 512
#define PATH_BYTES_MAX 256
/** Bounds beyond this are no help to anybody. */
#define TELLING_MAX INT64_C(1000000000000)

/* --- walking --- */

struct walk {
    const struct key_table *seen[TABLES_MAX];
    size_t seen_count;
    void (*fn)(void *arg, const struct explained *key);
    void *arg;
};

static bool is_new(struct walk *walk, const struct key_table *table)
{
    for (size_t i = 0; i < walk->seen_count; i++) {
        if (walk->seen[i] == table)
            return false;
    }
    assert(walk->seen_count < TABLES_MAX);
    walk->seen[walk->seen_count++] = table;
    return true;
}

static void walk_table(struct walk *walk, const struct key_table *table, struct explained *at)
{
    if (table == NULL || at->depth == EXPLAIN_DEPTH_MAX || !is_new(walk, table))
        return;
    at->depth++;
    for (size_t i = 0; i < table->key_count; i++) {
        at->tables[at->depth - 1] = table;
        at->keys[at->depth - 1] = &table->keys[i];
        walk->fn(walk->arg, at);
        walk_table(walk, table->keys[i].table, at);
    }
    at->depth--;
    walk_table(walk, table->next, at);
}

void explain_each(void (*fn)(void *arg, const struct explained *key), void *arg)
{
    struct walk walk = {.fn = fn, .arg = arg};
    struct explained at = {0};

    walk_table(&walk, &scenario_table, &at);
}

void explain_append_path(const struct explained *key, struct buffer *buffer)
{
    for (size_t i = 0; i < key->depth; i++)
        buffer_append_format(buffer, "%s%s", i == 0 ? "" : ".", key->keys[i]->name);
}

struct search {
    struct arena *arena;
    const char *name;
    const char *path; /* NULL: not found yet */
};

static void look(void *arg, const struct explained *at)
{
    struct search *search = arg;
    struct buffer path = BUFFER_INIT(PATH_BYTES_MAX);

    if (search->path == NULL && strcmp(at->keys[at->depth - 1]->name, search->name) == 0) {
        explain_append_path(at, &path);
        search->path = arena_text(search->arena, buffer_text(&path));
        buffer_release(&path);
    }
}

const char *explain_path_of(struct arena *arena, const char *name)
{
    struct search search = {arena, name, NULL};

    explain_each(look, &search);
    return search.path;
}

/* --- telling --- */

static void append_bounds(const struct key *key, struct buffer *buffer)
{
    char least[TIME_TEXT_SIZE];
    char most[TIME_TEXT_SIZE];

    if ((key->minimum == 0 && key->maximum == 0) || key->maximum > TELLING_MAX ||
        key->minimum < -TELLING_MAX)
        return;
    if (key->type == VALUE_DURATION) {
        duration_format(key->minimum, least);
        duration_format(key->maximum, most);
        buffer_append_format(buffer, " from %s to %s", least, most);
    } else {
        buffer_append_format(buffer, " from %" PRId64 " to %" PRId64, key->minimum, key->maximum);
    }
}

static void append_choices(const struct key *key, struct buffer *buffer)
{
    buffer_append_text(buffer, "one of ");
    for (size_t i = 0; key->choices[i] != NULL; i++)
        buffer_append_format(buffer, "%s%s", i == 0 ? "" : ", ", key->choices[i]);
}

void explain_append_type(const struct key *key, struct buffer *buffer)
{
    switch (key->type) {
    case VALUE_TEXT:
        buffer_append_text(buffer, "a text");
        break;
    case VALUE_TEXTS:
        buffer_append_text(buffer, "a list of texts");
        break;
    case VALUE_DURATION:
        buffer_append_text(buffer, "a duration such as 30s or 1h30m");
        append_bounds(key, buffer);
        break;
    case VALUE_INTEGER:
        buffer_append_text(buffer, "an integer");
        append_bounds(key, buffer);
        break;
    case VALUE_FLAG:
        buffer_append_text(buffer, "true or false");
        break;
    case VALUE_CHOICE:
        append_choices(key, buffer);
        break;
    case VALUE_SETTINGS:
        buffer_append_text(buffer, "a mapping of names to values");
        break;
    case VALUE_MAPPING:
        buffer_append_text(buffer, "a mapping");
        break;
    case VALUE_LIST:
        buffer_append_format(buffer, "a list; each item is %s", key->table->what);
        break;
    case VALUE_CUSTOM:
        buffer_append_text(buffer, key->shape);
        break;
    }
}

static void append_keys(const struct key_table *table, struct buffer *buffer)
{
    const char *others = table->others;

    buffer_append_format(buffer, "  keys of %s:", table->what);
    for (const char *comma = " "; table != NULL; table = table->next) {
        for (size_t i = 0; i < table->key_count; i++, comma = ", ")
            buffer_append_format(buffer, "%s%s", comma, table->keys[i].name);
    }
    buffer_append_format(buffer, "%s%s\n", others == NULL ? "" : "; and ", text_or(others, ""));
}

static void append_key(const struct explained *at, struct buffer *buffer)
{
    const struct key *key = at->keys[at->depth - 1];

    explain_append_path(at, buffer);
    buffer_append_text(buffer, ": ");
    explain_append_type(key, buffer);
    buffer_append_format(buffer, "\n  %s\n", key->help);
    if (key->required)
        buffer_append_text(buffer, "  must be there\n");
    else if (key->fallback != NULL || key->unless != NULL)
        buffer_append_format(buffer, "  unless said: %s\n", text_or(key->fallback, key->unless));
    buffer_append_format(buffer, "  example: %s: %s\n", key->name, key->example);
    if (key->table != NULL)
        append_keys(key->table, buffer);
}

static void append_line(void *arg, const struct explained *at)
{
    struct buffer path = BUFFER_INIT(PATH_BYTES_MAX);

    explain_append_path(at, &path);
    buffer_append_format(arg, "%-32s %s\n", buffer_text(&path), at->keys[at->depth - 1]->help);
    buffer_release(&path);
}

void explain_list(struct buffer *buffer)
{
    explain_each(append_line, buffer);
}

/* --- looking for one --- */

/** Follows a path from the top. False where a part of it is unknown. */
static bool follow(char *const *parts, size_t count, struct explained *ret_at)
{
    const struct key_table *table = &scenario_table;

    *ret_at = (struct explained){0};
    for (size_t i = 0; i < count; i++) {
        const struct key *key = table == NULL ? NULL : key_find(table, parts[i]);

        if (key == NULL)
            return false;
        ret_at->tables[i] = table;
        ret_at->keys[i] = key;
        ret_at->depth++;
        table = key->table;
    }
    return count > 0;
}

struct hunt {
    const char *name;
    struct buffer *buffer;
    size_t found;
};

static void tell_namesake(void *arg, const struct explained *at)
{
    struct hunt *hunt = arg;

    if (strcmp(at->keys[at->depth - 1]->name, hunt->name) != 0)
        return;
    if (hunt->found++ > 0)
        buffer_append_char(hunt->buffer, '\n');
    append_key(at, hunt->buffer);
}

struct names {
    const char *items[KEYS_MAX];
    char *paths[KEYS_MAX];
    size_t count;
};

static void add_names(void *arg, const struct explained *at)
{
    struct names *names = arg;
    struct buffer path = BUFFER_INIT(PATH_BYTES_MAX);
    size_t size;

    explain_append_path(at, &path);
    assert(names->count < KEYS_MAX);
    names->items[names->count] = at->keys[at->depth - 1]->name;
    names->paths[names->count++] = buffer_take(&path, &size);
}

/** A path is compared with paths, a bare name with names; the answer is always a path. */
static bool unknown(const char *path, struct error *err)
{
    struct names *names = xcalloc(1, sizeof(*names));
    const char *closest;

    explain_each(add_names, names);
    if (strchr(path, '.') == NULL)
        closest = text_closest(path, names->items, names->count);
    else
        closest = text_closest(path, (const char *const *)names->paths, names->count);
    if (closest == NULL)
        (void)error_set(err, ERROR_INVALID, "there is no key '%s'", path);
    else
        (void)error_set(err, ERROR_INVALID, "there is no key '%s'; did you mean '%s'?", path,
                        closest);
    for (size_t i = 0; i < names->count; i++)
        free(names->paths[i]);
    free(names);
    return false;
}

/** Parts a path at its dots, in place. 0 when there are too many. */
static size_t part(char *path, char *parts[EXPLAIN_DEPTH_MAX])
{
    size_t count = 1;

    parts[0] = path;
    for (char *dot = strchr(path, '.'); dot != NULL; dot = strchr(dot + 1, '.')) {
        if (count == EXPLAIN_DEPTH_MAX)
            return 0;
        *dot = '\0';
        parts[count++] = dot + 1;
    }
    return count;
}

bool explain_append(const char *path, struct buffer *buffer, struct error *err)
{
    char *copy = xstrdup(path);
    char *parts[EXPLAIN_DEPTH_MAX];
    size_t count = part(copy, parts);
    struct hunt hunt = {path, buffer, 0};
    struct explained at;
    bool found = follow(parts, count, &at);

    if (found)
        append_key(&at, buffer);
    else
        explain_each(tell_namesake, &hunt);
    free(copy);
    return found || hunt.found > 0 || unknown(path, err);
}
