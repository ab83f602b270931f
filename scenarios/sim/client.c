#include "scenarios/sim/client.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/url.h"
#include "scenarios/sim/connection.h"
#include "scenarios/sim/exchange.h"
#include "scenarios/sim/network_fault.h"
#include "scenarios/sim/timers.h"
#include "scenarios/sim/trace.h"
#include "scenarios/sim/trust.h"

/* Kept connections of a process; the one idle for longest goes first. */
#define KEPT_MAX 64

static void exchange_free(struct sim_exchange *exchange)
{
    struct sim_runtime *runtime = sim_runtime_of(exchange->base.rt);
    struct queue *queue = &runtime->process->sim->queue;

    queue_remove(queue, &exchange->turn);
    queue_remove(queue, &exchange->timeout);
    message_free(exchange->message);
    destination_release(&exchange->destination);
    free(exchange);
}

static void trace_client(const struct sim_exchange *exchange, enum sim_event_kind kind,
                         int64_t number, const char *text)
{
    struct sim_process *process = sim_runtime_of(exchange->base.rt)->process;
    struct sim_event event = {.kind = kind,
                              .process = process,
                              .peer = exchange->server,
                              .exchange_id = exchange->id,
                              .number = number,
                              .text = text};

    trace_event(process->sim, &event);
}

/* --- the end --- */

/* The answer is whole: the connection may serve again. */
static void keep(struct connection *connection)
{
    struct sim_runtime *runtime = connection->client_runtime;
    const struct connection *kept;
    size_t count;

    DL_COUNT2(runtime->idle, kept, count, idle_next);
    if (count >= KEPT_MAX)
        connection_close_client(runtime->idle->idle_prev);
    connection->exchange = NULL;
    connection->kept = true;
    connection->idle_since_us = connection->sim->now_us;
    DL_PREPEND2(runtime->idle, connection, idle_prev, idle_next);
}

static void leave_connection(struct sim_exchange *exchange, bool whole)
{
    struct connection *connection = exchange->connection;

    exchange->connection = NULL;
    if (connection == NULL)
        return;
    connection->exchange = NULL;
    if (whole && !exchange->fresh && exchange->sent_end && !connection->close_after &&
        !connection->up.shut)
        keep(connection);
    else
        connection_close_client(connection);
}

void exchange_finish(struct sim_exchange *exchange, enum exchange_end end, const char *detail)
{
    struct sim_runtime *runtime = sim_runtime_of(exchange->base.rt);
    struct queue *queue = &runtime->process->sim->queue;

    queue_remove(queue, &exchange->turn);
    queue_remove(queue, &exchange->timeout);
    leave_connection(exchange, end == EXCHANGE_COMPLETE);
    trace_client(exchange, SIM_EVENT_END, end, detail);
    if (process_has_ended(runtime->process))
        return;
    exchange->state = EXCHANGE_ENDING;
    DL_DELETE(runtime->exchanges, exchange);
    exchange->events->on_end(exchange->arg, end, detail);
    exchange_free(exchange);
}

void client_cancel(struct exchange *handle)
{
    struct sim_exchange *exchange = (struct sim_exchange *)handle;
    struct sim_runtime *runtime = sim_runtime_of(handle->rt);

    if (exchange->state == EXCHANGE_ENDING)
        return;
    leave_connection(exchange, false);
    DL_DELETE(runtime->exchanges, exchange);
    if (!runtime->dead)
        trace_client(exchange, SIM_EVENT_CANCELLED, 0, NULL);
    exchange_free(exchange);
}

/* --- limits of time --- */

static int64_t due_after(int64_t now_us, int64_t timeout_us)
{
    return timeout_us <= 0 || timeout_us > INT64_MAX - now_us ? INT64_MAX : now_us + timeout_us;
}

void exchange_set_timeout(struct sim_exchange *exchange)
{
    int64_t due_us = exchange->total_due_us;

    if (exchange->state != EXCHANGE_UNDER_WAY && exchange->connect_due_us < due_us)
        due_us = exchange->connect_due_us;
    if (exchange->state == EXCHANGE_UNDER_WAY && exchange->idle_timeout_us > 0 &&
        !exchange->paused && exchange->active_us + exchange->idle_timeout_us < due_us)
        due_us = exchange->active_us + exchange->idle_timeout_us;
    if (due_us == INT64_MAX)
        queue_remove(&sim_runtime_of(exchange->base.rt)->process->sim->queue, &exchange->timeout);
    else
        timers_put(sim_runtime_of(exchange->base.rt), &exchange->timeout, due_us);
}

