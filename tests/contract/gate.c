/* gate - the strict gate of the live server, over raw sockets: what is malformed is answered 400
 * or not at all, its connection is closed, and no program ever hears of it.
 *
 * Each connection is a blocking socket served by a loop that runs in between; what is asserted of
 * time is only that something ends, within far more than its limit. */
#include <arpa/inet.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/certificate.h"
#include "controller/runtime/live.h"
#include "tests/contract/gate_rows.h"

/* The limits under test, and how long a test waits for what must happen. */
#define LIMIT_US (200 * US_PER_MS)
#define PATIENCE_US (20 * US_PER_SECOND)
#define TICK_US (1 * US_PER_MS)
#define FLOOD 40
#define FLOOD_CAP 8

struct house {
    struct live_runtime *live;
    struct runtime *rt;
    struct listener *listener;
    struct listen_options options;
    unsigned requests; /* that a program heard of */
    unsigned ends;
    unsigned closed;
    struct request *request;
    bool holds;         /* gives no answer */
    bool answers_early; /* whatever body may come */
    struct buffer body;
    char *target;
    bool tick;
};

/* --- the server --- */

static const struct http_response fine = {.status = 200, .body = "fine", .body_size = 4};

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct house *house = arg;

    buffer_append(&house->body, bytes, size);
}

static void on_body_end(void *arg)
{
    struct house *house = arg;

    house->ends++;
    if (!house->holds && !house->answers_early)
        request_respond(house->request, &fine);
}

static void on_closed(void *arg, bool delivered)
{
    struct house *house = arg;

    (void)delivered;
    house->closed++;
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {on_body, on_body_end, on_closed};
    struct house *house = arg;

    house->requests++;
    house->request = request;
    free(house->target);
    house->target = xstrdup(head->target);
    request_accept(request, &events, house);
    if (house->answers_early)
        request_respond(request, &fine);
}

static void house_open(struct house *house)
{
    static const struct http_service service = {on_request};
    struct error err = ERROR_INIT;

    house->live = live_new(NULL);
    house->rt = live_runtime(house->live);
    house->options.address = "127.0.0.1";
    house->body = BUFFER_INIT(1024 * 1024);
    if (!runtime_listen(house->rt, &house->options, &service, house, &house->listener, &err))
        fail_msg("%s", err.text);
}

static void house_close(struct house *house)
{
    live_free(house->live);
    buffer_release(&house->body);
    free(house->target);
}

static void on_tick(void *arg)
{
    *(bool *)arg = true;
}

/* Lets the server work for a while. */
static void serve(struct house *house, int64_t time_us)
{
    house->tick = false;
    runtime_after(house->rt, time_us, on_tick, &house->tick);
    while (!house->tick)
        assert_true(live_step(house->live));
}

/* --- a peer --- */

struct peer {
    struct house *house;
    int fd;
    struct buffer in;
    bool closed;
};

