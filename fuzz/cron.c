/* Properties of spawner/cron: a text is a schedule, or not, as a plain reader says; slots are those
 * of a walk day by day; next and latest agree with each other; every fault points into the text and
 * has words. The first eight bytes are a time, the rest is the text. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/spawner/cron.h"
#include "fuzz/harness.h"

#define FIELDS 5
#define VALUES 60
/* Eight leap days and their weekdays are in reach of as many days: 41 years. */
#define WALK_DAYS 15000

/* What the slow reader makes of a text. */
struct plain {
    bool sets[FIELDS][VALUES];
    bool restricted[FIELDS];
};

/* Digits alone, as a number that is at most max + 1; -1 when it is none. */
static int plain_number(const char *text, int max)
{
    long number = 0;

    if (*text == '\0' || strspn(text, "0123456789") != strlen(text))
        return -1;
    for (; *text != '\0'; text++) {
        number = number * 10 + (*text - '0');
        if (number > max)
            number = max + 1;
    }
    return (int)number;
}

/* Cuts text at the first of that character; what is behind it, or NULL. */
static char *cut(char *text, char at)
{
    char *found = strchr(text, at);

    if (found != NULL)
        *found++ = '\0';
    return found;
}

static bool plain_item(char *item, bool *set, int min, int max)
{
    char *step_text = cut(item, '/');
    char *last_text = cut(item, '-');
    bool star = strcmp(item, "*") == 0;
    int first = star ? min : plain_number(item, max);
    int last = star || step_text != NULL ? max : first;
    int step = step_text == NULL ? 1 : plain_number(step_text, 1000);

    if (last_text != NULL)
        last = star ? -1 : plain_number(last_text, max);
    if (first < min || first > max || last < first || last > max || step < 1)
        return false;
    for (int value = first; value <= last; value += step)
        set[value] = true;
    return true;
}

static bool plain_field(char *text, bool *set, int min, int max)
{
    for (char *rest; text != NULL; text = rest) {
        rest = cut(text, ',');
        if (!plain_item(text, set, min, max))
            return false;
    }
    return true;
}

static bool plain_parse(const char *written, struct plain *plain)
{
    static const int min[FIELDS] = {0, 0, 1, 1, 0};
    static const int max[FIELDS] = {59, 23, 31, 12, 7};
    char *text = xstrdup(written);
    char *field = text;
    bool good = true;

    memset(plain, 0, sizeof(*plain));
    for (int i = 0; i < FIELDS && good; i++) {
        char *rest = field == NULL ? NULL : cut(field, ' ');

        good = field != NULL && (rest != NULL) == (i + 1 < FIELDS);
        if (!good)
            break;
        rest = rest == NULL ? NULL : rest + strspn(rest, " ");
        plain->restricted[i] = field[0] != '*';
        good = plain_field(field, plain->sets[i], min[i], max[i]);
        field = rest;
    }
    plain->sets[4][0] = plain->sets[4][0] || plain->sets[4][7];
    free(text);
    return good;
}

static bool plain_has_day(const struct plain *plain, int64_t days)
{
    struct time_date date = time_date_from_days(days);
    bool by_date = plain->sets[2][date.day];
    bool by_week = plain->sets[4][((days + 4) % 7 + 7) % 7];

    if (!plain->sets[3][date.month])
        return false;
    return plain->restricted[2] && plain->restricted[4] ? by_date || by_week : by_date && by_week;
}

static bool plain_fires(const struct plain *plain)
{
    for (int64_t days = 0; days < 146097; days++)
        if (plain_has_day(plain, days))
            return true;
    return false;
}

/* The first slot of the day whose minute is after the given one of the day; -1: none. */
static int plain_minute(const struct plain *plain, int after)
{
    for (int minute = after + 1; minute < 24 * 60; minute++)
        if (plain->sets[1][minute / 60] && plain->sets[0][minute % 60])
            return minute;
    return -1;
}

/* Walks day by day; INT64_MAX where that leads too far. */
static int64_t plain_next(const struct plain *plain, int64_t at_us)
{
    int64_t days = time_floor(at_us, US_PER_DAY);
    int after = (int)((at_us - days * US_PER_DAY) / US_PER_MINUTE);

    for (int64_t end = days + WALK_DAYS; days < end; days++, after = -1) {
        int minute = plain_has_day(plain, days) ? plain_minute(plain, after) : -1;

        if (minute >= 0)
            return days * US_PER_DAY + minute * US_PER_MINUTE;
    }
    return INT64_MAX;
}

static void check_slots(const struct cron *cron, const struct plain *plain, int64_t at_us)
{
    int64_t next_us = plain_next(plain, at_us);
    int64_t got_us = 0;
    int64_t back_us = 0;

    assert(next_us != INT64_MAX);
    if (!cron_next(cron, at_us, &got_us)) {
        assert(next_us > TIME_MAX_US);
        return;
    }
    assert(got_us == next_us && got_us > at_us);
    assert(cron_latest(cron, got_us, &back_us));
    assert(back_us == got_us);
    if (!cron_latest(cron, got_us - 1, &back_us))
        return;
    assert(back_us <= at_us);
    assert(cron_next(cron, back_us, &got_us));
    assert(got_us == next_us);
}

static void check_fault(const char *text, const struct cron_fault *fault)
{
    struct error err = ERROR_INIT;

    assert(fault->offset <= strlen(text) && fault->field < FIELDS);
    assert(fault->value_offset + fault->value_size <= strlen(text));
    cron_fault_describe(fault, text, &err);
    assert(err.kind == ERROR_MALFORMED || err.kind == ERROR_INVALID);
    assert(strncmp(err.text, "cron ", 5) == 0 && strlen(err.text) < 512);
}

/* Any time of the years there are. */
static int64_t instant(const uint8_t *bytes)
{
    uint64_t number = 0;

    for (int i = 0; i < 8; i++)
        number = number << 8 | bytes[i];
    return TIME_MIN_US + (int64_t)(number % (uint64_t)(TIME_MAX_US - TIME_MIN_US + 1));
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    struct plain plain;
    struct cron cron;
    struct cron_fault fault = {0};
    char *text;
    bool good;

    if (size < 8)
        return 0;
    text = xmemdup(bytes + 8, size - 8);
    good = plain_parse(text, &plain);
    if (cron_parse(text, &cron, &fault)) {
        assert(good);
        check_slots(&cron, &plain, instant(bytes));
    } else {
        check_fault(text, &fault);
        assert(good == (fault.kind == CRON_NEVER));
        assert(!good || !plain_fires(&plain));
    }
    free(text);
    return 0;
}
