/* Delivery over the simulated network: a sink that behaves as each row says. */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/sinks/envelope.h"
#include "tests/unit/sinks/delivery_world.h"

/* --- one sink, and what it does --- */

static const struct row {
    const char *name;
    enum deed deed;
    unsigned status;
    const char *location;
    bool delivered;   /* the first event; the second one always arrives as well */
    int64_t until_us; /* by when both are done */
    const char *logged;
} rows[] = {
    {"200",                          ANSWER,  200, NULL,       true,  US_PER_SECOND,      NULL               },
    {"204",                          ANSWER,  204, NULL,       true,  US_PER_SECOND,      NULL               },
    {"500 is not sent again",        ANSWER,  500, NULL,       false, US_PER_SECOND,      "status=500"       },
    {"301 is not followed",          ANSWER,  301, "http://b", false, US_PER_SECOND,      "status=301"       },
    {"307 is not followed",          ANSWER,  307, "http://b", false, US_PER_SECOND,      "status=307"       },
    {"429 is not sent again",        ANSWER,  429, NULL,       false, US_PER_SECOND,      "status=429"       },
    {"reset once it has the event",  RESET,   200, NULL,       false, US_PER_SECOND,      "end=reset"        },
    {"answers late",                 LATE,    200, NULL,       true,  6 * US_PER_SECOND,  NULL               },
    {"never answers",                SILENCE, 200, NULL,       false, 16 * US_PER_SECOND, "end=\"timed out\""},
    {"answer hangs behind its head", HANG,    200, NULL,       true,  16 * US_PER_SECOND, NULL               },
    {"huge answer",                  FLOOD,   200, NULL,       true,  US_PER_SECOND,      NULL               },
    {"huge answer of a failure",     FLOOD,   502, NULL,       false, US_PER_SECOND,      "status=502"       },
};

static void mend(void *arg)
{
    struct sink *sink = arg;

    sink->deed = ANSWER;
    sink->status = 200;
}

static void test_sinks(void **state)
{
    struct delivery_world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct row *row = &rows[i];
        struct delivery_counts counts;

        world->a.deed = row->deed;
        world->a.status = row->status;
        world->a.location = row->location;
        delivery_world_send(world, "http://a/x?SECRET", "1");
        delivery_world_run(world, sim_now_us(world->sim) + US_PER_MS * 100);
        mend(&world->a); /* before it gets the second */
        delivery_world_send(world, "http://a/x?SECRET", "2");
        delivery_world_run(world, sim_now_us(world->sim) + row->until_us);
        counts = delivery_counts(world->delivery);
        if (strcmp(buffer_text(&world->told), "a:1|a:2|") != 0 ||
            counts.delivered != 1 + (uint64_t)row->delivered || counts.dropped != 0)
            fail_msg("%s: got %s and %" PRIu64 " delivered", row->name, buffer_text(&world->told),
                     counts.delivered);
        if (row->logged == NULL ? world->logged.size != 0
                                : !delivery_world_has_logged(world, row->logged))
            fail_msg("%s: logged %s", row->name, buffer_text(&world->logged));
        assert_null(strstr(buffer_text(&world->logged), "SECRET"));
        assert_int_equal(delivery_waiting(world->delivery), 0);
        delivery_world_tear_down(state);
        delivery_world_set_up(state);
        world = *state;
    }
}

/* --- again, only where nothing was written --- */

static void test_refused_is_sent_again(void **state)
{
    struct delivery_world *world = *state;

    sink_close(&world->a);
    delivery_world_send(world, "http://a", "1");
    delivery_world_run(world, 100 * US_PER_MS);
    sink_listen(&world->a);
    delivery_world_run(world, 190 * US_PER_MS);
    delivery_world_check(world, "", 0, 0, 0);
    delivery_world_run(world, 300 * US_PER_MS); /* base: 200 ms after it was refused */
    delivery_world_check(world, "a:1|", 1, 0, 0);
    assert_int_equal(delivery_world_log_count(world), 0);
}

static void test_attempts_end(void **state)
{
    struct delivery_world *world = *state;

    sink_close(&world->a);
    delivery_world_send(world, "http://a", "1");
    delivery_world_run(world, 590 * US_PER_MS);
    assert_int_equal(delivery_waiting(world->delivery), 1);
    delivery_world_run(world, 700 * US_PER_MS); /* 200 and 400 ms later it was refused again */
    delivery_world_check(world, "", 0, 1, 0);
    assert_true(delivery_world_has_logged(
        world, "event not delivered agent=run-1 sink=http://a:80 attempts=3 "
               "status=0 end=refused"));
    sink_listen(&world->a);
    delivery_world_send(world, "http://a", "2");
    delivery_world_run(world, 2 * US_PER_SECOND);
    delivery_world_check(world, "a:2|", 1, 1, 0);
}

