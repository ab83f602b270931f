/* What only a run can tell of the language: bindings, answers in full, failures that are expected.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/world.h"

#define PATH "a.yaml"
#define TEXT_BYTES_MAX 65536

static int make_kit(void **state)
{
    *state = world_kit_new();
    return 0;
}

static int free_kit(void **state)
{
    world_kit_free(*state);
    return 0;
}

#define HEAD "description: x\nsteps:\n- apply: {kind: Agent, name: hello}\n"
#define GOOD "{kind: Agent, name: hello}"
#define RUNS "- wait: {kind: Job, name: agent-job-hello}\n"
#define SERVER "servers: [{host: hooks.example, answers: [{status: 202, body: {id: 7}}]}]\n"
#define SEND "- {send: {to: hooks.example, method: POST, path: "
#define STEPS "description: x\nsteps:\n"

/* clang-format off */
static const struct row {
    const char *name;
    const char *text;
    const char *failure; /* NULL: it passes */
    const char *says;    /* a part of the reason and the details, then */
} rows[] = {
    {"a text is bound", HEAD RUNS
     "- bind: {uid: {kind: Agent, name: hello, field: metadata.uid}}\n"
     "- assert: {kind: Job, metadata: {ownerReferences: [{uid: \"${uid}\"}]}}\n"
     "expect: [{kind: Agent, name: hello, metadata: {uid: \"${uid}\"}}]\n", NULL, NULL},
    {"a number, out of a list", HEAD RUNS
     "- bind: {n: {kind: Job, name: \"*\", field: \"spec.backoffLimit\"}, c: {kind: Job, name: \"*\", "
     "field: \"spec.template.spec.containers[0].name\"}}\n"
     "- assert: {kind: Job, count: \"${n + 1}\", spec: {backoffLimit: \"<= ${n}\", template: {spec: "
     "{containers: [{name: \"${c}\"}]}}}}\n", NULL, NULL},
    {"a value of one's own", STEPS
     "- bind: {n: 2, name: hello}\n- apply: {kind: Agent, name: \"${name}-${n}\"}\n"
     "expect: [{kind: Agent, name: hello-2}]\n", NULL, NULL},
    {"a step at its time", STEPS
     "- bind: {name: late}\n- {at: 5s, apply: {kind: Agent, name: \"${name}\"}}\n- advance: 6s\n"
     "- assert: {kind: Agent, name: late}\n", NULL, NULL},
    {"what is bound changes", HEAD RUNS
     "- bind: {v: {kind: Agent, name: hello, field: metadata.resourceVersion}}\n"
     "- patch: {kind: Agent, name: hello, merge: {metadata: {labels: {a: b}}}}\n"
     "- error: {kind: Agent, name: hello, metadata: {resourceVersion: \"${v}\"}}\n"
     "- bind: {v: {kind: Agent, name: hello, field: metadata.resourceVersion}}\n"
     "- assert: {kind: Agent, name: hello, metadata: {resourceVersion: \"${v}\"}}\n", NULL, NULL},
    {"no such object", HEAD "- bind: {x: {kind: Agent, name: other, field: metadata.uid}}\n",
     "bind: x", "line 4: there is no Agent other to take 'x' from"},
    {"no such field", HEAD "- bind: {x: {kind: Agent, name: hello, field: metadata.generateName}}\n",
     "bind: x", "line 4: Agent hello has no number, text or flag at 'metadata.generateName'"},
    {"no scalar", HEAD "- bind: {x: {kind: Agent, name: hello, field: metadata}}\n", "bind: x",
     "at 'metadata'"},
    {"no such item", HEAD "- bind: {x: {kind: Agent, name: hello, field: \"metadata.finalizers[1]\"}}\n",
     "bind: x", "at 'metadata.finalizers[1]'"},
    {"what is bound cannot be read", STEPS
     "- bind: {n: many}\n- advance: \"${n}\"\n", "advance",
     "with the values that are bound this cannot be read"},
    {"what is bound is compared", HEAD
     "- bind: {n: other}\n- assert: {kind: Agent, name: \"${n}\"}\n", "assert: Agent other",
     "there is no such object"},
    /* answers */
    {"an answer by its structure", STEPS
     "- apply: {kind: Agent, name: x, spec: {stationRef: \"\"}}\n"
     "  answer: {code: 422, reason: Invalid, message: /stationRef/, causes: [{field: "
     "spec.stationRef}]}\n"
     "expect: [{kind: Agent, absent: true}]\n", NULL, NULL},
    {"a comparison of its code", STEPS
     "- {delete: {kind: Agent, name: x}, answer: {code: \">= 400\", reason: NotFound}}\n"
     "expect: [{kind: Agent, absent: true}]\n", NULL, NULL},
    {"an answer of another reason", STEPS
     "- {delete: {kind: Agent, name: x}, answer: {code: 404, reason: Conflict}}\n",
     "delete: answered 404", "reason: expected \"Conflict\", got \"NotFound\"   (a.yaml:3:64)"},
    {"a good answer has no reason", HEAD
     "- {delete: {kind: Agent, name: hello}, answer: {reason: NotFound}}\n",
     "delete: answered 200", "reason: expected \"NotFound\", got nothing"},
    /* what is taken away again: see test_checks.c for what each step of it comes to */
    {"the cleanup comes after what is expected", HEAD "cleanup:\n- wait: {kind: Agent, absent: "
     "true}\n- delete: {kind: Agent, name: hello}\nexpect: [" GOOD "]\n", NULL, NULL},
    {"a cleanup knows what was bound", HEAD
     "- bind: {n: {kind: Agent, name: hello, field: metadata.name}}\n"
     "cleanup:\n- delete: {kind: Agent, name: \"${n}\"}\n", NULL, NULL},
    {"what was not bound is no matter to the rest of it", HEAD
     "- assert: {kind: Agent, name: no}\n"
     "- bind: {n: {kind: Agent, name: hello, field: metadata.name}}\n"
     "cleanup:\n- error: {kind: Agent}\n- delete: {kind: Agent, name: \"${n}\"}\n",
     "assert: Agent no", "line 4: 'assert' does not hold"},
    {"a cleanup that fails", HEAD "cleanup:\n- delete: {kind: Agent, name: no}\n",
     "cleanup: delete: answered 404", "in the cleanup: line 5: the API server answered the delete"},
    {"a cleanup hides no failure", HEAD "- error: " GOOD
     "\ncleanup:\n- delete: {kind: Agent, name: no}\n",
     "error: Agent hello", "line 4: 'error' does not hold"},
    {"a cleanup that fails as expected", "description: x\nexpectFailure: {reason: r, failure: "
     "\"cleanup: assert: Agent no\"}\nsteps:\n- advance: 1s\ncleanup:\n- assert: {kind: Agent, "
     "name: no}\n", NULL, NULL},
    {"the cleanup takes its time, not the scenario's", "description: x\nduration: 1m\nsteps:\n"
     "- advance: 1s\ncleanup:\n- advance: 59s\n", NULL, NULL},
    {"a cleanup that takes too long", "description: x\nduration: 1m\nsteps:\n- advance: 1s\n"
     "cleanup:\n- advance: 40s\n- advance: 40s\n", "cleanup: duration", "the scenario's 'duration' has passed"},
    {"a part of its body", STEPS "- {apply: {kind: Agent, name: x}, answer: {code: 201, body: "
     "{metadata: {generation: 1}}}}\n", NULL, NULL},
    {"another part of its body", STEPS "- {apply: {kind: Agent, name: x}, answer: {body: "
     "{metadata: {generation: 2}}}}\n", "apply: answered 201",
     "body.metadata.generation: expected 2, got 1"},
    {"a name from an answer", STEPS
     "- {apply: {kind: Agent, name: x}, answer: {bind: {uid: metadata.uid}}}\n"
     "- wait: {kind: Job, metadata: {ownerReferences: [{uid: \"${uid}\"}]}}\n"
     "expect: [{kind: Agent, name: x, metadata: {uid: \"${uid}\"}}]\n", NULL, NULL},
    {"what is bound wants a good answer", STEPS
     "- {delete: {kind: Agent, name: no}, answer: {bind: {uid: metadata.uid}}}\n",
     "delete: answered 404", "\"no\" not found"},
    {"a name that the answer does not have", STEPS
     "- {apply: {kind: Agent, name: x}, answer: {bind: {uid: metadata.uuid}}}\n", "bind: uid",
     "line 3: the answer to the apply (201) has no number, text or flag at 'metadata.uuid'"},
    {"an answer to a send", "description: x\n" SERVER "steps:\n" SEND "/a}, answer: {code: 202, "
     "body: {id: 7}, bind: {n: id}}}\n" SEND "\"/b/${n}\"}}\nexpect: [{server: hooks.example, path: "
     "/b/7}]\n", NULL, NULL},
    {"another answer to a send", "description: x\n" SERVER "steps:\n" SEND
     "/a}, answer: {body: {id: 8}}}\n", "send", "body.id: expected 8, got 7"},
    {"a send in a cleanup", "description: x\n" SERVER "steps: [{advance: 1s}]\ncleanup:\n" SEND
     "/a}, answer: 503}\n", "cleanup: send", "hooks.example answered with 202"},
    /* failures that are expected */
    {"an expected failure fails", "description: x\nexpectFailure: {reason: r, failure: \"expect: "
     "Station other\"}\nexpect: [{kind: Station, name: other}]\n", NULL, NULL},
    {"an expected failure passes", "description: x\nexpectFailure: {reason: not built, failure: "
     "I-JOB}\nexpect: [{kind: Station, name: station}]\n", "passes",
     "it is expected to fail (I-JOB: not built), and passes: take line 2 out"},
    {"it fails otherwise", "description: x\nexpectFailure: {reason: r, failure: I-JOB}\nexpect: "
     "[{kind: Station, name: other}]\n", "expect: Station other",
     "what is expected is 'I-JOB', not 'expect: Station other'"},
};
/* clang-format on */

static void check(const struct world_kit *kit, const struct row *row)
{
    const struct world_options options = {.kit = kit, .seed = 1};
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(TEXT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, row->text, strlen(row->text), &problems);
    struct outcome outcome;
    char *said;

    problems_append(&problems, PATH, &report);
    if (scenario == NULL)
        fail_msg("%s: %s", row->name, buffer_text(&report));
    world_run(scenario, &options, &outcome);
    said = xprintf("%s\n%s", text_or(outcome.reason, ""), text_or(outcome.details, ""));
    if (outcome.passed != (row->failure == NULL))
        fail_msg("%s: %s: %s\n%s", row->name, outcome.passed ? "passed" : "failed", said,
                 text_or(outcome.story, ""));
    if (!outcome.passed && strcmp(outcome.failure, row->failure) != 0)
        fail_msg("%s: failed with '%s', not '%s'", row->name, outcome.failure, row->failure);
    if (!outcome.passed && strstr(said, row->says) == NULL)
        fail_msg("%s: said '%s'", row->name, said);
    free(said);
    outcome_release(&outcome);
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&report);
}

static void test_the_language_at_work(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(*state, &rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_the_language_at_work)};

    return cmocka_run_group_tests(tests, make_kit, free_kit);
}
