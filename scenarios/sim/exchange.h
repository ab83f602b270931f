/* exchange - the state of an outgoing request, shared by client (its life) and dial (its way to
 * a connection). */
#ifndef SCENARIOS_SIM_EXCHANGE_H
#define SCENARIOS_SIM_EXCHANGE_H

#include "scenarios/sim/destination.h"
#include "scenarios/sim/message.h"
#include "scenarios/sim/parts.h"

enum exchange_state {
    EXCHANGE_STARTING,
    EXCHANGE_CONNECTING,
    EXCHANGE_UNDER_WAY, /* on a connection */
    EXCHANGE_ENDING,    /* on_end is running */
};

struct sim_exchange {
    struct exchange base;
    enum exchange_state state;
    uint64_t id;
    int64_t asked_us;         /* when the program asked for it, in true time */
    int64_t asked_elapsed_us; /* likewise, on its own clock */
    const struct exchange_events *events;
    void *arg;
    struct message *message; /* until it is on a connection */
    struct destination destination;
    int64_t connect_timeout_us;
    int64_t connect_due_us; /* these three on the elapsed clock; INT64_MAX: none */
    int64_t total_due_us;
    int64_t active_us;
    int64_t idle_timeout_us;
    size_t bytes_max;
    bool paused;
    bool announced; /* the fault hook was asked and the trace told */
    bool reused;    /* sent on a kept connection */
    bool fresh;     /* wants a connection of its own */
    bool was_sent;  /* a byte of it may have been written to a connection */
    bool head_seen;
    bool sent_head;
    bool sent_end;
    size_t sent; /* bytes of the body */
    size_t received;
    unsigned connect_tries;
    struct sim_process *server;
    bool loopback;
    struct sim_fault fault;
    enum exchange_end failure; /* found at once, told at the first turn; COMPLETE: none */
    const char *failure_detail;
    struct connection *connection;
    struct event turn;
    struct event timeout;
    struct sim_exchange *prev, *next;
};

/** Ends it: on_end, and it is freed. */
void exchange_finish(struct sim_exchange *exchange, enum exchange_end end, const char *detail);

/** Starts it, or goes on connecting (an event). */
void connect_turn(void *exchange);
/** Puts it on a connection and begins to send. */
void exchange_send(struct sim_exchange *exchange, struct connection *connection);
/** When the next of its limits is reached. */
void exchange_set_timeout(struct sim_exchange *exchange);

#endif
