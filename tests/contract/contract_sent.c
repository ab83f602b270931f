/* contract_sent - whether a request may have reached its peer, and connections of one's own. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "tests/contract/contract.h"

/* --- requests of which no byte was written --- */

static void expect_unsent(struct contract_client *client, const struct http_request *request,
                          enum exchange_end want)
{
    contract_fetch(client, request);
    assert_string_equal(exchange_end_name(client->end), exchange_end_name(want));
    assert_false(client->sent);
    contract_client_release(client);
}

static void one_without_a_connection_was_not(struct contract_world *world)
{
    char *unknown = xprintf("http://%s:8080/", world->unknown_host);
    const struct {
        const char *url;
        enum exchange_end want;
    } rows[] = {
        {unknown,             EXCHANGE_UNRESOLVED},
        {"ftp://127.0.0.1/",  EXCHANGE_MALFORMED },
        {world->black_hole,   EXCHANGE_TIMED_OUT },
        {"http://127.0.0.1/", EXCHANGE_REFUSED   },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct http_request request = {.method = "POST",
                                       .url = rows[i].url,
                                       .body = "x",
                                       .body_size = 1,
                                       .response_bytes_max = 1,
                                       .connect_timeout_us = CONTRACT_SHORT_US};
        struct contract_pair pair;

        if (rows[i].url == NULL)
            continue;
        contract_pair_init(&pair, world);
        contract_pair_serve(&pair);
        if (rows[i].want == EXCHANGE_REFUSED)
            request.url = pair.client.url; /* where nobody listens any more */
        contract_server_release(&pair.server);
        expect_unsent(&pair.client, &request, rows[i].want);
    }
    free(unknown);
}

static void one_without_a_handshake_was_not(struct contract_world *world)
{
    if (world->tls == NULL)
        skip();
    for (int plain = 0; plain < 2; plain++) {
        struct contract_pair pair;
        char *url;

        contract_pair_init(&pair, world);
        pair.server.options.tls = plain ? NULL : &world->tls->server;
        contract_pair_serve(&pair);
        url = xprintf("https://%s:%u/", world->host, (unsigned)listener_port(pair.server.listener));
        pair.request.url = url;
        pair.request.tls = &world->tls->distrusting;
        pair.request.body = "x";
        pair.request.body_size = 1;
        expect_unsent(&pair.client, &pair.request, EXCHANGE_TLS);
        contract_server_release(&pair.server);
        free(url);
    }
}

/* --- requests that may have arrived --- */

static void reset_it(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    request_reset(server->request);
    server->request = NULL;
}

static void stay_silent(struct contract_server *server)
{
    (void)server;
}

static void check_before_the_end(struct contract_client *client)
{
    assert_true(exchange_was_sent(client->exchange));
}

static void one_that_arrived_was(struct contract_world *world)
{
    static const struct {
        void (*on_request)(struct contract_server *server, const struct request_head *head);
        void (*on_end)(struct contract_server *server);
        enum exchange_end want;
    } rows[] = {
        {NULL,     NULL,        EXCHANGE_COMPLETE },
        {reset_it, NULL,        EXCHANGE_RESET    },
        {NULL,     stay_silent, EXCHANGE_TIMED_OUT},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct contract_pair pair;

        contract_pair_init(&pair, world);
        pair.server.on_request = rows[i].on_request;
        pair.server.on_end = rows[i].on_end;
        pair.client.on_head = check_before_the_end;
        contract_pair_serve(&pair);
        pair.request.method = "POST";
        pair.request.body = "x";
        pair.request.body_size = 1;
        pair.request.total_timeout_us =
            rows[i].want == EXCHANGE_TIMED_OUT ? CONTRACT_SHORT_US : CONTRACT_LONG_US;
        contract_fetch(&pair.client, &pair.request);
        assert_string_equal(exchange_end_name(pair.client.end), exchange_end_name(rows[i].want));
        assert_true(pair.client.sent);
        contract_pair_release(&pair);
    }
}

static void one_in_plain_to_a_tls_server_was(struct contract_world *world)
{
    struct contract_pair pair;
    char *url;

    if (world->tls == NULL)
        skip();
    contract_pair_init(&pair, world);
    pair.server.options.tls = &world->tls->server;
    contract_pair_serve(&pair);
    url = xprintf("http://%s:%u/", world->host, (unsigned)listener_port(pair.server.listener));
    pair.request.url = url;
    contract_fetch(&pair.client, &pair.request);
    assert_true(pair.client.end == EXCHANGE_RESET || pair.client.end == EXCHANGE_MALFORMED);
    assert_true(pair.client.sent);
    contract_pair_release(&pair);
    free(url);
}

/* --- a connection of its own --- */

static char *peer_of(struct contract_pair *pair, bool fresh)
{
    struct contract_client client;
    struct http_request request;

    contract_client_init(&client, pair->client.world);
    request = contract_get(&client, &pair->server, "/");
    request.fresh = fresh;
    pair->server.is_closed = false;
    contract_send(&client, &request);
    contract_run_both(&client, &pair->server);
    assert_string_equal(buffer_text(&client.trace), "head|body|complete");
    contract_client_release(&client);
    return xstrdup(pair->server.peer);
}

static void a_fresh_one_shares_no_connection(struct contract_world *world)
{
    struct contract_pair pair;
    char *peers[4];

    contract_pair_init(&pair, world);
    contract_serve(&pair.server);
    peers[0] = peer_of(&pair, false);
    peers[1] = peer_of(&pair, true);  /* does not take the kept one */
    peers[2] = peer_of(&pair, true);  /* leaves none behind for its like */
    peers[3] = peer_of(&pair, false); /* nor for others; the kept one still serves */
    assert_string_not_equal(peers[1], peers[0]);
    assert_string_not_equal(peers[2], peers[1]);
    assert_string_not_equal(peers[2], peers[0]);
    assert_string_equal(peers[3], peers[0]);
    for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
        free(peers[i]);
    contract_pair_release(&pair);
}

const struct contract_case contract_sent[] = {
    {"sent/one_without_a_connection_was_not", one_without_a_connection_was_not},
    {"sent/one_without_a_handshake_was_not",  one_without_a_handshake_was_not },
    {"sent/one_that_arrived_was",             one_that_arrived_was            },
    {"sent/one_in_plain_to_a_tls_server_was", one_in_plain_to_a_tls_server_was},
    {"sent/a_fresh_one_shares_no_connection", a_fresh_one_shares_no_connection},
    {NULL,                                    NULL                            },
};
