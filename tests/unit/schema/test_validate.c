#include "tests/unit/schema/quoted.h"

#define OBJECT(inside) "{'type':'object','properties':{" inside "}}"

/* clang-format off */
static const struct row {
    const char *name;
    const char *schema;
    const char *object;
    const char *want; /* the whole message */
} rows[] = {
    {"good", OBJECT("'a':{'type':'string'}"), "{'a':'x'}", ""},
    {"type", OBJECT("'spec':{'type':'object','properties':{'replicas':{'type':'integer'}}}"),
     "{'spec':{'replicas':'x'}}",
     "spec.replicas: Invalid value: \"string\": spec.replicas in body must be of type integer: "
     "\"string\""},
    {"integer takes a whole double", OBJECT("'a':{'type':'integer'}"), "{'a':2.0}", ""},
    {"integer takes no fraction", OBJECT("'a':{'type':'integer'}"), "{'a':2.5}",
     "a: Invalid value: \"number\": a in body must be of type integer: \"number\""},
    {"number takes an integer", OBJECT("'a':{'type':'number'}"), "{'a':2}", ""},
    {"null", OBJECT("'a':{'type':'array','items':{'type':'string'}}"), "{'a':[null]}",
     "a[0]: Invalid value: \"null\": a[0] in body must be of type string: \"null\""},
    {"nullable", OBJECT("'a':{'type':'array','items':{'type':'string','nullable':true}}"),
     "{'a':[null]}", ""},
    {"int-or-string", OBJECT("'a':{'x-kubernetes-int-or-string':true}"), "{'a':true}",
     "a: Invalid value: \"boolean\": a in body must be of type integer,string: \"boolean\""},
    {"int-or-string takes both", OBJECT("'a':{'x-kubernetes-int-or-string':true,"
     "'anyOf':[{'type':'integer'},{'type':'string'}]},'b':{'x-kubernetes-int-or-string':true}"),
     "{'a':1,'b':'x'}", ""},
    {"required", "{'type':'object','properties':{'a':{'type':'object','required':['b'],"
     "'properties':{'b':{'type':'string'}}}}}", "{'a':{}}", "a.b: Required value"},
    {"enum", OBJECT("'a':{'type':'string','enum':['a','b']}"), "{'a':'x'}",
     "a: Unsupported value: \"x\": supported values: \"a\", \"b\""},
    {"pattern", OBJECT("'a':{'type':'string','pattern':'^[a-z]+$'}"), "{'a':'X'}",
     "a: Invalid value: \"X\": a in body should match '^[a-z]+$'"},
    {"pattern is not anchored", OBJECT("'a':{'type':'string','pattern':'b'}"), "{'a':'abc'}", ""},
    {"minLength", OBJECT("'a':{'type':'string','minLength':1}"), "{'a':''}",
     "a: Invalid value: \"\": a in body should be at least 1 chars long"},
    {"maxLength counts characters", OBJECT("'a':{'type':'string','maxLength':2}"),
     "{'a':'\xc3\xa9\xc3\xa9'}", ""},
    {"maxLength", OBJECT("'a':{'type':'string','maxLength':5}"), "{'a':'sixsix'}",
     "a: Too long: may not be more than 5 bytes"},
    {"minimum", OBJECT("'a':{'type':'integer','minimum':1}"), "{'a':0}",
     "a: Invalid value: 0: a in body should be greater than or equal to 1"},
    {"minimum itself", OBJECT("'a':{'type':'integer','minimum':1}"), "{'a':1}", ""},
    {"exclusive minimum", OBJECT("'a':{'type':'integer','minimum':1,'exclusiveMinimum':true}"),
     "{'a':1}", "a: Invalid value: 1: a in body should be greater than 1"},
    {"maximum", OBJECT("'a':{'type':'number','maximum':5}"), "{'a':5.5}",
     "a: Invalid value: 5.5: a in body should be less than or equal to 5"},
    {"exclusive maximum", OBJECT("'a':{'type':'integer','maximum':5,'exclusiveMaximum':true}"),
     "{'a':5}", "a: Invalid value: 5: a in body should be less than 5"},
    {"multipleOf", OBJECT("'a':{'type':'integer','multipleOf':2}"), "{'a':3}",
     "a: Invalid value: 3: a in body should be a multiple of 2"},
    {"int32", OBJECT("'a':{'type':'integer','format':'int32'}"), "{'a':2147483648}",
     "a: Invalid value: 2147483648: a in body must be of type int32: \"2147483648\""},
    {"int32 itself", OBJECT("'a':{'type':'integer','format':'int32'}"), "{'a':2147483647}", ""},
    {"minItems", OBJECT("'a':{'type':'array','minItems':1,'items':{'type':'string'}}"), "{'a':[]}",
     "a: Invalid value: 0: a in body should have at least 1 items"},
    {"maxItems", OBJECT("'a':{'type':'array','maxItems':2,'items':{'type':'integer'}}"),
     "{'a':[1,2,3]}", "a: Too many: 3: must have at most 2 items"},
    {"minProperties", OBJECT("'a':{'type':'object','minProperties':1,"
     "'additionalProperties':{'type':'string'}}"), "{'a':{}}",
     "a: Invalid value: 0: a in body should have at least 1 properties"},
    {"maxProperties", OBJECT("'a':{'type':'object','maxProperties':1,"
     "'additionalProperties':{'type':'string'}}"), "{'a':{'x':'1','y':'2'}}",
     "a: Too many: 2: must have at most 1 items"},
    {"additional values", OBJECT("'a':{'type':'object','additionalProperties':{'type':'string'}}"),
     "{'a':{'x':1}}",
     "a.x: Invalid value: \"integer\": a.x in body must be of type string: \"integer\""},
    {"format", OBJECT("'a':{'type':'string','format':'date-time'}"), "{'a':'x'}",
     "a: Invalid value: \"x\": a in body must be of type date-time: \"x\""},
    {"oneOf none", OBJECT("'a':{'type':'integer','oneOf':[{'minimum':5},{'maximum':1}]}"),
     "{'a':3}",
     "[<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found none "
     "valid, a: Invalid value: 3: a in body should be greater than or equal to 5]"},
    {"oneOf two", OBJECT("'a':{'type':'integer','oneOf':[{'minimum':1},{'maximum':9}]}"),
     "{'a':3}",
     "<nil>: Invalid value: \"\": \"a\" must validate one and only one schema (oneOf). Found 2 "
     "valid alternatives"},
    {"oneOf one", OBJECT("'a':{'type':'integer','oneOf':[{'minimum':5},{'maximum':4}]}"),
     "{'a':3}", ""},
    {"anyOf", "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},"
     "'anyOf':[{'required':['a']},{'required':['b']}]}", "{}",
     "[<nil>: Invalid value: \"\": \"\" must validate at least one schema (anyOf), "
     "a: Required value]"},
    {"anyOf one", "{'type':'object','properties':{'a':{'type':'string'},'b':{'type':'string'}},"
     "'anyOf':[{'required':['a']},{'required':['b']}]}", "{'b':''}", ""},
    {"allOf", OBJECT("'a':{'type':'integer','allOf':[{'minimum':5},{'maximum':9}]}"), "{'a':3}",
     "[a: Invalid value: 3: a in body should be greater than or equal to 5, "
     "<nil>: Invalid value: \"\": \"a\" must validate all the schemas (allOf)]"},
    {"not", OBJECT("'a':{'type':'string','not':{'enum':['x']}}"), "{'a':'x'}",
     "<nil>: Invalid value: \"\": \"a\" must not validate the schema (not)"},
    {"not otherwise", OBJECT("'a':{'type':'string','not':{'enum':['x']}}"), "{'a':'y'}", ""},
    {"set", OBJECT("'a':{'type':'array','x-kubernetes-list-type':'set','items':{'type':'string'}}"),
     "{'a':['x','y','x']}", "a[2]: Duplicate value: \"x\""},
    {"map", OBJECT("'a':{'type':'array','x-kubernetes-list-type':'map',"
     "'x-kubernetes-list-map-keys':['name'],'items':{'type':'object','required':['name'],"
     "'properties':{'name':{'type':'string'},'v':{'type':'integer'}}}}"),
     "{'a':[{'name':'b','v':1},{'v':2,'name':'b'},{'name':'c'}]}",
     "a[1]: Duplicate value: map[string]interface {}{\"name\":\"b\"}"},
    {"atomic", OBJECT("'a':{'type':'array','items':{'type':'string'}}"), "{'a':['x','x']}", ""},
    {"embedded", OBJECT("'a':{'type':'object','x-kubernetes-embedded-resource':true,"
     "'x-kubernetes-preserve-unknown-fields':true}"), "{'a':{'kind':'X'}}",
     "a.apiVersion: Required value: must not be empty"},
    {"several", OBJECT("'a':{'type':'string'},'b':{'type':'integer'}"), "{'a':1,'b':''}",
     "[a: Invalid value: \"integer\": a in body must be of type string: \"integer\", "
     "b: Invalid value: \"string\": b in body must be of type integer: \"string\"]"},
    {"rule", OBJECT("'spec':{'type':'object','properties':{'replicas':{'type':'integer'}},"
     "'x-kubernetes-validations':[{'rule':'self.replicas % 2 == 0',"
     "'message':'replicas must be even'}]}"), "{'spec':{'replicas':3}}",
     "spec: Invalid value: \"object\": replicas must be even"},
    {"rule without a message", OBJECT("'a':{'type':'integer',"
     "'x-kubernetes-validations':[{'rule':'self > 1'}]}"), "{'a':1}",
     "a: Invalid value: \"integer\": failed rule: self > 1"},
    {"rule with a message of its own", OBJECT("'a':{'type':'string','x-kubernetes-validations':"
     "[{'rule':'size(self) > 3','messageExpression':'self + \\'!\\'','message':'no'}]}"),
     "{'a':'abc'}", "a: Invalid value: \"string\": abc!"},
    {"rule with a reason and a path", OBJECT("'a':{'type':'object','properties':"
     "{'b':{'type':'string'}},'x-kubernetes-validations':[{'rule':'has(self.b)',"
     "'message':'b is wanted','reason':'FieldValueRequired','fieldPath':'.b'}]}"), "{'a':{}}",
     "a.b: Required value: b is wanted"},
    {"rule that cannot be evaluated", OBJECT("'a':{'type':'object','properties':"
     "{'b':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'self.b > 1'}]}"), "{'a':{}}",
     "a: Invalid value: \"object\": no such key: b evaluating rule: self.b > 1"},
    {"rule in a list", OBJECT("'a':{'type':'array','items':{'type':'integer',"
     "'x-kubernetes-validations':[{'rule':'self != 2'}]}}"), "{'a':[1,2]}",
     "a[1]: Invalid value: \"integer\": failed rule: self != 2"},
    {"rules wait for a valid object (R16)", OBJECT("'spec':{'type':'object','properties':"
     "{'replicas':{'type':'integer'}},'x-kubernetes-validations':[{'rule':'self.replicas > 0'}]}"),
     "{'spec':{'replicas':'x'}}",
     "[spec.replicas: Invalid value: \"string\": spec.replicas in body must be of type integer: "
     "\"string\", <nil>: Invalid value: \"null\": some validation rules were not checked because "
     "the object was invalid; correct the existing errors to complete validation]"},
    {"rules beside a mistake that does not block (R15)", OBJECT("'a':{'type':'integer',"
     "'minimum':5,'x-kubernetes-validations':[{'rule':'self != 2'}]}"), "{'a':2}",
     "[a: Invalid value: 2: a in body should be greater than or equal to 5, "
     "a: Invalid value: \"integer\": failed rule: self != 2]"},
    {"a spawner needs something that starts it", OBJECT("'spec':{'type':'object','properties':"
     "{'schedule':{'type':'string'},'github':{'type':'object'}},'x-kubernetes-validations':"
     "[{'rule':'has(self.schedule) || has(self.github)','message':"
     "'set schedule, github, or both'}]}"), "{'spec':{}}",
     "spec: Invalid value: \"object\": set schedule, github, or both"},
};
/* clang-format on */

