/* caller - see caller.h. */
#include "scenarios/live/caller.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/runtime/live.h"

/** A person waits this long for an answer. */
#define PATIENCE_US (30 * US_PER_SECOND)

struct caller {
    struct live_runtime *live;
    struct runtime *rt;
};

/** A request under way. */
struct call {
    struct caller_answer *answer;
    struct error *err;
    bool done;
    bool complete;
};

struct caller *caller_new(void)
{
    struct caller *caller = xcalloc(1, sizeof(*caller));

    caller->live = live_new(live_client());
    caller->rt = live_runtime(caller->live);
    return caller;
}

void caller_free(struct caller *caller)
{
    if (caller == NULL)
        return;
    live_free(caller->live);
    free(caller);
}

int64_t caller_now_us(struct caller *caller)
{
    return runtime_elapsed_us(caller->rt);
}

uint64_t caller_random(struct caller *caller)
{
    return runtime_random(caller->rt);
}

static void wake(void *arg)
{
    *(bool *)arg = true;
}

void caller_sleep(struct caller *caller, int64_t us)
{
    bool over = false;

    (void)runtime_after(caller->rt, us, wake, &over);
    while (!over && live_step(caller->live)) {
    }
}

static void on_head(void *arg, const struct response_head *head)
{
    ((struct call *)arg)->answer->status = head->status;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct call *)arg)->answer->body, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct call *call = arg;

    call->done = true;
    call->complete = end == EXCHANGE_COMPLETE;
    if (!call->complete)
        (void)error_set(call->err, ERROR_IO, "%s%s%s", exchange_end_name(end),
                        *detail == '\0' ? "" : ": ", detail);
}

static const struct exchange_events events = {on_head, on_body, on_end};

bool caller_ask(struct caller *caller, const struct caller_server *server, const char *method,
                const char *path, const char *type, const char *body, struct caller_answer *answer,
                struct error *err)
{
    char *url = xprintf("%s%s", server->url, path);
    char *credentials = xprintf("Bearer %s", server->token == NULL ? "" : server->token);
    struct http_header headers[4] = {
        {"User-Agent", "kubectl/v1.30.0" },
        {"Accept",     "application/json"}
    };
    struct http_request request = {.method = method,
                                   .url = url,
                                   .unix_socket = server->unix_socket,
                                   .headers = headers,
                                   .header_count = 2,
                                   .body = body,
                                   .body_size = body == NULL ? 0 : strlen(body),
                                   .total_timeout_us = PATIENCE_US,
                                   .response_bytes_max = CALLER_ANSWER_BYTES_MAX};
    struct call call = {.answer = answer, .err = err};

    *answer = (struct caller_answer){.body = BUFFER_INIT(CALLER_ANSWER_BYTES_MAX)};
    if (type != NULL)
        headers[request.header_count++] = (struct http_header){"Content-Type", type};
    if (server->token != NULL)
        headers[request.header_count++] = (struct http_header){"Authorization", credentials};
    (void)runtime_request(caller->rt, &request, &events, &call);
    while (!call.done && live_step(caller->live)) {
    }
    free(credentials);
    free(url);
    return call.complete;
}

bool caller_read(struct caller *caller, const struct caller_server *server, const char *path,
                 struct json_object **ret_tree, struct error *err)
{
    struct caller_answer answer;
    bool ok = caller_ask(caller, server, "GET", path, NULL, NULL, &answer, err);

    *ret_tree = NULL;
    if (ok && answer.status == 200)
        ok =
            json_parse(answer.body.bytes, answer.body.size, CALLER_ANSWER_BYTES_MAX, ret_tree, err);
    else if (ok && answer.status != 404)
        ok = error_set(err, ERROR_IO, "GET %s: %u: %.200s", path, answer.status,
                       buffer_text(&answer.body));
    buffer_release(&answer.body);
    return ok;
}
