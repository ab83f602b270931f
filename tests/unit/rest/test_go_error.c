/* The words of Go's encoding/json. */
#include "fakeapi/rest/go_error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

static const struct row {
    const char *text;
    const char *want; /* NULL: its syntax is right */
} rows[] = {
    {"",                                                              "unexpected end of JSON input"                                    },
    {" \n",                                                           "unexpected end of JSON input"                                    },
    {"{",                                                             "unexpected end of JSON input"                                    },
    {"{\"a\":{",                                                      "unexpected end of JSON input"                                    },
    {"[1",                                                            "unexpected end of JSON input"                                    },
    {"\"a",                                                           "unexpected end of JSON input"                                    },
    {"tru",                                                           "unexpected end of JSON input"                                    },
    {"1.",                                                            "unexpected end of JSON input"                                    },
    {"x",                                                             "invalid character 'x' looking for beginning of value"            },
    {"'a'",                                                           "invalid character '\\'' looking for beginning of value"          },
    {"[1,]",                                                          "invalid character ']' looking for beginning of value"            },
    {"{a:1}",                                                         "invalid character 'a' looking for beginning of object key string"},
    {"{\"a\":1,}",                                                    "invalid character '}' looking for beginning of object key string"},
    {"{\"a\" 1}",                                                     "invalid character '1' after object key"                          },
    {"{\"a\":1 \"b\":2}",                                             "invalid character '\"' after object key:value pair"              },
    {"[1 2]",                                                         "invalid character '2' after array element"                       },
    {"[1}",                                                           "invalid character '}' after array element"                       },
    {"{} x",                                                          "invalid character 'x' after top-level value"                     },
    {"01",                                                            "invalid character '1' after top-level value"                     },
    {"\"a\nb\"",                                                      "invalid character '\\n' in string literal"                       },
    {"\"\\x\"",                                                       "invalid character 'x' in string escape code"                     },
    {"\"\\u00g0\"",                                                   "invalid character 'g' in \\u hexadecimal character escape"       },
    {"-x",                                                            "invalid character 'x' in numeric literal"                        },
    {"1.x",                                                           "invalid character 'x' after decimal point in numeric literal"    },
    {"1e+x",                                                          "invalid character 'x' in exponent of numeric literal"            },
    {"trve",                                                          "invalid character 'v' in literal true (expecting 'u')"           },
    {"nul1",                                                          "invalid character '1' in literal null (expecting 'l')"           },
    {"\xff",                                                          "invalid character '\xc3\xbf' looking for beginning of value"     },
    {"{\"a\":[1,-2.5e3,\"x\\u00e9\\n\",true,false,null,{},[]]} \r\n", NULL                                                              },
    {"0",                                                             NULL                                                              },
    {"{\"a\":1,\"a\":2}",                                             NULL                                                              },
};

static void test_syntax(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct buffer text = BUFFER_INIT(256);
        bool refused = go_error_syntax(&text, rows[i].text, strlen(rows[i].text));

        if (refused != (rows[i].want != NULL) ||
            strcmp(buffer_text(&text), text_or(rows[i].want, "")) != 0)
            fail_msg("%s: %s", rows[i].text, buffer_text(&text));
        buffer_release(&text);
    }
}

/* Both sides of how deep it looks. */
static void test_depth(void **state)
{
    char text[JSON_DEPTH_MAX + 2];
    struct buffer said = BUFFER_INIT(256);

    (void)state;
    memset(text, '[', sizeof(text));
    assert_true(go_error_syntax(&said, text, JSON_DEPTH_MAX));
    assert_string_equal(buffer_text(&said), "unexpected end of JSON input");
    buffer_clear(&said);
    assert_false(go_error_syntax(&said, text, JSON_DEPTH_MAX + 1));
    assert_int_equal(said.size, 0);
    buffer_release(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_syntax), cmocka_unit_test(test_depth)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
