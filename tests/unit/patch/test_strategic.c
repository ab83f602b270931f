#include "fakeapi/patch/strategic.h"

#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

/* JSON with ' for ". */
static struct json_object *parse(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    char *json = xstrdup(text);

    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    if (!json_parse(json, strlen(json), 1024 * 1024, &value, &err))
        fail_msg("%s: %s", text, err.text);
    free(json);
    return value;
}

/* clang-format off */
static const struct row {
    const char *name;
    const char *kind;
    const char *document;
    const char *patch;
    const char *want; /* NULL: it must fail with want_kind */
    enum error_kind want_kind;
} rows[] = {
    {"members merge", "Pod", "{'a':{'x':1},'b':2}", "{'a':{'y':2},'b':null}",
     "{'a':{'x':1,'y':2}}", ERROR_NONE},
    {"nulls in what is new", "Pod", "{}", "{'a':{'x':null,'y':1}}", "{'a':{'y':1}}", ERROR_NONE},
    {"other lists are replaced (P14)", "Pod", "{'args':['a','b']}", "{'args':['c']}",
     "{'args':['c']}", ERROR_NONE},
    {"containers by name (P13)", "Pod", "{'containers':[{'name':'a','image':'1'},{'name':'b'}]}",
     "{'containers':[{'name':'a','tty':true},{'name':'c'}]}",
     "{'containers':[{'name':'a','image':'1','tty':true},{'name':'c'},{'name':'b'}]}", ERROR_NONE},
    {"new ones come first (P20)", "Pod", "{'containers':[{'name':'a'},{'name':'b'}]}",
     "{'containers':[{'name':'c'},{'name':'b'}]}",
     "{'containers':[{'name':'c'},{'name':'a'},{'name':'b'}]}" , ERROR_NONE},
    {"one named twice is there once", "Pod", "{'finalizers':['a']}",
     "{'finalizers':['b','b','a']}", "{'finalizers':['b','a']}", ERROR_NONE},
    {"into a list that is missing", "Pod", "{}", "{'env':[{'name':'a','value':'x'}]}",
     "{'env':[{'name':'a','value':'x'}]}", ERROR_NONE},
    {"ports of a container", "Pod", "{'ports':[{'containerPort':1,'port':9}]}",
     "{'ports':[{'containerPort':1,'name':'x'}]}",
     "{'ports':[{'containerPort':1,'port':9,'name':'x'}]}", ERROR_NONE},
    {"ports of a Service", "Service", "{'ports':[{'port':1}]}", "{'ports':[{'port':1,'name':'x'}]}",
     "{'ports':[{'port':1,'name':'x'}]}", ERROR_NONE},
    {"secrets are a plain list elsewhere", "Pod", "{'secrets':[{'name':'a'}]}",
     "{'secrets':[{'name':'b'}]}", "{'secrets':[{'name':'b'}]}", ERROR_NONE},
    {"a set", "Pod", "{'finalizers':['a','b']}", "{'finalizers':['b','c']}",
     "{'finalizers':['a','b','c']}", ERROR_NONE},
    {"out of a set (P17)", "Pod", "{'finalizers':['a','b']}",
     "{'$deleteFromPrimitiveList/finalizers':['a'],'finalizers':['c']}",
     "{'finalizers':['c','b']}", ERROR_NONE},
    {"replace an object (P15)", "Pod", "{'a':{'x':1}}", "{'a':{'$patch':'replace','y':2}}",
     "{'a':{'y':2}}", ERROR_NONE},
    {"clear an object", "Pod", "{'a':{'x':1}}", "{'a':{'$patch':'delete'}}", "{'a':{}}",
     ERROR_NONE},
    {"merge is what happens anyway", "Pod", "{'a':{'x':1}}", "{'a':{'$patch':'merge','y':2}}",
     "{'a':{'x':1,'y':2}}", ERROR_NONE},
    {"delete an item", "Pod", "{'env':[{'name':'a'},{'name':'b'}]}",
     "{'env':[{'name':'a','$patch':'delete'}]}", "{'env':[{'name':'b'}]}", ERROR_NONE},
    {"delete an item that is not there", "Pod", "{'env':[{'name':'b'}]}",
     "{'env':[{'name':'a','$patch':'delete'}]}", "{'env':[{'name':'b'}]}", ERROR_NONE},
    {"replace a whole list", "Pod", "{'env':[{'name':'a'},{'name':'b'}]}",
     "{'env':[{'$patch':'replace'},{'name':'c'}]}", "{'env':[{'name':'c'}]}", ERROR_NONE},
    {"retain keys (P16)", "Deployment", "{'strategy':{'type':'RollingUpdate','rollingUpdate':{}}}",
     "{'strategy':{'$retainKeys':['type'],'type':'Recreate'}}",
     "{'strategy':{'type':'Recreate'}}", ERROR_NONE},
    {"a key that is not retained", "Deployment", "{}", "{'s':{'$retainKeys':['a'],'b':1}}", NULL,
     ERROR_MALFORMED},
    {"retain keys that are no list", "Deployment", "{}", "{'s':{'$retainKeys':'a'}}", NULL,
     ERROR_MALFORMED},
    {"order (P18)", "Pod", "{'containers':[{'name':'a'},{'name':'b'}]}",
     "{'$setElementOrder/containers':[{'name':'b'},{'name':'a'}],'containers':[{'name':'b','x':1}]}",
     "{'containers':[{'name':'b','x':1},{'name':'a'}]}", ERROR_NONE},
    {"others stay where they were", "Pod",
     "{'containers':[{'name':'s'},{'name':'a'},{'name':'t'},{'name':'b'}]}",
     "{'$setElementOrder/containers':[{'name':'a'},{'name':'b'},{'name':'c'}],"
     "'containers':[{'name':'c'}]}",
     "{'containers':[{'name':'s'},{'name':'a'},{'name':'t'},{'name':'b'},{'name':'c'}]}",
     ERROR_NONE},
    {"order of a set", "Pod", "{'finalizers':['a','b']}",
     "{'$setElementOrder/finalizers':['b','a'],'finalizers':['b']}", "{'finalizers':['b','a']}",
     ERROR_NONE},
    {"no key (P19)", "Pod", "{}", "{'env':[{'value':'x'}]}", NULL, ERROR_INTERNAL},
    {"an item that is no object", "Pod", "{}", "{'env':['x']}", NULL, ERROR_INTERNAL},
    {"an unknown directive", "Pod", "{'a':{}}", "{'a':{'$patch':'poke'}}", NULL, ERROR_INTERNAL},
    {"no object", "Pod", "{}", "[]", NULL, ERROR_MALFORMED},
};
/* clang-format on */

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct json_object *document = parse(rows[i].document);
        struct json_object *before = json_copy(document);
        struct json_object *patch = parse(rows[i].patch);
        struct json_object *want = rows[i].want == NULL ? NULL : parse(rows[i].want);
        struct json_object *result = NULL;
        struct error err = ERROR_INIT;
        bool ok = patch_apply_strategic(document, patch, rows[i].kind, &result, &err);

        if (ok != (rows[i].want != NULL))
            fail_msg("%s: %s", rows[i].name, ok ? "applied" : err.text);
        if (ok && !json_equal(result, want))
            fail_msg("%s: got %s", rows[i].name, json_object_to_json_string(result));
        if (!ok && err.kind != rows[i].want_kind)
            fail_msg("%s: %s", rows[i].name, err.text);
        assert_true(json_equal(document, before));
        json_object_put(result);
        json_object_put(want);
        json_object_put(patch);
        json_object_put(before);
        json_object_put(document);
    }
}

static bool merges(size_t items)
{
    struct json_object *document = json_object_new_object();
    struct json_object *patch = json_object_new_object();
    struct json_object *list = json_object_new_array();
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    for (size_t i = 0; i < items; i++)
        json_add(list, json_object_new_int64((int64_t)i));
    json_set(patch, "finalizers", list);
    ok = patch_apply_strategic(document, patch, "Pod", &result, &err);
    json_object_put(result);
    json_object_put(patch);
    json_object_put(document);
    return ok;
}

static void test_limit(void **state)
{
    (void)state;
    assert_true(merges(STRATEGIC_ITEMS_MAX));
    assert_false(merges(STRATEGIC_ITEMS_MAX + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
