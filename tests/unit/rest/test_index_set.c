#include "fakeapi/rest/index_set.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void expect(const struct index_set *set, const char *want)
{
    struct buffer text = BUFFER_INIT(1024);

    index_set_append(&text, set);
    assert_string_equal(buffer_text(&text), want);
    buffer_release(&text);
}

/* Added in this order, they read so. */
static const struct {
    int64_t add[6];
    size_t count;
    const char *want;
    int64_t total;
} additions[] = {
    {{0},                0, "",        0},
    {{3},                1, "3",       1},
    {{3, 3},             2, "3",       1},
    {{1, 0},             2, "0,1",     2},
    {{0, 2, 1},          3, "0-2",     3},
    {{0, 2, 4},          3, "0,2,4",   3},
    {{5, 0, 1, 2},       4, "0-2,5",   4},
    {{9, 7, 8, 1, 3, 2}, 6, "1-3,7-9", 6},
};

static void test_add(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(additions) / sizeof(additions[0]); i++) {
        struct index_set set = {0};

        for (size_t k = 0; k < additions[i].count; k++)
            index_set_add(&set, additions[i].add[k]);
        expect(&set, additions[i].want);
        assert_int_equal(index_set_total(&set), additions[i].total);
        index_set_release(&set);
    }
}

static const struct {
    const char *text;
    const char *want; /* written again; NULL: refused */
    const char *why;
} parses[] = {
    {"",      "",      NULL                                               },
    {"0-2,5", "0-2,5", NULL                                               },
    {"0,1,2", "0-2",   NULL                                               },
    {"9",     "9",     NULL                                               },
    {"10",    NULL,    "too large index: \"10\""                          },
    {"3-10",  NULL,    "too large index: \"10\""                          },
    {"x",     NULL,    "cannot convert string to integer for index: \"x\""},
    {"1,",    NULL,    "cannot convert string to integer for index: \"\"" },
    {"-1",    NULL,    "cannot convert string to integer for index: \"\"" },
    {"2,2",   NULL,    "non-increasing order, previous: 2, current: 2"    },
    {"0-4,3", NULL,    "non-increasing order, previous: 4, current: 3"    },
    {"4-4",   NULL,    "non-increasing order, previous: 4, current: 4"    },
    {"1-2-3", NULL,
     "the fragment \"1-2-3\" violates the requirement that an index interval can have at most two "
     "parts separated by '-'"                                             },
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(parses) / sizeof(parses[0]); i++) {
        struct error err = ERROR_INIT;
        struct index_set set = {0};
        bool ok = index_set_parse(parses[i].text, 10, &set, &err);

        assert_int_equal(ok, parses[i].want != NULL);
        if (ok)
            expect(&set, parses[i].want);
        else
            assert_string_equal(err.text, parses[i].why);
        index_set_release(&set);
    }
}

static void parse(const char *text, struct index_set *set)
{
    struct error err = ERROR_INIT;

    assert_true(index_set_parse(text, 1000, set, &err));
}

static void test_questions(void **state)
{
    struct index_set a;
    struct index_set b;

    (void)state;
    parse("0-2,5,9-20", &a);
    parse("2-5,10,20-30", &b);
    assert_true(index_set_has(&a, 0));
    assert_true(index_set_has(&a, 20));
    assert_false(index_set_has(&a, 3));
    assert_false(index_set_has(&a, 21));
    assert_int_equal(index_set_first_missing(&a, 0), 3);
    assert_int_equal(index_set_first_missing(&a, 4), 4);
    assert_int_equal(index_set_first_missing(&a, 9), 21);
    assert_int_equal(index_set_common(&a, &b), 4); /* 2, 5, 10, 20 */
    assert_int_equal(index_set_first_common(&a, &b), 2);
    index_set_merge(&a, &b);
    expect(&a, "0-5,9-30");
    index_set_release(&a);
    index_set_release(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_questions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
