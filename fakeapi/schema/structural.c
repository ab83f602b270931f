/* structural - whether an openAPIV3Schema is structural (fakeapi/WIRE.md R13), in the words of the
 * real server.
 *
 * Source: apiextensions-apiserver pkg/apiserver/schema, ValidateStructural: every value has a type,
 * and what stands inside of allOf, anyOf, oneOf and not says nothing but what a value must be. */
#include <json-c/json.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/pattern.h"
#include "controller/base/text.h"
#include "fakeapi/schema/structure.h"

/* Where a schema stands: what must be said there differs. */
enum level { LEVEL_ROOT, LEVEL_FIELD, LEVEL_ITEM };

static void check_node(struct structure *s, const struct json_object *from, enum level level);
static void check_nested(struct structure *s, const struct json_object *from);

size_t structure_count(const struct json_object *list)
{
    return json_is(list, json_type_array) ? json_object_array_length(list) : 0;
}

bool structure_flag(const struct json_object *from, const char *name)
{
    return json_get_bool(from, name, false);
}

void structure_say(struct structure *s, enum field_error_type type, const char *member,
                   const char *body)
{
    size_t here = path_member(&s->path, member);

    field_errors_add(s->errors, type, s->path.text, "%s", body);
    path_back(&s->path, here);
}

void structure_say_value(struct structure *s, const char *member, const struct json_object *value,
                         const char *detail)
{
    struct buffer body = BUFFER_INIT(STRUCTURE_BYTES_MAX);

    buffer_append_text(&body, "Invalid value: ");
    field_error_append_value(&body, value);
    buffer_append_format(&body, ": %s", detail);
    structure_say(s, FIELD_INVALID, member, buffer_text(&body));
    buffer_release(&body);
}

void structure_below(struct structure *s, const struct json_object *from, const char *member,
                     void (*check)(struct structure *s, const struct json_object *from))
{
    struct json_object *child = json_get_object(from, member);
    size_t here;

    if (child == NULL)
        return;
    here = path_member(&s->path, member);
    check(s, child);
    path_back(&s->path, here);
}

void structure_each(struct structure *s, const struct json_object *from, const char *member,
                    void (*check)(struct structure *s, const struct json_object *from))
{
    struct json_object *list = json_get_array(from, member);

    for (size_t i = 0; i < structure_count(list); i++) {
        size_t here = path_numbered(&s->path, member, i);

        check(s, json_object_array_get_idx(list, i));
        path_back(&s->path, here);
    }
}

/* --- constraints on values: allOf, anyOf, oneOf, not --- */

/* {type: integer} beside {type: string}, and nothing else, which is allowed. */
static bool is_int_or_string(const struct json_object *list)
{
    static const char *const types[] = {"integer", "string"};

    if (structure_count(list) != ARRAY_SIZE(types))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
        const struct json_object *item = json_object_array_get_idx(list, i);

        if (!json_is(item, json_type_object) || json_object_object_length(item) != 1 ||
            !text_equal(json_get_text(item, "type"), types[i]))
            return false;
    }
    return true;
}

static void check_pattern(struct structure *s, const struct json_object *from)
{
    const char *text = json_get_text(from, "pattern");
    struct pattern *pattern = NULL;
    struct error err = ERROR_INIT;
    char *detail;

    if (text_is_empty(text) || pattern_new(text, &pattern, &err)) {
        pattern_free(pattern);
        return;
    }
    detail = xprintf("must be a valid regular expression, but isn't: %s", err.text);
    structure_say_value(s, "pattern", json_get(from, "pattern"), detail);
    free(detail);
}

static void check_constraints(struct structure *s, const struct json_object *from, bool skip_any_of)
{
    struct json_object *all_of = json_get_array(from, "allOf");

    if (!skip_any_of)
        structure_each(s, from, "anyOf", check_nested);
    for (size_t i = 0; i < structure_count(all_of); i++) {
        const struct json_object *item = json_object_array_get_idx(all_of, i);
        bool skip = i == 0 && is_int_or_string(json_get_array(item, "anyOf"));
        size_t here = path_numbered(&s->path, "allOf", i);

        s->skip_any_of = skip;
        check_nested(s, item);
        path_back(&s->path, here);
    }
    structure_each(s, from, "oneOf", check_nested);
    structure_below(s, from, "not", check_nested);
    check_pattern(s, from);
}

