/* load - YAML files in, one YAML file out. */
#include "fakeapi/load.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"

/* The first line of a dump; to YAML it is a comment. */
#define DUMP_HEAD "# revision %" PRIu64 "\n"

/* An object of a file, and where it stands there. */
struct item {
    struct json_object *tree;
    char *file;
    unsigned line;
    unsigned column;
};

struct items {
    struct item *array;
    size_t count;
};

static void release_items(struct items *items)
{
    for (size_t i = 0; i < items->count; i++) {
        json_object_put(items->array[i].tree);
        free(items->array[i].file);
    }
    free(items->array);
}

static bool add_item(struct items *items, struct json_object *tree, const char *file, unsigned line,
                     unsigned column, struct error *err)
{
    if (items->count == LOAD_OBJECTS_MAX) {
        json_object_put(tree);
        return error_set(err, ERROR_TOO_LARGE, "%s:%u:%u: more than %d objects", file, line, column,
                         LOAD_OBJECTS_MAX);
    }
    items->array = xrealloc(items->array, (items->count + 1) * sizeof(*items->array));
    items->array[items->count++] = (struct item){tree, xstrdup(file), line, column};
    return true;
}

/* The scalar at a key; "" when there is none. */
static const char *scalar_at(const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);

    return value != NULL && value->kind == YAML_SCALAR ? value->text : "";
}

static bool add_node(struct items *items, const char *file, const struct yaml_node *node,
                     struct error *err)
{
    const struct yaml_node *list = yaml_get(node, "items");

    if (node->kind != YAML_MAPPING)
        return error_set(err, ERROR_MALFORMED, "%s:%u:%u: want an object", file, node->line,
                         node->column);
    if (!text_ends_with(scalar_at(node, "kind"), "List") || list == NULL ||
        list->kind != YAML_SEQUENCE)
        return add_item(items, yaml_to_json(node), file, node->line, node->column, err);
    for (size_t i = 0; i < list->member_count; i++) {
        const struct yaml_node *item = list->members[i].value;

        if (item->kind != YAML_MAPPING)
            return error_set(err, ERROR_MALFORMED, "%s:%u:%u: want an object", file, item->line,
                             item->column);
        if (!add_item(items, yaml_to_json(item), file, item->line, item->column, err))
            return false;
    }
    return true;
}

/* The text of an error behind its "line L, column C: ". */
static const char *without_position(const char *text)
{
    const char *colon = text_starts_with(text, "line ") ? strstr(text, ": ") : NULL;

    return colon == NULL ? text : colon + 2;
}

static bool parse_text(struct items *items, const char *file, const char *text, size_t size,
                       struct error *err)
{
    struct yaml_document **documents = NULL;
    struct error why = ERROR_INIT;
    size_t count = 0;
    unsigned line = 1;
    unsigned column = 1;
    bool ok = true;

    if (!yaml_parse_stream(text, size, LOAD_FILE_BYTES_MAX, &documents, &count, &line, &column,
                           &why))
        return error_set(err, why.kind, "%s:%u:%u: %s", file, line, column,
                         without_position(why.text));
    for (size_t i = 0; i < count; i++) {
        if (ok && yaml_root(documents[i]) != NULL)
            ok = add_node(items, file, yaml_root(documents[i]), err);
        yaml_free(documents[i]);
    }
    free(documents);
    return ok;
}

static bool read_file(struct runtime *rt, struct items *items, const char *file, struct error *err)
{
    struct buffer bytes = BUFFER_INIT(LOAD_FILE_BYTES_MAX);
    bool ok = runtime_read_file(rt, file, &bytes, err) &&
              parse_text(items, file, buffer_text(&bytes), bytes.size, err);

    buffer_release(&bytes);
    return ok;
}

static bool is_object_file(const char *name)
{
    return text_ends_with(name, ".yaml") || text_ends_with(name, ".yml") ||
           text_ends_with(name, ".json");
}

static bool read_directory(struct runtime *rt, struct items *items, const char *path,
                           struct error *err)
{
    char **names = NULL;
    size_t count = 0;
    size_t read = 0;
    bool ok = true;

    if (!runtime_list_files(rt, path, &names, &count, err))
        return false;
    for (size_t i = 0; i < count; i++) {
        char *file = xprintf("%s/%s", path, names[i]);

        if (ok && is_object_file(names[i])) {
            ok = read_file(rt, items, file, err);
            read++;
        }
        free(file);
        free(names[i]);
    }
    free(names);
    if (ok && read == 0)
        ok = error_set(err, ERROR_INVALID, "%s: no *.yaml, *.yml or *.json file in this directory",
                       path);
    return ok;
}

/* What others live in or are described by. */
static bool comes_first(const struct json_object *tree)
{
    const char *kind = text_or(json_get_text(tree, "kind"), "");

    return strcmp(kind, "Namespace") == 0 || strcmp(kind, "CustomResourceDefinition") == 0;
}

