/* standard - what an openAPIV3Schema may not say, and what its list types and rules must (fakeapi/
 * WIRE.md R13, R20), in the words and the order of the real server.
 *
 * Source: apiextensions-apiserver pkg/apis/apiextensions/validation,
 * ValidateCustomResourceDefinitionOpenAPISchema. */
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/structure.h"

static void check(struct structure *s, const struct json_object *from);

static const char *type_of(const struct json_object *from)
{
    return text_or(json_get_text(from, "type"), "");
}

/* --- what is not supported --- */

static void check_type(struct structure *s, const struct json_object *from)
{
    static const char *const types[] = {"array",  "boolean", "integer",
                                        "number", "object",  "string"};
    struct buffer body = BUFFER_INIT(STRUCTURE_BYTES_MAX);
    const char *type = type_of(from);
    bool known = type[0] == '\0';

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        known = known || strcmp(type, types[i]) == 0;
    if (!known) {
        buffer_append_text(&body, "Unsupported value: ");
        field_error_append_value(&body, json_get(from, "type"));
        buffer_append_text(&body, ": supported values: \"array\", \"boolean\", \"integer\", "
                                  "\"number\", \"object\", \"string\"");
        structure_say(s, FIELD_NOT_SUPPORTED, "type", buffer_text(&body));
    }
    buffer_release(&body);
}

static void check_default(struct structure *s, const struct json_object *from)
{
    char *body;

    if (s->without_default == NULL || !json_object_object_get_ex(from, "default", NULL))
        return;
    body = xprintf("Forbidden: must not be set %s", s->without_default);
    structure_say(s, FIELD_FORBIDDEN, "default", body);
    free(body);
}

static void check_unsupported(struct structure *s, const struct json_object *from)
{
    static const char *const names[] = {"id",          "additionalItems", "patternProperties",
                                        "definitions", "dependencies",    "$ref"};

    check_type(s, from);
    check_default(s, from);
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        char *body;

        if (json_get(from, names[i]) == NULL)
            continue;
        body = xprintf("Forbidden: %s is not supported", names[i]);
        structure_say(s, FIELD_FORBIDDEN, names[i], body);
        free(body);
    }
    if (strcmp(type_of(from), "null") == 0)
        structure_say(s, FIELD_FORBIDDEN, "type",
                      "Forbidden: type cannot be set to null, use nullable as an alternative");
    if (json_is(json_get(from, "items"), json_type_array))
        structure_say(s, FIELD_FORBIDDEN, "items",
                      "Forbidden: items must be a schema object and not an array");
    if (s->in_meta && structure_flag(from, "x-kubernetes-embedded-resource"))
        structure_say(s, FIELD_FORBIDDEN, "x-kubernetes-embedded-resource",
                      "Forbidden: must not be used inside of resource meta");
    if (structure_flag(from, "uniqueItems"))
        structure_say(s, FIELD_FORBIDDEN, "uniqueItems",
                      "Forbidden: uniqueItems cannot be set to true since the runtime complexity "
                      "becomes quadratic");
}

/* --- below --- */

static bool is_meta(const char *name)
{
    return strcmp(name, "metadata") == 0 || strcmp(name, "kind") == 0 ||
           strcmp(name, "apiVersion") == 0;
}

static void check_properties(struct structure *s, const struct json_object *from, bool root)
{
    struct json_object *properties = json_get_object(from, "properties");
    bool resource = root || structure_flag(from, "x-kubernetes-embedded-resource");
    const struct structure outer = {.in_meta = s->in_meta, .without_default = s->without_default};

    if (properties == NULL)
        return;
    json_object_object_foreach(properties, key, value)
    {
        size_t here = path_keyed(&s->path, "properties", key);

        if (resource && is_meta(key)) {
            s->in_meta = true;
            if (root)
                s->without_default = strcmp(key, "metadata") == 0 ? "in top-level metadata"
                                     : strcmp(key, "kind") == 0   ? "in top-level kind"
                                                                  : "in top-level apiVersion";
        }
        check(s, value);
        s->in_meta = outer.in_meta;
        s->without_default = outer.without_default;
        path_back(&s->path, here);
    }
}

