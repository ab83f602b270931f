/* dial - the way of an exchange to a connection: a kept one, or a new one. */
#include "scenarios/sim/exchange.h"

#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/sim/connection.h"
#include "scenarios/sim/link.h"
#include "scenarios/sim/network_fault.h"
#include "scenarios/sim/server.h"
#include "scenarios/sim/trace.h"
#include "scenarios/sim/trust.h"

/* Again and again, as TCP does: 1, 2, 4... seconds apart. */
#define RETRY_FIRST_US US_PER_SECOND
#define RETRY_DOUBLINGS_MAX 6

static struct sim_process *process_of(const struct sim_exchange *exchange)
{
    return sim_runtime_of(exchange->base.rt)->process;
}

/* --- before anything is sent --- */

static void announce(struct sim_exchange *exchange)
{
    struct sim_process *process = process_of(exchange);
    const struct message *message = exchange->message;
    struct sim_event event = {
        .kind = SIM_EVENT_REQUEST_SENT,
        .process = process,
        .peer = exchange->server,
        .exchange_id = exchange->id,
        .method = message->method,
        .target = message->target,
        .headers = message->headers,
        .header_count = message->header_count,
        .bytes = message->body == NULL ? NULL : message->body->data,
        .size = message_body_size(message),
        .asked_us = exchange->asked_us,
        .asked_elapsed_us = exchange->asked_elapsed_us,
    };

    if (exchange->announced)
        return;
    exchange->announced = true;
    network_fault_ask(exchange);
    event.number = exchange->fault.kind;
    if (!process_has_ended(process))
        trace_event(process->sim, &event);
}

/* --- kept connections --- */

static bool is_stale(const struct connection *connection)
{
    int64_t idle_us = connection->sim->now_us - connection->idle_since_us;

    return connection->listener != NULL && idle_us >= server_idle_timeout_us(connection->listener);
}

/* The one used last that fits; those that the server has closed for idleness go. */
static struct connection *take_kept(struct sim_exchange *exchange)
{
    struct sim_runtime *runtime = sim_runtime_of(exchange->base.rt);
    struct connection *connection;
    struct connection *next;

    DL_FOREACH_SAFE2(runtime->idle, connection, next, idle_next)
    {
        if (is_stale(connection)) {
            connection_expire(connection);
        } else if (destination_equal(&connection->destination, &exchange->destination)) {
            DL_DELETE2(runtime->idle, connection, idle_prev, idle_next);
            connection->kept = false;
            return connection;
        }
    }
    return NULL;
}

/* --- connecting --- */

static void wait_for_round_trip(struct sim_exchange *exchange)
{
    struct sim_process *process = process_of(exchange);
    int64_t there_us = link_draw_latency_us(process, exchange->server);
    int64_t back_us = link_draw_latency_us(exchange->server, process);
    int64_t wait_us = there_us + back_us;

    if (exchange->destination.tls)
        wait_us *= 2;
    queue_put(&process->sim->queue, &exchange->turn, process->sim->now_us + wait_us);
}

static void try_later(struct sim_exchange *exchange)
{
    struct sim *sim = process_of(exchange)->sim;
    unsigned doublings = exchange->connect_tries++;

    doublings = doublings > RETRY_DOUBLINGS_MAX ? RETRY_DOUBLINGS_MAX : doublings;
    queue_put(&sim->queue, &exchange->turn, sim->now_us + (RETRY_FIRST_US << doublings));
}

static bool is_silent(const struct sim_exchange *exchange)
{
    const struct sim_process *process = process_of(exchange);
    const struct sim_process *server = exchange->server;

    return server->power_lost || link_between(process, server)->cut ||
           link_between(server, process)->cut;
}

