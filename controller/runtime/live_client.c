/* live_client - outgoing requests: what libcurl noted is delivered at the loop's next turn. */
#include "controller/runtime/live_client.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"

static void cancel_timers(struct live_exchange *exchange)
{
    timer_cancel(exchange->total_timer);
    exchange->total_timer = NULL;
    timer_cancel(exchange->idle_timer);
    exchange->idle_timer = NULL;
}

/* Lets go of libcurl; a connection in the middle of an answer is closed by that. */
static void leave_curl(struct live_exchange *exchange)
{
    cancel_timers(exchange);
    if (exchange->pool != NULL)
        live_pool_remove(exchange->pool, exchange);
    exchange->pool = NULL;
    live_curl_release(exchange);
}

static void exchange_free(struct live_exchange *exchange)
{
    leave_curl(exchange);
    live_task_drop(exchange->live, &exchange->task);
    DL_DELETE(exchange->live->exchanges, exchange);
    buffer_release(&exchange->head_bytes);
    buffer_release(&exchange->pending);
    free(exchange->detail);
    free(exchange);
}

void live_exchange_notify(struct live_exchange *exchange)
{
    live_task_add(exchange->live, &exchange->task);
}

void live_exchange_end(struct live_exchange *exchange, enum exchange_end end, const char *detail)
{
    if (exchange->ended)
        return;
    exchange->ended = true;
    exchange->end = end;
    if (exchange->detail == NULL) /* else a callback of libcurl's said more */
        exchange->detail = xstrdup(end == EXCHANGE_COMPLETE ? "" : detail);
    leave_curl(exchange);
    live_exchange_notify(exchange);
}

/* --- delivery --- */

static void deliver_head(struct live_exchange *exchange)
{
    struct http_header *headers = xcalloc(exchange->header_count, sizeof(*headers));
    const char *at = buffer_text(&exchange->head_bytes);
    struct response_head head = {exchange->status, headers, exchange->header_count};

    for (size_t i = 0; i < exchange->header_count; i++) {
        headers[i].name = at;
        headers[i].value = at + strlen(at) + 1;
        at = headers[i].value + strlen(headers[i].value) + 1;
    }
    exchange->head_delivered = true;
    if (exchange->events->on_head != NULL)
        exchange->events->on_head(exchange->arg, &head);
    free(headers);
}

static void deliver_body(struct live_exchange *exchange)
{
    size_t size;
    char *bytes = buffer_take(&exchange->pending, &size);

    if (exchange->events->on_body != NULL)
        exchange->events->on_body(exchange->arg, bytes, size);
    free(bytes);
}

static bool can_go_on(const struct live_exchange *exchange)
{
    return !exchange->dead && !exchange->live->stopped;
}

/* libcurl holds bytes back since it was told that nobody takes them. */
static void unpause_curl(struct live_exchange *exchange)
{
    if (exchange->paused || !exchange->curl_paused || exchange->easy == NULL)
        return;
    exchange->curl_paused = false;
    exchange->active_us = live_elapsed_us();
    curl_easy_pause(exchange->easy, CURLPAUSE_CONT);
}

static void run_exchange(struct live_task *task)
{
    struct live_exchange *exchange =
        (struct live_exchange *)((char *)task - offsetof(struct live_exchange, task));

    exchange->busy = true;
    if (exchange->head_ready && !exchange->head_delivered)
        deliver_head(exchange);
    if (can_go_on(exchange) && !exchange->paused && exchange->pending.size > 0)
        deliver_body(exchange);
    if (can_go_on(exchange))
        unpause_curl(exchange);
    if (can_go_on(exchange) && exchange->ended && exchange->pending.size == 0) {
        exchange->dead = true;
        exchange->events->on_end(exchange->arg, exchange->end, exchange->detail);
    }
    exchange->busy = false;
    if (exchange->dead)
        exchange_free(exchange);
}

/* --- time limits --- */

static void on_total_timeout(void *arg)
{
    struct live_exchange *exchange = arg;

    exchange->total_timer = NULL;
    live_exchange_end(exchange, EXCHANGE_TIMED_OUT, "no whole answer within the time limit");
}

