#include <inttypes.h>

#include "controller/sinks/delivery_decide.h"
#include "tests/unit/rows.h"

/* RULES 10.5 */
static const struct settings_row {
    const char *name;
    const char *attempts, *base_ms, *max_ms;
    struct delivery_settings want;
} settings[] = {
    {"unset, the defaults",          NULL,    NULL,                   NULL,      {3, 200, 5000}          },
    {"as they are set",              "5",     "100",                  "60000",   {5, 100, 60000}         },
    {"attempts at least 1",          "0",     NULL,                   NULL,      {1, 200, 5000}          },
    {"one attempt",                  "1",     NULL,                   NULL,      {1, 200, 5000}          },
    {"negative attempts count as 0", "-3",    NULL,                   NULL,      {1, 200, 5000}          },
    {"negative base counts as 0",    NULL,    "-1",                   NULL,      {3, 0, 5000}            },
    {"negative cap counts as 0",     NULL,    NULL,                   "-1",      {3, 200, 0}             },
    {"unparsable falls back",        "three", "2e2",                  "5s",      {3, 200, 5000}          },
    {"empty falls back",             "",      "",                     "",        {3, 200, 5000}          },
    {"space falls back",             " 5",    "1 ",                   "+1",      {3, 200, 5000}          },
    {"fraction falls back",          "1.5",   "0.5",                  "1.0",     {3, 200, 5000}          },
    {"beyond 64 bits falls back",
     "9223372036854775808",                   "-9223372036854775809",
     "99999999999999999999",                                                     {3, 200, 5000}          },
    {"the largest count",            "1000",  "3600000",              "3600000", {1000, 3600000, 3600000}},
    {"larger ones count as those",
     "1001",                                  "3600001",
     "9223372036854775807",                                                      {1000, 3600000, 3600000}},
    {"the smallest",
     "-9223372036854775808",                  "-9223372036854775808",
     "-9223372036854775808",                                                     {1, 0, 0}               },
};

static void check_settings(void **state)
{
    const struct settings_row *row = *state;
    struct delivery_settings got =
        delivery_settings_parse(row->attempts, row->base_ms, row->max_ms);

    if (got.attempts != row->want.attempts || got.base_ms != row->want.base_ms ||
        got.max_ms != row->want.max_ms)
        fail_msg("%s: got %u, %" PRId64 ", %" PRId64, row->name, got.attempts, got.base_ms,
                 got.max_ms);
}

/* By the defaults unless said otherwise. */
static const struct verdict_row {
    const char *name;
    struct delivery_attempt attempt; /* number, sent, status, end */
    enum delivery_verdict want;
    int64_t wait_ms;
} verdicts[] = {
    {"200",                           {1, true, 200, EXCHANGE_COMPLETE},  DELIVERY_DONE,   0  },
    {"204",                           {1, true, 204, EXCHANGE_COMPLETE},  DELIVERY_DONE,   0  },
    {"299",                           {1, true, 299, EXCHANGE_COMPLETE},  DELIVERY_DONE,   0  },
    {"300",                           {1, true, 300, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"301 is not followed",           {1, true, 301, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"400 ends it",                   {1, true, 400, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"429 ends it",                   {1, true, 429, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"500 ends it",                   {1, true, 500, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"503 ends it",                   {2, true, 503, EXCHANGE_COMPLETE},  DELIVERY_FAILED, 0  },
    {"2xx whose body breaks off",     {1, true, 200, EXCHANGE_RESET},     DELIVERY_DONE,   0  },
    {"2xx whose body is huge",        {1, true, 202, EXCHANGE_TOO_LARGE}, DELIVERY_DONE,   0  },
    {"2xx whose body never ends",     {1, true, 200, EXCHANGE_TIMED_OUT}, DELIVERY_DONE,   0  },
    {"500 whose body breaks off",     {1, true, 500, EXCHANGE_RESET},     DELIVERY_FAILED, 0  },
    {"refused",                       {1, false, 0, EXCHANGE_REFUSED},    DELIVERY_AGAIN,  200},
    {"no such host",                  {1, false, 0, EXCHANGE_UNRESOLVED}, DELIVERY_AGAIN,  200},
    {"no handshake",                  {1, false, 0, EXCHANGE_TLS},        DELIVERY_AGAIN,  200},
    {"no connection in time",         {1, false, 0, EXCHANGE_TIMED_OUT},  DELIVERY_AGAIN,  200},
    {"closed before the first byte",  {1, false, 0, EXCHANGE_RESET},      DELIVERY_AGAIN,  200},
    {"twice as long the second time", {2, false, 0, EXCHANGE_REFUSED},    DELIVERY_AGAIN,  400},
    {"exhausted",                     {3, false, 0, EXCHANGE_REFUSED},    DELIVERY_FAILED, 0  },
    {"broken after a byte",           {1, true, 0, EXCHANGE_RESET},       DELIVERY_FAILED, 0  },
    {"timeout after a byte",          {1, true, 0, EXCHANGE_TIMED_OUT},   DELIVERY_FAILED, 0  },
    {"no answer that can be read",    {1, true, 0, EXCHANGE_MALFORMED},   DELIVERY_FAILED, 0  },
    {"refused by TLS after a byte",   {1, true, 0, EXCHANGE_TLS},         DELIVERY_FAILED, 0  },
    {"what cannot be sent at all",    {1, false, 0, EXCHANGE_MALFORMED},  DELIVERY_FAILED, 0  },
};

static void check_verdicts(void **state)
{
    const struct verdict_row *row = *state;
    const struct delivery_settings defaults = delivery_settings_parse(NULL, NULL, NULL);

    int64_t wait_us = 0;
    enum delivery_verdict got = delivery_decide(&defaults, &row->attempt, &wait_us);

    if (got != row->want || wait_us != row->wait_ms * 1000)
        fail_msg("%s: got %d after %" PRId64 " us", row->name, got, wait_us);
}

static const struct wait_row {
    const char *name;
    struct delivery_settings settings;
    unsigned failed;
    int64_t want_ms;
} waits[] = {
    {"base",                   {10, 200, 5000},          1,   200    },
    {"doubled",                {10, 200, 5000},          2,   400    },
    {"the last below the cap", {10, 200, 5000},          5,   3200   },
    {"capped",                 {10, 200, 5000},          6,   5000   },
    {"stays capped",           {1000, 200, 5000},        999, 5000   },
    {"base above the cap",     {10, 6000, 5000},         1,   5000   },
    {"base of 0",              {1000, 0, 5000},          999, 0      },
    {"cap of 0",               {10, 200, 0},             3,   0      },
    {"the largest",            {1000, 3600000, 3600000}, 999, 3600000},
    {"the largest cap",        {1000, 1, 3600000},       999, 3600000},
};

static void check_waits(void **state)
{
    const struct wait_row *row = *state;
    const struct delivery_attempt attempt = {row->failed, false, 0, EXCHANGE_REFUSED};
    int64_t wait_us = -1;

    if (delivery_decide(&row->settings, &attempt, &wait_us) != DELIVERY_AGAIN ||
        wait_us != row->want_ms * 1000)
        fail_msg("%s: got %" PRId64 " us", row->name, wait_us);
}

int main(void)
{
    int failed = ROWS_RUN(settings, check_settings);

    failed += ROWS_RUN(verdicts, check_verdicts);
    failed += ROWS_RUN(waits, check_waits);
    return failed;
}