static char *validate(const struct schema *schema, enum schema_part part, const char *object_text,
                      const char *old_text)
{
    struct json_object *object = quoted(object_text);
    struct json_object *old = old_text == NULL ? NULL : quoted(old_text);
    struct field_errors errors = FIELD_ERRORS_INIT;

    schema_validate(schema, part, object, old, &errors, NULL);
    json_object_put(old);
    json_object_put(object);
    return message_of(&errors);
}

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct schema *schema = schema_of(rows[i].schema);
        char *message = validate(schema, SCHEMA_WHOLE, rows[i].object, NULL);

        if (strcmp(message, rows[i].want) != 0)
            fail_msg("%s: got %s", rows[i].name, message);
        free(message);
        schema_unref(schema);
    }
}

static const char updated[] =
    "{'type':'object','properties':{"
    "'spec':{'type':'object','properties':{'a':{'type':'integer','maximum':5},"
    "'fixed':{'type':'string','x-kubernetes-validations':[{'rule':'self == oldSelf',"
    "'message':'is immutable'}]},'list':{'type':'array','x-kubernetes-list-type':'map',"
    "'x-kubernetes-list-map-keys':['k'],'items':{'type':'object','required':['k'],"
    "'properties':{'k':{'type':'string'},'v':{'type':'integer','maximum':5}}}}}},"
    "'status':{'type':'object','properties':{'n':{'type':'integer'}}}}}";

