/* validate - what is wrong with an object, by its schema (fakeapi/WIRE.md section 7). */
#include <json-c/json.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/schema/validation.h"

/* Lists by key longer than this are compared with the stored ones as a whole only. */
#define CORRELATED_ITEMS_MAX 1000

static void check(struct validation *v, const struct schema *schema,
                  const struct json_object *value, const struct json_object *old);

const struct schema *schema_member(const struct schema *schema, const char *name)
{
    struct schema_property *property;

    HASH_FIND_STR(schema->properties, name, property);
    return property != NULL ? property->schema : schema->additional;
}

const char *schema_type_name(enum schema_type type)
{
    static const char *const names[] = {
        [SCHEMA_ANY] = "",
        [SCHEMA_OBJECT] = "object",
        [SCHEMA_ARRAY] = "array",
        [SCHEMA_STRING] = "string",
        [SCHEMA_INTEGER] = "integer",
        [SCHEMA_NUMBER] = "number",
        [SCHEMA_BOOLEAN] = "boolean",
        [SCHEMA_INT_OR_STRING] = "integer,string",
    };

    return names[type];
}

/* --- types --- */

static bool is_integral(const struct json_object *value)
{
    double number = json_object_get_double(value);

    return json_is(value, json_type_int) ||
           (json_is(value, json_type_double) && isfinite(number) && trunc(number) == number);
}

static bool is_of_type(const struct json_object *value, enum schema_type type)
{
    switch (type) {
    case SCHEMA_ANY:
        return true;
    case SCHEMA_OBJECT:
        return json_is(value, json_type_object);
    case SCHEMA_ARRAY:
        return json_is(value, json_type_array);
    case SCHEMA_STRING:
        return json_is(value, json_type_string);
    case SCHEMA_INTEGER:
        return is_integral(value);
    case SCHEMA_NUMBER:
        return json_is(value, json_type_int) || json_is(value, json_type_double);
    case SCHEMA_BOOLEAN:
        return json_is(value, json_type_boolean);
    case SCHEMA_INT_OR_STRING:
        return is_integral(value) || json_is(value, json_type_string);
    }
    return false;
}

static const char *type_of(const struct json_object *value)
{
    switch (json_object_get_type(value)) {
    case json_type_null:
        return "null";
    case json_type_boolean:
        return "boolean";
    case json_type_double:
        return "number";
    case json_type_int:
        return "integer";
    case json_type_object:
        return "object";
    case json_type_array:
        return "array";
    case json_type_string:
        return "string";
    }
    return "";
}

/* --- allOf, anyOf, oneOf, not --- */

static void say_combined(struct validation *v, const char *what)
{
    field_errors_add(v->errors, FIELD_INVALID, "<nil>", "Invalid value: \"\": \"%s\" %s",
                     v->path.text, what);
}

/* How many of the alternatives hold; the errors of the one that came closest are kept. */
static size_t count_valid(struct validation *v, const struct schema_list_of *list,
                          const struct json_object *value, struct field_errors *closest)
{
    struct field_errors *errors = v->errors;
    size_t valid = 0;

    for (size_t i = 0; i < list->count; i++) {
        struct field_errors found = FIELD_ERRORS_INIT;

        v->errors = &found;
        check(v, list->items[i], value, NULL);
        if (!validation_spend(v, 4 * found.count)) /* texts are made of them */
            i = list->count;
        if (found.count == 0)
            valid++;
        else if (closest->count == 0 || found.count < closest->count) {
            field_errors_release(closest);
            *closest = found;
            found = (struct field_errors)FIELD_ERRORS_INIT;
        }
        field_errors_release(&found);
    }
    v->errors = errors;
    return valid;
}

static void check_any_of(struct validation *v, const struct schema *schema,
                         const struct json_object *value)
{
    struct field_errors closest = FIELD_ERRORS_INIT;

    if (schema->any_of.count > 0 && count_valid(v, &schema->any_of, value, &closest) == 0) {
        say_combined(v, "must validate at least one schema (anyOf)");
        field_errors_move(v->errors, &closest);
    }
    field_errors_release(&closest);
}

