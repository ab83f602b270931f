/* bindings - names that steps give to what objects have. */
#include <string.h>

#include "scenarios/language/expand.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/schemas.h"
#include "scenarios/language/targets.h"

/** Longest path to a value. */
#define FIELD_BYTES_MAX 256

/** What 'bind' reads into: two fields of a step, beside one another. */
struct bound {
    struct binding *items;
    size_t count;
};

static const struct key binding_keys[] = {
    DESCRIBED("kind", VALUE_TEXT, "The object's kind.", .required = true, .example = "Agent"),
    DESCRIBED("apiVersion", VALUE_TEXT, "Of a kind that the language does not know.",
              .unless = "the kind's own", .example = "batch/v1"),
    DESCRIBED("name", VALUE_TEXT, "The object's name; with *, the first such object.",
              .required = true, .example = "hello"),
    DESCRIBED("namespace", VALUE_TEXT, "The object's namespace.", .unless = SCENARIO_NAMESPACE,
              .example = "other"),
    DESCRIBED("field", VALUE_TEXT, "Where the value stands: a number, a text, true or false.",
              .required = true, .example = "metadata.uid"),
};

const struct key_table binding_table = {
    .what = "a binding",
    .keys = binding_keys,
    .key_count = ARRAY_SIZE(binding_keys),
};

static char *text_member(struct reader *reader, const struct yaml_node *node, const char *key)
{
    const struct yaml_node *value = yaml_get(node, key);

    return value == NULL ? NULL
                         : read_text(reader, value, arena_format(reader->arena, "'%s'", key));
}

static void check_keys(struct reader *reader, const struct yaml_node *node)
{
    const char *known[ARRAY_SIZE(binding_keys)];

    for (size_t i = 0; i < ARRAY_SIZE(binding_keys); i++) {
        known[i] = binding_keys[i].name;
        if (binding_keys[i].required && yaml_get(node, known[i]) == NULL)
            reader_problem(reader, node, "a binding needs a '%s': %s", known[i],
                           binding_keys[i].help);
    }
    for (size_t i = 0; i < node->member_count; i++) {
        if (key_find(&binding_table, node->members[i].key) == NULL)
            problems_add(reader->problems, key_place(&node->members[i]),
                         "unknown key '%s' in a binding%s", node->members[i].key,
                         suggestion(reader, node->members[i].key, known, ARRAY_SIZE(known)));
    }
}

/** The value at "conditions[0].type" as it would be written in a claim. */
static struct yaml_node *value_at(struct reader *reader, const struct yaml_node *field,
                                  const char *path)
{
    struct yaml_node *value = arena_alloc(reader->arena, sizeof(*value));
    struct yaml_member *member = arena_alloc(reader->arena, sizeof(*member));
    size_t size = strcspn(path, ".[");

    *value = *field;
    value->later = *path == '\0';
    if (*path == '\0')
        return value;
    value->members = member;
    value->member_count = 1;
    *member = (struct yaml_member){
        .key_line = field->line, .key_column = field->column, .key_file = field->file};
    if (*path == '[') {
        value->kind = YAML_SEQUENCE;
        path += strcspn(path, "]");
        path += *path == ']';
        path += *path == '.';
    } else {
        value->kind = YAML_MAPPING;
        member->key = arena_format(reader->arena, "%.*s", (int)size, path);
        path += size;
        path += *path == '.';
    }
    member->value = value_at(reader, field, path);
    return value;
}

static void check_path(struct reader *reader, const struct yaml_node *field, const char *kind)
{
    const char *path = field->kind == YAML_SCALAR ? field->text : "";

    if (*path == '.' || *path == '[' || *path == '/' || strlen(path) > FIELD_BYTES_MAX)
        reader_problem(reader, field,
                       "a field is written as metadata.uid or "
                       "status.conditions[0].type");
    else if (*path != '\0' && !field->later && kind_find(kind) != NULL)
        schemas_check(reader, kind, &value_at(reader, field, path)->members[0], SCHEMAS_CLAIM);
}

static void read_source(struct reader *reader, const struct yaml_node *node,
                        struct binding *binding)
{
    struct target_texts texts = {0};

    check_keys(reader, node);
    texts.kind = text_member(reader, node, "kind");
    texts.api_version = text_member(reader, node, "apiVersion");
    texts.name = text_member(reader, node, "name");
    texts.namespace = text_member(reader, node, "namespace");
    binding->field = text_member(reader, node, "field");
    if (texts.kind != NULL && target_resolve(reader, node, &texts, &binding->target) &&
        binding->field != NULL)
        check_path(reader, yaml_get(node, "field"), binding->target.kind);
}

static void read_name(struct reader *reader, const struct yaml_member *member,
                      struct binding *binding)
{
    binding->place = key_place(member);
    binding->name = arena_text(reader->arena, member->key);
    if (!expression_is_name(member->key))
        problems_add(reader->problems, binding->place,
                     "'%s' cannot be a name: letters, digits and _ only", member->key);
}

static void read_binding(struct reader *reader, const struct yaml_member *member,
                         struct binding *binding)
{
    const struct yaml_node *value = member->value;

    read_name(reader, member, binding);
    if (value->kind == YAML_MAPPING)
        read_source(reader, value, binding);
    else if (value->kind == YAML_SCALAR)
        binding->value = node_value(reader, value);
    else
        reader_problem(reader, value, "'%s' must be a value, or a mapping of kind, name and field",
                       member->key);
}

void read_bindings(struct reader *reader, const struct yaml_node *node, void *field)
{
    struct bound *bound = field;

    if (node->kind != YAML_MAPPING || node->member_count == 0) {
        reader_problem(reader, node,
                       "'bind' must be a mapping of names to what they stand for, not %s",
                       node_found(reader, node));
        return;
    }
    if (yaml_get(node, "kind") != NULL && yaml_get(node, "field") != NULL) {
        reader_problem(reader, node,
                       "a binding needs a name for its value; write {uid: {kind: ..., name: ..., "
                       "field: ...}}");
        return;
    }
    bound->items = arena_alloc(reader->arena, node->member_count * sizeof(*bound->items));
    bound->count = node->member_count;
    for (size_t i = 0; i < node->member_count; i++)
        read_binding(reader, &node->members[i], &bound->items[i]);
}

struct binding *read_answer_bindings(struct reader *reader, const struct yaml_node *node,
                                     size_t *ret_count)
{
    struct binding *items;

    *ret_count = 0;
    if (node->kind != YAML_MAPPING || node->member_count == 0) {
        reader_problem(reader, node,
                       "'bind' of an answer must be a mapping of names to fields, such as {uid: "
                       "metadata.uid}, not %s",
                       node_found(reader, node));
        return NULL;
    }
    items = arena_alloc(reader->arena, node->member_count * sizeof(*items));
    for (size_t i = 0; i < node->member_count; i++) {
        read_name(reader, &node->members[i], &items[i]);
        items[i].field = read_text(reader, node->members[i].value, "a field of the answer");
    }
    *ret_count = node->member_count;
    return items;
}
