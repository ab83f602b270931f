/* The Agents of each Station, as they come, change and go: against counting them anew. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agents/capacity_decide.h"
#include "controller/agents/prune_decide.h"
#include "controller/agents/roster.h"
#include "controller/base/attributes.h"
#include "controller/base/prng.h"
#include "controller/base/text.h"

#define AGENTS 40

static char names[AGENTS][8];
static char station_s[] = "s", station_t[] = "t";

static bool stands_in(const struct agent *agent, const char *station, enum roster_part part)
{
    if (part == ROSTER_RUNNING)
        return capacity_counts(agent, station);
    if (part == ROSTER_PENDING)
        return agent->phase == AGENT_PENDING && !agent->deleting && agent->station != NULL &&
               strcmp(agent->station, station) == 0 && !capacity_counts(agent, station);
    return prune_counts(agent, station) &&
           agent->phase == (part == ROSTER_SUCCEEDED ? AGENT_SUCCEEDED : AGENT_FAILED);
}

static void check(const struct rosters *rosters, const char *station, const struct agent *agents,
                  const struct roster_place *places)
{
    for (int part = 0; part < ROSTER_PART_COUNT; part++) {
        const struct roster_place *place = rosters_first(rosters, station, (enum roster_part)part);
        size_t want = 0;
        size_t listed = 0;

        for (size_t i = 0; i < AGENTS; i++)
            want +=
                places[i].agent != NULL && stands_in(&agents[i], station, (enum roster_part)part);
        for (; place != NULL; place = place->next) {
            assert_true(stands_in(place->agent, station, (enum roster_part)part));
            listed++;
        }
        assert_int_equal(rosters_count(rosters, station, (enum roster_part)part), want);
        assert_int_equal(listed, want);
    }
}

static void test_random_changes(void **state)
{
    struct agent agents[AGENTS] = {0};
    struct roster_place places[AGENTS] = {0};
    struct rosters *rosters = rosters_new();
    struct prng prng;

    (void)state;
    prng_seed(&prng, 7);
    for (size_t i = 0; i < AGENTS; i++) {
        names[i][0] = (char)('0' + i % 10);
        agents[i].name = names[i];
    }
    for (int i = 0; i < 4000; i++) {
        size_t at = (size_t)(prng_next(&prng) % AGENTS);
        uint64_t what = prng_next(&prng);

        agents[at].phase = (enum agent_phase)(what % AGENT_PHASE_COUNT);
        agents[at].deleting = (what >> 8) % 5 == 0;
        agents[at].begun = agents[at].phase == AGENT_PENDING && (what >> 16) % 3 == 0;
        agents[at].station = (what >> 24) % 7 == 0 ? NULL
                             : (what >> 32) % 2    ? station_s
                                                   : station_t;
        rosters_set(rosters, &places[at], (what >> 40) % 4 == 0 ? NULL : &agents[at]);
        check(rosters, "s", agents, places);
        check(rosters, "t", agents, places);
    }
    for (size_t i = 0; i < AGENTS; i++)
        rosters_set(rosters, &places[i], NULL);
    rosters_free(rosters);
}

static void test_ended(void **state)
{
    static char station_a[] = "a";
    struct agent agents[] = {
        {.name = names[0], .station = station_t, .phase = AGENT_FAILED},
        {.name = names[1], .station = station_s, .phase = AGENT_RUNNING},
        {.name = names[2], .station = station_a, .phase = AGENT_SUCCEEDED},
    };
    struct roster_place places[ARRAY_SIZE(agents)] = {0};
    struct rosters *rosters = rosters_new();
    struct text_list stations = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(agents); i++)
        rosters_set(rosters, &places[i], &agents[i]);
    rosters_ended(rosters, &stations);
    assert_int_equal(stations.count, 2);
    assert_string_equal(stations.items[0], "a");
    assert_string_equal(stations.items[1], "t");
    text_list_release(&stations);
    for (size_t i = 0; i < ARRAY_SIZE(agents); i++)
        rosters_set(rosters, &places[i], NULL);
    rosters_free(rosters);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_changes),
        cmocka_unit_test(test_ended),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
