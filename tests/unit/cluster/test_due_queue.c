#include "fakeapi/cluster/due_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "scenarios/sim/sim.h"

struct world {
    struct sim *sim;
    struct runtime *rt;
    struct due_queue *queue;
    char done[1024];   /* "key@milliseconds " for each */
    const char *again; /* added once more when it is worked on */
};

static void work(void *arg, const char *key)
{
    struct world *world = arg;
    size_t used = strlen(world->done);

    snprintf(world->done + used, sizeof(world->done) - used, "%s@%lld ", key,
             (long long)(sim_now_us(world->sim) / 1000));
    if (world->again != NULL && strcmp(world->again, key) == 0) {
        world->again = NULL;
        due_queue_add(world->queue, key, 5000);
    }
}

static int set_up(void **state)
{
    const struct sim_options options = {.seed = 1};
    const struct sim_process_options process = {.name = "p"};
    struct world *world = xcalloc(1, sizeof(*world));
    struct sim_process *p;

    world->sim = sim_new(&options);
    p = sim_process_new(world->sim, &process);
    sim_process_start(p);
    sim_run_until(world->sim, 0);
    world->rt = sim_process_runtime(p);
    world->queue = due_queue_new(world->rt, work, world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    due_queue_free(world->queue);
    sim_free(world->sim);
    free(world);
    return 0;
}

static void test_order(void **state)
{
    struct world *world = *state;

    due_queue_add(world->queue, "late", 3000);
    due_queue_add(world->queue, "b", 1000);
    due_queue_add(world->queue, "a", 1000);
    due_queue_add(world->queue, "now", -5);
    sim_run_until(world->sim, 10000);
    assert_string_equal(world->done, "now@0 b@1 a@1 late@3 ");
    assert_int_equal(due_queue_count(world->queue), 0);
}

static void test_earlier_wins(void **state)
{
    struct world *world = *state;

    due_queue_add(world->queue, "a", 5000);
    due_queue_add(world->queue, "a", 2000);
    due_queue_add(world->queue, "a", 9000);
    sim_run_until(world->sim, 20000);
    assert_string_equal(world->done, "a@2 ");
}

static void test_again(void **state)
{
    struct world *world = *state;

    world->again = "a";
    due_queue_add(world->queue, "a", 1000);
    sim_run_until(world->sim, 20000);
    assert_string_equal(world->done, "a@1 a@6 ");
}

static void test_remove(void **state)
{
    struct world *world = *state;

    due_queue_add(world->queue, "a", 1000);
    due_queue_add(world->queue, "b", 2000);
    due_queue_remove(world->queue, "a");
    due_queue_remove(world->queue, "unknown");
    sim_run_until(world->sim, 5000);
    assert_string_equal(world->done, "b@2 ");
    due_queue_add(world->queue, "c", 1000);
    due_queue_clear(world->queue);
    sim_run_until(world->sim, 50000);
    assert_string_equal(world->done, "b@2 ");
}

/* Many, in an order of their own: each comes when it is due. */
static void test_many(void **state)
{
    struct world *world = *state;
    char want[1024] = "";
    char key[16];

    for (int i = 0; i < 64; i++) {
        snprintf(key, sizeof(key), "k%d", i * 37 % 64);
        due_queue_add(world->queue, key, (i * 37 % 64) * 1000);
    }
    for (int i = 0; i < 64; i += 3) {
        snprintf(key, sizeof(key), "k%d", i);
        due_queue_remove(world->queue, key);
    }
    for (int i = 0; i < 64; i++)
        if (i % 3 != 0)
            snprintf(want + strlen(want), sizeof(want) - strlen(want), "k%d@%d ", i, i);
    sim_run_until(world->sim, 100000);
    assert_string_equal(world->done, want);
}

/* "key@delay " for each, the delay as at the start. */
static void list(void *arg, const char *key, int64_t due_elapsed_us)
{
    struct world *world = arg;
    size_t used = strlen(world->done);

    snprintf(world->done + used, sizeof(world->done) - used, "%s@%lld ", key,
             (long long)(due_elapsed_us - runtime_elapsed_us(world->rt)));
}

/* In the order in which they come, and they stay. */
static void test_each(void **state)
{
    struct world *world = *state;

    due_queue_each(world->queue, list, world);
    assert_string_equal(world->done, "");
    due_queue_add(world->queue, "late", 3000);
    due_queue_add(world->queue, "b", 1000);
    due_queue_add(world->queue, "a", 1000);
    due_queue_add(world->queue, "late", 2000);
    due_queue_each(world->queue, list, world);
    assert_string_equal(world->done, "b@1000 a@1000 late@2000 ");
    assert_int_equal(due_queue_count(world->queue), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_earlier_wins, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_remove, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_many, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_each, set_up, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
