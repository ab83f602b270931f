/* Writing JSON: what comes in goes out again, in the one compact form. */
#include "controller/base/json.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static const struct {
    const char *name;
    const char *text;
    const char *want; /* NULL: as it came */
} rows[] = {
    {"words",                    "[null,true,false]",                               NULL              },
    {"integers",                 "[0,-1,9223372036854775807,-9223372036854775808]", NULL              },
    {"past int64",               "[9223372036854775808,18446744073709551615]",      NULL              },
    {"minus zero is zero",       "-0",                                              "0"               },
    {"doubles keep their text",  "[1.0,2.50,1e5,1E+22,-0.0,0.1e-7,5e-324]",         NULL              },
    {"empty containers",         "{\"a\":{},\"b\":[]}",                             NULL              },
    {"order",                    "{\"z\":1,\"a\":2,\"m\":3}",                       NULL              },
    {"no space",                 " { \"a\" : [ 1 , 2 ] } ",                         "{\"a\":[1,2]}"   },
    {"slashes",                  "\"a\\/b/c\"",                                     "\"a/b/c\""       },
    {"quotes and backslashes",   "\"\\\"\\\\\"",                                    NULL              },
    {"short escapes",            "\"\\b\\f\\n\\r\\t\"",                             NULL              },
    {"other controls",           "\"\\u0000\\u0001\\u001f\"",                       NULL              },
    {"escapes that need not be", "\"\\u0041\\u00e9\\u2028\\ud83d\\ude00\"",
     "\"A\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80\""                                                      },
    {"DEL and U+2029 stay",      "\"\x7f\xe2\x80\xa9\"",                            NULL              },
    {"half a pair",              "\"\\ud800\"",                                     "\"\xef\xbf\xbd\""},
    {"HTML stays",               "\"<a&b>\"",                                       NULL              },
    {"keys are escaped",         "{\"a\\n\\\"\":1}",                                NULL              },
    {"a NUL among others",       "\"abc\\u0000def\"",                               NULL              },
    {"an escape in a long run",  "\"aaaaaaaaaaaaaaaaaaaaaaa\\naaaaaaaaaaaaaaaa\"",  NULL              },
};

static void test_round_trip(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *want = rows[i].want == NULL ? rows[i].text : rows[i].want;
        struct json_object *value = NULL;
        struct error err = ERROR_INIT;
        char *text;

        if (!json_parse(rows[i].text, strlen(rows[i].text), SIZE_MAX, &value, &err))
            fail_msg("%s: %s", rows[i].name, err.text);
        text = json_to_text(value, NULL);
        if (strcmp(text, want) != 0)
            fail_msg("%s: got %s", rows[i].name, text);
        free(text);
        json_object_put(value);
    }
}

static const struct {
    double number;
    const char *want;
} double_rows[] = {
    {0,        "0.0"                    },
    {-0.0,     "-0.0"                   },
    {1,        "1.0"                    },
    {0.1,      "0.1"                    },
    {0.3,      "0.3"                    },
    {1.5e300,  "1.5e+300"               },
    {1e22,     "1e+22"                  },
    {123456,   "123456.0"               },
    {DBL_MAX,  "1.7976931348623157e+308"},
    {DBL_MIN,  "2.2250738585072014e-308"},
    {INFINITY, "null"                   },
    {NAN,      "null"                   },
};

static void test_new_doubles(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(double_rows); i++) {
        struct json_object *value = json_object_new_double(double_rows[i].number);
        char *text = json_to_text(value, NULL);

        if (strcmp(text, double_rows[i].want) != 0)
            fail_msg("%s: got %s", double_rows[i].want, text);
        free(text);
        json_object_put(value);
    }
}

static const struct {
    const char *name;
    const char *text;
    const char *want;
} quoted_rows[] = {
    {"plain",                      "abc",           "\"abc\""                                 },
    {"valid UTF-8",                "\xe2\x82\xac",  "\"\xe2\x82\xac\""                        },
    {"0xff",
     "a\xff"
     "b",                                           "\"a\xef\xbf\xbd"
     "b\""                                                                           },
    {"each bad byte for itself",   "\xff\xfe",      "\"\xef\xbf\xbd\xef\xbf\xbd\""            },
    {"a character cut at the end", "\xe2\x82",      "\"\xef\xbf\xbd\xef\xbf\xbd\""            },
    {"a surrogate",                "\xed\xa0\x80",  "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    {"bad, then good",             "\xc3(\xc3\xa9", "\"\xef\xbf\xbd(\xc3\xa9\""               },
};

static void test_quoted(void **state)
{
    struct buffer buffer = BUFFER_INIT(1000);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(quoted_rows); i++) {
        size_t size = strlen(quoted_rows[i].text);
        char *text = xcalloc(size, 1);

        memcpy(text, quoted_rows[i].text, size);
        buffer_clear(&buffer);
        json_append_quoted(&buffer, text, size);
        if (strcmp(buffer_text(&buffer), quoted_rows[i].want) != 0)
            fail_msg("%s: got %s", quoted_rows[i].name, buffer_text(&buffer));
        free(text);
    }
    buffer_clear(&buffer);
    json_append_quoted(&buffer, "", 0);
    assert_string_equal(buffer_text(&buffer), "\"\"");
    buffer_release(&buffer);
}

static void test_pretty(void **state)
{
    static const char text[] = "{\"a\":[1,{\"b\":null}],\"c\":{},\"d\":[]}";
    struct buffer buffer = BUFFER_INIT(1000);
    struct json_object *value = NULL;

    (void)state;
    assert_true(json_parse(text, sizeof(text) - 1, SIZE_MAX, &value, NULL));
    json_append_pretty(&buffer, value);
    assert_string_equal(buffer_text(&buffer), "{\n"
                                              "  \"a\": [\n"
                                              "    1,\n"
                                              "    {\n"
                                              "      \"b\": null\n"
                                              "    }\n"
                                              "  ],\n"
                                              "  \"c\": {},\n"
                                              "  \"d\": []\n"
                                              "}");
    json_object_put(value);
    buffer_release(&buffer);
}

static void test_limit(void **state)
{
    static const char text[] = "{\"a\":[1,2.5,\"xyz\"]}";
    struct json_object *value = NULL;

    (void)state;
    assert_true(json_parse(text, sizeof(text) - 1, SIZE_MAX, &value, NULL));
    for (size_t size_max = 0; size_max < sizeof(text); size_max++) {
        struct buffer buffer = BUFFER_INIT(size_max);

        json_append(&buffer, value);
        assert_int_equal(buffer_check(&buffer, NULL), size_max == sizeof(text) - 1);
        assert_true(buffer.size <= size_max);
        buffer_release(&buffer);
    }
    json_object_put(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_new_doubles),
        cmocka_unit_test(test_quoted),     cmocka_unit_test(test_pretty),
        cmocka_unit_test(test_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