static void check_one_of(struct validation *v, const struct schema *schema,
                         const struct json_object *value)
{
    struct field_errors closest = FIELD_ERRORS_INIT;
    size_t valid;
    char *text;

    if (schema->one_of.count == 0)
        return;
    valid = count_valid(v, &schema->one_of, value, &closest);
    if (valid == 0) {
        say_combined(v, "must validate one and only one schema (oneOf). Found none valid");
        field_errors_move(v->errors, &closest);
    } else if (valid > 1) {
        text = xprintf(
            "must validate one and only one schema (oneOf). Found %zu valid alternatives", valid);
        say_combined(v, text);
        free(text);
    }
    field_errors_release(&closest);
}

static void check_all_of(struct validation *v, const struct schema *schema,
                         const struct json_object *value)
{
    struct field_errors *errors = v->errors;
    struct field_errors found = FIELD_ERRORS_INIT;
    size_t valid = 0;

    for (size_t i = 0; i < schema->all_of.count; i++) {
        size_t before = found.count + found.left_out;

        v->errors = &found;
        check(v, schema->all_of.items[i], value, NULL);
        if (found.count + found.left_out == before)
            valid++;
    }
    v->errors = errors;
    field_errors_move(errors, &found);
    if (valid < schema->all_of.count)
        say_combined(v, valid == 0 ? "must validate all the schemas (allOf). None validated"
                                   : "must validate all the schemas (allOf)");
}

static void check_not(struct validation *v, const struct schema *schema,
                      const struct json_object *value)
{
    struct field_errors *errors = v->errors;
    struct field_errors found = FIELD_ERRORS_INIT;

    if (schema->negated == NULL)
        return;
    v->errors = &found;
    check(v, schema->negated, value, NULL);
    v->errors = errors;
    if (found.count == 0)
        say_combined(v, "must not validate the schema (not)");
    field_errors_release(&found);
}

/* --- lists --- */

/* What makes an item of a set or map itself, as text: equal for equal items. */
struct identity {
    char *text;
    size_t index;
};

static int compare_identities(const void *a, const void *b)
{
    const struct identity *left = a;
    const struct identity *right = b;
    int order = strcmp(left->text, right->text);

    return order != 0 ? order : left->index < right->index ? -1 : left->index > right->index;
}

/* The keys' part of an item of a map. Caller puts it. */
static struct json_object *key_part(const struct schema *schema, const struct json_object *item)
{
    struct json_object *part = json_object_new_object();

    for (size_t i = 0; i < json_object_array_length(schema->list_keys); i++) {
        const char *key = json_text(json_object_array_get_idx(schema->list_keys, i));
        struct json_object *value;

        if (json_is(item, json_type_object) && json_object_object_get_ex(item, key, &value))
            json_set(part, key, json_copy(value));
    }
    return part;
}

static char *identity_of(const struct schema *schema, const struct json_object *item)
{
    struct json_object *part;
    char *text;

    if (schema->list == SCHEMA_LIST_SET)
        return validation_shown(item);
    part = key_part(schema, item);
    text = validation_shown(part);
    json_object_put(part);
    return text;
}

/* Items that repeat an earlier one (R20). */
static void check_duplicates(struct validation *v, const struct schema *schema,
                             const struct json_object *array)
{
    size_t count = json_object_array_length(array);
    struct identity *sorted = xcalloc(count, sizeof(*sorted));
    const char **repeated = xcalloc(count, sizeof(*repeated));

    for (size_t i = 0; i < count; i++)
        sorted[i] = (struct identity){identity_of(schema, json_object_array_get_idx(array, i)), i};
    qsort(sorted, count, sizeof(*sorted), compare_identities);
    for (size_t i = 1; i < count; i++)
        if (strcmp(sorted[i - 1].text, sorted[i].text) == 0)
            repeated[sorted[i].index] = sorted[i].text;
    for (size_t i = 0; i < count; i++) {
        size_t here;

        if (repeated[i] == NULL)
            continue;
        here = path_index(&v->path, i);
        field_errors_add(v->errors, FIELD_DUPLICATE, v->path.text, "Duplicate value: %s",
                         repeated[i]);
        path_back(&v->path, here);
    }
    for (size_t i = 0; i < count; i++)
        free(sorted[i].text);
    free(repeated);
    free(sorted);
}