static void break_behind(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    (void)request;
    *fault = *(const struct sim_fault *)arg;
}

/* Whatever part of the request went out. */
static void test_broken_ways(void **state)
{
    static const struct {
        const char *name;
        struct sim_fault fault;
        const char *told;
    } faults[] = {
        {"reset before it was seen", {SIM_FAULT_RESET, 0, 0},         ""        },
        {"lost on the way",          {SIM_FAULT_LOSE, 0, 0},          ""        },
        {"reset behind its head",    {SIM_FAULT_RESET_REQUEST, 0, 0}, ""        },
        {"reset within its body",    {SIM_FAULT_RESET_REQUEST, 0, 3}, ""        },
        {"answer lost",              {SIM_FAULT_LOSE_ANSWER, 0, 0},   "a:event|"},
        {"reset instead of answer",  {SIM_FAULT_RESET_ANSWER, 0, 0},  "a:event|"},
    };
    struct delivery_world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct sim_fault fault = faults[i].fault;
        struct delivery_counts counts;

        sim_set_network_fault(world->sim, break_behind, &fault);
        delivery_world_send(world, "http://a", "event");
        delivery_world_run(world, US_PER_MINUTE);
        counts = delivery_counts(world->delivery);
        if (strcmp(buffer_text(&world->told), faults[i].told) != 0 || counts.failed != 1)
            fail_msg("%s: got %s", faults[i].name, buffer_text(&world->told));
        assert_true(delivery_world_has_logged(world, "attempts=1"));
        delivery_world_tear_down(state);
        delivery_world_set_up(state);
        world = *state;
    }
}

/* The answer's head decides, whatever comes of its body. */
static void test_answer_breaks_off(void **state)
{
    struct sim_fault fault = {SIM_FAULT_RESET_RESPONSE, 0, 1};
    struct delivery_world *world = *state;

    sim_set_network_fault(world->sim, break_behind, &fault);
    delivery_world_send(world, "http://a", "1");
    delivery_world_run(world, US_PER_SECOND);
    delivery_world_check(world, "a:1|", 1, 0, 0);
}

static void test_flapping(void **state)
{
    struct delivery_world *world = *state;
    char text[2] = "0";

    for (int i = 0; i < 5; i++) {
        sink_close(&world->a);
        text[0]++;
        delivery_world_send(world, "http://a", text);
        delivery_world_run(world, sim_now_us(world->sim) + 50 * US_PER_MS);
        sink_listen(&world->a);
        delivery_world_run(world, sim_now_us(world->sim) + US_PER_SECOND);
    }
    delivery_world_check(world, "a:1|a:2|a:3|a:4|a:5|", 5, 0, 0);
}

/* --- order, and connections --- */

static void test_order_is_kept(void **state)
{
    struct delivery_world *world = *state;
    struct buffer want = BUFFER_INIT(TOLD_BYTES_MAX);

    sink_close(&world->a);
    for (int i = 0; i < 200; i++) {
        char *text = xprintf("%d", i);

        delivery_world_send(world, "http://a", text);
        buffer_append_format(&want, "a:%d|", i);
        free(text);
    }
    delivery_world_run(world, 50 * US_PER_MS);
    sink_listen(&world->a);
    delivery_world_run(world, US_PER_MINUTE);
    delivery_world_check(world, buffer_text(&want), 200, 0, 0);
    buffer_release(&want);
}

static void test_sinks_do_not_wait_for_each_other(void **state)
{
    struct delivery_world *world = *state;

    world->a.deed = SILENCE;
    delivery_world_send(world, "http://a", "1");
    delivery_world_send(world, "http://nobody", "2");
    delivery_world_send(world, "http://b", "3");
    delivery_world_run(world, US_PER_SECOND);
    assert_non_null(strstr(buffer_text(&world->told), "a:1|"));
    assert_non_null(strstr(buffer_text(&world->told), "b:3|"));
    assert_int_equal(delivery_counts(world->delivery).delivered, 1);
    assert_int_equal(delivery_counts(world->delivery).failed, 1);
    assert_int_equal(delivery_waiting(world->delivery), 1);
}

static void test_connections_are_not_shared(void **state)
{
    struct delivery_world *world = *state;

    delivery_world_send(world, "http://a", "1");
    delivery_world_send(world, "http://a", "2");
    delivery_world_run(world, US_PER_SECOND);
    delivery_world_check(world, "a:1|a:2|", 2, 0, 0);
    assert_string_equal(world->a.peers, "ctl:40000|ctl:40001|");
}

/* --- bounds --- */

