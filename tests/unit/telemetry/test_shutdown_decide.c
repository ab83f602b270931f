/* The rule of an orderly end (RULES.md 5.1). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/telemetry/shutdown_decide.h"
#include "tests/unit/rows.h"

#define NEVER INT64_MAX
/* asked, draining, finished, asked_us, drain_us, min_delay_us, timeout_us */
#define VIEW(...)                                                                                  \
    {                                                                                              \
        __VA_ARGS__                                                                                \
    }
#define IDLE VIEW(false, false, false, 0, 0, 30, 20)
#define ASKED(asked_us) VIEW(true, false, false, asked_us, 0, 30, 20)
#define UNDELAYED VIEW(true, false, false, 100, 0, 0, 20)
#define DRAINS(since_us) VIEW(true, true, false, 100, since_us, 30, 20)
#define ENDED(since_us) VIEW(true, true, true, 100, since_us, 30, 20)

static const struct row {
    const char *name;
    struct shutdown_view view;
    int64_t now_us;
    enum shutdown_step want;
    int64_t want_wake_us;
} rows[] = {
    {"nobody asked",                   IDLE,        500, SHUTDOWN_SERVE,  NEVER},
    {"asked this instant",             ASKED(100),  100, SHUTDOWN_LINGER, 130  },
    {"1 us of the delay left",         ASKED(100),  129, SHUTDOWN_LINGER, 130  },
    {"the delay is over",              ASKED(100),  130, SHUTDOWN_DRAIN,  150  },
    {"no delay",                       UNDELAYED,   100, SHUTDOWN_DRAIN,  120  },
    {"the delay was slept through",    ASKED(100),  900, SHUTDOWN_DRAIN,  920  },
    {"draining",                       DRAINS(130), 131, SHUTDOWN_DRAIN,  150  },
    {"1 us to drain left",             DRAINS(130), 149, SHUTDOWN_DRAIN,  150  },
    {"time is up",                     DRAINS(130), 150, SHUTDOWN_CUT,    NEVER},
    {"late: it counts from the drain", DRAINS(900), 919, SHUTDOWN_DRAIN,  920  },
    {"all has ended",                  ENDED(130),  131, SHUTDOWN_LEAVE,  NEVER},
    {"ended at the last moment",       ENDED(130),  150, SHUTDOWN_LEAVE,  NEVER},
    {"a clock with a negative zero",   ASKED(-100), -71, SHUTDOWN_LINGER, -70  },
};

static void check_step(void **state)
{
    const struct row *row = *state;
    int64_t wake_us = -1;
    enum shutdown_step got = shutdown_decide(&row->view, row->now_us, &wake_us);

    if (got != row->want || wake_us != row->want_wake_us)
        fail_msg("%s: got step %d, again at %lld", row->name, (int)got, (long long)wake_us);
}

int main(void)
{
    return ROWS_RUN(rows, check_step);
}
