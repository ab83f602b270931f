/* Properties of the CEL of CRD rules: compiling says why not or gives a program; a program gives a
 * bool within its steps, or says why not; the same program gives the same answer again. */
#include <assert.h>
#include <json-c/json.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "fakeapi/schema/cel.h"
#include "fakeapi/schema/schema.h"
#include "fuzz/harness.h"

static const char schema_text[] =
    "{\"type\":\"object\",\"properties\":{\"n\":{\"type\":\"integer\"},\"s\":{\"type\":\"string\"},"
    "\"b\":{\"type\":\"boolean\"},\"l\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}},"
    "\"m\":{\"type\":\"object\",\"additionalProperties\":{\"type\":\"number\"}},"
    "\"any\":{\"x-kubernetes-preserve-unknown-fields\":true}}}";

static const char self_text[] =
    "{\"n\":3,\"s\":\"hello\",\"b\":true,\"l\":[\"a\",\"b\"],\"m\":{\"k\":1.5},"
    "\"any\":{\"x\":[1,null]}}";

/* Enough for any rule that ends, little enough to be quick. */
#define STEPS 20000

static struct json_object *parse(const char *text)
{
    struct json_object *value = NULL;

    if (!json_parse(text, strlen(text), 10000, &value, NULL))
        abort();
    return value;
}

/* 0 or 1, or 2 for an error. */
static int answer(const struct cel_program *program, const struct json_object *self)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    uint64_t steps = STEPS;
    int result = 2;

    if (cel_evaluate(program, self, self, &steps, &value, &err)) {
        assert(json_is(value, json_type_boolean));
        result = json_object_get_boolean(value);
    } else {
        assert(err.text[0] != '\0' && value == NULL);
    }
    assert(steps <= STEPS);
    json_object_put(value);
    return result;
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct json_object *openapi = parse(schema_text);
    struct json_object *self = parse(self_text);
    struct field_errors errors = FIELD_ERRORS_INIT;
    char *text = xmemdup(bytes, size);
    struct cel_program *program = NULL;
    struct schema *schema = NULL;
    struct error err = ERROR_INIT;

    if (!schema_compile(openapi, "S", &schema, &errors))
        abort();
    if (cel_compile(text, schema, true, CEL_GIVES_BOOL, &program, &err))
        assert(answer(program, self) == answer(program, self));
    else
        assert(err.text[0] != '\0');
    cel_free(program);
    schema_unref(schema);
    free(text);
    json_object_put(self);
    json_object_put(openapi);
    return 0;
}
