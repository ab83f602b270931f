#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/election/lease_decide.h"

/* RULES 5 rows 1 to 4, 13.3 */
static const struct row {
    const char *name;
    struct lease_view view; /* holder, changed_us, duration_us */
    int64_t now_us;
    enum lease_action want;
} rows[] = {
    {"1: no Lease yet",                            {LEASE_ABSENT, 0, 0},    5,   LEASE_CREATE   },
    {"1: no Lease, whatever was seen before",      {LEASE_ABSENT, 100, 20}, 101, LEASE_CREATE   },
    {"2: ours",                                    {LEASE_OURS, 10, 20},    11,  LEASE_RENEW    },
    {"2: ours, long past its duration",            {LEASE_OURS, 10, 20},    900, LEASE_RENEW    },
    {"3: nobody holds it: at once",                {LEASE_UNHELD, 10, 20},  10,  LEASE_TAKE_OVER},
    {"3: theirs, just lapsed",                     {LEASE_THEIRS, 10, 20},  30,  LEASE_TAKE_OVER},
    {"3: theirs, long lapsed",                     {LEASE_THEIRS, 10, 20},  999, LEASE_TAKE_OVER},
    {"4: theirs, one microsecond left",            {LEASE_THEIRS, 10, 20},  29,  LEASE_STAND_BY },
    {"4: theirs, seen this instant",               {LEASE_THEIRS, 10, 20},  10,  LEASE_STAND_BY },
    {"4: theirs, on a clock with a negative zero", {LEASE_THEIRS, -50, 20}, -31, LEASE_STAND_BY },
};

static void test_action(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum lease_action got = lease_decide(&rows[i].view, rows[i].now_us);

        if (got != rows[i].want)
            fail_msg("%s: got action %d, want %d", rows[i].name, (int)got, (int)rows[i].want);
    }
}

/* RULES 13.3 */
static void test_duration(void **state)
{
    static const struct {
        int64_t recorded_s, want_s;
    } cases[] = {
        {INT64_MIN, 15},
        {-1,        15},
        {0,         15},
        {1,         1 },
        {15,        15},
        {59,        59},
        {60,        60},
        {61,        60},
        {INT64_MAX, 60},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
        assert_int_equal(lease_duration_us(cases[i].recorded_s), cases[i].want_s * US_PER_SECOND);
}

/* RULES 13.2: no more than 10 s since the renewal was sent */
static void test_age(void **state)
{
    (void)state;
    assert_true(lease_is_young(1000, 1000));
    assert_true(lease_is_young(1000, 1000 + 10 * US_PER_SECOND));
    assert_false(lease_is_young(1000, 1001 + 10 * US_PER_SECOND));
}

/* RULES 13.2: 5 s after the previous one started, or at once when that took longer */
static void test_tick_delay(void **state)
{
    (void)state;
    assert_int_equal(lease_tick_delay_us(100, 100), 5 * US_PER_SECOND);
    assert_int_equal(lease_tick_delay_us(100, 100 + 2 * US_PER_SECOND), 3 * US_PER_SECOND);
    assert_int_equal(lease_tick_delay_us(100, 99 + 5 * US_PER_SECOND), 1);
    assert_int_equal(lease_tick_delay_us(100, 100 + 5 * US_PER_SECOND), 0);
    assert_int_equal(lease_tick_delay_us(100, 100 + 8 * US_PER_SECOND), 0);
}

/* RULES 13.4: strictly increasing, whatever the wall clock does */
static void test_renew_time(void **state)
{
    (void)state;
    assert_int_equal(lease_renew_time_us(500, INT64_MIN), 500);
    assert_int_equal(lease_renew_time_us(501, 500), 501);
    assert_int_equal(lease_renew_time_us(500, 500), 501);
    assert_int_equal(lease_renew_time_us(3, 500), 501);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_action),     cmocka_unit_test(test_duration),
        cmocka_unit_test(test_age),        cmocka_unit_test(test_tick_delay),
        cmocka_unit_test(test_renew_time),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