static const struct {
    const char *name;
    const char *body;
} not_nested[] = {
    {"type",                                 "Forbidden: must be empty to be structural"    },
    {"additionalProperties",                 "Forbidden: must be undefined to be structural"},
    {"default",                              "Forbidden: must be undefined to be structural"},
    {"title",                                "Forbidden: must be empty to be structural"    },
    {"description",                          "Forbidden: must be empty to be structural"    },
    {"nullable",                             "Forbidden: must be false to be structural"    },
    {"externalDocs",                         "Forbidden: must be undefined to be structural"},
    {"x-kubernetes-preserve-unknown-fields", "Forbidden: must be false to be structural"    },
    {"x-kubernetes-embedded-resource",       "Forbidden: must be false to be structural"    },
    {"x-kubernetes-int-or-string",           "Forbidden: must be false to be structural"    },
    {"x-kubernetes-list-map-keys",           "Forbidden: must be empty to be structural"    },
    {"x-kubernetes-list-type",               "Forbidden: must be undefined to be structural"},
    {"x-kubernetes-map-type",                "Forbidden: must be undefined to be structural"},
    {"x-kubernetes-validations",             "Forbidden: must be empty to be structural"    },
};

/* Whether it counts as absent: the zero of Go's field. */
static bool is_zero(const struct json_object *value)
{
    return value == NULL ||
           (json_is(value, json_type_boolean) && !json_object_get_boolean(value)) ||
           (json_is(value, json_type_string) && json_object_get_string_len(value) == 0);
}

static void check_nested(struct structure *s, const struct json_object *from)
{
    struct json_object *properties = json_get_object(from, "properties");
    bool skip_any_of = s->skip_any_of;

    s->skip_any_of = false;
    check_constraints(s, from, skip_any_of);
    structure_below(s, from, "items", check_nested);
    if (properties != NULL) {
        json_object_object_foreach(properties, key, value)
        {
            size_t here = path_keyed(&s->path, "properties", key);

            check_nested(s, value);
            if (strcmp(key, "metadata") == 0)
                field_errors_add(s->errors, FIELD_FORBIDDEN, s->path.text,
                                 "Forbidden: must not be specified in a nested context");
            path_back(&s->path, here);
        }
    }
    for (size_t i = 0; i < ARRAY_SIZE(not_nested); i++)
        if (!is_zero(json_get(from, not_nested[i].name)))
            structure_say(s, FIELD_FORBIDDEN, not_nested[i].name, not_nested[i].body);
}

/* --- values --- */

static void check_type(struct structure *s, const struct json_object *from, enum level level)
{
    static const char *const missing[] = {
        [LEVEL_ROOT] = "Required value: must not be empty at the root",
        [LEVEL_FIELD] = "Required value: must not be empty for specified object fields",
        [LEVEL_ITEM] = "Required value: must not be empty for specified array items",
    };
    const char *type = text_or(json_get_text(from, "type"), "");
    bool embedded = structure_flag(from, "x-kubernetes-embedded-resource");

    if (embedded && type[0] == '\0')
        structure_say(s, FIELD_REQUIRED, "type",
                      "Required value: must be object if x-kubernetes-embedded-resource is true");
    else if (embedded && strcmp(type, "object") != 0)
        structure_say_value(s, "type", json_get(from, "type"),
                            "must be object if x-kubernetes-embedded-resource is true");
    else if (type[0] == '\0' && !structure_flag(from, "x-kubernetes-int-or-string") &&
             !structure_flag(from, "x-kubernetes-preserve-unknown-fields"))
        structure_say(s, FIELD_REQUIRED, "type", missing[level]);
    if (level == LEVEL_ROOT && type[0] != '\0' && strcmp(type, "object") != 0)
        structure_say_value(s, "type", json_get(from, "type"), "must be object at the root");
}

static void check_extensions(struct structure *s, const struct json_object *from)
{
    static const char *const others[] = {"x-kubernetes-preserve-unknown-fields",
                                         "x-kubernetes-embedded-resource"};

    if (!structure_flag(from, "x-kubernetes-int-or-string"))
        return;
    if (!text_is_empty(json_get_text(from, "type")))
        structure_say(s, FIELD_FORBIDDEN, "type",
                      "Forbidden: must be empty if x-kubernetes-int-or-string is true");
    for (size_t i = 0; i < ARRAY_SIZE(others); i++)
        if (structure_flag(from, others[i]))
            structure_say_value(s, others[i], json_get(from, others[i]),
                                "must be false if x-kubernetes-int-or-string is true");
}