static void test_count_limit(void **state)
{
    struct delivery_world *world = *state;
    struct buffer want = BUFFER_INIT(TOLD_BYTES_MAX);

    world->a.deed = LATE;
    for (int i = 0; i < DELIVERY_QUEUE_EVENTS_MAX + 2; i++) {
        char *text = xprintf("%d", i);

        delivery_world_send(world, "http://a", text);
        if (i == 0 || i > 2) /* the first is under way, the next two are the oldest */
            buffer_append_format(&want, "a:%d|", i);
        free(text);
    }
    assert_int_equal(delivery_waiting(world->delivery), DELIVERY_QUEUE_EVENTS_MAX);
    mend(&world->a);
    delivery_world_run(world, US_PER_MINUTE);
    delivery_world_check(world, buffer_text(&want), DELIVERY_QUEUE_EVENTS_MAX, 0, 2);
    assert_true(delivery_world_has_logged(
        world, "event for a sink dropped cause=\"too many wait for this sink\" "
               "sink=http://a:80 dropped=1"));
    assert_int_equal(delivery_world_log_count(world), 1);
    buffer_release(&want);
}

static void test_drops_are_logged_by_powers_of_ten(void **state)
{
    struct delivery_world *world = *state;

    world->a.deed = SILENCE;
    for (int i = 0; i < DELIVERY_QUEUE_EVENTS_MAX + 1000; i++)
        delivery_world_send(world, "http://a", "x");
    assert_int_equal(delivery_counts(world->delivery).dropped, 1000);
    assert_int_equal(delivery_world_log_count(world), 4);
    assert_true(delivery_world_has_logged(world, "dropped=1000"));
}

static void test_size_limit(void **state)
{
    struct delivery_world *world = *state;
    char *large = xcalloc(ENVELOPE_BYTES_MAX, 1);

    memset(large, 'x', ENVELOPE_BYTES_MAX);
    world->a.deed = LATE;
    delivery_world_send(world, "http://a", "1");
    delivery_world_send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    delivery_world_send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    delivery_world_send(world, "http://a", "2");
    delivery_world_send(world, "http://a", "3");
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    delivery_world_send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 1); /* the older large one */
    mend(&world->a);
    delivery_world_run(world, US_PER_MINUTE);
    delivery_world_check(world, "a:1|a:4194304 bytes|a:2|a:3|a:4194304 bytes|", 5, 0, 1);
    free(large);
}

/* One sink's flood does not take the room of another's. */
static void test_limit_of_all(void **state)
{
    struct delivery_world *world = *state;
    char *large = xcalloc(ENVELOPE_BYTES_MAX, 1);

    memset(large, 'x', ENVELOPE_BYTES_MAX);
    world->a.deed = LATE;
    world->b.deed = LATE;
    delivery_world_send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    delivery_world_send_bytes(world, "http://a", large, ENVELOPE_BYTES_MAX);
    delivery_world_send_bytes(world, "http://b", large, ENVELOPE_BYTES_MAX);
    assert_int_equal(delivery_counts(world->delivery).dropped, 0);
    delivery_world_send_bytes(world, "http://b/2", large, ENVELOPE_BYTES_MAX); /* a's second goes */
    assert_int_equal(delivery_counts(world->delivery).dropped, 1);
    delivery_world_send_bytes(world, "http://b/3", large,
                              ENVELOPE_BYTES_MAX); /* all others are under way */
    assert_int_equal(delivery_counts(world->delivery).dropped, 2);
    assert_true(delivery_world_has_logged(
        world, "cause=\"too much waits for all sinks\" sink=http://a:80"));
    delivery_world_send(world, "http://b/3", "small");
    assert_int_equal(delivery_counts(world->delivery).dropped, 2);
    assert_int_equal(delivery_waiting(world->delivery), 4);
    free(large);
}

static void test_limit_of_sinks(void **state)
{
    struct delivery_world *world = *state;

    world->a.deed = SILENCE;
    for (int i = 0; i <= DELIVERY_SINKS_MAX; i++) {
        char *url = xprintf("http://a/%d", i);

        delivery_world_send(world, url, "x");
        free(url);
    }
    assert_int_equal(delivery_waiting(world->delivery), DELIVERY_SINKS_MAX);
    assert_true(delivery_world_has_logged(
        world, "cause=\"too many sinks at once\" sink=http://a:80 dropped=1"));
    delivery_world_send(world, "http://a/0", "y"); /* one that is there has room */
    assert_int_equal(delivery_counts(world->delivery).dropped, 1);
}

/* --- the end --- */

static void on_stopped(void *arg)
{
    struct delivery_world *world = arg;

    assert_false(world->stopped);
    world->stopped = true;
    world->stopped_us = sim_now_us(world->sim);
    if (world->free_when_stopped) {
        delivery_free(world->delivery);
        world->delivery = NULL;
    }
}

