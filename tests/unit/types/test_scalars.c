/* Times, quantities and base64, as Go's time.Parse, resource.Quantity and base64.StdEncoding have
 * them. */
#include "fakeapi/types/scalars.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"

#define TEXT_MAX 4096
#define T "2006-01-02T15:04:05Z07:00"
#define M "2006-01-02T15:04:05.000000Z07:00"

static const struct time_row {
    const char *given;
    bool micro;
    const char *want; /* NULL: refused, and why */
    const char *why;
} times[] = {
    {"2024-01-01T00:00:00Z",         false, "2024-01-01T00:00:00Z",        NULL                                                           },
    {"2024-02-29T00:30:00+01:00",    false, "2024-02-28T23:30:00Z",        NULL                                                           },
    {"2024-01-01T5:00:00Z",          false, "2024-01-01T05:00:00Z",        NULL                                                           },
    {"2024-01-01T00:00:00,5Z",       false, "2024-01-01T00:00:00Z",        NULL                                                           },
    {"2024-01-01T00:00:00.9876543Z", false, "2024-01-01T00:00:00Z",        NULL                                                           },
    {"2024-01-01T00:00:00+24:60",    false, "2023-12-30T23:00:00Z",        NULL                                                           },
    {"2024-01-01T00:00:00.000001Z",  true,  "2024-01-01T00:00:00.000001Z", NULL                                                           },
    {"2024-01-01T00:00:00.5Z",       true,  NULL,
     "parsing time \"2024-01-01T00:00:00.5Z\" as \"" M "\": cannot parse \".5Z\" as \".000000\""                                          },
    {"2024-01-01T00:00:00Z",         true,  NULL,
     "parsing time \"2024-01-01T00:00:00Z\" as \"" M "\": cannot parse \"Z\" as \".000000\""                                              },
    {"2024-01-01T00:00:00.1234567Z", true,  NULL,
     "parsing time \"2024-01-01T00:00:00.1234567Z\" as \"" M
     "\": cannot parse \"7Z\" as \"Z07:00\""                                                                                              },
    {"",                             false, NULL,                          "parsing time \"\" as \"" T "\": cannot parse \"\" as \"2006\""},
    {"2024/01/01",                   false, NULL,
     "parsing time \"2024/01/01\" as \"" T "\": cannot parse \"/01/01\" as \"-\""                                                         },
    {"2024-1-01T00:00:00Z",          false, NULL,
     "parsing time \"2024-1-01T00:00:00Z\" as \"" T
     "\": cannot parse \"1-01T00:00:00Z\" as \"01\""                                                                                      },
    {"2024-01-01 00:00:00Z",         false, NULL,
     "parsing time \"2024-01-01 00:00:00Z\" as \"" T "\": cannot parse \" 00:00:00Z\" as \"T\""                                           },
    {"2024-01-01T00:00:00",          false, NULL,
     "parsing time \"2024-01-01T00:00:00\" as \"" T "\": cannot parse \"\" as \"Z07:00\""                                                 },
    {"2024-13-01T00:00:00Z",         false, NULL,
     "parsing time \"2024-13-01T00:00:00Z\": month out of range"                                                                          },
    {"2024-00-01T00:00:00Z",         false, NULL,
     "parsing time \"2024-00-01T00:00:00Z\": month out of range"                                                                          },
    {"2023-02-29T00:00:00Z",         false, NULL,
     "parsing time \"2023-02-29T00:00:00Z\": day out of range"                                                                            },
    {"2024-01-00T00:00:00Z",         false, NULL,
     "parsing time \"2024-01-00T00:00:00Z\": day out of range"                                                                            },
    {"2024-01-01T24:00:00Z",         false, NULL,
     "parsing time \"2024-01-01T24:00:00Z\": hour out of range"                                                                           },
    {"2024-01-01T00:60:00Z",         false, NULL,
     "parsing time \"2024-01-01T00:60:00Z\": minute out of range"                                                                         },
    {"2024-01-01T00:00:60Z",         false, NULL,
     "parsing time \"2024-01-01T00:00:60Z\": second out of range"                                                                         },
    {"2024-01-01T00:00:00+25:00",    false, NULL,
     "parsing time \"2024-01-01T00:00:00+25:00\": time zone offset hour out of range"                                                     },
    {"2024-01-01T00:00:00+00:61",    false, NULL,
     "parsing time \"2024-01-01T00:00:00+00:61\": time zone offset minute out of range"                                                   },
    {"2024-01-01T00:00:00Z x",       false, NULL,
     "parsing time \"2024-01-01T00:00:00Z x\": extra text: \" x\""                                                                        },
};

