/* schemas - see schemas.h. */
#include "scenarios/language/schemas.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/types/table.h"
#include "fakeapi/types/types.h"
#include "scenarios/language/kinds.h"

#define CRD_BYTES_MAX ((size_t)1024 * 1024)
/** Most CRDs, and most names that a suggestion is sought among. */
#define SCHEMAS_MAX 16
#define NAMES_MAX 64

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

struct schemas {
    struct yaml_document *documents[SCHEMAS_MAX];
    const struct yaml_node *crds[SCHEMAS_MAX];
    size_t count;
};

struct schemas *schemas_new(void)
{
    struct schemas *schemas = xcalloc(1, sizeof(*schemas));

    for (size_t i = 0; i < SCHEMAS_MAX && crd_manifests[i] != NULL; i++) {
        struct error err = ERROR_INIT;

        if (!yaml_parse(crd_manifests[i], strlen(crd_manifests[i]), CRD_BYTES_MAX,
                        &schemas->documents[i], NULL, NULL, &err))
            abort(); /* constants of ours */
        schemas->crds[schemas->count++] = yaml_root(schemas->documents[i]);
    }
    return schemas;
}

void schemas_free(struct schemas *schemas)
{
    if (schemas == NULL)
        return;
    for (size_t i = 0; i < schemas->count; i++)
        yaml_free(schemas->documents[i]);
    free(schemas);
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

/** Of a claim: what is not a value but says something of one. "=> 3" and "!=3" are texts. */
static bool is_comparison(const struct walk *of, const struct yaml_node *node)
{
    return of->use == SCHEMAS_CLAIM &&
           (*node->text == '/' || *node->text == '<' || *node->text == '>' ||
            text_starts_with(node->text, "= ") || text_starts_with(node->text, "!= "));
}

/** What "=> 3", "==3" and "!=3" mean; NULL: nobody knows. */
static const char *comparison_meant(const struct walk *of, const struct yaml_node *node)
{
    static const char *const meant[][2] = {
        {"=>", ">="},
        {"=<", "<="},
        {"==", "=" },
        {"!=", "!="},
        {"<>", "!="},
        {"=",  "=" },
    };

    for (size_t i = 0; of->use == SCHEMAS_CLAIM && i < ARRAY_SIZE(meant); i++) {
        const char *operand = node->text + strlen(meant[i][0]);

        if (text_starts_with(node->text, meant[i][0]))
            return arena_format(of->reader->arena, "\"%s %s\"", meant[i][1],
                                operand + strspn(operand, " "));
    }
    return NULL;
}

/** A value that no object can have would make a claim that never holds, or always does not. */
static void check_value(const struct walk *of, const struct yaml_node *schema,
                        const struct yaml_node *node, const char *path)
{
    const struct yaml_node *values = member_of(schema, "enum");
    const char *text = text_starts_with(node->text, "= ") ? node->text + 2 : node->text;
    const char *known[NAMES_MAX];
    const char *meant;
    size_t count = 0;

    if (values == NULL || node->later || node_is_empty(node) || *text == '\0' ||
        (text == node->text && is_comparison(of, node)))
        return;
    for (; count < values->member_count && count < NAMES_MAX; count++) {
        known[count] = values->members[count].value->text;
        if (strcmp(known[count], text) == 0)
            return;
    }
    meant = comparison_meant(of, node);
    reader_problem(of->reader, node, "'%s' of kind %s is never '%s'%s", path, of->kind, text,
                   meant != NULL && text == node->text
                       ? arena_format(of->reader->arena, "; write %s", meant)
                       : suggestion(of->reader, text, known, count));
}

/* --- types of values --- */

enum wanted { WANT_TEXT, WANT_NUMBER, WANT_FLAG, WANT_MAPPING, WANT_LIST, WANT_ANYTHING };

static const char *const wanted_names[] = {
    [WANT_TEXT] = "a text",       [WANT_NUMBER] = "a number", [WANT_FLAG] = "true or false",
    [WANT_MAPPING] = "a mapping", [WANT_LIST] = "a list",     [WANT_ANYTHING] = "anything",
};

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "+-.0123456789eE") == strlen(text) &&
           strpbrk(text, "0123456789") != NULL;
}

