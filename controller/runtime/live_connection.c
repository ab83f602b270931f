/* live_connection - one connection of a listener: how long it may take, and when it ends.
 *
 * libmicrohttpd limits idle time alone, in whole seconds, and looks at no socket that is
 * suspended: total limits, and peers that leave while an answer waits, are noticed here. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/runtime/live_server.h"
#include "controller/runtime/live_tcp.h"

/* Looks at an answer's progress per idle time limit. */
#define PROGRESS_LOOKS 4

/* --- peers --- */

static void name_peer(struct live_peer *peer, int fd)
{
    struct sockaddr_storage address;
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&address;
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&address;
    socklen_t size = sizeof(address);
    char text[INET6_ADDRSTRLEN];

    if (getpeername(fd, (struct sockaddr *)&address, &size) != 0)
        snprintf(peer->text, sizeof(peer->text), "gone");
    else if (address.ss_family == AF_INET)
        snprintf(peer->text, sizeof(peer->text), "%s:%u",
                 inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text)), ntohs(v4->sin_port));
    else if (address.ss_family == AF_INET6)
        snprintf(peer->text, sizeof(peer->text), "[%s]:%u",
                 inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text)), ntohs(v6->sin6_port));
    else
        snprintf(peer->text, sizeof(peer->text), "unix");
}

static struct live_peer *new_peer(int fd)
{
    struct live_peer *peer = xcalloc(1, sizeof(*peer));

    peer->references = 1;
    name_peer(peer, fd);
    return peer;
}

struct live_peer *live_peer_ref(struct live_peer *peer)
{
    peer->references++;
    return peer;
}

static void release_certificate(struct peer_certificate *certificate)
{
    for (size_t i = 0; i < certificate->organization_count; i++)
        free(live_without_const(certificate->organizations[i]));
    free(live_without_const(certificate->organizations));
    free(live_without_const(certificate->common_name));
}

void live_peer_unref(struct live_peer *peer)
{
    if (--peer->references > 0)
        return;
    if (peer->has_certificate)
        release_certificate(&peer->certificate);
    free(peer);
}

/* --- closing --- */

