/* What parts the places of a run: something new, and not what goes on and on. */
#include "scenarios/world/probe.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

#define PATH "suites/test/one.yaml"
#define SEEN_MAX 256

struct seen {
    uint64_t turns[SEEN_MAX]; /* of the polls of a leader */
    size_t count;
};

static void on_site(void *arg, struct world *world, const struct site *site)
{
    struct seen *seen = arg;

    (void)world;
    if (site->stage != SITE_SENT || strcmp(site->verb, "list") != 0 ||
        strcmp(site->resource, "agents") != 0)
        return;
    assert_true(seen->count < SEEN_MAX);
    seen->turns[seen->count++] = site->turn;
}

static void look(const char *text, struct seen *seen)
{
    const struct world_probe probe = {.on_site = on_site, .arg = seen};
    struct world_kit *kit = world_kit_new();
    const struct world_options options = {.kit = kit, .seed = 1, .probe = &probe};
    struct problems problems = {0};
    struct scenario *scenario = scenario_read(PATH, text, strlen(text), &problems);
    struct outcome outcome;

    assert_non_null(scenario);
    world_run(scenario, &options, &outcome);
    assert_true(outcome.passed);
    outcome_release(&outcome);
    scenario_free(scenario);
    problems_release(&problems);
    world_kit_free(kit);
}

/** The polls of four minutes fail: the first that does and the first that does not any more are
 * news, and those between are alike. */
static void test_what_goes_on_is_no_news(void **state)
{
    struct seen seen = {.count = 0};
    size_t longest = 0;
    size_t length = 0;

    (void)state;
    look("description: x\n"
         "controllers: {replicas: 1}\n"
         "faults:\n"
         "- match: {peer: ctl-0, verb: list, resource: agents}\n"
         "  when: {from: 20s, until: 4m}\n"
         "  do: {status: 500}\n"
         "steps:\n"
         "- advance: 4m\n"
         "expect:\n"
         "- {kind: Agent, absent: true}\n",
         &seen);
    for (size_t i = 0; i < seen.count; i++) {
        length = i > 0 && seen.turns[i] == seen.turns[i - 1] ? length + 1 : 1;
        longest = length > longest ? length : longest;
    }
    assert_true(longest >= 6);
    assert_int_not_equal(seen.turns[seen.count - 1], seen.turns[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_goes_on_is_no_news),
    };

    return cmocka_run_group_tests_name("world/sweep", tests, NULL, NULL);
}
