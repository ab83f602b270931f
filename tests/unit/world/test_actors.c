/* Actors of a scenario: what they do, just before and just after each of their limits, and what is
 * said when something does not hold. */
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/world.h"
#include "tests/unit/rows.h"

#define PATH "suites/test/one.yaml"
#define REPORT_BYTES_MAX 65536
#define ALONE "description: x\ncontrollers: {replicas: 0}\n"
#define CONFIG "objects: [{kind: ConfigMap, name: c}]\n"

/* clang-format off */
static const struct row {
    const char *name;
    const char *text;
    const char *reason; /* NULL: it passes; else how it begins */
    const char *shown;  /* stands in the details or the story; or NULL */
    const char *hidden; /* stands nowhere; or NULL */
} rows[] = {
    {.name = "a rival writes as often as it may",
     .text = ALONE CONFIG
     "rivals: [{name: r, kind: ConfigMap, object: c, every: 1s, times: 3,\n"
     "          merge: {data: {n: \"{n}\"}}}]\n"
     "steps:\n"
     "- advance: 2999ms\n"
     "- assert: {kind: ConfigMap, name: c, data: {n: \"2\"}}\n"
     "- advance: 2ms\n"
     "- assert: {kind: ConfigMap, name: c, data: {n: \"3\"}}\n"
     "- always: {kind: ConfigMap, name: c, data: {n: \"3\"}}\n"
     "  for: 1m\n"},
    {.name = "a rival puts back what it wants, once for each change",
     .text = ALONE CONFIG
     "rivals: [{name: r, kind: ConfigMap, object: \"c*\", after: 100ms, times: 3,\n"
     "          merge: {data: {mine: a, gone: null}}}]\n"
     "steps:\n"
     "- advance: 99ms\n"
     "- assert: {kind: ConfigMap, name: c, data: null}\n"
     "- advance: 2ms\n"
     "- assert: {kind: ConfigMap, name: c, data: {mine: a}}\n"
     "- patch: {kind: ConfigMap, name: c, merge: {data: {mine: b}}}\n"
     "- patch: {kind: ConfigMap, name: c, merge: {data: {gone: x}}}\n"
     "- advance: 200ms\n"
     "- assert: {kind: ConfigMap, name: c, data: {mine: a, gone: null}}\n"
     "- patch: {kind: ConfigMap, name: c, merge: {data: {mine: b}}}\n"
     "- advance: 200ms\n"
     "- assert: {kind: ConfigMap, name: c, data: {mine: a}}\n"
     "- patch: {kind: ConfigMap, name: c, merge: {data: {mine: b}}}\n"
     "- always: {kind: ConfigMap, name: c, data: {mine: b}}\n"
     "  for: 1m\n"},
    {.name = "a rival keeps to its objects, and ends with the last step",
     .text =
     "description: x\ncontrollers: {replicas: 1}\n"
     "objects: [{kind: ConfigMap, name: c}, {kind: ConfigMap, name: d}]\n"
     "rivals: [{name: r, kind: ConfigMap, object: c, every: 1s, merge: {data: {n: \"{n}\"}}}]\n"
     "steps: [{advance: 2500ms}]\n"
     "expect:\n"
     "- {kind: ConfigMap, name: c, data: {n: \"3\"}}\n"
     "- {kind: ConfigMap, name: d, data: null}\n"},
    {.name = "all that is due at one instant happens, each once",
     .text = ALONE
     "cluster: {jobController: off}\n"
     "steps:\n"
     "- apply: {kind: Pod, name: \"p-{index}\", count: 60, metadata: {annotations: "
     "{fakeapi/run-seconds: \"10\", fakeapi/exit-code: \"1\", fakeapi/fail-times: \"1\"}}, "
     "spec: {restartPolicy: OnFailure, containers: [{name: agent, image: \"i:1\"}]}}\n"
     "- advance: 30s\n"
     "- assert: {kind: Pod, count: 60, status: {phase: Succeeded, "
     "containerStatuses: [{restartCount: 1}]}}\n"},
    {.name = "a denial ends when it is said to",
     .text = ALONE
     "steps:\n"
     "- deny: {match: {verb: create, resource: configmaps}, for: 10s}\n"
     "- advance: 9990ms\n"
     "- {apply: {kind: ConfigMap, name: a}, answer: 403}\n"
     "- advance: 20ms\n"
     "- apply: {kind: ConfigMap, name: a}\n"},
    {.name = "RBAC says whom it refuses what",
     .text = ALONE
     "steps:\n"
     "- deny: {match: {verb: patch, resource: agents/status, peer: user}, user: jane}\n"
     "- apply: {kind: Agent, name: a}\n"
     "- patch: {kind: Agent, name: a, status: true, merge: {status: {phase: Running}}}\n",
     .reason = "line 6: the API server answered the patch with 403: agents.agents.re-cinq.com "
               "\"a\" is forbidden: User \"jane\" cannot patch resource \"agents/status\" in API "
               "group \"agents.re-cinq.com\" in the namespace \"ai-agents\""},
    {.name = "a webhook denies in its words",
     .text = ALONE
     "steps:\n"
     "- deny: {match: {resource: configmaps}, by: webhook, message: not today, code: 422}\n"
     "- apply: {kind: ConfigMap, name: a}\n",
     .reason = "line 5: the API server answered the apply with 422: admission webhook "
               "\"policy.example.com\" denied the request: not today"},
    {.name = "a webhook denies without a word",
     .text = ALONE
     "steps:\n"
     "- deny: {match: {resource: configmaps}, by: webhook}\n"
     "- apply: {kind: ConfigMap, name: a}\n",
     .reason = "line 5: the API server answered the apply with 403: admission webhook "
               "\"policy.example.com\" denied the request without explanation"},
    {.name = "a webhook that is down",
     .text = ALONE
     "steps:\n"
     "- deny: {match: {resource: configmaps}, by: webhook-down, webhook: w.example}\n"
     "- apply: {kind: ConfigMap, name: a}\n",
     .reason = "line 5: the API server answered the apply with 500: Internal error occurred: "
               "failed calling webhook \"w.example\""},
    {.name = "nobody was denied anything",
     .text = ALONE "steps: [{deny: {match: {verb: create}}}, {advance: 1s}]\n",
     .reason = "the deny of line 3 never happened"},
    {.name = "or it may be so",
     .text = ALONE "steps: [{deny: {match: {verb: create}, optional: true}}, {advance: 1s}]\n"},
    {.name = "a meddle comes before the request it waits for",
     .text = ALONE CONFIG
     "steps:\n"
     "- meddle:\n"
     "    match: {peer: bob, verb: patch}\n"
     "    steps: [{patch: {kind: ConfigMap, name: c, merge: {data: {a: alice, b: alice}}}}]\n"
     "- {patch: {kind: ConfigMap, name: c, merge: {data: {b: bob}}}, as: bob}\n"
     "- assert: {kind: ConfigMap, name: c, data: {a: alice, b: bob}}\n"},
    {.name = "or after it was carried out",
     .text = ALONE CONFIG
     "steps:\n"
     "- meddle:\n"
     "    match: {peer: bob, verb: patch}\n"
     "    moment: applied\n"
     "    steps: [{patch: {kind: ConfigMap, name: c, merge: {data: {a: alice, b: alice}}}}]\n"
     "- {patch: {kind: ConfigMap, name: c, merge: {data: {b: bob}}}, as: bob}\n"
     "- assert: {kind: ConfigMap, name: c, data: {a: alice, b: alice}}\n"},
    {.name = "a meddle at the second one, when there is only one",
     .text = ALONE CONFIG
     "steps:\n"
     "- meddle:\n"
     "    match: {peer: bob, verb: patch}\n"
     "    when: {nth: 2}\n"
     "    steps: [{delete: {kind: ConfigMap, name: c}}]\n"
     "- {patch: {kind: ConfigMap, name: c, merge: {data: {b: bob}}}, as: bob}\n",
     .reason = "the meddle of line 6 never happened"},
    {.name = "a meddle that is refused",
     .text = ALONE CONFIG
     "steps:\n"
     "- meddle: {match: {verb: patch}, steps: [{delete: {kind: Agent, name: a}}]}\n"
     "- patch: {kind: ConfigMap, name: c, merge: {data: {b: bob}}}\n",
     .reason = "line 5: the delete is refused: agents.agents.re-cinq.com \"a\" not found"},
    {.name = "the TTL is as early as it is said to be",
     .text = ALONE
     "cluster: {ttlAfter: 5s}\n"
     "steps:\n"
     "- apply: {kind: Job, name: j, spec: {ttlSecondsAfterFinished: 3600, template: {spec: "
     "{restartPolicy: Never, containers: [{name: agent, image: \"i:1\"}]}}}}\n"
     "- wait: {kind: Job, name: j, status: {succeeded: 1}}\n"
     "- advance: 4900ms\n"
     "- assert: {kind: Job, name: j}\n"
     "- advance: 2s\n"
     "- assert: {kind: Job, name: j, absent: true}\n"},
    {.name = "without a collector what lost its owner stays",
     .text = ALONE
     "cluster: {collector: off}\n"
     "steps:\n"
     "- apply: {kind: Job, name: j, spec: {template: {spec: "
     "{restartPolicy: Never, containers: [{name: agent, image: \"i:1\"}]}}}}\n"
     "- wait: {kind: Pod, status: {phase: Succeeded}}\n"
     "- delete: {kind: Job, name: j, propagation: Background}\n"
     "- always: {kind: Pod, count: 1}\n"
     "  for: 1h\n"
     "- cluster: {collector: on, collectorDelay: 10s}\n"
     "- advance: 9900ms\n"
     "- assert: {kind: Pod, count: 1}\n"
     "- advance: 200ms\n"
     "- assert: {kind: Pod, count: 0}\n"},
    {.name = "slow storage slows writes alone",
     .text = ALONE CONFIG
     "cluster: {storage: 5s}\n"
     "steps:\n"
     "- {at: 1s, patch: {kind: ConfigMap, name: c, merge: {data: {a: b}}}}\n"
     "- {at: 5990ms, assert: {kind: ConfigMap, name: c, data: null}}\n"
     "- {at: 6010ms, assert: {kind: ConfigMap, name: c, data: {a: b}}}\n"},
    {.name = "a kind that is gone takes its objects along",
     .text = ALONE
     "steps:\n"
     "- uninstall: Station\n"
     "- advance: 1s\n"
     "- assert: {kind: Station, count: 0}\n"
     "- {apply: {kind: Station, name: s, spec: {agentDefRef: recipe, template: {}}}, answer: 404}\n"
     "- install: Station\n"
     "- apply: {kind: Station, name: s, spec: {agentDefRef: recipe, template: {}}}\n"
     "expect: [{kind: Station, count: 1}]\n"},
    {.name = "and comes back with the last step",
     .text = ALONE "steps: [{uninstall: Station}]\n"
                   "expect: [{kind: CustomResourceDefinition, name: /^stations/}]\n"},
    {.name = "a server answers the n-th request as it is told",
     .text = ALONE
     "servers: [{host: a.b, answers: [{nth: 2, status: 500}, {path: /x, status: 201}]}]\n"
     "steps:\n"
     "- {send: {to: a.b, path: /x}, answer: 201}\n"
     "- {send: {to: a.b, path: /x}, answer: 500}\n"
     "- {send: {to: a.b, path: /y}, answer: 404}\n"
     "expect: [{server: a.b, count: 3}, {server: a.b, path: /y, answer: 404}]\n"},
    {.name = "an answer just before and just after GitHub's patience ends",
     .text = ALONE
     "servers: [{host: a.b, answers: [{path: /x, delay: 9990ms}, {path: /y, delay: 10001ms}]}]\n"
     "steps:\n"
     "- send: {to: a.b, path: /x}\n"
     "- send: {to: a.b, path: /y, noAnswer: true}\n"},
    {.name = "an answer where none is wanted",
     .text = ALONE "servers: [{host: a.b}]\nsteps: [{send: {to: a.b, noAnswer: true}}]\n",
     .reason = "line 4: a.b answered with 200, and was not to"},
    {.name = "a wait for a request",
     .text = ALONE
     "servers: [{host: a.b}]\n"
     "steps:\n"
     "- {at: 10s, send: {to: a.b, path: /later, body: {n: 3}}}\n"
     "- {wait: {server: a.b, path: /later, body: {n: \">= 3\"}}, within: 11s}\n"},
    {.name = "what a header held is not shown",
     .text = ALONE
     "servers: [{host: a.b}]\n"
     "steps:\n"
     "- send: {to: a.b, event: push, delivery: d, secret: sesame-open, body: {},\n"
     "         headers: {Authorization: Bearer s3cr3t-t0ken}}\n"
     "expect: [{server: a.b, headers: {Authorization: x, X-Hub-Signature-256: y}}]\n",
     .reason = "at the end it is not as expected",
     .shown = "headers.authorization: expected \"x\", got what is not shown",
     .hidden = "s3cr3t"},
    {.name = "nor is a signature",
     .text = ALONE
     "servers: [{host: a.b}]\n"
     "steps: [{send: {to: a.b, event: push, secret: sesame-open, body: {}}}]\n"
     "expect: [{server: a.b, headers: {X-Hub-Signature-256: y}}]\n",
     .reason = "at the end it is not as expected",
     .hidden = "sha256="},
    {.name = "what still waits is told",
     .text = "description: x\n"
             "pods: [{runs: 1h}]\n"
             "steps:\n"
             "- apply: {kind: Agent, name: hello}\n"
             "- wait: {kind: Pod, status: {phase: Running}}\n"
             "- assert: {kind: Pod, count: 2}\n",
     .reason = "line 6: 'assert' does not hold",
     .shown = ": kubelet: end pods/agent-job-hello-"},
};
/* clang-format on */