static void check_additional(struct structure *s, const struct json_object *from)
{
    struct json_object *additional = json_get(from, "additionalProperties");
    struct json_object *properties = json_get_object(from, "properties");
    const char *outer = s->without_default;
    bool open = json_is(additional, json_type_boolean) && json_object_get_boolean(additional);

    if (additional != NULL && !open && properties != NULL &&
        json_object_object_length(properties) > 0)
        structure_say(s, FIELD_FORBIDDEN, "additionalProperties",
                      "Forbidden: additionalProperties and properties are mutual exclusive");
    if (s->in_meta)
        s->without_default = "inside additionalProperties applying to object metadata";
    structure_below(s, from, "additionalProperties", check);
    s->without_default = outer;
}

/* --- extensions --- */

static void check_type_for(struct structure *s, const struct json_object *from,
                           const char *extension, const char *want)
{
    const char *type = type_of(from);
    char *detail;

    if (json_get(from, extension) == NULL || strcmp(type, want) == 0)
        return;
    detail = xprintf("must be %s if %s is specified", want, extension);
    if (type[0] == '\0') {
        char *body = xprintf("Required value: %s", detail);

        structure_say(s, FIELD_REQUIRED, "type", body);
        free(body);
    } else {
        structure_say_value(s, "type", json_get(from, "type"), detail);
    }
    free(detail);
}

static void check_one_of(struct structure *s, const struct json_object *from, const char *extension,
                         const char *const *allowed, size_t count, const char *shown)
{
    const char *value = json_get_text(from, extension);
    struct buffer body = BUFFER_INIT(STRUCTURE_BYTES_MAX);
    bool known = json_get(from, extension) == NULL;

    for (size_t i = 0; i < count; i++)
        known = known || text_equal(value, allowed[i]);
    if (!known) {
        buffer_append_text(&body, "Unsupported value: ");
        field_error_append_value(&body, json_get(from, extension));
        buffer_append_format(&body, ": supported values: %s", shown);
        structure_say(s, FIELD_NOT_SUPPORTED, extension, buffer_text(&body));
    }
    buffer_release(&body);
}

/* Items that one can be told from another by. */
static void check_set_items(struct structure *s, const struct json_object *items)
{
    const char *list = json_get_text(items, "x-kubernetes-list-type");
    size_t here = path_member(&s->path, "items");

    if (strcmp(type_of(items), "array") == 0 && list != NULL && strcmp(list, "atomic") != 0)
        structure_say_value(s, "x-kubernetes-list-type", json_get(items, "x-kubernetes-list-type"),
                            "must be atomic as item of a list with x-kubernetes-list-type=set");
    if (strcmp(type_of(items), "object") == 0 &&
        !text_equal(json_get_text(items, "x-kubernetes-map-type"), "atomic"))
        structure_say_value(s, "x-kubernetes-map-type", json_get(items, "x-kubernetes-list-type"),
                            "must be atomic as item of a list with x-kubernetes-list-type=set");
    path_back(&s->path, here);
}

static void check_list_type(struct structure *s, const struct json_object *from)
{
    static const char *const map_types[] = {"atomic", "granular"};
    static const char *const list_types[] = {"atomic", "set", "map"};
    const struct json_object *items = json_get_object(from, "items");

    check_type_for(s, from, "x-kubernetes-map-type", "object");
    check_one_of(s, from, "x-kubernetes-map-type", map_types, ARRAY_SIZE(map_types),
                 "\"atomic\", \"granular\"");
    check_type_for(s, from, "x-kubernetes-list-type", "array");
    if (strcmp(type_of(from), "array") == 0 && items != NULL &&
        text_equal(json_get_text(from, "x-kubernetes-list-type"), "set"))
        check_set_items(s, items);
    check_one_of(s, from, "x-kubernetes-list-type", list_types, ARRAY_SIZE(list_types),
                 "\"atomic\", \"set\", \"map\"");
}

