#include "scenarios/sim/server.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/sim/connection.h"
#include "scenarios/sim/listener.h"
#include "scenarios/sim/network_fault.h"
#include "scenarios/sim/request.h"
#include "scenarios/sim/timers.h"
#include "scenarios/sim/trace.h"

#define HEADERS_TOO_LARGE 431

/* --- the life of a request --- */

static void request_free(struct sim_request *request)
{
    struct sim_runtime *runtime = sim_runtime_of(request->base.rt);

    queue_remove(&runtime->process->sim->queue, &request->timeout);
    DL_DELETE(runtime->requests, request);
    free(request);
}

/* The program learns how it ended, and lets go of it. */
static void finish(struct sim_request *request, bool delivered)
{
    struct sim_process *process = sim_runtime_of(request->base.rt)->process;
    struct sim_event event = {.kind = SIM_EVENT_REQUEST_CLOSED,
                              .process = process,
                              .peer = request->connection->client,
                              .exchange_id = request->connection->exchange_id,
                              .number = delivered};

    request->connection->request = NULL;
    request->connection = NULL;
    trace_event(process->sim, &event);
    if (process_has_ended(process))
        return;
    request->closing = true;
    request->events->on_closed(request->arg, delivered);
    request_free(request);
}

static void time_out(void *owner)
{
    struct sim_request *request = owner;
    struct connection *connection = request->connection;
    int64_t now_us = sim_process_elapsed_us(connection->server);

    if (request->stalled && connection->down.unread < request->stalled_unread) {
        request->stalled_unread = connection->down.unread;
        request_set_limit(request, connection->listener->idle_timeout_us);
        return;
    }
    if (now_us < request->due_us) {
        timers_put(sim_runtime_of(request->base.rt), &request->timeout, request->due_us);
        return;
    }
    connection_hold(connection);
    finish(request, false);
    connection_close_server(connection);
    connection_let_go(connection);
}

void request_set_limit(struct sim_request *request, int64_t limit_us)
{
    struct sim_runtime *runtime = sim_runtime_of(request->base.rt);

    request->due_us = sim_process_elapsed_us(runtime->process) + limit_us;
    timers_put(runtime, &request->timeout, request->due_us);
}

static void clear_limit(struct sim_request *request)
{
    request->stalled = false;
    queue_remove(&sim_runtime_of(request->base.rt)->process->sim->queue, &request->timeout);
}

void server_move_timeouts(struct sim_runtime *runtime)
{
    struct sim_request *request;

    DL_FOREACH (runtime->requests, request)
        if (request->timeout.place != 0)
            timers_put(runtime, &request->timeout, request->due_us);
}

/* --- giving it to the program --- */

static struct sim_request *request_new(struct connection *connection)
{
    struct sim_runtime *runtime = sim_runtime_of(connection->listener->base.rt);
    const struct message *question = connection->question;
    struct sim_request *request = xcalloc(1, sizeof(*request));

    request->base.rt = &runtime->base;
    request->connection = connection;
    request->timeout =
        (struct event){.run = time_out, .owner = request, .process = runtime->process};
    request->head = (struct request_head){.method = question->method,
                                          .target = question->target,
                                          .headers = question->headers,
                                          .header_count = question->header_count,
                                          .peer = connection->peer,
                                          .certificate = connection->certificate,
                                          .tls = connection->listener->tls_server != 0};
    request->body_done = message_body_size(question) == 0;
    DL_APPEND(runtime->requests, request);
    return request;
}

static void trace_answer(const struct connection *connection)
{
    const struct message *answer = connection->answer;
    struct sim_event event = {.kind = SIM_EVENT_RESPONSE_SENT,
                              .process = connection->server,
                              .peer = connection->client,
                              .exchange_id = connection->exchange_id,
                              .status = answer->status,
                              .headers = answer->headers,
                              .header_count = answer->header_count,
                              .bytes = answer->body == NULL ? NULL : answer->body->data,
                              .size = message_body_size(answer)};

    trace_event(connection->sim, &event);
}

/* As the gate of the live runtime does: an answer that no program knows of, and the end. */
static void refuse_head(struct connection *connection)
{
    static const struct http_header extra[] = {
        {"Content-Length", "0"    },
        {"Connection",     "close"},
    };
    const struct message message = {.status = HEADERS_TOO_LARGE};
    const struct segment segment = {.head = true, .end = true};

    connection->close_after = true;
    message_free(connection->answer);
    connection->answer = message_new(&message, extra, ARRAY_SIZE(extra));
    trace_answer(connection);
    pipe_send(&connection->down, &segment);
    connection_close_server(connection);
}

