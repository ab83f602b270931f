#include "controller/spawner/cron.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/time.h"

#define FIELD_COUNT 5
#define MINUTES_PER_HOUR 60
#define MINUTES_PER_DAY (24 * MINUTES_PER_HOUR)
#define MONTHS 12
#define YEAR_MAX 9999
#define DAYS_PER_WEEK 7
/* Bits 0, 7, 14, ... 35: a week's bits times this is six weeks of them. */
#define SIX_WEEKS UINT64_C(0x810204081)
/* 1970-01-01 was a Thursday; whole weeks before it, so that no day of the year 0 is negative. */
#define WEEKDAY_OFFSET (4 + DAYS_PER_WEEK * 200000)
/* Most bytes of a field or a schedule that a message shows. */
#define QUOTED_BYTES_MAX 256
/* Numbers are not counted further than somewhat above this: no field holds as much. */
#define NUMBER_MAX 1000

enum { MINUTE, HOUR, DAY, MONTH, WEEKDAY };

/* clang-format off */
static const struct field {
    const char *name;
    unsigned min;
    unsigned max;
} fields[FIELD_COUNT] = {
    [MINUTE]  = {"minute",       0, 59},
    [HOUR]    = {"hour",         0, 23},
    [DAY]     = {"day of month", 1, 31},
    [MONTH]   = {"month",        1, 12},
    [WEEKDAY] = {"day of week",  0, 7},
};
/* clang-format on */

/* --- reading --- */

/* A place in a field's text. Behind the field is a space or the NUL, neither of which can stand in
 * an item, so that nobody reads further. */
struct reader {
    const char *text; /* the whole schedule */
    const char *at;
    struct cron_fault *fault;
};

static bool refuse(struct reader *reader, enum cron_fault_kind kind, const char *at)
{
    reader->fault->kind = kind;
    reader->fault->offset = (size_t)(at - reader->text);
    return false;
}

static bool is_end(char character)
{
    return character == ' ' || character == '\0';
}

/* One that a comma, the field's end, or one of the other characters follows. */
static bool read_number(struct reader *reader, const char *others, unsigned *ret_number)
{
    const char *at = reader->at;
    unsigned number = 0;

    for (; *at >= '0' && *at <= '9'; at++)
        if (number < NUMBER_MAX)
            number = number * 10 + (unsigned)(*at - '0');
    if (at == reader->at || (!is_end(*at) && *at != ',' && strchr(others, *at) == NULL))
        return refuse(reader, CRON_NOT_A_NUMBER, at);
    reader->at = at;
    *ret_number = number;
    return true;
}

static bool read_value(struct reader *reader, const struct field *field, const char *others,
                       unsigned *ret_value)
{
    const char *start = reader->at;

    if (!read_number(reader, others, ret_value))
        return false;
    if (*ret_value < field->min || *ret_value > field->max)
        return refuse(reader, CRON_OUT_OF_RANGE, start);
    return true;
}

/* "*", "a" or "a-b"; a number that a step follows goes up to the field's end. */
static bool read_range(struct reader *reader, const struct field *field, unsigned *ret_first,
                       unsigned *ret_last)
{
    const char *start = reader->at;

    if (*start == '*') {
        reader->at++;
        *ret_first = field->min;
        *ret_last = field->max;
        return true;
    }
    if (!read_value(reader, field, "-/", ret_first))
        return false;
    *ret_last = *reader->at == '/' ? field->max : *ret_first;
    if (*reader->at != '-')
        return true;
    reader->at++;
    if (!read_value(reader, field, "/", ret_last))
        return false;
    return *ret_first <= *ret_last || refuse(reader, CRON_REVERSED, start);
}

static bool read_step(struct reader *reader, unsigned *ret_step)
{
    const char *start = ++reader->at;

    if (!read_number(reader, "", ret_step))
        return false;
    return *ret_step > 0 || refuse(reader, CRON_STEP_ZERO, start);
}

static uint64_t bits_of(unsigned first, unsigned last, unsigned step)
{
    uint64_t bits = 0;

    if (step == 1)
        return (UINT64_C(2) << last) - (UINT64_C(1) << first);
    for (unsigned value = first; value <= last; value += step)
        bits |= UINT64_C(1) << value;
    return bits;
}

