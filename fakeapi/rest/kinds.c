/* kinds - the table of resources as served. */
#include "fakeapi/rest/kinds.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

struct kinds {
    struct store *store;
    struct kind **items;
    size_t count;
    unsigned columns_epoch;
};

static void free_texts(char **texts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(texts[i]);
    free(texts);
}

static void version_release(struct kind_version *version)
{
    for (size_t i = 0; i < version->column_count; i++) {
        struct served_column *column = &version->columns[i];

        free(column->name);
        free(column->type);
        free(column->format);
        free(column->description);
        jsonpath_free(column->path);
    }
    free(version->columns);
    free(version->name);
    free(version->api_version);
    free(version->prefix);
    free(version->warning);
    free(version->scale.spec_path);
    free(version->scale.status_path);
    free(version->scale.selector_path);
    schema_unref(version->schema);
    json_object_put(version->openapi);
}

/* The labels of a custom kind's fields are its own; those of a row are constants. */
static void free_fields(struct kind *kind)
{
    union {
        const char *constant;
        char *own;
    } text;

    for (size_t i = 0; i < kind->field_count && kind->row == NULL; i++) {
        text.constant = kind->fields[i].label;
        free(text.own);
    }
    free(kind->fields);
}

struct kind *kind_new(void)
{
    struct kind *kind = xcalloc(1, sizeof(*kind));

    kind->references = 1;
    return kind;
}

struct kind *kind_ref(struct kind *kind)
{
    kind->references++;
    return kind;
}

void kind_unref(struct kind *kind)
{
    if (kind == NULL || --kind->references > 0)
        return;
    for (size_t i = 0; i < kind->version_count; i++)
        version_release(&kind->versions[i]);
    free(kind->versions);
    free_fields(kind);
    free_texts(kind->short_names, kind->short_name_count);
    free_texts(kind->categories, kind->category_count);
    free(kind->group);
    free(kind->kind);
    free(kind->list_kind);
    free(kind->plural);
    free(kind->singular);
    free(kind);
}

static char **split_words(const char *words, size_t *ret_count)
{
    char **texts = NULL;
    size_t count = 0;

    while (*words != '\0') {
        size_t size = strcspn(words, " ");

        texts = xrealloc(texts, (count + 1) * sizeof(*texts));
        texts[count] = xmemdup(words, size);
        count++;
        words += size + (words[size] == ' ');
    }
    *ret_count = count;
    return texts;
}

void kinds_finish_version(struct kinds *kinds, const struct kind *kind,
                          struct kind_version *version)
{
    if (kind->group[0] == '\0')
        version->api_version = xstrdup(version->name);
    else
        version->api_version = xprintf("%s/%s", kind->group, version->name);
    version->prefix =
        xprintf("{\"apiVersion\":\"%s\",\"kind\":\"%s\",", version->api_version, kind->kind);
    version->prefix_size = strlen(version->prefix);
    version->epoch = ++kinds->columns_epoch;
    if (kind->row != NULL)
        version->type = types_find(version->api_version, kind->kind);
}

static void copy_columns(const struct kind_row *row, struct kind_version *version)
{
    version->columns = xcalloc(row->column_count, sizeof(*version->columns));
    version->column_count = row->column_count;
    for (size_t i = 0; i < row->column_count; i++) {
        const struct kind_column *from = &row->columns[i];

        version->columns[i] = (struct served_column){
            .name = xstrdup(from->name),
            .type = xstrdup(from->type),
            .format = xstrdup(from->format == NULL ? "" : from->format),
            .description = xstrdup(from->description == NULL ? "" : from->description),
            .priority = from->priority,
        };
    }
}

/* The version of its twin, in which its objects are stored. */
static void add_stored_version(struct kinds *kinds, struct kind *kind)
{
    struct kind_version *version = &kind->versions[kind->version_count++];
    struct kind stored = *kind;
    char core[] = "";

    assert(kind->row->twin->group[0] == '\0'); /* that of the only one there is */
    version->name = xstrdup(kind->row->twin->version);
    version->storage = true;
    stored.group = core;
    kinds_finish_version(kinds, &stored, version);
    kind->revises = true;
}