static void test_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(times); i++) {
        const struct time_row *row = &times[i];
        struct buffer why = BUFFER_INIT(TEXT_MAX);
        char text[TIME_TEXT_SIZE] = "";
        bool ok = scalar_time(row->given, row->micro, text, &why);

        if (ok != (row->want != NULL) ||
            !text_equal(ok ? text : buffer_text(&why), ok ? row->want : row->why))
            fail_msg("%s: %s", row->given, ok ? text : buffer_text(&why));
        buffer_release(&why);
    }
}

#define FORMAT                                                                                     \
    "quantities must match the regular expression '^([+-]?[0-9.]+)"                                \
    "([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#define SUFFIX "unable to parse quantity's suffix"

static const struct quantity_row {
    const char *given;
    const char *want; /* "": as given; NULL: refused, and why */
    const char *why;
} quantities[] = {
    {"0",                      "0",       NULL  },
    {"0.0",                    "0",       NULL  },
    {"-0",                     "0",       NULL  },
    {"k",                      "0",       NULL  },
    {"1",                      "",        NULL  },
    {"100m",                   "",        NULL  },
    {"+5",                     "",        NULL  },
    {"007M",                   "",        NULL  },
    {"  1 ",                   "1",       NULL  },
    {"0.5",                    "500m",    NULL  },
    {"-0.5",                   "-500m",   NULL  },
    {".5",                     "500m",    NULL  },
    {"1.50",                   "1500m",   NULL  },
    {"1000",                   "1k",      NULL  },
    {"1000000m",               "1k",      NULL  },
    {"0.001",                  "1m",      NULL  },
    {"12.5M",                  "12500k",  NULL  },
    {"1e3",                    "",        NULL  },
    {"12E2",                   "1200",    NULL  },
    {"1000e3",                 "1e6",     NULL  },
    {"1e-1",                   "100e-3",  NULL  },
    {"1E",                     "",        NULL  },
    {"1000P",                  "1E",      NULL  },
    {"1Gi",                    "",        NULL  },
    {"1024Mi",                 "1Gi",     NULL  },
    {"1.5Gi",                  "1536Mi",  NULL  },
    {"0.5Ki",                  "512",     NULL  },
    {"0.1Ki",                  "102400m", NULL  },
    {"1536Mi",                 "1536Mi",  NULL  },
    {"0Ki",                    "0",       NULL  },
    {"999999999999999999",     "",        NULL  },
    {"1234567890123456789012", "",        NULL  },
    {"9e99999",                "",        NULL  },
    {"",                       NULL,      FORMAT},
    {" ",                      NULL,      FORMAT},
    {"abc",                    NULL,      FORMAT},
    {"1 Gi",                   NULL,      FORMAT},
    {"1e5x",                   NULL,      FORMAT},
    {"1mi",                    NULL,      SUFFIX},
    {"1e",                     NULL,      SUFFIX},
    {"1Kii",                   NULL,      SUFFIX},
};

static void test_quantities(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(quantities); i++) {
        const struct quantity_row *row = &quantities[i];
        struct buffer why = BUFFER_INIT(TEXT_MAX);
        char text[QUANTITY_TEXT_SIZE];
        bool ok = scalar_quantity(row->given, text, &why);

        if (ok != (row->want != NULL) ||
            !text_equal(ok ? text : buffer_text(&why), ok ? row->want : row->why))
            fail_msg("%s: '%s'", row->given, ok ? text : buffer_text(&why));
        buffer_release(&why);
    }
}

static const struct base64_row {
    const char *given;
    const char *want; /* "": as given; NULL: refused, at the byte */
    size_t bad;
} encoded[] = {
    {"",           "",         0},
    {"YQ==",       "",         0},
    {"YWI=",       "",         0},
    {"YWJj",       "",         0},
    {"YWI=\n",     "YWI=",     0},
    {"Y\r\nWI=",   "YWI=",     0},
    {"YQ=\n=",     "YQ==",     0},
    {"YR==",       "YQ==",     0},
    {"YWJ=",       "YWI=",     0},
    {"YWJjYWJ=",   "YWJjYWI=", 0},
    {"Y",          NULL,       0},
    {"YWI",        NULL,       0},
    {"YWJjY",      NULL,       4},
    {"YQ=",        NULL,       3},
    {"YQ=x",       NULL,       2},
    {"Y===",       NULL,       1},
    {"====",       NULL,       0},
    {"YWI=YWI=",   NULL,       4},
    {"YWI=\nYWI=", NULL,       5},
    {"YW-_",       NULL,       2},
};

static void test_base64(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(encoded); i++) {
        const struct base64_row *row = &encoded[i];
        char *canonical = NULL;
        size_t bad = 0;
        bool ok = scalar_base64(row->given, strlen(row->given), &canonical, &bad);

        if (ok != (row->want != NULL) || (!ok && bad != row->bad) ||
            (ok && !text_equal(text_or(canonical, ""), row->want)))
            fail_msg("%s: %s, %zu", row->given, text_or(canonical, "-"), bad);
        free(canonical);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_quantities),
        cmocka_unit_test(test_base64),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
