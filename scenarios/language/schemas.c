/* schemas - see schemas.h. */
#include "scenarios/language/schemas.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"

#define CRD_BYTES_MAX ((size_t)1024 * 1024)
/** Most CRDs, and most names that a suggestion is sought among. */
#define SCHEMAS_MAX 16
#define NAMES_MAX 64

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

struct schemas {
    const struct yaml_node *crds[SCHEMAS_MAX];
    size_t count;
};

static void free_document(void *document)
{
    yaml_free(document);
}

void schemas_load(struct reader *reader)
{
    struct schemas *schemas = arena_alloc(reader->arena, sizeof(*schemas));

    for (size_t i = 0; i < SCHEMAS_MAX && crd_manifests[i] != NULL; i++) {
        struct yaml_document *document = NULL;
        struct error err = ERROR_INIT;

        if (!yaml_parse(crd_manifests[i], strlen(crd_manifests[i]), CRD_BYTES_MAX, &document, NULL,
                        NULL, &err))
            abort(); /* constants of ours */
        arena_own(reader->arena, document, free_document);
        schemas->crds[schemas->count++] = yaml_root(document);
    }
    reader->schemas = schemas;
}

static const struct yaml_node *member_of(const struct yaml_node *node, const char *key)
{
    return node == NULL || node->kind != YAML_MAPPING ? NULL : yaml_get(node, key);
}

static bool says(const struct yaml_node *node, const char *key, const char *value)
{
    const struct yaml_node *said = member_of(node, key);

    return said != NULL && said->kind == YAML_SCALAR && strcmp(said->text, value) == 0;
}

/** The schema of the version that is stored. */
static const struct yaml_node *schema_of(const struct schemas *schemas, const char *kind)
{
    for (size_t i = 0; i < schemas->count; i++) {
        const struct yaml_node *spec = member_of(schemas->crds[i], "spec");
        const struct yaml_node *versions = member_of(spec, "versions");

        if (!says(member_of(spec, "names"), "kind", kind))
            continue;
        for (size_t j = 0; versions != NULL && j < versions->member_count; j++) {
            if (says(versions->members[j].value, "storage", "true"))
                return member_of(member_of(versions->members[j].value, "schema"),
                                 "openAPIV3Schema");
        }
    }
    return NULL;
}

/* --- walking --- */

struct walk {
    struct reader *reader;
    const char *kind;
    enum schemas_use use;
};

static void walk(const struct walk *of, const struct yaml_node *schema,
                 const struct yaml_node *node, const char *path);

static void unknown_field(const struct walk *of, const struct yaml_node *schema,
                          const struct yaml_member *member, const char *path)
{
    const struct yaml_node *properties = member_of(schema, "properties");
    const char *known[NAMES_MAX];
    size_t count = 0;

    for (; properties != NULL && count < properties->member_count && count < NAMES_MAX; count++)
        known[count] = properties->members[count].key;
    problems_add(of->reader->problems, key_place(member), "kind %s has no field '%s.%s'%s",
                 of->kind, path, member->key, suggestion(of->reader, member->key, known, count));
}

static void walk_mapping(const struct walk *of, const struct yaml_node *schema,
                         const struct yaml_node *node, const char *path)
{
    const struct yaml_node *additional = member_of(schema, "additionalProperties");
    bool open = says(schema, "x-kubernetes-preserve-unknown-fields", "true") ||
                says(schema, "additionalProperties", "true");

    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];
        const struct yaml_node *below = member_of(member_of(schema, "properties"), member->key);

        if (below == NULL && additional != NULL && additional->kind == YAML_MAPPING)
            below = additional;
        if (below != NULL)
            walk(of, below, member->value,
                 arena_format(of->reader->arena, "%s.%s", path, member->key));
        else if (!open)
            unknown_field(of, schema, member, path);
    }
}

/** A list, or what is expected of one: {has: [...], count: 2}. */
static void walk_list(const struct walk *of, const struct yaml_node *schema,
                      const struct yaml_node *node, const char *path)
{
    const struct yaml_node *items = member_of(schema, "items");

    for (size_t i = 0; items != NULL && i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];

        if (node->kind == YAML_SEQUENCE)
            walk(of, items, member->value, arena_format(of->reader->arena, "%s[%zu]", path, i));
        else if (member->value->kind == YAML_SEQUENCE)
            walk_list(of, schema, member->value, path);
    }
}

/** A value that no object can have would make a claim that never holds, or always does not. */
static void check_value(const struct walk *of, const struct yaml_node *schema,
                        const struct yaml_node *node, const char *path)
{
    const struct yaml_node *values = member_of(schema, "enum");
    const char *text = text_starts_with(node->text, "= ") ? node->text + 2 : node->text;
    const char *known[NAMES_MAX];
    size_t count = 0;

    if (values == NULL || node->later || node_is_empty(node) || strchr("/!<>=", *text) != NULL)
        return;
    for (; count < values->member_count && count < NAMES_MAX; count++) {
        known[count] = values->members[count].value->text;
        if (strcmp(known[count], text) == 0)
            return;
    }
    reader_problem(of->reader, node, "'%s' of kind %s is never '%s'%s", path, of->kind, text,
                   suggestion(of->reader, text, known, count));
}

static void walk(const struct walk *of, const struct yaml_node *schema,
                 const struct yaml_node *node, const char *path)
{
    bool list = says(schema, "type", "array");

    if (node->kind == YAML_SCALAR) {
        if (of->use == SCHEMAS_CLAIM)
            check_value(of, schema, node, path);
    } else if (list && (node->kind == YAML_SEQUENCE || of->use == SCHEMAS_CLAIM)) {
        walk_list(of, schema, node, path);
    } else if (!list && node->kind == YAML_MAPPING && says(schema, "type", "object")) {
        walk_mapping(of, schema, node, path);
    }
}

void schemas_check(struct reader *reader, const char *kind, const struct yaml_member *field,
                   enum schemas_use use)
{
    const struct walk of = {reader, kind, use};
    const struct yaml_node *root =
        reader->schemas == NULL ? NULL : schema_of(reader->schemas, kind);
    const struct yaml_node *schema = member_of(member_of(root, "properties"), field->key);

    if (schema != NULL && strcmp(field->key, "metadata") != 0) /* that is of every kind */
        walk(&of, schema, field->value, field->key);
}