/* clang-format off */
static const struct update_row {
    const char *name;
    enum schema_part part;
    const char *old;
    const char *object;
    const char *want;
} update_rows[] = {
    {"old mistakes are let be (R18)", SCHEMA_WHOLE, "{'spec':{'a':9,'fixed':'x'}}",
     "{'spec':{'a':9,'fixed':'x'},'x':1}", ""},
    {"beside a change too", SCHEMA_WHOLE, "{'spec':{'a':9,'fixed':'x'}}",
     "{'spec':{'a':9,'fixed':'x','list':[]}}", ""},
    {"new ones are not", SCHEMA_WHOLE, "{'spec':{'a':9}}", "{'spec':{'a':8}}",
     "spec.a: Invalid value: 8: spec.a in body should be less than or equal to 5"},
    {"items go by key", SCHEMA_WHOLE, "{'spec':{'list':[{'k':'x','v':9},{'k':'y','v':1}]}}",
     "{'spec':{'list':[{'k':'y','v':2},{'k':'x','v':9}]}}", ""},
    {"a changed item", SCHEMA_WHOLE, "{'spec':{'list':[{'k':'x','v':1}]}}",
     "{'spec':{'list':[{'k':'x','v':9}]}}",
     "spec.list[0].v: Invalid value: 9: spec.list[0].v in body should be less than or equal to 5"},
    {"immutable", SCHEMA_WHOLE, "{'spec':{'fixed':'x'}}", "{'spec':{'fixed':'y'}}",
     "spec.fixed: Invalid value: \"string\": is immutable"},
    {"set for the first time", SCHEMA_WHOLE, "{'spec':{}}", "{'spec':{'fixed':'y'}}", ""},
    {"status alone (R21)", SCHEMA_STATUS, "{'spec':{'a':9}}", "{'spec':{'a':8},'status':{'n':'x'}}",
     "[status.n: Invalid value: \"string\": status.n in body must be of type integer: \"string\", "
     "<nil>: Invalid value: \"null\": some validation rules were not checked because the object "
     "was invalid; correct the existing errors to complete validation]"},
};
/* clang-format on */

