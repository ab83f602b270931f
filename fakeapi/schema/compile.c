/* compile - an openAPIV3Schema into a schema, or what is wrong with it (fakeapi/WIRE.md R13). */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/node.h"
#include "fakeapi/schema/path.h"
#include "fakeapi/schema/rule.h"

/* Where a schema stands: what must be said there differs. */
enum level {
    LEVEL_ROOT,
    LEVEL_FIELD,
    LEVEL_ITEM,
    LEVEL_VALUE, /* inside allOf, anyOf, oneOf, not: constraints on the value alone */
};

struct compilation {
    struct field_errors *errors;
    struct path path;
    size_t nodes;
    bool types_allowed; /* within an int-or-string: {type: integer} beside {type: string} */
};

static struct schema *compile(struct compilation *c, const struct json_object *from,
                              enum level level);

static void say(struct compilation *c, enum field_error_type type, const char *member,
                const char *body)
{
    size_t here = path_member(&c->path, member);

    field_errors_add(c->errors, type, c->path.text, "%s", body);
    path_back(&c->path, here);
}

/* What is wrong with a member's value, with the value as it is written. */
static void say_value(struct compilation *c, const char *member, struct json_object *value,
                      const char *detail)
{
    char *body = xprintf("Invalid value: %s: %s",
                         json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), detail);

    say(c, FIELD_INVALID, member, body);
    free(body);
}

/* --- members of simple types; a wrong type counts as a mistake --- */

static struct json_object *typed(struct compilation *c, const struct json_object *from,
                                 const char *name, enum json_type type)
{
    struct json_object *value = json_get(from, name);

    if (value == NULL || json_is(value, type))
        return value;
    say_value(c, name, value, "of the wrong type");
    return NULL;
}

static bool flag(struct compilation *c, const struct json_object *from, const char *name)
{
    struct json_object *value = typed(c, from, name, json_type_boolean);

    return value != NULL && json_object_get_boolean(value);
}

static struct json_object *number(struct compilation *c, const struct json_object *from,
                                  const char *name)
{
    struct json_object *value = json_get(from, name);

    if (value == NULL || json_is(value, json_type_int) || json_is(value, json_type_double))
        return json_copy(value);
    say_value(c, name, value, "not a number");
    return NULL;
}

static void read_range(struct compilation *c, const struct json_object *from, const char *least,
                       const char *most, struct schema_range *range)
{
    struct json_object *low = typed(c, from, least, json_type_int);
    struct json_object *high = typed(c, from, most, json_type_int);

    range->has_least = low != NULL;
    range->least = json_object_get_int64(low);
    range->has_most = high != NULL;
    range->most = json_object_get_int64(high);
}

/* A list of texts, copied; NULL when absent or anything else. */
static struct json_object *texts(struct compilation *c, const struct json_object *from,
                                 const char *name)
{
    struct json_object *value = typed(c, from, name, json_type_array);

    for (size_t i = 0; value != NULL && i < json_object_array_length(value); i++) {
        if (json_text(json_object_array_get_idx(value, i)) == NULL) {
            say_value(c, name, value, "not a list of names");
            return NULL;
        }
    }
    return json_copy(value);
}

/* --- types --- */

static void read_type(struct compilation *c, const struct json_object *from, struct schema *schema)
{
    const char *name = json_get_text(from, "type");
    bool int_or_string = flag(c, from, "x-kubernetes-int-or-string");

    schema->type = SCHEMA_ANY;
    if (int_or_string) {
        schema->type = SCHEMA_INT_OR_STRING;
        if (!text_is_empty(name))
            say(c, FIELD_FORBIDDEN, "type",
                "Forbidden: must be empty if x-kubernetes-int-or-string is true");
        return;
    }
    if (text_is_empty(name))
        return;
    for (enum schema_type type = SCHEMA_OBJECT; type <= SCHEMA_BOOLEAN; type++)
        if (text_equal(name, schema_type_name(type)))
            schema->type = type;
    if (schema->type == SCHEMA_ANY) {
        struct buffer body = BUFFER_INIT(PATH_TEXT_SIZE);

        buffer_append_text(&body, "Unsupported value: ");
        field_error_append_quoted(&body, name, strlen(name));
        buffer_append_text(&body, ": supported values: \"array\", \"boolean\", \"integer\", "
                                  "\"number\", \"object\", \"string\"");
        say(c, FIELD_NOT_SUPPORTED, "type", buffer_text(&body));
        buffer_release(&body);
    }
}

