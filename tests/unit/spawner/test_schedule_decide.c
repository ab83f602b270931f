/* RULES 8.3: which slot of a spawner is due, and what is done for it. */
#include "tests/unit/rows.h"

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/spawner/schedule_decide.h"

/* Times as texts; NULL: none. */
static const struct row {
    const char *name;
    const char *schedule; /* NULL: none that is good */
    const char *created;
    const char *recorded;
    const char *now;
    bool forbid;
    bool suspend;
    bool deleting;
    enum schedule_active active;
    enum schedule_action want;
    const char *slot;  /* of what is due */
    const char *agent; /* its name */
} rows[] = {
  /* clang-format off */
    {"8.3: a slot later than the recorded one", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:07Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: at the slot itself", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: a second before the slot", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T02:59:59Z", .want = SCHEDULE_NOTHING},
    {"8.3: recorded already", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-17T03:00:00Z",
     "2026-10-17T03:00:15Z", .want = SCHEDULE_NOTHING},
    {"8.3: a clock that was set back", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-17T03:00:00Z",
     "2026-10-16T12:00:00Z", .want = SCHEDULE_NOTHING},
    {"8.3: a clock set forward", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-17T03:00:00Z",
     "2026-12-17T12:00:00Z", .want = SCHEDULE_CREATE, .slot = "2026-12-17T03:00:00Z", .agent = "nightly-story-29957940"},
    {"8.3: no run at creation", "0 3 * * *", "2026-10-17T03:00:01Z", NULL,
     "2026-10-17T03:00:02Z", .want = SCHEDULE_NOTHING},
    {"8.3: created at the slot: not strictly later", "0 3 * * *", "2026-10-17T03:00:00Z", NULL,
     "2026-10-17T03:00:00Z", .want = SCHEDULE_NOTHING},
    {"8.3: created a second before the slot", "0 3 * * *", "2026-10-17T02:59:59Z", NULL,
     "2026-10-17T03:00:14Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: the recorded one counts, not the creation", "0 3 * * *", "2026-10-17T09:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T10:00:00Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: after many slots the latest alone", "*/5 * * * *", "2026-10-01T00:00:00Z", "2026-10-17T02:00:00Z",
     "2026-10-17T03:02:00Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: neither recorded nor created", "0 3 * * *", NULL, NULL, "2026-10-17T03:00:00Z", .want = SCHEDULE_NOTHING},
    {"8.3: suspended", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .suspend = true, .want = SCHEDULE_NOTHING},
    {"8.3: being deleted", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .deleting = true, .want = SCHEDULE_NOTHING},
    {"8.2: a bad schedule starts nothing", NULL, "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .want = SCHEDULE_NOTHING},
    {"8.3 row 1: Forbid, and one is active", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .forbid = true, .active = SCHEDULE_ACTIVE_SOME, .want = SCHEDULE_SKIP,
     .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3 row 2: Forbid, and none is active", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .forbid = true, .active = SCHEDULE_ACTIVE_NONE, .want = SCHEDULE_CREATE,
     .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3 row 1: Forbid asks who is active", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .forbid = true, .active = SCHEDULE_ACTIVE_UNKNOWN, .want = SCHEDULE_COUNT,
     .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: Forbid asks nobody when nothing is due", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-17T03:00:00Z",
     "2026-10-17T09:00:00Z", .forbid = true, .active = SCHEDULE_ACTIVE_UNKNOWN, .want = SCHEDULE_NOTHING},
    {"8.3 row 2: Allow beside one that is active", "0 3 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T03:00:00Z", .active = SCHEDULE_ACTIVE_SOME, .want = SCHEDULE_CREATE,
     .slot = "2026-10-17T03:00:00Z", .agent = "nightly-story-29870100"},
    {"8.3: a changed schedule against the old time", "0 1 * * *", "2026-10-01T00:00:00Z", "2026-10-16T03:00:00Z",
     "2026-10-17T02:00:00Z", .want = SCHEDULE_CREATE, .slot = "2026-10-17T01:00:00Z", .agent = "nightly-story-29869980"},
  /* clang-format on */
};

static int64_t instant(const char *text)
{
    int64_t at_us = AGENT_NO_TIME;

    if (text != NULL)
        assert_true(time_parse(text, &at_us));
    return at_us;
}

static void test_decide(void **state)
{
    const struct row *row = *state;
    char name[] = "nightly-story";
    struct spawner spawner = {
        .name = name,
        .created_at_us = instant(row->created),
        .last_schedule_at_us = instant(row->recorded),
        .forbid = row->forbid,
        .suspend = row->suspend,
        .deleting = row->deleting,
    };
    struct schedule_due due = {0};
    struct cron_fault fault;
    struct cron cron;
    bool good = row->schedule != NULL;
    char slot[TIME_TEXT_SIZE];

    assert_true(!good || cron_parse(row->schedule, &cron, &fault));
    assert_int_equal(
        schedule_decide(&spawner, good ? &cron : NULL, row->active, instant(row->now), &due),
        row->want);
    if (row->slot == NULL)
        return;
    time_format(due.slot_us, slot);
    assert_string_equal(slot, row->slot);
    assert_string_equal(due.agent, row->agent);
}

static void test_active(void **state)
{
    static const struct agent pending = {.phase = AGENT_PENDING};
    static const struct agent running = {.phase = AGENT_RUNNING};
    static const struct agent succeeded = {.phase = AGENT_SUCCEEDED};
    static const struct agent failed = {.phase = AGENT_FAILED};
    const struct agent *ended[] = {&succeeded, &failed};
    const struct agent *waiting[] = {&succeeded, &pending};
    const struct agent *working[] = {&failed, &running};

    (void)state;
    assert_int_equal(schedule_active_of(NULL, 0), SCHEDULE_ACTIVE_NONE);
    assert_int_equal(schedule_active_of(ended, 2), SCHEDULE_ACTIVE_NONE);
    assert_int_equal(schedule_active_of(waiting, 2), SCHEDULE_ACTIVE_SOME);
    assert_int_equal(schedule_active_of(working, 2), SCHEDULE_ACTIVE_SOME);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_active)};

    return ROWS_RUN(rows, test_decide) + cmocka_run_group_tests(tests, NULL, NULL);
}
