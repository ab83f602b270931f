/* Values as Go prints them. */
#include "fakeapi/patch/go_value.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

static const struct row {
    const char *json;
    const char *want;
} rows[] = {
    {"null",                                  "<nil>"                       },
    {"{}",                                    "map[]"                       },
    {"[]",                                    "[]"                          },
    {"{\"b\":\"x y\",\"a\":1,\"$c\":null}",   "map[$c:<nil> a:1 b:x y]"     },
    {"[{\"name\":\"a\"},\"b\",true,[1,2.5]]", "[map[name:a] b true [1 2.5]]"},
};

static void test_values(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buffer text = BUFFER_INIT(256);
        struct json_object *value;
        struct error err = ERROR_INIT;

        assert_true(json_parse(rows[i].json, strlen(rows[i].json), 256, &value, &err));
        go_value_append(&text, value);
        assert_string_equal(buffer_text(&text), rows[i].want);
        buffer_release(&text);
        json_object_put(value);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_values)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
