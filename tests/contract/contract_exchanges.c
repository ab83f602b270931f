/* contract_exchanges - plain requests and their answers, and how exchanges end. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

static void a_get_is_answered(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_serve(&pair.server);
    pair.request = contract_get(&pair.client, &pair.server, "/a/b?c=d%2Fe&f");
    contract_send(&pair.client, &pair.request);
    memset(pair.client.url, 'x', strlen(pair.client.url)); /* what it points to is copied */
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 200);
    assert_string_equal(pair.client.header, "yes");
    assert_string_equal(buffer_text(&pair.client.body), "hello");
    assert_string_equal(pair.server.method, "GET");
    assert_string_equal(pair.server.target, "/a/b?c=d%2Fe&f");
    assert_int_equal(pair.server.delivered, 1);
    assert_int_equal(pair.server.ends, 1);
    contract_pair_release(&pair);
}

static void a_target_arrives_undecoded(struct contract_world *world)
{
    static const char *const targets[] = {
        "/%2e%2e/%2F?a=%26&&b=+&=c", "/a//b/../c/./d", "/?", "/%41%00%ff", "/a;b=c:d@e!$'()*,-._~",
    };

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        struct contract_pair pair;

        contract_pair_init(&pair, world);
        contract_serve(&pair.server);
        pair.request = contract_get(&pair.client, &pair.server, targets[i]);
        contract_pair_fetch(&pair);
        assert_string_equal(pair.server.target, targets[i]);
        contract_pair_release(&pair);
    }
}

static void post_body(struct contract_world *world, const char *method, const char *body)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.answer.status = 201;
    contract_pair_serve(&pair);
    pair.request.method = method;
    pair.request.body = body;
    pair.request.body_size = body == NULL ? 0 : strlen(body);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 201);
    assert_string_equal(pair.server.method, method);
    assert_string_equal(buffer_text(&pair.server.body), body == NULL ? "" : body);
    assert_int_equal(pair.server.ends, 1);
    contract_pair_release(&pair);
}

static void a_body_arrives_with_any_method(struct contract_world *world)
{
    static const char *const methods[] = {"POST", "PUT", "PATCH", "DELETE"};

    for (size_t i = 0; i < ARRAY_SIZE(methods); i++) {
        post_body(world, methods[i], "{\"a\":1}");
        post_body(world, methods[i], "");
        post_body(world, methods[i], NULL);
    }
}

static void statuses_arrive_as_they_are(struct contract_world *world)
{
    static const unsigned statuses[] = {200, 201, 202, 301, 302, 307, 400, 401, 403, 404,
                                        409, 410, 422, 429, 500, 502, 503, 504, 599};

    for (size_t i = 0; i < ARRAY_SIZE(statuses); i++) {
        static const struct http_header headers[] = {
            {"Location", "/elsewhere"}
        };
        struct contract_pair pair;

        contract_pair_init(&pair, world);
        pair.server.answer.status = statuses[i];
        pair.server.answer.headers = headers;
        contract_pair_serve(&pair);
        contract_pair_fetch(&pair);
        contract_pair_expect(&pair, "head|body|complete");
        assert_int_equal(pair.client.status, statuses[i]);
        assert_int_equal(pair.server.requests, 1); /* no redirect is followed */
        contract_pair_release(&pair);
    }
}

static void an_empty_answer_has_no_piece(struct contract_world *world)
{
    static const struct {
        unsigned status;
        const char *method;
        const char *body;
    } rows[] = {
        {200, "GET",  ""     },
        {204, "GET",  ""     },
        {200, "HEAD", ""     },
        {200, "HEAD", "hello"},
        {404, "HEAD", "hello"},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct contract_pair pair;

        contract_pair_init(&pair, world);
        pair.server.answer.status = rows[i].status;
        pair.server.answer.body = rows[i].body;
        pair.server.answer.body_size = strlen(rows[i].body);
        contract_pair_serve(&pair);
        pair.request.method = rows[i].method;
        contract_pair_fetch(&pair);
        contract_pair_expect(&pair, "head|complete");
        assert_int_equal(pair.client.status, rows[i].status);
        assert_int_equal(pair.server.delivered, 1);
        contract_pair_release(&pair);
    }
}

/* --- headers --- */