/* The server knows what metadata is. */
static bool is_plain_metadata(const struct json_object *metadata)
{
    struct json_object_iter at;
    struct json_object_iter name;

    json_object_object_foreachC(metadata, at)
    {
        if (strcmp(at.key, "type") == 0 || strcmp(at.key, "default") == 0)
            continue;
        if (strcmp(at.key, "properties") != 0)
            return false;
        json_object_object_foreachC(at.val, name)
        {
            if (strcmp(name.key, "name") != 0 && strcmp(name.key, "generateName") != 0)
                return false;
        }
    }
    return true;
}

static void check_type_of_property(struct structure *s, const struct json_object *properties,
                                   const char *name, const char *want)
{
    struct json_object *property = json_get_object(properties, name);
    char *detail;
    size_t here;

    if (property == NULL || text_equal(json_get_text(property, "type"), want))
        return;
    detail = xprintf("must be %s", want);
    here = path_keyed(&s->path, "properties", name);
    structure_say_value(s, "type", json_get(property, "type"), detail);
    path_back(&s->path, here);
    free(detail);
}

static void check_meta(struct structure *s, const struct json_object *from, enum level level)
{
    const struct json_object *properties = json_get_object(from, "properties");
    const struct json_object *metadata = json_get_object(properties, "metadata");
    size_t here;

    if (level != LEVEL_ROOT && !structure_flag(from, "x-kubernetes-embedded-resource"))
        return;
    check_type_of_property(s, properties, "kind", "string");
    check_type_of_property(s, properties, "apiVersion", "string");
    check_type_of_property(s, properties, "metadata", "object");
    if (level != LEVEL_ROOT || metadata == NULL || is_plain_metadata(metadata))
        return;
    here = path_keyed(&s->path, "properties", "metadata");
    field_errors_add(s->errors, FIELD_FORBIDDEN, s->path.text,
                     "Forbidden: must not specify anything other than name and generateName, but "
                     "metadata is implicitly specified");
    path_back(&s->path, here);
}

static void check_embedded(struct structure *s, const struct json_object *from)
{
    const struct json_object *properties = json_get_object(from, "properties");

    if (!structure_flag(from, "x-kubernetes-embedded-resource"))
        return;
    if (json_get(from, "additionalProperties") != NULL)
        structure_say(s, FIELD_FORBIDDEN, "additionalProperties",
                      "Forbidden: must not be used if x-kubernetes-embedded-resource is set");
    if (!structure_flag(from, "x-kubernetes-preserve-unknown-fields") &&
        (properties == NULL || json_object_object_length(properties) == 0))
        structure_say(s, FIELD_REQUIRED, "properties",
                      "Required value: must not be empty if x-kubernetes-embedded-resource is true "
                      "without x-kubernetes-preserve-unknown-fields");
}

static void check_field(struct structure *s, const struct json_object *from)
{
    check_node(s, from, LEVEL_FIELD);
}

static void check_item(struct structure *s, const struct json_object *from)
{
    check_node(s, from, LEVEL_ITEM);
}

static void check_node(struct structure *s, const struct json_object *from, enum level level)
{
    struct json_object *properties = json_get_object(from, "properties");

    if (text_equal(json_get_text(from, "type"), "array") && json_get(from, "items") == NULL)
        structure_say(s, FIELD_REQUIRED, "items", "Required value: must be specified");
    structure_below(s, from, "items", check_item);
    if (properties != NULL) {
        json_object_object_foreach(properties, key, value)
        {
            size_t here = path_keyed(&s->path, "properties", key);

            check_field(s, value);
            path_back(&s->path, here);
        }
    }
    if (level == LEVEL_ROOT && json_get(from, "additionalProperties") != NULL)
        structure_say(s, FIELD_FORBIDDEN, "additionalProperties",
                      "Forbidden: must not be used at the root");
    structure_below(s, from, "additionalProperties", check_field);
    check_extensions(s, from);
    check_constraints(s, from, is_int_or_string(json_get_array(from, "anyOf")));
    check_type(s, from, level);
    check_meta(s, from, level);
    check_embedded(s, from);
}