/* That a type is given where one must be (R13). */
static void check_type(struct compilation *c, const struct schema *schema,
                       const struct json_object *from, enum level level)
{
    bool named = !text_is_empty(json_get_text(from, "type"));

    if (level == LEVEL_ROOT && !named)
        say(c, FIELD_REQUIRED, "type", "Required value: must not be empty at the root");
    else if (level == LEVEL_ROOT && schema->type != SCHEMA_OBJECT)
        say_value(c, "type", json_get(from, "type"), "must be object at the root");
    if (named || schema->type != SCHEMA_ANY || schema->preserve)
        return;
    if (level == LEVEL_FIELD)
        say(c, FIELD_REQUIRED, "type",
            "Required value: must not be empty for specified object fields");
    if (level == LEVEL_ITEM)
        say(c, FIELD_REQUIRED, "type",
            "Required value: must not be empty for specified array items");
}

/* --- what a structural schema may not say --- */

static bool has_any(const struct json_object *from, const char *const *names, size_t count)
{
    struct json_object_iter at;

    json_object_object_foreachC(from, at)
    {
        for (size_t i = 0; i < count; i++)
            if (strcmp(at.key, names[i]) == 0)
                return true;
    }
    return false;
}

static void forbid(struct compilation *c, const struct json_object *from, const char *const *names,
                   size_t count, const char *body)
{
    if (!has_any(from, names, count))
        return;
    for (size_t i = 0; i < count; i++) {
        struct json_object *value;

        if (json_object_object_get_ex(from, names[i], &value) &&
            !(json_is(value, json_type_boolean) && !json_object_get_boolean(value)))
            say(c, FIELD_FORBIDDEN, names[i], body);
    }
}

static void check_forbidden(struct compilation *c, const struct json_object *from, enum level level)
{
    static const char *const nowhere[] = {
        "$ref", "additionalItems", "definitions", "dependencies", "id", "patternProperties",
    };
    static const char *const not_for_values[] = {
        "additionalProperties",
        "default",
        "description",
        "nullable",
        "title",
        "x-kubernetes-embedded-resource",
        "x-kubernetes-list-map-keys",
        "x-kubernetes-list-type",
        "x-kubernetes-map-type",
        "x-kubernetes-preserve-unknown-fields",
        "x-kubernetes-validations",
    };
    static const char *const unique[] = {"uniqueItems"};

    forbid(c, from, nowhere, ARRAY_SIZE(nowhere), "Forbidden: not supported");
    forbid(c, from, unique, ARRAY_SIZE(unique),
           "Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes "
           "quadratic");
    if (level == LEVEL_VALUE)
        forbid(c, from, not_for_values, ARRAY_SIZE(not_for_values),
               "Forbidden: must be empty to be structural");
    if (level == LEVEL_VALUE && !c->types_allowed && json_get(from, "type") != NULL)
        say(c, FIELD_FORBIDDEN, "type", "Forbidden: must be empty to be structural");
    if (json_get(from, "properties") != NULL && json_get(from, "additionalProperties") != NULL)
        say(c, FIELD_FORBIDDEN, "additionalProperties",
            "Forbidden: additionalProperties and properties are mutual exclusive");
}

/* --- children --- */

static void read_properties(struct compilation *c, const struct json_object *from,
                            struct schema *schema, enum level level)
{
    struct json_object *properties = typed(c, from, "properties", json_type_object);

    if (properties == NULL)
        return;
    json_object_object_foreach(properties, key, value)
    {
        size_t here = path_keyed(&c->path, "properties", key);
        struct schema *child = compile(c, value, level == LEVEL_VALUE ? level : LEVEL_FIELD);

        if (child != NULL) {
            struct schema_property *property = xcalloc(1, sizeof(*property));

            property->name = xstrdup(key);
            property->schema = child;
            HASH_ADD_KEYPTR(hh, schema->properties, property->name, strlen(property->name),
                            property);
        }
        path_back(&c->path, here);
    }
}

static void read_additional(struct compilation *c, const struct json_object *from,
                            struct schema *schema)
{
    struct json_object *value = json_get(from, "additionalProperties");
    size_t here;

    if (value == NULL)
        return;
    if (json_is(value, json_type_boolean)) {
        schema->additional_allowed = json_object_get_boolean(value);
        if (!schema->additional_allowed)
            say(c, FIELD_FORBIDDEN, "additionalProperties",
                "Forbidden: additionalProperties cannot be set to false");
        return;
    }
    here = path_member(&c->path, "additionalProperties");
    schema->additional = compile(c, value, LEVEL_FIELD);
    path_back(&c->path, here);
}

static void read_items(struct compilation *c, const struct json_object *from, struct schema *schema,
                       enum level level)
{
    struct json_object *items = json_get(from, "items");
    size_t here;

    if (json_is(items, json_type_array)) {
        say(c, FIELD_FORBIDDEN, "items",
            "Forbidden: items must be a schema object and not an array");
        return;
    }
    if (items != NULL) {
        here = path_member(&c->path, "items");
        schema->items = compile(c, items, level == LEVEL_VALUE ? level : LEVEL_ITEM);
        path_back(&c->path, here);
    } else if (schema->type == SCHEMA_ARRAY && level != LEVEL_VALUE) {
        say(c, FIELD_REQUIRED, "items", "Required value: must be specified");
    }
}

