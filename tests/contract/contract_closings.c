/* contract_closings - listeners that stop or close, and processes that end, with all in flight. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "tests/contract/contract.h"

static void close_listener(struct contract_server *server)
{
    listener_close(server->listener);
    server->listener = NULL;
    server->request = NULL;
    server->is_closed = true;
}

static void close_on_request(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    close_listener(server); /* nothing left to accept */
}

static void close_on_accepted(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    contract_accept(server);
    close_listener(server);
}

static void close_on_body(struct contract_server *server, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    close_listener(server);
}

static void close_after_answer(struct contract_server *server)
{
    request_respond(server->request, &server->answer);
    close_listener(server);
}

static void post_and_expect_reset(struct contract_pair *pair)
{
    char *bytes = contract_pattern(1000000);

    contract_pair_serve(pair);
    pair->request.method = "POST";
    pair->request.body = bytes;
    pair->request.body_size = 1000000;
    contract_pair_fetch(pair);
    contract_pair_expect(pair, "reset");
    assert_int_equal(pair->server.closed, 0); /* closing calls nobody */
    contract_pair_release(pair);
    free(bytes);
}

static void closing_in_on_request(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = close_on_request;
    post_and_expect_reset(&pair);
    contract_pair_init(&pair, world);
    pair.server.on_request = close_on_accepted;
    post_and_expect_reset(&pair);
}

static void closing_in_on_body(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_body = close_on_body;
    post_and_expect_reset(&pair);
}

static void closing_in_on_body_end(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = close_listener;
    post_and_expect_reset(&pair);
    contract_pair_init(&pair, world);
    pair.server.on_end = close_after_answer;
    post_and_expect_reset(&pair);
}

static void close_on_closed(struct contract_server *server, bool delivered)
{
    (void)delivered;
    close_listener(server);
}

static void closing_in_on_closed(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_closed = close_on_closed;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void hold(struct contract_server *server)
{
    *(bool *)server->arg = true; /* and no answer */
}

static void closing_resets_what_is_under_way(struct contract_world *world)
{
    struct contract_pair pair;
    bool held = false;

    contract_pair_init(&pair, world);
    pair.server.arg = &held;
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &held, "the request");
    close_listener(&pair.server);
    contract_until(world, &pair.client.ended, "the end");
    contract_pair_expect(&pair, "reset");
    assert_int_equal(pair.server.closed, 0);
    contract_pair_release(&pair);
}

static void closing_resets_a_watch(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5w");
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &source.waiting, "the source's WAIT");
    contract_wait_bytes(&pair.client, 5);
    close_listener(&pair.server);
    contract_until(world, &pair.client.ended, "the end");
    contract_pair_expect(&pair, "head|body|reset");
    contract_pair_release(&pair);
}

/* --- stopping --- */

static void fetch_refused(struct contract_pair *pair)
{
    struct contract_client client;
    struct http_request request;

    contract_client_init(&client, pair->client.world);
    request = contract_get(&client, &pair->server, "/");
    contract_fetch(&client, &request);
    assert_string_equal(buffer_text(&client.trace), "refused");
    contract_client_release(&client);
}

static void stopping_lets_requests_finish(struct contract_world *world)
{
    struct contract_pair pair;
    bool held = false;

    contract_pair_init(&pair, world);
    pair.server.arg = &held;
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &held, "the request");
    listener_stop(pair.server.listener);
    fetch_refused(&pair);
    request_respond(pair.server.request, &pair.server.answer);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.server.delivered, 1);
    contract_pair_release(&pair);
}

static void stopping_lets_a_watch_finish(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5w3e");
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &source.waiting, "the source's WAIT");
    listener_stop(pair.server.listener);
    contract_pass(world, CONTRACT_SHORT_US);
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, 8);
    fetch_refused(&pair);
    contract_pair_release(&pair);
}

static void stopping_closes_kept_connections(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    listener_stop(pair.server.listener);
    contract_pass(world, CONTRACT_SHORT_US);
    fetch_refused(&pair); /* the kept connection is of no use */
    assert_int_equal(pair.server.requests, 1);
    contract_pair_release(&pair);
}