/* --- what constraints name must be specified outside of them --- */

struct completeness {
    struct structure *s;    /* path: where it should be specified */
    struct path constraint; /* where it is named */
};

static void complete_nested(struct completeness *c, const struct json_object *nested,
                            const struct json_object *outside);

static void complete_constraints(struct completeness *c, const struct json_object *from,
                                 const struct json_object *outside)
{
    static const char *const lists[] = {"allOf", "anyOf", "oneOf"};
    struct json_object *negated = json_get_object(from, "not");

    if (negated != NULL) {
        size_t here = path_member(&c->constraint, "not");

        complete_nested(c, negated, outside);
        path_back(&c->constraint, here);
    }
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        struct json_object *list = json_get_array(from, lists[i]);

        for (size_t k = 0; k < structure_count(list); k++) {
            size_t here = path_numbered(&c->constraint, lists[i], k);

            complete_nested(c, json_object_array_get_idx(list, k), outside);
            path_back(&c->constraint, here);
        }
    }
}

/* A place that a constraint names; outside is NULL where nothing is specified. */
static void complete_place(struct completeness *c, const struct json_object *nested,
                           const struct json_object *outside)
{
    if (outside == NULL)
        field_errors_add(c->s->errors, FIELD_REQUIRED, c->s->path.text,
                         "Required value: because it is defined in %s", c->constraint.text);
    else
        complete_nested(c, nested, outside);
}

static void complete_nested(struct completeness *c, const struct json_object *nested,
                            const struct json_object *outside)
{
    struct json_object *items = json_get_object(nested, "items");
    struct json_object *properties = json_get_object(nested, "properties");

    complete_constraints(c, nested, outside);
    if (items != NULL) {
        size_t here = path_member(&c->s->path, "items");
        size_t there = path_member(&c->constraint, "items");

        complete_place(c, items, json_get_object(outside, "items"));
        path_back(&c->constraint, there);
        path_back(&c->s->path, here);
    }
    if (properties == NULL)
        return;
    json_object_object_foreach(properties, key, value)
    {
        size_t here = path_keyed(&c->s->path, "properties", key);
        size_t there = path_keyed(&c->constraint, "properties", key);

        complete_place(c, value, json_get_object(json_get_object(outside, "properties"), key));
        path_back(&c->constraint, there);
        path_back(&c->s->path, here);
    }
}

/* --- all of it --- */

/* Schemas that say what is not supported cannot be looked at as structural ones. */
static bool is_convertible(const struct json_object *from)
{
    static const char *const nowhere[] = {"$ref", "additionalItems",  "definitions", "dependencies",
                                          "id",   "patternProperties"};
    struct json_object_iter at;

    if (json_is(from, json_type_array)) {
        for (size_t i = 0; i < json_object_array_length(from); i++)
            if (!is_convertible(json_object_array_get_idx(from, i)))
                return false;
        return true;
    }
    if (!json_is(from, json_type_object))
        return true;
    for (size_t i = 0; i < ARRAY_SIZE(nowhere); i++)
        if (json_get(from, nowhere[i]) != NULL)
            return false;
    json_object_object_foreachC(from, at)
    {
        if (strcmp(at.key, "items") == 0 && json_is(at.val, json_type_array))
            return false;
        if (strcmp(at.key, "x-kubernetes-preserve-unknown-fields") == 0 &&
            !json_object_get_boolean(at.val))
            return false;
        if (strcmp(at.key, "properties") == 0) {
            struct json_object_iter property;

            json_object_object_foreachC(at.val, property)
            {
                if (!is_convertible(property.val))
                    return false;
            }
        } else if (strcmp(at.key, "default") != 0 && strcmp(at.key, "enum") != 0 &&
                   strcmp(at.key, "example") != 0 && !is_convertible(at.val)) {
            return false;
        }
    }
    return true;
}

void structure_check_structural(struct structure *s, const struct json_object *openapi)
{
    struct completeness c = {.s = s};

    if (!is_convertible(openapi))
        return;
    path_init(&c.constraint, s->path.text);
    check_node(s, openapi, LEVEL_ROOT);
    complete_constraints(&c, openapi, openapi);
    field_errors_sort(s->errors);
}