static void test_stop_of_nothing(void **state)
{
    struct delivery_world *world = *state;

    delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
    assert_false(world->stopped); /* never from inside the call */
    delivery_world_run(world, 0);
    assert_true(world->stopped);
    delivery_world_send(world, "http://a", "1");
    delivery_world_run(world, US_PER_SECOND);
    delivery_world_check(world, "", 0, 0, 1);
    assert_true(delivery_world_has_logged(world, "cause=\"the controller stops\""));
}

static void test_stop_lets_events_arrive(void **state)
{
    struct delivery_world *world = *state;

    world->a.deed = LATE;
    delivery_world_send(world, "http://a", "1");
    delivery_world_send(world, "http://a", "2");
    delivery_world_send(world, "http://b", "3");
    delivery_world_run(world, 100 * US_PER_MS);
    delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
    delivery_world_send(world, "http://b", "4");
    delivery_world_run(world, 6 * US_PER_SECOND);
    assert_false(world->stopped);
    delivery_world_run(world, 11 * US_PER_SECOND);
    assert_true(world->stopped);
    delivery_world_check(world, "a:1|b:3|a:2|", 3, 0, 1);
    delivery_world_run(world, 2 * US_PER_MINUTE); /* the limit of time says nothing more */
}

static void test_stop_ends_in_time(void **state)
{
    struct delivery_world *world = *state;

    world->a.deed = SILENCE;
    sink_close(&world->b);
    delivery_world_send(world, "http://a", "1");
    delivery_world_send(world, "http://a", "2");
    delivery_world_send(world, "http://b", "3"); /* waits to be sent again then */
    delivery_world_run(world, 250 * US_PER_MS);
    delivery_stop(world->delivery, 200 * US_PER_MS, on_stopped, world);
    delivery_world_run(world, 449 * US_PER_MS);
    assert_false(world->stopped);
    delivery_world_run(world, 450 * US_PER_MS);
    assert_true(world->stopped);
    delivery_world_check(world, "a:1|", 0, 0, 3);
    assert_int_equal(delivery_waiting(world->delivery), 0);
    delivery_world_run(world, US_PER_MINUTE);
    delivery_world_check(world, "a:1|", 0, 0, 3);
}

static void test_free_when_stopped(void **state)
{
    for (int late = 0; late < 3; late++) {
        struct delivery_world *world = *state;

        world->free_when_stopped = true;
        world->a.deed = late == 2 ? SILENCE : ANSWER;
        if (late > 0)
            delivery_world_send(world, "http://a", "1");
        delivery_stop(world->delivery, US_PER_SECOND, on_stopped, world);
        delivery_world_run(world, US_PER_MINUTE);
        assert_true(world->stopped);
        assert_null(world->delivery);
        delivery_world_tear_down(state);
        delivery_world_set_up(state);
    }
}

static void free_it(void *arg)
{
    struct delivery_world *world = arg;

    delivery_free(world->delivery);
    world->delivery = NULL;
}

/* At any moment: connecting, under way, waiting for the next attempt, stopping. */
static void test_free_in_mid_flight(void **state)
{
    for (int64_t at_us = 0; at_us < 800 * US_PER_MS; at_us += 37 * US_PER_MS / 10) {
        struct delivery_world *world = *state;

        world->a.deed = SILENCE;
        sink_close(&world->b);
        delivery_world_send(world, "http://a", "1");
        delivery_world_send(world, "http://a", "2");
        delivery_world_send(world, "http://b", "3");
        sim_at(world->sim, at_us, free_it, world);
        if (at_us % 2 == 0)
            delivery_stop(world->delivery, US_PER_MINUTE, on_stopped, world);
        delivery_world_run(world, US_PER_MINUTE);
        assert_false(world->stopped);
        assert_null(strstr(buffer_text(&world->told), "a:2"));
        delivery_world_tear_down(state);
        delivery_world_set_up(state);
    }
}

#define TEST(function)                                                                             \
    cmocka_unit_test_setup_teardown(function, delivery_world_set_up, delivery_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_sinks),
        TEST(test_refused_is_sent_again),
        TEST(test_attempts_end),
        TEST(test_broken_ways),
        TEST(test_answer_breaks_off),
        TEST(test_flapping),
        TEST(test_order_is_kept),
        TEST(test_sinks_do_not_wait_for_each_other),
        TEST(test_connections_are_not_shared),
        TEST(test_count_limit),
        TEST(test_drops_are_logged_by_powers_of_ten),
        TEST(test_size_limit),
        TEST(test_limit_of_all),
        TEST(test_limit_of_sinks),
        TEST(test_stop_of_nothing),
        TEST(test_stop_lets_events_arrive),
        TEST(test_stop_ends_in_time),
        TEST(test_free_when_stopped),
        TEST(test_free_in_mid_flight),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