void live_connection_cut(struct live_connection *connection, bool reset)
{
    static const struct linger none = {.l_onoff = 1, .l_linger = 0};

    if (reset)
        (void)setsockopt(connection->fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    connection->listener->cut_count += !connection->cut;
    connection->cut = true;
    live_connection_expect_nothing(connection);
    (void)shutdown(connection->fd, SHUT_RDWR); /* so that libmicrohttpd sees an end */
    if (connection->suspended)
        live_connection_resume(connection);
    live_listener_poke(connection->listener);
}

static bool is_reading(const struct live_connection *connection)
{
    const struct live_request *request = connection->request;

    return request == NULL || (!request->body_whole && !request->answered);
}

/* libmicrohttpd 0.9.75 waits for another edge when it read less than it had room for, and misses an
 * end that came with the last bytes: a resumed connection is read again. */
static void read_again(struct live_connection *connection)
{
    MHD_suspend_connection(connection->mhd);
    MHD_resume_connection(connection->mhd);
    live_listener_poke(connection->listener);
}

/* The peer closed, or at least its sending side: that counts as gone for whom an answer waits. */
static void on_watch(void *arg, int events)
{
    struct live_connection *connection = arg;

    if (connection->early != NULL) {
        live_early_event(connection, events);
        return;
    }
    if (connection->cut)
        live_poll_watch(connection->watch, 0);
    else if (connection->suspended)
        live_connection_cut(connection, false);
    else if (is_reading(connection))
        read_again(connection);
    else
        live_poll_watch(connection->watch, 0); /* writing to it will tell */
}

static void watch_peer(struct live_connection *connection)
{
    if (connection->watch != NULL)
        live_poll_watch(connection->watch, UV_DISCONNECT);
}

void live_connection_suspend(struct live_connection *connection)
{
    if (connection->suspended)
        return;
    connection->suspended = true;
    MHD_suspend_connection(connection->mhd);
    watch_peer(connection);
}

void live_connection_resume(struct live_connection *connection)
{
    if (!connection->suspended)
        return;
    connection->suspended = false;
    MHD_resume_connection(connection->mhd);
    live_listener_poke(connection->listener);
}

/* --- time limits --- */

void live_connection_expect_nothing(struct live_connection *connection)
{
    timer_cancel(connection->deadline);
    connection->deadline = NULL;
}

static void set_deadline(struct live_connection *connection, int64_t delay_us,
                         void (*fn)(void *arg))
{
    live_connection_expect_nothing(connection);
    connection->deadline = live_after(&connection->listener->live->base, delay_us, fn, connection);
}

static void on_too_slow(void *arg)
{
    struct live_connection *connection = arg;

    connection->deadline = NULL;
    live_connection_cut(connection, true);
}

void live_connection_expect_body(struct live_connection *connection)
{
    set_deadline(connection, connection->listener->options.body_timeout_us, on_too_slow);
}

static bool has_progressed(struct live_connection *connection)
{
    struct tcp_progress before = connection->progress;
    struct tcp_progress now = tcp_progress_read(connection->fd);

    connection->progress = now;
    return now.unsent == 0 || now.unsent != before.unsent || now.taken != before.taken;
}

static void on_look(void *arg)
{
    struct live_connection *connection = arg;

    connection->deadline = NULL;
    connection->still = has_progressed(connection) ? 0 : connection->still + 1;
    if (connection->still >= PROGRESS_LOOKS)
        live_connection_cut(connection, true);
    else
        set_deadline(connection, connection->listener->options.idle_timeout_us / PROGRESS_LOOKS,
                     on_look);
}

void live_connection_expect_progress(struct live_connection *connection)
{
    /* Most answers are through long before the first look, which finds this to be progress. */
    connection->still = 0;
    connection->progress = (struct tcp_progress){.unsent = -1};
    set_deadline(connection, connection->listener->options.idle_timeout_us / PROGRESS_LOOKS,
                 on_look);
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* libmicrohttpd does not tell when the first byte of another request comes: the count of bytes
 * that came does, so the rest of that head has one header time limit more. */
static void on_idle(void *arg)
{
    struct live_connection *connection = arg;
    const struct listen_options *limits = &connection->listener->options;
    int64_t left_us = connection->idle_until_us - live_elapsed_us();

    connection->deadline = NULL;
    if (left_us <= 0)
        live_connection_cut(connection, false);
    else if (tcp_received(connection->fd) != connection->idle_received)
        set_deadline(connection, smaller(left_us, limits->header_timeout_us), on_too_slow);
    else
        set_deadline(connection, smaller(left_us, limits->header_timeout_us), on_idle);
}

void live_connection_expect_request(struct live_connection *connection)
{
    const struct listen_options *limits = &connection->listener->options;

    connection->idle_received = tcp_received(connection->fd);
    connection->idle_until_us = live_elapsed_us() + limits->idle_timeout_us;
    set_deadline(connection, smaller(limits->idle_timeout_us, limits->header_timeout_us), on_idle);
    watch_peer(connection);
}

/* --- begin and end --- */

struct live_connection *live_connection_new(struct live_listener *listener,
                                            struct MHD_Connection *mhd)
{
    struct live_connection *connection = xcalloc(1, sizeof(*connection));
    const union MHD_ConnectionInfo *info;

    connection->listener = listener;
    connection->mhd = mhd;
    info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_CONNECTION_FD);
    connection->fd = info->connect_fd;
    connection->peer = new_peer(connection->fd);
    DL_APPEND(listener->connections, connection);
    listener->connection_count++;
    if (listener->tls) {
        info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
        live_tls_connect(connection, info->tls_session);
    }
    connection->watch = live_poll_new(listener->live, connection->fd, on_watch, connection);
    watch_peer(connection);
    set_deadline(connection, listener->options.header_timeout_us, on_too_slow);
    return connection;
}

void live_connection_free(struct live_connection *connection)
{
    struct live_listener *listener = connection->listener;

    live_connection_expect_nothing(connection);
    if (connection->request != NULL) /* libmicrohttpd gave up before it called the handler */
        live_request_close(connection->request, false);
    live_poll_free(connection->watch);
    live_early_free(connection->early);
    live_peer_unref(connection->peer);
    DL_DELETE(listener->connections, connection);
    listener->connection_count--;
    listener->cut_count -= connection->cut;
    free(connection);
}
