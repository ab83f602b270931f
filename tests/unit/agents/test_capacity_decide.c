/* Room at a Station, and who has to go (RULES 3.4). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agents/capacity_decide.h"
#include "controller/base/attributes.h"

static char name_a[] = "a", name_b[] = "b", station_s[] = "s", station_t[] = "t";

static const struct {
    const char *name;
    enum concurrency_policy policy;
    int64_t runs_max;
    size_t running;
    enum capacity want;
} rows[] = {
    {"Allow, unlimited",          CONCURRENCY_ALLOW,   0, 1000, CAPACITY_FREE   },
    {"Allow, one below",          CONCURRENCY_ALLOW,   3, 2,    CAPACITY_FREE   },
    {"Allow, at the limit",       CONCURRENCY_ALLOW,   3, 3,    CAPACITY_FULL   },
    {"Allow, above",              CONCURRENCY_ALLOW,   3, 4,    CAPACITY_FULL   },
    {"Forbid, none",              CONCURRENCY_FORBID,  0, 0,    CAPACITY_FREE   },
    {"Forbid, one",               CONCURRENCY_FORBID,  0, 1,    CAPACITY_FULL   },
    {"Forbid is 1, whatever max", CONCURRENCY_FORBID,  5, 1,    CAPACITY_FULL   },
    {"Replace, none",             CONCURRENCY_REPLACE, 0, 0,    CAPACITY_FREE   },
    {"Replace, one",              CONCURRENCY_REPLACE, 0, 1,    CAPACITY_PREEMPT},
    {"Replace is 1 too",          CONCURRENCY_REPLACE, 5, 1,    CAPACITY_PREEMPT},
};

static void test_capacity(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct station station = {.policy = rows[i].policy, .runs_max = rows[i].runs_max};
        enum capacity got = capacity_decide(&station, rows[i].running);

        if (got != rows[i].want)
            fail_msg("3.4 %s: got %d", rows[i].name, got);
    }
}

static void test_counts(void **state)
{
    struct agent agent = {.name = name_a, .station = station_s, .phase = AGENT_RUNNING};

    (void)state;
    assert_true(capacity_counts(&agent, "s"));
    assert_false(capacity_counts(&agent, "t"));
    agent.deleting = true; /* 3.4: deletionTimestamp unset */
    assert_false(capacity_counts(&agent, "s"));
    agent.deleting = false;
    agent.station = NULL;
    assert_false(capacity_counts(&agent, "s"));
    agent.station = station_t;
    assert_false(capacity_counts(&agent, "s"));
    agent.station = station_s;
    agent.phase = AGENT_PENDING;
    assert_false(capacity_counts(&agent, "s"));
    agent.starting = true; /* its start may have landed */
    assert_true(capacity_counts(&agent, "s"));
    agent.starting = false;
    agent.phase = AGENT_SUCCEEDED;
    assert_false(capacity_counts(&agent, "s"));
}

static void test_victim(void **state)
{
    struct agent a = {.name = name_a, .started_at_us = 5, .created_at_us = 1};
    struct agent b = {.name = name_b, .started_at_us = 6, .created_at_us = 0};

    (void)state;
    assert_true(capacity_is_victim_before(&a, &b)); /* 3.4: the earliest startedAt */
    assert_false(capacity_is_victim_before(&b, &a));
    b.started_at_us = AGENT_NO_TIME; /* missing sorts first */
    assert_true(capacity_is_victim_before(&b, &a));
    b.started_at_us = 5; /* a tie: the earliest creation */
    assert_true(capacity_is_victim_before(&b, &a));
    b.created_at_us = 1; /* then the name */
    assert_true(capacity_is_victim_before(&a, &b));
    assert_false(capacity_is_victim_before(&b, &a));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_capacity),
        cmocka_unit_test(test_counts),
        cmocka_unit_test(test_victim),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
