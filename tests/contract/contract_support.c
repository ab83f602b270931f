/* contract_support - the client and the server that the cases share, and their runner. */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

#define BODY_BYTES_MAX (64 * 1024 * 1024)
#define TRACE_BYTES_MAX (1024 * 1024)
#define CASES_MAX 256
/* How often a case that waits for something looks. */
#define LOOK_US 2000

/* --- the server --- */

static void server_on_body(void *arg, const void *bytes, size_t size)
{
    struct contract_server *server = arg;

    buffer_append(&server->body, bytes, size);
    if (server->on_body != NULL)
        server->on_body(server, bytes, size);
}

static void server_on_body_end(void *arg)
{
    struct contract_server *server = arg;

    server->ends++;
    if (server->on_end != NULL)
        server->on_end(server);
    else
        request_respond(server->request, &server->answer);
}

static void server_on_closed(void *arg, bool delivered)
{
    struct contract_server *server = arg;

    server->request = NULL;
    server->closed++;
    server->is_closed = true;
    if (delivered)
        server->delivered++;
    if (server->on_closed != NULL)
        server->on_closed(server, delivered);
}

static const struct request_events server_events = {server_on_body, server_on_body_end,
                                                    server_on_closed};

void contract_accept(struct contract_server *server)
{
    request_accept(server->request, &server_events, server);
}

static void keep(char **text, const char *value)
{
    free(*text);
    *text = xstrdup(value);
}

static void server_on_request(void *arg, struct request *request, const struct request_head *head)
{
    struct contract_server *server = arg;

    server->request = request;
    server->requests++;
    keep(&server->method, head->method);
    keep(&server->target, head->target);
    keep(&server->peer, head->peer);
    if (server->on_request != NULL)
        server->on_request(server, head);
    else
        contract_accept(server);
}

void contract_server_init(struct contract_server *server, struct contract_world *world)
{
    static const struct http_header headers[] = {
        {"X-Test", "yes"}
    };

    *server = (struct contract_server){.world = world};
    server->options.address = world->listen_address;
    server->answer.status = 200;
    server->answer.headers = headers;
    server->answer.header_count = ARRAY_SIZE(headers);
    server->answer.body = "hello";
    server->answer.body_size = 5;
    server->body = BUFFER_INIT(BODY_BYTES_MAX);
}

void contract_serve(struct contract_server *server)
{
    static const struct http_service service = {server_on_request};
    struct error err = ERROR_INIT;

    if (!runtime_listen(server->world->server, &server->options, &service, server,
                        &server->listener, &err))
        fail_msg("listen: %s", err.text);
}

void contract_server_release(struct contract_server *server)
{
    listener_close(server->listener);
    buffer_release(&server->body);
    free(server->method);
    free(server->target);
    free(server->peer);
}

/* --- the client --- */

static void mark(struct contract_client *client, const char *what)
{
    buffer_append_format(&client->trace, "%s%s", client->trace.size > 0 ? "|" : "", what);
}

static void client_on_head(void *arg, const struct response_head *head)
{
    struct contract_client *client = arg;

    mark(client, "head");
    client->status = head->status;
    keep(&client->header, http_header_get(head->headers, head->header_count, "X-Test"));
    if (client->on_head != NULL)
        client->on_head(client);
}

static void client_on_body(void *arg, const void *bytes, size_t size)
{
    struct contract_client *client = arg;

    if (client->piece_count++ == 0)
        mark(client, "body");
    assert_true(size > 0);
    buffer_append(&client->body, bytes, size);
    if (client->on_body != NULL)
        client->on_body(client);
}

static void client_on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct contract_client *client = arg;

    assert_non_null(detail);
    mark(client, exchange_end_name(end));
    client->sent = exchange_was_sent(client->exchange);
    client->exchange = NULL;
    client->ended = true;
    client->end = end;
    if (client->on_end != NULL)
        client->on_end(client);
}

