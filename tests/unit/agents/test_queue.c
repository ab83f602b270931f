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
    bool marked = false;
    const char *got = work_queue_take(queue, &marked);

    if (want == NULL) {
        assert_null(got);
        return;
    }
    assert_non_null(got);
    assert_string_equal(got, want);
    assert_int_equal(marked, want_marked);
}

static void test_order_and_bound(void **state)
{
    struct work_queue *queue = work_queue_new(2);

    (void)state;
    work_queue_add(queue, "a");
    work_queue_add(queue, "b");
    work_queue_add(queue, "a"); /* collapses, keeps its place */
    work_queue_add(queue, "c");
    take(queue, "a", false);
    take(queue, "b", false);
    take(queue, NULL, false); /* the bound */
    work_queue_done(queue, "a");
    take(queue, "c", false);
    work_queue_done(queue, "b");
    work_queue_done(queue, "c");
    take(queue, NULL, false);
    work_queue_free(queue);
}

static void test_again_while_in_flight(void **state)
{
    struct work_queue *queue = work_queue_new(2);

    (void)state;
    work_queue_add(queue, "a");
    take(queue, "a", false);
    work_queue_add(queue, "a");
    work_queue_add(queue, "a");
    take(queue, NULL, false); /* in flight at most once */
    work_queue_done(queue, "a");
    take(queue, "a", false);
    work_queue_done(queue, "a");
    take(queue, NULL, false);
    work_queue_free(queue);
}

static void test_pass(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    work_queue_add(queue, "late");
    work_queue_add(queue, "other");
    work_queue_add_marked(queue, "first");
    work_queue_add_marked(queue, "late"); /* moves to its place in the pass */
    work_queue_add_marked(queue, "late");
    assert_int_equal(work_queue_marked(queue), 2);
    take(queue, "other", false);
    work_queue_add_marked(queue, "other"); /* in flight: comes again, marked */
    assert_int_equal(work_queue_marked(queue), 2);
    work_queue_done(queue, "other");
    assert_int_equal(work_queue_marked(queue), 3);
    take(queue, "first", true);
    work_queue_failed(queue, "first", 0, 0);
    assert_int_equal(work_queue_marked(queue), 2);
    work_queue_forget(queue, "late");
    assert_int_equal(work_queue_marked(queue), 1);
    take(queue, "other", true);
    work_queue_done(queue, "other");
    assert_int_equal(work_queue_marked(queue), 0);
    work_queue_free(queue);
}

static void test_backoff(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    work_queue_add(queue, "a");
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 1000, 0), 1);
    assert_int_equal(work_queue_wake_us(queue), 1000 + 2 * US_PER_SECOND); /* 4.1: 2 s at least */
    take(queue, NULL, false);
    work_queue_ripen(queue, 1000 + 2 * US_PER_SECOND - 1);
    take(queue, NULL, false);
    work_queue_ripen(queue, 1000 + 2 * US_PER_SECOND);
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0), 2);
    work_queue_add(queue, "a"); /* news do not wait for a backoff */
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    take(queue, "a", false);
    work_queue_done(queue, "a"); /* a good end forgets the failures */
    work_queue_add(queue, "a");
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0), 1);
    work_queue_forget(queue, "a"); /* M08: a namesake inherits none */
    assert_true(work_queue_wake_us(queue) == INT64_MAX);
    work_queue_add(queue, "a");
    take(queue, "a", false);
    assert_int_equal(work_queue_failed(queue, "a", 0, 0), 1);
    work_queue_free(queue);
}

static void test_failed_while_wanted(void **state)
{
    struct work_queue *queue = work_queue_new(1);

    (void)state;
    work_queue_add(queue, "a");
    take(queue, "a", false);
    work_queue_add(queue, "a");
    work_queue_failed(queue, "a", 0, 0);
    take(queue, "a", false); /* something new: no backoff */
    work_queue_forget(queue, "a");
    work_queue_done(queue, "a");
    take(queue, NULL, false);
    work_queue_add(queue, "b");
    work_queue_clear(queue);
    take(queue, NULL, false);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
