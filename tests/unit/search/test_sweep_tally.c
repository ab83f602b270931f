/* Failures of a sweep are counted by scenario and claim. */
#include "scenarios/search/sweep_tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "scenarios/search/sweep_counts.h"

static void test_claims_are_counted_apart(void **state)
{
    struct sweep_tally tally = {0};
    struct buffer text = BUFFER_INIT(1000);
    size_t crash = fault_kind_index(fault_kind_find("crash"));
    size_t pause = fault_kind_index(fault_kind_find("pause"));

    (void)state;
    assert_int_equal(sweep_tally_add(&tally, "a/one", "I-JOB", crash), 1);
    assert_int_equal(sweep_tally_add(&tally, "a/one", "wait: Agent x", crash), 1);
    assert_int_equal(sweep_tally_add(&tally, "a/one", "I-JOB", pause), 2);
    assert_int_equal(sweep_tally_add(&tally, "a/two", "I-JOB", pause), 1);
    sweep_tally_append(&tally, &text);
    assert_string_equal(text.bytes, "failed points by scenario and claim:\n"
                                    "       2  a/one: I-JOB\n"
                                    "          crash 1, pause 1\n"
                                    "       1  a/one: wait: Agent x\n"
                                    "          crash 1\n"
                                    "       1  a/two: I-JOB\n"
                                    "          pause 1\n");
    buffer_release(&text);
    sweep_tally_release(&tally);
}

static void test_without_failures_nothing_is_said(void **state)
{
    const struct sweep_tally tally = {0};
    struct buffer text = BUFFER_INIT(1000);

    (void)state;
    sweep_tally_append(&tally, &text);
    assert_int_equal(text.size, 0);
    buffer_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_claims_are_counted_apart),
        cmocka_unit_test(test_without_failures_nothing_is_said),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