static bool has_same_keys(const struct schema *schema, const struct json_object *a,
                          const struct json_object *b)
{
    for (size_t i = 0; i < json_object_array_length(schema->list_keys); i++) {
        const char *key = json_text(json_object_array_get_idx(schema->list_keys, i));
        struct json_object *left = NULL;
        struct json_object *right = NULL;
        bool in_a = json_is(a, json_type_object) && json_object_object_get_ex(a, key, &left);
        bool in_b = json_is(b, json_type_object) && json_object_object_get_ex(b, key, &right);

        if (in_a != in_b || !json_equal(left, right))
            return false;
    }
    return true;
}

const struct json_object *schema_old_item(const struct schema *schema,
                                          const struct json_object *item,
                                          const struct json_object *old)
{
    size_t count = json_is(old, json_type_array) ? json_object_array_length(old) : 0;

    if (schema->list != SCHEMA_LIST_MAP || count == 0 || count > CORRELATED_ITEMS_MAX)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        const struct json_object *candidate = json_object_array_get_idx(old, i);

        if (has_same_keys(schema, item, candidate))
            return candidate;
    }
    return NULL;
}

/* What it takes to find an item's old one. */
static uint64_t correlated(const struct schema *schema, const struct json_object *old)
{
    if (schema->list != SCHEMA_LIST_MAP || !json_is(old, json_type_array))
        return 0;
    return json_object_array_length(old);
}

static void check_array(struct validation *v, const struct schema *schema,
                        const struct json_object *array, const struct json_object *old)
{
    size_t count = json_object_array_length(array);

    if (schema->items != NULL) {
        for (size_t i = 0; i < count; i++) {
            const struct json_object *item = json_object_array_get_idx(array, i);
            size_t here = path_index(&v->path, i);

            if (!validation_spend(v, correlated(schema, old)))
                return;
            check(v, schema->items, item, schema_old_item(schema, item, old));
            path_back(&v->path, here);
        }
    }
    (void)validation_check_count(v, &schema->item_count, count, "items");
    if (schema->list != SCHEMA_LIST_ATOMIC)
        check_duplicates(v, schema, array);
}

/* --- objects --- */

static void require(struct validation *v, const struct json_object *object, const char *name)
{
    size_t here;

    if (json_object_object_get_ex(object, name, NULL))
        return;
    here = path_member(&v->path, name);
    field_errors_add(v->errors, FIELD_REQUIRED, v->path.text, "Required value");
    path_back(&v->path, here);
}

/* An embedded resource must say what it is (R11). */
static void require_text(struct validation *v, const struct json_object *object, const char *name)
{
    const char *text = json_get_text(object, name);
    size_t here;

    if (!text_is_empty(text))
        return;
    here = path_member(&v->path, name);
    field_errors_add(v->errors, FIELD_REQUIRED, v->path.text, "Required value: must not be empty");
    path_back(&v->path, here);
}

static void check_object(struct validation *v, const struct schema *schema,
                         const struct json_object *object, const struct json_object *old)
{
    struct json_object_iterator at =
        json_object_iter_begin((struct json_object *)(uintptr_t)object);
    struct json_object_iterator end = json_object_iter_end(object);

    if (!validation_check_count(v, &schema->property_count,
                                (size_t)json_object_object_length(object), "properties"))
        return;
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        const struct schema *member = schema_member(schema, key);
        size_t here;

        if (member == NULL)
            continue;
        here = path_member(&v->path, key);
        check(v, member, json_object_iter_peek_value(&at), json_get(old, key));
        path_back(&v->path, here);
    }
    if (schema->required != NULL)
        for (size_t i = 0; i < json_object_array_length(schema->required); i++)
            require(v, object, json_text(json_object_array_get_idx(schema->required, i)));
    if (schema->embedded) {
        require_text(v, object, "apiVersion");
        require_text(v, object, "kind");
    }
}

