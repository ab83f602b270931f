#include "scenarios/sim/listener.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/sim/connection.h"
#include "scenarios/sim/server.h"
#include "scenarios/sim/trust.h"

/* --- where it listens --- */

static bool parse_address(const struct sim_process *process, const char *address,
                          enum listener_reach *ret_reach)
{
    unsigned char bytes[sizeof(struct in6_addr)];

    if (text_equal(address, "::1")) {
        *ret_reach = LISTENER_LOOPBACK_6;
        return true;
    }
    if (text_starts_with(address, "127.") || text_equal(address, "localhost")) {
        *ret_reach = LISTENER_LOOPBACK_4;
        return text_equal(address, "localhost") || inet_pton(AF_INET, address, bytes) == 1;
    }
    *ret_reach = LISTENER_EVERYWHERE;
    return text_equal(address, process->name) || inet_pton(AF_INET, address, bytes) == 1 ||
           inet_pton(AF_INET6, address, bytes) == 1;
}

static bool overlaps(const struct sim_listener *listener, enum listener_reach reach, uint16_t port)
{
    return listener->reach != LISTENER_UNIX && listener->port == port && !listener->stopped &&
           (listener->reach == reach || listener->reach == LISTENER_EVERYWHERE ||
            reach == LISTENER_EVERYWHERE);
}

static bool is_taken(const struct sim_runtime *runtime, enum listener_reach reach, uint16_t port)
{
    const struct sim_listener *listener;

    DL_FOREACH (runtime->listeners, listener)
        if (overlaps(listener, reach, port))
            return true;
    return false;
}

static uint16_t free_port(struct sim_runtime *runtime, enum listener_reach reach)
{
    struct sim_process *process = runtime->process;

    while (is_taken(runtime, reach, process->next_listen_port))
        process->next_listen_port++;
    return process->next_listen_port++;
}

/* Brackets around an IPv6 address, as in a URL. */
static bool fail_in_use(struct error *err, const char *address, uint16_t port)
{
    bool colon = inet_pton(AF_INET6, address, &(struct in6_addr){0}) == 1;

    return error_set(err, ERROR_IO, "address %s%s%s:%u: already in use", colon ? "[" : "", address,
                     colon ? "]" : "", port);
}

static bool place(struct sim_runtime *runtime, const struct listen_options *options,
                  struct sim_listener *listener, struct error *err)
{
    if (options->unix_path != NULL) {
        listener->reach = LISTENER_UNIX;
        listener->unix_path = xstrdup(options->unix_path);
        if (server_find_unix(runtime->process, options->unix_path) != NULL)
            return error_set(err, ERROR_IO, "socket %s: already in use", options->unix_path);
        return true;
    }
    if (options->address == NULL ||
        !parse_address(runtime->process, options->address, &listener->reach))
        return error_set(err, ERROR_USAGE, "address %s: not an IP address",
                         options->address == NULL ? "" : options->address);
    listener->port = options->port == 0 ? free_port(runtime, listener->reach) : options->port;
    if (options->port != 0 && is_taken(runtime, listener->reach, options->port))
        return fail_in_use(err, options->address, options->port);
    return true;
}

/* --- its life --- */

static void listener_free(struct sim_listener *listener)
{
    free(listener->unix_path);
    free(listener);
}

static int64_t or_default(int64_t value, int64_t fallback)
{
    return value == 0 ? fallback : value;
}

bool server_listen(struct runtime *rt, const struct listen_options *options,
                   const struct http_service *service, void *arg, struct listener **ret_listener,
                   struct error *err)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim_listener *listener = xcalloc(1, sizeof(*listener));

    listener->base.rt = rt;
    listener->service = service;
    listener->arg = arg;
    listener->connections_max =
        (unsigned)or_default(options->connections_max, LISTEN_CONNECTIONS_MAX);
    listener->header_bytes_max =
        options->header_bytes_max == 0 ? LISTEN_HEADER_BYTES_MAX : options->header_bytes_max;
    listener->body_timeout_us = or_default(options->body_timeout_us, LISTEN_BODY_TIMEOUT_US);
    listener->idle_timeout_us = or_default(options->idle_timeout_us, LISTEN_IDLE_TIMEOUT_US);
    if (!place(runtime, options, listener, err) ||
        (options->tls != NULL &&
         !trust_server(runtime->process->sim->trust, options->tls, &listener->tls_server, err))) {
        listener_free(listener);
        return false;
    }
    DL_APPEND(runtime->listeners, listener);
    *ret_listener = &listener->base;
    return true;
}

