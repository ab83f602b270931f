/* One run of a text: what it says of the text, of its end, and which failures are alike. */
#include "scenarios/search/trial.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

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

static void run(const struct world_kit *kit, const char *text, struct trial *trial)
{
    trial_run(kit, "a/b.yaml", text, strlen(text), NULL, trial);
}

#define HELLO                                                                                      \
    "description: x\n"                                                                             \
    "seed: 7\n"                                                                                    \
    "pods: [{exit: 3}]\n"                                                                          \
    "steps: [{apply: {kind: Agent, name: hello}}]\n"

static void test_what_it_says(void **state)
{
    const uint64_t seed = 8;
    struct trial trial;
    struct trial other;

    run(*state, HELLO "expects: []\n", &trial);
    assert_non_null(strstr(trial.problems, "a/b.yaml:5:1: "));
    assert_false(trial.outcome.passed);
    trial_release(&trial);

    run(*state, HELLO, &trial);
    assert_null(trial.problems);
    assert_true(trial.outcome.passed);
    assert_int_equal(trial.seed, 7);
    trial_run(*state, "a/b.yaml", HELLO, strlen(HELLO), &seed, &other);
    assert_int_equal(other.seed, 8);
    assert_string_not_equal(trial.outcome.hash, other.outcome.hash);
    trial_release(&other);
    trial_release(&trial);
}

#define EXPECTS(what) HELLO "expect: [" what "]\n"

static const struct {
    const char *name;
    const char *a;
    const char *b;
    bool alike;
} rows[] = {
    {"the same claim, at another line",
     EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),
     "# a line\n" EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),                                                             true },
    {"another number in it",            EXPECTS("{kind: Agent, name: hello, status: {exitCode: 4}}"),
     EXPECTS("{kind: Agent, name: hello, status: {exitCode: 55}}"),                                                                              true },
    {"another object",                  EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),
     EXPECTS("{kind: Agent, name: other, status: {phase: Succeeded}}"),                                                                          false},
    {"another field",                   EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),
     EXPECTS("{kind: Agent, name: hello, status: {exitCode: 4}}"),                                                                               false},
    {"another value of it",             EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),
     EXPECTS("{kind: Agent, name: hello, status: {phase: Running}}"),                                                                            false},
    {"the object is not there",         EXPECTS("{kind: Agent, name: hello, status: {phase: Succeeded}}"),
     "description: x\n"
     "expect: [{kind: Agent, name: hello, status: {phase: Succeeded}}]\n",                                                                       false},
    {"another count of another file",   EXPECTS("{kind: Job, count: 4}"),
     EXPECTS("{kind: Job, count: 5}"),                                                                                                           true },
    {"more than none",                  EXPECTS("{kind: Job, count: 4}"),                                  EXPECTS("{kind: Job, absent: true}"),
     false                                                                                                                                            },
    {"one that passes",                 EXPECTS("{kind: Agent, name: hello, status: {exitCode: 3}}"),
     EXPECTS("{kind: Agent, name: hello, status: {exitCode: 3}}"),                                                                               false},
};

static void test_which_are_alike(void **state)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct trial a;
        struct trial b;

        run(*state, rows[i].a, &a);
        run(*state, rows[i].b, &b);
        if (a.problems != NULL || b.problems != NULL)
            fail_msg("%s: not read", rows[i].name);
        if (trial_fails_like(&b, &a.outcome) != rows[i].alike)
            fail_msg("%s:\n%s\n%s", rows[i].name, a.outcome.details, b.outcome.details);
        trial_release(&a);
        trial_release(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_it_says),
        cmocka_unit_test(test_which_are_alike),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
