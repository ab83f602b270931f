#include "tests/model/dock.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "fakeapi/fakeapi.h"

#define BODY_BYTES_MAX ((size_t)64 * 1024 * 1024)
#define PATIENCE_US INT64_C(10000000)

void dock_start(struct dock *dock, uint64_t seed, uint64_t history, uint64_t first_version)
{
    static const struct sim_link at_once = {.reset_after_bytes = -1};
    const struct sim_options options = {.seed = seed, .start_wall_us = DOCK_START_US};
    char kept[24];
    char first[24];
    const char *const flags[] = {"--listen",  "0.0.0.0:80", "--no-cluster",    "--open",
                                 "--history", kept,         "--first-version", first};
    const struct sim_process_options api = {.name = "api",
                                            .program = &fakeapi_program,
                                            .arguments = flags,
                                            .argument_count = ARRAY_SIZE(flags)};
    const struct sim_process_options client = {.name = "client"};

    (void)snprintf(kept, sizeof(kept), "%" PRIu64, history);
    (void)snprintf(first, sizeof(first), "%" PRIu64, first_version);
    dock->sim = sim_new(&options);
    sim_set_default_link(dock->sim, &at_once);
    dock->api = sim_process_new(dock->sim, &api);
    dock->client = sim_process_new(dock->sim, &client);
    sim_process_start(dock->api);
    sim_process_start(dock->client);
    dock_run(dock, 0);
}

void dock_free(struct dock *dock)
{
    sim_free(dock->sim);
}

int64_t dock_now_us(const struct dock *dock)
{
    return sim_wall_us(dock->sim);
}

void dock_run(struct dock *dock, int64_t duration_us)
{
    (void)sim_run_until(dock->sim, sim_now_us(dock->sim) + duration_us);
}

void dock_compact(struct dock *dock)
{
    struct store *store = fakeapi_store(sim_process_root(dock->api));

    store_compact(store, store_revision(store));
}

/* --- requests --- */

/* 299 - "text" */
static void keep_warning(struct reply *reply, const char *value)
{
    const char *from = strchr(value, '"');
    const char *to = strrchr(value, '"');
    char text[512];
    size_t size = 0;

    if (from == NULL || to == from)
        return;
    for (const char *at = from + 1; at < to && size < sizeof(text) - 1; at++) {
        if (*at == '\\')
            at++;
        text[size++] = *at;
    }
    text[size] = '\0';
    if (reply->warnings == NULL)
        reply->warnings = json_object_new_array();
    value_add_text(reply->warnings, text);
}

static void on_head(void *arg, const struct response_head *head)
{
    struct reply *reply = arg;

    reply->status = head->status;
    reply->json = text_equal(http_header_get(head->headers, head->header_count, "Content-Type"),
                             "application/json");
    for (size_t i = 0; i < head->header_count; i++)
        if (text_equal_ignoring_case(head->headers[i].name, "Warning"))
            keep_warning(reply, head->headers[i].value);
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
    reply->whole = end == EXCHANGE_COMPLETE;
}

static const struct exchange_events events = {on_head, on_body, on_end};

static void send(struct dock *dock, const char *method, const char *target, const char *type,
                 const char *body, struct reply *reply)
{
    char *url = format("http://api:80%s", target);
    const struct http_header headers[] = {
        {"User-Agent",   "model/1"},
        {"Content-Type", type     },
    };
    const struct http_request request = {.method = method,
                                         .url = url,
                                         .headers = headers,
                                         .header_count = type == NULL ? 1 : 2,
                                         .body = body,
                                         .body_size = body == NULL ? 0 : strlen(body),
                                         .response_bytes_max = BODY_BYTES_MAX};

    *reply = (struct reply){.body = BUFFER_INIT(BODY_BYTES_MAX)};
    reply->exchange = runtime_request(sim_process_runtime(dock->client), &request, &events, reply);
    free(url);
}

void dock_send(struct dock *dock, const struct ask *ask, struct reply *reply)
{
    char *target = ask_target(ask);
    const char *body = ask->body == NULL
                           ? NULL
                           : json_object_to_json_string_ext(ask->body, JSON_C_TO_STRING_PLAIN);

    send(dock, ask_method(ask), target, ask_content_type(ask), body, reply);
    free(target);
}

static bool is_pending(void *arg)
{
    return !((const struct reply *)arg)->ended;
}

static bool await_end(struct dock *dock, struct reply *reply)
{
    sim_run_while(dock->sim, sim_now_us(dock->sim) + PATIENCE_US, is_pending, reply);
    return reply->ended && reply->whole;
}

bool dock_call(struct dock *dock, const struct ask *ask, struct reply *reply)
{
    dock_send(dock, ask, reply);
    return await_end(dock, reply);
}

bool dock_post(struct dock *dock, const char *target, const char *body, struct reply *reply)
{
    send(dock, "POST", target, "application/json", body, reply);
    return await_end(dock, reply);
}

void reply_release(struct reply *reply)
{
    exchange_cancel(reply->exchange);
    json_object_put(reply->warnings);
    buffer_release(&reply->body);
    *reply = (struct reply){0};
}
