/* RULES 8.1 to 8.3: what a schedule is, what is said of a text that is none, and its slots. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/spawner/cron.h"
#include "tests/unit/rows.h"

/* --- vectors of an independent walk through the calendar --- */

struct slots_row {
    const char *name;
    const char *text;
    const char *from;
    const char *next[3]; /* one after the other, "none" where there is no more */
    const char *latest;
};

struct fault_row {
    const char *name;
    const char *text;
    size_t offset;
    const char *words;
};

#include "tests/unit/spawner/cron_vectors.h"

static struct cron parsed(const char *text)
{
    struct cron cron;
    struct cron_fault fault;
    struct error err = ERROR_INIT;

    if (!cron_parse(text, &cron, &fault)) {
        cron_fault_describe(&fault, text, &err);
        fail_msg("%s: %s", text, err.text);
    }
    return cron;
}

static int64_t instant(const char *text)
{
    int64_t at_us = 0;

    assert_true(time_parse(text, &at_us));
    return at_us;
}

static void check_slot(bool found, int64_t slot_us, const char *want)
{
    char text[TIME_TEXT_SIZE] = "none";

    if (found) {
        time_format(slot_us, text);
        assert_int_equal(slot_us % US_PER_MINUTE, 0);
    }
    assert_string_equal(text, want);
}

static void test_slots(void **state)
{
    const struct slots_row *row = *state;
    struct cron cron = parsed(row->text);
    int64_t at_us = instant(row->from);
    int64_t slot_us = 0;
    bool found = cron_latest(&cron, at_us, &slot_us);

    check_slot(found, slot_us, row->latest);
    found = true;
    for (size_t i = 0; i < ARRAY_SIZE(row->next); i++) {
        found = found && cron_next(&cron, at_us, &slot_us);
        check_slot(found, slot_us, row->next[i]);
        at_us = slot_us;
    }
}

static void test_faults(void **state)
{
    const struct fault_row *row = *state;
    struct cron cron;
    struct cron_fault fault;
    struct error err = ERROR_INIT;

    assert_false(cron_parse(row->text, &cron, &fault));
    cron_fault_describe(&fault, row->text, &err);
    assert_string_equal(err.text, row->words);
    assert_int_equal(fault.offset, row->offset);
    assert_int_equal(err.kind, fault.kind == CRON_NEVER ? ERROR_INVALID : ERROR_MALFORMED);
}

/* --- the vectors of the sheet, in its own words --- */

static const struct sheet_row {
    const char *name;
    const char *text;
    const char *now;
    const char *slot;
} sheet[] = {
    {"8.3: 0 * * * *",         "0 * * * *",      "2026-10-17T13:20:00Z", "2026-10-17T13:00:00Z"},
    {"8.3: */15 * * * *",      "*/15 * * * *",   "2026-10-17T13:20:59Z", "2026-10-17T13:15:00Z"},
    {"8.3: 5/15 * * * *",      "5/15 * * * *",   "2026-10-17T13:04:00Z", "2026-10-17T12:50:00Z"},
    {"8.3: 0 9-17/2 * * *",    "0 9-17/2 * * *", "2026-10-17T16:30:00Z", "2026-10-17T15:00:00Z"},
    {"8.3: 0 3 * * *, at it",  "0 3 * * *",      "2026-10-17T03:00:00Z", "2026-10-17T03:00:00Z"},
    {"8.3: 0 3 * * *, before", "0 3 * * *",      "2026-10-17T02:59:59Z", "2026-10-16T03:00:00Z"},
    {"8.3: 0 9 1 * 1, Monday", "0 9 1 * 1",      "2026-10-17T13:20:30Z", "2026-10-12T09:00:00Z"},
    {"8.3: 0 9 1 * 1, 1st",    "0 9 1 * 1",      "2026-10-04T00:00:00Z", "2026-10-01T09:00:00Z"},
    {"8.3: 0 9 */2 * 1",       "0 9 */2 * 1",    "2026-10-17T00:00:00Z", "2026-10-05T09:00:00Z"},
    {"8.3: 0 12 * * 7",        "0 12 * * 7",     "2026-10-17T00:00:00Z", "2026-10-11T12:00:00Z"},
    {"8.3: 0 12 * * 0",        "0 12 * * 0",     "2026-10-17T00:00:00Z", "2026-10-11T12:00:00Z"},
    {"8.3: 0 12 * * 1/3",      "0 12 * * 1/3",   "2026-10-18T23:00:00Z", "2026-10-18T12:00:00Z"},
    {"8.3: 30 23 31 * *",      "30 23 31 * *",   "2026-10-17T00:00:00Z", "2026-08-31T23:30:00Z"},
    {"8.3: 0 0 29 2 *",        "0 0 29 2 *",     "2026-10-17T00:00:00Z", "2024-02-29T00:00:00Z"},
};