void contract_client_init(struct contract_client *client, struct contract_world *world)
{
    *client = (struct contract_client){.world = world};
    client->trace = BUFFER_INIT(TRACE_BYTES_MAX);
    client->body = BUFFER_INIT(BODY_BYTES_MAX);
}

struct http_request contract_get(struct contract_client *client, struct contract_server *server,
                                 const char *path)
{
    struct http_request request = {.method = "GET", .response_bytes_max = BODY_BYTES_MAX};
    bool tls = server->options.tls != NULL;

    free(client->url);
    client->url = xprintf("%s://%s:%u%s", tls ? "https" : "http", server->world->host,
                          (unsigned)listener_port(server->listener), path);
    request.url = client->url;
    return request;
}

void contract_send(struct contract_client *client, const struct http_request *request)
{
    static const struct exchange_events events = {client_on_head, client_on_body, client_on_end};

    client->exchange = runtime_request(client->world->client, request, &events, client);
    assert_non_null(client->exchange);
    assert_false(client->ended);
}

void contract_fetch(struct contract_client *client, const struct http_request *request)
{
    contract_send(client, request);
    contract_until(client->world, &client->ended, "the end of the exchange");
}

void contract_cancel(struct contract_client *client)
{
    exchange_cancel(client->exchange);
    client->exchange = NULL;
}

void contract_client_release(struct contract_client *client)
{
    contract_cancel(client);
    buffer_release(&client->trace);
    buffer_release(&client->body);
    free(client->header);
    free(client->url);
}

/* --- pairs --- */

void contract_pair_init(struct contract_pair *pair, struct contract_world *world)
{
    contract_client_init(&pair->client, world);
    contract_server_init(&pair->server, world);
}

void contract_pair_serve(struct contract_pair *pair)
{
    contract_serve(&pair->server);
    pair->request = contract_get(&pair->client, &pair->server, "/");
}

void contract_pair_fetch(struct contract_pair *pair)
{
    contract_send(&pair->client, &pair->request);
    contract_run_both(&pair->client, &pair->server);
}

void contract_pair_expect(struct contract_pair *pair, const char *trace)
{
    assert_string_equal(buffer_text(&pair->client.trace), trace);
}

void contract_pair_release(struct contract_pair *pair)
{
    contract_client_release(&pair->client);
    contract_server_release(&pair->server);
}

/* --- sources --- */

static enum body_pull give(struct contract_source *source, char *room, size_t room_size,
                           size_t size, size_t *ret_size)
{
    *ret_size = size < room_size ? size : room_size;
    memset(room, 'x', *ret_size);
    source->pulled += *ret_size;
    return BODY_BYTES;
}

static enum body_pull pull_script(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct contract_source *source = arg;

    assert_true(room_size > 0);
    source->pulls++;
    source->waiting = false;
    if (source->on_pull != NULL)
        source->on_pull(source);
    if (*source->script == '+') {
        source->script++;
        request_wake(source->server->request);
    }
    switch (*source->script) {
    case '*':
        return give(source, room, room_size, room_size, ret_size);
    case 'w':
        source->script++;
        source->waits++;
        source->waiting = true;
        return BODY_WAIT;
    case 'e':
        return BODY_END;
    case 'r':
        return BODY_RESET;
    case 'k':
        source->script++;
        return give(source, room, room_size, 1000, ret_size);
    default:
        assert_in_range(*source->script, '1', '9');
        return give(source, room, room_size, (size_t)(*source->script++ - '0'), ret_size);
    }
}

void contract_source_init(struct contract_source *source, struct contract_server *server,
                          const char *script)
{
    static const struct body_source pulled = {pull_script};

    *source = (struct contract_source){.server = server, .script = script};
    server->answer.body = NULL;
    server->answer.body_size = 0;
    server->answer.source = &pulled;
    server->answer.source_arg = source;
}

/* --- running --- */

