#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

#define FLAGS_MAX 32
#define BODY_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define PATIENCE_US (100 * US_PER_SECOND)
/* 2024-06-01T00:00:00Z */
#define START_US INT64_C(1717200000000000)

void server_start(struct server *server, ...)
{
    const char *flags[FLAGS_MAX] = {"--listen", "0.0.0.0:80", "--no-cluster", "--open"};
    struct sim_options options = {.seed = 1, .start_wall_us = START_US};
    struct sim_process_options api = {
        .name = "api", .program = &fakeapi_program, .arguments = flags, .argument_count = 4};
    struct sim_process_options client = {.name = "client"};
    va_list list;
    const char *flag;

    va_start(list, server);
    while ((flag = va_arg(list, const char *)) != NULL)
        flags[api.argument_count++] = flag;
    va_end(list);
    server->sim = sim_new(&options);
    server->api = sim_process_new(server->sim, &api);
    server->client = sim_process_new(server->sim, &client);
    sim_process_start(server->api);
    sim_process_start(server->client);
    server_run(server, 0);
}

void server_free(struct server *server)
{
    sim_free(server->sim);
}

void *server_root(const struct server *server)
{
    return sim_process_root(server->api);
}

void server_run(struct server *server, int64_t duration_us)
{
    assert_true(sim_run_until(server->sim, sim_now_us(server->sim) + duration_us));
}

static void keep_header(const struct response_head *head, const char *name, char *room, size_t size)
{
    const char *value = http_header_get(head->headers, head->header_count, name);

    snprintf(room, size, "%s", value == NULL ? "" : value);
}

static void on_head(void *arg, const struct response_head *head)
{
    struct reply *reply = arg;

    reply->status = head->status;
    keep_header(head, "Content-Type", reply->content_type, sizeof(reply->content_type));
    keep_header(head, "Warning", reply->warning, sizeof(reply->warning));
    keep_header(head, "Retry-After", reply->retry_after, sizeof(reply->retry_after));
    keep_header(head, "ETag", reply->etag, sizeof(reply->etag));
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct reply *reply = arg;

    buffer_append(&reply->body, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct reply *reply = arg;

    (void)detail;
    reply->exchange = NULL;
    reply->ended = true;
    reply->end = end;
}

static const struct exchange_events events = {on_head, on_body, on_end};

void server_send(struct server *server, const struct ask *ask, struct reply *reply)
{
    struct http_header headers[10];
    struct http_request request = {.method = ask->method == NULL ? "GET" : ask->method,
                                   .headers = headers,
                                   .body = ask->body,
                                   .body_size = ask->body == NULL ? 0 : strlen(ask->body),
                                   .response_bytes_max = BODY_BYTES_MAX};
    const struct http_header all[] = {
        {"Accept",            ask->accept       },
        {"Content-Type",      ask->content_type },
        {"Authorization",     ask->authorization},
        {"If-None-Match",     ask->if_none_match},
        {"User-Agent",        "test/1.0"        },
        {"Origin",            ask->origin       },
        {"Impersonate-User",  ask->as           },
        {"Impersonate-Group", ask->as_group     },
    };
    char *url = xprintf("http://%s%s", ask->admin ? "127.0.0.1:81" : "api:80", ask->target);

    for (size_t i = 0; i < ARRAY_SIZE(all); i++)
        if (all[i].value != NULL)
            headers[request.header_count++] = all[i];
    *reply = (struct reply){.body = BUFFER_INIT(BODY_BYTES_MAX)};
    buffer_append_text(&reply->body, "");
    request.url = url;
    reply->exchange = runtime_request(
        sim_process_runtime(ask->admin ? server->api : server->client), &request, &events, reply);
    free(url);
}

static bool is_pending(void *arg)
{
    return !((const struct reply *)arg)->ended;
}

void server_call(struct server *server, const struct ask *ask, struct reply *reply)
{
    server_send(server, ask, reply);
    sim_run_while(server->sim, sim_now_us(server->sim) + PATIENCE_US, is_pending, reply);
    if (!reply->ended)
        fail_msg("%s: no answer", ask->target);
}

void reply_release(struct reply *reply)
{
    exchange_cancel(reply->exchange);
    buffer_release(&reply->body);
}

static const char *body_type(const struct line *line)
{
    if (line->method == NULL || strcmp(line->method, "PATCH") != 0)
        return "application/json";
    return line->body[0] == '[' ? "application/json-patch+json" : "application/merge-patch+json";
}

void server_tell(struct server *server, const struct line *lines, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct line *line = &lines[i];
        struct ask ask = {.method = line->method,
                          .target = line->target,
                          .content_type = body_type(line),
                          .body = line->body,
                          .admin = line->admin};
        struct reply reply;

        server_call(server, &ask, &reply);
        if (reply.end != EXCHANGE_COMPLETE || reply.status != line->status)
            fail_msg("%s: got %u (%s): %s", line->name, reply.status, exchange_end_name(reply.end),
                     buffer_text(&reply.body));
        if (line->want != NULL && strstr(buffer_text(&reply.body), line->want) == NULL)
            fail_msg("%s: no %s in %s", line->name, line->want, buffer_text(&reply.body));
        if (line->refuse != NULL && strstr(buffer_text(&reply.body), line->refuse) != NULL)
            fail_msg("%s: %s in %s", line->name, line->refuse, buffer_text(&reply.body));
        reply_release(&reply);
    }
}

struct json_object *reply_tree(const struct reply *reply)
{
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;

    if (!json_parse(reply->body.bytes, reply->body.size, BODY_BYTES_MAX, &tree, &err))
        fail_msg("%s: %s", err.text, buffer_text(&reply->body));
    return tree;
}