static void read_alternatives(struct compilation *c, const struct json_object *from,
                              const char *name, struct schema_list_of *list)
{
    struct json_object *values = typed(c, from, name, json_type_array);
    size_t count;

    if (values == NULL)
        return;
    count = json_object_array_length(values);
    list->items = xcalloc(count, sizeof(*list->items));
    for (size_t i = 0; i < count; i++) {
        size_t here = path_numbered(&c->path, name, i);
        struct schema *child = compile(c, json_object_array_get_idx(values, i), LEVEL_VALUE);

        if (child != NULL)
            list->items[list->count++] = child;
        path_back(&c->path, here);
    }
}

static void read_all_alternatives(struct compilation *c, const struct json_object *from,
                                  struct schema *schema)
{
    bool outer = c->types_allowed;

    c->types_allowed = outer || schema->type == SCHEMA_INT_OR_STRING;
    read_alternatives(c, from, "allOf", &schema->all_of);
    read_alternatives(c, from, "anyOf", &schema->any_of);
    read_alternatives(c, from, "oneOf", &schema->one_of);
    c->types_allowed = outer;
}

static void read_not(struct compilation *c, const struct json_object *from, struct schema *schema)
{
    struct json_object *value = json_get(from, "not");
    size_t here;

    if (value == NULL)
        return;
    here = path_member(&c->path, "not");
    schema->negated = compile(c, value, LEVEL_VALUE);
    path_back(&c->path, here);
}

/* Fields that constraints name must be specified outside of them too (R13). */
static void check_named_outside(struct compilation *c, const struct schema *outside,
                                const struct schema *within)
{
    struct schema_property *property;
    struct schema_property *next;

    HASH_ITER (hh, within->properties, property, next) {
        struct schema_property *same;
        size_t here;

        HASH_FIND_STR(outside->properties, property->name, same);
        here = path_keyed(&c->path, "properties", property->name);
        if (same != NULL)
            check_named_outside(c, same->schema, property->schema);
        else if (outside->additional == NULL && !outside->preserve)
            field_errors_add(c->errors, FIELD_REQUIRED, c->path.text,
                             "Required value: because it is defined in allOf, anyOf, oneOf or not");
        path_back(&c->path, here);
    }
}

static void check_alternatives_outside(struct compilation *c, const struct schema *schema)
{
    const struct schema_list_of *lists[] = {&schema->all_of, &schema->any_of, &schema->one_of};

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        for (size_t k = 0; k < lists[i]->count; k++)
            check_named_outside(c, schema, lists[i]->items[k]);
    if (schema->negated != NULL)
        check_named_outside(c, schema, schema->negated);
}

/* --- constraints --- */

static void read_bound(struct compilation *c, const struct json_object *from, const char *name,
                       const char *exclusive, struct schema_bound *bound)
{
    bound->value = number(c, from, name);
    bound->set = bound->value != NULL;
    bound->exclusive = flag(c, from, exclusive);
}

static void read_pattern(struct compilation *c, const struct json_object *from,
                         struct schema *schema)
{
    const char *text = json_get_text(from, "pattern");
    struct error err = ERROR_INIT;
    char *body;

    if (text_is_empty(text))
        return;
    schema->pattern_text = xstrdup(text);
    if (pattern_new(text, &schema->pattern, &err))
        return;
    body = xprintf("Invalid value: \"%s\": must be a valid regular expression, but isn't: %s", text,
                   err.text);
    say(c, FIELD_INVALID, "pattern", body);
    free(body);
}

static void read_enumeration(struct compilation *c, const struct json_object *from,
                             struct schema *schema)
{
    schema->enumeration = json_copy(typed(c, from, "enum", json_type_array));
}

static void read_constraints(struct compilation *c, const struct json_object *from,
                             struct schema *schema)
{
    struct json_object *multiple;

    schema->required = texts(c, from, "required");
    read_enumeration(c, from, schema);
    read_pattern(c, from, schema);
    schema->format = format_of(json_get_text(from, "format"));
    read_bound(c, from, "minimum", "exclusiveMinimum", &schema->minimum);
    read_bound(c, from, "maximum", "exclusiveMaximum", &schema->maximum);
    multiple = number(c, from, "multipleOf");
    if (multiple != NULL && json_object_get_double(multiple) <= 0) {
        say_value(c, "multipleOf", multiple, "must be greater than 0");
        json_object_put(multiple);
        multiple = NULL;
    }
    schema->multiple_of = multiple;
    read_range(c, from, "minLength", "maxLength", &schema->length);
    read_range(c, from, "minItems", "maxItems", &schema->item_count);
    read_range(c, from, "minProperties", "maxProperties", &schema->property_count);
}

