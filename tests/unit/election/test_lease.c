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

/* RULES 5 rows 1 and 2; 13.2: ticks 5 s apart */
static void test_create_and_renew(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    assert_false(lease_world_leads(world));
    assert_false(election_api_reachable(world->election));
    script_run(&world->script, 12);
    script_check(&world->script, "0.000 GET 404 nobody, 0 transitions\n"
                                 "0.000 POST 201 ours, 0 transitions\n0.000 gain\n"
                                 "5.000 GET 200 ours, 0 transitions\n"
                                 "5.000 PATCH 200 ours, 0 transitions\n"
                                 "10.000 GET 200 ours, 0 transitions\n"
                                 "10.000 PATCH 200 ours, 0 transitions\n");
    assert_true(lease_world_leads(world));
    assert_true(election_api_reachable(world->election));
    assert_string_equal(world->first_target,
                        "/apis/coordination.k8s.io/v1/namespaces/ns/leases/agent-controller");
}

/* RULES 13.5: name, '_', 8 hex digits; another each time; the default name */
static void test_identity(void **state)
{
    struct lease_world *world = *state;
    struct election *other;
    const char *identity;

    lease_world_start(world);
    identity = election_identity(world->election);
    assert_int_equal(strlen(identity), strlen("ctl-0_") + 8);
    assert_memory_equal(identity, "ctl-0_", 6);
    assert_int_equal(strspn(identity + 6, "0123456789abcdef"), 8);
    other = election_new(world->script.rt, world->script.kube,
                         &(struct election_options){.namespace_name = "ns", .host_name = "ctl-0"});
    assert_string_not_equal(identity, election_identity(other));
    election_free(other);
    other = election_new(world->script.rt, world->script.kube,
                         &(struct election_options){.namespace_name = "ns"});
    assert_memory_equal(election_identity(other), "agent-controller_", 17);
    election_free(other);
}

#define LIE(renew)                                                                                 \
    "{\"metadata\":{\"name\":\"agent-controller\",\"resourceVersion\":\"7\"},"                     \
    "\"spec\":{\"holderIdentity\":\"%s\",\"renewTime\":\"" renew "\"}}"

/* RULES 5: an accepted write counts only when the answer shows it. The brake of this loop, as of
 * every other one of the Lease, is the tick. */
static void test_answer_shows_no_write(void **state)
{
    static const struct {
        const char *name, *lie;
        bool ours, leads;
    } cases[] = {
        {"another's identity",   LIE("2024-02-29T12:00:00.000000Z"),             false, false},
        {"another time",         LIE("2024-02-29T12:00:00.000001Z"),             true,  false},
        {"no time",              LIE(""),                                        true,  false},
        {"ours",                 LIE("2024-02-29T12:00:00.000000Z"),             true,  true },
        {"ours, in other words", LIE("2024-02-29T14:00:00+02:00"),               true,  true },
        {"no Lease",             "{\"kind\":\"Status\",\"status\":\"Success\"}", false, false},
        {"no object",            "[]",                                           false, false},
        {"nothing",              "",                                             false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct lease_world *world;
        void *own;

        lease_world_set_up(&own);
        world = own;
        world->lie = cases[i].lie;
        world->lie_ours = cases[i].ours;
        lease_world_start(world);
        script_run(&world->script, 4);
        if (lease_world_leads(world) != cases[i].leads ||
            (strstr(buffer_text(&world->script.told), "gain") != NULL) != cases[i].leads)
            fail_msg("%s: %s", cases[i].name, buffer_text(&world->script.told));
        script_run(&world->script, 59);
        assert_in_range(world->writes, 1, 12);
        world->lie = NULL;
        script_run(&world->script, 64);
        assert_true(lease_world_leads(world));
        lease_world_tear_down(&own);
    }
}

/* The same for a renewal: it ends at once what was gained before. */
static void test_renewal_not_shown(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 4);
    assert_true(lease_world_leads(world));
    buffer_clear(&world->script.told);
    world->lie = LIE("2024-02-29T12:00:05.000000Z");
    script_run(&world->script, 6);
    script_check(&world->script, "5.000 GET 200 ours, 0 transitions\n"
                                 "5.000 PATCH 200 ours, 0 transitions\n5.000 lose\n");
}

