/* server - incoming requests: listeners, giving requests to the program, sending its answers. */
#ifndef SCENARIOS_SIM_SERVER_H
#define SCENARIOS_SIM_SERVER_H

#include "scenarios/sim/parts.h"

/* The calls of the seam. */
bool server_listen(struct runtime *rt, const struct listen_options *options,
                   const struct http_service *service, void *arg, struct listener **ret_listener,
                   struct error *err);
uint16_t server_port(const struct listener *listener);
void server_stop(struct listener *listener);
void server_close(struct listener *listener);
void server_accept(struct request *request, const struct request_events *events, void *arg);
void server_respond(struct request *request, const struct http_response *response);
void server_wake(struct request *request);
void server_reset(struct request *request);

/** Who would answer there; NULL: nobody. */
struct sim_listener *server_find(const struct sim_process *process, uint16_t port, const char *host,
                                 bool loopback);
struct sim_listener *server_find_unix(const struct sim_process *process, const char *path);
/** Its number at trust; 0: it speaks no TLS. */
unsigned server_tls(const struct sim_listener *listener);
int64_t server_idle_timeout_us(const struct sim_listener *listener);
/** Counts a new connection; false when there are too many. */
bool server_admit(struct sim_listener *listener);
/** A connection of it is closed. */
void server_forget(struct sim_listener *listener);

/** Segments arrived at the server's host. May free the connection. */
void server_arrived(struct connection *connection);
/** The server goes on with a connection (an event). */
void server_turn(void *connection);

/** The elapsed clock goes at another rate. */
void server_move_timeouts(struct sim_runtime *runtime);
/** Frees all requests and listeners and closes all their connections. */
void server_free_all(struct sim_runtime *runtime);

#endif
