/* connection - two pipes between a client's and a server's host, and what both kernels keep.
 *
 * An end closes for good; the other end learns of it by a segment behind all that was sent before.
 * A connection is gone once both ends are closed. Who calls a program while it holds a connection
 * wraps that in connection_hold() and connection_let_go(). */
#ifndef SCENARIOS_SIM_CONNECTION_H
#define SCENARIOS_SIM_CONNECTION_H

#include "scenarios/sim/destination.h"
#include "scenarios/sim/message.h"
#include "scenarios/sim/parts.h"

/** What is delivered in one go: the head of a message, a part of its body, its end; or the close
 * of the sender's end. */
struct segment {
    struct segment *next;
    int64_t arrive_us;
    bool head;
    bool end;
    bool close;
    struct bytes *bytes; /* held; size of them from offset are meant */
    size_t offset;
    size_t size;
};

struct segment_list {
    struct segment *first;
    struct segment *last;
};

/** One way. */
struct pipe {
    struct connection *connection;
    struct sim_process *from;
    struct sim_process *to;
    struct event arrival;
    struct segment_list flying;
    struct segment_list arrived; /* in the receiver's kernel */
    int64_t free_us;             /* when the wire can take the next byte */
    int64_t last_us;             /* arrival of the last segment: order is kept */
    size_t unread;               /* body bytes sent and not taken */
    size_t body_bytes;           /* of the message under way, sent */
    int64_t break_at;            /* break behind that many of them; -1: never */
    unsigned tries;              /* of the first flying segment, in vain */
    bool lost;                   /* carries nothing any more */
    bool shut;                   /* the close was sent */
    bool blocked;                /* the sender waits for room */
};

struct connection {
    struct sim *sim;
    struct pipe up;   /* from the client */
    struct pipe down; /* to the client */
    struct sim_process *client;
    struct sim_process *server;
    struct sim_runtime *client_runtime; /* NULL: the client's end is closed */
    struct sim_listener *listener;      /* NULL: the server's end is closed */
    struct sim_exchange *exchange;      /* the one under way, while the client cares */
    struct sim_request *request;        /* the same at the server */
    struct message *question;
    struct message *answer;
    struct event client_turn;
    struct event server_turn;
    char *peer; /* the client's address */
    const struct peer_certificate *certificate;
    uint64_t exchange_id;
    struct sim_fault fault; /* of the exchange under way */
    bool seen;              /* the server's program was given the request */
    bool close_after;       /* the server closes behind the answer */
    bool kept;              /* in the client's list of idle ones */
    int64_t idle_since_us;
    struct destination destination; /* what a later request must agree in to be sent here */
    unsigned busy;
    struct connection *prev, *next;
    struct connection *idle_prev, *idle_next;
};

struct connection *connection_new(struct sim_runtime *client, struct sim_process *server,
                                  struct sim_listener *listener) MUST_CHECK;

/** Sends; bytes (may be NULL when size is 0) are held by reference. Breaks the connection where
 * pipe->break_at says so. What is sent behind a close is dropped. */
void pipe_send(struct pipe *pipe, const struct segment *segment);
/** The sender's end is closed, behind all that was sent. */
void pipe_close(struct pipe *pipe);
/** Body bytes that may be sent now, a piece at most; 0 marks the pipe as blocked. */
size_t pipe_room(struct pipe *pipe);
/** The receiver took that many body bytes: a blocked sender gets its turn. */
void pipe_take(struct pipe *pipe, size_t size);
/** Drops the first arrived segment. */
void pipe_drop_first(struct pipe *pipe);
/** What arrived for an end that is closed is dropped, and answered with a reset. */
void pipe_refuse(struct pipe *pipe);
/** A new message begins: counts from 0, breaks where link or fault say (-1: no fault). */
void pipe_begin(struct pipe *pipe, int64_t break_at);

/** Both ends learn of a reset, each behind what was sent to it. */
void connection_break(struct connection *connection);
/** An end closes. May free the connection unless it is held. */
void connection_close_client(struct connection *connection);
void connection_close_server(struct connection *connection);
/** A kept one that the server's end closed for idleness: gone, and both know. */
void connection_expire(struct connection *connection);
void connection_hold(struct connection *connection);
/** May free it. */
void connection_let_go(struct connection *connection);

/** Frees all; their ends are closed by then or do not matter. */
void connections_free(struct sim *sim);

#endif
