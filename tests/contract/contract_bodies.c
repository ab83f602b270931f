/* contract_bodies - large bodies, limits of answers, compression, pausing. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

/* Larger than every buffer on the way. */
#define LARGE (8 * 1024 * 1024 + 123)
/* More than all buffers between a source and a reader that stopped. */
#define ON_THE_WAY_MAX (48 * 1024 * 1024)

static void a_large_answer_arrives_whole(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    contract_pair_init(&pair, world);
    pair.server.answer.body = bytes;
    pair.server.answer.body_size = LARGE;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, LARGE);
    assert_memory_equal(pair.client.body.bytes, bytes, LARGE);
    assert_true(pair.client.piece_count > 1);
    contract_pair_release(&pair);
    free(bytes);
}

static void a_large_request_arrives_whole(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    pair.request.method = "POST";
    pair.request.body = bytes;
    pair.request.body_size = LARGE;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.server.body.size, LARGE);
    assert_memory_equal(pair.server.body.bytes, bytes, LARGE);
    contract_pair_release(&pair);
    free(bytes);
}

static void send_back(struct contract_server *server)
{
    server->answer.body = server->body.bytes;
    server->answer.body_size = server->body.size;
    request_respond(server->request, &server->answer);
    memset(server->body.bytes, 0, server->body.size); /* it was copied */
}

static void a_large_body_goes_there_and_back(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    contract_pair_init(&pair, world);
    pair.server.on_end = send_back;
    contract_pair_serve(&pair);
    pair.request.method = "PUT";
    pair.request.body = bytes;
    pair.request.body_size = LARGE;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, LARGE);
    assert_memory_equal(pair.client.body.bytes, bytes, LARGE);
    contract_pair_release(&pair);
    free(bytes);
}

static void shared_bytes_are_let_go_of(struct contract_world *world)
{
    struct contract_pair pair;
    struct bytes *shared = bytes_new("shared", 6);

    contract_pair_init(&pair, world);
    pair.server.answer.body = NULL;
    pair.server.answer.body_size = 0;
    pair.server.answer.shared = shared;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    assert_string_equal(buffer_text(&pair.client.body), "shared");
    contract_pair_release(&pair);
    contract_pass(world, CONTRACT_SHORT_US); /* what was on its way is gone, too */
    assert_int_equal(shared->references, 1);
    bytes_unref(shared);
}

/* --- limits --- */

static void fetch_within(struct contract_world *world, size_t size, size_t size_max, bool gzip,
                         const char *want)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(size);

    contract_pair_init(&pair, world);
    pair.server.answer.body = bytes;
    pair.server.answer.body_size = size;
    pair.server.answer.gzip_size_min = gzip ? 1 : 0;
    contract_pair_serve(&pair);
    pair.request.response_bytes_max = size_max;
    pair.request.gzip = gzip;
    contract_fetch(&pair.client, &pair.request);
    assert_int_equal(pair.client.status, 200);
    assert_string_equal(exchange_end_name(pair.client.end), want);
    if (pair.client.end == EXCHANGE_COMPLETE) {
        assert_int_equal(pair.client.body.size, size);
        assert_memory_equal(pair.client.body.bytes, bytes, size);
    }
    assert_true(pair.client.body.size <= size_max);
    contract_pair_release(&pair);
    free(bytes);
}

static void an_answer_may_fill_its_limit_and_no_more(struct contract_world *world)
{
    fetch_within(world, 1, 1, false, "complete");
    fetch_within(world, 2, 1, false, "too large");
    fetch_within(world, 100000, 100000, false, "complete");
    fetch_within(world, 100001, 100000, false, "too large");
    fetch_within(world, 3000000, 100000, false, "too large");
}

static void the_limit_counts_decoded_bytes(struct contract_world *world)
{
    fetch_within(world, 100000, 100000, true, "complete");
    fetch_within(world, 100001, 100000, true, "too large");
    fetch_within(world, 3000000, 100000, true, "too large");
}

/* --- compression --- */

static void a_compressed_answer_arrives_decoded(struct contract_world *world)
{
    fetch_within(world, 1, 10000000, true, "complete");
    fetch_within(world, LARGE, LARGE, true, "complete");
}

