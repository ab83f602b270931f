/* The builder against json-c's own tokener: the same trees of the same texts. */
#include "controller/base/json_build.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json_tokener.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"

static const char *const texts[] = {
    "null",
    " true ",
    "false",
    "0",
    "-0",
    "-12",
    "[9223372036854775807,-9223372036854775808,9223372036854775808,18446744073709551615]",
    "[1.0,2.50,-0.0,1e5,1E+22,0.1e-7,5e-324,1.7976931348623157e308]",
    "\"\"",
    "\"abc\"",
    "\"\\b\\f\\n\\r\\t\\/\\\\\\\"\\u00e9\xc3\xa9\"",
    "\"a\\u0000b\"",
    "[\"\\ud800\",\"\\udc00\",\"\\ud83d\\ude00\",\"\\ud800\\ud83d\\ude00\",\"\\ud800x\"]",
    "[]",
    " [ 1 , [ ] , { } , [ [ 2 ] ] ] ",
    "{}",
    "{\"a\":1,\"b\":{\"c\":[null,{\"d\":\"e\"}]},\"\":0}",
    " { \"a\" : 1 , \"b\" : [ true , false ] } ",
    "{\"k\\n\\u0065y\":1,\"\\ud83d\\ude00\":2}",
    "{\"a key that is longer than what most keys of any kind of manifest will ever be, I "
    "trust\":{}}",
    "{\"a key that is longer than most, and escaped: "
    "\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\\\"\":{\"x\":1}}",
};

static void test_same_trees(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        size_t size = strlen(texts[i]);
        char *copy = xcalloc(size, 1); /* so that a read past its end is seen */
        struct json_object *built;
        struct json_object *want;
        char *built_text;
        char *want_text;

        memcpy(copy, texts[i], size);
        built = json_build(copy, size, false);
        free(copy);
        want = json_tokener_parse(texts[i]);
        built_text = json_to_text(built, NULL);
        want_text = json_to_text(want, NULL);
        if (!json_equal(built, want) || strcmp(built_text, want_text) != 0)
            fail_msg("%s: got %s, not %s", texts[i], built_text, want_text);
        free(built_text);
        free(want_text);
        json_object_put(built);
        json_object_put(want);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_trees),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
