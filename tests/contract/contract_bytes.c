/* contract_bytes - peers that speak bytes: slow ones, half-closed ones, and servers that lie. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

static const char head[] = "GET /x HTTP/1.1\r\nHost: h\r\n\r\n";

static void send_text(struct contract_raw *raw, struct contract_world *world, const char *text)
{
    world->raw_send(raw, text, strlen(text));
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;

    for (const char *at = strstr(text, what); at != NULL; at = strstr(at + 1, what))
        found++;
    return found;
}

struct byte_case {
    struct contract_server server;
    struct contract_raw *raw;
};

static void start(struct byte_case *made, struct contract_world *world)
{
    if (world->raw_connect == NULL)
        skip();
    contract_server_init(&made->server, world);
}

static void connect_raw(struct byte_case *made)
{
    struct contract_world *world = made->server.world;

    contract_serve(&made->server);
    made->raw = world->raw_connect(world, listener_port(made->server.listener));
}

static const char *received(struct byte_case *made, bool *ret_closed)
{
    return made->server.world->raw_received(made->raw, ret_closed);
}

struct expected {
    struct byte_case *made;
    unsigned answers; /* of status 200 */
    bool closed;
};

static bool has_come(void *arg)
{
    const struct expected *expected = arg;
    bool closed;
    const char *text = received(expected->made, &closed);

    return count(text, "HTTP/1.1 200 ") == expected->answers && closed == expected->closed;
}

static void expect(struct byte_case *made, unsigned answers, bool closed)
{
    struct expected expected = {made, answers, closed};

    contract_wait(made->server.world, has_come, &expected, "so many answers, or the close");
}

/* --- clients --- */

static void a_slow_sender_is_served(struct contract_world *world)
{
    static const char text[] = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\n\r\nabc";
    struct byte_case made;

    start(&made, world);
    connect_raw(&made);
    for (size_t i = 0; i < strlen(text); i++) {
        world->raw_send(made.raw, text + i, 1);
        contract_pass(world, 1000);
    }
    contract_until(world, &made.server.is_closed, "the end of the request");
    expect(&made, 1, false);
    assert_string_equal(buffer_text(&made.server.body), "abc");
    assert_int_equal(made.server.ends, 1);
    contract_server_release(&made.server);
}

static bool has_three(void *arg)
{
    return ((const struct contract_server *)arg)->body.size >= 3;
}

