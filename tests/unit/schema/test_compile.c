#include "tests/unit/schema/quoted.h"

#define OBJECT(inside) "{'type':'object','properties':{" inside "}}"

/* clang-format off */
static const struct row {
    const char *name;
    const char *schema;
    const char *want; /* the whole message; "": it compiles */
} rows[] = {
    {"the least", "{'type':'object'}", ""},
    {"no type at the root", "{}", "S.type: Required value: must not be empty at the root"},
    {"a root that is no object", "{'type':'string'}",
     "S.type: Invalid value: \"string\": must be object at the root"},
    {"no type in a field (R13)", OBJECT("'spec':{'description':'x'}"),
     "S.properties[spec].type: Required value: must not be empty for specified object fields"},
    {"no type in an item", OBJECT("'l':{'type':'array','items':{}}"),
     "S.properties[l].items.type: Required value: must not be empty for specified array items"},
    {"no items", OBJECT("'l':{'type':'array'}"),
     "S.properties[l].items: Required value: must be specified"},
    {"preserved needs no type", OBJECT("'x':{'x-kubernetes-preserve-unknown-fields':true}"), ""},
    {"int-or-string needs no type", OBJECT("'x':{'x-kubernetes-int-or-string':true}"), ""},
    {"int-or-string takes no type",
     OBJECT("'x':{'type':'string','x-kubernetes-int-or-string':true}"),
     "S.properties[x].type: Forbidden: must be empty if x-kubernetes-int-or-string is true"},
    {"unknown type", OBJECT("'x':{'type':'text'}"),
     "S.properties[x].type: Unsupported value: \"text\": supported values: \"array\", \"boolean\", "
     "\"integer\", \"number\", \"object\", \"string\""},
    {"$ref", OBJECT("'x':{'type':'string','$ref':'#/y'}"),
     "S.properties[x].$ref: Forbidden: $ref is not supported"},
    {"uniqueItems", OBJECT("'l':{'type':'array','uniqueItems':true,'items':{'type':'string'}}"),
     "S.properties[l].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime "
     "complexity becomes quadratic"},
    {"uniqueItems false",
     OBJECT("'l':{'type':'array','uniqueItems':false,'items':{'type':'string'}}"), ""},
    {"properties and additionalProperties", OBJECT("'x':{'type':'object','properties':"
     "{'a':{'type':'string'}},'additionalProperties':{'type':'string'}}"),
     "S.properties[x].additionalProperties: Forbidden: additionalProperties and properties are "
     "mutual exclusive"},
    {"additionalProperties false", OBJECT("'x':{'type':'object','additionalProperties':false}"),
     ""},
    {"a type within anyOf", OBJECT("'x':{'type':'string','anyOf':[{'type':'string'}]}"),
     "S.properties[x].anyOf[0].type: Forbidden: must be empty to be structural"},
    {"a default within not", OBJECT("'x':{'type':'string','not':{'default':'x'}}"),
     "S.properties[x].not.default: Forbidden: must be undefined to be structural"},
    {"a field that is specified nowhere else",
     "{'type':'object','oneOf':[{'properties':{'a':{'minLength':1}}}]}",
     "S.properties[a]: Required value: because it is defined in S.oneOf[0].properties[a]"},
    {"a bad pattern", OBJECT("'x':{'type':'string','pattern':'('}"),
     "*pattern: Invalid value: \"(\""},
    {"a bad default", OBJECT("'x':{'type':'string','default':1}"),
     "S.properties[x].default: Invalid value: \"integer\":  in body must be of type string: "
     "\"integer\""},
    {"a list type on no list", OBJECT("'x':{'type':'string','x-kubernetes-list-type':'set'}"),
     "S.properties[x].type: Invalid value: \"string\": must be array if x-kubernetes-list-type is "
     "specified"},
    {"a map without keys", OBJECT("'l':{'type':'array','x-kubernetes-list-type':'map',"
     "'items':{'type':'object'}}"), "S.properties[l].x-kubernetes-list-map-keys: Required value: "
     "must not be empty if x-kubernetes-list-type is map"},
    {"a map by a key that is not there", OBJECT("'l':{'type':'array','x-kubernetes-list-type':"
     "'map','x-kubernetes-list-map-keys':['k'],'items':{'type':'object'}}"),
     "S.properties[l].x-kubernetes-list-map-keys: Invalid value: []string{\"k\"}: entries must all "
     "be names of item properties"},
    {"a minimum that is no number", OBJECT("'x':{'type':'integer','minimum':'1'}"),
     "S.properties[x].minimum: Invalid value: \"1\": not a number"},
    {"a multiple below zero", OBJECT("'x':{'type':'number','multipleOf':-0.5}"),
     "S.properties[x].multipleOf: Invalid value: -0.5: must be greater than 0"},
    {"a length that is no number", OBJECT("'x':{'type':'string','maxLength':'1'}"),
     "S.properties[x].maxLength: Invalid value: \"1\": of the wrong type"},
    {"a multiple of zero", OBJECT("'x':{'type':'integer','multipleOf':0}"),
     "S.properties[x].multipleOf: Invalid value: 0: must be greater than 0"},
    {"a rule that is not understood", OBJECT("'x':{'type':'string','x-kubernetes-validations':"
     "[{'rule':'self.trim() == self'}]}"),
     "S.properties[x].x-kubernetes-validations[0].rule: Invalid value: "
     "apiextensions.ValidationRule{Rule:\"self.trim() == self\", Message:\"\", "
     "MessageExpression:\"\", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:\"\", "
     "OptionalOldSelf:(*bool)(nil)}: "
     "compilation failed: ERROR: <input>:1:5: undeclared reference to 'trim' (in container '')"
     "\n | self.trim() == self\n | ....^"},
    {"a rule that is no question", OBJECT("'x':{'type':'string','x-kubernetes-validations':"
     "[{'rule':'self'}]}"), "S.properties[x].x-kubernetes-validations[0].rule: Invalid value: "
     "apiextensions.ValidationRule{Rule:\"self\", Message:\"\", "
     "MessageExpression:\"\", Reason:(*apiextensions.FieldValueErrorReason)(nil), FieldPath:\"\", "
     "OptionalOldSelf:(*bool)(nil)}: compilation failed: must evaluate to a bool"},
    {"an empty rule", OBJECT("'x':{'type':'string','x-kubernetes-validations':[{}]}"),
     "S.properties[x].x-kubernetes-validations[0].rule: Required value: rule is not specified"},
    {"rules that are no list", OBJECT("'x':{'type':'string','x-kubernetes-validations':{}}"),
     "S.properties[x].x-kubernetes-validations: Invalid value: must be a list of at most 100 "
     "rules"},
    {"a field path to nowhere", OBJECT("'x':{'type':'object','x-kubernetes-validations':"
     "[{'rule':'true','fieldPath':'.y'}]}"),
     "S.properties[x].x-kubernetes-validations[0].fieldPath: Invalid value: fieldPath must be a "
     "valid path to a field"},
    {"optionalOldSelf", OBJECT("'x':{'type':'string','x-kubernetes-validations':"
     "[{'rule':'true','optionalOldSelf':true}]}"),
     "S.properties[x].x-kubernetes-validations[0].optionalOldSelf: Unsupported value: true: this "
     "server knows rules with an old value only"},
};
/* clang-format on */