static bool read_item(struct reader *reader, const struct field *field, uint64_t *bits)
{
    unsigned first;
    unsigned last;
    unsigned step = 1;

    if (*reader->at == ',' || is_end(*reader->at))
        return refuse(reader, CRON_EMPTY_ITEM, reader->at);
    if (!read_range(reader, field, &first, &last))
        return false;
    if (*reader->at == '/' && !read_step(reader, &step))
        return false;
    *bits |= bits_of(first, last, step);
    if (!is_end(*reader->at) && *reader->at != ',')
        return refuse(reader, CRON_NOT_A_NUMBER, reader->at);
    return true;
}

static bool read_field(struct reader *reader, const struct field *field, uint64_t *ret_bits)
{
    *ret_bits = 0;
    while (read_item(reader, field, ret_bits)) {
        if (is_end(*reader->at))
            return true;
        reader->at++;
    }
    return false;
}

/* Where each of the five fields begins. A space at either end has an empty field beside it. */
static bool find_fields(const char *text, const char *starts[FIELD_COUNT], struct cron_fault *fault)
{
    size_t count = 0;
    const char *at = text;

    while (*text != '\0') {
        if (count < FIELD_COUNT)
            starts[count] = at;
        if (count == FIELD_COUNT)
            fault->offset = (size_t)(at - text);
        count++;
        while (!is_end(*at))
            at++;
        if (*at == '\0')
            break;
        while (*at == ' ')
            at++;
    }
    if (count == FIELD_COUNT)
        return true;
    fault->kind = CRON_FIELD_COUNT;
    fault->field_count = count;
    if (count < FIELD_COUNT)
        fault->offset = (size_t)(at - text);
    return false;
}

static uint32_t days_up_to(unsigned day)
{
    return (uint32_t)((UINT64_C(2) << day) - 2);
}

/* Those months in which some day can match. Where both day fields are to match, it is enough that
 * the date is there in leap years: within 400 years every date, 29 February too, falls on every
 * weekday. */
static unsigned months_with_days(const struct cron *cron, unsigned months)
{
    if (cron->either || (cron->days & days_up_to(28)) != 0)
        return months;
    for (unsigned month = 1; month <= MONTHS; month++)
        if ((cron->days & days_up_to(time_days_of_month(2000, month))) == 0)
            months &= ~(1U << month);
    return months;
}

static void mark_value(struct cron_fault *fault, unsigned field, const char *text,
                       const char *start)
{
    fault->field = field;
    fault->value_offset = (size_t)(start - text);
    fault->value_size = strcspn(start, " ");
}

bool cron_parse(const char *text, struct cron *ret_cron, struct cron_fault *ret_fault)
{
    struct cron_fault fault = {0};
    struct reader reader = {.text = text, .fault = &fault};
    const char *starts[FIELD_COUNT];
    uint64_t bits[FIELD_COUNT];
    struct cron cron;

    if (!find_fields(text, starts, &fault)) {
        *ret_fault = fault;
        return false;
    }
    for (unsigned i = 0; i < FIELD_COUNT; i++) {
        reader.at = starts[i];
        if (!read_field(&reader, &fields[i], &bits[i])) {
            mark_value(&fault, i, text, starts[i]);
            *ret_fault = fault;
            return false;
        }
    }
    cron = (struct cron){
        .minutes = bits[MINUTE],
        .hours = (uint32_t)bits[HOUR],
        .days = (uint32_t)bits[DAY],
        .weekdays = (uint8_t)((bits[WEEKDAY] | bits[WEEKDAY] >> DAYS_PER_WEEK) & 0x7f),
        .either = *starts[DAY] != '*' && *starts[WEEKDAY] != '*',
    };
    cron.months = (uint16_t)months_with_days(&cron, (unsigned)bits[MONTH]);
    if (cron.months == 0) {
        refuse(&reader, CRON_NEVER, starts[DAY]);
        mark_value(&fault, DAY, text, starts[DAY]);
        *ret_fault = fault;
        return false;
    }
    *ret_cron = cron;
    return true;
}

/* --- words --- */