static bool scalar_fits(const struct yaml_node *node, enum wanted wanted)
{
    bool flag = strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0;

    switch (wanted) {
    case WANT_TEXT:
        return !node->plain || (!flag && !is_number(node->text));
    case WANT_NUMBER:
        return node->plain && is_number(node->text);
    case WANT_FLAG:
        return node->plain && flag;
    case WANT_MAPPING:
    case WANT_LIST:
        return false;
    case WANT_ANYTHING:
        return true;
    }
    return true;
}

static bool fits(const struct walk *of, const struct yaml_node *node, enum wanted wanted)
{
    if (wanted == WANT_ANYTHING || node->later)
        return true;
    if (node->kind == YAML_SCALAR)
        return node_is_empty(node) || is_comparison(of, node) || scalar_fits(node, wanted);
    if (node->kind == YAML_SEQUENCE)
        return wanted == WANT_LIST;
    return wanted == WANT_MAPPING ||
           (wanted == WANT_LIST && of->use == SCHEMAS_CLAIM && node_speaks_of_list(node));
}

/** False, and a problem, where no object can have such a value. */
static bool check_type(const struct walk *of, const struct yaml_node *node, enum wanted wanted,
                       const char *path)
{
    const char *hint = "";

    if (fits(of, node, wanted))
        return true;
    if (node->kind == YAML_SCALAR && comparison_meant(of, node) != NULL)
        hint = arena_format(of->reader->arena, "; write %s", comparison_meant(of, node));
    else if (wanted == WANT_LIST && node->kind == YAML_MAPPING)
        hint = "; write [{...}]";
    else if (wanted == WANT_TEXT && node->kind == YAML_SCALAR)
        hint = arena_format(of->reader->arena, "; write \"%s\"", node->text);
    else if (wanted == WANT_LIST && node->kind == YAML_SCALAR)
        hint = arena_format(of->reader->arena, "; write [%s]", node->text);
    reader_problem(of->reader, node, "'%s' of kind %s is %s, not %s%s", path, of->kind,
                   wanted_names[wanted], node_found(of->reader, node), hint);
    return false;
}

static enum wanted wanted_by_schema(const struct yaml_node *schema)
{
    static const struct {
        const char *type;
        enum wanted wanted;
    } types[] = {
        {"string",  WANT_TEXT   },
        {"integer", WANT_NUMBER },
        {"number",  WANT_NUMBER },
        {"boolean", WANT_FLAG   },
        {"object",  WANT_MAPPING},
        {"array",   WANT_LIST   },
    };

    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        if (says(schema, "type", types[i].type))
            return types[i].wanted;
    }
    return WANT_ANYTHING;
}

static void walk(const struct walk *of, const struct yaml_node *schema,
                 const struct yaml_node *node, const char *path)
{
    enum wanted wanted = wanted_by_schema(schema);

    if (!check_type(of, node, wanted, path))
        return;
    if (node->kind == YAML_SCALAR) {
        if (of->use == SCHEMAS_CLAIM)
            check_value(of, schema, node, path);
    } else if (wanted == WANT_LIST) {
        walk_list(of, schema, node, path);
    } else if (wanted == WANT_MAPPING && node->kind == YAML_MAPPING) {
        walk_mapping(of, schema, node, path);
    }
}

/* --- built-in kinds, by the field tables of the server --- */

static void walk_message(const struct walk *of, const struct type_message *message,
                         const struct yaml_node *node, const char *path);

static void no_such_field(const struct walk *of, const struct type_message *message,
                          const struct yaml_member *member, const char *path)
{
    const char *known[NAMES_MAX];
    size_t count = 0;

    for (size_t i = 0; i < message->count && count < NAMES_MAX; i++)
        known[count++] = type_texts + type_fields[message->first + i].name;
    problems_add(of->reader->problems, key_place(member), "kind %s has no field '%s.%s'%s",
                 of->kind, path, member->key, suggestion(of->reader, member->key, known, count));
}

static enum wanted wanted_by_field(const struct type_field *field)
{
    if (field->shape == SHAPE_LIST)
        return WANT_LIST;
    if (field->shape == SHAPE_MAP)
        return WANT_MAPPING;
    switch ((enum type)field->type) {
    case TYPE_TEXT:
    case TYPE_BYTES:
    case TYPE_TIME:
    case TYPE_MICRO_TIME:
        return WANT_TEXT;
    case TYPE_BOOL:
        return WANT_FLAG;
    case TYPE_INT32:
    case TYPE_INT64:
    case TYPE_DOUBLE:
        return WANT_NUMBER;
    case TYPE_MESSAGE:
        return WANT_MAPPING;
    default:
        return WANT_ANYTHING;
    }
}

