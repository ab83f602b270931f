#include "fakeapi/cluster/collector_decide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

/* clang-format off */
static const struct row {
    const char *name;
    struct collector_view view;
    enum collector_action want;
} rows[] = {
    {"nobody's", {.solid = 0}, COLLECT_NOTHING},
    {"its owner is there", {.solid = 1}, COLLECT_NOTHING},
    {"its owner is gone (K1)", {.absent = 1}, COLLECT_DELETE_BACKGROUND},
    {"all owners are gone", {.absent = 3}, COLLECT_DELETE_BACKGROUND},
    {"one of two is gone (K2)", {.solid = 1, .absent = 1}, COLLECT_STRIP},
    {"one of two waits (K2)", {.solid = 1, .waiting = 1}, COLLECT_STRIP},
    {"a kind that nobody serves (K3)", {.unknown = 1}, COLLECT_NOTHING},
    {"it keeps an object whose other owner is gone", {.unknown = 1, .absent = 1},
     COLLECT_NOTHING},
    {"its owner waits (K4)", {.waiting = 1}, COLLECT_DELETE_BACKGROUND},
    {"its owner waits, others are its own", {.waiting = 1, .has_dependents = true},
     COLLECT_DELETE_FOREGROUND},
    {"gone, with others of its own", {.absent = 1, .has_dependents = true},
     COLLECT_DELETE_BACKGROUND},
    {"gone, and asked to orphan", {.absent = 1, .orphan_finalizer = true}, COLLECT_DELETE_ORPHAN},
    {"gone, and asked to wait", {.absent = 1, .foreground_finalizer = true},
     COLLECT_DELETE_FOREGROUND},
    {"being deleted (K7)", {.deleting = true, .absent = 1}, COLLECT_NOTHING},
    {"being deleted in the foreground", {.deleting = true, .foreground_finalizer = true,
     .has_dependents = true, .has_blocking_dependents = true}, COLLECT_DELETE_DEPENDENTS},
    {"none of its dependents blocks", {.deleting = true, .foreground_finalizer = true,
     .has_dependents = true}, COLLECT_RELEASE_FOREGROUND},
    {"being deleted, leaving orphans (K5)", {.deleting = true, .orphan_finalizer = true,
     .has_dependents = true}, COLLECT_ORPHAN_DEPENDENTS},
};
/* clang-format on */

static void test_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (collector_decide(&rows[i].view) != rows[i].want)
            fail_msg("%s: got %d", rows[i].name, collector_decide(&rows[i].view));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_decide)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