static void look_at_headers(struct contract_server *server, const struct request_head *head)
{
    static const struct http_header want[] = {
        {"X-One",   "1"              },
        {"X-Empty", ""               },
        {"X-Two",   "a, b; c=\"d e\""},
        {"accept",  "text/x"         },
    };
    unsigned hosts = 0;

    for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
        const char *value = http_header_get(head->headers, head->header_count, want[i].name);

        assert_non_null(value);
        assert_string_equal(value, want[i].value);
    }
    for (size_t i = 0; i < head->header_count; i++)
        hosts += text_equal_ignoring_case(head->headers[i].name, "Host");
    assert_int_equal(hosts, 1);
    assert_null(http_header_get(head->headers, head->header_count, "X-Absent"));
    assert_false(head->tls);
    assert_null(head->certificate);
    contract_accept(server);
}

static void request_headers_arrive(struct contract_world *world)
{
    static const struct http_header headers[] = {
        {"X-One",   "1"              },
        {"X-Empty", ""               },
        {"X-Two",   "a, b; c=\"d e\""},
        {"Accept",  "text/x"         },
    };
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.on_request = look_at_headers;
    contract_pair_serve(&pair);
    pair.request.headers = headers;
    pair.request.header_count = ARRAY_SIZE(headers);
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    contract_pair_release(&pair);
}

#define MANY 100

static void count_headers(struct contract_server *server, const struct request_head *head)
{
    unsigned count = 0;

    for (size_t i = 0; i < head->header_count; i++)
        count += text_equal_ignoring_case(head->headers[i].name, "X-Many");
    assert_int_equal(count, MANY);
    contract_accept(server);
}

static void many_headers_both_ways(struct contract_world *world)
{
    struct http_header headers[MANY + 1];
    struct contract_pair pair;

    for (size_t i = 0; i < MANY; i++)
        headers[i] = (struct http_header){"X-Many", "some value of no importance"};
    headers[MANY] = (struct http_header){"X-Test", "last"};
    contract_pair_init(&pair, world);
    pair.server.on_request = count_headers;
    pair.server.answer.headers = headers;
    pair.server.answer.header_count = ARRAY_SIZE(headers);
    contract_pair_serve(&pair);
    pair.request.headers = headers;
    pair.request.header_count = MANY;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_string_equal(pair.client.header, "last");
    contract_pair_release(&pair);
}

static void fetch_header_of(struct contract_world *world, size_t size, unsigned want)
{
    char *value = contract_pattern(size);
    struct http_header header = {"X-Long", value};
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.options.header_bytes_max = 8192;
    contract_pair_serve(&pair);
    pair.request.headers = &header;
    pair.request.header_count = 1;
    contract_fetch(&pair.client, &pair.request);
    assert_int_equal(pair.client.status, want);
    assert_int_equal(pair.server.requests, want == 200);
    contract_pair_release(&pair);
    free(value);
}

static void a_listener_limits_request_headers(struct contract_world *world)
{
    if (!world->gate)
        skip();
    fetch_header_of(world, 7000, 200);
    fetch_header_of(world, 8200, 431);
}

static void fetch_answer_header_of(struct contract_world *world, size_t size, const char *want)
{
    char *value = contract_pattern(size);
    struct http_header header = {"X-Long", value};
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    pair.server.options.header_bytes_max = 2 * EXCHANGE_HEADER_BYTES_MAX; /* it can send them */
    pair.server.answer.headers = &header;
    pair.server.answer.header_count = 1;
    contract_pair_serve(&pair);
    contract_fetch(&pair.client, &pair.request);
    contract_pair_expect(&pair, want);
    contract_pair_release(&pair);
    free(value);
}

static void a_client_limits_answer_headers(struct contract_world *world)
{
    fetch_answer_header_of(world, EXCHANGE_HEADER_BYTES_MAX - 1024, "head|body|complete");
    fetch_answer_header_of(world, EXCHANGE_HEADER_BYTES_MAX + 1, "too large");
}

/* --- requests that cannot be sent --- */

static void a_refused_port_ends_refused(struct contract_world *world)
{
    struct contract_pair pair;

    contract_pair_init(&pair, world);
    contract_pair_serve(&pair);
    listener_close(pair.server.listener);
    pair.server.listener = NULL;
    contract_fetch(&pair.client, &pair.request);
    contract_pair_expect(&pair, "refused");
    contract_pair_release(&pair);
}

static void an_unknown_host_ends_unresolved(struct contract_world *world)
{
    struct contract_pair pair;
    char *url = xprintf("http://%s:8080/", world->unknown_host);

    contract_pair_init(&pair, world);
    pair.request = (struct http_request){.method = "GET", .url = url, .response_bytes_max = 100};
    contract_fetch(&pair.client, &pair.request);
    contract_pair_expect(&pair, "unresolved");
    contract_pair_release(&pair);
    free(url);
}

