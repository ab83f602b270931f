#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"
#include "tests/unit/election/lease_world.h"

static void test_stop_leader(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 1);
    buffer_clear(&world->script.told);
    election_stop(world->election, lease_world_on_stopped, world);
    assert_false(lease_world_leads(world));
    script_run(&world->script, 60);
    script_check(&world->script, "1.000 PATCH 200 nobody, 0 transitions\n1.000 stopped\n");
}

static void test_stop_standby(void **state)
{
    struct lease_world *world = *state;

    lease_world_put(world, THEIRS("a", ""));
    lease_world_start(world);
    script_run(&world->script, 1);
    buffer_clear(&world->script.told);
    election_stop(world->election, lease_world_on_stopped, world);
    script_check(&world->script, "");
    script_run(&world->script, 60);
    script_check(&world->script, "1.000 stopped\n");
}

/* A renewal under way ends first, so that its version is the precondition. */
static void test_stop_while_writing(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 4);
    world->delay_us = US_PER_SECOND;
    script_run(&world->script, 6.5);
    buffer_clear(&world->script.told);
    election_stop(world->election, lease_world_on_stopped, world);
    script_run(&world->script, 60);
    script_check(&world->script, "7.000 PATCH 200 nobody, 0 transitions\n8.000 stopped\n");
}

static void test_stop_while_reading(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 4);
    world->delay_us = US_PER_SECOND;
    script_run(&world->script, 5.5);
    buffer_clear(&world->script.told);
    election_stop(world->election, lease_world_on_stopped, world);
    script_run(&world->script, 60);
    script_check(&world->script, "5.500 PATCH 200 nobody, 0 transitions\n6.500 stopped\n");
}

static void test_stop_with_no_server(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 1);
    buffer_clear(&world->script.told);
    world->fault_method = "PATCH";
    election_stop(world->election, lease_world_on_stopped, world);
    script_run(&world->script, 60);
    script_check(&world->script, "1.000 PATCH 0 ours, 0 transitions\n5.000 stopped\n");
}

/* After a release the other one leads at its next tick. */
static void test_hand_over(void **state)
{
    struct lease_world *world = *state;
    struct election *leaving;

    lease_world_start(world);
    script_run(&world->script, 1);
    leaving = world->election;
    lease_world_start(world);
    script_run(&world->script, 4);
    assert_false(lease_world_leads(world));
    buffer_clear(&world->script.told);
    election_stop(leaving, lease_world_on_stopped, world);
    script_run(&world->script, 7);
    script_check(&world->script, "4.000 PATCH 200 nobody, 0 transitions\n4.000 stopped\n"
                                 "6.000 GET 200 nobody, 0 transitions\n"
                                 "6.000 PATCH 200 ours, 1 transitions\n6.000 gain\n");
    election_free(leaving);
}

static void test_free_in_callbacks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct lease_world *world;
        void *own;

        lease_world_set_up(&own);
        world = own;
        world->free_on_gain = i == 0;
        world->free_on_lose = i == 1;
        lease_world_start(world);
        script_run(&world->script, 4);
        world->fault_method = "PATCH";
        script_run(&world->script, 20);
        assert_null(world->election);
        lease_world_tear_down(&own);
    }
}

#define TEST(function)                                                                             \
    cmocka_unit_test_setup_teardown(function, lease_world_set_up, lease_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_stop_leader),
        TEST(test_stop_standby),
        TEST(test_stop_while_writing),
        TEST(test_stop_while_reading),
        TEST(test_stop_with_no_server),
        TEST(test_hand_over),
        cmocka_unit_test(test_free_in_callbacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