uint16_t server_port(const struct listener *listener)
{
    return ((const struct sim_listener *)listener)->port;
}

/* Its idle connections, or all of them. */
static void close_connections(struct sim_listener *listener, bool idle_only)
{
    struct sim *sim = sim_runtime_of(listener->base.rt)->process->sim;
    struct connection *connection;
    struct connection *next;

    DL_FOREACH_SAFE(sim->connections, connection, next)
    if (connection->listener == listener && (!idle_only || connection->request == NULL) &&
        (!idle_only || connection->up.arrived.first == NULL))
        connection_close_server(connection);
}

void server_stop(struct listener *handle)
{
    struct sim_listener *listener = (struct sim_listener *)handle;

    listener->stopped = true;
    close_connections(listener, true);
}

static void free_requests(struct sim_listener *listener)
{
    struct sim *sim = sim_runtime_of(listener->base.rt)->process->sim;
    struct connection *connection;
    struct connection *next;

    DL_FOREACH_SAFE(sim->connections, connection, next)
    if (connection->listener == listener && connection->request != NULL)
        server_reset((struct request *)connection->request);
}

void server_close(struct listener *handle)
{
    struct sim_listener *listener = (struct sim_listener *)handle;

    free_requests(listener);
    close_connections(listener, false);
    DL_DELETE(sim_runtime_of(handle->rt)->listeners, listener);
    listener_free(listener);
}

/* --- who answers --- */

static bool accepts(const struct sim_listener *listener, const char *host, bool loopback)
{
    if (listener->reach == LISTENER_EVERYWHERE)
        return true;
    if (!loopback || listener->reach == LISTENER_UNIX)
        return false;
    return text_equal(host, "localhost") ||
           text_equal(host, "::1") == (listener->reach == LISTENER_LOOPBACK_6);
}

static bool has_listeners(const struct sim_process *process)
{
    return sim_process_is_alive(process) && !process->runtime->dead;
}

struct sim_listener *server_find(const struct sim_process *process, uint16_t port, const char *host,
                                 bool loopback)
{
    struct sim_listener *listener;

    if (!has_listeners(process))
        return NULL;
    DL_FOREACH (process->runtime->listeners, listener)
        if (listener->port == port && !listener->stopped && accepts(listener, host, loopback))
            return listener;
    return NULL;
}

struct sim_listener *server_find_unix(const struct sim_process *process, const char *path)
{
    struct sim_listener *listener;

    if (!has_listeners(process))
        return NULL;
    DL_FOREACH (process->runtime->listeners, listener)
        if (!listener->stopped && listener->reach == LISTENER_UNIX &&
            text_equal(listener->unix_path, path))
            return listener;
    return NULL;
}

unsigned server_tls(const struct sim_listener *listener)
{
    return listener->tls_server;
}

int64_t server_idle_timeout_us(const struct sim_listener *listener)
{
    return listener->idle_timeout_us;
}

/* Room for one more: the one that has been idle for longest goes. */
static void expire_idle(struct sim_listener *listener)
{
    struct sim *sim = sim_runtime_of(listener->base.rt)->process->sim;
    struct connection *connection;
    struct connection *longest = NULL;

    DL_FOREACH (sim->connections, connection) {
        if (connection->listener == listener && connection->kept &&
            (longest == NULL || connection->idle_since_us < longest->idle_since_us))
            longest = connection;
    }
    if (longest != NULL)
        connection_expire(longest);
}

bool server_admit(struct sim_listener *listener)
{
    if (listener->connection_count >= listener->connections_max)
        expire_idle(listener);
    if (listener->connection_count >= listener->connections_max)
        return false;
    listener->connection_count++;
    return true;
}

void server_forget(struct sim_listener *listener)
{
    listener->connection_count--;
}