static void peer_open(struct peer *peer, struct house *house)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(listener_port(house->listener))};

    *peer = (struct peer){.house = house, .in = BUFFER_INIT(1024 * 1024)};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    peer->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(peer->fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

static void peer_close(struct peer *peer)
{
    close(peer->fd);
    buffer_release(&peer->in);
}

static void peer_send(struct peer *peer, const char *bytes, size_t size)
{
    (void)send(peer->fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT); /* it may be closed already */
}

static void peer_read(struct peer *peer)
{
    char bytes[4096];
    ssize_t size;

    while ((size = recv(peer->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
        buffer_append(&peer->in, bytes, (size_t)size);
    if (size == 0 || (errno != EAGAIN && errno != EINTR))
        peer->closed = true;
}

/* Serves until the connection is closed; false when that takes too long. */
static bool peer_wait_closed(struct peer *peer)
{
    int64_t until_us = runtime_elapsed_us(peer->house->rt) + PATIENCE_US;
    int64_t now_us = 0;

    while (!peer->closed && now_us < until_us) {
        serve(peer->house, TICK_US);
        peer_read(peer);
        now_us = runtime_elapsed_us(peer->house->rt);
    }
    return peer->closed;
}

static bool peer_wait_text(struct peer *peer, const char *text)
{
    int64_t until_us = runtime_elapsed_us(peer->house->rt) + PATIENCE_US;
    int64_t now_us = 0;

    while (strstr(buffer_text(&peer->in), text) == NULL && !peer->closed && now_us < until_us) {
        serve(peer->house, TICK_US);
        peer_read(peer);
        now_us = runtime_elapsed_us(peer->house->rt);
    }
    return strstr(buffer_text(&peer->in), text) != NULL;
}

/* --- heads --- */

static void refuse(const struct gate_row *row, size_t step)
{
    struct house house = {.live = NULL};
    struct peer peer;
    const char *text;

    house_open(&house);
    peer_open(&peer, &house);
    for (size_t i = 0; i < row->size; i += step) {
        peer_send(&peer, row->bytes + i, row->size - i < step ? row->size - i : step);
        if (step < row->size)
            serve(&house, 0);
    }
    if (!peer_wait_closed(&peer))
        fail_msg("%s: not closed; got %s", row->name, buffer_text(&peer.in));
    text = buffer_text(&peer.in);
    if (house.requests != 0)
        fail_msg("%s: was let in", row->name);
    if (*text != '\0' && strstr(text + 1, "HTTP/1.") != NULL)
        fail_msg("%s: answered twice: %s", row->name, text);
    if (*text != '\0' && !text_starts_with(text, "HTTP/1.1 400 ") &&
        !text_starts_with(text, "HTTP/1.0 400 ") && !text_starts_with(text, "HTTP/1.1 413 ") &&
        !text_starts_with(text, "HTTP/1.1 505 "))
        fail_msg("%s: answered %s", row->name, text);
    peer_close(&peer);
    house_close(&house);
}

static void test_malformed(void **state)
{
    (void)state;
    for (const struct gate_row *row = gate_malformed; row->name != NULL; row++)
        refuse(row, row->size);
}

/* The same when they come byte by byte: libmicrohttpd parses while they arrive. */
static void test_malformed_in_pieces(void **state)
{
    (void)state;
    for (const struct gate_row *row = gate_malformed; row->name != NULL; row++)
        refuse(row, 1);
}

static void let_in(const struct gate_row *row, size_t step)
{
    struct house house = {.live = NULL};
    struct peer peer;

    house_open(&house);
    peer_open(&peer, &house);
    for (size_t i = 0; i < row->size; i += step) {
        peer_send(&peer, row->bytes + i, row->size - i < step ? row->size - i : step);
        if (step < row->size)
            serve(&house, 0);
    }
    if (!peer_wait_text(&peer, "fine"))
        fail_msg("%s: %s", row->name, buffer_text(&peer.in));
    assert_int_equal(house.requests, 1);
    assert_string_equal(house.target, "/t");
    peer_close(&peer);
    house_close(&house);
}

static void test_well_formed(void **state)
{
    (void)state;
    for (const struct gate_row *row = gate_well_formed; row->name != NULL; row++) {
        let_in(row, row->size);
        let_in(row, 1);
    }
}

static void test_broken_bodies(void **state)
{
    static const char head[] = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    (void)state;
    for (const struct gate_row *row = gate_broken_bodies; row->name != NULL; row++) {
        struct house house = {.live = NULL};
        struct peer peer;

        house_open(&house);
        peer_open(&peer, &house);
        peer_send(&peer, head, sizeof(head) - 1);
        peer_send(&peer, row->bytes, row->size);
        if (!peer_wait_closed(&peer))
            fail_msg("%s: not closed", row->name);
        serve(&house, TICK_US);
        if (house.ends != 0 || house.closed != house.requests)
            fail_msg("%s: %u ends, %u closed", row->name, house.ends, house.closed);
        peer_close(&peer);
        house_close(&house);
    }
}

/* --- limits --- */

static void test_header_bytes(void **state)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\nX-Long: ";
    static const size_t limit = 8192;

    (void)state;
    for (size_t over = 0; over < 2; over++) {
        struct house house = {.options = {.header_bytes_max = limit}};
        struct peer peer;
        char *bytes = xcalloc(1, limit + 2);

        memset(bytes, 'x', limit + over);
        memcpy(bytes, head, sizeof(head) - 1);
        memcpy(bytes + limit + over - 4, "\r\n\r\n", 4);
        house_open(&house);
        peer_open(&peer, &house);
        peer_send(&peer, bytes, limit + over);
        assert_true(peer_wait_text(&peer, over == 0 ? "HTTP/1.1 200 " : "HTTP/1.1 431 "));
        assert_int_equal(house.requests, over == 0);
        if (over == 1)
            assert_true(peer_wait_closed(&peer));
        peer_close(&peer);
        house_close(&house);
        free(bytes);
    }
}

/* Heads whose parsed form is larger than their text: what libmicrohttpd has no room for is refused
 * at once, and nothing of it stays when the peer leaves first. */
static void test_many_parts(void **state)
{
    static const struct {
        const char *before;
        const char *part;
        const char *after;
        size_t count;
        const char *answer; /* NULL: refused, if it is answered at all */
    } rows[] = {
        {"GET /?",                                "a=b&",    " HTTP/1.1\r\nHost: a\r\n\r\n", 3000,  "HTTP/1.1 200 "},
        {"GET /?",                                "a&",      " HTTP/1.1\r\nHost: a\r\n\r\n", 6000,  "HTTP/1.1 200 "},
        {"GET /?",                                "a=b&",    " HTTP/1.1\r\nHost: a\r\n\r\n", 6000,  NULL           },
        {"GET /?",                                "a=b&",    " HTTP/1.1\r\nHost: a\r\n\r\n", 20000, NULL           },
        {"GET /",                                 "a",       " HTTP/1.1\r\nHost: a\r\n\r\n", 60000, NULL           },
        {"GET / HTTP/1.1\r\nHost: a\r\n",         "a:b\r\n", "\r\n",                         3000,  NULL           },
        {"GET / HTTP/1.1\r\nHost: a\r\nCookie: ", "a=b;",    "\r\n\r\n",                     3000,  NULL           },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows) * 2; i++) {
        struct house house = {.options = {.header_timeout_us = 2 * PATIENCE_US}};
        size_t row = i / 2;
        struct buffer bytes = BUFFER_INIT(1024 * 1024);
        struct peer peer;

        buffer_append_text(&bytes, rows[row].before);
        for (size_t part = 0; part < rows[row].count; part++)
            buffer_append_text(&bytes, rows[row].part);
        buffer_append_text(&bytes, rows[row].after);
        house_open(&house);
        peer_open(&peer, &house);
        peer_send(&peer, bytes.bytes, bytes.size);
        if (i % 2 == 1) {
            close(peer.fd); /* at once */
            peer.fd = -1;
            serve(&house, LIMIT_US / 4);
        } else if (rows[row].answer != NULL) {
            if (!peer_wait_text(&peer, rows[row].answer))
                fail_msg("row %zu: %s", row, buffer_text(&peer.in));
        } else {
            if (!peer_wait_closed(&peer))
                fail_msg("row %zu: not closed", row);
            if (strstr(buffer_text(&peer.in), " 200 ") != NULL)
                fail_msg("row %zu: let in", row);
            if (peer.in.size > 0 && strstr(buffer_text(&peer.in) + 1, "HTTP/1.") != NULL)
                fail_msg("row %zu: answered twice: %s", row, buffer_text(&peer.in));
        }
        peer_close(&peer);
        house_close(&house);
        buffer_release(&bytes);
    }
}

/* A head without an end fills no memory: it is refused before its time is over. */
static void test_endless_header(void **state)
{
    struct house house = {.options = {.header_timeout_us = PATIENCE_US}};
    struct peer peer;
    char bytes[4096];

    (void)state;
    memset(bytes, 'x', sizeof(bytes));
    house_open(&house);
    peer_open(&peer, &house);
    peer_send(&peer, "GET / HTTP/1.1\r\nHost: a\r\nX: ", 29);
    for (unsigned i = 0; i < 1000 && !peer.closed; i++) {
        peer_send(&peer, bytes, sizeof(bytes));
        serve(&house, 0);
        peer_read(&peer);
    }
    assert_true(peer_wait_closed(&peer));
    assert_int_equal(house.requests, 0);
    peer_close(&peer);
    house_close(&house);
}

/* Sends a byte now and then, so that no idle limit would ever pass, until it is cut off. */
static void drip_until_closed(struct peer *peer)
{
    int64_t before_us = runtime_elapsed_us(peer->house->rt);
    int64_t now_us = before_us;

    while (!peer->closed && now_us < before_us + PATIENCE_US) {
        peer_send(peer, "x", 1);
        serve(peer->house, LIMIT_US / 10);
        peer_read(peer);
        now_us = runtime_elapsed_us(peer->house->rt);
    }
    assert_true(peer->closed);
    assert_true(now_us - before_us >= LIMIT_US / 2);
}

static void test_slow_header(void **state)
{
    struct house house = {.options = {.header_timeout_us = LIMIT_US}};
    struct peer peer;

    (void)state;
    house_open(&house);
    peer_open(&peer, &house);
    peer_send(&peer, "GET /", 5);
    drip_until_closed(&peer);
    assert_int_equal(house.requests, 0);
    peer_close(&peer);
    house_close(&house);
}

static void test_slow_second_header(void **state)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    struct house house = {.options = {.header_timeout_us = LIMIT_US}};
    struct peer peer;

    (void)state;
    house_open(&house);
    peer_open(&peer, &house);
    peer_send(&peer, head, sizeof(head) - 1);
    assert_true(peer_wait_text(&peer, "fine"));
    peer_send(&peer, "GET /", 5);
    drip_until_closed(&peer);
    assert_int_equal(house.requests, 1);
    peer_close(&peer);
    house_close(&house);
}

static void test_silent_connection(void **state)
{
    struct house house = {.options = {.header_timeout_us = LIMIT_US}};
    struct peer peer;

    (void)state;
    house_open(&house);
    peer_open(&peer, &house);
    assert_true(peer_wait_closed(&peer));
    peer_close(&peer);
    house_close(&house);
}

static void test_slow_body(void **state)
{
    static const char *const heads[] = {
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(heads); i++) {
        struct house house = {.options = {.body_timeout_us = LIMIT_US}};
        struct peer peer;

        house_open(&house);
        peer_open(&peer, &house);
        peer_send(&peer, heads[i], strlen(heads[i]));
        drip_until_closed(&peer);
        serve(&house, TICK_US);
        assert_int_equal(house.requests, 1);
        assert_int_equal(house.ends, 0);
        assert_int_equal(house.closed, 1);
        peer_close(&peer);
        house_close(&house);
    }
}

static void test_flood(void **state)
{
    struct house house = {.options = {.connections_max = FLOOD_CAP}, .holds = true};
    struct peer peers[FLOOD];
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    unsigned closed = 0;

    (void)state;
    house_open(&house);
    for (size_t i = 0; i < FLOOD; i++)
        peer_open(&peers[i], &house);
    serve(&house, LIMIT_US);
    for (size_t i = 0; i < FLOOD; i++)
        peer_send(&peers[i], head, sizeof(head) - 1);
    serve(&house, LIMIT_US);
    for (size_t i = 0; i < FLOOD; i++) {
        peer_read(&peers[i]);
        closed += peers[i].closed;
    }
    assert_int_equal(house.requests, FLOOD_CAP);
    assert_int_equal(closed, FLOOD - FLOOD_CAP);
    for (size_t i = 0; i < FLOOD; i++)
        peer_close(&peers[i]);
    serve(&house, LIMIT_US);
    assert_int_equal(house.closed, FLOOD_CAP); /* and the places are free */
    peer_open(&peers[0], &house);
    peer_send(&peers[0], head, sizeof(head) - 1);
    serve(&house, LIMIT_US);
    assert_int_equal(house.requests, FLOOD_CAP + 1);
    peer_close(&peers[0]);
    house_close(&house);
}

/* Those who hold connections, and send a byte now and then, do not keep out who asks. */
static void test_flood_of_slow_ones(void **state)
{
    static const char head[] = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    static const char *const starts[] = {
        "",
        "GET / HTTP/1.1\r\nHost: a\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 99999\r\n\r\nx",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        struct house house = {.options = {.connections_max = FLOOD_CAP}, .answers_early = true};
        struct peer peers[FLOOD_CAP + 1];
        unsigned before;

        house_open(&house);
        for (size_t j = 0; j <= FLOOD_CAP; j++) {
            peer_open(&peers[j], &house);
            before = house.requests;
            if (j < FLOOD_CAP)
                peer_send(&peers[j], starts[i], strlen(starts[i]));
            else
                peer_send(&peers[j], head, strlen(head));
            serve(&house, LIMIT_US / 10);
        }
        if (house.requests != before + 1)
            fail_msg("not let in beside: %s", starts[i]);
        for (size_t j = 0; j <= FLOOD_CAP; j++)
            peer_close(&peers[j]);
        serve(&house, LIMIT_US);
        house_close(&house);
    }
}

/* What comes behind a refused request is never read as another one. */
static void test_nothing_behind_a_refusal(void **state)
{
    static const struct gate_row row = {
        "a request behind", GATE_TEXT("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n"
                                      "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                                      "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n")};

    (void)state;
    refuse(&row, row.size);
    refuse(&row, 1);
}

static void test_pipelining(void **state)
{
    static const char heads[] = "GET /1 HTTP/1.1\r\nHost: a\r\n\r\n"
                                "POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc"
                                "GET /3 HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                                "GET /4 HTTP/1.1\r\nHost: a\r\n\r\n";
    struct house house = {.live = NULL};
    struct peer peer;

    (void)state;
    house_open(&house);
    peer_open(&peer, &house);
    peer_send(&peer, heads, sizeof(heads) - 1);
    assert_true(peer_wait_closed(&peer));
    assert_int_equal(house.requests, 3);
    assert_string_equal(house.target, "/3");
    assert_string_equal(buffer_text(&house.body), "abc");
    peer_close(&peer);
    house_close(&house);
}

/* --- TLS --- */

static void issue(struct certificate *ret_certificate)
{
    struct certificate_options options = {.common_name = "server",
                                          .not_after_us = INT64_C(4000000000) * US_PER_SECOND};
    struct error err = ERROR_INIT;

    assert_true(certificate_issue(&options, NULL, ret_certificate, &err));
}

static void test_garbage_instead_of_tls(void **state)
{
    static const struct gate_row rows[] = {
        {"plain HTTP",               GATE_TEXT("GET / HTTP/1.1\r\nHost: a\r\n\r\n")   },
        {"nonsense",                 GATE_TEXT("\xff\xfe\xfd\xfc\xfb\xfa\xf9\xf8")    },
        {"a record too long",        GATE_TEXT("\x16\x03\x01\xff\xff\x01\x00\x00\x00")},
        {"nothing",                  GATE_TEXT("")                                    },
        {"the start of a handshake", GATE_TEXT("\x16\x03\x01\x00\xa5\x01")            },
    };
    struct certificate certificate;
    struct tls_server tls;

    (void)state;
    issue(&certificate);
    tls = (struct tls_server){certificate.certificate_pem, certificate.key_pem, NULL};
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct house house = {
            .options = {.tls = &tls, .header_timeout_us = LIMIT_US}
        };
        struct peer peer;

        house_open(&house);
        peer_open(&peer, &house);
        peer_send(&peer, rows[i].bytes, rows[i].size);
        if (!peer_wait_closed(&peer))
            fail_msg("%s: not closed", rows[i].name);
        assert_int_equal(house.requests, 0);
        peer_close(&peer);
        house_close(&house);
    }
    certificate_release(&certificate);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_malformed),          cmocka_unit_test(test_malformed_in_pieces),
        cmocka_unit_test(test_well_formed),        cmocka_unit_test(test_broken_bodies),
        cmocka_unit_test(test_header_bytes),       cmocka_unit_test(test_many_parts),
        cmocka_unit_test(test_endless_header),     cmocka_unit_test(test_slow_header),
        cmocka_unit_test(test_slow_second_header), cmocka_unit_test(test_silent_connection),
        cmocka_unit_test(test_slow_body),          cmocka_unit_test(test_flood),
        cmocka_unit_test(test_flood_of_slow_ones), cmocka_unit_test(test_nothing_behind_a_refusal),
        cmocka_unit_test(test_pipelining),         cmocka_unit_test(test_garbage_instead_of_tls),
    };

    return cmocka_run_group_tests_name("contract/gate", tests, NULL, NULL);
}
