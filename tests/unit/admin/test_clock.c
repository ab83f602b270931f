/* Time that is stopped and moved on, in front of the simulated runtime. */
#include "fakeapi/admin/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"
#include "scenarios/sim/sim.h"

#define START_US (INT64_C(1700000000) * US_PER_SECOND)

struct world {
    struct sim *sim;
    struct clock *clock;
    struct runtime *rt; /* the clock's */
    char story[512];    /* what happened, and when by the clock's elapsed time, in seconds */
    int64_t began_us;
    struct timer *timer;
};

/* A timer with a name. */
struct alarm {
    struct world *world;
    const char *name;
    int64_t again_us; /* makes another one of this delay when it fires; 0: none */
    const char *then;
};

static void setup(struct world *world)
{
    struct sim_options options = {.seed = 1, .start_wall_us = START_US};
    struct sim_process_options process = {.name = "p"};

    memset(world, 0, sizeof(*world));
    world->sim = sim_new(&options);
    sim_process_start(sim_process_new(world->sim, &process));
    assert_true(sim_run_until(world->sim, 0));
    world->clock = clock_new(sim_process_runtime(sim_process_find(world->sim, "p")));
    world->rt = clock_runtime(world->clock);
    world->began_us = runtime_elapsed_us(world->rt);
}

static void teardown(struct world *world)
{
    clock_free(world->clock);
    sim_free(world->sim);
}

static int64_t now_seconds(const struct world *world)
{
    return (runtime_elapsed_us(world->rt) - world->began_us) / US_PER_SECOND;
}

static void say(struct world *world, const char *what)
{
    size_t used = strlen(world->story);

    snprintf(world->story + used, sizeof(world->story) - used, "%s%s@%d", used == 0 ? "" : " ",
             what, (int)now_seconds(world));
}

static void on_alarm(void *arg)
{
    struct alarm *alarm = arg;

    say(alarm->world, alarm->name);
    if (alarm->then == NULL)
        return;
    alarm->name = alarm->then;
    alarm->then = NULL;
    (void)runtime_after(alarm->world->rt, alarm->again_us, on_alarm, alarm);
}

static void on_done(void *arg)
{
    say(arg, "done");
}

static void wait_seconds(struct world *world, int64_t seconds)
{
    assert_true(sim_run_until(world->sim, sim_now_us(world->sim) + seconds * US_PER_SECOND));
}

static void test_runs_like_the_real_one(void **state)
{
    struct world world;
    struct alarm a = {&world, "a", 0, NULL};

    (void)state;
    setup(&world);
    (void)runtime_after(world.rt, 2 * US_PER_SECOND, on_alarm, &a);
    wait_seconds(&world, 1);
    assert_string_equal(world.story, "");
    wait_seconds(&world, 1);
    assert_string_equal(world.story, "a@2");
    assert_int_equal(runtime_wall_us(world.rt), START_US + 2 * US_PER_SECOND);
    assert_int_equal(clock_offset_us(world.clock), 0);
    teardown(&world);
}

/* Nothing with a delay fires, what has none does; started, the rest comes as much later. */
static void test_stopped(void **state)
{
    struct world world;
    struct alarm early = {&world, "early", 0, NULL};
    struct alarm late = {&world, "late", 0, NULL};
    struct alarm now = {&world, "now", 0, NULL};

    (void)state;
    setup(&world);
    (void)runtime_after(world.rt, 3 * US_PER_SECOND, on_alarm, &late);
    (void)runtime_after(world.rt, 2 * US_PER_SECOND, on_alarm, &early);
    wait_seconds(&world, 1);
    clock_stop(world.clock);
    clock_stop(world.clock);
    assert_true(clock_is_stopped(world.clock));
    (void)runtime_after(world.rt, 0, on_alarm, &now);
    wait_seconds(&world, 10);
    assert_string_equal(world.story, "now@1");
    assert_int_equal(runtime_wall_us(world.rt), START_US + US_PER_SECOND);
    assert_int_equal(clock_offset_us(world.clock), -10 * US_PER_SECOND);
    clock_start(world.clock);
    wait_seconds(&world, 1);
    assert_string_equal(world.story, "now@1 early@2");
    wait_seconds(&world, 1);
    assert_string_equal(world.story, "now@1 early@2 late@3");
    teardown(&world);
}