void contract_until(struct contract_world *world, const bool *done, const char *what)
{
    if (!*done)
        world->run(world, done);
    if (!*done)
        fail_msg("never came: %s", what);
}

void contract_run_both(struct contract_client *client, struct contract_server *server)
{
    contract_until(client->world, &client->ended, "the end of the exchange");
    contract_until(client->world, &server->is_closed, "the end of the request");
}

static void on_passed(void *arg)
{
    *(bool *)arg = true;
}

void contract_pass(struct contract_world *world, int64_t time_us)
{
    bool passed = false;

    runtime_after(world->client, time_us, on_passed, &passed);
    contract_until(world, &passed, "the end of a pause");
}

void contract_wait(struct contract_world *world, bool (*holds)(void *arg), void *arg,
                   const char *what)
{
    int64_t until_us = runtime_elapsed_us(world->client) + CONTRACT_LONG_US;
    int64_t now_us = 0;

    while (!holds(arg) && now_us < until_us) {
        contract_pass(world, LOOK_US);
        now_us = runtime_elapsed_us(world->client);
    }
    if (!holds(arg))
        fail_msg("never came: %s", what);
}

struct amount {
    const struct contract_client *client;
    size_t size;
};

static bool has_bytes(void *arg)
{
    const struct amount *amount = arg;

    return amount->client->body.size >= amount->size;
}

void contract_wait_bytes(struct contract_client *client, size_t size)
{
    struct amount amount = {client, size};

    contract_wait(client->world, has_bytes, &amount, "so many bytes");
}

static bool has_head(void *arg)
{
    return ((const struct contract_client *)arg)->status != 0;
}

void contract_wait_head(struct contract_client *client)
{
    contract_wait(client->world, has_head, client, "the head of the answer");
}

char *contract_pattern(size_t size)
{
    char *bytes = xmemdup(NULL, 0);

    bytes = xrealloc(bytes, size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)('a' + (i / 7 + i / 1009) % 26);
    bytes[size] = '\0';
    return bytes;
}

/* --- the runner --- */

struct run {
    const struct contract_maker *maker;
    const struct contract_case *contract_case;
    struct contract_world *world;
};

static int open_case(void **state)
{
    struct run *run = *state;

    run->world = run->maker->open();
    return 0;
}

static void run_case(void **state)
{
    const struct run *run = *state;

    run->contract_case->run(run->world);
}

/* Also behind a case that was skipped or failed. */
static int close_case(void **state)
{
    struct run *run = *state;

    run->maker->close(run->world);
    return 0;
}

static bool is_wanted(const char *name, int argc, char **argv)
{
    for (int i = 1; i < argc; i++)
        if (fnmatch(argv[i], name, 0) == 0)
            return true;
    return argc <= 1;
}

int contract_run(const struct contract_maker *maker, int argc, char **argv)
{
    static const struct contract_case *const files[] = {
        contract_timers,    contract_exchanges, contract_bodies,   contract_sources,
        contract_early,     contract_cancels,   contract_closings, contract_limits,
        contract_listeners, contract_tls,       contract_bytes,    contract_files,
        contract_processes, contract_sent,
    };
    struct run *runs = xcalloc(CASES_MAX, sizeof(*runs));
    struct CMUnitTest *tests = xcalloc(CASES_MAX, sizeof(*tests));
    size_t count = 0;
    int failed;

    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        for (const struct contract_case *at = files[i]; at->name != NULL; at++) {
            if (!is_wanted(at->name, argc, argv))
                continue;
            assert_true(count < CASES_MAX);
            runs[count] = (struct run){maker, at, NULL};
            tests[count] =
                (struct CMUnitTest){at->name, run_case, open_case, close_case, &runs[count]};
            count++;
        }
    if (count == 0)
        printf("%s: no case is named so\n", maker->name);
    failed = _cmocka_run_group_tests(maker->name, tests, count, NULL, NULL);
    free(tests);
    free(runs);
    return failed == 0 && count > 0 ? 0 : 1;
}
