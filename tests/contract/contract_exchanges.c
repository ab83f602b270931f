/* contract_exchanges - plain requests and their answers, and how exchanges end. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

/* One client, one server. */
struct pair {
    struct contract_client client;
    struct contract_server server;
};

static void pair_init(struct pair *pair, struct contract_world *world)
{
    contract_client_init(&pair->client, world);
    contract_server_init(&pair->server, world);
}

static void pair_release(struct pair *pair)
{
    contract_client_release(&pair->client);
    contract_server_release(&pair->server);
}

static void a_get_is_answered(struct contract_world *world)
{
    struct pair pair;
    struct http_request request;

    pair_init(&pair, world);
    contract_serve(&pair.server);
    request = contract_get(&pair.server, "/a/b?c=d%2Fe&f");
    contract_send(&pair.client, &request);
    test_free((void *)(uintptr_t)request.url); /* what it points to is copied */
    contract_run_both(&pair.client, &pair.server);
    assert_string_equal(buffer_text(&pair.client.trace), "head|body|complete");
    assert_int_equal(pair.client.status, 200);
    assert_string_equal(pair.client.header, "yes");
    assert_string_equal(buffer_text(&pair.client.body), "hello");
    assert_string_equal(pair.server.method, "GET");
    assert_string_equal(pair.server.target, "/a/b?c=d%2Fe&f");
    assert_int_equal(pair.server.delivered, 1);
    assert_int_equal(pair.server.ends, 1);
    pair_release(&pair);
}

static void a_post_brings_its_body(struct contract_world *world)
{
    struct pair pair;
    struct http_request request;

    pair_init(&pair, world);
    pair.server.answer.status = 201;
    contract_serve(&pair.server);
    request = contract_get(&pair.server, "/things");
    request.method = "POST";
    request.body = "{\"a\":1}";
    request.body_size = 7;
    contract_send(&pair.client, &request);
    contract_run_both(&pair.client, &pair.server);
    assert_int_equal(pair.client.status, 201);
    assert_string_equal(buffer_text(&pair.server.body), "{\"a\":1}");
    assert_int_equal(pair.server.ends, 1);
    test_free((void *)(uintptr_t)request.url);
    pair_release(&pair);
}

static void a_refused_port_ends_refused(struct contract_world *world)
{
    struct pair pair;
    struct http_request request;

    pair_init(&pair, world);
    contract_serve(&pair.server);
    request = contract_get(&pair.server, "/");
    listener_close(pair.server.listener);
    pair.server.listener = NULL;
    contract_fetch(&pair.client, &request);
    assert_string_equal(buffer_text(&pair.client.trace), "refused");
    test_free((void *)(uintptr_t)request.url);
    pair_release(&pair);
}

const struct contract_case contract_exchanges[] = {
    {"exchange/a_get_is_answered",           a_get_is_answered          },
    {"exchange/a_post_brings_its_body",      a_post_brings_its_body     },
    {"exchange/a_refused_port_ends_refused", a_refused_port_ends_refused},
    {NULL,                                   NULL                       },
};