/* When something last moved, or when it last was not the peer's turn. */
static int64_t last_active_us(struct live_exchange *exchange, int64_t now_us)
{
    if (exchange->sent_count == 0 || exchange->paused || exchange->curl_paused)
        exchange->active_us = now_us;
    return exchange->active_us;
}

static void on_idle_timeout(void *arg)
{
    struct live_exchange *exchange = arg;
    int64_t now_us = live_elapsed_us();
    int64_t left_us = last_active_us(exchange, now_us) + exchange->idle_timeout_us - now_us;

    exchange->idle_timer = NULL;
    if (left_us <= 0 && exchange->idle_seen) {
        live_exchange_end(exchange, EXCHANGE_TIMED_OUT, "the peer went silent");
        return;
    }
    /* When this process stood still itself, bytes may lie there unread: they get a turn. */
    exchange->idle_seen = left_us <= 0;
    exchange->idle_timer = live_after(&exchange->live->base, left_us, on_idle_timeout, exchange);
}

static void start_timers(struct live_exchange *exchange, const struct http_request *request)
{
    struct runtime *rt = &exchange->live->base;

    if (request->total_timeout_us > 0)
        exchange->total_timer =
            live_after(rt, request->total_timeout_us, on_total_timeout, exchange);
    exchange->idle_timeout_us = request->idle_timeout_us;
    exchange->active_us = live_elapsed_us();
    if (request->idle_timeout_us > 0)
        exchange->idle_timer = live_after(rt, request->idle_timeout_us, on_idle_timeout, exchange);
}

/* --- the calls --- */

static struct exchange *request_start(struct runtime *rt, const struct http_request *request,
                                      const struct exchange_events *events, void *arg)
{
    struct live_runtime *live = live_of(rt);
    struct live_exchange *exchange = xcalloc(1, sizeof(*exchange));
    struct error err = ERROR_INIT;

    exchange->base.rt = rt;
    exchange->live = live;
    exchange->events = events;
    exchange->arg = arg;
    exchange->task.run = run_exchange;
    exchange->head_bytes = BUFFER_INIT(EXCHANGE_HEADER_BYTES_MAX);
    exchange->pending = BUFFER_INIT(request->response_bytes_max);
    exchange->received_max = request->response_bytes_max;
    exchange->resend = text_equal(request->method, "GET") || text_equal(request->method, "HEAD");
    DL_APPEND(live->exchanges, exchange);
    if (live_curl_setup(exchange, request, &err) &&
        live_pool_add(live_pool_get(live, text_or(request->pool, "")), exchange, &err))
        start_timers(exchange, request);
    else
        live_exchange_end(exchange, EXCHANGE_MALFORMED, err.text);
    return &exchange->base;
}

static void exchange_cancel_now(struct exchange *base)
{
    struct live_exchange *exchange = (struct live_exchange *)base;

    if (exchange->busy) {
        exchange->dead = true;
        leave_curl(exchange);
    } else {
        exchange_free(exchange);
    }
}

static void exchange_hold(struct exchange *base)
{
    ((struct live_exchange *)base)->paused = true;
}

static void exchange_go_on(struct exchange *base)
{
    struct live_exchange *exchange = (struct live_exchange *)base;

    exchange->paused = false;
    live_exchange_notify(exchange);
}

/* libcurl asks on_send() once the connection stands, and TLS with it, before the first byte. */
static bool exchange_went_out(const struct exchange *base)
{
    return ((const struct live_exchange *)base)->sent_count > 0;
}

static void client_release(struct live_runtime *live)
{
    while (live->exchanges != NULL)
        exchange_free(live->exchanges);
    live_pools_free(live);
}

static void client_start(struct runtime_ops *ops)
{
    curl_global_init(CURL_GLOBAL_DEFAULT);
    ops->request = request_start;
    ops->exchange_cancel = exchange_cancel_now;
    ops->exchange_pause = exchange_hold;
    ops->exchange_resume = exchange_go_on;
    ops->exchange_was_sent = exchange_went_out;
}

const struct live_client *live_client(void)
{
    static const struct live_client client = {client_start, client_release, curl_global_cleanup};

    return &client;
}