static void time_out(void *owner)
{
    struct sim_exchange *exchange = owner;
    int64_t now_us = sim_process_elapsed_us(sim_runtime_of(exchange->base.rt)->process);
    bool under_way = exchange->state == EXCHANGE_UNDER_WAY;

    if (now_us >= exchange->total_due_us)
        exchange_finish(exchange, EXCHANGE_TIMED_OUT, "no whole answer in time");
    else if (!under_way && now_us >= exchange->connect_due_us)
        exchange_finish(exchange, EXCHANGE_TIMED_OUT, "no connection in time");
    else if (under_way && exchange->idle_timeout_us > 0 && !exchange->paused &&
             now_us >= exchange->active_us + exchange->idle_timeout_us)
        exchange_finish(exchange, EXCHANGE_TIMED_OUT, "nothing received for too long");
    else
        exchange_set_timeout(exchange);
}

static void note_activity(struct sim_exchange *exchange)
{
    /* The timer is left where it is: it looks again when it fires. */
    if (exchange->idle_timeout_us > 0)
        exchange->active_us = sim_process_elapsed_us(sim_runtime_of(exchange->base.rt)->process);
}

void client_move_timeouts(struct sim_runtime *runtime)
{
    struct sim_exchange *exchange;

    DL_FOREACH (runtime->exchanges, exchange)
        if (exchange->timeout.place != 0)
            exchange_set_timeout(exchange);
}

/* --- sending --- */

static void pump(struct connection *connection)
{
    struct sim_exchange *exchange = connection->exchange;
    struct pipe *up = &connection->up;
    size_t total = message_body_size(connection->question);

    while (!exchange->sent_end && !up->shut) {
        size_t left = total - exchange->sent;
        size_t room = left == 0 ? 0 : pipe_room(up);
        struct segment segment = {.head = !exchange->sent_head,
                                  .bytes = connection->question->body,
                                  .offset = exchange->sent,
                                  .size = left < room ? left : room};

        if (left > 0 && room == 0 && exchange->sent_head)
            return;
        segment.end = segment.size == left;
        exchange->sent_head = true;
        exchange->sent_end = segment.end;
        exchange->sent += segment.size;
        pipe_send(up, &segment);
    }
}

void exchange_send(struct sim_exchange *exchange, struct connection *connection)
{
    exchange->state = EXCHANGE_UNDER_WAY;
    exchange->was_sent = true;
    exchange->connection = connection;
    exchange->active_us = sim_process_elapsed_us(connection->client);
    connection->exchange = exchange;
    connection->exchange_id = exchange->id;
    connection->seen = false;
    message_free(connection->question);
    connection->question = exchange->message;
    exchange->message = NULL;
    exchange_set_timeout(exchange);
    network_fault_begin_request(connection, &exchange->fault);
    pump(connection);
}

/* --- receiving --- */

/* A kept connection turned out to be closed by the server before it saw the request, and it never
 * will: that is nobody's news, and the request goes on a new one. */
static bool try_again(struct sim_exchange *exchange)
{
    const struct sim_process *process = sim_runtime_of(exchange->base.rt)->process;
    struct connection *connection = exchange->connection;

    if (!exchange->reused || exchange->head_seen || connection->seen ||
        connection->listener != NULL || exchange->fault.kind != SIM_FAULT_NONE)
        return false;
    exchange->message = connection->question;
    connection->question = NULL;
    leave_connection(exchange, false);
    exchange->state = EXCHANGE_STARTING;
    exchange->reused = false;
    exchange->sent_head = false;
    exchange->sent_end = false;
    exchange->sent = 0;
    exchange->connect_due_us =
        due_after(sim_process_elapsed_us(process), exchange->connect_timeout_us);
    exchange_set_timeout(exchange);
    queue_put(&process->sim->queue, &exchange->turn, process->sim->now_us);
    return true;
}

