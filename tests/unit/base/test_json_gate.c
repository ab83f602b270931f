/* The gate: what it takes, and what it refuses at which byte. */
#include "controller/base/json_gate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"

#define TEXT(literal) (literal), sizeof(literal) - 1

static const struct {
    const char *name;
    const char *text;
    size_t size;
} taken_rows[] = {
    {"null",                             TEXT("null")                               },
    {"true",                             TEXT("true")                               },
    {"false",                            TEXT("false")                              },
    {"space around",                     TEXT(" \t\r\n1 \t\r\n")                    },
    {"zero",                             TEXT("0")                                  },
    {"minus zero",                       TEXT("-0")                                 },
    {"minus zero as a double",           TEXT("-0.0")                               },
    {"greatest int64",                   TEXT("9223372036854775807")                },
    {"least int64",                      TEXT("-9223372036854775808")               },
    {"greatest uint64",                  TEXT("18446744073709551615")               },
    {"exponents",                        TEXT("[1e5,1E5,1e+5,1e-5,1.5e5,0e0,-0e-0]")},
    {"greatest double",                  TEXT("1.7976931348623157e308")             },
    {"least double",                     TEXT("5e-324")                             },
    {"a double that underflows",         TEXT("1e-999")                             },
    {"an integer as a large double",     TEXT("18446744073709551616.0")             },
    {"empty string",                     TEXT("\"\"")                               },
    {"all short escapes",                TEXT("\"\\\"\\\\\\/\\b\\f\\n\\r\\t\"")     },
    {"hex digits of either case",        TEXT("\"\\u00e9\\u00E9\\uabcd\\uEF01\"")   },
    {"surrogate pair",                   TEXT("\"\\ud83d\\ude00\"")                 },
    {"high surrogate alone",             TEXT("\"\\ud800\"")                        },
    {"low surrogate alone",              TEXT("\"\\udc00\"")                        },
    {"high surrogate, then a letter",    TEXT("\"\\ud800a\"")                       },
    {"high surrogate, then an escape",   TEXT("\"\\ud800\\n\"")                     },
    {"two high surrogates",              TEXT("\"\\ud800\\ud800\"")                 },
    {"NUL in a string",                  TEXT("\"a\\u0000b\"")                      },
    {"DEL and C1 controls in a string",  TEXT("\"\x7f\xc2\x80\"")                   },
    {"U+2028 and U+10FFFF",              TEXT("\"\xe2\x80\xa8\xf4\x8f\xbf\xbf\"")   },
    {"UTF-8 behind eight letters",       TEXT("\"abcdefgh\xc3\xa9\"")               },
    {"empty containers",                 TEXT("[{},[],{ },[ ]]")                    },
    {"members and space",                TEXT(" { \"a\" : 1 , \"b\" : [ 1 , 2 ] } ")},
    {"empty key",                        TEXT("{\"\":1}")                           },
    {"keys that differ in case",         TEXT("{\"a\":1,\"A\":2}")                  },
    {"keys that differ in length",       TEXT("{\"a\":1,\"aa\":2,\"aaaaaaaaa\":3}") },
    {"same key in different objects",    TEXT("{\"a\":{\"a\":1},\"b\":{\"a\":1}}")  },
    {"same key in siblings",             TEXT("[{\"a\":1},{\"a\":1}]")              },
    {"escaped keys that differ",         TEXT("{\"\\u0061\":1,\"\\u0062\":2}")      },
    {"backslash key and its look-alike", TEXT("{\"\\\\u0061\":1,\"a\":2}")          },
};

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(taken_rows); i++) {
        struct json_object *value = NULL;
        struct error err = ERROR_INIT;
        char *copy = xmemdup(taken_rows[i].text, taken_rows[i].size);

        if (!json_check(copy, taken_rows[i].size, SIZE_MAX, &err))
            fail_msg("%s: %s", taken_rows[i].name, err.text);
        if (!json_parse(copy, taken_rows[i].size, SIZE_MAX, &value, &err))
            fail_msg("%s, parsed: %s", taken_rows[i].name, err.text);
        json_object_put(value);
        free(copy);
    }
}