/* []string{"a", "b"} */
static void say_keys(struct structure *s, const struct json_object *keys, const char *detail)
{
    struct buffer body = BUFFER_INIT(STRUCTURE_BYTES_MAX);

    buffer_append_text(&body, "Invalid value: []string{");
    for (size_t i = 0; i < structure_count(keys); i++) {
        if (i > 0)
            buffer_append_text(&body, ", ");
        field_error_append_value(&body, json_object_array_get_idx(keys, i));
    }
    buffer_append_format(&body, "}: %s", detail);
    structure_say(s, FIELD_INVALID, "x-kubernetes-list-map-keys", buffer_text(&body));
    buffer_release(&body);
}

static bool is_repeated(const struct json_object *keys, size_t index)
{
    for (size_t i = 0; i < index; i++)
        if (json_equal(json_object_array_get_idx(keys, i), json_object_array_get_idx(keys, index)))
            return true;
    return false;
}

/* A key that is a field of the items: a scalar. */
static void check_key(struct structure *s, const struct json_object *keys, size_t index,
                      const struct json_object *items)
{
    const char *key = text_or(json_text(json_object_array_get_idx(keys, index)), "");
    const struct json_object *field = json_get_object(json_get_object(items, "properties"), key);
    size_t here = path_member(&s->path, "items");

    path_keyed(&s->path, "properties", key);
    if (field != NULL &&
        (strcmp(type_of(field), "array") == 0 || strcmp(type_of(field), "object") == 0))
        structure_say_value(s, "type", json_get(items, "type"),
                            "must be a scalar type if parent array's x-kubernetes-list-type is "
                            "map");
    path_back(&s->path, here);
    if (field == NULL)
        say_keys(s, keys, "entries must all be names of item properties");
    if (is_repeated(keys, index))
        say_keys(s, keys, "must not contain duplicate entries");
}

static void check_map(struct structure *s, const struct json_object *from)
{
    struct json_object *keys = json_get_array(from, "x-kubernetes-list-map-keys");
    const struct json_object *items = json_get_object(from, "items");
    size_t here;

    if (structure_count(keys) == 0)
        structure_say(s, FIELD_REQUIRED, "x-kubernetes-list-map-keys",
                      "Required value: must not be empty if x-kubernetes-list-type is map");
    if (items == NULL) {
        structure_say(s, FIELD_REQUIRED, "items",
                      "Required value: must have a schema if x-kubernetes-list-type is map");
    } else if (strcmp(type_of(items), "object") != 0) {
        here = path_member(&s->path, "items");
        structure_say_value(s, "type", json_get(items, "type"),
                            "must be object if parent array's x-kubernetes-list-type is map");
        path_back(&s->path, here);
    } else {
        for (size_t i = 0; i < structure_count(keys); i++)
            check_key(s, keys, i, items);
    }
}

static void check_map_keys(struct structure *s, const struct json_object *from)
{
    const char *list = json_get_text(from, "x-kubernetes-list-type");

    if (structure_count(json_get_array(from, "x-kubernetes-list-map-keys")) > 0) {
        if (list == NULL)
            structure_say(s, FIELD_REQUIRED, "x-kubernetes-list-type",
                          "Required value: must be map if x-kubernetes-list-map-keys is non-empty");
        else if (strcmp(list, "map") != 0)
            structure_say_value(s, "x-kubernetes-list-type",
                                json_get(from, "x-kubernetes-list-type"),
                                "must be map if x-kubernetes-list-map-keys is non-empty");
    }
    if (text_equal(list, "map"))
        check_map(s, from);
}

static bool is_required(const struct json_object *items, const char *key)
{
    struct json_object *required = json_get_array(items, "required");

    for (size_t i = 0; i < structure_count(required); i++)
        if (text_equal(json_text(json_object_array_get_idx(required, i)), key))
            return true;
    return false;
}

