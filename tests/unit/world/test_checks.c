/* What each step and claim of a run came to, and what its trace may hold. */
#include "scenarios/world/world.h"

#include "tests/unit/rows.h"

#include "controller/base/memory.h"
#include "controller/base/text.h"

#define PATH "suites/test/one.yaml"
#define TEXT_BYTES_MAX 65536
#define HEAD "description: x\npods: [{runs: 10s}]\n"
#define APPLY "- apply: {kind: Agent, name: hello}\n"
#define GOOD "{kind: Agent, name: hello}"
#define BAD "{kind: Agent, name: other}"
#define EXPECT_GOOD "expect: [" GOOD "]\n"
#define REST "rest: everything ends and comes to rest\n"
#define INVARIANTS "invariants: all of them hold\n"

static const struct row {
    const char *name;
    const char *text;
    const char
        *want; /* a line each: '+' passed, '-' failed, '?' not reached, and the check's name */
} rows[] = {
    {"all is well",                                  HEAD "steps:\n" APPLY "- advance: 1s\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n+02 advance: 1s\n+expect: Agent hello\n+" REST "+" INVARIANTS                                                                                          },
    {"a claim of several",                           HEAD "steps:\n" APPLY "- assert: [" GOOD ", " BAD "]\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n+02.1 assert: Agent hello\n-02.2 assert: Agent other\n"
     "?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                                                                   },
    {"what must not hold does",                      HEAD "steps:\n" APPLY "- error: [" BAD ", " GOOD "]\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n+02.1 error: Agent other\n-02.2 error: Agent hello\n"
     "?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                                                                   },
    {"what is waited for never comes",
     HEAD "steps:\n- wait: " BAD "\n  within: 5s\n" APPLY EXPECT_GOOD,
     "-01 wait: Agent other\n?02 apply: Agent hello\n?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                    },
    {"what holds always ends",
     HEAD "steps:\n" APPLY "- never: {kind: Job}\n  for: 5s\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n-02 never: Job\n?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                           },
    {"the server answers otherwise",                 HEAD "steps:\n" APPLY "  answer: 409\n" EXPECT_GOOD,
     "-01 apply: Agent hello\n?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                                           },
    {"a step at its time",
     HEAD "steps:\n- advance: 9s\n- at: 2s\n  delete: {kind: Agent, name: no}\n" EXPECT_GOOD,
     "?01 advance: 9s\n-02 delete: Agent no\n?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                            },
    {"what is expected at the end",                  HEAD "steps:\n" APPLY "expect: [" GOOD ", " BAD "]\n",
     "+01 apply: Agent hello\n+expect 1: Agent hello\n-expect 2: Agent other\n+" REST
     "+" INVARIANTS                                                                                                                                                                  },
    {"claims with values that were bound",
     HEAD "steps:\n" APPLY "- bind: {n: {kind: Agent, name: hello, field: metadata.name}}\n"
          "- assert: [{kind: Agent, name: '${n}'}, {kind: Agent, name: '${n}-no'}]\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n+02 bind\n+03.1 assert: Agent ${n}\n-03.2 assert: Agent "
     "${n}-no\n?expect: Agent hello\n?" REST "+" INVARIANTS                                                                                                                          },
    {"a failure that is expected",
     HEAD "expectFailure: {failure: 'assert: Agent other', reason: known}\nsteps:\n" APPLY
          "- assert: " BAD "\n" EXPECT_GOOD,
     "+01 apply: Agent hello\n+02 assert: Agent other\n?expect: Agent hello\n?" REST
     "+" INVARIANTS                                                                                                                                                                  },
    {"a cleanup, from its end, after a failure too",
     HEAD "steps:\n" APPLY "- assert: " BAD "\n- at: 1h\n  delete: {kind: Agent, name: hello}\n"
          "cleanup:\n- error: {kind: Agent}\n- assert: [" GOOD ", " BAD "]\n"
          "- delete: {kind: Agent, name: hello}\n- assert: " GOOD "\n",
     "+01 apply: Agent hello\n-02 assert: Agent other\n?03 delete: Agent hello\n?" REST
     "+" INVARIANTS "+cleanup 4 assert: Agent hello\n+cleanup 3 delete: Agent hello\n"
     "-cleanup 2.1 assert: Agent hello\n-cleanup 2.2 assert: Agent other\n"
     "+cleanup 1 error: Agent\n"                                                                                                                                                     },
    {"an install before the CRD has gone",
     HEAD "steps:\n- uninstall: Station\n- install: Station\n",
     "+01 uninstall\n-02 install\n?" REST "+" INVARIANTS                                                                                                                             },
    {"a time that is bound later",                   HEAD "steps:\n- bind: {n: 1}\n- advance: \"${n}s\"\n",
     "+01 bind\n+02 advance\n+" REST "+" INVARIANTS                                                                                                                                  },
    {"an Agent never ends",
     "description: x\npods: [{ending: hang}]\nsettle: 1m\nsteps:\n" APPLY EXPECT_GOOD,
     "+01 apply: Agent hello\n+expect: Agent hello\n?" REST "-" INVARIANTS                                                                                                           },
    {"a process ends by itself",
     HEAD "controllers: {settings: {HEALTH_PORT: x}}\nsteps:\n- advance: 9s\n" EXPECT_GOOD,
     "?01 advance: 9s\n?expect: Agent hello\n-" REST "+" INVARIANTS                                                                                                                  },
    {"an invariant",
     HEAD "objects: [{kind: Agent, name: a, status: {phase: Succeeded}}]\nsteps:\n- patch: {kind: "
          "Agent, name: a,"
          " status: true, merge: {status: {phase: Running}}}\nexpect: [{kind: Agent}]\n",                                 "?01 patch: Agent a\n?expect: Agent\n?" REST "-" INVARIANTS},
};

static void play(const char *text, const struct world_options *wanted, struct outcome *outcome)
{
    struct world_kit *kit = world_kit_new();
    struct world_options options = *wanted;
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(TEXT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, text, strlen(text), &problems);

    problems_append(&problems, PATH, &report);
    if (scenario == NULL)
        fail_msg("%s", buffer_text(&report));
    options.kit = kit;
    options.seed = 1;
    world_run(scenario, &options, outcome);
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&report);
    world_kit_free(kit);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    const struct world_options options = {.checks = true};
    struct buffer got = BUFFER_INIT(TEXT_BYTES_MAX);
    struct outcome outcome;

    play(row->text, &options, &outcome);
    for (size_t i = 0; i < outcome.checks.count; i++)
        buffer_append_format(&got, "%c%s\n", "+-?"[outcome.checks.items[i].verdict],
                             outcome.checks.items[i].name);
    assert_string_equal(buffer_text(&got), row->want);
    buffer_release(&got);
    outcome_release(&outcome);
}

/* --- times --- */

static int64_t tick(void)
{
    return 7;
}

static void test_times(void **state)
{
    const struct world_options options = {.checks = true, .real_us = tick};
    const struct check *check;
    struct outcome outcome;

    (void)state;
    play(HEAD "steps:\n- advance: 3s\n" APPLY "- advance: 2s\n" EXPECT_GOOD, &options, &outcome);
    check = &outcome.checks.items[2];
    assert_true(outcome.passed);
    assert_int_equal(check->line, 6);
    assert_true(check->begun_us > 3000000 && check->begun_us < 3100000);
    assert_int_equal(check->ended_us - check->begun_us, 2000000);
    assert_int_equal(check->real_us, 0);
    outcome_release(&outcome);
}

static void test_nobody_asks(void **state)
{
    const struct world_options options = {0};
    struct outcome outcome;

    (void)state;
    play(HEAD "steps:\n" APPLY EXPECT_GOOD, &options, &outcome);
    assert_int_equal(outcome.checks.count, 0);
    assert_null(outcome.trace);
    assert_null(outcome.kept);
    outcome_release(&outcome);
}

/* --- what is kept --- */

/* The line that ends a run by a secret in it stands in no report. */
static void test_no_secret(void **state)
{
    const struct world_options options = {.trace = true};
    struct outcome outcome;

    (void)state;
    play(HEAD
         "objects: [{kind: Secret, name: s, stringData: {k: leadership gained}}]\n" EXPECT_GOOD,
         &options, &outcome);
    assert_string_equal(outcome.failure, "I-SECRET");
    assert_null(strstr(outcome.trace, "leadership gained"));
    assert_null(strstr(outcome.story, "leadership gained"));
    assert_non_null(strstr(outcome.trace, "\"event\":\"log\""));
    assert_non_null(strstr(outcome.story, "(not shown: it holds a secret)"));
    outcome_release(&outcome);
}

static void test_trace_of_objects_and_faults(void **state)
{
    const struct world_options options = {.outline = true};
    struct outcome outcome;

    (void)state;
    play("description: x\npods: [{runs: 10s}]\nfaults: [{name: full, match: {verb: create, "
         "resource: jobs},"
         " when: {nth: 1}, do: {status: 500}}]\nsteps:\n" APPLY EXPECT_GOOD,
         &options, &outcome);
    assert_true(outcome.passed);
    assert_non_null(
        strstr(outcome.trace, "\"event\":\"fault\",\"text\":\"full\",\"line\":3,\"exchange\":"));
    assert_non_null(strstr(outcome.trace, "\"change\":\"added\",\"resource\":\"jobs\""));
    assert_non_null(strstr(outcome.trace, "\"phase\":\"Succeeded\""));
    assert_null(strstr(outcome.trace, "\"event\":\"clock\""));
    assert_null(strstr(outcome.trace, "\"event\":\"random\""));
    outcome_release(&outcome);
}

static void test_kept(void **state)
{
    const struct world_options options = {.keep = true};
    struct outcome outcome;

    (void)state;
    play(HEAD "steps:\n" APPLY EXPECT_GOOD, &options, &outcome);
    assert_int_equal(strncmp(outcome.kept, "# revision ", 11), 0);
    assert_non_null(strstr(outcome.kept, "kind: Agent\n"));
    assert_non_null(strstr(outcome.kept, "phase: Succeeded\n"));
    outcome_release(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_times),     cmocka_unit_test(test_nobody_asks),
        cmocka_unit_test(test_no_secret), cmocka_unit_test(test_trace_of_objects_and_faults),
        cmocka_unit_test(test_kept),
    };

    return cmocka_run_group_tests(tests, NULL, NULL) + ROWS_RUN(rows, check_row);
}