static const struct {
    const char *name;
    const char *text;
    size_t size;
    const char *want;
} refused_rows[] = {
    {"nothing",                           TEXT(""),                                                "byte 0: the text ends where a value should be"},
    {"only space",                        TEXT(" \n"),                                             "byte 2: the text ends where a value should be"},
    {"byte order mark",                   TEXT("\xef\xbb\xbf{}"),                                  "byte 0: unexpected character"                 },
    {"NUL byte",                          TEXT("\0"),                                              "byte 0: unexpected character"                 },
    {"other space",                       TEXT("\f1"),                                             "byte 0: unexpected character"                 },
    {"a comment",                         TEXT("/**/1"),                                           "byte 0: unexpected character"                 },
    {"a word cut short",                  TEXT("nul"),                                             "byte 0: unexpected character"                 },
    {"a word of another case",            TEXT("True"),                                            "byte 0: unexpected character"                 },
    {"a word too long",                   TEXT("nulll"),                                           "byte 4: something behind the value"           },
    {"NaN",                               TEXT("NaN"),                                             "byte 0: unexpected character"                 },
    {"Infinity",                          TEXT("-Infinity"),                                       "byte 1: no digit behind the minus sign"       },
    {"single quotes",                     TEXT("'a'"),                                             "byte 0: unexpected character"                 },
    {"two values",                        TEXT("1 2"),                                             "byte 2: something behind the value"           },
    {"trailing NUL",                      TEXT("{}\0"),                                            "byte 2: something behind the value"           },
    {"trailing brace",                    TEXT("{}}"),                                             "byte 2: something behind the value"           },
    {"minus alone",                       TEXT("-"),                                               "byte 1: no digit behind the minus sign"       },
    {"plus",                              TEXT("+1"),                                              "byte 0: unexpected character"                 },
    {"leading zero",                      TEXT("01"),                                              "byte 0: a leading zero"                       },
    {"leading zero behind minus",         TEXT("-00"),                                             "byte 1: a leading zero"                       },
    {"leading zero of a double",          TEXT("00.5"),                                            "byte 0: a leading zero"                       },
    {"leading point",                     TEXT(".5"),                                              "byte 0: unexpected character"                 },
    {"trailing point",                    TEXT("1."),                                              "byte 2: no digit behind the point"            },
    {"point before an exponent",          TEXT("1.e5"),                                            "byte 2: no digit behind the point"            },
    {"empty exponent",                    TEXT("1e"),                                              "byte 2: no digit in the exponent"             },
    {"empty signed exponent",             TEXT("1e+"),                                             "byte 3: no digit in the exponent"             },
    {"hexadecimal",                       TEXT("0x10"),                                            "byte 1: something behind the value"           },
    {"past uint64",                       TEXT("18446744073709551616"),                            "byte 0: an integer beyond 64 bits"            },
    {"past uint64 by a digit",            TEXT("100000000000000000000"),                           "byte 0: an integer beyond 64 bits"            },
    {"past int64 below",                  TEXT("[-9223372036854775809]"),                          "byte 1: an integer beyond 64 bits"            },
    {"past doubles",                      TEXT("1.7976931348623159e308"),
     "byte 0: a number beyond the range of doubles"                                                                                               },
    {"far past doubles",                  TEXT("[1,-1e999]"),                                      "byte 3: a number beyond the range of doubles" },
    {"no closing quote",                  TEXT("\"abc"),                                           "byte 4: the text ends inside a string"        },
    {"ends in a backslash",               TEXT("\"a\\"),                                           "byte 2: the text ends inside a string"        },
    {"quote escaped at the end",          TEXT("\"a\\\""),                                         "byte 4: the text ends inside a string"        },
    {"unknown escape",                    TEXT("\"a\\x41\""),                                      "byte 2: unknown escape"                       },
    {"NUL behind a backslash",            TEXT("\"\\\0\""),                                        "byte 1: unknown escape"                       },
    {"\\u cut short",                     TEXT("\"\\u00e"),                                        "byte 1: \\u without four hex digits"          },
    {"\\u with a letter",                 TEXT("\"\\u00g9\""),                                     "byte 1: \\u without four hex digits"          },
    {"raw NUL in a string",               TEXT("\"a\0b\""),                                        "byte 2: a control character in a string"      },
    {"raw line end in a string",          TEXT("\"a\nb\""),                                        "byte 2: a control character in a string"      },
    {"raw 0x1f behind eight letters",     TEXT("\"abcdefgh\x1f\""),
     "byte 9: a control character in a string"                                                                                                    },
    {"raw tab in a key",                  TEXT("{\"\t\":1}"),                                      "byte 2: a control character in a string"      },
    {"0xff in a string",                  TEXT("\"\xff\""),                                        "byte 1: not UTF-8"                            },
    {"overlong slash in a string",        TEXT("\"\xc0\xaf\""),                                    "byte 1: not UTF-8"                            },
    {"raw surrogate in a string",         TEXT("\"\xed\xa0\x80\""),                                "byte 1: not UTF-8"                            },
    {"a character cut by the quote",      TEXT("\"\xe2\x82\""),                                    "byte 1: not UTF-8"                            },
    {"not UTF-8 in a key",                TEXT("{\"a\x80\":1}"),                                   "byte 3: not UTF-8"                            },
    {"NUL in a key",                      TEXT("{\"a\\u0000\":1}"),                                "byte 3: NUL in a key"                         },
    {"open array",                        TEXT("["),                                               "byte 1: the text ends where a value should be"},
    {"open array behind an item",         TEXT("[1"),                                              "byte 2: no ',' or ']' behind an item"         },
    {"no comma",                          TEXT("[1 2]"),                                           "byte 3: no ',' or ']' behind an item"         },
    {"comma first",                       TEXT("[,1]"),                                            "byte 1: unexpected character"                 },
    {"comma last",                        TEXT("[1,]"),                                            "byte 3: unexpected character"                 },
    {"two commas",                        TEXT("[1,,2]"),                                          "byte 3: unexpected character"                 },
    {"closed by the other",               TEXT("[1}"),                                             "byte 2: no ',' or ']' behind an item"         },
    {"open object",                       TEXT("{"),                                               "byte 1: no key"                               },
    {"key alone",                         TEXT("{\"a\"}"),                                         "byte 4: no ':' behind a key"                  },
    {"key and colon alone",               TEXT("{\"a\":}"),                                        "byte 5: unexpected character"                 },
    {"key without quotes",                TEXT("{a:1}"),                                           "byte 1: no key"                               },
    {"number as a key",                   TEXT("{1:1}"),                                           "byte 1: no key"                               },
    {"comma last in an object",           TEXT("{\"a\":1,}"),                                      "byte 7: no key"                               },
    {"no comma in an object",             TEXT("{\"a\":1 \"b\":2}"),                               "byte 7: no ',' or '}' behind a member"        },
    {"open object behind a member",       TEXT("{\"a\":1"),                                        "byte 6: no ',' or '}' behind a member"        },
    {"duplicate key",                     TEXT("{\"a\":1,\"b\":2,\"a\":3}"),                       "byte 13: a key for the second time"           },
    {"duplicate empty key",               TEXT("{\"\":1,\"\":2}"),                                 "byte 6: a key for the second time"            },
    {"duplicate key, one escaped",        TEXT("{\"a\":1,\"\\u0061\":2}"),
     "byte 7: a key for the second time"                                                                                                          },
    {"duplicate key, other escapes",      TEXT("{\"/\":1,\"\\/\":2}"),
     "byte 7: a key for the second time"                                                                                                          },
    {"duplicate key, pair and UTF-8",     TEXT("{\"\\ud83d\\ude00\":1,\"\xf0\x9f\x98\x80\":2}"),
     "byte 18: a key for the second time"                                                                                                         },
    {"two halves that both are U+FFFD",   TEXT("{\"\\ud800\":1,\"\\udfff\":2}"),
     "byte 12: a key for the second time"                                                                                                         },
    {"a half and a real U+FFFD",          TEXT("{\"\\ud800\":1,\"\xef\xbf\xbd\":2}"),
     "byte 12: a key for the second time"                                                                                                         },
    {"duplicate key deep inside",         TEXT("[{\"x\":{\"k\":1,\"k\":1}}]"),
     "byte 13: a key for the second time"                                                                                                         },
    {"duplicate key around a nested one", TEXT("{\"k\":{\"a\":1},\"k\":1}"),
     "byte 13: a key for the second time"                                                                                                         },
    {"long duplicate key",                TEXT("{\"abcdefghijklmnop\":1,\"abcdefghijklmnop\":1}"),
     "byte 22: a key for the second time"                                                                                                         },
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refused_rows); i++) {
        struct json_object *untouched = NULL;
        struct error err = ERROR_INIT;
        char *copy = xcalloc(refused_rows[i].size, 1); /* so that a read past it is seen */

        memcpy(copy, refused_rows[i].text, refused_rows[i].size);
        if (json_check(copy, refused_rows[i].size, SIZE_MAX, &err))
            fail_msg("%s: is taken", refused_rows[i].name);
        if (err.kind != ERROR_MALFORMED || strcmp(err.text, refused_rows[i].want) != 0)
            fail_msg("%s: %s", refused_rows[i].name, err.text);
        if (json_parse(copy, refused_rows[i].size, SIZE_MAX, &untouched, &err) || untouched != NULL)
            fail_msg("%s: is parsed", refused_rows[i].name);
        free(copy);
    }
}

