#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/election/lease_decide.h"
#include "tests/unit/rows.h"

/* RULES 5 rows 1 to 4, 13.3 */
static const struct row {
    const char *name;
    struct lease_view view; /* holder, leading, changed_us, duration_us */
    int64_t now_us;
    enum lease_action want;
} rows[] = {
    {"1: no Lease yet",               {LEASE_ABSENT, false, 0, 0},     5,   LEASE_CREATE   },
    {"1: none, whatever was seen",    {LEASE_ABSENT, false, 100, 20},  101, LEASE_CREATE   },
    {"13.2: vanished, and we lead",   {LEASE_VANISHED, true, 10, 20},  11,  LEASE_CREATE   },
    {"13.2: vanished, 1 us left",     {LEASE_VANISHED, false, 10, 20}, 29,  LEASE_STAND_BY },
    {"13.2: vanished, just lapsed",   {LEASE_VANISHED, false, 10, 20}, 30,  LEASE_CREATE   },
    {"2: ours",                       {LEASE_OURS, false, 10, 20},     11,  LEASE_RENEW    },
    {"2: ours, long past its time",   {LEASE_OURS, false, 10, 20},     900, LEASE_RENEW    },
    {"3: nobody holds it: at once",   {LEASE_UNHELD, false, 10, 20},   10,  LEASE_TAKE_OVER},
    {"3: theirs, just lapsed",        {LEASE_THEIRS, false, 10, 20},   30,  LEASE_TAKE_OVER},
    {"3: theirs, long lapsed",        {LEASE_THEIRS, false, 10, 20},   999, LEASE_TAKE_OVER},
    {"4: theirs, 1 us left",          {LEASE_THEIRS, false, 10, 20},   29,  LEASE_STAND_BY },
    {"4: theirs, seen this instant",  {LEASE_THEIRS, false, 10, 20},   10,  LEASE_STAND_BY },
    {"4: theirs, a clock below zero", {LEASE_THEIRS, false, -50, 20},  -31, LEASE_STAND_BY },
};

static void check_action(void **state)
{
    const struct row *row = *state;
    enum lease_action got = lease_decide(&row->view, row->now_us);

    if (got != row->want)
        fail_msg("%s: got action %d, want %d", row->name, (int)got, (int)row->want);
}

static const struct lapse_row {
    const char *name;
    struct lease_view view;
    bool want;
} lapses[] = {
    {"13.12: theirs",                {.holder = LEASE_THEIRS},                    true },
    {"13.12: vanished",              {.holder = LEASE_VANISHED},                  true },
    {"13.12: vanished, and we lead", {.holder = LEASE_VANISHED, .leading = true}, false},
    {"13.12: nobody holds it",       {.holder = LEASE_UNHELD},                    false},
    {"13.12: no Lease",              {.holder = LEASE_ABSENT},                    false},
};

static void check_lapse(void **state)
{
    const struct lapse_row *row = *state;

    assert_int_equal(lease_is_after_a_lapse(&row->view), row->want);
}

static const struct duration_row {
    const char *name;
    int64_t recorded_s;
    int64_t want_s;
} durations[] = {
    {"13.3: the least there is", INT64_MIN, 15},
    {"13.3: -1",                 -1,        15},
    {"13.3: 0",                  0,         15},
    {"13.3: 1",                  1,         1 },
    {"13.3: 15",                 15,        15},
    {"13.3: 59",                 59,        59},
    {"13.3: 60",                 60,        60},
    {"13.3: 61",                 61,        60},
    {"13.3: the most there is",  INT64_MAX, 60},
};

static void check_duration(void **state)
{
    const struct duration_row *row = *state;

    assert_int_equal(lease_duration_us(row->recorded_s), row->want_s * US_PER_SECOND);
}

static const struct age_row {
    const char *name;
    int64_t age_us;
    bool want;
} ages[] = {
    {"13.2: sent this instant",    0,                      true },
    {"13.2: sent 10 s ago",        10 * US_PER_SECOND,     true },
    {"13.2: sent 10.000001 s ago", 10 * US_PER_SECOND + 1, false},
};

static void check_age(void **state)
{
    const struct age_row *row = *state;

    assert_int_equal(lease_is_young(1000, 1000 + row->age_us), row->want);
}

static const struct tick_row {
    const char *name;
    int64_t took_us; /* the tick that began at 100 */
    int64_t want_us;
} ticks[] = {
    {"13.2: a tick of no time",      0,                     5 * US_PER_SECOND},
    {"13.2: a tick of 2 s",          2 * US_PER_SECOND,     3 * US_PER_SECOND},
    {"13.2: a tick of almost 5 s",   5 * US_PER_SECOND - 1, 1                },
    {"13.2: a tick of 5 s",          5 * US_PER_SECOND,     0                },
    {"13.2: a tick of 8 s: at once", 8 * US_PER_SECOND,     0                },
};

static void check_tick(void **state)
{
    const struct tick_row *row = *state;

    assert_int_equal(lease_tick_delay_us(100, 100 + row->took_us), row->want_us);
}

static const struct renew_row {
    const char *name;
    int64_t wall_us;
    int64_t written_us;
    int64_t want_us;
} renewals[] = {
    {"13.4: the first renewTime",         500, INT64_MIN, 500},
    {"13.4: the wall clock went on",      501, 500,       501},
    {"13.4: the wall clock stood still",  500, 500,       501},
    {"13.4: the wall clock was set back", 3,   500,       501},
};

static void check_renew_time(void **state)
{
    const struct renew_row *row = *state;

    assert_int_equal(lease_renew_time_us(row->wall_us, row->written_us), row->want_us);
}

int main(void)
{
    int failed = ROWS_RUN(rows, check_action);

    failed += ROWS_RUN(lapses, check_lapse);
    failed += ROWS_RUN(durations, check_duration);
    failed += ROWS_RUN(ages, check_age);
    failed += ROWS_RUN(ticks, check_tick);
    return failed + ROWS_RUN(renewals, check_renew_time);
}