/* At most QUOTED_BYTES_MAX of size bytes, and whether that is less; never within a character. */
static int quoted_size(const char *text, size_t size, const char **ret_mark)
{
    *ret_mark = "";
    if (size > QUOTED_BYTES_MAX) {
        *ret_mark = "...";
        size = QUOTED_BYTES_MAX;
        while (size > 0 && ((unsigned char)text[size] & 0xc0) == 0x80)
            size--;
    }
    return (int)size;
}

static void describe_value(const struct cron_fault *fault, const char *text, const char *detail,
                           struct error *err)
{
    const char *value = text + fault->value_offset;
    const char *mark;
    int size = quoted_size(value, fault->value_size, &mark);

    error_set(err, ERROR_MALFORMED, "cron %s \"%.*s%s\": %s", fields[fault->field].name, size,
              value, mark, detail);
}

static void describe_range(const struct cron_fault *fault, const char *text, struct error *err)
{
    char detail[sizeof("out of range 00-00")];

    snprintf(detail, sizeof(detail), "out of range %u-%u", fields[fault->field].min % 100,
             fields[fault->field].max % 100);
    describe_value(fault, text, detail, err);
}

static void describe_count(const struct cron_fault *fault, const char *text, struct error *err)
{
    const char *mark;
    int size = quoted_size(text, strlen(text), &mark);

    error_set(err, ERROR_MALFORMED, "cron \"%.*s%s\": expected %d fields, got %zu", size, text,
              mark, FIELD_COUNT, fault->field_count);
}

void cron_fault_describe(const struct cron_fault *fault, const char *text, struct error *err)
{
    switch (fault->kind) {
    case CRON_FIELD_COUNT:
        describe_count(fault, text, err);
        break;
    case CRON_EMPTY_ITEM:
        describe_value(fault, text, "empty item", err);
        break;
    case CRON_NOT_A_NUMBER:
        describe_value(fault, text, "not a number", err);
        break;
    case CRON_OUT_OF_RANGE:
        describe_range(fault, text, err);
        break;
    case CRON_REVERSED:
        describe_value(fault, text, "range is reversed", err);
        break;
    case CRON_STEP_ZERO:
        describe_value(fault, text, "step must be at least 1", err);
        break;
    case CRON_NEVER:
        error_set(err, ERROR_INVALID, "cron schedule never fires");
        break;
    }
}

/* --- sets of bits, none of them empty --- */

static unsigned first_of(uint64_t bits)
{
    return (unsigned)__builtin_ctzll(bits);
}

static unsigned last_of(uint64_t bits)
{
    return 63 - (unsigned)__builtin_clzll(bits);
}

static uint64_t from(uint64_t bits, unsigned value)
{
    return bits & (UINT64_MAX << value);
}

static uint64_t up_to(uint64_t bits, unsigned value)
{
    return bits & (UINT64_MAX >> (63 - value));
}

/* --- months --- */

struct month {
    unsigned year;
    unsigned month;
    uint64_t days;     /* of the month, that match; may be none */
    int64_t first_day; /* days since 1970; not set where there are no days */
};

static void month_fill(struct month *month, const struct cron *cron)
{
    const struct time_date first = {month->year, month->month, 1};
    uint64_t there = days_up_to(time_days_of_month(month->year, month->month));
    uint64_t by_weekday;
    unsigned weekday;

    month->days = 0;
    if (!cron->either && (cron->days & there) == 0)
        return; /* as most are of those that ask for 29 February */
    month->first_day = time_days_from_date(&first);
    weekday = (unsigned)((month->first_day + WEEKDAY_OFFSET) % DAYS_PER_WEEK);
    by_weekday = cron->weekdays * SIX_WEEKS >> weekday << 1;
    month->days = (cron->either ? cron->days | by_weekday : cron->days & by_weekday) & there;
}

/* The next month that is in the schedule, whether a day of it matches or not. */
static bool month_forward(struct month *month, const struct cron *cron)
{
    uint64_t later = from(cron->months, month->month + 1);

    if (later == 0) {
        if (month->year == YEAR_MAX)
            return false;
        month->year++;
        later = cron->months;
    }
    month->month = first_of(later);
    month_fill(month, cron);
    return true;
}

static bool month_back(struct month *month, const struct cron *cron)
{
    uint64_t earlier = up_to(cron->months, month->month - 1);

    if (earlier == 0) {
        if (month->year == 0)
            return false;
        month->year--;
        earlier = cron->months;
    }
    month->month = last_of(earlier);
    month_fill(month, cron);
    return true;
}