static void nobody_compresses_unasked(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.answer.gzip_size_min = 1;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    assert_string_equal(buffer_text(&pair.client.body), "hello");
    contract_pair_release(&pair);
}

/* --- pausing --- */

static void pause_now(struct contract_client *client)
{
    exchange_pause(client->exchange);
}

static void pause_once(struct contract_client *client)
{
    if (client->piece_count == 1)
        exchange_pause(client->exchange);
}

struct flow {
    const struct contract_source *source;
    struct contract_world *world;
    size_t pulled;
};

/* The buffers on the way are full: nothing was pulled for a while. */
static bool stands_still(void *arg)
{
    struct flow *flow = arg;
    size_t before = flow->pulled;

    contract_pass(flow->world, 5 * CONTRACT_SHORT_US);
    flow->pulled = flow->source->pulled;
    return flow->pulled == before;
}

static bool has_moved(void *arg)
{
    const struct flow *flow = arg;

    return flow->source->pulled > flow->pulled;
}

static void a_slow_reader_stops_the_source(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;
    struct flow flow = {&source, world, 0};
    size_t got;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "*");
    pair.client.on_body = pause_once;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_wait_bytes(&pair.client, 1);
    contract_wait(world, stands_still, &flow, "a stop of the source");
    got = pair.client.body.size;
    assert_int_equal(pair.client.piece_count, 1);
    assert_true(flow.pulled < ON_THE_WAY_MAX);
    exchange_resume(pair.client.exchange);
    contract_wait_bytes(&pair.client, got + 1);
    contract_wait(world, has_moved, &flow, "more from the source");
    contract_cancel(&pair.client);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void a_paused_exchange_waits_with_its_end(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.client.on_head = pause_now;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_wait_head(&pair.client);
    contract_pass(world, 3 * CONTRACT_SHORT_US);
    contract_pair_expect(&pair, "head");
    exchange_resume(pair.client.exchange);
    contract_until(world, &pair.client.ended, "the end");
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void a_pause_right_away_lets_the_head_through(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    exchange_pause(pair.client.exchange);
    contract_wait_head(&pair.client);
    contract_pass(world, 3 * CONTRACT_SHORT_US);
    contract_pair_expect(&pair, "head");
    exchange_resume(pair.client.exchange);
    exchange_pause(pair.client.exchange);
    exchange_resume(pair.client.exchange);
    contract_until(world, &pair.client.ended, "the end");
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

static void a_paused_exchange_can_be_cancelled(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "*");
    pair.client.on_body = pause_once;
    contract_pair_serve(&pair);
    contract_send(&pair.client, &pair.request);
    contract_wait_bytes(&pair.client, 1);
    contract_cancel(&pair.client);
    contract_until(world, &pair.server.is_closed, "the end of the request");
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

const struct contract_case contract_bodies[] = {
    {"body/a_large_answer_arrives_whole",             a_large_answer_arrives_whole            },
    {"body/a_large_request_arrives_whole",            a_large_request_arrives_whole           },
    {"body/a_large_body_goes_there_and_back",         a_large_body_goes_there_and_back        },
    {"body/shared_bytes_are_let_go_of",               shared_bytes_are_let_go_of              },
    {"body/an_answer_may_fill_its_limit_and_no_more", an_answer_may_fill_its_limit_and_no_more},
    {"body/the_limit_counts_decoded_bytes",           the_limit_counts_decoded_bytes          },
    {"body/a_compressed_answer_arrives_decoded",      a_compressed_answer_arrives_decoded     },
    {"body/nobody_compresses_unasked",                nobody_compresses_unasked               },
    {"pause/a_slow_reader_stops_the_source",          a_slow_reader_stops_the_source          },
    {"pause/a_paused_exchange_waits_with_its_end",    a_paused_exchange_waits_with_its_end    },
    {"pause/right_away_lets_the_head_through",        a_pause_right_away_lets_the_head_through},
    {"pause/a_paused_exchange_can_be_cancelled",      a_paused_exchange_can_be_cancelled      },
    {NULL,                                            NULL                                    },
};
