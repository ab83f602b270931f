/* node - holding a compiled schema, and the end of it. */
#include "fakeapi/schema/node.h"

#include <stdlib.h>

#include "fakeapi/schema/rule.h"

bool schema_has_rules(const struct schema *schema)
{
    return schema->rules_within;
}

static void free_list(struct schema_list_of *list)
{
    for (size_t i = 0; i < list->count; i++)
        schema_unref(list->items[i]);
    free(list->items);
}

static void free_properties(struct schema *schema)
{
    struct schema_property *property;
    struct schema_property *next;

    HASH_ITER (hh, schema->properties, property, next) {
        HASH_DEL(schema->properties, property);
        schema_unref(property->schema);
        free(property->name);
        free(property);
    }
}

struct schema *schema_ref(struct schema *schema)
{
    schema->references++;
    return schema;
}

void schema_unref(struct schema *schema)
{
    if (schema == NULL || --schema->references > 0)
        return;
    free_properties(schema);
    schema_unref(schema->additional);
    schema_unref(schema->items);
    free_list(&schema->all_of);
    free_list(&schema->any_of);
    free_list(&schema->one_of);
    schema_unref(schema->negated);
    schema_free_rules(schema);
    json_object_put(schema->required);
    json_object_put(schema->default_value);
    json_object_put(schema->enumeration);
    json_object_put(schema->minimum.value);
    json_object_put(schema->maximum.value);
    json_object_put(schema->multiple_of);
    json_object_put(schema->list_keys);
    pattern_free(schema->pattern);
    free(schema->pattern_text);
    free(schema);
}
