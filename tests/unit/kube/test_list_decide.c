#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/kube/list_decide.h"

#define MIB ((size_t)1024 * 1024)

/* RULES 4.3 */
static const struct row {
    const char *name;
    struct list_view view; /* table, first_page, more, same_token, limit, restarts, pages,
                              empty_pages, elapsed_us */
    enum list_answer answer;
    enum list_action want;
} rows[] = {
    {"only page",                  {true, true, false, false, 500, 0, 0, 0, 0},  LIST_ANSWER_PAGE,   LIST_FINISH      },
    {"first of several",
     {true, true, true, false, 500, 0, 0, 0, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_NEXT_PAGE   },
    {"last of several",
     {true, false, false, false, 500, 0, 9, 0, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_FINISH      },
    {"last page allowed",
     {true, false, true, false, 500, 0, LIST_PAGES_MAX - 2, 0, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_NEXT_PAGE   },
    {"a list without end",
     {true, false, true, false, 500, 0, LIST_PAGES_MAX - 1, 0, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_FAIL_ENDLESS},
    {"no Table",
     {true, true, false, false, 500, 0, 0, 0, 0},
     LIST_ANSWER_NO_FORM,                                                                            LIST_RESTART_FULL},
    {"no Table in the middle",
     {true, false, true, false, 500, 0, 3, 0, 0},
     LIST_ANSWER_NO_FORM,                                                                            LIST_RESTART_FULL},
    {"no full list either",
     {false, true, false, false, 20, 0, 0, 0, 0},
     LIST_ANSWER_NO_FORM,                                                                            LIST_FAIL        },
    {"Table past the cap",
     {true, true, false, false, 500, 0, 0, 0, 0},
     LIST_ANSWER_TOO_LARGE,                                                                          LIST_RESTART_FULL},
    {"full page past the cap",
     {false, true, false, false, 20, 0, 0, 0, 0},
     LIST_ANSWER_TOO_LARGE,                                                                          LIST_SMALLER_PAGE},
    {"page of two past the cap",
     {false, false, false, false, 2, 0, 4, 0, 0},
     LIST_ANSWER_TOO_LARGE,                                                                          LIST_SMALLER_PAGE},
    {"one object past the cap",
     {false, false, false, false, 1, 0, 4, 0, 0},
     LIST_ANSWER_TOO_LARGE,                                                                          LIST_FAIL        },
    {"410 in the middle",
     {true, false, false, false, 500, 0, 2, 0, 0},
     LIST_ANSWER_GONE,                                                                               LIST_RESTART     },
    {"410 in the middle, full",
     {false, false, false, false, 20, 2, 2, 0, 0},
     LIST_ANSWER_GONE,                                                                               LIST_RESTART     },
    {"410 again and again",
     {true, false, false, false, 500, 3, 2, 0, 0},
     LIST_ANSWER_GONE,                                                                               LIST_FAIL        },
    {"410 without a token",
     {true, true, false, false, 500, 0, 0, 0, 0},
     LIST_ANSWER_GONE,                                                                               LIST_FAIL        },
    {"anything else",              {true, false, false, false, 500, 0, 2, 0, 0}, LIST_ANSWER_FAILED, LIST_FAIL        },
    {"the token that was sent",
     {true, false, true, true, 500, 0, 1, 0, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_FAIL_ENDLESS},
    {"one empty page",
     {true, false, true, false, 500, 0, 1, LIST_EMPTY_PAGES_MAX - 1, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_NEXT_PAGE   },
    {"two empty pages",
     {true, false, true, false, 500, 0, 1, LIST_EMPTY_PAGES_MAX, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_FAIL_ENDLESS},
    {"two empty pages, the last",
     {true, false, false, false, 500, 0, 1, LIST_EMPTY_PAGES_MAX, 0},
     LIST_ANSWER_PAGE,                                                                               LIST_FINISH      },
    {"time for a page",
     {true, false, true, false, 500, 0, 1, 0, LIST_TOTAL_US - 1},
     LIST_ANSWER_PAGE,                                                                               LIST_NEXT_PAGE   },
    {"no time for a page",
     {true, false, true, false, 500, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_PAGE,                                                                               LIST_FAIL_ENDLESS},
    {"late, but whole",
     {true, false, false, false, 500, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_PAGE,                                                                               LIST_FINISH      },
    {"no time for a restart",
     {true, false, false, false, 500, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_GONE,                                                                               LIST_FAIL_ENDLESS},
    {"no time for full objects",
     {true, false, false, false, 500, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_NO_FORM,                                                                            LIST_FAIL_ENDLESS},
    {"no time for a smaller page",
     {false, false, false, false, 20, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_TOO_LARGE,                                                                          LIST_FAIL_ENDLESS},
    {"late, and failed",
     {true, false, false, false, 500, 0, 1, 0, LIST_TOTAL_US},
     LIST_ANSWER_FAILED,                                                                             LIST_FAIL        },
};

static void test_action(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum list_action got = list_decide(&rows[i].view, rows[i].answer);

        if (got != rows[i].want)
            fail_msg("%s: got action %d, want %d", rows[i].name, (int)got, (int)rows[i].want);
    }
}

/* next limit = limit * 4 MiB / decoded bytes of this page, within 1 to 500 */
static void test_next_limit(void **state)
{
    static const struct {
        size_t items, size;
        unsigned want;
    } cases[] = {
        {20,       4 * MIB,     20 },
        {20,       2 * MIB,     40 },
        {20,       8 * MIB,     10 },
        {20,       1,           500},
        {1,        4 * MIB + 1, 1  },
        {1,        64 * MIB,    1  },
        {500,      4 * MIB,     500},
        {3,        4 * MIB / 2, 6  },
        {0,        100,         20 },
        {SIZE_MAX, MIB,         500},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(list_next_limit(cases[i].items, cases[i].size), cases[i].want);
}

static void test_smaller_limit(void **state)
{
    (void)state;
    assert_int_equal(list_smaller_limit(500), 125);
    assert_int_equal(list_smaller_limit(20), 5);
    assert_int_equal(list_smaller_limit(5), 1);
    assert_int_equal(list_smaller_limit(2), 1);
}

static void test_table_again(void **state)
{
    (void)state;
    assert_false(list_table_is_due(7, 7));
    assert_false(list_table_is_due(7, 6 + 10 * US_PER_MINUTE));
    assert_true(list_table_is_due(7, 7 + 10 * US_PER_MINUTE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action),
        cmocka_unit_test(test_next_limit),
        cmocka_unit_test(test_smaller_limit),
        cmocka_unit_test(test_table_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
