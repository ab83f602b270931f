/* contract_early - answers and refusals before the body of a request was whole. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "tests/contract/contract.h"

#define LARGE (8 * 1024 * 1024)

/* A POST of that size, answered by what the server was told to do. */
static void post(struct contract_pair *pair, size_t size)
{
    char *bytes = contract_pattern(size);

    contract_pair_serve(pair);
    pair->request.method = "POST";
    pair->request.body = bytes;
    pair->request.body_size = size;
    contract_pair_fetch(pair);
    free(bytes);
}

static void respond_413(struct contract_server *server)
{
    server->answer.status = 413;
    request_respond(server->request, &server->answer);
}

static void refuse_head(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    contract_accept(server);
    respond_413(server);
}

static void an_answer_to_the_head_refuses_the_body(struct contract_world *world)
{
    static const size_t sizes[] = {1, 1000, LARGE};

    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct contract_pair pair;

        contract_pair_init(&pair, world);
        pair.server.on_request = refuse_head;
        post(&pair, sizes[i]);
        contract_pair_expect(&pair, "head|body|complete");
        assert_int_equal(pair.client.status, 413);
        assert_string_equal(pair.client.header, "yes");
        assert_string_equal(buffer_text(&pair.client.body), "hello");
        assert_int_equal(pair.server.body.size, 0);
        assert_int_equal(pair.server.ends, 0);
        assert_int_equal(pair.server.delivered, 1);
        contract_pair_release(&pair);
    }
}

static void refuse_piece(struct contract_server *server, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    assert_int_equal(server->delivered, 0);
    respond_413(server);
}

static void an_answer_to_a_piece_refuses_the_rest(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_body = refuse_piece;
    post(&pair, LARGE);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 413);
    assert_true(pair.server.body.size > 0 && pair.server.body.size < LARGE);
    assert_int_equal(pair.server.ends, 0);
    assert_int_equal(pair.server.delivered, 1);
    contract_pair_release(&pair);
}

static void an_answer_may_be_pulled_before_the_body_is_whole(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "1k+wk3e");
    pair.server.on_body = refuse_piece;
    post(&pair, LARGE);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 413);
    assert_int_equal(pair.client.body.size, 2004);
    assert_int_equal(pair.server.delivered, 1);
    contract_pair_release(&pair);
}

static void a_pulled_early_answer_may_be_reset(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "1kr");
    pair.server.on_body = refuse_piece;
    post(&pair, LARGE);
    assert_int_equal(pair.client.end, EXCHANGE_RESET);
    assert_int_equal(pair.server.delivered, 0);
    contract_pair_release(&pair);
}

static void a_large_early_answer_arrives_whole(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    contract_pair_init(&pair, world);
    pair.server.on_request = refuse_head;
    pair.server.answer.body = bytes;
    pair.server.answer.body_size = LARGE;
    post(&pair, 100000);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, LARGE);
    assert_memory_equal(pair.client.body.bytes, bytes, LARGE);
    contract_pair_release(&pair);
    free(bytes);
}

static void the_connection_is_not_used_again(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = refuse_head;
    post(&pair, 1000);
    pair.server.on_request = NULL;
    pair.server.is_closed = false;
    pair.client.ended = false;
    buffer_clear(&pair.client.trace);
    pair.request.method = "GET";
    pair.request.body = NULL;
    pair.request.body_size = 0;
    contract_pair_fetch(&pair);
    assert_int_equal(pair.server.requests, 2);
    assert_int_equal(pair.client.end, EXCHANGE_COMPLETE);
    contract_pair_release(&pair);
}

/* --- 100-continue --- */

static void expecting(struct contract_pair *pair, size_t size)
{
    static const struct http_header header = {"Expect", "100-continue"};
    char *bytes = contract_pattern(size);

    contract_pair_serve(pair);
    pair->request.method = "POST";
    pair->request.headers = &header;
    pair->request.header_count = 1;
    pair->request.body = bytes;
    pair->request.body_size = size;
    contract_pair_fetch(pair);
    free(bytes);
}

