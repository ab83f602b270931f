/* Who may begin beside whom (RULES 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/agents/admission_decide.h"
#include "controller/base/attributes.h"

#define NONE ADMISSION_NONE
#define STARTING ADMISSION_STARTING
#define ENDING ADMISSION_ENDING
#define GO ADMISSION_GO
#define HOLD ADMISSION_HOLD

static const struct row {
    const char *name;
    struct admission_view view; /* part, bounded, others wait, {starting, ending} */
    enum admission want;
} rows[] = {
    {"nothing to do at any Station", {NONE, true, true, {1, 1}}, GO},
    {"the first at a Station with a limit", {STARTING, true, false, {0, 0}}, GO},
    {"a start beside another start", {STARTING, true, false, {1, 0}}, HOLD},
    {"a start beside an end, which may free a slot", {STARTING, true, false, {0, 1}}, HOLD},
    {"starts at a Station without a limit", {STARTING, false, false, {9, 9}}, GO},
    {"a start behind those who wait", {STARTING, true, true, {0, 0}}, HOLD},
    {"an end beside a start", {ENDING, true, false, {1, 0}}, GO},
    {"ends beside each other", {ENDING, true, false, {0, 9}}, GO},
    {"an end behind those who wait: else they would for ever", {ENDING, true, true, {0, 9}}, HOLD},
};

static void test_rows(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        enum admission got = admission_decide(&rows[i].view);

        if (got != rows[i].want)
            fail_msg("%s: got %d, want %d", rows[i].name, got, rows[i].want);
    }
}

static void test_crowded(void **state)
{
    const struct admission_load alone = {1, 0};
    const struct admission_load two = {2, 0};
    const struct admission_load beside_an_end = {1, 1};

    (void)state;
    assert_false(admission_is_crowded(&alone));
    assert_true(admission_is_crowded(&two));
    assert_true(admission_is_crowded(&beside_an_end));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_crowded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