/* clang-format off */
static const struct fault_row sheet_faults[] = {
    {"8.3: 0 0 30 2 *", "0 0 30 2 *", 4, "cron schedule never fires"},
    {"8.2: not a number", "0 x * * *", 2, "cron hour \"x\": not a number"},
    {"8.2: out of range", "60 * * * *", 0, "cron minute \"60\": out of range 0-59"},
    {"8.2: out of range below", "0 0 0 * *", 4, "cron day of month \"0\": out of range 1-31"},
    {"8.2: reversed", "0 22-2 * * *", 2, "cron hour \"22-2\": range is reversed"},
    {"8.2: step 0", "0 0 * */0 *", 8, "cron month \"*/0\": step must be at least 1"},
    {"8.2: empty item", "0 0 * * 1,,2", 10, "cron day of week \"1,,2\": empty item"},
    {"8.2: four fields", "0 0 * *", 7, "cron \"0 0 * *\": expected 5 fields, got 4"},
    {"8.2: six fields", "0 0 * * * *", 10, "cron \"0 0 * * * *\": expected 5 fields, got 6"},
    {"8.2: the first fault", "61 x 5-1 * *", 0, "cron minute \"61\": out of range 0-59"},
    {"8.2: order before step", "5-4/0 * * * *", 0, "cron minute \"5-4/0\": range is reversed"},
    {"8.1: a space before", " 0 0 * * *", 9, "cron \" 0 0 * * *\": expected 5 fields, got 6"},
    {"8.1: a space behind", "0 0 * * * ", 10, "cron \"0 0 * * * \": expected 5 fields, got 6"},
    {"8.1: a tab", "0 0 *\t* * *", 5, "cron day of month \"*\t*\": not a number"},
    {"8.1: a name", "0 0 * * MON", 8, "cron day of week \"MON\": not a number"},
    {"8.1: a macro", "@daily", 6, "cron \"@daily\": expected 5 fields, got 1"},
    {"8.1: a sign", "+1 * * * *", 0, "cron minute \"+1\": not a number"},
};
/* clang-format on */

static void test_sheet(void **state)
{
    const struct sheet_row *row = *state;
    struct cron cron = parsed(row->text);
    int64_t slot_us = 0;
    bool found = cron_latest(&cron, instant(row->now), &slot_us);

    check_slot(found, slot_us, row->slot);
}

/* --- what vectors cannot tell --- */

/* The days of the calendar that count, from one that begins 400 years to the next such. */
#define CYCLE_DAYS 146097

/* All of 29, 30 and 31 with each month and each rule of days: none is refused that has a day in
 * 400 years, and none taken that has not. */
static void test_never_is_exact(void **state)
{
    (void)state;
    for (unsigned months = 1; months < 1U << 12; months += 7)
        for (unsigned day = 28; day <= 31; day++) {
            char text[96];
            int used = snprintf(text, sizeof(text), "0 0 %u ", day);
            bool exists = false;
            struct cron cron;
            struct cron_fault fault;

            for (unsigned month = 1; month <= 12; month++)
                if (months >> (month - 1) & 1) {
                    used += snprintf(text + used, sizeof(text) - (size_t)used, "%u,", month);
                    exists = exists || day <= time_days_of_month(2000, month);
                }
            snprintf(text + used - 1, sizeof(text) - (size_t)used, " */7");
            if (cron_parse(text, &cron, &fault) != exists)
                fail_msg("%s: want %d", text, exists);
        }
}

