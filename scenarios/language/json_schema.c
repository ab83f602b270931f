/* json_schema - see json_schema.h. */
#include "scenarios/language/json_schema.h"

#include <assert.h>
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "scenarios/language/explain.h"
#include "scenarios/language/kinds.h"
#include "scenarios/language/step_keys.h"

#define DURATION "([0-9]+(\\.[0-9]+)?(ns|us|ms|s|m|h))+"
/** Bounds beyond this say nothing. */
#define TELLING_MAX INT64_C(1000000000000)
#define EXAMPLE_BYTES_MAX 4096
#define NAME_SIZE 64

/* --- names of definitions --- */

/** "a pod's script" becomes "podsScript". */
static const char *name_of(const struct key_table *table, char room[NAME_SIZE])
{
    const char *from = table->id != NULL ? table->id : table->what;
    bool upper = false;
    size_t size = 0;

    if (text_starts_with(from, "a "))
        from += 2;
    else if (text_starts_with(from, "an "))
        from += 3;
    for (; *from != '\0' && size + 1 < NAME_SIZE; from++) {
        if (*from == ' ')
            upper = true;
        else if (isalnum((unsigned char)*from))
            room[size++] = upper ? (char)toupper((unsigned char)*from) : *from;
        upper = upper && *from == ' ';
    }
    room[size] = '\0';
    return room;
}

static void refer(struct json_object *schema, const struct key_table *table)
{
    char name[NAME_SIZE];
    char *path = xprintf("#/definitions/%s", name_of(table, name));

    json_set_text(schema, "$ref", path);
    free(path);
}

/* --- values --- */

static struct json_object *typed(const char *type)
{
    struct json_object *schema = json_object_new_object();

    json_set_text(schema, "type", type);
    return schema;
}

static struct json_object *reference(const struct key_table *table)
{
    struct json_object *schema = json_object_new_object();

    refer(schema, table);
    return schema;
}

/** What stands in the place of a mapping: see expand.h. */
#define BORROWED "#/definitions/borrowed"

static struct json_object *list_of(struct json_object *items)
{
    struct json_object *schema = typed("array");

    json_set(schema, "items", items);
    return schema;
}

/** Whatever YAML makes of a word that is not empty: 5 and true are texts where one is wanted. */
static void be_scalar(struct json_object *schema)
{
    struct json_object *types = json_object_new_array();

    json_add(types, json_object_new_string("string"));
    json_add(types, json_object_new_string("number"));
    json_add(types, json_object_new_string("boolean"));
    json_set(schema, "type", types);
}

static struct json_object *scalar(void)
{
    struct json_object *schema = json_object_new_object();

    be_scalar(schema);
    return schema;
}

/** Takes both. */
static void be_either(struct json_object *schema, struct json_object *a, struct json_object *b)
{
    struct json_object *both = json_object_new_array();

    json_add(both, a);
    json_add(both, b);
    json_set(schema, "anyOf", both);
}

static struct json_object *borrowed(void)
{
    struct json_object *schema = json_object_new_object();

    json_set_text(schema, "$ref", BORROWED);
    return schema;
}

/** Such a mapping, or what stands in its place. */
static struct json_object *mapping_of(const struct key_table *table)
{
    struct json_object *schema = json_object_new_object();

    be_either(schema, reference(table), borrowed());
    return schema;
}

static struct json_object *pair(void)
{
    struct json_object *schema = list_of(scalar());

    json_set_int64(schema, "minItems", 2);
    json_set_int64(schema, "maxItems", 2);
    return schema;
}

static void be_enumeration(struct json_object *schema, const char *const *choices)
{
    struct json_object *values = json_object_new_array();

    for (size_t i = 0; choices[i] != NULL; i++)
        json_add(values, json_object_new_string(choices[i]));
    json_set(schema, "enum", values);
}

/** "${replicas}" may stand where a number, a flag or a choice does. */
static void be_or_filled(struct json_object *schema, struct json_object *value)
{
    struct json_object *filled = typed("string");

    json_set_text(filled, "pattern", "\\$\\{");
    be_either(schema, value, filled);
}

