/* client - outgoing requests: connecting, sending, and giving the answer to the program. */
#ifndef SCENARIOS_SIM_CLIENT_H
#define SCENARIOS_SIM_CLIENT_H

#include "scenarios/sim/parts.h"

/* The calls of the seam. */
struct exchange *client_request(struct runtime *rt, const struct http_request *request,
                                const struct exchange_events *events, void *arg);
void client_cancel(struct exchange *exchange);
void client_pause(struct exchange *exchange);
void client_resume(struct exchange *exchange);
bool client_was_sent(const struct exchange *exchange);

/** Segments arrived at the client's host. May free the connection. */
void client_arrived(struct connection *connection);
/** The client goes on with a connection (an event). */
void client_turn(void *connection);

/** The elapsed clock goes at another rate. */
void client_move_timeouts(struct sim_runtime *runtime);
/** Frees all exchanges and closes all connections. */
void client_free_all(struct sim_runtime *runtime);

#endif