/* --- extensions --- */

/* Each key of a list by keys must be a scalar field that is required or has a default (R20). */
static void check_list_keys(struct compilation *c, const struct schema *schema)
{
    if (schema->list_keys == NULL || json_object_array_length(schema->list_keys) == 0) {
        say(c, FIELD_REQUIRED, "x-kubernetes-list-map-keys",
            "Required value: must not be empty if x-kubernetes-list-type is map");
        return;
    }
    for (size_t i = 0; i < json_object_array_length(schema->list_keys); i++) {
        const char *key = json_text(json_object_array_get_idx(schema->list_keys, i));
        const struct schema *field =
            schema->items == NULL ? NULL : schema_member(schema->items, key);

        if (field == NULL || field->type == SCHEMA_OBJECT || field->type == SCHEMA_ARRAY)
            say(c, FIELD_INVALID, "x-kubernetes-list-map-keys",
                "Invalid value: entries must all be names of item properties of a scalar type");
    }
}

static void read_list_type(struct compilation *c, const struct json_object *from,
                           struct schema *schema)
{
    const char *name = json_get_text(from, "x-kubernetes-list-type");

    schema->list_keys = texts(c, from, "x-kubernetes-list-map-keys");
    if (name == NULL)
        return;
    if (schema->type != SCHEMA_ARRAY)
        say_value(c, "type", json_get(from, "type"),
                  "must be array if x-kubernetes-list-type is specified");
    if (text_equal(name, "set")) {
        schema->list = SCHEMA_LIST_SET;
    } else if (text_equal(name, "map")) {
        schema->list = SCHEMA_LIST_MAP;
        check_list_keys(c, schema);
        if (schema->list_keys == NULL)
            schema->list_keys = json_object_new_array();
    } else if (!text_equal(name, "atomic")) {
        say(c, FIELD_NOT_SUPPORTED, "x-kubernetes-list-type",
            "Unsupported value: supported values: \"atomic\", \"set\", \"map\"");
    }
}

static void read_default(struct compilation *c, const struct json_object *from,
                         struct schema *schema)
{
    struct json_object *value;
    size_t here;

    if (!json_object_object_get_ex(from, "default", &value))
        return;
    schema->has_default = true;
    schema->default_value = json_copy(value);
    here = path_member(&c->path, "default");
    schema_default(schema, schema->default_value);
    schema_validate_at(schema, c->path.text, schema->default_value, NULL, c->errors);
    path_back(&c->path, here);
}

static bool have_rules(const struct schema *schema)
{
    struct schema_property *property;
    struct schema_property *next;

    if (schema->rule_count > 0 || (schema->items != NULL && schema->items->rules_within) ||
        (schema->additional != NULL && schema->additional->rules_within))
        return true;
    HASH_ITER (hh, schema->properties, property, next) {
        if (property->schema->rules_within)
            return true;
    }
    return false;
}

static struct schema *compile(struct compilation *c, const struct json_object *from,
                              enum level level)
{
    struct schema *schema;

    if (!json_is(from, json_type_object) || ++c->nodes > SCHEMA_NODES_MAX) {
        field_errors_add(c->errors, FIELD_INVALID, c->path.text, "Invalid value: %s",
                         c->nodes > SCHEMA_NODES_MAX ? "too many schemas" : "not a schema");
        return NULL;
    }
    schema = xcalloc(1, sizeof(*schema));
    schema->references = 1;
    schema->nullable = flag(c, from, "nullable");
    schema->preserve = flag(c, from, "x-kubernetes-preserve-unknown-fields");
    schema->embedded = flag(c, from, "x-kubernetes-embedded-resource");
    read_type(c, from, schema);
    check_type(c, schema, from, level);
    check_forbidden(c, from, level);
    read_properties(c, from, schema, level);
    read_additional(c, from, schema);
    read_items(c, from, schema, level);
    read_all_alternatives(c, from, schema);
    read_not(c, from, schema);
    if (level != LEVEL_VALUE)
        check_alternatives_outside(c, schema);
    read_constraints(c, from, schema);
    read_list_type(c, from, schema);
    read_default(c, from, schema);
    schema_read_rules(from, level == LEVEL_ROOT, &c->path, schema, c->errors);
    schema->rules_within = have_rules(schema);
    return schema;
}

bool schema_compile(const struct json_object *openapi, const char *path, struct schema **ret_schema,
                    struct field_errors *errors)
{
    struct compilation c = {.errors = errors};
    size_t before = errors->count + errors->left_out;
    struct schema *schema;

    path_init(&c.path, path);
    schema = compile(&c, openapi, LEVEL_ROOT);
    if (errors->count + errors->left_out > before) {
        schema_unref(schema);
        return false;
    }
    *ret_schema = schema;
    return true;
}