static void take_head(struct sim_exchange *exchange, const struct message *answer)
{
    const struct response_head head = {answer->status, answer->headers, answer->header_count};
    struct sim_process *process = sim_runtime_of(exchange->base.rt)->process;
    struct sim_event event = {.kind = SIM_EVENT_RESPONSE,
                              .process = process,
                              .peer = exchange->server,
                              .exchange_id = exchange->id,
                              .status = answer->status,
                              .headers = answer->headers,
                              .header_count = answer->header_count};

    exchange->head_seen = true;
    if (answer->head_bytes > EXCHANGE_HEADER_BYTES_MAX) {
        exchange_finish(exchange, EXCHANGE_TOO_LARGE, "the answer's head is too large");
        return;
    }
    trace_event(process->sim, &event);
    if (!process_has_ended(process) && exchange->events->on_head != NULL)
        exchange->events->on_head(exchange->arg, &head);
}

static void take_body(struct sim_exchange *exchange, const struct segment *segment)
{
    struct sim_process *process = sim_runtime_of(exchange->base.rt)->process;
    const char *bytes = segment->bytes->data + segment->offset;
    struct sim_event event = {.kind = SIM_EVENT_BODY,
                              .process = process,
                              .peer = exchange->server,
                              .exchange_id = exchange->id,
                              .bytes = bytes,
                              .size = segment->size};

    exchange->received += segment->size;
    if (exchange->received > exchange->bytes_max) {
        exchange_finish(exchange, EXCHANGE_TOO_LARGE, "the answer is too large");
        return;
    }
    trace_event(process->sim, &event);
    if (!process_has_ended(process) && exchange->events->on_body != NULL)
        exchange->events->on_body(exchange->arg, bytes, segment->size);
}

/* Gives the program the next part of the first segment. */
static void take_step(struct connection *connection)
{
    struct sim_exchange *exchange = connection->exchange;
    struct segment *segment = connection->down.arrived.first;

    note_activity(exchange);
    if (segment->close) {
        if (!try_again(exchange))
            exchange_finish(exchange, EXCHANGE_RESET, "connection closed before the whole answer");
    } else if (segment->head) {
        segment->head = false;
        take_head(exchange, connection->answer);
    } else if (segment->size > 0) {
        struct segment part = *segment;

        segment->size = 0;
        bytes_ref(part.bytes);
        pipe_take(&connection->down, part.size);
        take_body(exchange, &part);
        bytes_unref(part.bytes);
    } else if (segment->end) {
        pipe_drop_first(&connection->down);
        exchange_finish(exchange, EXCHANGE_COMPLETE, "");
    } else {
        pipe_drop_first(&connection->down);
    }
}

static bool can_take(const struct connection *connection)
{
    const struct sim_exchange *exchange = connection->exchange;

    return connection->down.arrived.first != NULL && exchange != NULL &&
           (!exchange->paused || connection->down.arrived.first->head) &&
           process_can_run(connection->client);
}

static void take_all(struct connection *connection)
{
    connection_hold(connection);
    while (can_take(connection))
        take_step(connection);
    if (connection->down.arrived.first != NULL && connection->client->state == SIM_PROCESS_PAUSED &&
        connection->exchange != NULL)
        queue_put(&connection->sim->queue, &connection->client_turn, connection->sim->now_us);
    connection_let_go(connection);
}

void client_arrived(struct connection *connection)
{
    if (connection->client_runtime == NULL)
        pipe_refuse(&connection->down);
    else if (connection->exchange == NULL)
        connection_close_client(connection); /* nothing but a close comes to an idle one */
    else
        take_all(connection);
}

void client_turn(void *owner)
{
    struct connection *connection = owner;

    if (connection->exchange != NULL)
        pump(connection);
    take_all(connection);
}

/* --- calls of the seam --- */

void client_pause(struct exchange *handle)
{
    ((struct sim_exchange *)handle)->paused = true;
}

void client_resume(struct exchange *handle)
{
    struct sim_exchange *exchange = (struct sim_exchange *)handle;
    struct connection *connection = exchange->connection;

    if (!exchange->paused || exchange->state == EXCHANGE_ENDING)
        return;
    exchange->paused = false;
    note_activity(exchange);
    if (!sim_runtime_of(handle->rt)->dead)
        exchange_set_timeout(exchange);
    if (connection != NULL && !sim_runtime_of(handle->rt)->dead)
        queue_put(&connection->sim->queue, &connection->client_turn, connection->sim->now_us);
}

bool client_was_sent(const struct exchange *handle)
{
    return ((const struct sim_exchange *)handle)->was_sent;
}

