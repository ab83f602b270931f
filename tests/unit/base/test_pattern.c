/* Patterns: what they match, and that none runs away. */
#include "controller/base/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"

static const struct {
    const char *pattern;
    const char *subject;
    bool matches;
} rows[] = {
    {"b",                  "abc",      true },
    {"^b",                 "abc",      false},
    {"^abc$",              "abc",      true },
    {"^abc$",              "abc\n",    false}, /* '$' is the very end */
    {"",                   "",         true },
    {"^.$",                "\xc3\xa9", true }, /* a character, not a byte */
    {"^\\d+$",             "42",       true },
    {"(?i)ABC",            "abc",      true },
    {"^[a-z]([-a-z0-9]*)", "a-1",      true },
    {"a|b",                "c",        false},
};

static void test_matching(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct pattern *pattern;
        struct error err = ERROR_INIT;
        bool matches = !rows[i].matches;

        if (!pattern_new(rows[i].pattern, &pattern, &err))
            fail_msg("%s: %s", rows[i].pattern, err.text);
        assert_true(
            pattern_match(pattern, rows[i].subject, strlen(rows[i].subject), &matches, &err));
        if (matches != rows[i].matches)
            fail_msg("%s on %s", rows[i].pattern, rows[i].subject);
        pattern_free(pattern);
    }
    pattern_free(NULL);
}

static const struct {
    const char *pattern;
    const char *want; /* how the error begins */
} malformed_rows[] = {
    {"a(b",      "pattern: at byte 3: "},
    {"[a",       "pattern: at byte 2: "},
    {"*a",       "pattern: at byte 0: "},
    {"a\\",      "pattern: at byte 2: "},
    {"\\C",      "pattern: at byte 2: "},
    {"a\xff",    "pattern: at byte 1: "},
    {"(?<=a*)b", "pattern: at byte "   },
};

static void test_malformed(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(malformed_rows); i++) {
        struct pattern *pattern;
        struct error err = ERROR_INIT;

        if (pattern_new(malformed_rows[i].pattern, &pattern, &err))
            fail_msg("%s is taken", malformed_rows[i].pattern);
        assert_int_equal(err.kind, ERROR_MALFORMED);
        if (strncmp(err.text, malformed_rows[i].want, strlen(malformed_rows[i].want)) != 0)
            fail_msg("%s: %s", malformed_rows[i].pattern, err.text);
    }
}

static void test_size_limit(void **state)
{
    char *text = xcalloc(PATTERN_BYTES_MAX + 2, 1);
    struct pattern *pattern;
    struct error err = ERROR_INIT;

    (void)state;
    memset(text, 'a', PATTERN_BYTES_MAX);
    assert_true(pattern_new(text, &pattern, &err));
    pattern_free(pattern);
    text[PATTERN_BYTES_MAX] = 'a';
    assert_false(pattern_new(text, &pattern, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    free(text);
}

static void test_nesting_limit(void **state)
{
    char text[2 * 101 + 1];
    struct pattern *pattern;
    struct error err = ERROR_INIT;

    (void)state;
    memset(text, '(', 100);
    memset(text + 100, ')', 100);
    text[200] = '\0';
    assert_true(pattern_new(text, &pattern, &err));
    pattern_free(pattern);
    memset(text, '(', 101);
    memset(text + 101, ')', 101);
    text[202] = '\0';
    assert_false(pattern_new(text, &pattern, &err));
}

static void test_runaways_end(void **state)
{
    static const char *const patterns[] = {"^(a+)+$", "^(a|aa)+$", "^(a|a?)+$"};
    char subject[40];

    (void)state;
    memset(subject, 'a', 39);
    subject[39] = 'b';
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        struct pattern *pattern;
        struct error err = ERROR_INIT;
        bool matches;

        assert_true(pattern_new(patterns[i], &pattern, &err));
        if (pattern_match(pattern, subject, sizeof(subject), &matches, &err))
            fail_msg("%s came to an end", patterns[i]);
        assert_int_equal(err.kind, ERROR_TOO_LARGE);
        pattern_free(pattern);
    }
}

static void test_long_subjects(void **state)
{
    size_t size = 1000000;
    char *subject = xcalloc(size, 1);
    struct pattern *pattern;
    struct error err = ERROR_INIT;
    bool matches = false;

    (void)state;
    memset(subject, 'a', size);
    assert_true(pattern_new("^a*$", &pattern, &err));
    assert_true(pattern_match(pattern, subject, size, &matches, &err));
    assert_true(matches);
    pattern_free(pattern);
    free(subject);
}

/* Quick at every single place, and long in all: each place where a match may begin counts. */
static void test_many_beginnings(void **state)
{
    static const char *const patterns[] = {"(x+x+)+y", "a[^b]*bc", "(a*)*c", "a.*c|[0-9]+zz"};
    size_t size = 300000;
    char *subject = xcalloc(size, 1);

    (void)state;
    memset(subject, 'a', size);
    memset(subject + size / 2, 'x', size / 2 - 4);
    memcpy(subject + size - 4, "bdyc", 4);
    for (size_t i = 0; i < ARRAY_SIZE(patterns); i++) {
        struct pattern *pattern;
        struct error err = ERROR_INIT;
        uint64_t steps = PATTERN_STEPS_MAX;
        bool matches = true;

        assert_true(pattern_new(patterns[i], &pattern, &err));
        if (pattern_match_within(pattern, subject, size, &steps, &matches, &err))
            assert_true(matches); /* soon */
        else
            assert_int_equal(err.kind, ERROR_TOO_LARGE);
        pattern_free(pattern);
    }
    free(subject);
}

/* Several searches share their steps. */
static void test_steps_left(void **state)
{
    struct pattern *pattern;
    struct error err = ERROR_INIT;
    uint64_t steps = 100;
    bool matches;
    unsigned searches = 0;

    (void)state;
    assert_true(pattern_new("^(a|b)+$", &pattern, &err));
    while (pattern_match_within(pattern, "abab", 4, &steps, &matches, &err)) {
        assert_true(matches);
        searches++;
    }
    assert_in_range(searches, 2, 20);
    assert_int_equal(steps, 0);
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    pattern_free(pattern);
}

static void test_subject_not_utf8(void **state)
{
    struct pattern *pattern;
    struct error err = ERROR_INIT;
    bool matches;

    (void)state;
    assert_true(pattern_new("a", &pattern, &err));
    assert_false(pattern_match(pattern, "a\xff", 2, &matches, &err));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    assert_true(pattern_match(pattern, NULL, 0, &matches, &err));
    assert_false(matches);
    pattern_free(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matching),         cmocka_unit_test(test_malformed),
        cmocka_unit_test(test_size_limit),       cmocka_unit_test(test_nesting_limit),
        cmocka_unit_test(test_runaways_end),     cmocka_unit_test(test_long_subjects),
        cmocka_unit_test(test_subject_not_utf8), cmocka_unit_test(test_many_beginnings),
        cmocka_unit_test(test_steps_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
