#include "scenarios/sim/connection.h"

#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/sim/client.h"
#include "scenarios/sim/link.h"
#include "scenarios/sim/server.h"

/* How TCP goes on when nothing is acknowledged (Linux: tcp_retries2, orphans' retries). */
#define RETRY_FIRST_US (200 * US_PER_MS)
#define RETRY_LAST_US (120 * US_PER_SECOND)
#define DATA_TRIES_MAX 15
#define CLOSE_TRIES_MAX 8

/* --- segments --- */

static void append(struct segment_list *list, struct segment *segment)
{
    segment->next = NULL;
    if (list->first == NULL)
        list->first = segment;
    else
        list->last->next = segment;
    list->last = segment;
}

static struct segment *take_first(struct segment_list *list)
{
    struct segment *segment = list->first;

    list->first = segment->next;
    return segment;
}

static void segment_free(struct segment *segment)
{
    bytes_unref(segment->bytes);
    free(segment);
}

static void clear(struct segment_list *list)
{
    while (list->first != NULL)
        segment_free(take_first(list));
}

void pipe_drop_first(struct pipe *pipe)
{
    segment_free(take_first(&pipe->arrived));
}

/* --- sending --- */

static void fly(struct pipe *pipe, const struct segment *wanted)
{
    struct sim *sim = pipe->connection->sim;
    const struct sim_link *link = link_between(pipe->from, pipe->to);
    struct segment *segment = xrealloc(NULL, sizeof(*segment));
    int64_t start_us = pipe->free_us > sim->now_us ? pipe->free_us : sim->now_us;

    *segment = *wanted;
    if (segment->bytes != NULL)
        bytes_ref(segment->bytes);
    if (link->bytes_per_second > 0)
        start_us += (int64_t)segment->size * US_PER_SECOND / link->bytes_per_second;
    pipe->free_us = start_us;
    segment->arrive_us = start_us + link_draw_latency_us(pipe->from, pipe->to);
    if (segment->arrive_us < pipe->last_us)
        segment->arrive_us = pipe->last_us;
    pipe->last_us = segment->arrive_us;
    append(&pipe->flying, segment);
    if (!event_is_waiting(&pipe->arrival))
        queue_put(&sim->queue, &pipe->arrival, segment->arrive_us);
}

void pipe_send(struct pipe *pipe, const struct segment *segment)
{
    struct segment cut = *segment;
    bool breaks = pipe->break_at >= 0 && pipe->body_bytes + segment->size >= (size_t)pipe->break_at;

    if (pipe->shut)
        return;
    if (breaks) {
        cut.size = (size_t)pipe->break_at - pipe->body_bytes;
        cut.end = false;
    }
    pipe->body_bytes += cut.size;
    pipe->unread += cut.size;
    if (cut.head || cut.end || cut.size > 0)
        fly(pipe, &cut);
    if (breaks)
        connection_break(pipe->connection);
}

static void send_close(struct pipe *pipe)
{
    const struct segment segment = {.close = true};

    pipe->shut = true;
    if (!pipe->from->power_lost)
        fly(pipe, &segment);
}

void pipe_close(struct pipe *pipe)
{
    if (!pipe->shut)
        send_close(pipe);
}

size_t pipe_room(struct pipe *pipe)
{
    const struct sim_link *link = link_between(pipe->from, pipe->to);
    size_t piece = link->piece_bytes == 0 ? SIM_PIECE_BYTES : link->piece_bytes;

    if (pipe->unread >= SIM_WINDOW_BYTES) {
        pipe->blocked = true;
        return 0;
    }
    if (piece > SIM_PIECE_BYTES)
        piece = SIM_PIECE_BYTES;
    return piece > SIM_WINDOW_BYTES - pipe->unread ? SIM_WINDOW_BYTES - pipe->unread : piece;
}