/* Every day of 400 years, for a schedule that asks for a date and a weekday, both ways. */
static void check_cycle(const char *text, unsigned month, unsigned day, unsigned weekday)
{
    struct cron cron = parsed(text);
    int64_t first = time_days_from_date(&(struct time_date){2000, 1, 1});
    int64_t last_us = INT64_MIN;
    int64_t slot_us;
    int64_t next_us;

    for (int64_t days = first; days < first + CYCLE_DAYS; days++) {
        struct time_date date = time_date_from_days(days);
        bool due = date.month == month && date.day == day && (days + 4) % 7 == weekday;
        int64_t at_us = days * US_PER_DAY;

        if (due && last_us != INT64_MIN) {
            assert_true(cron_next(&cron, last_us, &next_us));
            assert_int_equal(next_us, at_us);
        }
        if (due)
            last_us = at_us;
        if (last_us == INT64_MIN)
            continue;
        assert_true(cron_latest(&cron, at_us + US_PER_DAY - 1, &slot_us));
        assert_int_equal(slot_us, last_us);
    }
    assert_true(last_us != INT64_MIN);
}

static void test_whole_cycle(void **state)
{
    (void)state;
    check_cycle("0 0 29 2 */7", 2, 29, 0);
    check_cycle("0 0 31 12 */7", 12, 31, 0);
    check_cycle("0 0 */31 3 3", 3, 1, 3);
}

static void test_ends_of_time(void **state)
{
    struct cron cron = parsed("* * * * *");
    int64_t slot_us = 7;

    (void)state;
    assert_true(cron_next(&cron, INT64_MIN, &slot_us));
    check_slot(true, slot_us, "0000-01-01T00:00:00Z");
    assert_true(cron_next(&cron, TIME_MIN_US, &slot_us));
    check_slot(true, slot_us, "0000-01-01T00:01:00Z");
    assert_true(cron_latest(&cron, INT64_MAX, &slot_us));
    check_slot(true, slot_us, "9999-12-31T23:59:00Z");
    assert_true(cron_latest(&cron, TIME_MIN_US, &slot_us));
    check_slot(true, slot_us, "0000-01-01T00:00:00Z");
    slot_us = 7;
    assert_false(cron_next(&cron, INT64_MAX, &slot_us));
    assert_false(cron_next(&cron, TIME_MAX_US, &slot_us));
    assert_false(cron_next(&cron, TIME_MAX_US - US_PER_MINUTE + 1, &slot_us));
    assert_false(cron_latest(&cron, INT64_MIN, &slot_us));
    assert_false(cron_latest(&cron, TIME_MIN_US - 1, &slot_us));
    assert_int_equal(slot_us, 7);
    cron = parsed("1 0 1 1 *");
    assert_false(cron_latest(&cron, TIME_MIN_US + US_PER_MINUTE - 1, &slot_us));
    assert_true(cron_latest(&cron, TIME_MIN_US + US_PER_MINUTE, &slot_us));
    cron = parsed("0 0 29 2 *"); /* 0 was a leap year, as Gregorian ones go */
    assert_false(cron_latest(&cron, instant("0000-02-28T23:59:59Z"), &slot_us));
    assert_true(cron_latest(&cron, instant("0003-01-01T00:00:00Z"), &slot_us));
    check_slot(true, slot_us, "0000-02-29T00:00:00Z");
}

/* A microsecond on either side of a slot. */
static void test_at_a_slot(void **state)
{
    struct cron cron = parsed("0 3 * * *");
    int64_t at_us = instant("2026-10-17T03:00:00Z");
    int64_t slot_us = 0;

    (void)state;
    assert_true(cron_next(&cron, at_us - 1, &slot_us));
    assert_int_equal(slot_us, at_us);
    assert_true(cron_next(&cron, at_us, &slot_us));
    assert_int_equal(slot_us, at_us + US_PER_DAY);
    assert_true(cron_latest(&cron, at_us, &slot_us));
    assert_int_equal(slot_us, at_us);
    assert_true(cron_latest(&cron, at_us - 1, &slot_us));
    assert_int_equal(slot_us, at_us - US_PER_DAY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_never_is_exact),
        cmocka_unit_test(test_whole_cycle),
        cmocka_unit_test(test_ends_of_time),
        cmocka_unit_test(test_at_a_slot),
    };

    return ROWS_RUN(sheet, test_sheet) + ROWS_RUN(sheet_faults, test_faults) +
           ROWS_RUN(slots_rows, test_slots) + ROWS_RUN(fault_rows, test_faults) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
