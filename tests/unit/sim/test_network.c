/* The network: what peers see of each other when all is well, and when it is not. */
#include "tests/unit/sim/fixture.h"

static void test_echo(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", "hello", 5);
    pair_run(&pair, US_PER_SECOND);
    assert_true(asked.ended);
    assert_int_equal(asked.end, EXCHANGE_COMPLETE);
    assert_int_equal(asked.status, 200);
    assert_int_equal(asked.size, 5);
    assert_int_equal(pair.server.finished, 1);
    assert_int_equal(pair.server.undelivered, 0);
    pair_release(&pair);
}

static const struct refusal {
    const char *name;
    const char *url;
    enum exchange_end want;
} refusals[] = {
    {"no such host",                 "http://nobody/",    EXCHANGE_UNRESOLVED},
    {"nobody listens there",         "http://api:81/",    EXCHANGE_REFUSED   },
    {"not a URL",                    "gopher://api/",     EXCHANGE_MALFORMED },
    {"TLS to a plain listener",      "https://api:80/",   EXCHANGE_TLS       },
    {"itself, where nobody listens", "http://127.0.0.1/", EXCHANGE_REFUSED   },
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(refusals); i++) {
        struct pair pair;
        struct asked asked = {0};

        pair_init(&pair, 1);
        ask(&asked, pair.ctl, refusals[i].url, NULL, 0);
        pair_run(&pair, US_PER_SECOND);
        if (!asked.ended || asked.end != refusals[i].want)
            fail_msg("%s: got %s", refusals[i].name, exchange_end_name(asked.end));
        pair_release(&pair);
    }
}

static void test_large_bodies_both_ways(void **state)
{
    size_t size = 3 * SIM_WINDOW_BYTES + 17;
    char *body = xcalloc(size, 1);
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", body, size);
    pair_run(&pair, US_PER_SECOND);
    assert_true(asked.ended);
    assert_int_equal(asked.end, EXCHANGE_COMPLETE);
    assert_int_equal(asked.size, size);
    pair_release(&pair);
    free(body);
}

static void test_small_pieces(void **state)
{
    struct sim_link link = sim_link_default;
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    link.piece_bytes = 1;
    sim_set_default_link(pair.sim, &link);
    ask(&asked, pair.ctl, "http://api/echo", "hello", 5);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.end, EXCHANGE_COMPLETE);
    assert_int_equal(asked.pieces, 5);
    pair_release(&pair);
}

static void test_paused_exchange_stops_pulls(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_left = 10 * SIM_WINDOW_BYTES;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    exchange_pause(asked.exchange);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.status, 200);
    assert_int_equal(asked.size, 0);
    assert_int_equal(pair.server.stream_left, 9 * SIM_WINDOW_BYTES);
    exchange_resume(asked.exchange);
    pair_run(&pair, US_PER_SECOND);
    assert_true(asked.ended);
    assert_int_equal(asked.size, 10 * SIM_WINDOW_BYTES);
    pair_release(&pair);
}

static void test_waiting_source_is_woken(void **state)
{
    struct pair pair;
    struct asked asked = {0};
    unsigned pulls;

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.status, 200);
    pulls = pair.server.pulls;
    pair_run(&pair, US_PER_HOUR);
    assert_int_equal(pair.server.pulls, pulls);
    pair.server.stream_left = 7;
    request_wake(pair.server.streaming);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.size, 7);
    assert_false(asked.ended);
    exchange_cancel(asked.exchange);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(pair.server.undelivered, 1);
    pair_release(&pair);
}

static void test_cancel_in_callbacks(void **state)
{
    (void)state;
    for (int i = 0; i < 3; i++) {
        struct pair pair;
        struct asked asked = {
            .cancel_in_head = i == 0, .cancel_in_body = i == 1, .cancel_in_end = i == 2};

        pair_init(&pair, 1);
        ask(&asked, pair.ctl, "http://api/echo", "hello", 5);
        pair_run(&pair, US_PER_SECOND);
        assert_int_equal(asked.ended, i == 2);
        assert_null(asked.exchange);
        pair_release(&pair);
    }
}

/* --- breaking --- */

