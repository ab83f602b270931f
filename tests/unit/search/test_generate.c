/* What is made of seeds: always a scenario, always the same one, and never a small one. */
#include "scenarios/search/generate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/base/time.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/language/scenario.h"

#define TEXT_BYTES_MAX ((size_t)1024 * 1024)
#define SEEDS 300

static struct scenario *scenario_of(uint64_t seed)
{
    struct buffer text = BUFFER_INIT(TEXT_BYTES_MAX);
    struct buffer report = BUFFER_INIT(TEXT_BYTES_MAX);
    struct problems problems = {0};
    struct scenario *scenario;

    generate_append(seed, &text);
    scenario = scenario_read("x/seed.yaml", text.bytes, text.size, &problems);
    problems_append(&problems, "x/seed.yaml", &report);
    if (scenario == NULL)
        fail_msg("seed %u: %s\n%s", (unsigned)seed, buffer_text(&report), buffer_text(&text));
    problems_release(&problems);
    buffer_release(&report);
    buffer_release(&text);
    return scenario;
}

static size_t agents_of(const struct scenario *scenario)
{
    size_t count = 0;

    for (size_t i = 0; i < scenario->objects.count; i++)
        count += strcmp(scenario->objects.items[i].target.kind, "Agent") == 0;
    for (size_t i = 0; i < scenario->step_count; i++) {
        const struct manifests *objects = &scenario->steps[i].objects;

        for (size_t j = 0; j < objects->count; j++)
            count += strcmp(objects->items[j].target.kind, "Agent") == 0;
    }
    return count;
}

static size_t kinds_of(const struct scenario *scenario)
{
    const struct fault_kind *seen[256];
    size_t count = 0;

    for (size_t i = 0; i < scenario->faults.count; i++) {
        const struct fault_kind *kind = fault_kind_of(&scenario->faults.items[i]);
        size_t at = 0;

        while (at < count && seen[at] != kind)
            at++;
        if (at == count)
            seen[count++] = kind;
    }
    return count;
}

static void test_every_seed_is_a_scenario(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct scenario *scenario = scenario_of(seed);
        int64_t last_us = 0;

        for (size_t i = 0; i < scenario->step_count; i++)
            last_us = scenario->steps[i].at_us > last_us ? scenario->steps[i].at_us : last_us;
        assert_int_equal(scenario->seed, seed);
        assert_true(scenario->controllers->replicas >= GENERATE_REPLICAS_MIN);
        assert_true(agents_of(scenario) >= GENERATE_AGENTS_MIN);
        assert_true(kinds_of(scenario) >= GENERATE_KINDS_MIN);
        assert_true(last_us >= GENERATE_SECONDS_MIN * US_PER_SECOND);
        for (size_t i = 0; i < scenario->faults.count; i++)
            assert_true(scenario->faults.items[i].optional);
        scenario_free(scenario);
    }
}

static void test_a_seed_means_one_thing(void **state)
{
    struct buffer first = BUFFER_INIT(TEXT_BYTES_MAX);
    struct buffer again = BUFFER_INIT(TEXT_BYTES_MAX);
    struct buffer other = BUFFER_INIT(TEXT_BYTES_MAX);

    (void)state;
    generate_append(7, &first);
    generate_append(7, &again);
    generate_append(8, &other);
    assert_string_equal(buffer_text(&first), buffer_text(&again));
    assert_string_not_equal(buffer_text(&first), buffer_text(&other));
    buffer_release(&first);
    buffer_release(&again);
    buffer_release(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_seed_is_a_scenario),
        cmocka_unit_test(test_a_seed_means_one_thing),
    };

    return cmocka_run_group_tests_name("search/generate", tests, NULL, NULL);
}