static void give_head(struct connection *connection)
{
    const struct sim_listener *listener = connection->listener;
    struct sim_request *request = request_new(connection);
    struct sim_event event = {
        .kind = SIM_EVENT_REQUEST,
        .process = connection->server,
        .peer = connection->client,
        .exchange_id = connection->exchange_id,
        .method = request->head.method,
        .target = request->head.target,
        .headers = request->head.headers,
        .header_count = request->head.header_count,
        .bytes = connection->question->body == NULL ? NULL : connection->question->body->data,
        .size = message_body_size(connection->question)};

    connection->request = request;
    connection->seen = true;
    if (!request->body_done)
        request_set_limit(request, listener->body_timeout_us);
    trace_event(connection->sim, &event);
    if (process_has_ended(connection->server))
        return;
    listener->service->on_request(listener->arg, &request->base, &request->head);
    assert(connection->request == NULL || request->events != NULL);
}

static bool wants_body(const struct connection *connection)
{
    return connection->request != NULL && !connection->request->answered;
}

static void give_body(struct connection *connection, struct segment *segment)
{
    struct sim_request *request = connection->request;
    struct segment part = *segment;

    segment->size = 0;
    bytes_ref(part.bytes);
    pipe_take(&connection->up, part.size);
    if (wants_body(connection) && request->events->on_body != NULL)
        request->events->on_body(request->arg, part.bytes->data + part.offset, part.size);
    bytes_unref(part.bytes);
}

static void give_body_end(struct connection *connection)
{
    struct sim_request *request = connection->request;

    pipe_drop_first(&connection->up);
    if (!wants_body(connection))
        return;
    request->body_done = true;
    clear_limit(request);
    if (request->events->on_body_end != NULL)
        request->events->on_body_end(request->arg);
}

/* Gives the program the next part of the first segment. */
static void give_step(struct connection *connection)
{
    struct segment *segment = connection->up.arrived.first;

    if (segment->close) {
        pipe_drop_first(&connection->up);
        if (connection->request != NULL)
            finish(connection->request, false);
        connection_close_server(connection);
    } else if (segment->head) {
        segment->head = false;
        if (connection->question->head_bytes > connection->listener->header_bytes_max)
            refuse_head(connection);
        else
            give_head(connection);
    } else if (segment->size > 0) {
        give_body(connection, segment);
    } else if (segment->end) {
        give_body_end(connection);
    } else {
        pipe_drop_first(&connection->up);
    }
}

static bool can_give(const struct connection *connection)
{
    return connection->up.arrived.first != NULL && connection->listener != NULL &&
           process_can_run(connection->server);
}

static void give_all(struct connection *connection)
{
    while (can_give(connection))
        give_step(connection);
    if (connection->up.arrived.first != NULL && connection->listener != NULL &&
        connection->server->state == SIM_PROCESS_PAUSED)
        queue_put(&connection->sim->queue, &connection->server_turn, connection->sim->now_us);
}

void server_arrived(struct connection *connection)
{
    if (connection->listener == NULL) {
        pipe_refuse(&connection->up);
        return;
    }
    connection_hold(connection);
    give_all(connection);
    connection_let_go(connection);
}

/* --- sending the answer --- */

static void begin_answer(struct connection *connection)
{
    connection->request->begun = true;
    trace_answer(connection);
    network_fault_begin_answer(connection);
}

static void send_part(struct connection *connection, struct segment *segment)
{
    segment->head = !connection->request->sent_head;
    connection->request->sent_head = true;
    pipe_send(&connection->down, segment);
}

/* The answer is with the kernel, whole. */
static void end_answer(struct connection *connection)
{
    const struct sim_listener *listener = connection->listener;

    finish(connection->request, true);
    if (connection->listener == listener && (connection->close_after || listener->stopped))
        connection_close_server(connection);
}

static void stall(struct sim_request *request)
{
    if (request->stalled)
        return;
    request->stalled = true;
    request->stalled_unread = request->connection->down.unread;
    request_set_limit(request, request->connection->listener->idle_timeout_us);
}

/* Sends the next part of a whole body; false when no more can be sent now. */
static bool send_whole(struct connection *connection)
{
    struct sim_request *request = connection->request;
    struct bytes *body = connection->answer->body;
    size_t left = message_body_size(connection->answer) - request->sent;
    size_t room = left == 0 ? 0 : pipe_room(&connection->down);
    struct segment segment = {
        .bytes = body, .offset = request->sent, .size = left < room ? left : room};

    if (left > 0 && room == 0 && request->sent_head) {
        stall(request);
        return false;
    }
    segment.end = segment.size == left;
    request->sent += segment.size;
    send_part(connection, &segment);
    if (segment.end)
        end_answer(connection);
    return !segment.end;
}

static void send_pulled(struct connection *connection, size_t size)
{
    struct segment segment = {.bytes = bytes_new(connection->sim->scratch, size), .size = size};
    struct sim_event event = {.kind = SIM_EVENT_BODY_SENT,
                              .process = connection->server,
                              .peer = connection->client,
                              .exchange_id = connection->exchange_id,
                              .bytes = segment.bytes->data,
                              .size = size};

    trace_event(connection->sim, &event);
    send_part(connection, &segment);
    bytes_unref(segment.bytes);
}

