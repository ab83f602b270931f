/* The rule of an orderly end (RULES.md 5.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/telemetry/shutdown_decide.h"

#define NEVER INT64_MAX

/* A minimum delay of 30 and a timeout of 20. */
static const struct row {
    const char *name;
    struct shutdown_view view; /* asked, draining, finished, asked_us, drain_us, delay, timeout */
    int64_t now_us;
    enum shutdown_step want;
    int64_t want_wake_us;
} rows[] = {
    {"nobody asked",                       {false, false, false, 0, 0, 30, 20},   500, SHUTDOWN_SERVE,  NEVER},
    {"asked this instant",                 {true, false, false, 100, 0, 30, 20},  100, SHUTDOWN_LINGER, 130  },
    {"one microsecond of the delay left",
     {true, false, false, 100, 0, 30, 20},
     129,                                                                              SHUTDOWN_LINGER,
     130                                                                                                     },
    {"the delay is over",                  {true, false, false, 100, 0, 30, 20},  130, SHUTDOWN_DRAIN,  150  },
    {"no delay",                           {true, false, false, 100, 0, 0, 20},   100, SHUTDOWN_DRAIN,  120  },
    {"the delay was slept through",        {true, false, false, 100, 0, 30, 20},  900, SHUTDOWN_DRAIN,  920  },
    {"draining",                           {true, true, false, 100, 130, 30, 20}, 131, SHUTDOWN_DRAIN,  150  },
    {"one microsecond to drain left",
     {true, true, false, 100, 130, 30, 20},
     149,                                                                              SHUTDOWN_DRAIN,
     150                                                                                                     },
    {"time is up",                         {true, true, false, 100, 130, 30, 20}, 150, SHUTDOWN_CUT,    NEVER},
    {"late, but it counts from the drain",
     {true, true, false, 100, 900, 30, 20},
     919,                                                                              SHUTDOWN_DRAIN,
     920                                                                                                     },
    {"all has ended",                      {true, true, true, 100, 130, 30, 20},  131, SHUTDOWN_LEAVE,  NEVER},
    {"ended at the last moment",           {true, true, true, 100, 130, 30, 20},  150, SHUTDOWN_LEAVE,  NEVER},
    {"a clock with a negative zero",
     {true, false, false, -100, 0, 30, 20},
     -71,
     SHUTDOWN_LINGER,                                                                                   -70  },
};

static void test_step(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        int64_t wake_us = -1;
        enum shutdown_step got = shutdown_decide(&rows[i].view, rows[i].now_us, &wake_us);

        if (got != rows[i].want || wake_us != rows[i].want_wake_us)
            fail_msg("%s: got step %d, again at %lld", rows[i].name, (int)got, (long long)wake_us);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_step),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
