/* Errors: their texts, prefixes, and how too long ones are cut. */
#include "controller/base/error.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void test_set_and_prefix(void **state)
{
    struct error err = ERROR_INIT;

    (void)state;
    assert_int_equal(err.kind, ERROR_NONE);
    assert_false(error_set(&err, ERROR_MALFORMED, "line %d", 3));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    assert_string_equal(err.text, "line 3");
    assert_false(error_prefix(&err, "config %s", "a.yaml"));
    assert_int_equal(err.kind, ERROR_MALFORMED);
    assert_string_equal(err.text, "config a.yaml: line 3");
    error_clear(&err);
    assert_int_equal(err.kind, ERROR_NONE);
    assert_string_equal(err.text, "");
}

static void test_nobody_listens(void **state)
{
    (void)state;
    assert_false(error_set(NULL, ERROR_IO, "x"));
    assert_false(error_prefix(NULL, "y"));
}

static const struct {
    const char *name;
    int size; /* of the text asked for */
    bool cut;
} cut_rows[] = {
    {"longest that fits", ERROR_TEXT_SIZE - 1, false},
    {"one longer",        ERROR_TEXT_SIZE,     true },
    {"far longer",        10 * 1024,           true },
};

static void test_cutting(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cut_rows); i++) {
        struct error err = ERROR_INIT;
        size_t size;

        error_set(&err, ERROR_IO, "%*s", cut_rows[i].size, "end");
        size = strlen(err.text);
        if (size != ERROR_TEXT_SIZE - 1)
            fail_msg("%s: %zu bytes", cut_rows[i].name, size);
        if ((strcmp(err.text + size - 3, "...") == 0) != cut_rows[i].cut)
            fail_msg("%s: ends in %s", cut_rows[i].name, err.text + size - 3);
    }
}

static void test_long_prefixes(void **state)
{
    struct error err = ERROR_INIT;
    size_t size;

    (void)state;
    error_set(&err, ERROR_IO, "%*s", 1000, "end");
    error_prefix(&err, "%s", "0123456789012345678901234567890123456789");
    size = strlen(err.text);
    assert_int_equal(size, ERROR_TEXT_SIZE - 1);
    assert_memory_equal(err.text, "0123456789", 10);
    assert_string_equal(err.text + size - 3, "...");
    error_set(&err, ERROR_IO, "short");
    error_prefix(&err, "%*s", 5000, "p");
    assert_int_equal(strlen(err.text), ERROR_TEXT_SIZE - 1);
}

static void test_kind_names(void **state)
{
    (void)state;
    for (int kind = ERROR_NONE; kind <= ERROR_INTERNAL; kind++) {
        assert_non_null(error_kind_name((enum error_kind)kind));
        assert_true(error_kind_name((enum error_kind)kind)[0] != '\0');
    }
    assert_string_equal(error_kind_name(ERROR_CONFLICT), "conflict");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_set_and_prefix), cmocka_unit_test(test_nobody_listens),
        cmocka_unit_test(test_cutting),        cmocka_unit_test(test_long_prefixes),
        cmocka_unit_test(test_kind_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
