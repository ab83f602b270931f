/* Trees: parsing, reading, comparing, copying and building. */
#include "controller/base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static struct json_object *parse(const char *text)
{
    struct json_object *value = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(text, strlen(text), SIZE_MAX, &value, &err))
        fail_msg("%s: %s", text, err.text);
    return value;
}

static void test_parsing(void **state)
{
    struct json_object *value = parse(" {\"b\":[1,\"x\"],\"a\":null} ");
    struct json_object_iterator first;

    (void)state;
    assert_true(json_is(value, json_type_object));
    first = json_object_iter_begin(value);
    assert_string_equal(json_object_iter_peek_name(&first), "b"); /* in the text's order */
    json_object_put(value);
    assert_null(parse("null"));
    value = parse("12"); /* ends where the text ends */
    assert_int_equal(json_object_get_int64(value), 12);
    json_object_put(value);
    value = parse("-1.5");
    assert_true(json_object_get_double(value) == -1.5);
    json_object_put(value);
}

static void test_members(void **state)
{
    struct json_object *value =
        parse("{\"t\":\"x\",\"nul\":\"a\\u0000b\",\"n\":5,\"d\":5.0,\"yes\":true,\"null\":null,"
              "\"o\":{\"p\":{\"q\":\"deep\"}},\"l\":[1],\"min\":-9223372036854775808,"
              "\"max\":9223372036854775807,\"past\":9223372036854775808}");

    (void)state;
    assert_string_equal(json_get_text(value, "t"), "x");
    assert_null(json_get_text(value, "nul"));
    assert_null(json_get_text(value, "n"));
    assert_null(json_get_text(value, "absent"));
    assert_int_equal(json_get_int64(value, "n", -1), 5);
    assert_int_equal(json_get_int64(value, "d", -1), -1);
    assert_int_equal(json_get_int64(value, "t", -1), -1);
    assert_int_equal(json_get_int64(value, "absent", -1), -1);
    assert_true(json_get_int64(value, "min", -1) == INT64_MIN);
    assert_true(json_get_int64(value, "max", -1) == INT64_MAX);
    assert_int_equal(json_get_int64(value, "past", -1), -1);
    assert_true(json_get_bool(value, "yes", false));
    assert_true(json_get_bool(value, "n", true));
    assert_false(json_get_bool(value, "absent", false));
    assert_null(json_get(value, "null"));
    assert_non_null(json_get(value, "n"));
    assert_non_null(json_get_object(value, "o"));
    assert_null(json_get_object(value, "l"));
    assert_non_null(json_get_array(value, "l"));
    assert_null(json_get_array(value, "o"));
    assert_string_equal(json_text(json_walk(value, "o", "p", "q", NULL)), "deep");
    assert_null(json_walk(value, "o", "x", "q", NULL));
    assert_null(json_walk(value, "l", "p", NULL));
    json_object_put(value);
}

static void test_no_tree(void **state)
{
    (void)state;
    assert_null(json_get(NULL, "a"));
    assert_null(json_walk(NULL, "a", "b", NULL));
    assert_null(json_get_text(NULL, "a"));
    assert_int_equal(json_get_int64(NULL, "a", 3), 3);
    assert_true(json_get_bool(NULL, "a", true));
    assert_null(json_get_object(NULL, "a"));
    assert_null(json_get_array(NULL, "a"));
    assert_null(json_text(NULL));
    assert_true(json_is(NULL, json_type_null));
    assert_false(json_is(NULL, json_type_object));
    assert_null(json_copy(NULL));
}