static struct connection *make_connection(struct sim_exchange *exchange,
                                          struct sim_listener *listener,
                                          const struct peer_certificate *certificate)
{
    struct sim_process *process = process_of(exchange);
    struct connection *connection =
        connection_new(sim_runtime_of(exchange->base.rt), exchange->server, listener);

    destination_copy(&connection->destination, &exchange->destination);
    connection->certificate = certificate;
    connection->peer = exchange->destination.unix_socket != NULL
                           ? xstrdup("unix")
                           : xprintf("%s:%u", process->name, process->next_client_port);
    if (++process->next_client_port == 0)
        process->next_client_port = FIRST_CLIENT_PORT;
    return connection;
}

/* The listener that answers; NULL when the exchange has ended or will try again. */
static struct sim_listener *reach(struct sim_exchange *exchange)
{
    struct sim_process *server = exchange->server;
    struct sim_listener *listener = NULL;

    if (is_silent(exchange)) {
        try_later(exchange);
        return NULL;
    }
    if (exchange->fault.kind != SIM_FAULT_REFUSE && !server->ports_closed &&
        !link_between(process_of(exchange), server)->refuse)
        listener = exchange->destination.unix_socket != NULL
                       ? server_find_unix(server, exchange->destination.unix_socket)
                       : server_find(server, exchange->destination.port, exchange->destination.host,
                                     exchange->loopback);
    if (listener == NULL) {
        exchange_finish(exchange, EXCHANGE_REFUSED, "connection refused");
        return NULL;
    }
    if (exchange->destination.tls && server->state == SIM_PROCESS_PAUSED) {
        try_later(exchange); /* its kernel accepts, but who shakes hands? */
        return NULL;
    }
    return listener;
}

/* The peer closes at once. A plain client has written by the time that it learns of it; over TLS
 * the handshake comes first. */
static void finish_closed(struct sim_exchange *exchange)
{
    exchange->was_sent = exchange->was_sent || !exchange->destination.tls;
    exchange_finish(exchange, EXCHANGE_RESET, "connection closed by the peer");
}

static void connect_now(struct sim_exchange *exchange)
{
    struct sim_listener *listener = reach(exchange);
    const struct trust_verdict *verdict = NULL;
    unsigned tls_server;

    if (listener == NULL)
        return;
    tls_server = server_tls(listener);
    if (exchange->destination.tls && tls_server != 0)
        verdict = trust_meet(process_of(exchange)->sim->trust, exchange->destination.tls_client,
                             tls_server, exchange->destination.host);
    if (exchange->destination.tls && verdict == NULL)
        exchange_finish(exchange, EXCHANGE_TLS, "the peer does not speak TLS");
    else if (!exchange->destination.tls && tls_server != 0)
        finish_closed(exchange);
    else if (verdict != NULL && verdict->refusal != NULL)
        exchange_finish(exchange, EXCHANGE_TLS, verdict->refusal);
    else if (!server_admit(listener))
        finish_closed(exchange);
    else
        exchange_send(exchange, make_connection(exchange, listener,
                                                verdict == NULL ? NULL : verdict->certificate));
}

static void start(struct sim_exchange *exchange)
{
    struct sim_process *process = process_of(exchange);
    struct connection *connection = NULL;

    if (exchange->failure != EXCHANGE_COMPLETE) {
        exchange_finish(exchange, exchange->failure, exchange->failure_detail);
        return;
    }
    exchange->loopback = exchange->destination.unix_socket != NULL;
    exchange->server = exchange->loopback
                           ? process
                           : link_resolve(process, exchange->destination.host, &exchange->loopback);
    announce(exchange);
    if (process_has_ended(process))
        return;
    if (exchange->server == NULL) {
        exchange_finish(exchange, EXCHANGE_UNRESOLVED, "no such host");
        return;
    }
    if (exchange->fault.kind != SIM_FAULT_REFUSE && !exchange->fresh)
        connection = take_kept(exchange);
    if (connection != NULL) {
        exchange->reused = true;
        exchange_send(exchange, connection);
        return;
    }
    exchange->state = EXCHANGE_CONNECTING;
    wait_for_round_trip(exchange);
}

void connect_turn(void *owner)
{
    struct sim_exchange *exchange = owner;

    if (exchange->state == EXCHANGE_STARTING)
        start(exchange);
    else
        connect_now(exchange);
}