static void what_cannot_be_sent_ends_malformed(struct contract_world *world)
{
    static const struct http_header split = {"X-One", "1\r\nX-Two: 2"};
    static const struct http_header named = {"X One", "1"};
    static const struct http_header host = {"host", "elsewhere"};
    static const struct http_header length = {"Content-Length", "0"};
    static const struct http_header coding = {"Transfer-Encoding", "chunked"};
    static const struct http_header accept = {"Accept-Encoding", "gzip"};
    static const char good[] = "http://127.0.0.1/";
    static const struct {
        const char *method;
        const char *url;
        const struct http_header *header;
    } rows[] = {
        {"GET", "",                            NULL   },
        {"GET", "nonsense",                    NULL   },
        {"GET", "http://",                     NULL   },
        {"GET", "http:/127.0.0.1/",            NULL   },
        {"GET", "ftp://127.0.0.1/",            NULL   },
        {"GET", "file:///etc/passwd",          NULL   },
        {"GET", "http://127.0.0.1:99999/",     NULL   },
        {"GET", "http://127.0.0.1/a b",        NULL   },
        {"GET", "http://127.0.0.1/\r\nX: y",   NULL   },
        {"G T", good,                          NULL   },
        {"GET", good,                          &split },
        {"GET", good,                          &named },
        {"GET", good,                          &host  },
        {"GET", good,                          &length},
        {"GET", good,                          &coding},
        {"GET", good,                          &accept},
        {"GET", "http://user:word@127.0.0.1/", NULL   },
        {"GET", "http://user@127.0.0.1/",      NULL   },
        {"GET", "http:///127.0.0.1/",          NULL   },
        {"GET", "http:127.0.0.1/",             NULL   },
        {"GET", "http://%31%32%37.0.0.1/",     NULL   },
        {"GET", "http://127.0.0.1\\@x/",       NULL   },
        {"GET", "http://127.0.0.1:0/",         NULL   },
        {"GET", "http://127.0.0.1:8o/",        NULL   },
        {"GET", "http://[::1/",                NULL   },
        {"GET", "http://[::1%25lo]/",          NULL   },
        {"GET", "http://127.0.0.1/\xc3\xa9",   NULL   },
        {"GET", "http://127.0.0.1\t/",         NULL   },
        {"GET", " http://127.0.0.1/",          NULL   },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct http_request request = {.method = rows[i].method,
                                       .url = rows[i].url,
                                       .headers = rows[i].header,
                                       .header_count = rows[i].header == NULL ? 0 : 1,
                                       .response_bytes_max = 1};
        struct contract_client client;

        contract_client_init(&client, world);
        contract_send(&client, &request); /* never NULL, and never from inside the call */
        contract_until(world, &client.ended, "the end");
        if (client.end != EXCHANGE_MALFORMED)
            fail_msg("row %zu: %s", i, exchange_end_name(client.end));
        contract_client_release(&client);
    }
}

/* --- connections --- */

static void fetch_peer(struct contract_pair *pair, const char *pool, char **ret_peer)
{
    struct contract_client client;
    struct http_request request;

    contract_client_init(&client, pair->client.world);
    request = contract_get(&client, &pair->server, "/");
    request.pool = pool;
    pair->server.is_closed = false;
    contract_send(&client, &request);
    contract_run_both(&client, &pair->server);
    assert_string_equal(buffer_text(&client.trace), "head|body|complete");
    *ret_peer = xstrdup(pair->server.peer);
    contract_client_release(&client);
}

static void one_pool_keeps_its_connection(struct contract_world *world)
{
    struct contract_pair pair;
    char *peers[4];

    contract_pair_init(&pair, world);
    contract_serve(&pair.server);
    fetch_peer(&pair, "a", &peers[0]);
    fetch_peer(&pair, "a", &peers[1]);
    fetch_peer(&pair, "b", &peers[2]);
    fetch_peer(&pair, "a", &peers[3]);
    assert_string_equal(peers[0], peers[1]);
    assert_string_not_equal(peers[0], peers[2]);
    assert_string_equal(peers[0], peers[3]);
    for (size_t i = 0; i < ARRAY_SIZE(peers); i++)
        free(peers[i]);
    contract_pair_release(&pair);
}