static bool is_wanted(const char *message, const char *want)
{
    return want[0] == '*' ? strstr(message, want + 1) != NULL : strcmp(message, want) == 0;
}

static bool compile(const struct json_object *openapi, struct schema **ret_schema,
                    struct field_errors *errors)
{
    schema_check(openapi, "S", errors);
    return errors->count == 0 && schema_compile(openapi, "S", ret_schema, errors);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *openapi = quoted(rows[i].schema);
        struct field_errors errors = FIELD_ERRORS_INIT;
        struct schema *schema = NULL;
        bool ok = compile(openapi, &schema, &errors);
        char *message = message_of(&errors);

        if (!is_wanted(message, rows[i].want) || ok != (rows[i].want[0] == '\0'))
            fail_msg("%s: got %s", rows[i].name, message);
        free(message);
        if (ok)
            schema_unref(schema);
        json_object_put(openapi);
    }
}

static bool compiles_with(size_t fields)
{
    struct json_object *openapi = quoted("{'type':'object','properties':{}}");
    struct json_object *properties = json_get(openapi, "properties");
    struct field_errors errors = FIELD_ERRORS_INIT;
    struct schema *schema = NULL;
    char key[32];
    bool ok;

    for (size_t i = 0; i < fields; i++) {
        snprintf(key, sizeof(key), "k%zu", i);
        json_set(properties, key, quoted("{'type':'string'}"));
    }
    ok = compile(openapi, &schema, &errors);
    if (ok)
        schema_unref(schema);
    field_errors_release(&errors);
    json_object_put(openapi);
    return ok;
}

static void test_node_limit(void **state)
{
    (void)state;
    assert_true(compiles_with(SCHEMA_NODES_MAX - 1));
    assert_false(compiles_with(SCHEMA_NODES_MAX));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_node_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
