/* The work queue: order, collapse, bound, backoff, and the keys of a pass. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agents/queue.h"
#include "controller/base/time.h"

static void take(struct work_queue *queue, const char *want, bool want_marked)
{
    struct work_item got;

    if (!work_queue_take(queue, &got)) {
        assert_null(want);
        return;
    }
    assert_non_null(want);
    assert_string_equal(got.key, want);
    assert_int_equal(got.marked, want_marked);
}

static void test_order_and_bound(void **state)
{
    struct work_queue *queue = work_queue_new(2);

    (void)state;
    work_queue_add(queue, "a", 0);
    work_queue_add(queue, "b", 0);
    work_queue_add(queue, "a", 0); /* collapses, keeps its place */
    work_queue_add(queue, "c", 0);
    take(queue, "a", false);
    take(queue, "b", false);
    take(queue, NULL, false); /* the bound */
    work_queue_done(queue, "a", 0);
    take(queue, "c", false);
    work_queue_done(queue, "b", 0);
    work_queue_done(queue, "c", 0);
    take(queue, NULL, false);
    work_queue_free(queue);
}

static void test_again_while_in_flight(void **state)
{
    struct work_queue *queue = work_queue_new(2);

    (void)state;
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    work_queue_add(queue, "a", 0);
    work_queue_add(queue, "a", 0);
    take(queue, NULL, false); /* in flight at most once */
    work_queue_done(queue, "a", 0);
    take(queue, NULL, false); /* it rests first */
    work_queue_ripen(queue, WORK_QUEUE_REST_US);
    take(queue, "a", false);
    work_queue_done(queue, "a", WORK_QUEUE_REST_US);
    take(queue, NULL, false);
    work_queue_free(queue);
}

static void test_pass(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    work_queue_add(queue, "late", 0);
    work_queue_add(queue, "other", 0);
    work_queue_add_marked(queue, "first", 0);
    work_queue_add_marked(queue, "late", 0); /* moves to its place in the pass */
    work_queue_add_marked(queue, "late", 0);
    assert_int_equal(work_queue_marked(queue), 2);
    take(queue, "other", false);
    work_queue_add_marked(queue, "other", 0); /* in flight: comes again, marked */
    assert_int_equal(work_queue_marked(queue), 2);
    work_queue_done(queue, "other", 0);
    assert_int_equal(work_queue_marked(queue), 3);
    take(queue, "first", true);
    work_queue_failed(queue, "first", 0, 0, 0);
    assert_int_equal(work_queue_marked(queue), 2);
    work_queue_forget(queue, "late");
    assert_int_equal(work_queue_marked(queue), 1);
    take(queue, "other", true);
    work_queue_done(queue, "other", 0);
    assert_int_equal(work_queue_marked(queue), 0);
    work_queue_free(queue);
}

static void test_backoff(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 1000, 0, 0), 1);
    assert_int_equal(work_queue_wake_us(queue), 1000 + 2 * US_PER_SECOND); /* 4.1: 2 s at least */
    take(queue, NULL, false);
    work_queue_ripen(queue, 1000 + 2 * US_PER_SECOND - 1);
    take(queue, NULL, false);
    work_queue_ripen(queue, 1000 + 2 * US_PER_SECOND);
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0, 0), 2);
    work_queue_add(queue, "a", 2 * WORK_QUEUE_REST_US); /* news do not wait for a backoff */
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    take(queue, "a", false);
    work_queue_done(queue, "a", 0); /* a good end forgets the failures */
    work_queue_add(queue, "a", WORK_QUEUE_REST_MAX_US);
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0, 0), 1);
    work_queue_forget(queue, "a"); /* M08: a namesake inherits none */
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0, 0), 1);
    work_queue_free(queue);
}

static void test_failed_while_wanted(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    work_queue_add(queue, "a", 0);
    work_queue_failed(queue, "a", 0, 0, 0);
    assert_int_equal(work_queue_wake_us(queue), WORK_QUEUE_REST_US); /* something new: no backoff */
    work_queue_ripen(queue, WORK_QUEUE_REST_US);
    take(queue, "a", false);
    work_queue_forget(queue, "a");
    work_queue_done(queue, "a", 0);
    take(queue, NULL, false);
    work_queue_add(queue, "b", 0);
    work_queue_clear(queue);
    take(queue, NULL, false);
    work_queue_free(queue);
}

/* Keys put aside keep their order, and come before all others once their lane is open. */
static void test_lanes(void **state)
{
    struct work_queue *queue = work_queue_new(9);

    (void)state;
    for (const char *key = "a\0b\0c\0d\0"; *key != '\0'; key += 2)
        work_queue_add_marked(queue, key, 0);
    take(queue, "a", true);
    take(queue, "b", true);
    work_queue_hold(queue, "b", "s");
    assert_true(work_queue_holds(queue, "s"));
    assert_false(work_queue_holds(queue, "t"));
    take(queue, "c", true);
    work_queue_hold(queue, "c", "s");
    assert_int_equal(work_queue_marked(queue), 4); /* those held are not done */
    work_queue_open(queue, "t");                   /* none waits there */
    work_queue_open(queue, "s");
    take(queue, "b", true); /* before all that wait elsewhere */
    take(queue, "c", true);
    work_queue_hold(queue, "c", "s"); /* closed again, and back to its place */
    take(queue, "d", true);
    work_queue_hold(queue, "d", "s");
    work_queue_add(queue, "c", 0); /* keeps its place */
    take(queue, NULL, false);
    work_queue_done(queue, "b", 0);
    work_queue_open(queue, "s");
    take(queue, "c", true);
    take(queue, "d", true);
    assert_false(work_queue_holds(queue, "s"));
    work_queue_done(queue, "c", 0);
    work_queue_hold(queue, "d", "s");
    work_queue_forget(queue, "d");
    assert_false(work_queue_holds(queue, "s"));
    assert_int_equal(work_queue_marked(queue), 1);
    work_queue_free(queue);
}