/* Every text cut short anywhere is refused, and read no further than it goes. */
static void test_cut_short(void **state)
{
    static const char text[] = "{\"a\":[1,-2.5e3,\"x\\u00e9\\n\xe2\x82\xac\",true,false,null],"
                               "\"b\":{\"c\":\"d\"}}";

    (void)state;
    assert_true(json_check(text, sizeof(text) - 1, SIZE_MAX, NULL));
    for (size_t size = 0; size < sizeof(text) - 1; size++) {
        char *copy = xcalloc(size, 1);

        memcpy(copy, text, size);
        if (json_check(copy, size, SIZE_MAX, NULL))
            fail_msg("%zu bytes of it are taken", size);
        free(copy);
    }
}

static void append_nested(struct buffer *buffer, unsigned depth, const char *open, char close)
{
    for (unsigned i = 0; i < depth; i++)
        buffer_append_text(buffer, open);
    if (close == '}')
        buffer_append_text(buffer, "1");
    for (unsigned i = 0; i < depth; i++)
        buffer_append_char(buffer, close);
}

static void test_depth_limit(void **state)
{
    static const char *const opens[] = {"[", "{\"a\":"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(opens); i++) {
        for (unsigned depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
            struct buffer text = BUFFER_INIT(10000);
            struct json_object *value = NULL;
            struct error err = ERROR_INIT;
            bool ok;

            append_nested(&text, depth, opens[i], i == 0 ? ']' : '}');
            ok = json_parse(text.bytes, text.size, SIZE_MAX, &value, &err);
            if (ok != (depth == JSON_DEPTH_MAX))
                fail_msg("depth %u of %s: %s", depth, opens[i], err.text);
            if (!ok)
                assert_int_equal(err.kind, ERROR_TOO_LARGE);
            json_object_put(value);
            buffer_release(&text);
        }
    }
}

