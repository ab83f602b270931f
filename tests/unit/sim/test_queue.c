#include "scenarios/sim/queue.h"

#include "controller/base/prng.h"
#include "tests/unit/sim/fixture.h"

#define COUNT 2000

static void ignore(void *owner)
{
    (void)owner;
}

/* Against a plain sort: many at random times, a third of them taken out again, some moved. */
static void test_order(void **state)
{
    struct event *events = xcalloc(COUNT, sizeof(*events));
    int64_t *times = xcalloc(COUNT, sizeof(*times));
    struct queue queue = {0};
    struct prng prng;
    int64_t last_us = -1;
    size_t taken = 0;
    size_t expected = 0;

    (void)state;
    prng_seed(&prng, 5);
    for (size_t i = 0; i < COUNT; i++) {
        times[i] = (int64_t)prng_below(&prng, 500);
        events[i] = (struct event){.run = ignore, .owner = &times[i]};
        queue_put(&queue, &events[i], times[i]);
    }
    for (size_t i = 0; i < COUNT; i++) {
        if (i % 3 == 0)
            queue_remove(&queue, &events[i]);
        else
            expected++;
        if (i % 3 == 1) {
            times[i] = (int64_t)prng_below(&prng, 500);
            queue_put(&queue, &events[i], times[i]);
        }
    }
    while (queue.count > 0) {
        struct event *event = queue_take(&queue);

        assert_false(event_is_waiting(event));
        assert_true(*(int64_t *)event->owner >= last_us);
        last_us = *(int64_t *)event->owner;
        taken++;
    }
    assert_int_equal(taken, expected);
    assert_int_equal(queue_next_us(&queue), INT64_MAX);
    queue_free(&queue);
    free(events);
    free(times);
}

static void test_ties_by_number(void **state)
{
    struct event events[100];
    struct queue queue = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        events[i] = (struct event){.run = ignore};
        queue_put(&queue, &events[i], 3);
    }
    queue_put(&queue, &events[0], 3); /* moved: now the last */
    for (size_t i = 1; i < ARRAY_SIZE(events); i++)
        assert_ptr_equal(queue_take(&queue), &events[i]);
    assert_ptr_equal(queue_take(&queue), &events[0]);
    queue_free(&queue);
}

static void test_held_events(void **state)
{
    struct event events[3];
    struct event *held = NULL;
    struct queue queue = {0};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
        events[i] = (struct event){.run = ignore};
        queue_put(&queue, &events[i], (int64_t)i);
    }
    for (size_t i = 0; i < ARRAY_SIZE(events); i++)
        event_hold(&held, queue_take(&queue));
    assert_true(event_is_waiting(&events[1]));
    queue_remove(&queue, &events[1]);
    assert_false(event_is_waiting(&events[1]));
    queue_release(&queue, &held, 9);
    assert_null(held);
    assert_ptr_equal(queue_take(&queue), &events[0]);
    assert_ptr_equal(queue_take(&queue), &events[2]);
    queue_free(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_ties_by_number),
        cmocka_unit_test(test_held_events),
    };

    return cmocka_run_group_tests_name("sim/queue", tests, NULL, NULL);
}
