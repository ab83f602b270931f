/* Properties of schemas: compiling says why not or gives a schema; what was pruned has nothing more
 * to prune, what was defaulted nothing more to fill in; validating ends.
 *
 * Input: an openAPIV3Schema, a newline, an object. */
#include <assert.h>
#include <json-c/json.h>
#include <string.h>

#include "fakeapi/schema/schema.h"
#include "fuzz/harness.h"

static bool parse(const void *bytes, size_t size, struct json_object **ret_value)
{
    *ret_value = NULL;
    return json_parse(bytes, size, FUZZ_BYTES_MAX, ret_value, NULL);
}

static void check_object(const struct schema *schema, struct json_object *object)
{
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct json_object *once;

    schema_prune(schema, object, NULL);
    schema_prune(schema, object, &unknown);
    assert(unknown.count == 0);
    schema_default(schema, object);
    once = json_copy(object);
    schema_default(schema, object);
    assert(json_equal(object, once));
    schema_validate(schema, SCHEMA_WHOLE, object, NULL, &errors, NULL);
    assert(errors.count <= FIELD_ERRORS_MAX);
    field_errors_release(&errors);
    schema_validate(schema, SCHEMA_WHOLE, object, once, &errors, NULL);
    assert(errors.count == 0); /* nothing changed */
    field_errors_release(&errors);
    json_object_put(once);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    const uint8_t *newline = size == 0 ? NULL : memchr(bytes, '\n', size);
    size_t schema_size = newline == NULL ? size : (size_t)(newline - bytes);
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct json_object *openapi = NULL;
    struct json_object *object = NULL;
    struct schema *schema = NULL;

    if (newline != NULL && parse(bytes, schema_size, &openapi) &&
        parse(newline + 1, size - schema_size - 1, &object) && json_is(object, json_type_object)) {
        schema_check(openapi, "S", &errors);
        if (errors.count == 0 && schema_compile(openapi, "S", &schema, &errors))
            check_object(schema, object);
        else
            assert(errors.count > 0);
    }
    field_errors_release(&errors);
    schema_unref(schema);
    json_object_put(object);
    json_object_put(openapi);
    return 0;
}
