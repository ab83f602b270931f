/* Which places of a run are alike, and how often a rule has seen one: the rule of folding. */
#include "scenarios/search/fold.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "scenarios/search/sweep_counts.h"
#include "tests/unit/rows.h"

#define PLACES_MAX 8

#define RENEWAL(turn)                                                                              \
    {                                                                                              \
        SITE_SENT, "ctl-0", "patch", "leases", "agent-controller", 0, (turn)                       \
    }

/** A run of places, and which are tried: 'x', or folded: '-'. */
static const struct row {
    const char *name;
    struct site places[PLACES_MAX]; /* stage, peer, verb, resource, name, origin, turn */
    size_t count;
    const char *tried;
} rows[] = {
    {"one alone",                                      {RENEWAL(1)},                                     1, "x"     },
    {"the first and the last of many",                 {RENEWAL(1), RENEWAL(1), RENEWAL(1), RENEWAL(1)}, 4, "x--x"  },
    {"something happened between them",
     {RENEWAL(1), RENEWAL(1), RENEWAL(2), RENEWAL(2)},
     4,                                                                                                     "xxxx"  },
    {"something happened in the middle of many",
     {RENEWAL(1), RENEWAL(1), RENEWAL(1), RENEWAL(2), RENEWAL(2), RENEWAL(2)},
     6,                                                                                                     "x-xx-x"},
    {"the same as before what happened, but after it",
     {RENEWAL(1), RENEWAL(2), RENEWAL(3)},
     3,                                                                                                     "xxx"   },
    {"another replica",
     {RENEWAL(1), {SITE_SENT, "ctl-1", "patch", "leases", "agent-controller", 0, 1}, RENEWAL(1)},
     3,                                                                                                     "xxx"   },
    {"another verb",
     {RENEWAL(1), {SITE_SENT, "ctl-0", "get", "leases", "agent-controller", 0, 1}, RENEWAL(1)},
     3,                                                                                                     "xxx"   },
    {"another resource",
     {RENEWAL(1), {SITE_SENT, "ctl-0", "patch", "agents/status", "agent-controller", 0, 1}},
     2,                                                                                                     "xx"    },
    {"another object",
     {RENEWAL(1), {SITE_SENT, "ctl-0", "patch", "leases", "other", 0, 1}},
     2,                                                                                                     "xx"    },
    {"another moment of the call",
     {RENEWAL(1), {SITE_APPLIED, "ctl-0", "patch", "leases", "agent-controller", 0, 1}},
     2,                                                                                                     "xx"    },
    {"timers that call different functions",
     {{SITE_TIMER, "ctl-0", "", "", "", 10, 1},
      {SITE_TIMER, "ctl-0", "", "", "", 20, 1},
      {SITE_TIMER, "ctl-0", "", "", "", 10, 1},
      {SITE_TIMER, "ctl-0", "", "", "", 20, 1},
      {SITE_TIMER, "ctl-0", "", "", "", 10, 1}},
     5,                                                                                                     "xx-xx" },
};

static void test_what_is_tried(void **state)
{
    const struct row *row = *state;
    struct fold *fold = fold_new();

    for (size_t i = 0; i < row->count; i++)
        (void)fold_add(fold, &row->places[i]);
    assert_int_equal(fold_count(fold), row->count);
    for (size_t i = 0; i < row->count; i++) {
        if (fold_is_tried(fold, i) != (row->tried[i] == 'x'))
            fail_msg("place %zu of %s", i, row->tried);
    }
    fold_free(fold);
}

/** A rule counts what it matches, whatever happened between: turns and timers' functions are not in
 * it. */
static void test_the_nth(void **state)
{
    const struct site places[] = {
        RENEWAL(1),
        RENEWAL(2),
        {SITE_TIMER, "ctl-0", "", "", "", 10, 1},
        {SITE_TIMER, "ctl-0", "", "", "", 20, 2},
        RENEWAL(2)
    };
    const uint64_t nths[] = {1, 2, 1, 2, 3};
    struct fold *fold = fold_new();

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(places); i++)
        assert_int_equal(fold_add(fold, &places[i]), nths[i]);
    assert_string_equal(fold_site(fold, 0)->resource, "leases");
    assert_string_equal(fold_site(fold, 3)->peer, "ctl-0");
    assert_int_equal(fold_site(fold, 3)->stage, SITE_TIMER);
    fold_free(fold);
}

/** Whatever is possible is tried or folded. */
static void test_counts_add_up(void **state)
{
    struct sweep_counts counts = {0};
    const struct site place = RENEWAL(1);
    const struct fault_kind *kinds[POINTS_KINDS_MAX];
    size_t count = points_at(&place, kinds);

    (void)state;
    assert_true(count > 0);
    sweep_counts_place(&counts, &place, true);
    sweep_counts_place(&counts, &place, false);
    assert_int_equal(counts.calls, 2);
    assert_int_equal(sweep_counts_sum(counts.possible), 2 * count);
    assert_int_equal(sweep_counts_sum(counts.folded), count);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_nth),
        cmocka_unit_test(test_counts_add_up),
    };

    return ROWS_RUN(rows, test_what_is_tried) + cmocka_run_group_tests(tests, NULL, NULL);
}
