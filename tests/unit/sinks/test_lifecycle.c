#include "controller/sinks/lifecycle.h"
#include "tests/unit/rows.h"

#define EVENT(phase, status)                                                                       \
    "{\"kind\":\"lifecycle\",\"phase\":\"" phase "\",\"status\":\"" status "\""

/* RULES 10.3, and the bodies of 6.5. */
static const struct row {
    const char *name;
    struct lifecycle_event event;
    const char *want;
} rows[] = {
    {"init started",
     {.phase = LIFECYCLE_INIT, .status = LIFECYCLE_STARTED},
     EVENT("init",  "started") "}"                                                         },
    {"init installing a tool",
     {.phase = LIFECYCLE_INIT, .status = LIFECYCLE_INSTALLING, .tool = "gh"},
     EVENT("init",  "installing") ",\"tool\":\"gh\"}"                                      },
    {"agent running",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_RUNNING},
     EVENT("agent", "running") "}"                                                         },
    {"agent started",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_STARTED},
     EVENT("agent", "started") "}"                                                         },
    {"exitCode 0 kept",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_SUCCEEDED, .has_exit_code = true},
     EVENT("agent", "succeeded") ",\"exitCode\":0}"                                        },
    {"failed with its code",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_FAILED, .has_exit_code = true, .exit_code = 1},
     EVENT("agent", "failed") ",\"exitCode\":1}"                                           },
    {"batch timed out for good",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_FAILED, .reason = LIFECYCLE_BATCH_TIMEOUT},
     EVENT("agent", "failed") ",\"reason\":\"batch_timeout\"}"                             },
    {"batch timed out, falls back",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_RUNNING, .reason = LIFECYCLE_BATCH_TIMEOUT},
     EVENT("agent", "running") ",\"reason\":\"batch_timeout\"}"                            },
    {"empty optionals omitted",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_FAILED, .tool = "", .reason = ""},
     EVENT("agent", "failed") "}"                                                          },
    {"optionals in their order",
     {LIFECYCLE_INIT, LIFECYCLE_FAILED, "gh", "not-found", true, 127},
     EVENT("init",  "failed") ",\"tool\":\"gh\",\"reason\":\"not-found\",\"exitCode\":127}"},
    {"a reason with a quote",
     {.phase = LIFECYCLE_AGENT, .status = LIFECYCLE_FAILED, .reason = "a\"b\n"},
     EVENT("agent", "failed") ",\"reason\":\"a\\\"b\\n\"}"                                 },
};

static void check_text(void **state)
{
    const struct row *row = *state;
    char *got = lifecycle_to_text(&row->event);

    assert_string_equal(got, row->want);
    free(got);
}

int main(void)
{
    return ROWS_RUN(rows, check_text);
}
