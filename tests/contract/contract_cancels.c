/* contract_cancels - exchanges that are cancelled, in every callback. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "tests/contract/contract.h"

static void cancel_now(struct contract_client *client)
{
    *(bool *)client->arg = true;
    contract_cancel(client);
}

/* Runs until the cancel, then long enough for any later call to come. */
static void run_cancelled(struct contract_pair *pair, const bool *cancelled, const char *trace)
{
    contract_pair_serve(pair);
    contract_send(&pair->client, &pair->request);
    contract_until(pair->client.world, cancelled, "the callback that cancels");
    contract_pass(pair->client.world, CONTRACT_SHORT_US);
    contract_pair_expect(pair, trace);
    contract_pair_release(pair);
}

static void in_on_head(struct contract_world *world)
{
    struct contract_pair pair;
    bool cancelled = false;

    contract_pair_init(&pair, world);
    pair.client.arg = &cancelled;
    pair.client.on_head = cancel_now;
    run_cancelled(&pair, &cancelled, "head");
}

static void in_on_body(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;
    bool cancelled = false;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "*");
    pair.client.arg = &cancelled;
    pair.client.on_body = cancel_now;
    run_cancelled(&pair, &cancelled, "head|body");
}

static void in_on_body_of_the_last_piece(struct contract_world *world)
{
    struct contract_pair pair;
    bool cancelled = false;

    contract_pair_init(&pair, world);
    pair.client.arg = &cancelled;
    pair.client.on_body = cancel_now;
    run_cancelled(&pair, &cancelled, "head|body");
}

static void cancel_ended(struct contract_client *client)
{
    exchange_cancel(*(struct exchange **)client->arg);
}

static void in_on_end(struct contract_world *world)
{
    struct contract_pair pair;
    struct exchange *exchange;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.client.arg = &exchange;
    pair.client.on_end = cancel_ended;
    contract_send(&pair.client, &pair.request);
    exchange = pair.client.exchange;
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void in_on_end_of_one_that_was_refused(struct contract_world *world)
{
    struct contract_pair pair;
    struct exchange *exchange;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    listener_close(pair.server.listener);
    pair.server.listener = NULL;
    pair.client.arg = &exchange;
    pair.client.on_end = cancel_ended;
    contract_send(&pair.client, &pair.request);
    exchange = pair.client.exchange;
    contract_until(world, &pair.client.ended, "the end");
    contract_pair_expect(&pair, "refused");
    contract_pair_release(&pair);
}

static void right_after_the_request(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_cancel(&pair.client);
    exchange_cancel(NULL);
    contract_pass(world, CONTRACT_SHORT_US);
    contract_pair_expect(&pair, "");
    contract_pair_release(&pair);
}

static void of_a_request_that_cannot_be_sent(struct contract_world *world)
{
    struct http_request request = {.method = "GET", .url = "nonsense", .response_bytes_max = 1};
    struct contract_client client;

    contract_client_init(&client, world);
    contract_send(&client, &request);
    contract_cancel(&client);
    contract_pass(world, CONTRACT_SHORT_US);
    assert_false(client.ended);
    contract_client_release(&client);
}

static void cancel_other(struct contract_client *client)
{
    contract_cancel(client->arg);
}

struct two {
    struct contract_client *one;
    struct contract_client *other;
};

static bool either_ended(void *arg)
{
    const struct two *two = arg;

    return two->one->ended || two->other->ended;
}

/* Whichever head comes first cancels the other exchange. */
static void of_another_exchange(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_client other;
    struct two two = {&pair.client, &other};

    contract_pair_init(&pair, world);
    contract_client_init(&other, world);
    contract_pair_serve(&pair);
    pair.client.arg = &other;
    pair.client.on_head = cancel_other;
    other.arg = &pair.client;
    other.on_head = cancel_other;
    contract_send(&pair.client, &pair.request);
    pair.request = contract_get(&other, &pair.server, "/other");
    contract_send(&other, &pair.request);
    contract_wait(world, either_ended, &two, "the end of one");
    contract_pass(world, CONTRACT_SHORT_US);
    assert_true(pair.client.ended != other.ended);
    contract_client_release(&other);
    contract_pair_release(&pair);
}

static void hold(struct contract_server *server)
{
    *(bool *)server->arg = true; /* and no answer */
}

static void tells_the_server_that_waits(struct contract_world *world)
{
    struct contract_pair pair;
    bool held = false;

    contract_pair_init(&pair, world);
    pair.server.arg = &held;
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &held, "the request");
    contract_cancel(&pair.client);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void an_answer_to_one_that_left_does_no_harm(struct contract_world *world)
{
    struct contract_pair pair;
    bool held = false;

    contract_pair_init(&pair, world);
    pair.server.arg = &held;
    pair.server.on_end = hold;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_until(world, &held, "the request");
    contract_cancel(&pair.client);
    request_respond(pair.server.request, &pair.server.answer);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    contract_pass(world, CONTRACT_SHORT_US);
    assert_int_equal(pair.server.closed, 1);
    contract_pair_release(&pair);
}

static bool none_is_open(void *arg)
{
    const struct contract_server *server = arg;

    contract_pass(server->world, 5 * CONTRACT_SHORT_US);
    return server->closed == server->requests;
}

static void in_mid_upload(struct contract_world *world)
{
    enum { SIZE = 16 * 1024 * 1024 };
    struct contract_pair pair;
    char *bytes = contract_pattern(SIZE);

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.request.method = "POST";
    pair.request.body = bytes;
    pair.request.body_size = SIZE;
    contract_send(&pair.client, &pair.request);
    free(bytes);
    contract_pass(world, 5000);
    contract_cancel(&pair.client);
    contract_wait(world, none_is_open, &pair.server, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void send_again(struct contract_client *client)
{
    struct contract_pair *pair = client->arg;

    client->on_end = NULL;
    client->ended = false;
    contract_send(client, &pair->request);
}

static void an_end_may_begin_another(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.client.arg = &pair;
    pair.client.on_end = send_again;
    contract_send(&pair.client, &pair.request);
    contract_until(world, &pair.client.ended, "the second end");
    assert_int_equal(pair.server.requests, 2);
    contract_pair_release(&pair);
}

const struct contract_case contract_cancels[] = {
    {"cancel/in_on_head",                              in_on_head                             },
    {"cancel/in_on_body",                              in_on_body                             },
    {"cancel/in_on_body_of_the_last_piece",            in_on_body_of_the_last_piece           },
    {"cancel/in_on_end",                               in_on_end                              },
    {"cancel/in_on_end_of_one_that_was_refused",       in_on_end_of_one_that_was_refused      },
    {"cancel/right_after_the_request",                 right_after_the_request                },
    {"cancel/of_a_request_that_cannot_be_sent",        of_a_request_that_cannot_be_sent       },
    {"cancel/of_another_exchange",                     of_another_exchange                    },
    {"cancel/tells_the_server_that_waits",             tells_the_server_that_waits            },
    {"cancel/an_answer_to_one_that_left_does_no_harm", an_answer_to_one_that_left_does_no_harm},
    {"cancel/in_mid_upload",                           in_mid_upload                          },
    {"exchange/an_end_may_begin_another",              an_end_may_begin_another               },
    {NULL,                                             NULL                                   },
};
