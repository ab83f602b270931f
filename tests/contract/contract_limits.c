/* contract_limits - time limits of both sides. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "tests/contract/contract.h"

static void hold(struct contract_server *server)
{
    (void)server; /* no answer */
}

static void a_total_limit_ends_a_silent_exchange(struct contract_world *world)
{
    struct contract_pair pair;
    int64_t before_us = runtime_elapsed_us(world->client);

    contract_pair_init(&pair, world);
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    pair.request.total_timeout_us = CONTRACT_SHORT_US;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "timed out");
    assert_true(runtime_elapsed_us(world->client) - before_us >= CONTRACT_SHORT_US);
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void a_total_limit_ends_an_endless_answer(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5w");
    contract_pair_serve(&pair);
    pair.request.total_timeout_us = 4 * CONTRACT_SHORT_US;
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_TIMED_OUT);
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void an_idle_limit_ends_a_silent_exchange(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    pair.request.idle_timeout_us = CONTRACT_SHORT_US;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "timed out");
    contract_pair_release(&pair);
}

/* The body went out at once: its limit counts from there, and so it ends first. */
static void an_idle_limit_counts_from_the_body(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_client other;
    struct http_request longer;

    contract_pair_init(&pair, world);
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_client_init(&other, world);
    longer = contract_get(&other, &pair.server, "/");
    longer.idle_timeout_us = 15 * CONTRACT_SHORT_US;
    pair.request.method = "POST";
    pair.request.body = "body";
    pair.request.body_size = strlen("body");
    pair.request.idle_timeout_us = 10 * CONTRACT_SHORT_US;
    contract_send(&other, &longer);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &other.ended, "the longer limit");
    assert_true(pair.client.ended);
    assert_int_equal(pair.client.end, EXCHANGE_TIMED_OUT);
    contract_client_release(&other);
    contract_pair_release(&pair);
}

static void an_idle_limit_ends_a_silent_answer(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5w");
    contract_pair_serve(&pair);
    pair.request.idle_timeout_us = 4 * CONTRACT_SHORT_US;
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_TIMED_OUT);
    contract_pair_release(&pair);
}

static void pause_once(struct contract_client *client)
{
    if (client->piece_count == 1)
        exchange_pause(client->exchange);
}

static void an_idle_limit_does_not_count_a_pause(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "*");
    pair.client.on_body = pause_once;
    contract_pair_serve(&pair);
    pair.request.idle_timeout_us = 10 * CONTRACT_SHORT_US;
    contract_send(&pair.client, &pair.request);
    contract_pass(world, 25 * CONTRACT_SHORT_US);
    assert_false(pair.client.ended);
    exchange_resume(pair.client.exchange);
    contract_wait_bytes(&pair.client, pair.client.body.size + 1);
    assert_false(pair.client.ended);
    contract_pair_release(&pair);
}

static void limits_that_do_not_pass_change_nothing(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.request.connect_timeout_us = CONTRACT_LONG_US;
    pair.request.total_timeout_us = CONTRACT_LONG_US;
    pair.request.idle_timeout_us = CONTRACT_LONG_US;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void a_connect_limit_ends_a_dead_connect(struct contract_world *world)
{
    struct contract_client client;
    struct http_request request = {.method = "GET",
                                   .url = world->black_hole,
                                   .response_bytes_max = 1,
                                   .connect_timeout_us = CONTRACT_SHORT_US};

    if (world->black_hole == NULL)
        skip();
    contract_client_init(&client, world);
    contract_fetch(&client, &request);
    assert_string_equal(buffer_text(&client.trace), "timed out");
    contract_client_release(&client);
}

/* --- the listener's --- */

static void a_kept_connection_is_closed_when_idle(struct contract_world *world)
{
    struct contract_pair pair;
    char first[64];

    contract_pair_init(&pair, world);
    pair.server.options.idle_timeout_us = CONTRACT_SHORT_US;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    strncpy(first, pair.server.peer, sizeof(first) - 1);
    first[sizeof(first) - 1] = '\0';
    contract_pass(world, 4 * CONTRACT_SHORT_US);
    pair.client.ended = false;
    pair.server.is_closed = false;
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_COMPLETE);
    assert_string_not_equal(pair.server.peer, first);
    contract_pair_release(&pair);
}

