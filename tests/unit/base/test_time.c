/* Instants and durations as texts, against what Go's time package reads and writes. */
#include "controller/base/time.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    int64_t at_us;
    const char *text;
    const char *micro;
} format_rows[] = {
    {0,                  "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000000Z"},
    {1,                  "1970-01-01T00:00:00Z", "1970-01-01T00:00:00.000001Z"},
    {-1,                 "1969-12-31T23:59:59Z", "1969-12-31T23:59:59.999999Z"},
    {1709208000123456,   "2024-02-29T12:00:00Z", "2024-02-29T12:00:00.123456Z"},
    {951782400000000,    "2000-02-29T00:00:00Z", "2000-02-29T00:00:00.000000Z"},
    {4107542400000000,   "2100-03-01T00:00:00Z", "2100-03-01T00:00:00.000000Z"},
    {4107455999999999,   "2100-02-27T23:59:59Z", "2100-02-27T23:59:59.999999Z"},
    {-62167219200000000, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
    {-62167219200000001, "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
    {253402300799999999, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z"},
    {253402300800000000, "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z"},
    {INT64_MIN,          "0000-01-01T00:00:00Z", "0000-01-01T00:00:00.000000Z"},
    {INT64_MAX,          "9999-12-31T23:59:59Z", "9999-12-31T23:59:59.999999Z"},
};

static void test_formatting_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(format_rows); i++) {
        char text[TIME_TEXT_SIZE];
        char micro[TIME_TEXT_SIZE];

        time_format(format_rows[i].at_us, text);
        time_format_micro(format_rows[i].at_us, micro);
        if (strcmp(text, format_rows[i].text) != 0 || strcmp(micro, format_rows[i].micro) != 0)
            fail_msg("%" PRId64 ": got %s and %s", format_rows[i].at_us, text, micro);
    }
}

static const struct {
    const char *text;
    bool valid;
    int64_t at_us;
} parse_rows[] = {
    {"1970-01-01T00:00:00Z",            true,  0                 },
    {"1970-01-01T00:00:00.000001Z",     true,  1                 },
    {"1969-12-31T23:59:59.999999Z",     true,  -1                },
    {"2024-02-29T12:00:00.123456789Z",  true,  1709208000123456  }, /* cut */
    {"2024-02-29T12:00:00.5Z",          true,  1709208000500000  },
    {"2024-02-29T13:30:00+01:30",       true,  1709208000000000  },
    {"2024-02-29T04:00:00-08:00",       true,  1709208000000000  },
    {"2024-02-29T12:00:00+00:00",       true,  1709208000000000  },
    {"2024-02-29T12:00:00-00:00",       true,  1709208000000000  },
    {"0000-01-01T00:00:00Z",            true,  -62167219200000000},
    {"9999-12-31T23:59:59.999999Z",     true,  253402300799999999},
    {"2000-02-29T00:00:00Z",            true,  951782400000000   },
    {"2024-02-29T12:00:00.1234567890Z", false, 0                 },
    {"2024-02-29T12:00:00.Z",           false, 0                 },
    {"2024-02-29T12:00:00,5Z",          false, 0                 },
    {"2024-02-29T12:00:00",             false, 0                 },
    {"2024-02-29t12:00:00Z",            false, 0                 },
    {"2024-02-29T12:00:00z",            false, 0                 },
    {"2024-02-29 12:00:00Z",            false, 0                 },
    {"2024-02-29T12:00:00Z ",           false, 0                 },
    {" 2024-02-29T12:00:00Z",           false, 0                 },
    {"2023-02-29T12:00:00Z",            false, 0                 },
    {"2100-02-29T12:00:00Z",            false, 0                 },
    {"2024-02-30T12:00:00Z",            false, 0                 },
    {"2024-04-31T12:00:00Z",            false, 0                 },
    {"2024-00-01T12:00:00Z",            false, 0                 },
    {"2024-13-01T12:00:00Z",            false, 0                 },
    {"2024-01-00T12:00:00Z",            false, 0                 },
    {"2024-02-29T24:00:00Z",            false, 0                 },
    {"2024-02-29T12:60:00Z",            false, 0                 },
    {"2016-12-31T23:59:60Z",            false, 0                 }, /* a leap second */
    {"2024-02-29T12:00:00+24:00",       false, 0                 },
    {"2024-02-29T12:00:00+01:60",       false, 0                 },
    {"2024-02-29T12:00:00+0130",        false, 0                 },
    {"2024-2-29T12:00:00Z",             false, 0                 },
    {"24-02-29T12:00:00Z",              false, 0                 },
    {"12024-02-29T12:00:00Z",           false, 0                 },
    {"-024-02-29T12:00:00Z",            false, 0                 },
    {"2024-02-29",                      false, 0                 },
    {"",                                false, 0                 },
    {NULL,                              false, 0                 },
};

static void test_parsing_instants(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(parse_rows); i++) {
        int64_t at_us = 0;

        if (time_parse(parse_rows[i].text, &at_us) != parse_rows[i].valid ||
            at_us != parse_rows[i].at_us)
            fail_msg("%s: got %" PRId64, parse_rows[i].text, at_us);
    }
}

static void test_every_day_reads_back(void **state)
{
    (void)state;
    for (int64_t day = -719528; day < 2932897; day += 13) {
        int64_t at_us = day * US_PER_DAY + (day & 1023) * US_PER_MINUTE;
        int64_t read_us = 0;
        char text[TIME_TEXT_SIZE];

        time_format_micro(at_us, text);
        if (!time_parse(text, &read_us) || read_us != at_us)
            fail_msg("%s is read as %" PRId64 ", not %" PRId64, text, read_us, at_us);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_formatting_instants),
        cmocka_unit_test(test_parsing_instants),
        cmocka_unit_test(test_every_day_reads_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