static void test_server_crash_resets(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    pair.server.stream_left = 9;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.size, 9);
    sim_process_crash(pair.api);
    pair_run(&pair, US_PER_SECOND);
    assert_true(asked.ended);
    assert_int_equal(asked.end, EXCHANGE_RESET);
    pair_release(&pair);
}

static void test_power_loss_is_silent(void **state)
{
    struct pair pair;
    struct asked asked = {0};
    struct asked later = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    pair.server.stream_left = 9;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_process_power_off(pair.api);
    ask(&later, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, 11 * US_PER_SECOND);
    assert_false(asked.ended);
    assert_int_equal(later.end, EXCHANGE_TIMED_OUT);
    pair_release(&pair);
}

static void test_client_crash_is_seen(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_process_crash(pair.ctl);
    assert_int_equal(pair.server.finished, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(pair.server.undelivered, 1);
    pair_release(&pair);
}

/* What a client had sent before it died is handled all the same. */
static void test_request_outlives_its_client(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    ask(&asked, pair.ctl, "http://api/echo", "x", 1);
    assert_true(sim_step(pair.sim)); /* on the kept connection, now under way */
    sim_process_crash(pair.ctl);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(pair.server.started, 2);
    pair_release(&pair);
}

static void test_partition_heals(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_partition(pair.sim, pair.api, pair.ctl, true);
    pair.server.stream_left = 5;
    request_wake(pair.server.streaming);
    pair_run(&pair, 10 * US_PER_SECOND);
    assert_int_equal(asked.size, 0);
    sim_partition(pair.sim, pair.api, pair.ctl, false);
    pair_run(&pair, 10 * US_PER_SECOND);
    assert_int_equal(asked.size, 5); /* sent again, as TCP does */
    assert_false(asked.ended);
    pair_release(&pair);
}

static void test_partition_delays_connecting(void **state)
{
    struct pair pair;
    struct asked lost = {0};
    struct asked late = {0};

    (void)state;
    pair_init(&pair, 1);
    sim_partition(pair.sim, pair.api, pair.ctl, true);
    ask(&lost, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, 9 * US_PER_SECOND);
    assert_false(lost.ended);
    pair_run(&pair, 2 * US_PER_SECOND);
    assert_int_equal(lost.end, EXCHANGE_TIMED_OUT);
    ask(&late, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, 2 * US_PER_SECOND);
    sim_partition(pair.sim, pair.api, pair.ctl, false);
    pair_run(&pair, 3 * US_PER_SECOND);
    assert_true(late.ended);
    assert_int_equal(late.end, EXCHANGE_COMPLETE);
    pair_release(&pair);
}

/* One way dead: what the server says still comes, what the client asks does not arrive. */
static void test_half_open(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_cut(pair.sim, pair.ctl, pair.api, true);
    asked = (struct asked){0};
    ask(&asked, pair.ctl, "http://api/echo", "x", 1);
    pair_run(&pair, 30 * US_PER_SECOND);
    assert_false(asked.ended);
    assert_int_equal(pair.server.started, 1);
    sim_cut(pair.sim, pair.ctl, pair.api, false);
    sim_cut(pair.sim, pair.api, pair.ctl, true);
    pair_run(&pair, 60 * US_PER_SECOND);
    assert_int_equal(pair.server.started, 2);
    assert_false(asked.ended);
    pair_release(&pair);
}

static void test_stranded_watch_hears_nothing_more(void **state)
{
    struct pair pair;
    struct asked watch = {0};
    struct asked fresh = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&watch, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_strand(pair.sim, pair.api, pair.ctl);
    pair.server.stream_left = 5;
    request_wake(pair.server.streaming);
    ask(&fresh, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_HOUR);
    assert_int_equal(fresh.end, EXCHANGE_COMPLETE);
    assert_false(watch.ended);
    assert_int_equal(watch.size, 0);
    assert_int_equal(pair.server.undelivered, 1); /* the server's kernel gave up */
    pair_release(&pair);
}

/* The kernel gives a connection up after a quarter of an hour. */
static void test_exhausted_retries_break_a_request(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_partition(pair.sim, pair.api, pair.ctl, true);
    asked = (struct asked){0};
    ask(&asked, pair.ctl, "http://api/echo", "x", 1);
    pair_run(&pair, 10 * US_PER_MINUTE);
    assert_false(asked.ended);
    pair_run(&pair, 10 * US_PER_MINUTE);
    assert_true(asked.ended);
    assert_int_equal(asked.end, EXCHANGE_RESET);
    pair_release(&pair);
}

static void test_link_refuses(void **state)
{
    struct sim_link link = sim_link_default;
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    link.refuse = true;
    sim_set_link(pair.sim, pair.ctl, pair.api, &link);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.end, EXCHANGE_REFUSED);
    pair_release(&pair);
}

