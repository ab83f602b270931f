/* Whole scenarios: what passes, what fails and what is said about it. */
#include "scenarios/world/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

#define PATH "suites/test/one.yaml"
#define TEXT_BYTES_MAX 65536

static int set_up(void **state)
{
    *state = world_kit_new();
    return 0;
}

static int tear_down(void **state)
{
    world_kit_free(*state);
    return 0;
}

static void run(const struct world_kit *kit, const char *text, uint64_t seed, bool trace,
                struct outcome *outcome)
{
    const struct world_options options = {.kit = kit, .seed = seed, .trace = trace};
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(TEXT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, text, strlen(text), &problems);

    problems_append(&problems, PATH, &report);
    if (scenario == NULL)
        fail_msg("%s", buffer_text(&report));
    world_run(scenario, &options, outcome);
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&report);
}

#define SUCCEEDS(log)                                                                              \
    "description: x\n"                                                                             \
    "pods: [{runs: 10s, log: \"" log "\"}]\n"                                                      \
    "steps:\n"                                                                                     \
    "- apply: {kind: Agent, name: hello}\n"                                                        \
    "expect:\n"                                                                                    \
    "- {kind: Agent, name: hello, status: {phase: Succeeded}}\n"

/* --- runs repeat --- */

static void hash_of(const struct world_kit *kit, const char *text, uint64_t seed,
                    char hash[SHA256_HEX_SIZE])
{
    struct outcome outcome;

    run(kit, text, seed, false, &outcome);
    if (!outcome.passed)
        fail_msg("%s\n%s", outcome.reason, outcome.story);
    memcpy(hash, outcome.hash, SHA256_HEX_SIZE);
    outcome_release(&outcome);
}

static void test_a_hash_is_of_all_that_happened(void **state)
{
    char first[SHA256_HEX_SIZE];
    char other[SHA256_HEX_SIZE];

    hash_of(*state, SUCCEEDS("abc"), 1, first);
    hash_of(*state, SUCCEEDS("abc"), 1, other);
    assert_string_equal(first, other);
    hash_of(*state, SUCCEEDS("abd"), 1, other); /* one byte of one body */
    assert_string_not_equal(first, other);
    hash_of(*state, SUCCEEDS("abc"), 2, other);
    assert_string_not_equal(first, other);
}

static void test_a_trace_changes_nothing(void **state)
{
    char hash[SHA256_HEX_SIZE];
    struct outcome outcome;

    hash_of(*state, SUCCEEDS("abc"), 1, hash);
    run(*state, SUCCEEDS("abc"), 1, true, &outcome);
    assert_string_equal(outcome.hash, hash);
    assert_non_null(strstr(outcome.trace, "\"event\":\"request sent\",\"process\":\"ctl-0\""));
    outcome_release(&outcome);
}

/* --- scenarios that pass --- */

