/* What is warned of in scenarios without a mistake. */
#include "scenarios/language/lint.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/buffer.h"

#define REPORT_BYTES_MAX 65536
#define HEAD "description: x\n"
#define AGENT "objects: [{kind: Agent, name: a}]\n"
#define EXPECT "expect: [{kind: Agent, name: a}]\n"

/* clang-format off */
static const struct row {
    const char *text;
    const char *want; /* "": nothing */
} rows[] = {
    {HEAD AGENT EXPECT, ""},
    {HEAD "steps: [{apply: {kind: Agent, name: a}}]\n",
     "x:2:9: nothing is asserted behind this step; add an 'assert', a 'wait' or an 'expect'\n"},
    {HEAD "steps:\n- apply: {kind: Agent, name: a}\n- wait: {kind: Agent, name: a}\n"
     "- delete: {kind: Agent, name: a}\n",
     "x:5:3: nothing is asserted behind this step; add an 'assert', a 'wait' or an 'expect'\n"},
    {HEAD "steps: [{apply: {kind: Agent, name: a}, answer: 201}]\n", ""},
    {HEAD "steps: [{apply: {kind: Agent, name: a}}]\n" EXPECT, ""},
    {HEAD AGENT "expect: [{kind: Agent, name: b}]\n", "x:3:10: nobody makes an Agent 'b' here\n"},
    {HEAD AGENT "expect: [{kind: Agent, name: b, absent: true}, {kind: Job, name: b}]\n", ""},
    {HEAD AGENT "steps: [{wait: {kind: Agent, name: b}}]\n" EXPECT,
     "x:3:16: nobody makes an Agent 'b' here\n"},
    {HEAD AGENT "steps: [{error: {kind: Agent, name: b}}]\n" EXPECT, ""},
    {HEAD AGENT EXPECT "pods: [{agent: b*}]\n",
     "x:4:8: there is no Agent like 'b*' for this script\n"},
    {HEAD AGENT EXPECT "pods: [{agent: a*}, {agent: \"*\"}]\n", ""},
    {HEAD AGENT EXPECT "duration: 1m\nfaults: [{when: {from: 1m}, do: {refuse: true}}]\n",
     "x:5:10: this fault begins after the scenario's 'duration' has passed\n"},
    {HEAD AGENT EXPECT "duration: 1m\nfaults: [{when: {from: 59s}, do: {refuse: true}}]\n", ""},
    {HEAD AGENT EXPECT "faults: [{when: {nth: 3, every: 2}, do: {refuse: true}}]\n",
     "x:4:10: 'nth' and 'every' never meet\n"},
    {HEAD AGENT EXPECT "faults: [{when: {nth: 4, every: 2}, do: {refuse: true}}]\n", ""},
    {HEAD AGENT EXPECT "steps: [{fault: {when: {nth: 3, every: 2}, do: {refuse: true}}}]\n",
     "x:4:17: 'nth' and 'every' never meet\n"},
    /* what nothing uses */
    {HEAD AGENT EXPECT "matrix: {n: [1]}\n", "x:4:10: nothing uses 'n'\n"},
    {HEAD AGENT EXPECT "matrix: {n: [1]}\nseed: \"${n}\"\n", ""},
    {HEAD AGENT EXPECT "templates: {t: {a: b}}\n", "x:4:13: nothing uses the template 't'\n"},
    {HEAD "objects: [{template: t}]\n" EXPECT "templates: {t: {kind: Agent, name: a}}\n", ""},
    {HEAD AGENT "steps: [{bind: {uid: 3, n: 4}}, {advance: \"${n}s\"}]\n" EXPECT,
     "x:3:17: nothing uses 'uid'\n"},
    {HEAD AGENT "steps: [{bind: {x: a}}]\nexpect: [{kind: Agent, name: \"${x}\"}]\n", ""},
};
/* clang-format on */

static void check(const struct row *row)
{
    struct problems problems = {0};
    struct problems warnings = {0};
    struct buffer report = BUFFER_INIT(REPORT_BYTES_MAX);
    struct scenario *scenario = scenario_read("x", row->text, strlen(row->text), &problems);

    problems_append(&problems, "x", &report);
    if (scenario == NULL)
        fail_msg("%s%s", row->text, buffer_text(&report));
    lint(scenario, &warnings);
    problems_append(&warnings, "x", &report);
    if (strcmp(buffer_text(&report), row->want) != 0)
        fail_msg("%s\ngot:  %s\nwant: %s", row->text, buffer_text(&report), row->want);
    scenario_free(scenario);
    problems_release(&problems);
    problems_release(&warnings);
    buffer_release(&report);
}

static void test_warnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_warnings)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
