#include <json-c/json.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "fakeapi/patch/patch.h"

#define TEXT_BYTES_MAX (8 * 1024 * 1024)

/* JSON with ' for ". */
static struct json_object *parse(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;
    char *json = xstrdup(text);

    for (char *at = json; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    if (!json_parse(json, strlen(json), TEXT_BYTES_MAX, &value, &err))
        fail_msg("%s: %s", text, err.text);
    free(json);
    return value;
}

/* want NULL: the patch must fail with want_kind. */
struct row {
    const char *name;
    const char *document;
    const char *patch;
    const char *want;
    enum error_kind want_kind;
};

/* clang-format off */
static const struct row operation_rows[] = {
    {"none", "{'a':1}", "[]", "{'a':1}", ERROR_NONE},
    {"add a member", "{'a':1}",
     "[{'op':'add','path':'/b','value':2}]", "{'a':1,'b':2}", ERROR_NONE},
    {"add replaces a member (P10)", "{'a':1}",
     "[{'op':'add','path':'/a','value':2}]", "{'a':2}", ERROR_NONE},
    {"add into a list", "[1,3]", "[{'op':'add','path':'/1','value':2}]", "[1,2,3]", ERROR_NONE},
    {"add at the front", "[1]", "[{'op':'add','path':'/0','value':{}}]", "[{},1]", ERROR_NONE},
    {"add at the length appends", "[1]",
     "[{'op':'add','path':'/1','value':2}]", "[1,2]", ERROR_NONE},
    {"add behind the length", "[1]", "[{'op':'add','path':'/2','value':2}]", NULL, ERROR_INVALID},
    {"add with a dash appends", "{'l':[1]}",
     "[{'op':'add','path':'/l/-','value':2}]", "{'l':[1,2]}", ERROR_NONE},
    {"add below what is missing (P11)", "{'metadata':{}}",
     "[{'op':'add','path':'/metadata/annotations/x','value':'y'}]", NULL, ERROR_INVALID},
    {"add below a number", "{'a':1}",
     "[{'op':'add','path':'/a/b','value':1}]", NULL, ERROR_INVALID},
    {"add the whole", "{'a':1}", "[{'op':'add','path':'','value':[1]}]", "[1]", ERROR_NONE},
    {"add null", "{}", "[{'op':'add','path':'/a','value':null}]", "{'a':null}", ERROR_NONE},
    {"escapes", "{'a/b':1,'m~n':2}",
     "[{'op':'remove','path':'/a~1b'},{'op':'replace','path':'/m~0n','value':3}]",
     "{'m~n':3}", ERROR_NONE},
    {"~01 is ~1", "{'~1':1}", "[{'op':'remove','path':'/~01'}]", "{}", ERROR_NONE},
    {"broken escape", "{'~2':1}", "[{'op':'remove','path':'/~2'}]", NULL, ERROR_INVALID},
    {"escape at the end", "{'~':1}", "[{'op':'remove','path':'/~'}]", NULL, ERROR_INVALID},
    {"empty names", "{'':{'':1}}",
     "[{'op':'replace','path':'//','value':2}]", "{'':{'':2}}", ERROR_NONE},
    {"no slash in front", "{'a':1}", "[{'op':'remove','path':'a'}]", NULL, ERROR_INVALID},
    {"remove a member", "{'a':1,'b':2}", "[{'op':'remove','path':'/a'}]", "{'b':2}", ERROR_NONE},
    {"remove what is missing", "{'a':1}", "[{'op':'remove','path':'/b'}]", NULL, ERROR_INVALID},
    {"remove an item", "[1,2,3]", "[{'op':'remove','path':'/1'}]", "[1,3]", ERROR_NONE},
    {"remove the last item by -1", "[1,2,3]",
     "[{'op':'remove','path':'/-1'}]", "[1,2]", ERROR_NONE},
    {"index too far below", "[1]", "[{'op':'remove','path':'/-2'}]", NULL, ERROR_INVALID},
    {"remove past the end", "[1]", "[{'op':'remove','path':'/1'}]", NULL, ERROR_INVALID},
    {"index that is none", "[1]", "[{'op':'remove','path':'/x'}]", NULL, ERROR_INVALID},
    {"remove the whole", "{'a':1}", "[{'op':'remove','path':''}]", NULL, ERROR_INVALID},
    {"replace", "{'a':{'b':1}}",
     "[{'op':'replace','path':'/a/b','value':[]}]", "{'a':{'b':[]}}", ERROR_NONE},
    {"replace what is missing (P9)", "{}",
     "[{'op':'replace','path':'/a','value':1}]", "{'a':1}", ERROR_NONE},
    {"replace below what is missing", "{}",
     "[{'op':'replace','path':'/a/b','value':1}]", NULL, ERROR_INVALID},
    {"replace an item that is missing", "{'a':[1]}",
     "[{'op':'replace','path':'/a/1','value':1}]", NULL, ERROR_INVALID},
    {"replace an item in its place", "[1,2,3]",
     "[{'op':'replace','path':'/1','value':9}]", "[1,9,3]", ERROR_NONE},
    {"move", "{'a':{'x':1},'b':{}}",
     "[{'op':'move','from':'/a/x','path':'/b/y'}]", "{'a':{},'b':{'y':1}}", ERROR_NONE},
    {"move within a list", "[1,2,3]",
     "[{'op':'move','from':'/0','path':'/2'}]", "[2,3,1]", ERROR_NONE},
    {"move onto itself", "{'a':1}",
     "[{'op':'move','from':'/a','path':'/a'}]", "{'a':1}", ERROR_NONE},
    {"move into itself", "{'a':{'b':{}}}",
     "[{'op':'move','from':'/a','path':'/a/b/c'}]", NULL, ERROR_INVALID},
    {"move what is missing", "{}", "[{'op':'move','from':'/a','path':'/b'}]", NULL, ERROR_INVALID},
    {"move to nowhere leaves nothing lost", "{'a':1}",
     "[{'op':'move','from':'/a','path':'/b/c'}]", NULL, ERROR_INVALID},
    {"copy", "{'a':[1]}",
     "[{'op':'copy','from':'/a','path':'/b'},{'op':'add','path':'/b/-','value':2}]",
     "{'a':[1],'b':[1,2]}", ERROR_NONE},
    {"copy what is missing (P9)", "{}", "[{'op':'copy','from':'/a','path':'/b'}]", "{'b':null}",
     ERROR_NONE},
    {"copy from below what is missing", "{}",
     "[{'op':'copy','from':'/a/c','path':'/b'}]", NULL, ERROR_INVALID},
    {"test holds", "{'a':{'b':1,'c':2}}",
     "[{'op':'test','path':'/a','value':{'c':2,'b':1}}]", "{'a':{'b':1,'c':2}}", ERROR_NONE},
    {"test fails", "{'a':1}", "[{'op':'test','path':'/a','value':2}]", NULL, ERROR_INVALID},
    {"test of a type", "{'a':1}", "[{'op':'test','path':'/a','value':'1'}]", NULL, ERROR_INVALID},
    {"test of what is missing", "{}", "[{'op':'test','path':'/a','value':1}]", NULL, ERROR_INVALID},
    {"missing equals null", "{}", "[{'op':'test','path':'/a','value':null}]", "{}", ERROR_NONE},
    {"missing parent does not", "{}",
     "[{'op':'test','path':'/a/b','value':null}]", NULL, ERROR_INVALID},
    {"test of the whole", "{'a':1}",
     "[{'op':'test','path':'','value':{'a':1}}]", "{'a':1}", ERROR_NONE},
    {"unknown operation", "{}", "[{'op':'poke','path':'/a'}]", NULL, ERROR_INVALID},
    {"no operation", "{}", "[{'path':'/a'}]", NULL, ERROR_INVALID},
    {"no path", "{}", "[{'op':'add','value':1}]", NULL, ERROR_INVALID},
    {"no from", "{}", "[{'op':'move','path':'/a'}]", NULL, ERROR_INVALID},
    {"all or nothing", "{'a':1}",
     "[{'op':'remove','path':'/a'},{'op':'remove','path':'/a'}]", NULL, ERROR_INVALID},
    {"not a list", "{}", "{'op':'add'}", NULL, ERROR_MALFORMED},
    {"an item that is no object", "{}", "[1]", NULL, ERROR_MALFORMED},
};
/* clang-format on */

/* clang-format off */
static const struct row merge_rows[] = { /* RFC 7386, appendix A, and P12 */
    {"replace", "{'a':'b'}", "{'a':'c'}", "{'a':'c'}", ERROR_NONE},
    {"add", "{'a':'b'}", "{'b':'c'}", "{'a':'b','b':'c'}", ERROR_NONE},
    {"delete", "{'a':'b'}", "{'a':null}", "{}", ERROR_NONE},
    {"delete one of two", "{'a':'b','b':'c'}", "{'a':null}", "{'b':'c'}", ERROR_NONE},
    {"list by text", "{'a':['b']}", "{'a':'c'}", "{'a':'c'}", ERROR_NONE},
    {"text by list", "{'a':'c'}", "{'a':['b']}", "{'a':['b']}", ERROR_NONE},
    {"deep", "{'a':{'b':'c'}}", "{'a':{'b':'d','c':null}}", "{'a':{'b':'d'}}", ERROR_NONE},
    {"lists do not merge", "{'a':[{'b':'c'}]}", "{'a':[1]}", "{'a':[1]}", ERROR_NONE},
    {"null that was there", "{'e':null}", "{'a':1}", "{'e':null,'a':1}", ERROR_NONE},
    {"nulls in what is new", "{}", "{'a':{'bb':{'ccc':null}}}", "{'a':{'bb':{}}}", ERROR_NONE},
    {"object by list", "{'a':{'b':1}}", "{'a':[1,2]}", "{'a':[1,2]}", ERROR_NONE},
    {"list by object", "[1,2]", "{'a':'b','c':null}", "{'a':'b'}", ERROR_NONE},
    {"nothing", "{'a':{'b':1}}", "{}", "{'a':{'b':1}}", ERROR_NONE},
    {"nulls in lists stay", "{}", "{'a':[null]}", "{'a':[null]}", ERROR_NONE},
    {"not an object", "{'a':1}", "[1]", NULL, ERROR_MALFORMED},
    {"null", "{'a':1}", "null", NULL, ERROR_MALFORMED},
};
/* clang-format on */

typedef bool apply_fn(const struct json_object *document, const struct json_object *patch,
                      struct json_object **ret_result, struct error *err);

static void check_row(const struct row *row, apply_fn *apply)
{
    struct json_object *document = parse(row->document);
    struct json_object *before = json_copy(document);
    struct json_object *patch = parse(row->patch);
    struct json_object *want = row->want == NULL ? NULL : parse(row->want);
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;
    bool ok = apply(document, patch, &result, &err);

    if (ok != (row->want != NULL))
        fail_msg("%s: %s", row->name, ok ? "applied" : err.text);
    if (ok && !json_equal(result, want))
        fail_msg("%s: got %s", row->name, json_object_to_json_string(result));
    if (!ok && err.kind != row->want_kind)
        fail_msg("%s: kind %s", row->name, error_kind_name(err.kind));
    if (!json_equal(document, before))
        fail_msg("%s: the document was changed", row->name);
    json_object_put(result);
    json_object_put(want);
    json_object_put(patch);
    json_object_put(before);
    json_object_put(document);
}

static void test_operations(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(operation_rows); i++)
        check_row(&operation_rows[i], patch_apply_operations);
}