/** Every mapping among the items, or the values, that are messages. */
static void walk_items(const struct walk *of, const struct type_message *message,
                       const struct yaml_node *node, const char *path)
{
    for (size_t i = 0; node->kind != YAML_SCALAR && i < node->member_count; i++) {
        const struct yaml_node *item = node->members[i].value;

        if (item->kind == YAML_MAPPING)
            walk_message(of, message, item, arena_format(of->reader->arena, "%s[]", path));
        else if (item->kind == YAML_SEQUENCE) /* of {has: [...]} */
            walk_items(of, message, item, path);
    }
}

static void walk_field(const struct walk *of, const struct type_field *field,
                       const struct yaml_node *node, const char *path)
{
    const struct type_message *message =
        field->type == TYPE_MESSAGE ? &type_messages[field->message] : NULL;

    if (!check_type(of, node, wanted_by_field(field), path) || message == NULL)
        return;
    if (field->shape != SHAPE_ONE)
        walk_items(of, message, node, path);
    else if (node->kind == YAML_MAPPING)
        walk_message(of, message, node, path);
}

static void walk_message(const struct walk *of, const struct type_message *message,
                         const struct yaml_node *node, const char *path)
{
    for (size_t i = 0; i < node->member_count; i++) {
        const struct yaml_member *member = &node->members[i];
        const struct type_field *field = types_field(message, member->key);

        if (field == NULL)
            no_such_field(of, message, member, path);
        else
            walk_field(of, field, member->value,
                       arena_format(of->reader->arena, "%s.%s", path, member->key));
    }
}

static const struct type_message *message_of(struct reader *reader, const char *name)
{
    const struct kind *kind = kind_find(name);

    if (kind == NULL)
        return NULL;
    return types_find(arena_format(reader->arena, "%s%s%s", kind->group,
                                   *kind->group == '\0' ? "" : "/", kind->version),
                      name);
}

static void check_metadata(const struct walk *of, const struct yaml_member *field)
{
    if (check_type(of, field->value, WANT_MAPPING, field->key) &&
        field->value->kind == YAML_MAPPING)
        walk_message(of, &type_messages[type_object_meta], field->value, field->key);
}

/** By the field tables; kinds that they do not have are let through. */
static void check_built_in(const struct walk *of, const struct yaml_member *field)
{
    const struct type_message *message = message_of(of->reader, of->kind);
    const struct type_field *known = message == NULL ? NULL : types_field(message, field->key);

    if (known != NULL)
        walk_field(of, known, field->value, field->key);
}

void schemas_check(struct reader *reader, const char *kind, const struct yaml_member *field,
                   enum schemas_use use)
{
    const struct walk of = {reader, kind, use};
    const struct yaml_node *root =
        reader->schemas == NULL ? NULL : schema_of(reader->schemas, kind);
    const struct yaml_node *schema = member_of(member_of(root, "properties"), field->key);

    if (reader->schemas == NULL)
        return;
    if (strcmp(field->key, "metadata") == 0) /* that is of every kind */
        check_metadata(&of, field);
    else if (root == NULL)
        check_built_in(&of, field);
    else if (schema != NULL)
        walk(&of, schema, field->value, field->key);
}

const char *schemas_parent_of(struct reader *reader, const char *kind, const char *field)
{
    static const char *const parents[] = {"status", "spec"};
    const struct yaml_node *root =
        reader->schemas == NULL ? NULL : schema_of(reader->schemas, kind);
    const struct type_message *message = root != NULL ? NULL : message_of(reader, kind);

    if (types_field(&type_messages[type_object_meta], field) != NULL)
        return "metadata";
    for (size_t i = 0; i < ARRAY_SIZE(parents); i++) {
        const struct yaml_node *schema = member_of(member_of(root, "properties"), parents[i]);
        const struct type_field *part = message == NULL ? NULL : types_field(message, parents[i]);

        if (member_of(member_of(schema, "properties"), field) != NULL ||
            (part != NULL && part->type == TYPE_MESSAGE &&
             types_field(&type_messages[part->message], field) != NULL))
            return parents[i];
    }
    return NULL;
}