static void a_closing_answer_ends_the_connection(struct contract_world *world)
{
    struct contract_pair pair;
    char *first;
    char *second;

    contract_pair_init(&pair, world);
    pair.server.answer.close = true;
    contract_serve(&pair.server);
    fetch_peer(&pair, NULL, &first);
    fetch_peer(&pair, NULL, &second);
    assert_string_not_equal(first, second);
    free(first);
    free(second);
    contract_pair_release(&pair);
}

static void a_peer_has_an_address(struct contract_world *world)
{
    struct contract_pair pair;
    char *peer;
    const char *colon;

    contract_pair_init(&pair, world);
    contract_serve(&pair.server);
    fetch_peer(&pair, NULL, &peer);
    colon = strrchr(peer, ':');
    assert_non_null(colon);
    assert_true(colon > peer && strlen(colon) > 1);
    assert_int_equal(strspn(colon + 1, "0123456789"), strlen(colon + 1));
    free(peer);
    contract_pair_release(&pair);
}

/* --- several at once --- */

struct racer {
    struct contract_pair *pair;
    struct request *requests[2];
    unsigned count;
};

static void on_racer_closed(void *arg, bool delivered)
{
    struct racer *racer = arg;

    (void)delivered;
    racer->pair->server.closed++;
    racer->pair->server.is_closed = racer->pair->server.closed == 2;
}

static void answer_both(struct racer *racer)
{
    struct http_response answer = {.status = 200};

    for (unsigned i = 2; i-- > 0;) { /* the later one first */
        answer.body = i == 0 ? "first" : "second";
        answer.body_size = strlen(answer.body);
        request_respond(racer->requests[i], &answer);
    }
}

static void on_racer_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {.on_closed = on_racer_closed};
    struct racer *racer = arg;

    racer->requests[text_equal(head->target, "/first") ? 0 : 1] = request;
    request_accept(request, &events, racer);
    if (++racer->count == 2)
        answer_both(racer);
}

static void two_answers_race_and_reach_their_own(struct contract_world *world)
{
    static const struct http_service service = {on_racer_request};
    struct contract_pair pair;
    struct contract_client other;
    struct racer racer = {.pair = &pair};
    struct error err = ERROR_INIT;

    contract_pair_init(&pair, world);
    contract_client_init(&other, world);
    assert_true(runtime_listen(world->server, &pair.server.options, &service, &racer,
                               &pair.server.listener, &err));
    pair.request = contract_get(&pair.client, &pair.server, "/first");
    contract_send(&pair.client, &pair.request);
    pair.request = contract_get(&other, &pair.server, "/second");
    contract_send(&other, &pair.request);
    contract_until(world, &pair.client.ended, "the first end");
    contract_until(world, &other.ended, "the second end");
    contract_until(world, &pair.server.is_closed, "the end of both");
    assert_string_equal(buffer_text(&pair.client.body), "first");
    assert_string_equal(buffer_text(&other.body), "second");
    contract_client_release(&other);
    contract_pair_release(&pair);
}

const struct contract_case contract_exchanges[] = {
    {"exchange/a_get_is_answered",                    a_get_is_answered                   },
    {"exchange/a_target_arrives_undecoded",           a_target_arrives_undecoded          },
    {"exchange/a_body_arrives_with_any_method",       a_body_arrives_with_any_method      },
    {"exchange/statuses_arrive_as_they_are",          statuses_arrive_as_they_are         },
    {"exchange/an_empty_answer_has_no_piece",         an_empty_answer_has_no_piece        },
    {"exchange/request_headers_arrive",               request_headers_arrive              },
    {"exchange/many_headers_both_ways",               many_headers_both_ways              },
    {"exchange/a_listener_limits_request_headers",    a_listener_limits_request_headers   },
    {"exchange/a_client_limits_answer_headers",       a_client_limits_answer_headers      },
    {"exchange/a_refused_port_ends_refused",          a_refused_port_ends_refused         },
    {"exchange/an_unknown_host_ends_unresolved",      an_unknown_host_ends_unresolved     },
    {"exchange/what_cannot_be_sent_ends_malformed",   what_cannot_be_sent_ends_malformed  },
    {"exchange/one_pool_keeps_its_connection",        one_pool_keeps_its_connection       },
    {"exchange/a_closing_answer_ends_the_connection", a_closing_answer_ends_the_connection},
    {"exchange/a_peer_has_an_address",                a_peer_has_an_address               },
    {"exchange/two_answers_race_and_reach_their_own", two_answers_race_and_reach_their_own},
    {NULL,                                            NULL                                },
};