/* Every timer fires at its own instant, also those that are made on the way. */
static void test_advance(void **state)
{
    struct world world;
    struct alarm early = {&world, "early", 4 * US_PER_SECOND, "child"};
    struct alarm late = {&world, "late", 0, NULL};
    struct alarm next = {&world, "next", 0, NULL};

    (void)state;
    setup(&world);
    (void)runtime_after(world.rt, 61 * US_PER_SECOND, on_alarm, &next);
    (void)runtime_after(world.rt, 60 * US_PER_SECOND, on_alarm, &late);
    (void)runtime_after(world.rt, 2 * US_PER_SECOND, on_alarm, &early);
    assert_true(clock_advance(world.clock, 60 * US_PER_SECOND, on_done, &world, NULL));
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "early@2 child@6 late@60 done@60");
    assert_false(clock_is_stopped(world.clock));
    assert_int_equal(runtime_wall_us(world.rt), START_US + 60 * US_PER_SECOND);
    wait_seconds(&world, 1);
    assert_string_equal(world.story, "early@2 child@6 late@60 done@60 next@61");
    teardown(&world);
}

/* Timers of one instant fire in the order they were made, before, while and after it stood. */
static void test_order(void **state)
{
    struct world world;
    struct alarm alarms[4] = {
        {&world, "a", 0, NULL},
        {&world, "b", 0, NULL},
        {&world, "c", 0, NULL},
        {&world, "d", 0, NULL}
    };

    (void)state;
    setup(&world);
    for (size_t i = 0; i < 2; i++)
        (void)runtime_after(world.rt, 5 * US_PER_SECOND, on_alarm, &alarms[i]);
    clock_stop(world.clock);
    (void)runtime_after(world.rt, 5 * US_PER_SECOND, on_alarm, &alarms[2]);
    clock_start(world.clock);
    (void)runtime_after(world.rt, 5 * US_PER_SECOND, on_alarm, &alarms[3]);
    clock_stop(world.clock);
    assert_true(clock_advance(world.clock, 5 * US_PER_SECOND, NULL, NULL, NULL));
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "a@5 b@5 c@5 d@5");
    assert_true(clock_is_stopped(world.clock)); /* as it was before */
    teardown(&world);
}

static void cancel_other(void *arg)
{
    struct world *world = arg;

    say(world, "cancel");
    timer_cancel(world->timer);
}

static void test_cancel(void **state)
{
    struct world world;
    struct alarm never = {&world, "never", 0, NULL};

    (void)state;
    setup(&world);
    timer_cancel(runtime_after(world.rt, US_PER_SECOND, on_alarm, &never));
    clock_stop(world.clock);
    timer_cancel(runtime_after(world.rt, 0, on_alarm, &never));
    timer_cancel(runtime_after(world.rt, US_PER_SECOND, on_alarm, &never));
    (void)runtime_after(world.rt, US_PER_SECOND, cancel_other, &world);
    world.timer = runtime_after(world.rt, US_PER_SECOND, on_alarm, &never);
    assert_true(clock_advance(world.clock, US_PER_MINUTE, on_done, &world, NULL));
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "cancel@1 done@60");
    (void)runtime_after(world.rt, US_PER_SECOND, on_alarm, &never); /* freed with the clock */
    teardown(&world);
}

static void test_limits(void **state)
{
    struct world world;
    struct error err = ERROR_INIT;

    (void)state;
    setup(&world);
    assert_false(clock_advance(world.clock, -1, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_false(clock_advance(world.clock, CLOCK_ADVANCE_US_MAX + 1, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_INVALID);
    assert_true(clock_advance(world.clock, CLOCK_ADVANCE_US_MAX, on_done, &world, &err));
    assert_false(clock_advance(world.clock, 0, NULL, NULL, &err));
    assert_int_equal(err.kind, ERROR_CONFLICT);
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "done@2678400");
    teardown(&world);
}

/* Who is gone is not called; a reset ends a move, and time is that of the machine again. */
static void test_forget_and_reset(void **state)
{
    struct world world;
    struct alarm a = {&world, "a", 0, NULL};

    (void)state;
    setup(&world);
    assert_true(clock_advance(world.clock, US_PER_MINUTE, on_done, &world, NULL));
    clock_forget(world.clock, &world);
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "");
    (void)runtime_after(world.rt, US_PER_HOUR, on_alarm, &a);
    assert_true(clock_advance(world.clock, US_PER_HOUR, on_done, &world, NULL));
    clock_reset(world.clock);
    wait_seconds(&world, 0);
    assert_string_equal(world.story, "done@60");
    assert_int_equal(runtime_wall_us(world.rt), START_US);
    clock_stop(world.clock);
    clock_reset(world.clock);
    assert_false(clock_is_stopped(world.clock));
    teardown(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs_like_the_real_one),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_advance),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_forget_and_reset),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