static void test_deep_bomb(void **state)
{
    size_t size = 1000000;
    char *text = xcalloc(size, 1);
    struct error err = ERROR_INIT;

    (void)state;
    memset(text, '[', size);
    assert_false(json_check(text, size, SIZE_MAX, &err));
    assert_string_equal(err.text, "byte 100: nested too deeply");
    free(text);
}

static void test_size_limit(void **state)
{
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(json_check("[1]", 3, 3, &err));
    assert_false(json_check("[1]", 3, 2, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    assert_string_equal(err.text, "more than 2 bytes");
    assert_false(json_check(NULL, 0, 0, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
}

/* "0." and zeros. */
static bool check_long_number(size_t size, struct error *err)
{
    char *text = xcalloc(size, 1);
    bool ok;

    memset(text, '0', size);
    text[1] = '.';
    ok = json_check(text, size, SIZE_MAX, err);
    free(text);
    return ok;
}

static void test_number_limit(void **state)
{
    char digits[400];
    struct error err = ERROR_INIT;

    (void)state;
    assert_true(check_long_number(1100, &err));
    assert_false(check_long_number(1101, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    /* 309 digits before the point are about 1e308, 310 are not finite */
    memset(digits, '1', sizeof(digits));
    digits[309] = '.';
    assert_true(json_check(digits, 311, SIZE_MAX, &err));
    digits[309] = '1';
    digits[310] = '.';
    assert_false(json_check(digits, 312, SIZE_MAX, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
}

/* A special byte at every place of the words that the scanner reads at once. */
static void test_skip_plain(void **state)
{
    static const unsigned char specials[] = {'"', '\\', 0, 1, '\n', 0x1f, 0x80, 0xc3, 0xff};
    static const unsigned char plains[] = {' ', '!', '#', '[', ']', 'a', 0x7f, '/', '\''};
    char text[40];

    (void)state;
    for (size_t p = 0; p < sizeof(plains); p++) {
        memset(text, plains[p], sizeof(text));
        assert_ptr_equal(json_skip_plain(text, text + sizeof(text)), text + sizeof(text));
        for (size_t at = 0; at < sizeof(text); at++) {
            for (size_t s = 0; s < sizeof(specials); s++) {
                text[at] = (char)specials[s];
                assert_ptr_equal(json_skip_plain(text, text + sizeof(text)), text + at);
            }
            text[at] = (char)plains[p];
        }
    }
}

static const struct {
    const char *inside;
    const char *want;
} unescape_rows[] = {
    {"",                           ""                            },
    {"abc",                        "abc"                         },
    {"\\\"\\\\\\/\\b\\f\\n\\r\\t", "\"\\/\b\f\n\r\t"             },
    {"\\u0041\\u00e9\\u20ac",      "A\xc3\xa9\xe2\x82\xac"       },
    {"\\ud83d\\ude00!",            "\xf0\x9f\x98\x80!"           },
    {"\\udbff\\udfff",             "\xf4\x8f\xbf\xbf"            },
    {"\\ud800",                    "\xef\xbf\xbd"                },
    {"\\ud800x",                   "\xef\xbf\xbdx"               },
    {"\\udc00\\ud800",             "\xef\xbf\xbd\xef\xbf\xbd"    },
    {"\\ud800\\ud83d\\ude00",      "\xef\xbf\xbd\xf0\x9f\x98\x80"},
    {"\\ud800\\u0041",             "\xef\xbf\xbd\x41"            },
    {"\\ud800\\n",                 "\xef\xbf\xbd\n"              },
    {"\\\\u0041",                  "\\u0041"                     },
};

static void test_unescape(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(unescape_rows); i++) {
        size_t size = strlen(unescape_rows[i].inside);
        char *out = xcalloc(size, 1);
        size_t got = json_unescape(unescape_rows[i].inside, size, out);

        if (got != strlen(unescape_rows[i].want) || memcmp(out, unescape_rows[i].want, got) != 0)
            fail_msg("%s: got %.*s", unescape_rows[i].inside, (int)got, out);
        free(out);
    }
}

/* So many empty objects in a list. */
static bool takes_objects(size_t count)
{
    struct buffer text = BUFFER_INIT(3 * count + 3);
    struct error err = ERROR_INIT;
    bool ok;

    buffer_append_char(&text, '[');
    for (size_t i = 0; i < count; i++)
        buffer_append_text(&text, i == 0 ? "{}" : ",{}");
    buffer_append_char(&text, ']');
    ok = json_check(text.bytes, text.size, text.size, &err);
    if (!ok)
        assert_int_equal(err.kind, ERROR_TOO_LARGE);
    buffer_release(&text);
    return ok;
}

/* A small text that would be a huge tree. */
static void test_tree_limit(void **state)
{
    (void)state;
    assert_true(takes_objects(75000));
    assert_false(takes_objects(80000));
    assert_false(takes_objects(1000000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_cut_short),    cmocka_unit_test(test_depth_limit),
        cmocka_unit_test(test_deep_bomb),    cmocka_unit_test(test_size_limit),
        cmocka_unit_test(test_number_limit), cmocka_unit_test(test_skip_plain),
        cmocka_unit_test(test_unescape),     cmocka_unit_test(test_tree_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