/* Keys are always there, and no item is null. */
static void check_present(struct structure *s, const struct json_object *from)
{
    const char *list = text_or(json_get_text(from, "x-kubernetes-list-type"), "");
    struct json_object *keys = json_get_array(from, "x-kubernetes-list-map-keys");
    const struct json_object *items = json_get_object(from, "items");
    bool map = strcmp(list, "map") == 0;
    size_t outer;

    if (items == NULL || (!map && strcmp(list, "set") != 0))
        return;
    outer = path_member(&s->path, "items");
    if (structure_flag(items, "nullable"))
        structure_say(s, FIELD_FORBIDDEN, "nullable",
                      map ? "Forbidden: cannot be nullable when x-kubernetes-list-type is map"
                          : "Forbidden: cannot be nullable when x-kubernetes-list-type is set");
    for (size_t i = 0; map && i < structure_count(keys); i++) {
        const char *key = text_or(json_text(json_object_array_get_idx(keys, i)), "");
        const struct json_object *field =
            json_get_object(json_get_object(items, "properties"), key);
        size_t here = path_keyed(&s->path, "properties", key);

        if (field != NULL && !is_required(items, key) && json_get(field, "default") == NULL)
            structure_say(s, FIELD_REQUIRED, "default",
                          "Required value: this property is in x-kubernetes-list-map-keys, so it "
                          "must have a default or be a required property");
        if (field != NULL && structure_flag(field, "nullable"))
            structure_say(s, FIELD_FORBIDDEN, "nullable",
                          "Forbidden: this property is in x-kubernetes-list-map-keys, so it cannot "
                          "be nullable");
        path_back(&s->path, here);
    }
    path_back(&s->path, outer);
}

/* --- rules: that there is one --- */

static bool is_blank(const char *text)
{
    return text[strspn(text, " \t\r\n\v\f")] == '\0';
}

static void check_rule(struct structure *s, const struct json_object *rule)
{
    const char *text = text_or(json_get_text(rule, "rule"), "");
    const char *message = text_or(json_get_text(rule, "message"), "");

    if (is_blank(text))
        structure_say(s, FIELD_REQUIRED, "rule", "Required value: rule is not specified");
    else if (message[0] != '\0' && is_blank(message))
        structure_say_value(s, "message", json_get(rule, "message"),
                            "message must be non-empty if specified");
    else if (strpbrk(message, "\r\n") != NULL)
        structure_say_value(s, "message", json_get(rule, "message"),
                            "message must not contain line breaks");
    else if (strpbrk(text, "\r\n") != NULL && message[0] == '\0')
        structure_say(s, FIELD_REQUIRED, "message",
                      "Required value: message must be specified if rule contains line breaks");
}

/* --- all of it --- */

static void check_schema(struct structure *s, const struct json_object *from, bool root)
{
    struct json_object *preserve = json_get(from, "x-kubernetes-preserve-unknown-fields");

    check_unsupported(s, from);
    check_additional(s, from);
    check_properties(s, from, root);
    structure_below(s, from, "not", check);
    structure_each(s, from, "allOf", check);
    structure_each(s, from, "oneOf", check);
    structure_each(s, from, "anyOf", check);
    structure_below(s, from, "items", check);
    if (json_is(preserve, json_type_boolean) && !json_object_get_boolean(preserve))
        structure_say_value(s, "x-kubernetes-preserve-unknown-fields", preserve,
                            "must be true or undefined");
    check_list_type(s, from);
    check_map_keys(s, from);
    check_present(s, from);
    structure_each(s, from, "x-kubernetes-validations", check_rule);
}

static void check(struct structure *s, const struct json_object *from)
{
    check_schema(s, from, false);
}

void structure_check_standard(struct structure *s, const struct json_object *openapi)
{
    if (structure_flag(openapi, "nullable"))
        structure_say(s, FIELD_FORBIDDEN, "nullable",
                      "Forbidden: nullable cannot be true at the root");
    check_schema(s, openapi, true);
}