static void fail(struct sim_exchange *exchange, enum exchange_end end, const char *detail)
{
    exchange->failure = end;
    exchange->failure_detail = detail;
}

static void set_destination(struct sim_exchange *exchange, const struct http_request *request,
                            struct url *url)
{
    struct trust *trust = sim_runtime_of(exchange->base.rt)->process->sim->trust;

    exchange->destination = (struct destination){
        .host = url->host,
        .port = url->port,
        .tls = url->tls,
        .tls_client = trust_client(trust, url->tls ? request->tls : NULL),
        .unix_socket = xstrdup(request->unix_socket),
        .pool = xstrdup(text_or(request->pool, "")),
    };
    url->host = NULL;
}

static void set_message(struct sim_exchange *exchange, const struct http_request *request,
                        const char *target)
{
    const struct destination *destination = &exchange->destination;
    char length[24];
    char *host = xprintf(strchr(destination->host, ':') == NULL ? "%s:%u" : "[%s]:%u",
                         destination->host, destination->port);
    const struct http_header extra[] = {
        {"Host",           host                                 },
        {"Content-Length", request->body == NULL ? NULL : length},
    };
    const struct message message = {
        .method = request->method,
        .target = target,
        .headers = request->headers,
        .header_count = request->header_count,
        .body = request->body == NULL ? NULL : bytes_new(request->body, request->body_size),
    };

    snprintf(length, sizeof(length), "%zu", request->body_size);
    exchange->message = message_new(&message, extra, ARRAY_SIZE(extra));
    free(host);
}

static void set_destination_and_message(struct sim_exchange *exchange,
                                        const struct http_request *request)
{
    const char *fault = http_request_fault(request);
    struct url url;

    if (fault != NULL)
        fail(exchange, EXCHANGE_MALFORMED, fault);
    if (!url_parse(request->url, &url, NULL)) {
        fail(exchange, EXCHANGE_MALFORMED, "not an http or https URL");
        url = (struct url){.host = xstrdup(""), .target = xstrdup("/")};
    }
    set_destination(exchange, request, &url);
    set_message(exchange, request, url.target);
    url_release(&url);
}

static void set_limits(struct sim_exchange *exchange, const struct http_request *request)
{
    int64_t now_us = sim_process_elapsed_us(sim_runtime_of(exchange->base.rt)->process);

    exchange->connect_timeout_us = request->connect_timeout_us == 0 ? EXCHANGE_CONNECT_TIMEOUT_US
                                                                    : request->connect_timeout_us;
    exchange->connect_due_us = due_after(now_us, exchange->connect_timeout_us);
    exchange->total_due_us = due_after(now_us, request->total_timeout_us);
    exchange->idle_timeout_us = request->idle_timeout_us;
    exchange->bytes_max = request->response_bytes_max;
    exchange->fresh = request->fresh;
}

struct exchange *client_request(struct runtime *rt, const struct http_request *request,
                                const struct exchange_events *events, void *arg)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim_process *process = runtime->process;
    struct sim_exchange *exchange = xcalloc(1, sizeof(*exchange));

    assert(request->response_bytes_max > 0);
    exchange->base.rt = rt;
    exchange->id = runtime->dead ? 0 : ++process->sim->next_exchange_id;
    exchange->asked_us = process->sim->now_us;
    exchange->asked_elapsed_us = sim_process_elapsed_us(process);
    exchange->events = events;
    exchange->arg = arg;
    exchange->turn = (struct event){.run = connect_turn, .owner = exchange, .process = process};
    exchange->timeout = (struct event){.run = time_out, .owner = exchange, .process = process};
    set_destination_and_message(exchange, request);
    set_limits(exchange, request);
    DL_APPEND(runtime->exchanges, exchange);
    if (!runtime->dead) {
        exchange_set_timeout(exchange);
        queue_put(&process->sim->queue, &exchange->turn, process->sim->now_us);
    }
    return &exchange->base;
}

void client_free_all(struct sim_runtime *runtime)
{
    struct connection *connection;
    struct connection *next;

    while (runtime->exchanges != NULL)
        client_cancel(&runtime->exchanges->base);
    DL_FOREACH_SAFE(runtime->process->sim->connections, connection, next)
    if (connection->client_runtime == runtime)
        connection_close_client(connection);
}