/* --- all of it --- */

static void check_combinations(struct validation *v, const struct schema *schema,
                               const struct json_object *value)
{
    check_any_of(v, schema, value);
    check_one_of(v, schema, value);
    check_all_of(v, schema, value);
    check_not(v, schema, value);
}

static void check(struct validation *v, const struct schema *schema,
                  const struct json_object *value, const struct json_object *old)
{
    if (!validation_spend(v, 1))
        return;
    if (old != NULL && json_equal(old, value))
        return; /* R18 */
    if (value == NULL && schema->nullable)
        return;
    if (!is_of_type(value, schema->type)) {
        validation_say_not_of_type(v, type_of(value), schema_type_name(schema->type));
        return;
    }
    check_combinations(v, schema, value);
    if (json_is(value, json_type_string))
        validation_check_string(v, schema, value);
    if (json_is(value, json_type_int) || json_is(value, json_type_double))
        validation_check_number(v, schema, value);
    if (json_is(value, json_type_array))
        check_array(v, schema, value, old);
    validation_check_enumeration(v, schema, value);
    if (json_is(value, json_type_object))
        check_object(v, schema, value, old);
}

void schema_validate_at(const struct schema *schema, const char *path,
                        const struct json_object *value, const struct json_object *old,
                        struct field_errors *errors)
{
    struct validation v = {.errors = errors, .steps = VALIDATION_STEPS_MAX};

    path_init(&v.path, path);
    check(&v, schema, value, old);
    if (v.steps == 0)
        field_errors_add(errors, FIELD_INTERNAL, "<nil>",
                         "Internal error: the object takes too many steps to validate");
}

void schema_validate_default(const struct schema *schema, const char *path,
                             struct field_errors *errors)
{
    struct validation v = {.errors = errors, .steps = VALIDATION_STEPS_MAX};

    path_init(&v.path, path);
    v.base = v.path.size;
    check(&v, schema, schema->default_value, NULL);
}

/* Errors after which rules are not run (R15). */
static bool is_blocking(const struct field_errors *errors, size_t from)
{
    static const bool blocking[] = {
        [FIELD_NOT_SUPPORTED] = true, [FIELD_REQUIRED] = true,     [FIELD_TOO_LONG] = true,
        [FIELD_TOO_MANY] = true,      [FIELD_TYPE_INVALID] = true, [FIELD_INTERNAL] = false,
    };

    for (size_t i = from; i < errors->count; i++)
        if (blocking[errors->items[i].type])
            return true;
    return errors->left_out > 0;
}

void schema_validate(const struct schema *schema, enum schema_part part,
                     const struct json_object *object, const struct json_object *old,
                     struct field_errors *errors, struct field_errors *warnings)
{
    size_t before = errors->count;

    if (part == SCHEMA_WHOLE) {
        schema_validate_at(schema, "", object, old, errors);
    } else {
        const struct schema *status = schema_member(schema, "status");
        struct json_object *value;

        if (status != NULL && json_object_object_get_ex(object, "status", &value))
            schema_validate_at(status, "status", value, json_get(old, "status"), errors);
    }
    if (!schema->rules_within)
        return;
    if (is_blocking(errors, before))
        field_errors_add(errors, FIELD_INVALID, "<nil>",
                         "Invalid value: \"null\": some validation rules were not checked because "
                         "the object was invalid; correct the existing errors to complete "
                         "validation");
    else
        schema_run_rules(schema, "", object, old, errors, warnings);
}