/* --- slots --- */

/* A minute as the fields have it; its month without days where the schedule has not that month. */
struct place {
    struct month month;
    unsigned day;
    unsigned hour;
    unsigned minute;
};

static void place_fill(struct place *place, const struct cron *cron, int64_t minutes)
{
    int64_t days = time_floor(minutes, MINUTES_PER_DAY);
    unsigned of_day = (unsigned)(minutes - days * MINUTES_PER_DAY);
    struct time_date date = time_date_from_days(days);

    *place = (struct place){
        .month = {.year = date.year, .month = date.month},
        .day = date.day,
        .hour = of_day / MINUTES_PER_HOUR,
        .minute = of_day % MINUTES_PER_HOUR,
    };
    month_fill(&place->month, cron);
    if ((cron->months >> date.month & 1) == 0)
        place->month.days = 0;
}

static int64_t slot_us(const struct month *month, unsigned day, unsigned hour, unsigned minute)
{
    int64_t days = month->first_day + day - 1;

    return (days * MINUTES_PER_DAY + hour * MINUTES_PER_HOUR + minute) * US_PER_MINUTE;
}

/* The first slot of the place's day that is not before it. */
static bool next_in_day(const struct cron *cron, const struct place *place, int64_t *ret_slot_us)
{
    uint64_t minutes = from(cron->minutes, place->minute);
    uint64_t hours = from(cron->hours, place->hour);

    if (hours == 0 || (place->month.days >> place->day & 1) == 0)
        return false;
    if (first_of(hours) != place->hour) {
        minutes = cron->minutes;
    } else if (minutes == 0) {
        minutes = cron->minutes;
        hours = from(hours, place->hour + 1);
    }
    if (hours == 0)
        return false;
    *ret_slot_us = slot_us(&place->month, place->day, first_of(hours), first_of(minutes));
    return true;
}

bool cron_next(const struct cron *cron, int64_t after_us, int64_t *ret_slot_us)
{
    struct place place;
    uint64_t days;

    if (after_us > TIME_MAX_US - US_PER_MINUTE)
        return false; /* the next minute is of the year 10000 */
    if (after_us < TIME_MIN_US)
        after_us = TIME_MIN_US - 1;
    place_fill(&place, cron, time_floor(after_us, US_PER_MINUTE) + 1);
    if (next_in_day(cron, &place, ret_slot_us))
        return true;
    days = from(place.month.days, place.day + 1);
    while (days == 0) {
        if (!month_forward(&place.month, cron))
            return false;
        days = place.month.days;
    }
    *ret_slot_us =
        slot_us(&place.month, first_of(days), first_of(cron->hours), first_of(cron->minutes));
    return true;
}

/* The last slot of the place's day that is not after it. */
static bool latest_in_day(const struct cron *cron, const struct place *place, int64_t *ret_slot_us)
{
    uint64_t minutes = up_to(cron->minutes, place->minute);
    uint64_t hours = up_to(cron->hours, place->hour);

    if (hours == 0 || (place->month.days >> place->day & 1) == 0)
        return false;
    if (last_of(hours) != place->hour) {
        minutes = cron->minutes;
    } else if (minutes == 0) {
        minutes = cron->minutes;
        hours &= ~(UINT64_C(1) << place->hour);
    }
    if (hours == 0)
        return false;
    *ret_slot_us = slot_us(&place->month, place->day, last_of(hours), last_of(minutes));
    return true;
}

bool cron_latest(const struct cron *cron, int64_t at_us, int64_t *ret_slot_us)
{
    struct place place;
    uint64_t days;

    if (at_us < TIME_MIN_US)
        return false;
    if (at_us > TIME_MAX_US)
        at_us = TIME_MAX_US;
    place_fill(&place, cron, time_floor(at_us, US_PER_MINUTE));
    if (latest_in_day(cron, &place, ret_slot_us))
        return true;
    days = up_to(place.month.days, place.day - 1);
    while (days == 0) {
        if (!month_back(&place.month, cron))
            return false;
        days = place.month.days;
    }
    *ret_slot_us =
        slot_us(&place.month, last_of(days), last_of(cron->hours), last_of(cron->minutes));
    return true;
}