struct kind *kinds_make(struct kinds *kinds, const struct kind_row *row)
{
    struct kind *kind = kind_new();

    kind->row = row;
    kind->group = xstrdup(row->group);
    kind->kind = xstrdup(row->kind);
    kind->list_kind = xprintf("%sList", row->kind);
    kind->plural = xstrdup(row->plural);
    kind->singular = xstrdup(row->singular);
    kind->short_names = split_words(row->short_names, &kind->short_name_count);
    kind->categories = split_words(row->categories, &kind->category_count);
    kind->namespaced = (row->flags & KIND_NAMESPACED) != 0;
    kind->flags = row->flags;
    kind->name_rule = row->name_rule;
    kind->fields = xcalloc(row->field_count, sizeof(*kind->fields));
    kind->field_count = row->field_count;
    for (size_t i = 0; i < row->field_count; i++)
        kind->fields[i] = row->fields[i];
    kind->versions = xcalloc(row->twin == NULL ? 1 : 2, sizeof(*kind->versions));
    kind->version_count = 1;
    kind->versions[0].name = xstrdup(row->version);
    kind->versions[0].served = true;
    kind->versions[0].storage = row->twin == NULL;
    kind->versions[0].status = (row->flags & KIND_STATUS) != 0;
    if (row->flags & KIND_SCALE)
        kind->versions[0].scale = (struct scale_paths){.spec_path = xstrdup(".spec.replicas"),
                                                       .status_path = xstrdup(".status.replicas"),
                                                       .selector_path = xstrdup(".spec.selector")};
    copy_columns(row, &kind->versions[0]);
    kinds_finish_version(kinds, kind, &kind->versions[0]);
    if (row->twin != NULL)
        add_stored_version(kinds, kind);
    return kind;
}

struct kinds *kinds_new(struct store *store)
{
    struct kinds *kinds = xcalloc(1, sizeof(*kinds));

    kinds->store = store;
    for (size_t i = 0; i < kind_row_count; i++)
        kinds_put(kinds, kinds_make(kinds, kind_rows[i]));
    return kinds;
}

void kinds_free(struct kinds *kinds)
{
    if (kinds == NULL)
        return;
    for (size_t i = 0; i < kinds->count; i++)
        kind_unref(kinds->items[i]);
    free(kinds->items);
    free(kinds);
}

size_t kinds_count(const struct kinds *kinds)
{
    return kinds->count;
}

struct kind *kinds_at(const struct kinds *kinds, size_t index)
{
    return kinds->items[index];
}

struct kind *kinds_find(const struct kinds *kinds, const char *group, const char *plural)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (strcmp(kinds->items[i]->plural, plural) == 0 &&
            strcmp(kinds->items[i]->group, group) == 0)
            return kinds->items[i];
    return NULL;
}

struct kind *kinds_find_kind(const struct kinds *kinds, const char *group, const char *kind)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (strcmp(kinds->items[i]->kind, kind) == 0 && strcmp(kinds->items[i]->group, group) == 0)
            return kinds->items[i];
    return NULL;
}

struct kind_version *kind_find_version(const struct kind *kind, const char *name)
{
    for (size_t i = 0; i < kind->version_count; i++)
        if (kind->versions[i].served && strcmp(kind->versions[i].name, name) == 0)
            return &kind->versions[i];
    return NULL;
}

const struct kind_version *kind_storage_version(const struct kind *kind)
{
    for (size_t i = 0; i < kind->version_count; i++)
        if (kind->versions[i].storage)
            return &kind->versions[i];
    return &kind->versions[0]; /* not reached: a kind has one */
}

bool kinds_is_builtin(const struct kinds *kinds, const char *group)
{
    for (size_t i = 0; i < kinds->count; i++)
        if (kinds->items[i]->row != NULL && strcmp(kinds->items[i]->group, group) == 0)
            return true;
    return false;
}