static void test_slow_link(void **state)
{
    struct sim_link link = {.latency_us = 1000, .bytes_per_second = 1000, .reset_after_bytes = -1};
    static const char body[2000];
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    sim_set_link(pair.sim, pair.ctl, pair.api, &link);
    ask(&asked, pair.ctl, "http://api/echo", body, sizeof(body));
    pair_run(&pair, US_PER_SECOND);
    assert_false(asked.ended);
    pair_run(&pair, 2 * US_PER_SECOND);
    assert_true(asked.ended);
    assert_in_range(asked.end_us, 2 * US_PER_SECOND, 2100 * US_PER_MS);
    pair_release(&pair);
}

static void test_total_and_idle_timeouts(void **state)
{
    struct pair pair;
    struct asked total = {0};
    struct asked idle = {0};
    struct http_request request = {.method = "GET",
                                   .url = "http://api/silent",
                                   .response_bytes_max = 100,
                                   .total_timeout_us = 3 * US_PER_SECOND};

    (void)state;
    pair_init(&pair, 1);
    ask_as(&total, pair.ctl, &request);
    request.total_timeout_us = 0;
    request.idle_timeout_us = 2 * US_PER_SECOND;
    ask_as(&idle, pair.ctl, &request);
    pair_run(&pair, 10 * US_PER_SECOND);
    assert_int_equal(total.end, EXCHANGE_TIMED_OUT);
    assert_int_equal(total.end_us, 3 * US_PER_SECOND);
    assert_int_equal(idle.end, EXCHANGE_TIMED_OUT);
    assert_in_range(idle.end_us, 2 * US_PER_SECOND, 2010 * US_PER_MS);
    assert_int_equal(pair.server.undelivered, 2);
    pair_release(&pair);
}

static void test_answer_limit(void **state)
{
    (void)state;
    for (size_t limit = 4; limit <= 5; limit++) {
        struct http_request request = {.method = "POST",
                                       .url = "http://api/echo",
                                       .body = "hello",
                                       .body_size = 5,
                                       .response_bytes_max = limit};
        struct pair pair;
        struct asked asked = {0};

        pair_init(&pair, 1);
        ask_as(&asked, pair.ctl, &request);
        pair_run(&pair, US_PER_SECOND);
        assert_int_equal(asked.end, limit == 4 ? EXCHANGE_TOO_LARGE : EXCHANGE_COMPLETE);
        pair_release(&pair);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_echo),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_large_bodies_both_ways),
        cmocka_unit_test(test_small_pieces),
        cmocka_unit_test(test_paused_exchange_stops_pulls),
        cmocka_unit_test(test_waiting_source_is_woken),
        cmocka_unit_test(test_cancel_in_callbacks),
        cmocka_unit_test(test_server_crash_resets),
        cmocka_unit_test(test_power_loss_is_silent),
        cmocka_unit_test(test_client_crash_is_seen),
        cmocka_unit_test(test_request_outlives_its_client),
        cmocka_unit_test(test_partition_heals),
        cmocka_unit_test(test_partition_delays_connecting),
        cmocka_unit_test(test_half_open),
        cmocka_unit_test(test_stranded_watch_hears_nothing_more),
        cmocka_unit_test(test_exhausted_retries_break_a_request),
        cmocka_unit_test(test_link_refuses),
        cmocka_unit_test(test_slow_link),
        cmocka_unit_test(test_total_and_idle_timeouts),
        cmocka_unit_test(test_answer_limit),
    };

    return cmocka_run_group_tests_name("sim/network", tests, NULL, NULL);
}