/* Whom a warning is about. */
struct warning {
    struct runtime *rt;
    const struct item *item;
};

static void on_warning(void *arg, const char *text)
{
    const struct warning *warning = arg;
    char *place =
        xprintf("%s:%u:%u", warning->item->file, warning->item->line, warning->item->column);
    struct log_field fields[] = {LOG_TEXT("at", place), LOG_TEXT("why", text)};
    struct log_record record = {LOG_WARN, "loaded without a field", fields, ARRAY_SIZE(fields)};

    runtime_log(warning->rt, &record);
    free(place);
}

static bool load_some(struct runtime *rt, struct rest *rest, const struct items *items, bool first,
                      struct error *err)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->array[i];
        struct warning warning = {rt, item};

        if (comes_first(item->tree) == first &&
            !rest_load_warning(rest, item->tree, on_warning, &warning, err))
            return error_prefix(err, "%s:%u:%u", item->file, item->line, item->column);
    }
    return true;
}

static bool load_items(struct runtime *rt, struct rest *rest, const struct items *items,
                       struct error *err)
{
    return load_some(rt, rest, items, true, err) && load_some(rt, rest, items, false, err);
}

bool fakeapi_load_text(struct runtime *rt, struct rest *rest, const char *name, const char *text,
                       size_t size, struct error *err)
{
    struct items items = {NULL, 0};
    bool ok = parse_text(&items, name, text, size, err) && load_items(rt, rest, &items, err);

    release_items(&items);
    return ok;
}

bool fakeapi_load(struct runtime *rt, struct rest *rest, const char *path, struct error *err)
{
    struct items items = {NULL, 0};
    struct file_info info;
    bool ok;

    if (!runtime_stat_file(rt, path, &info, err))
        return false;
    ok = (info.directory ? read_directory(rt, &items, path, err)
                         : read_file(rt, &items, path, err)) &&
         load_items(rt, rest, &items, err);
    release_items(&items);
    return ok;
}

/* --- dumps --- */

static bool restore_some(struct rest *rest, const struct items *items, bool first,
                         struct error *err)
{
    for (size_t i = 0; i < items->count; i++) {
        const struct item *item = &items->array[i];

        if (comes_first(item->tree) == first && !rest_restore(rest, item->tree, err))
            return error_prefix(err, "%s:%u:%u", item->file, item->line, item->column);
    }
    return true;
}

bool fakeapi_restore_text(struct rest *rest, struct store *store, const char *name,
                          const char *text, size_t size, struct error *err)
{
    struct items items = {NULL, 0};
    uint64_t revision = 0;
    bool ok = parse_text(&items, name, text, size, err) && restore_some(rest, &items, true, err) &&
              restore_some(rest, &items, false, err);

    if (ok && sscanf(text, DUMP_HEAD, &revision) == 1)
        store_skip_to(store, revision);
    store_compact(store, store_revision(store));
    release_items(&items);
    return ok;
}

static bool dump_resource(struct store_resource *resource, uint64_t revision, struct buffer *text,
                          struct error *err)
{
    struct store_snapshot *snapshot = NULL;

    if (!store_snapshot_at(resource, revision, &snapshot, err))
        return false;
    for (size_t i = 0; i < store_snapshot_count(snapshot); i++) {
        struct json_object *tree = store_object_parse(store_snapshot_object(snapshot, i));

        buffer_append_text(text, "---\n");
        yaml_append(text, tree);
        json_object_put(tree);
    }
    store_snapshot_free(snapshot);
    return true;
}

bool fakeapi_dump_text(const struct store *store, uint64_t revision, struct buffer *into,
                       struct error *err)
{
    struct store_resource *resource;

    if (revision == 0)
        revision = store_revision(store);
    buffer_append_format(into, DUMP_HEAD, revision);
    for (size_t i = 0; (resource = store_resource_at(store, i)) != NULL; i++)
        if (!dump_resource(resource, revision, into, err))
            return false;
    return buffer_check(into, err);
}

bool fakeapi_dump(struct runtime *rt, const struct store *store, const char *path)
{
    struct buffer text = BUFFER_INIT(LOAD_FILE_BYTES_MAX);
    struct error err = ERROR_INIT;
    const struct log_field fields[] = {LOG_TEXT("why", err.text)};
    const struct log_record record = {LOG_ERROR, "dump failed", fields, ARRAY_SIZE(fields)};
    bool ok =
        path == NULL || (fakeapi_dump_text(store, 0, &text, &err) &&
                         runtime_write_file(rt, path, buffer_text(&text), text.size, true, &err));

    if (!ok)
        runtime_log(rt, &record);
    buffer_release(&text);
    return ok;
}
