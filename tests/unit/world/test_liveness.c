/* When a world is at rest, slow, in a livelock or stuck. */
#include "scenarios/world/liveness.h"

#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

#include "tests/unit/rows.h"

#define S US_PER_SECOND
#define WINDOW (600 * S)
#define LAST (LIVENESS_WINDOWS_MAX * WINDOW)

static const struct row {
    const char *name;
    int64_t progressed_us;
    int64_t written_us;
    size_t unfinished;
    int64_t now_us;
    enum liveness want;
    int64_t until_us;
} rows[] = {
    {"all has ended, and calm is about to come",     10 * S,        10 * S,        0, 50 * S - 1,  LIVENESS_GOES_ON,
     10 * S + WINDOW                                                                                                                 },
    {"all has ended, and it is calm",                10 * S,        10 * S,        0, 50 * S,      LIVENESS_AT_REST,  0              },
    {"calm, but one has not ended",                  10 * S,        10 * S,        1, 50 * S,      LIVENESS_GOES_ON,  10 * S + WINDOW},
    {"slow: each window brings an end",              900 * S,       900 * S,       3, 1400 * S,    LIVENESS_GOES_ON,
     900 * S + WINDOW                                                                                                                },
    {"a window but an instant without progress",     10 * S,        600 * S,       1, 610 * S - 1, LIVENESS_GOES_ON,
     10 * S + WINDOW                                                                                                                 },
    {"writes to the end of it, and no progress",     10 * S,        600 * S,       1, 610 * S,     LIVENESS_LIVELOCK, 0              },
    {"the same when all has ended",                  10 * S,        600 * S,       0, 610 * S,     LIVENESS_LIVELOCK, 0              },
    {"writes half a window after the last progress", 10 * S,        310 * S,       1, 610 * S,     LIVENESS_STUCK,
     0                                                                                                                               },
    {"writes just later than that",                  10 * S,        310 * S + 1,   1, 610 * S,     LIVENESS_LIVELOCK, 0              },
    {"nobody does anything",                         10 * S,        11 * S,        1, 610 * S,     LIVENESS_STUCK,    0              },
    {"progress, and the last window is not over",    LAST - 10 * S, LAST - 10 * S, 1, LAST - 1,
     LIVENESS_GOES_ON,                                                                                                LAST           },
    {"progress, and the last window is over",        LAST - 10 * S, LAST - 10 * S, 1, LAST,
     LIVENESS_TOO_SLOW,                                                                                               0              },
    {"at rest as the last window ends",              LAST - 50 * S, LAST - 50 * S, 0, LAST,        LIVENESS_AT_REST,  0              },
};

/* One that took over prunes later. */
static void test_a_new_leader(void **state)
{
    const struct liveness_view view = {
        .window_us = WINDOW, .calm_us = LIVENESS_CALM_US, .led_us = 30 * S};
    int64_t until_us = 0;

    (void)state;
    assert_int_equal(liveness_decide(&view, 75 * S - 1, &until_us), LIVENESS_GOES_ON);
    assert_int_equal(liveness_decide(&view, 75 * S, &until_us), LIVENESS_AT_REST);
}

/* What failed is asked again later. */
static void test_a_failed_request(void **state)
{
    const struct liveness_view view = {.window_us = WINDOW,
                                       .calm_us = LIVENESS_CALM_US,
                                       .led_us = -LIVENESS_TERM_US,
                                       .failed_us = 30 * S};
    int64_t until_us = 0;

    (void)state;
    assert_int_equal(liveness_decide(&view, 70 * S - 1, &until_us), LIVENESS_GOES_ON);
    assert_int_equal(liveness_decide(&view, 70 * S, &until_us), LIVENESS_AT_REST);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    const struct liveness_view view = {.window_us = WINDOW,
                                       .calm_us = LIVENESS_CALM_US,
                                       .progressed_us = row->progressed_us,
                                       .written_us = row->written_us,
                                       .led_us = -LIVENESS_TERM_US,
                                       .unfinished = row->unfinished};
    int64_t until_us = 0;

    assert_int_equal(liveness_decide(&view, row->now_us, &until_us), row->want);
    assert_int_equal(until_us, row->until_us);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_a_new_leader),
                                       cmocka_unit_test(test_a_failed_request)};
    int failed = ROWS_RUN(rows, check_row);

    return failed + cmocka_run_group_tests_name("leaders", tests, NULL, NULL);
}
