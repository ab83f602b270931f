/* compile - an openAPIV3Schema that structure.h has passed into a schema, or what is wrong with its
 * values: types, defaults, rules (fakeapi/WIRE.md R12, R19). */
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
#include "fakeapi/schema/structure.h"

struct compilation {
    struct field_errors *errors;
    struct path path;
    size_t nodes;
    bool has_rules; /* somewhere */

    /* while rules are read: the first place on the way here below which the old value of a value
     * cannot be found; "" where it can */
    const char *uncorrelatable;
};

static struct schema *compile(struct compilation *c, const struct json_object *from);

static void say(struct compilation *c, enum field_error_type type, const char *member,
                const char *body)
{
    size_t here = path_member(&c->path, member);

    field_errors_add(c->errors, type, c->path.text, "%s", body);
    path_back(&c->path, here);
}

/* What is wrong with a member's value, which is shown. */
static void say_value(struct compilation *c, const char *member, const struct json_object *value,
                      const char *detail)
{
    struct buffer body = BUFFER_INIT(STRUCTURE_BYTES_MAX);

    buffer_append_text(&body, "Invalid value: ");
    field_error_append_value(&body, value);
    buffer_append_format(&body, ": %s", detail);
    say(c, FIELD_INVALID, member, buffer_text(&body));
    buffer_release(&body);
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

    schema->type = SCHEMA_ANY;
    if (flag(c, from, "x-kubernetes-int-or-string"))
        schema->type = SCHEMA_INT_OR_STRING;
    else if (!text_is_empty(name))
        for (enum schema_type type = SCHEMA_OBJECT; type <= SCHEMA_BOOLEAN; type++)
            if (text_equal(name, schema_type_name(type)))
                schema->type = type;
}

/* --- children --- */

static void read_properties(struct compilation *c, const struct json_object *from,
                            struct schema *schema)
{
    struct json_object *properties = typed(c, from, "properties", json_type_object);

    if (properties == NULL)
        return;
    json_object_object_foreach(properties, key, value)
    {
        size_t here = path_keyed(&c->path, "properties", key);
        struct schema *child = compile(c, value);

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
        return;
    }
    here = path_member(&c->path, "additionalProperties");
    schema->additional = compile(c, value);
    path_back(&c->path, here);
}

static void read_items(struct compilation *c, const struct json_object *from, struct schema *schema)
{
    struct json_object *items = json_get(from, "items");
    size_t here;

    if (items == NULL)
        return;
    here = path_member(&c->path, "items");
    schema->items = compile(c, items);
    path_back(&c->path, here);
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
        struct schema *child = compile(c, json_object_array_get_idx(values, i));

        if (child != NULL)
            list->items[list->count++] = child;
        path_back(&c->path, here);
    }
}

static void read_not(struct compilation *c, const struct json_object *from, struct schema *schema)
{
    struct json_object *value = json_get(from, "not");
    size_t here;

    if (value == NULL)
        return;
    here = path_member(&c->path, "not");
    schema->negated = compile(c, value);
    path_back(&c->path, here);
}

/* --- constraints --- */

static void read_bound(struct compilation *c, const struct json_object *from, const char *name,
                       const char *exclusive, struct schema_bound *bound)
{
    bound->value = number(c, from, name);
    bound->set = bound->value != NULL;
    bound->exclusive = flag(c, from, exclusive);
}