static void break_off(struct connection *connection)
{
    finish(connection->request, false);
    connection_close_server(connection);
}

/* Asks the source for the next part and sends it; false when there is no more now. */
static bool send_streamed(struct connection *connection)
{
    struct sim_request *request = connection->request;
    struct segment segment = {0};
    size_t size = 0;
    size_t room = pipe_room(&connection->down);
    enum body_pull pulled;

    if (request->waiting && !request->woken)
        return false;
    if (room == 0 || connection->down.shut) {
        stall(request);
        return false;
    }
    clear_limit(request);
    request->waiting = false;
    request->woken = false;
    pulled = request->source->pull(request->source_arg, connection->sim->scratch, room, &size);
    if (connection->request == NULL || process_has_ended(connection->server))
        return false;
    switch (pulled) {
    case BODY_BYTES:
        assert(size > 0 && size <= room);
        send_pulled(connection, size);
        return true;
    case BODY_WAIT:
        request->waiting = true;
        if (!request->sent_head)
            send_part(connection, &segment);
        return false;
    case BODY_END:
        segment.end = true;
        send_part(connection, &segment);
        end_answer(connection);
        return false;
    case BODY_RESET:
        break_off(connection);
        return false;
    }
    return false;
}

static void send_answer(struct connection *connection)
{
    bool more = true;

    if (!connection->request->begun)
        begin_answer(connection);
    while (more && connection->request != NULL && process_can_run(connection->server))
        more = connection->request->source == NULL ? send_whole(connection)
                                                   : send_streamed(connection);
}

void server_turn(void *owner)
{
    struct connection *connection = owner;

    connection_hold(connection);
    give_all(connection);
    if (connection->request != NULL && connection->request->answered &&
        process_can_run(connection->server))
        send_answer(connection);
    connection_let_go(connection);
}

/* --- calls of the seam --- */

void server_accept(struct request *handle, const struct request_events *events, void *arg)
{
    struct sim_request *request = (struct sim_request *)handle;

    request->events = events;
    request->arg = arg;
}

static bool has_body(const struct connection *connection, unsigned status)
{
    return status != 204 && status != 304 && !text_equal(connection->question->method, "HEAD");
}

static struct bytes *body_of(const struct http_response *response)
{
    if (response->shared != NULL)
        return bytes_ref(response->shared);
    return response->body == NULL ? NULL : bytes_new(response->body, response->body_size);
}

static void set_answer(struct connection *connection, const struct http_response *response)
{
    bool body = has_body(connection, response->status);
    size_t size = response->shared != NULL ? response->shared->size : response->body_size;
    char *length = xprintf("%zu", size);
    bool streamed = response->source != NULL;
    bool bodiless = response->status == 204 || response->status == 304;
    const struct http_header extra[] = {
        {"Content-Length",    streamed || bodiless ? NULL : length    },
        {"Transfer-Encoding", streamed && !bodiless ? "chunked" : NULL},
        {"Connection",        connection->close_after ? "close" : NULL},
    };
    const struct message message = {
        .status = response->status,
        .headers = response->headers,
        .header_count = response->header_count,
        .body = body && !streamed ? body_of(response) : NULL,
    };

    message_free(connection->answer);
    connection->answer = message_new(&message, extra, ARRAY_SIZE(extra));
    free(length);
}

void server_respond(struct request *handle, const struct http_response *response)
{
    struct sim_request *request = (struct sim_request *)handle;
    struct connection *connection = request->connection;

    if (connection == NULL || sim_runtime_of(handle->rt)->dead)
        return;
    assert(request->events != NULL && !request->answered);
    request->answered = true;
    clear_limit(request);
    if (has_body(connection, response->status)) {
        request->source = response->source;
        request->source_arg = response->source_arg;
    }
    connection->close_after = connection->close_after || response->close || !request->body_done;
    set_answer(connection, response);
    queue_put(&connection->sim->queue, &connection->server_turn, connection->sim->now_us);
}

void server_wake(struct request *handle)
{
    struct sim_request *request = (struct sim_request *)handle;
    struct connection *connection = request->connection;

    request->woken = true;
    if (connection != NULL && !sim_runtime_of(handle->rt)->dead)
        queue_put(&connection->sim->queue, &connection->server_turn, connection->sim->now_us);
}

void server_reset(struct request *handle)
{
    struct sim_request *request = (struct sim_request *)handle;
    struct connection *connection = request->connection;

    if (request->closing)
        return;
    request_free(request);
    if (connection == NULL)
        return;
    connection->request = NULL;
    connection_close_server(connection);
}

void server_free_all(struct sim_runtime *runtime)
{
    while (runtime->requests != NULL)
        server_reset(&runtime->requests->base);
    while (runtime->listeners != NULL)
        server_close(&runtime->listeners->base);
}