void pipe_take(struct pipe *pipe, size_t size)
{
    struct connection *connection = pipe->connection;
    struct event *turn =
        pipe == &connection->up ? &connection->client_turn : &connection->server_turn;

    pipe->unread -= size;
    /* As TCP does, no news of small room. */
    if (!pipe->blocked || pipe->unread > SIM_WINDOW_BYTES / 2)
        return;
    pipe->blocked = false;
    if (!event_is_waiting(turn))
        queue_put(&connection->sim->queue, turn,
                  connection->sim->now_us + link_between(pipe->to, pipe->from)->latency_us);
}

void pipe_begin(struct pipe *pipe, int64_t break_at)
{
    int64_t link_break_at = link_between(pipe->from, pipe->to)->reset_after_bytes;

    pipe->body_bytes = 0;
    pipe->break_at = break_at;
    if (link_break_at >= 0 && (break_at < 0 || link_break_at < break_at))
        pipe->break_at = link_break_at;
}

/* --- arriving --- */

static void deliver(struct pipe *pipe)
{
    struct connection *connection = pipe->connection;

    if (pipe == &connection->up)
        server_arrived(connection);
    else
        client_arrived(connection);
}

/* The sender's kernel gives up: its end sees the connection break. */
static void give_up(struct pipe *pipe)
{
    struct connection *connection = pipe->connection;
    struct pipe *back = pipe == &connection->up ? &connection->down : &connection->up;
    struct segment *segment = xcalloc(1, sizeof(*segment));

    clear(&pipe->flying);
    pipe->lost = true;
    segment->close = true;
    append(&back->arrived, segment);
    deliver(back);
}

static void try_again(struct pipe *pipe)
{
    struct sim *sim = pipe->connection->sim;
    bool close = pipe->flying.first->close;
    int64_t wait_us = RETRY_FIRST_US << (pipe->tries < 10 ? pipe->tries : 10);

    if (pipe->tries++ < (close ? CLOSE_TRIES_MAX : DATA_TRIES_MAX)) {
        queue_put(&sim->queue, &pipe->arrival,
                  sim->now_us + (wait_us > RETRY_LAST_US ? RETRY_LAST_US : wait_us));
        return;
    }
    if (close)
        clear(&pipe->flying);
    else
        give_up(pipe);
}

/* Nobody told the server that the client is gone; its own idle limit ends what is not in use. */
static bool is_forgotten(const struct connection *connection)
{
    return connection->client_runtime == NULL && connection->request == NULL &&
           connection->up.flying.first == NULL && connection->down.flying.first == NULL;
}

static void arrive(void *owner)
{
    struct pipe *pipe = owner;
    struct connection *connection = pipe->connection;
    struct sim *sim = connection->sim;

    if (pipe->lost || pipe->to->power_lost || link_between(pipe->from, pipe->to)->cut) {
        connection_hold(connection);
        try_again(pipe);
        if (is_forgotten(connection))
            connection_close_server(connection);
        connection_let_go(connection);
        return;
    }
    pipe->tries = 0;
    while (pipe->flying.first != NULL && pipe->flying.first->arrive_us <= sim->now_us)
        append(&pipe->arrived, take_first(&pipe->flying));
    if (pipe->flying.first != NULL)
        queue_put(&sim->queue, &pipe->arrival, pipe->flying.first->arrive_us);
    deliver(pipe);
}

void pipe_refuse(struct pipe *pipe)
{
    struct connection *connection = pipe->connection;
    struct pipe *back = pipe == &connection->up ? &connection->down : &connection->up;
    bool stray = false;

    for (struct segment *segment = pipe->arrived.first; segment != NULL; segment = segment->next)
        stray = stray || !segment->close;
    clear(&pipe->arrived);
    if (stray && back->flying.first == NULL)
        send_close(back);
}

/* --- both ends --- */

static void pipe_init(struct pipe *pipe, struct connection *connection, struct sim_process *from,
                      struct sim_process *to)
{
    pipe->connection = connection;
    pipe->from = from;
    pipe->to = to;
    pipe->break_at = -1;
    pipe->arrival = (struct event){.run = arrive, .owner = pipe};
}