static void pieces_are_told_as_they_come(struct contract_world *world)
{
    struct byte_case made;

    start(&made, world);
    connect_raw(&made);
    send_text(made.raw, world, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc");
    contract_wait(world, has_three, &made.server, "the first piece");
    contract_pass(world, CONTRACT_SHORT_US);
    assert_string_equal(buffer_text(&made.server.body), "abc");
    assert_int_equal(made.server.ends, 0);
    send_text(made.raw, world, "def");
    contract_until(world, &made.server.is_closed, "the end of the request");
    assert_string_equal(buffer_text(&made.server.body), "abcdef");
    contract_server_release(&made.server);
}

static void a_chunked_request_is_put_together(struct contract_world *world)
{
    struct byte_case made;

    start(&made, world);
    connect_raw(&made);
    send_text(made.raw, world,
              "POST /x HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n"
              "3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n");
    contract_until(world, &made.server.is_closed, "the end of the request");
    assert_string_equal(buffer_text(&made.server.body), "abcdef");
    assert_int_equal(made.server.delivered, 1);
    contract_server_release(&made.server);
}

static void pipelined_requests_are_answered_in_order(struct contract_world *world)
{
    struct byte_case made;

    start(&made, world);
    connect_raw(&made);
    send_text(made.raw, world, head);
    send_text(made.raw, world, head);
    send_text(made.raw, world, head);
    expect(&made, 3, false);
    contract_pass(world, CONTRACT_SHORT_US);
    assert_int_equal(made.server.requests, 3);
    assert_int_equal(made.server.delivered, 3);
    contract_server_release(&made.server);
}

static void hold(struct contract_server *server)
{
    *(bool *)server->arg = true;
}

static void a_half_closed_peer_that_waits_is_gone(struct contract_world *world)
{
    struct byte_case made;
    bool held = false;

    start(&made, world);
    made.server.on_end = hold;
    made.server.arg = &held;
    connect_raw(&made);
    send_text(made.raw, world, head);
    contract_until(world, &held, "the request");
    world->raw_half_close(made.raw);
    contract_until(world, &made.server.is_closed, "the end of the request");
    expect(&made, 0, true);
    assert_int_equal(made.server.delivered, 0);
    contract_server_release(&made.server);
}

static void a_body_that_breaks_off_never_ends(struct contract_world *world)
{
    struct byte_case made;

    start(&made, world);
    connect_raw(&made);
    send_text(made.raw, world, "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 6\r\n\r\nabc");
    world->raw_half_close(made.raw);
    contract_until(world, &made.server.is_closed, "the end of the request");
    assert_int_equal(made.server.ends, 0);
    assert_int_equal(made.server.delivered, 0);
    contract_server_release(&made.server);
}

static void a_head_that_never_ends_is_cut_off(struct contract_world *world)
{
    struct byte_case made;
    bool closed = false;

    start(&made, world);
    made.server.options.header_timeout_us = 2 * CONTRACT_SHORT_US;
    connect_raw(&made);
    for (unsigned i = 0; i < 100 && !closed; i++) { /* never silent for long */
        send_text(made.raw, world, i == 0 ? "GET /" : "x");
        contract_pass(world, CONTRACT_SHORT_US / 4);
        (void)received(&made, &closed);
    }
    assert_true(closed);
    assert_int_equal(made.server.requests, 0);
    contract_server_release(&made.server);
}

static void a_body_that_never_ends_is_cut_off(struct contract_world *world)
{
    struct byte_case made;
    bool closed = false;

    start(&made, world);
    made.server.options.body_timeout_us = 2 * CONTRACT_SHORT_US;
    connect_raw(&made);
    send_text(made.raw, world, "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    for (unsigned i = 0; i < 100 && !closed; i++) {
        send_text(made.raw, world, "x");
        contract_pass(world, CONTRACT_SHORT_US / 4);
        (void)received(&made, &closed);
    }
    assert_true(closed);
    contract_until(world, &made.server.is_closed, "the end of the request");
    assert_int_equal(made.server.requests, 1);
    assert_int_equal(made.server.ends, 0);
    assert_int_equal(made.server.delivered, 0);
    contract_server_release(&made.server);
}

static void a_malformed_head_reaches_nobody(struct contract_world *world)
{
    static const char *const heads[] = {
        "GET / HTTP/1.1\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n",
        "GET / HTTP/1.1\r\nHost : a\r\n\r\n",
        "nonsense\r\n\r\n",
    };

    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        struct byte_case made;
        bool closed;
        const char *text;

        start(&made, world);
        connect_raw(&made);
        send_text(made.raw, world, heads[i]);
        expect(&made, 0, true);
        text = received(&made, &closed);
        if (made.server.requests != 0 ||
            (*text != '\0' && !text_starts_with(text, "HTTP/1.1 400 ")))
            fail_msg("head %zu: %u requests, %s", i, made.server.requests, text);
        contract_server_release(&made.server);
    }
}

/* --- servers --- */

static void fetch_raw(struct contract_world *world, const char *answer, enum contract_then then,
                      struct contract_client *client)
{
    struct http_request request = {.method = "GET", .response_bytes_max = 1000000};
    uint16_t port = 0;

    if (world->raw_serve == NULL)
        skip();
    contract_client_init(client, world);
    world->raw_serve(world, answer, then, &port);
    client->url = xprintf("http://%s:%u/", world->host, (unsigned)port);
    request.url = client->url;
    if (then == CONTRACT_THEN_SILENCE)
        request.total_timeout_us = 4 * CONTRACT_SHORT_US;
    contract_fetch(client, &request);
}