static const struct good_row {
    const char *name;
    const char *text;
} good_rows[] = {
    {"steps at their times, in true time",             "description: x\n"
                                           "steps:\n"
                                           "- {at: 30s, apply: {kind: Agent, name: late}}\n"
                                           "- {at: 29s, error: {kind: Agent}}\n"
                                           "- {at: 31s, assert: {kind: Agent, name: late}}\n"
                                           "- advance: 5s\n"                       },
    {"apply merges into what is there",
     "description: x\n"
     "steps:\n"
     "- apply: {kind: ConfigMap, name: c, data: {a: '1'}}\n"
     "- apply: {kind: ConfigMap, name: c, data: {b: '2'}}\n"
     "- patch: {kind: ConfigMap, name: c, json: [{op: add, path: /data/c, value: '3'}]}\n"
     "- assert: {kind: ConfigMap, name: c, data: {a: '1', b: '2', c: '3'}}\n"
     "- delete: {kind: ConfigMap, name: c*}\n"
     "- assert: {kind: ConfigMap, name: c, absent: true}\n"
     "- {delete: {kind: ConfigMap, name: c}, answer: 404}\n"                                                                 },
    {"a fault aimed at the leader waits for one",
     "description: x\n"
     "faults: [{match: {peer: leader, verb: create, resource: jobs}, when: {nth: 1},\n"
     "  do: {crash: leader, moment: applied}},\n"
     "  {match: {peer: standby, resource: leases}, when: {nth: 1}, do: {status: 500}}]\n"
     "steps: [{apply: {kind: Agent, name: a}}, {wait: {kind: Job}}, {advance: 2s}]\n"                                        },
    {"processes come and go",                          "description: x\n"
                              "steps:\n"
                              "- advance: 10s\n"
                              "- crash: leader\n"
                              "- start: ctl-0\n"
                              "- pause: standby\n"
                              "- resume: [ctl-0, ctl-1]\n"
                              "- terminate: ctl-1\n"
                              "- restart: ctl-0\n"
                              "- apply: {kind: Agent, name: hello}\n"
                              "- wait: {kind: Agent, name: hello, status: {phase: Succeeded}}\n"},
    {"what is optional may come to nothing",
     "description: x\n"
     "steps:\n"
     "- {delete: {kind: Agent, name: none}, optional: true}\n"
     "- {delete: {kind: Agent, name: none-*}, optional: true}\n"
     "- {patch: {kind: Agent, name: none, merge: {metadata: {labels: {a: b}}}}, optional: true}\n"
     "- crash: [ctl-0, ctl-1]\n"
     "- {crash: leader, optional: true}\n"
     "- {kill: {of: leader, among: 10}, optional: true}\n"
     "- {kill: {of: ctl-0, among: 1000000}, optional: true}\n"
     "- pause: api\n"
     "- {apply: {kind: Agent, name: hello}, optional: true}\n"                                                               },
    {"links break and heal",                           "description: x\n"
                             "links: [{between: [ctl-0, api], latency: 50ms}]\n"
                             "steps:\n"
                             "- advance: 5s\n"
                             "- partition: [ctl-0, api]\n"
                             "- advance: 1s\n"
                             "- heal: [api, ctl-0]\n"
                             "- halfOpen: [api, ctl-0]\n"
                             "- advance: 1s\n"
                             "- heal: all\n"
                             "- strand: [ctl-0, api]\n"
                             "- slow: {between: [ctl-0, api], latency: 100ms, pieceBytes: 100}\n"
                             "- clock: {of: ctl-1, jump: -1h}\n"
                             "- apply: {kind: Agent, name: hello}\n"
                             "- wait: {kind: Agent, name: hello, status: {phase: Succeeded}}\n"  },
    {"a fault is lifted by its name",
     "description: x\n"
     "steps:\n"
     "- advance: 5s\n"
     "- fault: {name: no jobs, match: {verb: create, resource: jobs}, do: {status: 403}}\n"
     "- apply: {kind: Agent, name: hello}\n"
     "- never: {kind: Job}\n"
     "  for: 1m\n"
     "- lift: [no jobs]\n"
     "- wait: {kind: Job}\n"
     "  within: 1m\n"                                                                                                        },
    {"a fault hits the leader by its role",
     "description: x\n"
     "steps:\n"
     "- advance: 5s\n"
     "- fault: {match: {peer: leader, verb: create, resource: jobs}, when: {nth: 1},\n"
     "          do: {restart: leader}}\n"
     "- apply: {kind: Agent, name: hello}\n"
     "- wait: {kind: Agent, name: hello, status: {phase: Succeeded}}\n"                                                      },
    {"no replica is fine where nothing is to be done",
     "description: x\n"
     "controllers: {replicas: 0}\n"
     "steps: [{apply: {kind: ConfigMap, name: c}}]\n"                                                                        },
};

static void test_good_scenarios(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(good_rows); i++) {
        struct outcome outcome;

        run(*state, good_rows[i].text, 1, false, &outcome);
        if (!outcome.passed)
            fail_msg("%s: %s\n%s%s", good_rows[i].name, outcome.reason,
                     outcome.details == NULL ? "" : outcome.details, outcome.story);
        assert_null(outcome.reason);
        outcome_release(&outcome);
    }
}

/* --- scenarios that fail --- */