struct connection *connection_new(struct sim_runtime *client, struct sim_process *server,
                                  struct sim_listener *listener)
{
    struct sim *sim = server->sim;
    struct connection *connection = xcalloc(1, sizeof(*connection));

    connection->sim = sim;
    connection->client = client->process;
    connection->server = server;
    connection->client_runtime = client;
    connection->listener = listener;
    pipe_init(&connection->up, connection, connection->client, server);
    pipe_init(&connection->down, connection, server, connection->client);
    connection->client_turn =
        (struct event){.run = client_turn, .owner = connection, .process = connection->client};
    connection->server_turn =
        (struct event){.run = server_turn, .owner = connection, .process = server};
    DL_APPEND(sim->connections, connection);
    return connection;
}

static void connection_free(struct connection *connection)
{
    struct sim *sim = connection->sim;

    queue_remove(&sim->queue, &connection->up.arrival);
    queue_remove(&sim->queue, &connection->down.arrival);
    queue_remove(&sim->queue, &connection->client_turn);
    queue_remove(&sim->queue, &connection->server_turn);
    clear(&connection->up.flying);
    clear(&connection->up.arrived);
    clear(&connection->down.flying);
    clear(&connection->down.arrived);
    message_free(connection->question);
    message_free(connection->answer);
    free(connection->peer);
    destination_release(&connection->destination);
    DL_DELETE(sim->connections, connection);
    free(connection);
}

static void settle(struct connection *connection)
{
    if (connection->busy == 0 && connection->client_runtime == NULL && connection->listener == NULL)
        connection_free(connection);
}

void connection_hold(struct connection *connection)
{
    connection->busy++;
}

void connection_let_go(struct connection *connection)
{
    connection->busy--;
    settle(connection);
}

void connection_break(struct connection *connection)
{
    pipe_close(&connection->up);
    pipe_close(&connection->down);
}

void connection_close_client(struct connection *connection)
{
    if (connection->client_runtime == NULL)
        return;
    if (connection->kept)
        DL_DELETE2(connection->client_runtime->idle, connection, idle_prev, idle_next);
    connection->kept = false;
    connection->client_runtime = NULL;
    connection->exchange = NULL;
    queue_remove(&connection->sim->queue, &connection->client_turn);
    clear(&connection->down.arrived);
    pipe_close(&connection->up);
    settle(connection);
}

void connection_close_server(struct connection *connection)
{
    if (connection->listener == NULL)
        return;
    server_forget(connection->listener);
    connection->listener = NULL;
    connection->request = NULL;
    queue_remove(&connection->sim->queue, &connection->server_turn);
    clear(&connection->up.arrived);
    pipe_close(&connection->down);
    settle(connection);
}

void connection_expire(struct connection *connection)
{
    connection_hold(connection);
    connection_close_server(connection);
    connection_close_client(connection);
    connection_let_go(connection);
}

static bool is_between(const struct connection *connection, const struct sim_process *a,
                       const struct sim_process *b)
{
    return (connection->client == a && connection->server == b) ||
           (connection->server == a && connection->client == b);
}

void sim_strand(struct sim *sim, struct sim_process *a, struct sim_process *b)
{
    struct connection *connection;

    DL_FOREACH (sim->connections, connection) {
        if (!is_between(connection, a, b))
            continue;
        connection->up.lost = true;
        connection->down.lost = true;
    }
}

void sim_reset_connections(struct sim *sim, struct sim_process *a, struct sim_process *b)
{
    struct connection *connection;

    DL_FOREACH (sim->connections, connection)
        if (is_between(connection, a, b))
            connection_break(connection);
}

void sim_process_close_ports(struct sim_process *process, bool closed)
{
    struct connection *connection;

    process->ports_closed = closed;
    DL_FOREACH (process->sim->connections, connection)
        if (closed && connection->server == process)
            connection_break(connection);
}

void connections_free(struct sim *sim)
{
    while (sim->connections != NULL)
        connection_free(sim->connections);
}
