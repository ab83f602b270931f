/* Texts: comparing, strict numbers, UTF-8, and the closest of several. */
#include "controller/base/text.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_comparing(void **state)
{
    (void)state;
    assert_true(text_equal(NULL, NULL));
    assert_false(text_equal("", NULL));
    assert_false(text_equal(NULL, ""));
    assert_true(text_equal("a", "a"));
    assert_false(text_equal("a", "A"));
    assert_true(text_equal_ignoring_case("Ab", "aB"));
    assert_false(text_equal_ignoring_case("Ab", "aBc"));
    assert_true(text_equal_ignoring_case(NULL, NULL));
    assert_false(text_equal_ignoring_case(NULL, ""));
    assert_true(text_starts_with("abc", "ab"));
    assert_true(text_starts_with("abc", ""));
    assert_false(text_starts_with("ab", "abc"));
    assert_false(text_starts_with(NULL, ""));
    assert_true(text_ends_with("abc", "bc"));
    assert_true(text_ends_with("abc", ""));
    assert_false(text_ends_with("bc", "abc"));
    assert_false(text_ends_with(NULL, ""));
    assert_true(text_is_empty(NULL));
    assert_true(text_is_empty(""));
    assert_false(text_is_empty(" "));
    assert_string_equal(text_or(NULL, "x"), "x");
    assert_string_equal(text_or("", "x"), "x");
    assert_string_equal(text_or("a", "x"), "a");
}

static const struct {
    const char *text;
    bool is_int64;
    int64_t int64;
    bool is_uint64;
    uint64_t uint64;
} number_rows[] = {
    {"0",                       true,  0,         true,  0                },
    {"-0",                      true,  0,         false, 0                },
    {"007",                     true,  7,         true,  7                },
    {"42",                      true,  42,        true,  42               },
    {"-42",                     true,  -42,       false, 0                },
    {"9223372036854775807",     true,  INT64_MAX, true,  INT64_MAX        },
    {"9223372036854775808",     false, 0,         true,  UINT64_C(1) << 63},
    {"-9223372036854775808",    true,  INT64_MIN, false, 0                },
    {"-9223372036854775809",    false, 0,         false, 0                },
    {"18446744073709551615",    false, 0,         true,  UINT64_MAX       },
    {"18446744073709551616",    false, 0,         false, 0                },
    {"99999999999999999999999", false, 0,         false, 0                },
    {"",                        false, 0,         false, 0                },
    {"-",                       false, 0,         false, 0                },
    {"--1",                     false, 0,         false, 0                },
    {"+1",                      false, 0,         false, 0                },
    {" 1",                      false, 0,         false, 0                },
    {"1 ",                      false, 0,         false, 0                },
    {"1.0",                     false, 0,         false, 0                },
    {"0x1",                     false, 0,         false, 0                },
    {"1a",                      false, 0,         false, 0                },
    {NULL,                      false, 0,         false, 0                },
};

static void test_numbers(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(number_rows); i++) {
        const char *text = number_rows[i].text;
        int64_t as_int64 = 0;
        uint64_t as_uint64 = 0;

        if (text_to_int64(text, &as_int64) != number_rows[i].is_int64 ||
            as_int64 != number_rows[i].int64)
            fail_msg("%s: as int64 %" PRId64, text, as_int64);
        if (text_to_uint64(text, &as_uint64) != number_rows[i].is_uint64 ||
            as_uint64 != number_rows[i].uint64)
            fail_msg("%s: as uint64 %" PRIu64, text, as_uint64);
    }
}

