/* Room at a Station, and who has to go (RULES 3.4). */
#include "tests/unit/rows.h"

#include "controller/agents/capacity.h"
#include "controller/agents/capacity_decide.h"
#include "controller/base/attributes.h"
#include "controller/base/memory.h"

static char name_a[] = "a", name_b[] = "b", station_s[] = "s", station_t[] = "t";

static const struct limit_row {
    const char *name;
    enum concurrency_policy policy;
    int64_t runs_max;
    size_t running;
    enum capacity want;
} limits[] = {
    {"Allow, unlimited", CONCURRENCY_ALLOW, 0, 1000, CAPACITY_FREE},
    {"Allow, none yet", CONCURRENCY_ALLOW, 1, 0, CAPACITY_FREE},
    {"Allow, one below", CONCURRENCY_ALLOW, 3, 2, CAPACITY_FREE},
    {"Allow, at the limit", CONCURRENCY_ALLOW, 3, 3, CAPACITY_FULL},
    {"Allow, above", CONCURRENCY_ALLOW, 3, 4, CAPACITY_FULL},
    {"Forbid, none", CONCURRENCY_FORBID, 0, 0, CAPACITY_FREE},
    {"Forbid, one", CONCURRENCY_FORBID, 0, 1, CAPACITY_FULL},
    {"Forbid is 1, whatever max", CONCURRENCY_FORBID, 5, 1, CAPACITY_FULL},
    {"Replace, none", CONCURRENCY_REPLACE, 0, 0, CAPACITY_FREE},
    {"Replace, one", CONCURRENCY_REPLACE, 0, 1, CAPACITY_PREEMPT},
    {"Replace is 1 too", CONCURRENCY_REPLACE, 5, 1, CAPACITY_PREEMPT},
};

static void test_limit(void **state)
{
    const struct limit_row *row = *state;
    struct station station = {.policy = row->policy, .runs_max = row->runs_max};
    enum capacity got = capacity_decide(&station, row->running);

    if (got != row->want)
        fail_msg("3.4 %s: got %d", row->name, got);
}

static const struct count_row {
    const char *name;
    enum agent_phase phase;
    bool begun;
    bool deleting;
    char *station;
    bool want;
} counts[] = {
    {"Running counts", AGENT_RUNNING, false, false, station_s, true},
    {"of another Station", AGENT_RUNNING, false, false, station_t, false},
    {"of no Station", AGENT_RUNNING, false, false, NULL, false},
    {"Running, but being deleted", AGENT_RUNNING, false, true, station_s, false},
    {"Pending does not count", AGENT_PENDING, false, false, station_s, false},
    {"Pending whose Job is there counts", AGENT_PENDING, true, false, station_s, true},
    {"begun, but being deleted", AGENT_PENDING, true, true, station_s, false},
    {"Succeeded does not count", AGENT_SUCCEEDED, false, false, station_s, false},
    {"Failed does not count", AGENT_FAILED, false, false, station_s, false},
    {"Failed once its Job was there", AGENT_FAILED, true, false, station_s, false},
};

static void test_count(void **state)
{
    const struct count_row *row = *state;
    struct agent agent = {.name = name_a,
                          .station = row->station,
                          .phase = row->phase,
                          .begun = row->begun,
                          .deleting = row->deleting};

    if (capacity_counts(&agent, "s") != row->want)
        fail_msg("3.4 %s", row->name);
}

/* Of two, a and b, which is preempted. */
static const struct victim_row {
    const char *name;
    int64_t a_started, a_created, b_started, b_created;
    char want;
} victims[] = {
    {"the earliest startedAt", 5, 1, 6, 0, 'a'},
    {"a missing startedAt sorts first", 5, 0, AGENT_NO_TIME, 1, 'b'},
    {"a tie: the earliest creation", 5, 1, 5, 0, 'b'},
    {"both missing: the creation too", AGENT_NO_TIME, 1, AGENT_NO_TIME, 0, 'b'},
    {"a tie of both: the lesser name", 5, 1, 5, 1, 'a'},
};

static void test_victim(void **state)
{
    const struct victim_row *row = *state;
    struct agent a = {
        .name = name_a, .started_at_us = row->a_started, .created_at_us = row->a_created};
    struct agent b = {
        .name = name_b, .started_at_us = row->b_started, .created_at_us = row->b_created};

    if (capacity_is_victim_before(&a, &b) != (row->want == 'a') ||
        capacity_is_victim_before(&b, &a) != (row->want == 'b'))
        fail_msg("3.4 %s", row->name);
}

static const struct wait_row {
    const char *name;
    enum agent_phase phase;
    bool begun;
    bool deleting;
    bool want;
} waits[] = {
    {"Pending waits", AGENT_PENDING, false, false, true},
    {"begun: waits no more", AGENT_PENDING, true, false, false},
    {"being deleted: waits no more", AGENT_PENDING, false, true, false},
    {"Running waits no more", AGENT_RUNNING, false, false, false},
    {"ended: waits no more", AGENT_FAILED, false, false, false},
};

static void test_wait(void **state)
{
    const struct wait_row *row = *state;
    struct agent agent = {.phase = row->phase, .begun = row->begun, .deleting = row->deleting};

    if (capacity_waits(&agent) != row->want)
        fail_msg("3.4 %s", row->name);
}

/* Whether one created at that time is ahead of one created at 5. */
static const struct ahead_row {
    const char *name;
    int64_t created;
    bool want;
} aheads[] = {
    {"came a second before", 4, true},
    {"came in the same second", 5, false},
    {"came after", 6, false},
};

static void test_ahead(void **state)
{
    const struct ahead_row *row = *state;
    struct agent a = {.created_at_us = 5};
    struct agent b = {.created_at_us = row->created};

    if (capacity_is_ahead(&b, &a) != row->want)
        fail_msg("3.4 %s", row->name);
}

/* The order of a pass: whether a, created at 5, comes before b. */
static const struct order_row {
    const char *name;
    int64_t created;
    char *other;
    bool want;
} orders[] = {
    {"created earlier", 6, name_b, true},
    {"created later", 4, name_b, false},
    {"created together: the lesser name", 5, name_b, true},
    {"nobody comes before itself", 5, name_a, false},
};

static void test_order(void **state)
{
    const struct order_row *row = *state;
    struct agent a = {.name = name_a, .created_at_us = 5};
    struct agent b = {.name = row->other, .created_at_us = row->created};

    if (capacity_is_before(&a, &b) != row->want)
        fail_msg("3.4 %s", row->name);
}

/* Whoever has begun counts for others, and not against itself. */
static void test_others(void **state)
{
    struct agent_cache *cache = agent_cache_new();
    struct agent *agent = xcalloc(1, sizeof(*agent));

    (void)state;
    agent->name = xstrdup("a");
    agent->uid = xstrdup("u");
    agent->resource_version = xstrdup("1");
    agent->station = xstrdup("s");
    agent_cache_put(cache, agent);
    assert_int_equal(capacity_running(cache, "s", "b"), 0);
    agent_cache_set_begun(cache, "a", "u", true);
    assert_int_equal(capacity_running(cache, "s", "b"), 1);
    assert_int_equal(capacity_running(cache, "s", "a"), 0);
    assert_int_equal(capacity_running(cache, "t", "b"), 0);
    agent_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) + ROWS_RUN(limits, test_limit) +
           ROWS_RUN(counts, test_count) + ROWS_RUN(victims, test_victim) +
           ROWS_RUN(waits, test_wait) + ROWS_RUN(aheads, test_ahead) + ROWS_RUN(orders, test_order);
}