static void test_merge(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(merge_rows); i++)
        check_row(&merge_rows[i], patch_apply_merge);
}

/* count operations that each add null at "/a". */
static struct json_object *many_operations(size_t count)
{
    struct json_object *list = json_object_new_array();

    for (size_t i = 0; i < count; i++)
        json_add(list, parse("{'op':\"add\",\"path\":\"/a\",\"value\":null}"));
    return list;
}

static void test_operation_limit(void **state)
{
    struct json_object *document = parse("{}");
    struct json_object *most = many_operations(PATCH_OPERATIONS_MAX);
    struct json_object *over = many_operations(PATCH_OPERATIONS_MAX + 1);
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(patch_apply_operations(document, most, &result, &err));
    json_object_put(result);
    assert_false(patch_apply_operations(document, over, &result, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_string_equal(err.text,
                        "The allowed maximum operations in a JSON patch is 10000, got 10001");
    json_object_put(over);
    json_object_put(most);
    json_object_put(document);
}

/* Adds so often in front of a list of size items: whether that is allowed. */
static bool shifts_fit(size_t size, size_t times)
{
    struct json_object *document = parse("{'a':[]}");
    struct json_object *patch = json_object_new_array();
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    for (size_t i = 0; i < size; i++)
        json_add(json_get(document, "a"), json_object_new_int(1));
    for (size_t i = 0; i < times; i++)
        json_add(patch, parse("{'op':\"add\",\"path\":\"/a/0\",\"value\":1}"));
    ok = patch_apply_operations(document, patch, &result, &err);
    if (!ok)
        assert_int_equal(err.kind, ERROR_TOO_LARGE);
    json_object_put(result);
    json_object_put(patch);
    json_object_put(document);
    return ok;
}

static void test_step_limit(void **state)
{
    (void)state;
    assert_true(shifts_fit(PATCH_STEPS_MAX / 20 - 20, 20));
    assert_false(shifts_fit(PATCH_STEPS_MAX / 20, 20));
    assert_true(shifts_fit(1000, 1000)); /* 1.5 million */
}

/* Copies a text of size bytes, with its quotes, to two places. */
static bool copies_fit(size_t size)
{
    struct json_object *document = json_object_new_object();
    struct json_object *patch = parse("[{'op':\"copy\",\"from\":\"/a\",\"path\":\"/b\"},"
                                      "{'op':\"copy\",\"from\":\"/a\",\"path\":\"/c\"}]");
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;
    char *text = xcalloc(size, 1);
    bool ok;

    memset(text, 'x', size - 2);
    json_set(document, "a", json_object_new_string_len(text, (int)(size - 2)));
    ok = patch_apply_operations(document, patch, &result, &err);
    if (!ok)
        assert_int_equal(err.kind, ERROR_INVALID);
    free(text);
    json_object_put(result);
    json_object_put(patch);
    json_object_put(document);
    return ok;
}

static void test_copy_limit(void **state)
{
    (void)state;
    assert_true(copies_fit(PATCH_COPY_BYTES_MAX / 2));
    assert_false(copies_fit(PATCH_COPY_BYTES_MAX / 2 + 1));
}

/* {"a":{"a":...{}}}, depth objects deep. */
static struct json_object *nested(size_t depth)
{
    struct json_object *value = json_object_new_object();

    for (size_t i = 1; i < depth; i++) {
        struct json_object *outer = json_object_new_object();

        json_set(outer, "a", value);
        value = outer;
    }
    return value;
}

static bool deepens_to(size_t depth)
{
    struct json_object *document = parse("{}");
    struct json_object *patch = parse("[{'op':\"add\",\"path\":\"/a\",\"value\":null}]");
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;
    bool ok;

    json_set(json_object_array_get_idx(patch, 0), "value", nested(depth - 1));
    ok = patch_apply_operations(document, patch, &result, &err);
    if (!ok)
        assert_int_equal(err.kind, ERROR_INVALID);
    json_object_put(result);
    json_object_put(patch);
    json_object_put(document);
    return ok;
}

static void test_depth_limit(void **state)
{
    struct json_object *document = parse("{\"a\":{}}");
    struct json_object *patch = json_object_new_array();
    struct json_object *result = NULL;
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(deepens_to(JSON_DEPTH_MAX));
    assert_false(deepens_to(JSON_DEPTH_MAX + 1));
    /* each copy is one level deeper */
    for (int i = 0; i < JSON_DEPTH_MAX; i++)
        json_add(patch, parse("{'op':\"copy\",\"from\":\"/a\",\"path\":\"/a/a\"}"));
    assert_false(patch_apply_operations(document, patch, &result, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    json_object_put(patch);
    json_object_put(document);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),      cmocka_unit_test(test_merge),
        cmocka_unit_test(test_operation_limit), cmocka_unit_test(test_step_limit),
        cmocka_unit_test(test_copy_limit),      cmocka_unit_test(test_depth_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