static void test_updates(void **state)
{
    struct schema *schema = schema_of(updated);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(update_rows); i++) {
        const struct update_row *row = &update_rows[i];
        char *message = validate(schema, row->part, row->object, row->old);

        if (strcmp(message, row->want) != 0)
            fail_msg("%s: got %s", row->name, message);
        free(message);
    }
    schema_unref(schema);
}

/* clang-format off */
static const struct prune_row {
    const char *name;
    const char *schema;
    const char *object;
    const char *want;
    const char *unknown; /* joined by commas */
} prune_rows[] = {
    {"known", OBJECT("'a':{'type':'string'}"), "{'a':'x'}", "{'a':'x'}", ""},
    {"unknown", OBJECT("'spec':{'type':'object','properties':{'a':{'type':'string'}}}"),
     "{'spec':{'a':'x','foo':1},'bar':2}", "{'spec':{'a':'x'}}", "spec.foo,bar"},
    {"what every object has stays", OBJECT(""),
     "{'apiVersion':'v','kind':'K','metadata':{'x':1},'y':1}",
     "{'apiVersion':'v','kind':'K','metadata':{'x':1}}", "y"},
    {"in a list", OBJECT("'l':{'type':'array','items':{'type':'object','properties':"
     "{'a':{'type':'string'}}}}"), "{'l':[{'x':1},{'a':'y'}]}", "{'l':[{},{'a':'y'}]}", "l[0].x"},
    {"in a map", OBJECT("'m':{'type':'object','additionalProperties':{'type':'object',"
     "'properties':{'a':{'type':'string'}}}}"), "{'m':{'k':{'a':'1','b':2}}}",
     "{'m':{'k':{'a':'1'}}}", "m.k.b"},
    {"preserved, but not below what is specified", OBJECT("'a':{'type':'object',"
     "'x-kubernetes-preserve-unknown-fields':true,'properties':{'b':{'type':'object'}}}"),
     "{'a':{'x':{'y':1},'b':{'z':1}}}", "{'a':{'x':{'y':1},'b':{}}}", "a.b.z"},
    {"any map", OBJECT("'a':{'type':'object','additionalProperties':true}"), "{'a':{'x':{'y':1}}}",
     "{'a':{'x':{'y':1}}}", ""},
    {"embedded", OBJECT("'a':{'type':'object','x-kubernetes-embedded-resource':true,"
     "'properties':{'spec':{'type':'object'}}}"), "{'a':{'kind':'K','metadata':{},'z':1}}",
     "{'a':{'kind':'K','metadata':{}}}", "a.z"},
    {"a wrong type is left to validation", OBJECT("'a':{'type':'object'}"), "{'a':[{'x':1}]}",
     "{'a':[{'x':1}]}", ""},
};