/* A pass takes up what is held; what yields while it is wanted again is wanted once. */
static void test_lanes_and_passes(void **state)
{
    struct work_queue *queue = work_queue_new(9);
    struct work_item item;

    (void)state;
    work_queue_add(queue, "a", 1);
    take(queue, "a", false);
    work_queue_hold(queue, "a", "s");
    work_queue_add_marked(queue, "a", 2);
    assert_false(work_queue_holds(queue, "s"));
    assert_true(work_queue_take(queue, &item));
    assert_true(item.marked);
    assert_false(item.was_held);
    assert_int_equal(item.since_us, 2);
    work_queue_add_marked(queue, "a", 3);
    work_queue_hold(queue, "a", "s");
    assert_int_equal(work_queue_marked(queue), 1);
    work_queue_open(queue, "s");
    assert_true(work_queue_take(queue, &item));
    assert_true(item.was_held);
    assert_int_equal(item.since_us, 3);
    work_queue_hold(queue, "a", "s");
    work_queue_clear(queue);
    assert_false(work_queue_holds(queue, "s"));
    take(queue, NULL, false);
    work_queue_free(queue);
}

/* 4.1: who is told to wait waits, whatever comes; news bring only others sooner. */
static void test_told_to_wait(void **state)
{
    struct work_queue *queue = work_queue_new(9);

    (void)state;
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    work_queue_add(queue, "a", 0); /* wanted again: that waits too */
    work_queue_failed(queue, "a", 0, 0, 7 * US_PER_SECOND);
    assert_int_equal(work_queue_wake_us(queue), 7 * US_PER_SECOND);
    work_queue_add(queue, "a", 7 * US_PER_SECOND - 1);
    work_queue_add_marked(queue, "a", 7 * US_PER_SECOND - 1);
    assert_int_equal(work_queue_marked(queue), 0); /* no pass waits for it */
    take(queue, NULL, false);
    work_queue_add(queue, "a", 7 * US_PER_SECOND);
    take(queue, "a", false);
    work_queue_failed(queue, "a", 20 * US_PER_SECOND, 0, US_PER_SECOND); /* the longer one */
    assert_int_equal(work_queue_wake_us(queue), 22 * US_PER_SECOND);
    work_queue_add(queue, "a", 21 * US_PER_SECOND);
    take(queue, "a", false);
    work_queue_free(queue);
}

/* How long news wait, each time that they come as soon as they may: at the ends given here. */
static void test_rest(void **state)
{
    static const int64_t rests_s[] = {1, 1, 2, 4, 8, 16, 16};
    struct work_queue *queue = work_queue_new(9);
    int64_t now_us = 0;

    (void)state;
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    for (size_t i = 0; i < sizeof(rests_s) / sizeof(rests_s[0]); i++) {
        work_queue_done(queue, "a", now_us);
        work_queue_add(queue, "a", now_us + 1); /* news while it rests */
        take(queue, NULL, false);
        now_us += rests_s[i] * US_PER_SECOND;
        assert_int_equal(work_queue_wake_us(queue), now_us);
        work_queue_ripen(queue, now_us - 1);
        take(queue, NULL, false);
        work_queue_ripen(queue, now_us);
        take(queue, "a", false);
    }
    work_queue_add_marked(queue, "a", now_us);
    work_queue_done(queue, "a", now_us);
    take(queue, "a", true); /* a pass does not wait */
    now_us += 60 * US_PER_SECOND;
    work_queue_done(queue, "a", now_us); /* that took long: no hurry */
    work_queue_add(queue, "a", now_us);
    assert_int_equal(work_queue_wake_us(queue), now_us + US_PER_SECOND);
    work_queue_free(queue);
}

/* Whoever has rested is forgotten, and a namesake rests like the one before it. */
static void test_rest_and_end(void **state)
{
    struct work_queue *queue = work_queue_new(9);

    (void)state;
    work_queue_add(queue, "a", 0);
    take(queue, "a", false);
    work_queue_done(queue, "a", 0);
    work_queue_forget(queue, "a");
    work_queue_add(queue, "a", 1);
    take(queue, NULL, false);
    assert_int_equal(work_queue_wake_us(queue), WORK_QUEUE_REST_US);
    work_queue_ripen(queue, WORK_QUEUE_REST_US);
    take(queue, "a", false);
    work_queue_done(queue, "a", 10 * WORK_QUEUE_REST_US);
    work_queue_add(queue, "b", 0);
    take(queue, "b", false);
    work_queue_done(queue, "b", 12 * WORK_QUEUE_REST_US); /* a is freed here */
    work_queue_add(queue, "a", 12 * WORK_QUEUE_REST_US);
    take(queue, "a", false);
    work_queue_free(queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_order_and_bound),
        cmocka_unit_test(test_again_while_in_flight),
        cmocka_unit_test(test_pass),
        cmocka_unit_test(test_backoff),
        cmocka_unit_test(test_failed_while_wanted),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_lanes_and_passes),
        cmocka_unit_test(test_told_to_wait),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_rest_and_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