static void be_custom(struct json_object *schema, const struct key *key)
{
    static const char *const all[] = {"all", NULL};
    struct json_object *word;
    struct json_object *number;

    switch (key->form) {
    case FORM_ANYTHING:
    case FORM_VALUE:
        return;
    case FORM_ONE_OR_MORE:
        be_either(schema, mapping_of(key->table), list_of(mapping_of(key->table)));
        return;
    case FORM_NAMES:
        be_either(schema, scalar(), list_of(scalar()));
        return;
    case FORM_PAIR:
        json_set_text(schema, "type", "array");
        json_set(schema, "items", scalar());
        json_set_int64(schema, "minItems", 2);
        json_set_int64(schema, "maxItems", 2);
        return;
    case FORM_PAIR_OR_ALL:
        word = json_object_new_object();
        be_enumeration(word, all);
        be_either(schema, pair(), word);
        return;
    case FORM_COMPARISON:
        be_either(schema, typed("integer"), typed("string"));
        return;
    case FORM_INTEGER_OR_MAPPING:
        word = typed("integer");
        json_set_int64(word, "minimum", key->minimum);
        json_set_int64(word, "maximum", key->maximum);
        number = json_object_new_object();
        be_or_filled(number, word);
        be_either(schema, number, mapping_of(key->table));
        return;
    case FORM_SCALAR:
        be_scalar(schema);
        return;
    case FORM_TRUE:
        json_set_bool(schema, "const", true);
        return;
    case FORM_TRUE_OR_NAMES:
        word = json_object_new_object();
        json_set_bool(word, "const", true);
        be_either(schema, word, list_of(scalar()));
        return;
    case FORM_MAPPING:
        json_set_text(schema, "type", "object");
        return;
    case FORM_LIST:
        json_set_text(schema, "type", "array");
        return;
    }
}

static void be_integer(struct json_object *whole, const struct key *key)
{
    struct json_object *schema = json_object_new_object();
    bool bounded = key->minimum != 0 || key->maximum != 0;

    json_set_text(schema, "type", "integer");
    json_set_int64(schema, "minimum", bounded ? key->minimum : 0);
    if (bounded && key->maximum < TELLING_MAX)
        json_set_int64(schema, "maximum", key->maximum);
    be_or_filled(whole, schema);
}

static void be_value(struct json_object *schema, const struct key *key)
{
    struct json_object *choices;

    switch (key->type) {
    case VALUE_TEXT:
        be_scalar(schema);
        return;
    case VALUE_TEXTS:
        json_set_text(schema, "type", "array");
        json_set(schema, "items", scalar());
        return;
    case VALUE_DURATION:
        json_set_text(schema, "type", "string");
        json_set_text(schema, "pattern",
                      key->minimum < 0 ? "^-?" DURATION "$|\\$\\{" : "^" DURATION "$|\\$\\{");
        return;
    case VALUE_INTEGER:
        be_integer(schema, key);
        return;
    case VALUE_FLAG:
        be_or_filled(schema, typed("boolean"));
        return;
    case VALUE_CHOICE:
        choices = json_object_new_object();
        be_enumeration(choices, key->choices);
        be_or_filled(schema, choices);
        return;
    case VALUE_SETTINGS:
        json_set_text(schema, "type", "object");
        json_set(schema, "additionalProperties", scalar());
        return;
    case VALUE_MAPPING:
        be_either(schema, reference(key->table), borrowed());
        return;
    case VALUE_LIST:
        be_either(schema, list_of(mapping_of(key->table)), borrowed());
        return;
    case VALUE_CUSTOM:
        be_custom(schema, key);
        return;
    }
}

/** A text of ours as YAML reads it. */
static struct json_object *value_of(const char *text)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct json_object *value;

    if (!yaml_parse(text, strlen(text), EXAMPLE_BYTES_MAX, &document, NULL, NULL, &err))
        abort(); /* a test reads them all */
    value = yaml_to_json(yaml_root(document));
    yaml_free(document);
    return value;
}

/** As the reader takes it: a plain scalar. */
static struct json_object *fallback_of(const char *text)
{
    const struct yaml_node node = {.kind = YAML_SCALAR, .plain = true, .text = text};

    return yaml_to_json(&node);
}

