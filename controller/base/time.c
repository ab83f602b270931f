#include "controller/base/time.h"

#include <string.h>

#define DAYS_PER_ERA 146097 /* 400 Gregorian years */
#define NS_PER_US 1000

/* Years begin in March here, so that the leap day comes last. */
int64_t time_days_from_date(const struct time_date *date)
{
    int64_t year = (int64_t)date->year - (date->month > 2 ? 0 : 1);
    int64_t era = (year >= 0 ? year : year - 399) / 400;
    int64_t year_of_era = year - era * 400;
    int64_t march_month = date->month > 2 ? date->month - 3 : date->month + 9;
    int64_t day_of_year = (153 * march_month + 2) / 5 + date->day - 1;

    return era * DAYS_PER_ERA + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 +
           day_of_year - 719468;
}

struct time_date time_date_from_days(int64_t days)
{
    int64_t shifted = days + 719468;
    int64_t era = (shifted >= 0 ? shifted : shifted - (DAYS_PER_ERA - 1)) / DAYS_PER_ERA;
    int64_t day_of_era = shifted - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * day_of_year + 2) / 153;
    unsigned month = (unsigned)(march_month < 10 ? march_month + 3 : march_month - 9);
    int64_t year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);

    return (struct time_date){
        .year = (unsigned)year,
        .month = month,
        .day = (unsigned)(day_of_year - (153 * march_month + 2) / 5 + 1),
    };
}

/* Exactly count digits, those of value that fit. Returns behind them. */
static char *write_digits(char *at, unsigned count, unsigned value)
{
    for (unsigned i = count; i > 0; i--) {
        at[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    return at + count;
}

static char *write_char(char *at, char character)
{
    *at = character;
    return at + 1;
}

/* By hand, as every write of an object tells the time. */
static void format_instant(int64_t at_us, bool micro, char text[TIME_TEXT_SIZE])
{
    int64_t days;
    uint64_t rest;
    struct time_date date;
    unsigned second;
    char *at = text;

    if (at_us < TIME_MIN_US)
        at_us = TIME_MIN_US;
    if (at_us > TIME_MAX_US)
        at_us = TIME_MAX_US;
    days = time_floor(at_us, US_PER_DAY);
    rest = (uint64_t)(at_us - days * US_PER_DAY);
    date = time_date_from_days(days);
    second = (unsigned)(rest / US_PER_SECOND);
    at = write_char(write_digits(at, 4, date.year), '-');
    at = write_char(write_digits(at, 2, date.month), '-');
    at = write_char(write_digits(at, 2, date.day), 'T');
    at = write_char(write_digits(at, 2, second / 3600), ':');
    at = write_char(write_digits(at, 2, second / 60 % 60), ':');
    at = write_digits(at, 2, second % 60);
    if (micro)
        at = write_digits(write_char(at, '.'), 6, (unsigned)(rest % US_PER_SECOND));
    write_char(write_char(at, 'Z'), '\0');
}

void time_format(int64_t at_us, char text[TIME_TEXT_SIZE])
{
    format_instant(at_us, false, text);
}

void time_format_micro(int64_t at_us, char text[TIME_TEXT_SIZE])
{
    format_instant(at_us, true, text);
}

static bool is_digit(char character)
{
    return character >= '0' && character <= '9';
}

/* Exactly count digits. */
static bool read_digits(const char **at, unsigned count, unsigned *ret_value)
{
    unsigned value = 0;

    for (unsigned i = 0; i < count; i++) {
        if (!is_digit((*at)[i]))
            return false;
        value = value * 10 + (unsigned)((*at)[i] - '0');
    }
    *at += count;
    *ret_value = value;
    return true;
}

static bool read_char(const char **at, char want)
{
    if (**at != want)
        return false;
    (*at)++;
    return true;
}

unsigned time_days_of_month(unsigned year, unsigned month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return month == 2 && leap ? 29 : days[month - 1];
}

static bool read_date(const char **at, int64_t *ret_days)
{
    unsigned year;
    unsigned month;
    unsigned day;

    if (!read_digits(at, 4, &year) || !read_char(at, '-') || !read_digits(at, 2, &month) ||
        !read_char(at, '-') || !read_digits(at, 2, &day))
        return false;
    if (month < 1 || month > 12 || day < 1 || day > time_days_of_month(year, month))
        return false;
    *ret_days = time_days_from_date(&(struct time_date){.year = year, .month = month, .day = day});
    return true;
}

/* ".5" to ".123456789", to microseconds; nothing is zero. */
static bool read_fraction(const char **at, int64_t *ret_us)
{
    int64_t us = 0;
    int64_t weight_us = US_PER_SECOND;
    unsigned count = 0;

    *ret_us = 0;
    if (**at != '.')
        return true;
    for ((*at)++; is_digit(**at); (*at)++) {
        weight_us /= 10;
        us += (**at - '0') * weight_us;
        count++;
    }
    *ret_us = us;
    return count >= 1 && count <= 9;
}

static bool read_clock(const char **at, int64_t *ret_us)
{
    unsigned hour;
    unsigned minute;
    unsigned second;
    int64_t fraction_us;

    if (!read_digits(at, 2, &hour) || !read_char(at, ':') || !read_digits(at, 2, &minute) ||
        !read_char(at, ':') || !read_digits(at, 2, &second) || !read_fraction(at, &fraction_us))
        return false;
    if (hour > 23 || minute > 59 || second > 59)
        return false;
    *ret_us = hour * US_PER_HOUR + minute * US_PER_MINUTE + second * US_PER_SECOND + fraction_us;
    return true;
}

static bool read_offset(const char **at, int64_t *ret_us)
{
    bool west = **at == '-';
    unsigned hour;
    unsigned minute;

    *ret_us = 0;
    if (read_char(at, 'Z'))
        return true;
    if (!west && **at != '+')
        return false;
    (*at)++;
    if (!read_digits(at, 2, &hour) || !read_char(at, ':') || !read_digits(at, 2, &minute))
        return false;
    if (hour > 23 || minute > 59)
        return false;
    *ret_us = hour * US_PER_HOUR + minute * US_PER_MINUTE;
    if (west)
        *ret_us = -*ret_us;
    return true;
}

bool time_parse(const char *text, int64_t *ret_at_us)
{
    int64_t days;
    int64_t clock_us;
    int64_t offset_us;

    if (text == NULL || !read_date(&text, &days) || !read_char(&text, 'T') ||
        !read_clock(&text, &clock_us) || !read_offset(&text, &offset_us) || *text != '\0')
        return false;
    *ret_at_us = days * US_PER_DAY + clock_us - offset_us;
    return true;
}