/* A write that landed unheard is ours at the next tick. */
static void test_answer_lost(void **state)
{
    struct lease_world *world = *state;

    world->fault_method = "POST";
    world->fault_applies = true;
    lease_world_start(world);
    script_run(&world->script, 6);
    script_check(&world->script, "0.000 GET 404 nobody, 0 transitions\n"
                                 "0.000 POST 0 ours, 0 transitions\n"
                                 "5.000 GET 200 ours, 0 transitions\n"
                                 "5.000 PATCH 200 ours, 0 transitions\n5.000 gain\n");
}

/* RULES 13.2: the age counts from when the renewal was sent, so slowness alone fences */
static void test_slow_server(void **state)
{
    static const struct {
        int64_t delay_us;
        bool loses;
    } cases[] = {
        {3300 * US_PER_MS, false},
        {3400 * US_PER_MS, true }
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct lease_world *world;
        void *own;

        lease_world_set_up(&own);
        world = own;
        world->silent = true;
        world->delay_us = cases[i].delay_us;
        lease_world_start(world);
        script_run(&world->script, 60);
        /* A tick takes 2 delays, a renewal is 3 delays old when the next one lands. */
        assert_int_equal(strstr(buffer_text(&world->script.told), "lose") != NULL, cases[i].loses);
        assert_int_equal(world->disordered, 0);
        lease_world_tear_down(&own);
    }
}

/* A stalled process that wakes knows better before it has heard anything. */
static void ask(void *arg)
{
    struct lease_world *world = arg;

    script_tell(&world->script, "leads: %d", lease_world_leads(world));
}

static void test_paused_process(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    script_run(&world->script, 1);
    buffer_clear(&world->script.told);
    assert_non_null(runtime_after(world->script.rt, US_PER_SECOND, ask, world));
    sim_process_pause(world->script.ctl);
    script_run(&world->script, 30);
    assert_false(lease_world_leads(world));
    sim_process_resume(world->script.ctl);
    script_run(&world->script, 31);
    script_check(&world->script, "30.000 leads: 0\n30.000 lose\n"
                                 "30.000 GET 200 ours, 0 transitions\n"
                                 "30.000 PATCH 200 ours, 0 transitions\n30.000 gain\n");
}

/* A good answer that was left lying too long makes no leader. */
static void test_paused_while_writing(void **state)
{
    struct lease_world *world = *state;

    world->delay_us = US_PER_SECOND;
    lease_world_start(world);
    script_run(&world->script, 1.5);
    buffer_clear(&world->script.told);
    sim_process_pause(world->script.ctl);
    script_run(&world->script, 30);
    sim_process_resume(world->script.ctl);
    script_run(&world->script, 33);
    script_check(&world->script, "30.000 GET 200 ours, 0 transitions\n"
                                 "31.000 PATCH 200 ours, 0 transitions\n32.000 gain\n");
}

/* Both sides of 10 s, the tick being silent. */
static void test_age_to_the_microsecond(void **state)
{
    struct lease_world *world = *state;
    int64_t zero_us;

    zero_us = sim_process_elapsed_us(world->script.ctl);
    lease_world_start(world);
    script_run(&world->script, 1);
    assert_true(election_is_leader(world->election, zero_us + 10 * US_PER_SECOND));
    assert_false(election_is_leader(world->election, zero_us + 10 * US_PER_SECOND + 1));
}

/* RULES 13.4: our renewTime strictly increases whatever the wall clock does */
static void test_wall_clock_steps(void **state)
{
    struct lease_world *world = *state;

    lease_world_start(world);
    for (int i = 1; i <= 40; i++) {
        script_run(&world->script, 5.0 * i + 1);
        sim_process_step_clock(world->script.ctl, (i % 2 == 0 ? 1 : -2) * US_PER_HOUR);
    }
    assert_true(lease_world_leads(world));
    assert_int_equal(world->writes, 41);
    assert_int_equal(world->disordered, 0);
}

#define TEST(function)                                                                             \
    cmocka_unit_test_setup_teardown(function, lease_world_set_up, lease_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create_and_renew),
        TEST(test_identity),
        cmocka_unit_test(test_answer_shows_no_write),
        TEST(test_renewal_not_shown),
        TEST(test_answer_lost),
        cmocka_unit_test(test_slow_server),
        TEST(test_paused_process),
        TEST(test_paused_while_writing),
        TEST(test_age_to_the_microsecond),
        TEST(test_wall_clock_steps),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