static void set_store_fields(const struct kind *kind, bool fresh,
                             struct store_resource_options *options, struct store *store)
{
    const char **paths = xcalloc(kind->field_count, sizeof(*paths));

    for (size_t i = 0; i < kind->field_count; i++)
        paths[i] = kind->fields[i].path;
    options->field_paths = paths;
    options->field_path_count = kind->field_count;
    if (fresh)
        store_add_resource(store, options);
    else
        store_resource_set_fields(kind->objects, paths, kind->field_count);
    free(paths);
}

/* The group under which its objects are stored. */
static const char *objects_group(const struct kind *kind)
{
    return kind->row != NULL && kind->row->twin != NULL ? kind->row->twin->group : kind->group;
}

static struct kind *add_kind(struct kinds *kinds, struct kind *kind)
{
    kinds->items = xrealloc(kinds->items, (kinds->count + 1) * sizeof(struct kind *));
    kinds->items[kinds->count++] = kind;
    return kind;
}

struct kind *kinds_put(struct kinds *kinds, struct kind *kind)
{
    struct store_resource_options options = {
        .group = kind->group, .plural = kind->plural, .namespaced = kind->namespaced};
    struct kind *before = kinds_find(kinds, kind->group, kind->plural);

    kind->objects = store_find_resource(kinds->store, objects_group(kind), kind->plural);
    if (kind->row != NULL && kind->row->twin != NULL)
        return add_kind(kinds, kind);
    if (kind->objects == NULL || kind->field_count > 0 ||
        (before != NULL && before->field_count > 0))
        set_store_fields(kind, kind->objects == NULL, &options, kinds->store);
    kind->objects = store_find_resource(kinds->store, kind->group, kind->plural);
    if (before == NULL)
        return add_kind(kinds, kind);
    for (size_t i = 0; i < kinds->count; i++)
        if (kinds->items[i] == before)
            kinds->items[i] = kind;
    kind_unref(before);
    return kind;
}

void kinds_remove(struct kinds *kinds, struct kind *kind)
{
    size_t index = 0;

    assert(kind->row == NULL);
    store_remove_resource(kind->objects);
    while (kinds->items[index] != kind)
        index++;
    memmove(&kinds->items[index], &kinds->items[index + 1],
            (kinds->count - index - 1) * sizeof(struct kind *));
    kinds->count--;
    kind_unref(kind);
}

/* --- the order of versions --- */

/* v<major>[alpha|beta<minor>] taken apart; stage 3 is released, 0 is none of these. */
struct version_parts {
    int stage;
    int64_t major;
    int64_t minor;
};

static bool read_number(const char **at, int64_t *ret_number)
{
    char digits[20];
    size_t size = strspn(*at, "0123456789");

    if (size == 0 || size >= sizeof(digits) || **at == '0')
        return false;
    memcpy(digits, *at, size);
    digits[size] = '\0';
    *at += size;
    return text_to_int64(digits, ret_number);
}

static struct version_parts take_apart(const char *version)
{
    const struct version_parts none = {0, 0, 0};
    struct version_parts parts = {3, 0, 0};

    if (*version++ != 'v' || !read_number(&version, &parts.major))
        return none;
    if (*version == '\0')
        return parts;
    if (text_starts_with(version, "beta")) {
        parts.stage = 2;
        version += 4;
    } else if (text_starts_with(version, "alpha")) {
        parts.stage = 1;
        version += 5;
    } else {
        return none;
    }
    return read_number(&version, &parts.minor) && *version == '\0' ? parts : none;
}

static int compare_numbers(int64_t a, int64_t b)
{
    return (a < b) - (a > b); /* the greater comes first */
}

int kind_compare_versions(const char *a, const char *b)
{
    struct version_parts left = take_apart(a);
    struct version_parts right = take_apart(b);
    int order = compare_numbers(left.stage, right.stage);

    if (order == 0)
        order = compare_numbers(left.major, right.major);
    if (order == 0)
        order = compare_numbers(left.minor, right.minor);
    return order != 0 ? order : strcmp(a, b);
}
