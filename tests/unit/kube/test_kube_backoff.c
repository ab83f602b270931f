#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/time.h"
#include "controller/kube/kube_backoff.h"

/* RULES 4.1: ceiling 4, 8, 16, 32, 60, 60...; 2 s plus 0 to ceiling - 2 whole seconds */
static void test_range(void **state)
{
    static const struct {
        unsigned failures;
        int64_t ceiling_s;
    } cases[] = {
        {0,          4 },
        {1,          4 },
        {2,          8 },
        {3,          16},
        {4,          32},
        {5,          60},
        {6,          60},
        {1000000,    60},
        {UINT32_MAX, 60}
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        uint64_t spread = (uint64_t)cases[i].ceiling_s - 2;

        for (uint64_t random = 0; random <= spread; random++)
            assert_int_equal(kube_backoff_us(cases[i].failures, random),
                             (2 + (int64_t)random) * US_PER_SECOND);
        assert_int_equal(kube_backoff_us(cases[i].failures, spread + 1), 2 * US_PER_SECOND);
        assert_in_range(kube_backoff_us(cases[i].failures, UINT64_MAX), 2 * US_PER_SECOND,
                        cases[i].ceiling_s * US_PER_SECOND);
    }
}

/* 2024-02-29T12:00:00Z */
#define NOW_US (INT64_C(1709208000) * US_PER_SECOND)

static void test_retry_after(void **state)
{
    static const struct {
        const char *header;
        int64_t want_us;
    } rows[] = {
        {NULL,                               0                 },
        {"",                                 0                 },
        {"soon",                             0                 },
        {"0",                                0                 },
        {"-5",                               0                 },
        {"1",                                US_PER_SECOND     },
        {"59",                               59 * US_PER_SECOND},
        {"61",                               60 * US_PER_SECOND}, /* the most */
        {"9223372036854775807",              60 * US_PER_SECOND},
        {"99999999999999999999",             0                 },
        {"Thu, 29 Feb 2024 12:00:07 GMT",    7 * US_PER_SECOND },
        {"Thu, 29 Feb 2024 12:00:00 GMT",    0                 }, /* now */
        {"Wed, 28 Feb 2024 12:00:00 GMT",    0                 },
        {"Fri, 01 Mar 2024 12:00:00 GMT",    60 * US_PER_SECOND},
        {"Thu, 29 Feb 2024 12:00:07 CET",    0                 },
        {"Thu, 29 Feb 2024 12:00:7 GMT",     0                 },
        {"Thu, 29 anF 2024 12:00:07 GMT",    0                 },
        {"Thu, 30 Feb 2024 12:00:07 GMT",    0                 },
        {"Thursday, 29-Feb-24 12:00:07 GMT", 0                 }, /* obsolete forms are not read */
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t got = kube_retry_after_us(rows[i].header, NOW_US);

        if (got != rows[i].want_us)
            fail_msg("%s: got %lld", rows[i].header, (long long)got);
    }
}

static void test_pause(void **state)
{
    (void)state;
    assert_int_equal(kube_pause_us(1, 0, 0), 2 * US_PER_SECOND);
    assert_int_equal(kube_pause_us(1, US_PER_SECOND, 0), 2 * US_PER_SECOND); /* the longer */
    assert_int_equal(kube_pause_us(1, 9 * US_PER_SECOND, 0), 9 * US_PER_SECOND);
    /* those who were told the same are spread */
    assert_int_equal(kube_pause_us(1, 9 * US_PER_SECOND, UINT64_C(1999999) << 32),
                     11 * US_PER_SECOND - 1);
    assert_int_equal(kube_pause_us(1, 9 * US_PER_SECOND, UINT64_C(2000000) << 32),
                     9 * US_PER_SECOND);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_range),
        cmocka_unit_test(test_retry_after),
        cmocka_unit_test(test_pause),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