static void an_answer_is_judged_by_its_bytes(struct contract_world *world)
{
    static const struct {
        const char *answer;
        enum contract_then then;
        const char *trace;
    } rows[] = {
        {"",                                                                              CONTRACT_THEN_CLOSE,   "reset"             },
        {"",                                                                              CONTRACT_THEN_RESET,   "reset"             },
        {"",                                                                              CONTRACT_THEN_SILENCE, "timed out"         },
        {"nonsense without a status line at all\r\n\r\n",                                 CONTRACT_THEN_CLOSE,   "malformed"         },
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",                             CONTRACT_THEN_CLOSE,
         "head|body|complete"                                                                                                        },
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",                             CONTRACT_THEN_SILENCE,
         "head|body|complete"                                                                                                        },
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",                               CONTRACT_THEN_CLOSE,   "head|body|reset"   },
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",                               CONTRACT_THEN_SILENCE,
         "head|body|timed out"                                                                                                       },
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n",                                      CONTRACT_THEN_CLOSE,   "reset"             },
        {"HTTP/1.1 200 OK\r\n\r\nuntil the close",                                        CONTRACT_THEN_CLOSE,   "head|body|complete"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n0\r\n\r\n",                                                CONTRACT_THEN_CLOSE,   "head|body|complete"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3\r\nabc\r\n",                                                         CONTRACT_THEN_CLOSE,   "head|body|reset"   },
        {"HTTP/1.1 100 Continue\r\n\r\n",                                                 CONTRACT_THEN_CLOSE,   "reset"             },
        {"HTTP/1.1 200\r\nContent-Length: 2\r\n\r\nok",                                   CONTRACT_THEN_CLOSE,   "head|body|complete"},
        {"HTTP/1.0 200 OK\r\nContent-Length:2\t \r\n\r\nok",                              CONTRACT_THEN_CLOSE,
         "head|body|complete"                                                                                                        },
        {"HTTP/1.1 599 \xc3\xa9\r\nX-Y:\xc3\xa9\r\nContent-Length: 2\r\n\r\nok",
         CONTRACT_THEN_CLOSE,                                                                                    "head|body|complete"},
        {"HTTP/1.1 204 No Content\r\nContent-Length: 2\r\n\r\n",                          CONTRACT_THEN_CLOSE,
         "head|complete"                                                                                                             },
        {"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n2;a=b\r\nok\r\n0\r\n\r\n",
         CONTRACT_THEN_CLOSE,                                                                                    "head|body|complete"},
        {"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Test: no\r\n\r\n"
         "HTTP/1.1 200 OK\r\nX-Test: yes\r\nContent-Length: 2\r\n\r\nok",        CONTRACT_THEN_CLOSE,   "head|body|complete"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct contract_client client;

        fetch_raw(world, rows[i].answer, rows[i].then, &client);
        if (!text_equal(buffer_text(&client.trace), rows[i].trace))
            fail_msg("row %zu: %s, not %s", i, buffer_text(&client.trace), rows[i].trace);
        if (client.header != NULL)
            assert_string_equal(client.header, "yes");
        contract_client_release(&client);
    }
}

/* Readers that differ in where an answer ends let somebody put one of his own behind it. */
static void an_answer_that_can_be_read_two_ways_is_none(struct contract_world *world)
{
    static const char *const answers[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nokx",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2, 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: +2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 0x2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: \r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length : 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n"
        "2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n"
        "2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: identity\r\n\r\nok",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Test: no\r\n folded\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX-Test: a\rContent-Length: 9\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nX Test: no\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\nHTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\nrest",
        "HTTP/1.1 099 Low\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 600 High\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 2000 Long\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/1.1 20x Letter\r\nContent-Length: 2\r\n\r\nok",
        "HTTP/2 200\r\nContent-Length: 2\r\n\r\nok",
    };

    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        struct contract_client client;

        fetch_raw(world, answers[i], CONTRACT_THEN_CLOSE, &client);
        if (!text_equal(buffer_text(&client.trace), "malformed"))
            fail_msg("%s: %s", answers[i], buffer_text(&client.trace));
        contract_client_release(&client);
    }
}

static void a_broken_chunk_is_no_end(struct contract_world *world)
{
    struct contract_client client;

    fetch_raw(world, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc\r\n",
              CONTRACT_THEN_CLOSE, &client);
    assert_true(client.end == EXCHANGE_RESET || client.end == EXCHANGE_MALFORMED);
    assert_int_equal(client.body.size, 0);
    contract_client_release(&client);
}

const struct contract_case contract_bytes[] = {
    {"bytes/a_slow_sender_is_served",                  a_slow_sender_is_served                    },
    {"bytes/pieces_are_told_as_they_come",             pieces_are_told_as_they_come               },
    {"bytes/a_chunked_request_is_put_together",        a_chunked_request_is_put_together          },
    {"bytes/pipelined_requests_are_answered_in_order", pipelined_requests_are_answered_in_order   },
    {"bytes/a_half_closed_peer_that_waits_is_gone",    a_half_closed_peer_that_waits_is_gone      },
    {"bytes/a_body_that_breaks_off_never_ends",        a_body_that_breaks_off_never_ends          },
    {"bytes/a_head_that_never_ends_is_cut_off",        a_head_that_never_ends_is_cut_off          },
    {"bytes/a_body_that_never_ends_is_cut_off",        a_body_that_never_ends_is_cut_off          },
    {"bytes/a_malformed_head_reaches_nobody",          a_malformed_head_reaches_nobody            },
    {"bytes/an_answer_is_judged_by_its_bytes",         an_answer_is_judged_by_its_bytes           },
    {"bytes/an_answer_read_two_ways_is_none",          an_answer_that_can_be_read_two_ways_is_none},
    {"bytes/a_broken_chunk_is_no_end",                 a_broken_chunk_is_no_end                   },
    {NULL,                                             NULL                                       },
};