static const struct {
    const char *name;
    const char *bytes;
    size_t size; /* 0: up to the NUL */
    bool valid;
} utf8_rows[] = {
    {"ASCII",                    "abc\x7f",              0, true },
    {"NUL",                      "a\0b",                 3, true },
    {"two bytes, least",         "\xc2\x80",             0, true },
    {"two bytes, most",          "\xdf\xbf",             0, true },
    {"three bytes, least",       "\xe0\xa0\x80",         0, true },
    {"before the surrogates",    "\xed\x9f\xbf",         0, true },
    {"behind the surrogates",    "\xee\x80\x80",         0, true },
    {"three bytes, most",        "\xef\xbf\xbf",         0, true },
    {"four bytes, least",        "\xf0\x90\x80\x80",     0, true },
    {"U+10FFFF",                 "\xf4\x8f\xbf\xbf",     0, true },
    {"overlong NUL",             "\xc0\x80",             0, false},
    {"overlong of two",          "\xc1\xbf",             0, false},
    {"overlong of three",        "\xe0\x9f\xbf",         0, false},
    {"overlong of four",         "\xf0\x8f\xbf\xbf",     0, false},
    {"least surrogate",          "\xed\xa0\x80",         0, false},
    {"greatest surrogate",       "\xed\xbf\xbf",         0, false},
    {"past U+10FFFF",            "\xf4\x90\x80\x80",     0, false},
    {"five bytes",               "\xf8\x88\x80\x80\x80", 0, false},
    {"0xff",                     "\xff",                 0, false},
    {"continuation alone",       "\x80",                 0, false},
    {"cut after the first byte", "a\xe2",                0, false},
    {"cut before the last byte", "a\xf0\x9f\x98",        0, false},
    {"second byte wrong",        "\xc3\x28",             0, false},
    {"third byte wrong",         "\xe2\x82\x28",         0, false},
    {"fourth byte wrong",        "\xf0\x9f\x98\x28",     0, false},
};

static void test_utf8(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(utf8_rows); i++) {
        size_t size = utf8_rows[i].size == 0 ? strlen(utf8_rows[i].bytes) : utf8_rows[i].size;

        if (text_is_utf8(utf8_rows[i].bytes, size) != utf8_rows[i].valid)
            fail_msg("%s", utf8_rows[i].name);
    }
    assert_true(text_is_utf8("", 0));
    assert_int_equal(text_utf8_size("\xe2\x82\xac!", 4), 3);
    assert_int_equal(text_utf8_size("\xe2\x82\xac", 2), 0);
    assert_int_equal(text_utf8_size("", 0), 0);
}

static const struct {
    const char *written;
    const char *want; /* NULL: none is close */
} closest_rows[] = {
    {"replicas",  "replicas"},
    {"replcias",  "replicas"}, /* two neighbours swapped */
    {"Replicas",  "replicas"},
    {"replica",   "replicas"},
    {"repplicas", "replicas"},
    {"replixxx",  NULL      }, /* three of eight is more than a third */
    {"repxxxas",  NULL      },
    {"teplate",   "template"},
    {"selecto",   "selector"},
    {"xyz",       NULL      },
    {"ru",        "run"     },
    {"rn",        "run"     },
    {"r",         NULL      }, /* two of three */
    {"",          NULL      },
    {"ran",       "run"     },
    {"rum",       "run"     }, /* "rub" is as close; the earlier one wins */
};

static void test_closest(void **state)
{
    static const char *const candidates[] = {"replicas", "template", "selector", "run", "rub"};
    char long_text[70];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(closest_rows); i++) {
        const char *got = text_closest(closest_rows[i].written, candidates, ARRAY_SIZE(candidates));

        if (!text_equal(got, closest_rows[i].want))
            fail_msg("%s: got %s", closest_rows[i].written, text_or(got, "none"));
    }
    assert_null(text_closest("run", NULL, 0));
    memset(long_text, 'a', 64);
    long_text[64] = '\0';
    assert_non_null(text_closest(long_text, (const char *const[]){long_text}, 1));
    strcpy(long_text + 64, "a");
    assert_null(text_closest(long_text, (const char *const[]){long_text}, 1));
    assert_null(text_closest("a", (const char *const[]){long_text}, 1));
}

static void test_dns_label(void **state)
{
    static const char *const good[] = {"a", "0", "a-b", "kube-system", "a--b"};
    static const char *const bad[] = {"",    "-", "a-",  "-a",       "a b",
                                      "a.b", "A", "a_b", "\xc3\xa4", "a\n"};
    char text[65];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++)
        assert_true(text_is_dns_label(good[i]));
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
        assert_false(text_is_dns_label(bad[i]));
    assert_false(text_is_dns_label(NULL));
    memset(text, 'a', 64);
    text[64] = '\0';
    assert_false(text_is_dns_label(text));
    text[63] = '\0';
    assert_true(text_is_dns_label(text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_comparing), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_utf8),      cmocka_unit_test(test_closest),
        cmocka_unit_test(test_dns_label),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
