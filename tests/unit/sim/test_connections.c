/* Connections and listeners: what is kept, what is full, who is paused. */
#include "tests/unit/sim/fixture.h"

static void test_connections_are_kept(void **state)
{
    struct pair pair;
    struct asked asked = {0};
    int64_t first_us;

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    first_us = asked.end_us;
    asked = (struct asked){0};
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_true(asked.end_us - US_PER_SECOND < first_us); /* no connecting */
    pair_release(&pair);
}

/* The server restarted while the client kept a connection to it: nobody needs to know. */
static void test_stale_connection_is_replaced(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    ask(&asked, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_partition(pair.sim, pair.api, pair.ctl, true);
    sim_process_restart(pair.api);
    serve(&pair);
    pair_run(&pair, 10 * US_PER_MINUTE);
    sim_partition(pair.sim, pair.api, pair.ctl, false);
    asked = (struct asked){0};
    ask(&asked, pair.ctl, "http://api/echo", "x", 1);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.end, EXCHANGE_COMPLETE);
    assert_int_equal(pair.server.started, 1);
    pair_release(&pair);
}

static void test_paused_server_is_silent(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    sim_process_pause(pair.api);
    ask(&asked, pair.ctl, "http://api/echo", "x", 1);
    pair_run(&pair, US_PER_MINUTE);
    assert_false(asked.ended);
    assert_int_equal(pair.server.started, 0);
    sim_process_resume(pair.api);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.end, EXCHANGE_COMPLETE);
    pair_release(&pair);
}

static void test_paused_client_gets_it_later(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    sim_process_pause(pair.ctl);
    pair.server.stream_left = 2 * SIM_WINDOW_BYTES;
    request_wake(pair.server.streaming);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.size, 0);
    assert_int_equal(pair.server.stream_left, SIM_WINDOW_BYTES);
    sim_process_resume(pair.ctl);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(asked.size, 2 * SIM_WINDOW_BYTES);
    pair_release(&pair);
}

static void test_slow_reader_is_cut_off(void **state)
{
    struct pair pair;
    struct asked asked = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_left = 2 * SIM_WINDOW_BYTES;
    ask(&asked, pair.ctl, "http://api/stream", NULL, 0);
    exchange_pause(asked.exchange);
    pair_run(&pair, LISTEN_IDLE_TIMEOUT_US - US_PER_SECOND);
    assert_int_equal(pair.server.finished, 0);
    pair_run(&pair, 2 * US_PER_SECOND);
    assert_int_equal(pair.server.undelivered, 1);
    pair_release(&pair);
}

static void test_too_many_connections(void **state)
{
    const struct listen_options options = {.address = "::", .port = 81, .connections_max = 1};
    struct pair pair;
    struct server other;
    struct asked first = {0};
    struct asked second = {0};

    (void)state;
    pair_init(&pair, 1);
    server_listen_on(&other, sim_process_runtime(pair.api), &options);
    ask(&first, pair.ctl, "http://api:81/silent", NULL, 0);
    ask(&second, pair.ctl, "http://api:81/silent", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_false(first.ended);
    assert_int_equal(second.end, EXCHANGE_RESET);
    pair_release(&pair);
    server_release(&other);
}

static void test_listener_close_and_stop(void **state)
{
    struct pair pair;
    struct asked watch = {0};
    struct asked late = {0};

    (void)state;
    pair_init(&pair, 1);
    pair.server.stream_waits = true;
    ask(&watch, pair.ctl, "http://api/stream", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    listener_stop(pair.server.listener);
    ask(&late, pair.ctl, "http://api/echo", NULL, 0);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(late.end, EXCHANGE_REFUSED);
    assert_false(watch.ended);
    pair.server.stream_left = 3;
    pair.server.stream_waits = false;
    request_wake(pair.server.streaming);
    pair_run(&pair, US_PER_SECOND);
    assert_int_equal(watch.end, EXCHANGE_COMPLETE);
    assert_int_equal(watch.size, 3);
    listener_close(pair.server.listener);
    pair_release(&pair);
}

static void test_address_in_use(void **state)
{
    const struct listen_options options = {.address = "127.0.0.1", .port = 80};
    static const struct http_service service = {server_request};
    struct pair pair;
    struct listener *listener;
    struct error err = ERROR_INIT;

    (void)state;
    pair_init(&pair, 1);
    assert_false(
        runtime_listen(sim_process_runtime(pair.api), &options, &service, NULL, &listener, &err));
    assert_int_equal(err.kind, ERROR_IO);
    assert_string_equal(err.text, "address 127.0.0.1:80: already in use");
    pair_release(&pair);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_connections_are_kept),
        cmocka_unit_test(test_stale_connection_is_replaced),
        cmocka_unit_test(test_paused_server_is_silent),
        cmocka_unit_test(test_paused_client_gets_it_later),
        cmocka_unit_test(test_slow_reader_is_cut_off),
        cmocka_unit_test(test_too_many_connections),
        cmocka_unit_test(test_listener_close_and_stop),
        cmocka_unit_test(test_address_in_use),
    };

    return cmocka_run_group_tests_name("sim/connections", tests, NULL, NULL);
}