static void read_pattern(const struct json_object *from, struct schema *schema)
{
    const char *text = json_get_text(from, "pattern");
    struct error err = ERROR_INIT;

    if (text_is_empty(text))
        return;
    schema->pattern_text = xstrdup(text);
    if (!pattern_new(text, &schema->pattern, &err))
        schema->pattern = NULL; /* not reached: checked before */
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
    read_pattern(from, schema);
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

static void read_list_type(struct compilation *c, const struct json_object *from,
                           struct schema *schema)
{
    const char *name = json_get_text(from, "x-kubernetes-list-type");

    schema->list_keys = texts(c, from, "x-kubernetes-list-map-keys");
    if (text_equal(name, "set"))
        schema->list = SCHEMA_LIST_SET;
    else if (text_equal(name, "map") && schema->list_keys != NULL)
        schema->list = SCHEMA_LIST_MAP;
}

/* A default that pruning would change does not say what one gets. */
static bool is_pruned(const struct schema *schema, const struct json_object *value)
{
    struct json_object *copy = json_copy(value);
    bool same;

    schema_prune_value(schema, copy);
    same = json_equal(copy, value);
    json_object_put(copy);
    return same;
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
    if (!is_pruned(schema, value)) {
        say_value(c, "default", value, "must not have unknown fields");
        return;
    }
    here = path_member(&c->path, "default");
    schema_default(schema, schema->default_value);
    free(json_to_text(schema->default_value, &schema->default_size));
    schema_validate_default(schema, c->path.text, c->errors);
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

static struct schema *compile(struct compilation *c, const struct json_object *from)
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
    read_properties(c, from, schema);
    read_additional(c, from, schema);
    read_items(c, from, schema);
    read_alternatives(c, from, "allOf", &schema->all_of);
    read_alternatives(c, from, "anyOf", &schema->any_of);
    read_alternatives(c, from, "oneOf", &schema->one_of);
    read_not(c, from, schema);
    read_constraints(c, from, schema);
    read_list_type(c, from, schema);
    read_default(c, from, schema);
    c->has_rules = c->has_rules || json_get(from, "x-kubernetes-validations") != NULL;
    return schema;
}

/* --- rules, once all else is well --- */

static void read_rules(struct compilation *c, const struct json_object *from, struct schema *schema,
                       bool root);

static void read_rules_of_properties(struct compilation *c, const struct json_object *from,
                                     struct schema *schema)
{
    struct json_object *properties = json_get_object(from, "properties");
    struct schema_property *property;
    struct schema_property *next;

    HASH_ITER (hh, schema->properties, property, next) {
        size_t here = path_keyed(&c->path, "properties", property->name);

        read_rules(c, json_get(properties, property->name), property->schema, false);
        path_back(&c->path, here);
    }
}

static void read_rules_of_items(struct compilation *c, const struct json_object *from,
                                struct schema *schema, const char *place)
{
    const char *outer = c->uncorrelatable;
    size_t here = path_member(&c->path, "items");

    if (schema->list != SCHEMA_LIST_MAP && outer[0] == '\0')
        c->uncorrelatable = place;
    read_rules(c, json_get(from, "items"), schema->items, false);
    c->uncorrelatable = outer;
    path_back(&c->path, here);
}

static void read_rules(struct compilation *c, const struct json_object *from, struct schema *schema,
                       bool root)
{
    const char *outer = c->uncorrelatable;
    char *place = xstrdup(c->path.text);
    size_t here;

    if (schema->items != NULL)
        read_rules_of_items(c, from, schema, place);
    if (schema->additional != NULL) {
        here = path_member(&c->path, "additionalProperties");
        read_rules(c, json_get(from, "additionalProperties"), schema->additional, false);
        path_back(&c->path, here);
    }
    if (text_equal(json_get_text(from, "x-kubernetes-map-type"), "atomic") && outer[0] == '\0')
        c->uncorrelatable = place;
    read_rules_of_properties(c, from, schema);
    c->uncorrelatable = outer;
    schema_read_rules(from, root, c->uncorrelatable, &c->path, schema, c->errors);
    schema->rules_within = have_rules(schema);
    free(place);
}

void schema_check(const struct json_object *openapi, const char *path, struct field_errors *errors)
{
    struct structure s = {.errors = errors};
    struct field_errors structural = FIELD_ERRORS_INIT;

    path_init(&s.path, path);
    s.errors = &structural;
    structure_check_structural(&s, openapi);
    field_errors_move(errors, &structural);
    s.errors = errors;
    structure_check_standard(&s, openapi);
}

bool schema_compile(const struct json_object *openapi, const char *path, struct schema **ret_schema,
                    struct field_errors *errors)
{
    struct compilation c = {.errors = errors, .uncorrelatable = ""};
    size_t before = errors->count + errors->left_out;
    struct schema *schema;

    path_init(&c.path, path);
    schema = compile(&c, openapi);
    if (c.has_rules && errors->count + errors->left_out == before)
        read_rules(&c, openapi, schema, true);
    if (errors->count + errors->left_out > before) {
        schema_unref(schema);
        return false;
    }
    *ret_schema = schema;
    return true;
}