static const struct bad_row {
    const char *text;
    const char *reason;  /* how it begins */
    const char *details; /* a part of them; NULL: whatever */
} bad_rows[] = {
    {SUCCEEDS("abc") "- {kind: Agent, name: hello, status: {exitCode: 7}}\n",
     "at the end it is not as expected",                                                                                                                                    "status.exitCode: expected 7, got 0   (" PATH ":7:49)\n"},
    {SUCCEEDS("abc") "- {kind: Agent, count: 2}\n",                                                "at the end it is not as expected",
     "expected 2 like this, got 1\n"                                                                                                                                                                                                },
    {SUCCEEDS("abc") "- {kind: Job, absent: true}\n",                                              "at the end it is not as expected",
     "expected none like this, got 1\n    these are: agent-job-hello\n"                                                                                                                                                             },
    {"description: x\n"
     "steps: [{kill: {of: ctl-0, among: 1000000}}, {advance: 10s}]\n",                        "the kill of line 2 never happened: only ",                              NULL                                                    },
    {"description: x\n"
     "faults: [{match: {peer: ctl-1, verb: create}, do: {late: 5s}}]\n"
     "steps: [{advance: 10s}]\n",                                                             "the fault of line 2 never happened; ",                                  NULL                                                    },
    {"description: x\n"
     "faults: [{when: {from: 20s}, do: {cut: [ctl-0, api], for: 5s}}]\n"
     "steps: [{advance: 10s}]\n",                                                             "the fault of line 2 never happened: the steps ended before its time; ", NULL                                                    },
    {"description: x\n"
     "steps: [{kill: {of: leader, among: 5}}]\n",                                             "line 2: there is no leader at this moment",                             NULL                                                    },
    {"description: x\n"
     "steps: [{wait: {kind: Agent, name: never}, within: 20s}]\n",                            "line 2: what is waited for has not come within 20s",
     "there is no such object; agents there are: none\n"                                                                                                                                                                            },
    {"description: x\n"
     "steps: [{assert: {kind: Agent}}]\n",                                                    "line 2: 'assert' does not hold",                                        NULL                                                    },
    {"description: x\n"
     "steps: [{error: {kind: Station}}]\n",                                                   "line 2: 'error' does not hold",                                         "Station: this must not hold, and it does\n"            },
    {"description: x\n"
     "steps: [{at: 5s, apply: {kind: Agent, name: a}}, {never: {kind: Agent}, for: 10s}]\n",  "line 2: 'never' does not hold",                                         NULL                                                    },
    {"description: x\n"
     "steps: [{delete: {kind: Agent, name: a}}]\n",                                           "line 2: the API server answered the delete with 404: agents.agents.re-cinq.com \"a\" not "
     "found",                                                                                                       NULL                                                    },
    {"description: x\n"
     "steps: [{apply: {kind: Agent, name: A}}]\n",                                            "line 2: the API server answered the apply with 422",                    NULL                                                    },
    {"description: x\n"
     "objects: [{kind: Agent, name: a, spec: {stationRef: ''}}]\n"
     "steps: [{advance: 1s}]\n",                                                              "line 2: ",                                                              NULL                                                    },
    {"description: x\n"
     "objects: [{kind: Secret, name: s, data: {key: U0VDUkVU}}]\n"
     "expect: [{kind: Secret, name: s, data: {key: other}}]\n",                               "at the end it is not as expected",
     "data.key: expected \"other\", got something that is kept secret "                                                                                                                                                             },
    {"description: x\n"
     "controllers: {replicas: 0}\n"
     "steps: [{crash: leader}]\n",                                                            "line 3: there is no leader at this moment",                             NULL                                                    },
    {"description: x\n"
     "faults: [{match: {resource: secrets}, do: {refuse: true}}]\n"
     "steps: [{advance: 1s}]\n",                                                              "the fault of line 2 never happened",                                    NULL                                                    },
    {"description: x\n"
     "duration: 10s\n"
     "steps: [{wait: {kind: Agent}, within: 1m}]\n",                                          "the scenario's 'duration' has passed",                                  NULL                                                    },
    {"description: x\n"
     "settle: 5m\n"
     "pods: [{ending: unschedulable}]\n"
     "steps: [{apply: {kind: Agent, name: stuck}}]\n",                                        "I-LIVE does not hold: Agent stuck is still Running",                    "once faults have stopped"                              },
 /* nothing ran */
    {"description: x\n"
     "controllers: {settings: {HEALTH_PORT: \"99999\"}}\n"
     "steps: [{advance: 1s}]\n",                                                              "ctl-0 ended by itself with status 2",                                   NULL                                                    },
    {"description: x\n"
     "controllers: {settings: {NAMESPACE: elsewhere}}\n"
     "steps: [{advance: 1s}]\n",                                                              "at the end no replica leads",                                           NULL                                                    },
 /* the store is shown to the invariants */
    {"description: x\n"
     "pods: [{runs: 10m}]\n"
     "steps:\n"
     "- apply: {kind: Agent, name: a}\n"
     "- wait: {kind: Agent, name: a, status: {phase: Running}}\n"
     "- patch: {kind: Agent, name: a, status: true, merge: {status: {phase: Pending}}}\n",    "I-PHASE does not hold: Agent a went back from Running to Pending",      NULL                                                    },
    {"description: x\n"
     "pods: [{runs: 10m}]\n"
     "steps:\n"
     "- apply: {kind: Agent, name: a}\n"
     "- patch: {kind: Agent, name: a, status: true,\n"
     "          merge: {status: {phase: Failed, exitCode: 0}}}\n",                            "I-EXIT does not hold: Agent a is Failed with exit code 0",              NULL                                                    },
    {"description: x\n"
     "steps:\n"
     "- advance: 6s\n"
     "- patch: {kind: Lease, name: agent-controller, merge: {spec: {holderIdentity: me}}}\n", "I-LEAD does not hold: me took the Lease from ctl-0_",                   NULL                                                    },
};