/* The close comes with a word of TLS in front of it: bytes that nobody has read. */
static void a_kept_tls_connection_closed_when_idle_costs_nothing(struct contract_world *world)
{
    struct contract_pair pair;

    if (world->tls == NULL)
        skip();
    contract_pair_init(&pair, world);
    pair.server.options.tls = &world->tls->server;
    pair.server.options.idle_timeout_us = 1000000; /* whole seconds in the live world */
    contract_pair_serve(&pair);
    pair.request.tls = &world->tls->trusting;
    contract_pair_fetch(&pair);
    contract_pass(world, 2500000);
    pair.server.is_closed = false;
    pair.client.ended = false;
    pair.request.method = "POST";
    pair.request.body = "x";
    pair.request.body_size = 1;
    contract_pair_fetch(&pair);
    assert_string_equal(exchange_end_name(pair.client.end), "complete");
    assert_int_equal(pair.server.requests, 2);
    contract_pair_release(&pair);
}

static void a_peer_that_takes_nothing_is_cut_off(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "*");
    pair.server.options.idle_timeout_us = 2 * CONTRACT_SHORT_US;
    pair.client.on_body = pause_once;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    exchange_resume(pair.client.exchange);
    contract_until(world, &pair.client.ended, "the end of the exchange");
    assert_int_equal(pair.client.end, EXCHANGE_RESET);
    contract_pair_release(&pair);
}

static void a_sleeping_source_is_not_idle(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5w5e");
    pair.server.options.idle_timeout_us = CONTRACT_SHORT_US;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_pass(world, 5 * CONTRACT_SHORT_US);
    assert_false(pair.client.ended);
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void a_handler_that_thinks_is_not_cut_off(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.options.idle_timeout_us = CONTRACT_SHORT_US;
    pair.server.options.header_timeout_us = CONTRACT_SHORT_US;
    pair.server.options.body_timeout_us = CONTRACT_SHORT_US;
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_pass(world, 5 * CONTRACT_SHORT_US);
    assert_false(pair.client.ended);
    request_respond(pair.server.request, &pair.server.answer);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

const struct contract_case contract_limits[] = {
    {"limit/total_ends_a_silent_exchange",           a_total_limit_ends_a_silent_exchange  },
    {"limit/total_ends_an_endless_answer",           a_total_limit_ends_an_endless_answer  },
    {"limit/idle_ends_a_silent_exchange",            an_idle_limit_ends_a_silent_exchange  },
    {"limit/idle_counts_from_the_body",              an_idle_limit_counts_from_the_body    },
    {"limit/idle_ends_a_silent_answer",              an_idle_limit_ends_a_silent_answer    },
    {"limit/idle_does_not_count_a_pause",            an_idle_limit_does_not_count_a_pause  },
    {"limit/that_does_not_pass_changes_nothing",     limits_that_do_not_pass_change_nothing},
    {"limit/connect_ends_a_dead_connect",            a_connect_limit_ends_a_dead_connect   },
    {"limit/a_kept_connection_is_closed_when_idle",  a_kept_connection_is_closed_when_idle },
    {"limit/a_kept_tls_connection_closed_when_idle",
     a_kept_tls_connection_closed_when_idle_costs_nothing                                  },
    {"limit/a_peer_that_takes_nothing_is_cut_off",   a_peer_that_takes_nothing_is_cut_off  },
    {"limit/a_sleeping_source_is_not_idle",          a_sleeping_source_is_not_idle         },
    {"limit/a_handler_that_thinks_is_not_cut_off",   a_handler_that_thinks_is_not_cut_off  },
    {NULL,                                           NULL                                  },
};
