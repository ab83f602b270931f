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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_range)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