static struct json_object *schema_of_key(const struct key *key)
{
    struct json_object *schema = json_object_new_object();
    struct json_object *examples = json_object_new_array();

    json_set_text(schema, "description", key->help);
    be_value(schema, key);
    if (key->fallback != NULL)
        json_set(schema, "default", fallback_of(key->fallback));
    json_add(examples, value_of(key->example));
    json_set(schema, "examples", examples);
    return schema;
}

/* --- tables --- */

/** One of the actions, and no second one. */
static void want_action(struct json_object *schema, const struct key_table *table)
{
    struct json_object *ways = json_object_new_array();

    for (size_t i = 0; i < table->key_count; i++) {
        struct json_object *way;
        struct json_object *names;

        if (table->keys[i].action == 0)
            continue;
        way = json_object_new_object();
        names = json_object_new_array();
        json_add(names, json_object_new_string(table->keys[i].name));
        json_set(way, "required", names);
        json_add(ways, way);
    }
    json_set(schema, "oneOf", ways);
}

/** Without an apiVersion a kind is one that the language knows. */
static void want_known_kind(struct json_object *schema)
{
    struct json_object *names = json_object_new_array();
    struct json_object *kinds = json_object_new_array();
    struct json_object *known = json_object_new_object();

    json_add(names, json_object_new_string("apiVersion"));
    json_set(json_ensure_object(json_ensure_object(schema, "if"), "not"), "required", names);
    for (size_t i = 0; i < kind_count(); i++)
        json_add(kinds, json_object_new_string(kind_at(i)->name));
    json_set(known, "enum", kinds);
    json_set(json_ensure_object(json_ensure_object(schema, "then"), "properties"), "kind", known);
}

static void describe_table(struct json_object *schema, const struct key_table *table)
{
    struct json_object *properties = json_ensure_object(schema, "properties");
    struct json_object *required = json_object_new_array();
    const struct key_table *part = table;

    json_set_text(schema, "type", "object");
    for (; part != NULL; part = part->next) {
        for (size_t i = 0; i < part->key_count; i++) {
            json_set(properties, part->keys[i].name, schema_of_key(&part->keys[i]));
            if (part->keys[i].required)
                json_add(required, json_object_new_string(part->keys[i].name));
        }
    }
    if (json_object_array_length(required) > 0)
        json_set(schema, "required", required);
    else
        (void)json_object_put(required);
    if (table->others == NULL)
        json_set_bool(schema, "additionalProperties", false);
    if (table->has_actions && !table->may_lack_action && table->next == NULL)
        want_action(schema, table);
    if (key_find(table, "kind") != NULL && key_find(table, "apiVersion") != NULL)
        want_known_kind(schema);
}

static void define(void *arg, const struct explained *at)
{
    const struct key_table *table = at->keys[at->depth - 1]->table;
    char name[NAME_SIZE];

    if (table != NULL && json_get(arg, name_of(table, name)) == NULL)
        describe_table(json_ensure_object(arg, name), table);
}

/** {template: NAME} or {include: PATH}, with other keys laid over. */
static void define_borrowed(struct json_object *schema)
{
    static const char *const words[] = {"template", "include"};
    struct json_object *ways = json_object_new_array();

    json_set_text(schema, "description",
                  "What a template or a file says, with other keys laid over it.");
    json_set_text(schema, "type", "object");
    for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
        struct json_object *way = json_object_new_object();
        struct json_object *names = json_object_new_array();

        json_set_text(json_ensure_object(json_ensure_object(way, "properties"), words[i]), "type",
                      "string");
        json_add(names, json_object_new_string(words[i]));
        json_set(way, "required", names);
        json_add(ways, way);
    }
    json_set(schema, "anyOf", ways);
}

struct json_object *json_schema_make(void)
{
    struct json_object *schema = json_object_new_object();

    json_set_text(schema, "$schema", "http://json-schema.org/draft-07/schema#");
    json_set_text(schema, "title", "A scenario");
    describe_table(schema, &scenario_table);
    define_borrowed(json_ensure_object(json_ensure_object(schema, "definitions"), "borrowed"));
    explain_each(define, json_ensure_object(schema, "definitions"));
    return schema;
}