static bool stands_in(const char *text, const struct outcome *outcome)
{
    return strstr(text_or(outcome->details, ""), text) != NULL ||
           strstr(text_or(outcome->story, ""), text) != NULL ||
           strstr(text_or(outcome->reason, ""), text) != NULL;
}

static void check(const struct row *row, const struct outcome *outcome)
{
    if (outcome->passed != (row->reason == NULL))
        fail_msg("passed: %d: %s\n%s%s", outcome->passed, text_or(outcome->reason, ""),
                 text_or(outcome->details, ""), text_or(outcome->story, ""));
    if (row->reason != NULL && !text_starts_with(outcome->reason, row->reason))
        fail_msg("said:   %s\nwanted: %s", outcome->reason, row->reason);
    if (row->shown != NULL && !stands_in(row->shown, outcome))
        fail_msg("not shown: %s\n%s%s", row->shown, text_or(outcome->details, ""), outcome->story);
    if (row->hidden != NULL && stands_in(row->hidden, outcome))
        fail_msg("shown: %s", row->hidden);
}

static void test_row(void **state)
{
    const struct row *row = *state;
    struct world_kit *kit = world_kit_new();
    const struct world_options options = {.kit = kit, .seed = 1};
    struct problems problems = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct scenario *scenario = scenario_read(PATH, row->text, strlen(row->text), &problems);
    struct outcome outcome;

    problems_append(&problems, PATH, &report);
    if (scenario == NULL)
        fail_msg("%s", buffer_text(&report));
    world_run(scenario, &options, &outcome);
    check(row, &outcome);
    outcome_release(&outcome);
    scenario_free(scenario);
    problems_release(&problems);
    buffer_release(&report);
    world_kit_free(kit);
}

int main(void)
{
    return ROWS_RUN(rows, test_row);
}