static void a_client_that_expects_is_told_to_go_on(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    expecting(&pair, 100000);
    contract_pair_expect(&pair, "head|body|complete"); /* the 100 is no head */
    assert_int_equal(pair.client.status, 200);
    assert_int_equal(pair.server.body.size, 100000);
    contract_pair_release(&pair);
}

static void a_client_that_expects_is_refused_before_it_sends(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = refuse_head;
    expecting(&pair, 100000);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 413);
    assert_int_equal(pair.server.body.size, 0);
    contract_pair_release(&pair);
}

/* --- resets --- */

static void reset(struct contract_server *server)
{
    struct request *request = server->request;

    server->request = NULL;
    server->is_closed = true;
    request_reset(request);
}

static void reset_head(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    reset(server);
}

static void reset_accepted(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    contract_accept(server);
    reset(server);
}

static void reset_piece(struct contract_server *server, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    reset(server);
}

static void expect_reset(struct contract_pair *pair)
{
    contract_pair_expect(pair, "reset");
    assert_int_equal(pair->server.closed, 0); /* resetting calls nobody */
    contract_pair_release(pair);
}

static void a_reset_before_accepting(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = reset_head;
    post(&pair, 1000);
    expect_reset(&pair);
    contract_pair_init(&pair, world);
    pair.server.on_request = reset_head;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    expect_reset(&pair);
}

static void a_reset_after_accepting(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = reset_accepted;
    post(&pair, 1000);
    expect_reset(&pair);
}

static void a_reset_in_mid_body(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_body = reset_piece;
    post(&pair, LARGE);
    expect_reset(&pair);
}

static void a_reset_after_the_body(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = reset;
    post(&pair, 1000);
    expect_reset(&pair);
}

static void respond_and_reset(struct contract_server *server)
{
    request_respond(server->request, &server->answer);
    reset(server);
}

static void a_reset_right_after_the_answer(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_end = respond_and_reset;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    expect_reset(&pair);
}

static void reset_closed(struct contract_server *server, bool delivered)
{
    (void)delivered;
    request_reset(*(struct request **)server->arg);
}

static void keep_request(struct contract_server *server, const struct request_head *head)
{
    (void)head;
    *(struct request **)server->arg = server->request;
    contract_accept(server);
}

static void a_reset_inside_on_closed(struct contract_world *world)
{
    struct contract_pair pair;
    struct request *request = NULL;

    contract_pair_init(&pair, world);
    pair.server.arg = &request;
    pair.server.on_request = keep_request;
    pair.server.on_closed = reset_closed;
    contract_pair_serve(&pair);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

const struct contract_case contract_early[] = {
    {"early/an_answer_to_the_head_refuses_the_body",              an_answer_to_the_head_refuses_the_body          },
    {"early/an_answer_to_a_piece_refuses_the_rest",               an_answer_to_a_piece_refuses_the_rest           },
    {"early/an_answer_may_be_pulled",                             an_answer_may_be_pulled_before_the_body_is_whole},
    {"early/a_pulled_answer_may_be_reset",                        a_pulled_early_answer_may_be_reset              },
    {"early/a_large_answer_arrives_whole",                        a_large_early_answer_arrives_whole              },
    {"early/the_connection_is_not_used_again",                    the_connection_is_not_used_again                },
    {"continue/a_client_that_expects_is_told_to_go_on",           a_client_that_expects_is_told_to_go_on          },
    {"continue/a_client_that_expects_is_refused_before_it_sends",
     a_client_that_expects_is_refused_before_it_sends                                                             },
    {"reset/before_accepting",                                    a_reset_before_accepting                        },
    {"reset/after_accepting",                                     a_reset_after_accepting                         },
    {"reset/in_mid_body",                                         a_reset_in_mid_body                             },
    {"reset/after_the_body",                                      a_reset_after_the_body                          },
    {"reset/right_after_the_answer",                              a_reset_right_after_the_answer                  },
    {"reset/inside_on_closed",                                    a_reset_inside_on_closed                        },
    {NULL,                                                        NULL                                            },
};