/* --- what failed has a name that does not move --- */

/* clang-format off */
static const struct identity_row {
    const char *text;
    const char *failure;
} identity_rows[] = {
    {"description: x\nsteps: [{assert: [{kind: Station}, {kind: Agent, name: hello}]}]\n",
     "assert: Agent hello"},
    {"description: x\nsteps: [{error: [{kind: Job}, {kind: Station}]}]\n", "error: Station"},
    {"description: x\nsteps: [{wait: {kind: Agent, name: never}, within: 20s}]\n",
     "wait: Agent never"},
    {"description: x\nsteps: [{advance: 1s}]\nexpect: [{kind: Job, count: 2}]\n", "expect: Job"},
    {"description: x\nsteps: [{delete: {kind: Agent, name: a}}]\n", "delete: answered 404"},
    {"description: x\nsteps: [{kill: {of: ctl-0, among: 1000000}}, {advance: 10s}]\n",
     "kill never happened"},
    {"description: x\n"
     "steps:\n"
     "- advance: 6s\n"
     "- patch: {kind: Lease, name: agent-controller, merge: {spec: {holderIdentity: me}}}\n",
     "I-LEAD"},
};
/* clang-format on */

static void test_identities(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(identity_rows); i++) {
        struct outcome outcome;

        run(*state, identity_rows[i].text, 1, false, &outcome);
        assert_string_equal(outcome.failure, identity_rows[i].failure);
        outcome_release(&outcome);
    }
}

static void check_bad(const struct world_kit *kit, const struct bad_row *row)
{
    struct outcome outcome;

    run(kit, row->text, 1, false, &outcome);
    if (outcome.passed)
        fail_msg("this passes:\n%s", row->text);
    if (strncmp(outcome.reason, row->reason, strlen(row->reason)) != 0)
        fail_msg("%s\nsaid:   %s\nwanted: %s", row->text, outcome.reason, row->reason);
    if (row->details != NULL &&
        (outcome.details == NULL || strstr(outcome.details, row->details) == NULL))
        fail_msg("%s\ndetails: %s\nwanted:  %s", row->text, outcome.details, row->details);
    /* a long one has lost its beginning */
    assert_true(strstr(outcome.story, "user   starts") != NULL ||
                strstr(outcome.story, " ctl-0  | ") != NULL);
    outcome_release(&outcome);
}

static void test_bad_scenarios(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(bad_rows); i++)
        check_bad(*state, &bad_rows[i]);
}

