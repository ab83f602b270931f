#include "scenarios/sim/drift.h"

#include "tests/unit/sim/fixture.h"

static const struct row {
    int64_t ppm;
    int64_t span_us;
    int64_t want_us;
} rows[] = {
    {0,       12345,                  12345                 },
    {1,       999999,                 999999                },
    {1,       1000000,                1000001               },
    {-1,      1,                      0                     },
    {-1,      1000000,                999999                },
    {100,     US_PER_DAY,             US_PER_DAY + 8640000  },
    {-500000, 10,                     5                     },
    {500000,  10,                     15                    },
    {500000,  100 * 365 * US_PER_DAY, 150 * 365 * US_PER_DAY},
};

static void test_show(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct drift drift = {.true_us = 7, .shown_us = 1000, .ppm = rows[i].ppm};

        assert_int_equal(drift_show(&drift, 7 + rows[i].span_us), 1000 + rows[i].want_us);
    }
}

/* The first instant that shows a value shows it, and the one before does not. */
static void test_when_is_the_first(void **state)
{
    static const int64_t rates[] = {-500000, -333333, -1, 0, 1, 17, 333333, 500000};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rates); i++) {
        const struct drift drift = {.true_us = 7, .shown_us = 1000, .ppm = rates[i]};

        for (int64_t shown_us = 1001; shown_us < 10 * US_PER_DAY; shown_us = shown_us * 3 + 1) {
            int64_t at_us = drift_when(&drift, shown_us);

            assert_true(drift_show(&drift, at_us) >= shown_us);
            assert_true(drift_show(&drift, at_us - 1) < shown_us);
        }
    }
}

static void test_when_at_the_edges(void **state)
{
    const struct drift drift = {.true_us = 7, .shown_us = 1000, .ppm = 5};

    (void)state;
    assert_int_equal(drift_when(&drift, 1000), 7);
    assert_int_equal(drift_when(&drift, -5), 7);
    assert_int_equal(drift_when(&drift, INT64_MAX), INT64_MAX);
}

static void test_rate_is_clamped_and_does_not_jump(void **state)
{
    struct drift drift = {.true_us = 0, .shown_us = 0, .ppm = 0};

    (void)state;
    drift_set_rate(&drift, 100, DRIFT_PPM_MAX + 1);
    assert_int_equal(drift.ppm, DRIFT_PPM_MAX);
    assert_int_equal(drift_show(&drift, 100), 100);
    drift_set_rate(&drift, 200, -DRIFT_PPM_MAX - 1);
    assert_int_equal(drift.ppm, -DRIFT_PPM_MAX);
    assert_int_equal(drift_show(&drift, 200), 250);
    assert_int_equal(drift_show(&drift, 300), 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_show),
        cmocka_unit_test(test_when_is_the_first),
        cmocka_unit_test(test_when_at_the_edges),
        cmocka_unit_test(test_rate_is_clamped_and_does_not_jump),
    };

    return cmocka_run_group_tests_name("sim/drift", tests, NULL, NULL);
}
