/* contract_listeners - where listeners listen, and how many they let in. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

static void port_zero_is_any_free_one(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_server other;

    contract_pair_init(&pair, world);
    contract_server_init(&other, world);
    contract_pair_serve(&pair);
    contract_serve(&other);
    assert_int_not_equal(listener_port(pair.server.listener), 0);
    assert_int_not_equal(listener_port(pair.server.listener), listener_port(other.listener));
    contract_server_release(&other);
    contract_pair_release(&pair);
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    (void)arg;
    (void)head;
    request_reset(request);
}

static const struct http_service service = {on_request};

static void a_port_in_use_is_an_io_error(struct contract_world *world)
{
    struct contract_pair pair;
    struct listener *listener = NULL;
    struct error err = ERROR_INIT;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.server.options.port = listener_port(pair.server.listener);
    assert_false(
        runtime_listen(world->server, &pair.server.options, &service, NULL, &listener, &err));
    assert_null(listener);
    assert_int_equal(err.kind, ERROR_IO);
    assert_non_null(strstr(err.text, "already in use"));
    contract_pair_fetch(&pair); /* the first one goes on */
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void an_address_that_is_none_is_a_usage_error(struct contract_world *world)
{
    static const struct listen_options rows[] = {
        {.address = "nonsense"},
        {.address = "1.2.3"},
        {.address = ""},
        {.address = NULL},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct listener *listener = NULL;
        struct error err = ERROR_INIT;

        assert_false(runtime_listen(world->server, &rows[i], &service, NULL, &listener, &err));
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}

static void a_unix_socket_serves(struct contract_world *world)
{
    struct contract_pair pair;

    if (world->unix_path == NULL)
        skip();
    for (unsigned i = 0; i < 2; i++) { /* and its file is free again */
        contract_pair_init(&pair, world);
        pair.server.options.address = NULL;
        pair.server.options.unix_path = world->unix_path;
        contract_serve(&pair.server);
        pair.request = (struct http_request){.method = "GET",
                                             .url = "http://localhost/path",
                                             .unix_socket = world->unix_path,
                                             .response_bytes_max = 100};
        contract_pair_fetch(&pair);
        contract_pair_expect(&pair, "head|body|complete");
        assert_string_equal(pair.server.target, "/path");
        assert_string_equal(pair.server.peer, "unix");
        contract_pair_release(&pair);
    }
}

static void a_unix_socket_in_use_is_an_io_error(struct contract_world *world)
{
    struct contract_server server;
    struct listener *listener = NULL;
    struct error err = ERROR_INIT;

    if (world->unix_path == NULL)
        skip();
    contract_server_init(&server, world);
    server.options.address = NULL;
    server.options.unix_path = world->unix_path;
    contract_serve(&server);
    assert_false(runtime_listen(world->server, &server.options, &service, NULL, &listener, &err));
    assert_int_equal(err.kind, ERROR_IO);
    contract_server_release(&server);
}

static void a_unix_socket_that_nobody_serves_is_refused(struct contract_world *world)
{
    struct contract_client client;
    struct http_request request = {.method = "GET",
                                   .url = "http://localhost/",
                                   .unix_socket = world->unix_path,
                                   .response_bytes_max = 100};

    if (world->unix_path == NULL)
        skip();
    contract_client_init(&client, world);
    contract_fetch(&client, &request);
    assert_string_equal(buffer_text(&client.trace), "refused");
    contract_client_release(&client);
}

static void count_holding(struct contract_server *server)
{
    (*(unsigned *)server->arg)++;
}

#define CAP 2
#define CLIENTS 5

struct crowd {
    struct contract_client clients[CLIENTS];
    unsigned holding;
};

static bool is_settled(void *arg)
{
    const struct crowd *crowd = arg;
    unsigned reset = 0;

    for (size_t i = 0; i < CLIENTS; i++)
        if (crowd->clients[i].ended && crowd->clients[i].end == EXCHANGE_RESET)
            reset++;
    return crowd->holding == CAP && reset == CLIENTS - CAP;
}

static void connections_past_the_cap_are_closed(struct contract_world *world)
{
    struct contract_server server;
    struct crowd crowd = {.holding = 0};

    contract_server_init(&server, world);
    server.options.connections_max = CAP;
    server.on_end = count_holding;
    server.arg = &crowd.holding;
    contract_serve(&server);
    for (size_t i = 0; i < CLIENTS; i++) {
        struct http_request request;

        contract_client_init(&crowd.clients[i], world);
        request = contract_get(&crowd.clients[i], &server, "/");
        contract_send(&crowd.clients[i], &request);
    }
    contract_wait(world, is_settled, &crowd, "two that are served and three that are not");
    contract_pass(world, CONTRACT_SHORT_US);
    assert_true(is_settled(&crowd));
    for (size_t i = 0; i < CLIENTS; i++)
        contract_client_release(&crowd.clients[i]);
    contract_server_release(&server);
}

static bool is_let_in(void *arg)
{
    struct contract_pair *pair = arg;

    pair->client.ended = false;
    contract_fetch(&pair->client, &pair->request);
    return pair->client.end == EXCHANGE_COMPLETE;
}

static void a_place_under_the_cap_is_free_again(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.options.connections_max = 1;
    pair.server.answer.close = true;
    contract_pair_serve(&pair);
    for (unsigned i = 0; i < 5; i++) /* the connection before may be closing still */
        contract_wait(world, is_let_in, &pair, "a place");
    contract_pair_release(&pair);
}

static void who_waits_gives_his_place_to_who_asks(struct contract_world *world)
{
    struct contract_client second;
    struct contract_pair pair;
    struct http_request request;

    contract_pair_init(&pair, world);
    pair.server.options.connections_max = 1;
    contract_pair_serve(&pair);
    contract_fetch(&pair.client, &pair.request); /* and its connection is kept */
    assert_int_equal(pair.client.end, EXCHANGE_COMPLETE);
    contract_client_init(&second, world);
    request = contract_get(&second, &pair.server, "/");
    request.fresh = true;
    contract_fetch(&second, &request);
    assert_int_equal(second.end, EXCHANGE_COMPLETE);
    contract_client_release(&second);
    contract_pair_release(&pair);
}

const struct contract_case contract_listeners[] = {
    {"listen/port_zero_is_any_free_one",                   port_zero_is_any_free_one               },
    {"listen/a_port_in_use_is_an_io_error",                a_port_in_use_is_an_io_error            },
    {"listen/an_address_that_is_none_is_a_usage_error",    an_address_that_is_none_is_a_usage_error},
    {"listen/a_unix_socket_serves",                        a_unix_socket_serves                    },
    {"listen/a_unix_socket_in_use_is_an_io_error",         a_unix_socket_in_use_is_an_io_error     },
    {"listen/a_unix_socket_that_nobody_serves_is_refused",
     a_unix_socket_that_nobody_serves_is_refused                                                   },
    {"listen/connections_past_the_cap_are_closed",         connections_past_the_cap_are_closed     },
    {"listen/a_place_under_the_cap_is_free_again",         a_place_under_the_cap_is_free_again     },
    {"listen/who_waits_gives_his_place_to_who_asks",       who_waits_gives_his_place_to_who_asks   },
    {NULL,                                                 NULL                                    },
};