static const struct prune_row default_rows[] = {
    {"absent", OBJECT("'a':{'type':'integer','default':5}"), "{}", "{'a':5}", ""},
    {"present", OBJECT("'a':{'type':'integer','default':5}"), "{'a':1}", "{'a':1}", ""},
    {"null is absent (R14)", OBJECT("'a':{'type':'integer','default':5}"), "{'a':null}", "{'a':5}",
     ""},
    {"null without default goes", OBJECT("'a':{'type':'integer'}"), "{'a':null}", "{}", ""},
    {"null where it may be", OBJECT("'a':{'type':'integer','nullable':true,'default':5}"),
     "{'a':null}", "{'a':null}", ""},
    {"parents first (R12)", OBJECT("'a':{'type':'object','default':{},'properties':"
     "{'b':{'type':'integer','default':5}}}"), "{}", "{'a':{'b':5}}", ""},
    {"not without the parent", OBJECT("'a':{'type':'object','properties':"
     "{'b':{'type':'integer','default':5}}}"), "{}", "{}", ""},
    {"in lists and maps", OBJECT("'l':{'type':'array','items':{'type':'object','properties':"
     "{'b':{'type':'integer','default':5}}}},'m':{'type':'object','additionalProperties':"
     "{'type':'object','properties':{'c':{'type':'string','default':'x'}}}}"),
     "{'l':[{}],'m':{'k':{}}}", "{'l':[{'b':5}],'m':{'k':{'c':'x'}}}", ""},
};
/* clang-format on */

static char *joined(struct schema_unknown *unknown)
{
    struct buffer buffer = BUFFER_INIT(TEXT_BYTES_MAX);

    for (size_t i = 0; i < unknown->count; i++)
        buffer_append_format(&buffer, "%s%s", i == 0 ? "" : ",", unknown->paths[i]);
    schema_unknown_release(unknown);
    return buffer_take(&buffer, NULL);
}

static void check_prune_row(const struct prune_row *row, bool prune)
{
    struct schema *schema = schema_of(row->schema);
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct json_object *object = quoted(row->object);
    struct json_object *want = quoted(row->want);
    char *names;

    if (prune)
        schema_prune(schema, object, &unknown);
    else
        schema_default(schema, object);
    names = joined(&unknown);
    if (!json_equal(object, want))
        fail_msg("%s: got %s", row->name, json_object_to_json_string(object));
    if (strcmp(names, row->unknown) != 0)
        fail_msg("%s: unknown %s", row->name, names);
    free(names);
    json_object_put(want);
    json_object_put(object);
    schema_unref(schema);
}