static void stop_listener(struct contract_server *server)
{
    listener_stop(server->listener);
    request_respond(server->request, &server->answer);
}

static void stopping_inside_a_request(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = stop_listener;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    listener_stop(pair.server.listener); /* once more does nothing */
    fetch_refused(&pair);
    contract_pair_release(&pair);
}

static void a_port_is_free_again_after_closing(struct contract_world *world)
{
    struct contract_pair pair;
    uint16_t port;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    port = listener_port(pair.server.listener);
    listener_close(pair.server.listener);
    pair.server.options.port = port;
    pair.server.is_closed = false;
    pair.client.ended = false;
    contract_pair_serve(&pair);
    assert_int_equal(listener_port(pair.server.listener), port);
    contract_pair_fetch(&pair);
    assert_int_equal(pair.client.end, EXCHANGE_COMPLETE);
    contract_pair_release(&pair);
}

/* --- a process ends --- */

static void stop_client(struct contract_client *client)
{
    runtime_stop(client->world->client, 7);
}

static void stopping_in_an_exchange(struct contract_world *world)
{
    struct contract_pair pair;
    bool never = false;
    int status = -1;

    contract_pair_init(&pair, world);
    pair.client.on_head = stop_client;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    world->run(world, &never);
    assert_true(world->stopped(world, world->client, &status));
    assert_int_equal(status, 7);
    contract_pair_expect(&pair, "head"); /* nothing more comes */
    pair.client.exchange = NULL;         /* the process's end frees it, and the listener */
    contract_client_release(&pair.client);
    pair.server.listener = NULL;
    contract_server_release(&pair.server);
}

static void on_nothing(void *arg)
{
    (void)arg;
    fail_msg("called after the end");
}

static void stop_server(struct contract_server *server)
{
    runtime_stop(server->world->server, 0);
}

/* Whatever is left open, the end of the process frees; a checker of memory proves it. */
static void ending_frees_all_that_is_in_flight(struct contract_world *world)
{
    struct contract_pair pairs[3];
    struct contract_source source;
    bool held = false;
    int status = -1;

    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        contract_pair_init(&pairs[i], world);
        pairs[i].server.arg = &held;
        pairs[i].server.on_end = i == 0 ? hold : NULL;
        if (i == 1)
            contract_source_init(&source, &pairs[i].server, "5w");
        if (i == 2)
            pairs[i].server.on_end = stop_server;
        contract_pair_serve(&pairs[i]);
    }
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        contract_send(&pairs[i].client, &pairs[i].request);
        if (i == 0)
            contract_until(world, &held, "the first request");
        if (i == 1)
            contract_until(world, &source.waiting, "the WAIT of the second");
    }
    runtime_after(world->server, CONTRACT_LONG_US * 1000, on_nothing, NULL);
    runtime_after(world->client, CONTRACT_LONG_US * 1000, on_nothing, NULL);
    world->run(world, &pairs[2].client.ended);
    assert_true(world->stopped(world, world->server, &status));
    assert_int_equal(status, 0);
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        pairs[i].client.exchange = NULL;
        pairs[i].server.listener = NULL;
        contract_pair_release(&pairs[i]);
    }
}

const struct contract_case contract_closings[] = {
    {"close/in_on_request",             closing_in_on_request             },
    {"close/in_on_body",                closing_in_on_body                },
    {"close/in_on_body_end",            closing_in_on_body_end            },
    {"close/in_on_closed",              closing_in_on_closed              },
    {"close/resets_what_is_under_way",  closing_resets_what_is_under_way  },
    {"close/resets_a_watch",            closing_resets_a_watch            },
    {"close/a_port_is_free_again",      a_port_is_free_again_after_closing},
    {"stop/lets_requests_finish",       stopping_lets_requests_finish     },
    {"stop/lets_a_watch_finish",        stopping_lets_a_watch_finish      },
    {"stop/closes_kept_connections",    stopping_closes_kept_connections  },
    {"stop/inside_a_request",           stopping_inside_a_request         },
    {"end/stopping_in_an_exchange",     stopping_in_an_exchange           },
    {"end/frees_all_that_is_in_flight", ending_frees_all_that_is_in_flight},
    {NULL,                              NULL                              },
};