/** The story reads like one. */
#define KILLED(back)                                                                               \
    "description: x\n"                                                                             \
    "controllers: {replicas: 1}\n"                                                                 \
    "steps:\n"                                                                                     \
    "- advance: 1s\n"                                                                              \
    "- kill: {of: leader, among: 40" back "}\n"                                                    \
    "- apply: {kind: Agent, name: hello}\n"                                                        \
    "- advance: 40s\n"                                                                             \
    "- assert: {kind: Agent, name: hello"

/* Other seeds, other moments; the run that it hits is found again by those who come after. */
static void test_kills(void **state)
{
    struct outcome outcomes[8];
    size_t different = 0;

    for (uint64_t i = 0; i < ARRAY_SIZE(outcomes); i++) {
        run(*state, KILLED(", back: 1s") ", status: {phase: Succeeded}}\n", i, false, &outcomes[i]);
        if (!outcomes[i].passed)
            fail_msg("seed %u: %s\n%s", (unsigned)i, outcomes[i].reason, outcomes[i].story);
        assert_non_null(outcomes[i].kills);
        different += i > 0 && strcmp(outcomes[i].kills, outcomes[0].kills) != 0;
    }
    assert_true(different > 3);
    for (size_t i = 0; i < ARRAY_SIZE(outcomes); i++)
        outcome_release(&outcomes[i]);
}

/* Without 'back' it stays away until all faults are lifted. */
static void test_a_kill_for_good(void **state)
{
    struct outcome outcome;

    for (uint64_t seed = 0; seed < 4; seed++) {
        run(*state, KILLED("") ", status: {completedAt: null}}\n", seed, false, &outcome);
        if (!outcome.passed)
            fail_msg("seed %u: %s\n%s", (unsigned)seed, outcome.reason, outcome.story);
        outcome_release(&outcome);
    }
}

static void test_story(void **state)
{
    static const char *const parts[] = {
        "0.000 ctl-0  starts\n", "Agent hello: Pending -> Running\n",
        "ctl-0  POST /apis/batch/v1/namespaces/ai-agents/jobs -> 201\n",
        "* all faults are lifted\n"};
    struct outcome outcome;

    run(*state, SUCCEEDS("abc") "- {kind: Agent, count: 2}\n", 1, false, &outcome);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (strstr(outcome.story, parts[i]) == NULL)
            fail_msg("no '%s' in:\n%s", parts[i], outcome.story);
    }
    outcome_release(&outcome);
}

/** What a step does to the world is told, also where no process notices. */
static void test_story_of_steps(void **state)
{
    static const char *const parts[] = {"* partition: ctl-0 api\n",
                                        "* halfOpen: api ctl-1\n",
                                        "* strand: ctl-0 api\n",
                                        "* heal: all\n",
                                        "* heal: ctl-0 api\n",
                                        "* slow: ctl-0 api\n",
                                        "* clock: ctl-1\n",
                                        "* compact\n",
                                        "* fault x\n",
                                        "* lift: x\n"};
    struct outcome outcome;

    run(*state,
        "description: x\n"
        "steps:\n"
        "- partition: [ctl-0, api]\n"
        "- halfOpen: [api, ctl-1]\n"
        "- strand: [ctl-0, api]\n"
        "- heal: all\n"
        "- slow: {between: [ctl-0, api], latency: 2s}\n"
        "- heal: [ctl-0, api]\n"
        "- clock: {of: ctl-1, jump: 1h}\n"
        "- fault: {name: x, match: {resource: jobs}, do: {refuse: true}, optional: true}\n"
        "- lift: [x]\n"
        "- compact: true\n"
        "- assert: {kind: Job}\n",
        1, false, &outcome);
    assert_false(outcome.passed);
    for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
        if (strstr(outcome.story, parts[i]) == NULL)
            fail_msg("no '%s' in:\n%s", parts[i], outcome.story);
    }
    outcome_release(&outcome);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hash_is_of_all_that_happened),
        cmocka_unit_test(test_a_trace_changes_nothing),
        cmocka_unit_test(test_good_scenarios),
        cmocka_unit_test(test_bad_scenarios),
        cmocka_unit_test(test_identities),
        cmocka_unit_test(test_kills),
        cmocka_unit_test(test_a_kill_for_good),
        cmocka_unit_test(test_story),
        cmocka_unit_test(test_story_of_steps),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
