/* request - the state of an incoming request at its server. */
#ifndef SCENARIOS_SIM_REQUEST_H
#define SCENARIOS_SIM_REQUEST_H

#include "scenarios/sim/parts.h"

struct sim_request {
    struct request base;
    struct connection *connection; /* NULL: it is over */
    struct request_head head;
    const struct request_events *events; /* NULL: not accepted yet */
    void *arg;
    bool body_done;
    bool answered;
    bool begun; /* sending the answer */
    bool sent_head;
    size_t sent;                      /* bytes of a whole body */
    const struct body_source *source; /* NULL: the body is whole */
    void *source_arg;
    bool waiting; /* the source has nothing now */
    bool woken;   /* and then said that it has */
    bool closing; /* on_closed is running */
    bool stalled; /* the client takes nothing */
    size_t stalled_unread;
    int64_t due_us; /* on the elapsed clock: of the body, or of a stalled answer */
    struct event timeout;
    struct sim_request *prev, *next;
};

/** It has that long from now on. */
void request_set_limit(struct sim_request *request, int64_t limit_us);

#endif