static void test_prune(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(prune_rows); i++)
        check_prune_row(&prune_rows[i], true);
}

static void test_default(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(default_rows); i++)
        check_prune_row(&default_rows[i], false);
}

static void test_prune_limit(void **state)
{
    struct schema *schema = schema_of("{'type':'object'}");
    struct schema_unknown unknown = SCHEMA_UNKNOWN_INIT;
    struct json_object *object = json_object_new_object();
    char key[32];

    (void)state;
    for (int i = 0; i <= SCHEMA_UNKNOWN_MAX; i++) {
        snprintf(key, sizeof(key), "k%d", i);
        json_set_int64(object, key, i);
    }
    schema_prune(schema, object, &unknown);
    assert_int_equal(unknown.count, SCHEMA_UNKNOWN_MAX);
    assert_int_equal(json_object_object_length(object), 0);
    schema_unknown_release(&unknown);
    json_object_put(object);
    schema_unref(schema);
}

/* {"a":["","",...]} of so many, and what is wrong with it. */
static char *validate_items(const char *items, const char *item, size_t count)
{
    char *text = xprintf(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":%s}}}", items);
    struct schema *schema = schema_of(text);
    struct json_object *object = json_object_new_object();
    struct json_object *list = json_object_new_array();
    struct buffer message = BUFFER_INIT(4 * 1024 * 1024);
    struct field_errors errors = FIELD_ERRORS_INIT;

    for (size_t i = 0; i < count; i++)
        json_add(list, json_object_new_string(item));
    json_set(object, "a", list);
    schema_validate(schema, SCHEMA_WHOLE, object, NULL, &errors, NULL);
    field_errors_append_message(&errors, &message);
    field_errors_release(&errors);
    json_object_put(object);
    schema_unref(schema);
    free(text);
    return buffer_take(&message, NULL);
}

/* An object that would take minutes is looked at for a while, and refused. */
static void test_step_limit(void **state)
{
    static const char too_many[] = "Internal error: the object takes too many steps to validate";
    static const struct {
        const char *items;
        const char *item;
        size_t count;
        bool too_many;
    } cases[] = {
        {"{\"type\":\"string\"}",                                                 "x",                                   100000,  false},
        {"{\"type\":\"string\",\"pattern\":\"^[a-z]+$\"}",                        "x",                                   100000,  false},
        {"{\"type\":\"string\",\"pattern\":\"^(a+)+$\"}",                         "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!",
         1000,                                                                                                                    true },
        {"{\"type\":\"string\",\"anyOf\":[{\"minLength\":2},{\"minLength\":1}]}", "x",                                   1000000,
         true                                                                                                                          },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *message = validate_items(cases[i].items, cases[i].item, cases[i].count);

        if ((strstr(message, too_many) != NULL) != cases[i].too_many)
            fail_msg("case %zu: %.200s", i, message);
        free(message);
    }
}

/* Defaults of a list's items stop where nothing could be stored any more. */
static void test_default_limit(void **state)
{
    char *item = xprintf("{\"type\":\"object\",\"properties\":{\"b\":{\"type\":\"string\","
                         "\"default\":\"%01000d\"}}}",
                         0);
    char *text = xprintf(
        "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"array\",\"items\":%s}}}", item);
    struct schema *schema = schema_of(text);
    struct json_object *object = json_object_new_object();
    struct json_object *list = json_object_new_array();
    size_t size = 0;

    (void)state;
    for (size_t i = 0; i < 100000; i++)
        json_add(list, json_object_new_object());
    json_set(object, "a", list);
    schema_default(schema, object);
    free(json_to_text(object, &size));
    assert_in_range(size, 2 * 1024 * 1024, 3 * 1024 * 1024);
    json_object_put(object);
    schema_unref(schema);
    free(text);
    free(item);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),          cmocka_unit_test(test_updates),
        cmocka_unit_test(test_prune),         cmocka_unit_test(test_default),
        cmocka_unit_test(test_prune_limit),   cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_default_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