static const struct {
    const char *a;
    const char *b;
    bool equal;
} equal_rows[] = {
    {"null",                    "null",                   true },
    {"null",                    "false",                  false},
    {"null",                    "0",                      false},
    {"true",                    "true",                   true },
    {"true",                    "false",                  false},
    {"true",                    "1",                      false},
    {"1",                       "1",                      true },
    {"1",                       "2",                      false},
    {"1",                       "1.0",                    true },
    {"1",                       "\"1\"",                  false},
    {"100",                     "1e2",                    true },
    {"1.5",                     "15e-1",                  true },
    {"1",                       "1.5",                    false},
    {"-1",                      "-1.0",                   true },
    {"-1",                      "18446744073709551615",   false},
    {"0",                       "-0.0",                   true },
    {"9223372036854775807",     "9223372036854775807",    true },
    {"9223372036854775807",     "9223372036854775808",    false},
    {"9223372036854775808",     "9223372036854775809",    false},
    {"18446744073709551615",    "18446744073709551615",   true },
    {"9223372036854775807",     "9223372036854775807.0",  false}, /* it is 2^63 */
    {"9223372036854775808",     "9223372036854775808.0",  true },
    {"18446744073709551615",    "18446744073709551616.0", false},
    {"-9223372036854775808",    "-9223372036854775808.0", true },
    {"-9223372036854775808",    "-9223372036854777856.0", false},
    {"9007199254740993",        "9007199254740992.0",     false},
    {"18446744073709549568",    "18446744073709549568.0", true },
    {"1",                       "1e300",                  false},
    {"\"a\"",                   "\"a\"",                  true },
    {"\"a\"",                   "\"b\"",                  false},
    {"\"a\\u0000b\"",           "\"a\\u0000c\"",          false},
    {"\"a\\u0000b\"",           "\"a\\u0000b\"",          true },
    {"[]",                      "[]",                     true },
    {"[]",                      "{}",                     false},
    {"[1,2]",                   "[1,2]",                  true },
    {"[1,2]",                   "[2,1]",                  false},
    {"[1,2]",                   "[1]",                    false},
    {"[null]",                  "[]",                     false},
    {"{\"a\":1,\"b\":2}",       "{\"b\":2,\"a\":1}",      true },
    {"{\"a\":1}",               "{\"a\":2}",              false},
    {"{\"a\":1}",               "{\"b\":1}",              false},
    {"{\"a\":1}",               "{\"a\":1,\"b\":null}",   false},
    {"{\"a\":null}",            "{\"b\":null}",           false},
    {"{\"a\":null}",            "{\"a\":null}",           true },
    {"{\"a\":[{\"b\":[1.0]}]}", "{\"a\":[{\"b\":[1]}]}",  true },
};

static void test_equality(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(equal_rows); i++) {
        struct json_object *a = parse(equal_rows[i].a);
        struct json_object *b = parse(equal_rows[i].b);

        if (json_equal(a, b) != equal_rows[i].equal || json_equal(b, a) != equal_rows[i].equal)
            fail_msg("%s and %s", equal_rows[i].a, equal_rows[i].b);
        assert_true(json_equal(a, a));
        json_object_put(a);
        json_object_put(b);
    }
}

static void test_copying(void **state)
{
    static const char text[] = "{\"a\":[1,2.50,18446744073709551615,\"x\\u0000y\",null,true],"
                               "\"b\":{\"c\":{}}}";
    struct json_object *value = parse(text);
    struct json_object *copy = json_copy(value);
    char *written;

    (void)state;
    assert_true(json_equal(value, copy));
    json_set_int64(json_get_object(copy, "b"), "c", 1);
    assert_false(json_equal(value, copy));
    json_object_put(copy);
    copy = json_copy(value);
    json_object_put(value); /* the copy stands alone */
    written = json_to_text(copy, NULL);
    assert_string_equal(written, text);
    free(written);
    json_object_put(copy);
}

static void test_building(void **state)
{
    struct json_object *object = json_object_new_object();
    struct json_object *array = json_object_new_array();
    char *text;
    size_t size;

    (void)state;
    json_set_text(object, "a", "x");
    json_set_int64(object, "b", -5);
    json_set_bool(object, "c", false);
    json_set(object, "d", NULL);
    json_set_text(object, "a", "replaced");
    json_add(array, NULL);
    json_add(array, json_object_new_int64(1));
    json_set(object, "e", array);
    json_set_text(json_ensure_object(object, "f"), "g", "h");
    json_set_text(json_ensure_object(object, "f"), "i", "j");
    json_set_bool(json_ensure_object(object, "b"), "was a number", true);
    text = json_to_text(object, &size);
    assert_string_equal(text, "{\"a\":\"replaced\",\"b\":{\"was a number\":true},\"c\":false,"
                              "\"d\":null,\"e\":[null,1],\"f\":{\"g\":\"h\",\"i\":\"j\"}}");
    assert_int_equal(size, strlen(text));
    free(text);
    json_object_put(object);
}

static void test_keys_are_copied(void **state)
{
    struct json_object *object = json_object_new_object();
    char key[] = "key";

    (void)state;
    json_set_bool(object, key, true);
    key[0] = 'x';
    assert_true(json_get_bool(object, "key", false));
    json_object_put(object);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsing),         cmocka_unit_test(test_members),
        cmocka_unit_test(test_no_tree),         cmocka_unit_test(test_equality),
        cmocka_unit_test(test_copying),         cmocka_unit_test(test_building),
        cmocka_unit_test(test_keys_are_copied),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
