/* Durations as texts, against what Go's time package reads and writes. */
#include "controller/base/duration.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text;
    bool valid;
    int64_t us;
} duration_rows[] = {
    {"0",                         true,  0                },
    {"-0",                        true,  0                },
    {"+0",                        true,  0                },
    {"0s",                        true,  0                },
    {"1h2m3.5s",                  true,  3723500000       },
    {"300ms",                     true,  300000           },
    {"-1s",                       true,  -1000000         },
    {"+1s",                       true,  1000000          },
    {"-1m1s",                     true,  -61000000        },
    {"1.5h",                      true,  5400000000       },
    {".5s",                       true,  500000           },
    {"1.s",                       true,  1000000          },
    {"1us",                       true,  1                },
    {"1\xc2\xb5s",                true,  1                },
    {"1\xce\xbcs",                true,  1                },
    {"1500ns",                    true,  1                }, /* cut */
    {"-1500ns",                   true,  -1               },
    {"999ns",                     true,  0                },
    {"0.100000000000000000000h",  true,  360000000        },
    {"0.3333333333333333333h",    true,  1200000000 - 1   },
    {"39h9m14.425s",              true,  140954425000     },
    {"2562047h47m16.854775807s",  true,  9223372036854775 },
    {"-2562047h47m16.854775808s", true,  -9223372036854775},
    {"2562047h47m16.854775808s",  false, 0                },
    {"-2562047h47m16.854775809s", false, 0                },
    {"3000000h",                  false, 0                },
    {"9223372036854775807ns",     true,  9223372036854775 },
    {"9223372036854775808ns",     false, 0                },
    {"99999999999999999999s",     false, 0                },
    {"9223372036s9223372036s",    false, 0                },
    {"",                          false, 0                },
    {"-",                         false, 0                },
    {"+",                         false, 0                },
    {"s",                         false, 0                },
    {".",                         false, 0                },
    {".s",                        false, 0                },
    {"-.s",                       false, 0                },
    {"3",                         false, 0                },
    {"1s1",                       false, 0                },
    {"1 s",                       false, 0                },
    {" 1s",                       false, 0                },
    {"1s ",                       false, 0                },
    {"1d",                        false, 0                },
    {"1S",                        false, 0                },
    {"1.5.5s",                    false, 0                },
    {"--1s",                      false, 0                },
    {"1e3s",                      false, 0                },
    {NULL,                        false, 0                },
};

static void test_parsing_durations(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(duration_rows); i++) {
        int64_t us = 0;
        bool valid = duration_parse(duration_rows[i].text, &us);

        if (valid != duration_rows[i].valid || us != duration_rows[i].us)
            fail_msg("%s: %d, got %" PRId64, duration_rows[i].text, valid, us);
    }
}

/* Bare numbers are seconds; all else is as above. */
static void test_parsing_leniently(void **state)
{
    static const struct {
        const char *text;
        bool valid;
        int64_t us;
    } rows[] = {
        {"45",                                                              true,  45000000        },
        {"0",                                                               true,  0               },
        {"1.5",                                                             true,  1500000         },
        {".5",                                                              true,  500000          },
        {"-1",                                                              true,  -1000000        },
        {"1m30s",                                                           true,  90000000        },
        {"500ms",                                                           true,  500000          },
        {"9223372036",                                                      true,  9223372036000000},
        {"9223372037",                                                      false, 0               },
        {"00000000000000000000000000000000000000000000000000000000000001",  true,  1000000         },
        {"000000000000000000000000000000000000000000000000000000000000001", false, 0               },
        {"",                                                                false, 0               },
        {".",                                                               false, 0               },
        {"1-2",                                                             false, 0               },
        {"1.2.3",                                                           false, 0               },
        {"abc",                                                             false, 0               },
        {"1 ",                                                              false, 0               },
        {NULL,                                                              false, 0               },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t us = 0;
        bool valid = duration_parse_lenient(rows[i].text, &us);

        if (valid != rows[i].valid || us != rows[i].us)
            fail_msg("%s: %d, got %" PRId64, rows[i].text, valid, us);
    }
}

static const struct {
    int64_t us;
    const char *text;
} duration_format_rows[] = {
    {0,                "0s"                    },
    {1,                "1\xc2\xb5s"            },
    {999,              "999\xc2\xb5s"          },
    {1000,             "1ms"                   },
    {1500,             "1.5ms"                 },
    {1001,             "1.001ms"               },
    {999999,           "999.999ms"             },
    {1000000,          "1s"                    },
    {1000001,          "1.000001s"             },
    {3500000,          "3.5s"                  },
    {59999999,         "59.999999s"            },
    {60000000,         "1m"                    },
    {90000000,         "1m30s"                 },
    {3600000000,       "1h"                    },
    {3605000000,       "1h5s"                  },
    {3660000000,       "1h1m"                  },
    {86400000000,      "24h"                   },
    {-1,               "-1\xc2\xb5s"           },
    {-90000000,        "-1m30s"                },
    {INT64_MAX,        "2562047788h54.775807s" },
    {INT64_MIN,        "-2562047788h54.775808s"},
    {INT64_MAX / 1000, "2562047h47m16.854775s" },
};

static void test_formatting_durations(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(duration_format_rows); i++) {
        int64_t us = duration_format_rows[i].us;
        int64_t read_us = 0;
        char text[DURATION_TEXT_SIZE];

        duration_format(us, text);
        if (strcmp(text, duration_format_rows[i].text) != 0)
            fail_msg("%" PRId64 ": got %s", us, text);
        if (us > INT64_MIN / 1000 && us < INT64_MAX / 1000 &&
            (!duration_parse(text, &read_us) || read_us != us))
            fail_msg("%s is read as %" PRId64, text, read_us);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parsing_durations),
        cmocka_unit_test(test_parsing_leniently),
        cmocka_unit_test(test_formatting_durations),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
