/* live_listener - listens, accepts, and hands sockets to libmicrohttpd.
 *
 * Accepting is done here, not by libmicrohttpd: past the cap it would stop accepting, and this
 * closes at once. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live_server.h"

/* Sockets accepted in one turn, so that a flood leaves time for those that are in; as many can be
 * in beside the cap, cut and not closed yet. */
#define ACCEPT_TURN_MAX 64
#define ACCEPT_PAUSE_US (100 * US_PER_MS)
#define LISTEN_BACKLOG 1024
/* libmicrohttpd keeps a request's head and its parsed form, then the answer's head and a piece of
 * its body, in one pool for each connection, and touches half of it: it is the memory that a
 * sleeping watcher costs. */
#define POOL_BYTES_BEHIND_HEADERS (16 * 1024)

void live_listener_poke(struct live_listener *listener)
{
    listener->wants_run = true;
}

/* --- accepting --- */

static void watch_accept(struct live_listener *listener)
{
    if (listener->accept_poll != NULL)
        live_poll_watch(listener->accept_poll, UV_READABLE);
}

static void on_accept_timer(void *arg)
{
    struct live_listener *listener = arg;

    listener->accept_timer = NULL;
    watch_accept(listener);
}

static void pause_accepting(struct live_listener *listener)
{
    live_poll_watch(listener->accept_poll, 0);
    if (listener->accept_timer == NULL)
        listener->accept_timer =
            live_after(&listener->live->base, ACCEPT_PAUSE_US, on_accept_timer, listener);
}

/* The oldest connection whose peer has not asked anything, or nothing more, or goes on sending
 * although it was answered; NULL: all are served. */
static struct live_connection *find_waiting(const struct live_listener *listener)
{
    struct live_connection *connection;

    DL_FOREACH (listener->connections, connection) {
        const struct live_request *request = connection->request;

        if (!connection->cut && (request == NULL || !request->gated || connection->early != NULL))
            return connection;
    }
    return NULL;
}

/* Whether there is room for one more. Whoever only holds connections must not keep out those who
 * ask: a probe that is shut out for long has the process killed. */
static bool make_room(struct live_listener *listener)
{
    struct live_connection *waiting;

    if (listener->connection_count - listener->cut_count < listener->options.connections_max)
        return true;
    waiting = find_waiting(listener);
    if (waiting != NULL)
        live_connection_cut(waiting, false);
    return waiting != NULL;
}

static void admit(struct live_listener *listener, int fd, const struct sockaddr_storage *address,
                  socklen_t address_size)
{
    int one = 1;

    if (!make_room(listener)) {
        close(fd);
        return;
    }
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one)); /* fails on AF_UNIX */
    (void)MHD_add_connection(listener->daemon, fd, (const struct sockaddr *)address,
                             address_size); /* closes it when it fails */
    live_listener_poke(listener);
}

static void on_connecting(void *arg, int events)
{
    struct live_listener *listener = arg;

    (void)events;
    for (unsigned i = 0; i < ACCEPT_TURN_MAX; i++) {
        struct sockaddr_storage address;
        socklen_t size = sizeof(address);
        int fd =
            accept4(listener->fd, (struct sockaddr *)&address, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);

        if (fd >= 0) {
            admit(listener, fd, &address, size);
            continue;
        }
        if (errno == EINTR || errno == ECONNABORTED)
            continue;
        if (errno != EAGAIN)
            pause_accepting(listener);
        return;
    }
}

/* --- listening --- */

static const char *bind_reason(void)
{
    return errno == EADDRINUSE ? "already in use" : strerror(errno);
}

static bool tcp_error(struct error *err, const char *address, unsigned port)
{
    bool v6 = strchr(address, ':') != NULL;

    return error_set(err, ERROR_IO, "address %s%s%s:%u: %s", v6 ? "[" : "", address, v6 ? "]" : "",
                     port, bind_reason());
}

static bool unix_error(struct error *err, const char *path)
{
    return error_set(err, ERROR_IO, "socket %s: %s", path, bind_reason());
}

static bool parse_address(const char *text, uint16_t port, struct sockaddr_storage *ret_address,
                          socklen_t *ret_size)
{
    struct sockaddr_in *v4 = (struct sockaddr_in *)ret_address;
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret_address;

    memset(ret_address, 0, sizeof(*ret_address));
    if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
        v4->sin_family = AF_INET;
        v4->sin_port = htons(port);
        *ret_size = sizeof(*v4);
        return true;
    }
    if (inet_pton(AF_INET6, text, &v6->sin6_addr) == 1) {
        v6->sin6_family = AF_INET6;
        v6->sin6_port = htons(port);
        *ret_size = sizeof(*v6);
        return true;
    }
    return false;
}

static void note_port(struct live_listener *listener)
{
    struct sockaddr_storage address;
    socklen_t size = sizeof(address);

    if (getsockname(listener->fd, (struct sockaddr *)&address, &size) != 0)
        return;
    if (address.ss_family == AF_INET)
        listener->port = ntohs(((struct sockaddr_in *)&address)->sin_port);
    else
        listener->port = ntohs(((struct sockaddr_in6 *)&address)->sin6_port);
}

static bool listen_tcp(struct live_listener *listener, const struct listen_options *options,
                       struct error *err)
{
    struct sockaddr_storage address;
    socklen_t size;
    int one = 1;

    if (options->address == NULL ||
        !parse_address(options->address, options->port, &address, &size))
        return error_set(err, ERROR_USAGE, "address %s: not an IP address",
                         options->address == NULL ? "" : options->address);
    listener->fd = socket(address.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->fd >= 0)
        (void)setsockopt(listener->fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
    if (listener->fd < 0 || bind(listener->fd, (struct sockaddr *)&address, size) != 0 ||
        listen(listener->fd, LISTEN_BACKLOG) != 0)
        return tcp_error(err, options->address, options->port);
    note_port(listener);
    return true;
}

/* A socket file that nobody listens at is what a crash left behind. Connecting to any other file is
 * refused in the same way, and that one is somebody's. */
static bool is_stale(const struct sockaddr_un *address)
{
    struct stat there;
    int fd;
    bool stale;

    if (lstat(address->sun_path, &there) != 0 || !S_ISSOCK(there.st_mode))
        return false;
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    stale = connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 &&
            errno == ECONNREFUSED;
    close(fd);
    return stale;
}

static bool bind_unix(int fd, const struct sockaddr_un *address)
{
    mode_t mask = umask(0177); /* 0600 from the first moment on */
    bool ok = bind(fd, (const struct sockaddr *)address, sizeof(*address)) == 0;
    int number = errno;

    umask(mask);
    errno = number;
    return ok;
}

static bool listen_unix(struct live_listener *listener, const char *path, struct error *err)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct stat there;

    if (strlen(path) >= sizeof(address.sun_path))
        return error_set(err, ERROR_USAGE, "socket %s: longer than %zu bytes", path,
                         sizeof(address.sun_path) - 1);
    memcpy(address.sun_path, path, strlen(path) + 1);
    listener->fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (listener->fd < 0)
        return unix_error(err, path);
    if (!bind_unix(listener->fd, &address)) {
        if (errno != EADDRINUSE || !is_stale(&address) || unlink(path) != 0 ||
            !bind_unix(listener->fd, &address))
            return unix_error(err, path);
    }
    listener->unix_path = xstrdup(path);
    if (lstat(path, &there) == 0)
        listener->unix_inode = there.st_ino;
    if (listen(listener->fd, LISTEN_BACKLOG) != 0)
        return unix_error(err, path);
    return true;
}

/* --- the daemon --- */

static void on_connection(void *arg, struct MHD_Connection *mhd, void **context,
                          enum MHD_ConnectionNotificationCode code)
{
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        *context = live_connection_new(arg, mhd);
    } else if (*context != NULL) {
        live_connection_free(*context);
        *context = NULL;
    }
}

/* The target stays as it was sent. */
static size_t keep_escapes(void *arg, struct MHD_Connection *mhd, char *text)
{
    (void)arg;
    (void)mhd;
    return strlen(text);
}

/* What libmicrohttpd refuses itself once the head is whole (a Content-Length, too many cookies), it
 * answers with two heads in a row. This is the one sign of it before that is sent; the handler is
 * not called for it, and no other connection is between its whole head and the handler. */
static void on_daemon_log(void *arg, const char *format, va_list arguments)
{
    struct live_listener *listener = arg;
    struct live_connection *connection;

    (void)arguments;
    if (!text_starts_with(format, "Error processing request"))
        return;
    DL_FOREACH (listener->connections, connection) {
        if (connection->request != NULL && !connection->request->gated &&
            MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE) !=
                NULL)
            live_connection_cut(connection, false);
    }
}

static void on_daemon(void *arg, int events)
{
    (void)events;
    live_listener_poke(arg);
}

static bool start_daemon(struct live_listener *listener, const struct tls_server *tls,
                         struct error *err)
{
    const union MHD_DaemonInfo *info;
    size_t pool = listener->options.header_bytes_max + POOL_BYTES_BEHIND_HEADERS;
    struct MHD_OptionItem no_tls[] = {
        {MHD_OPTION_END, 0, NULL}
    };
    struct MHD_OptionItem with_tls[] = {
        {MHD_OPTION_HTTPS_MEM_CERT,  0, NULL},
        {MHD_OPTION_HTTPS_MEM_KEY,   0, NULL},
        {MHD_OPTION_HTTPS_MEM_TRUST, 0, NULL},
        {MHD_OPTION_END,             0, NULL}
    };
    char *texts[3] = {NULL};
    unsigned flags =
        MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG;

    if (tls != NULL) {
        flags |= MHD_USE_TLS;
        with_tls[0].ptr_value = texts[0] = xstrdup(tls->certificate_pem);
        with_tls[1].ptr_value = texts[1] = xstrdup(tls->key_pem);
        with_tls[2].ptr_value = texts[2] = xstrdup(tls->client_ca_pem);
        if (tls->client_ca_pem == NULL)
            with_tls[2].option = MHD_OPTION_END;
    }
    listener->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, live_server_handle, listener, MHD_OPTION_EXTERNAL_LOGGER,
        on_daemon_log, listener, MHD_OPTION_NOTIFY_CONNECTION, on_connection, listener,
        MHD_OPTION_NOTIFY_COMPLETED, live_server_complete, listener, MHD_OPTION_URI_LOG_CALLBACK,
        live_server_start_request, listener, MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL,
        MHD_OPTION_CONNECTION_LIMIT, listener->options.connections_max + ACCEPT_TURN_MAX + 1,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, pool, MHD_OPTION_ARRAY, tls != NULL ? with_tls : no_tls,
        MHD_OPTION_END);
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        free(texts[i]);
    if (listener->daemon == NULL)
        return error_set(err, ERROR_IO, "the HTTP server cannot start");
    info = MHD_get_daemon_info(listener->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    listener->daemon_poll = live_poll_new(listener->live, info->epoll_fd, on_daemon, listener);
    if (listener->daemon_poll == NULL)
        return error_set(err, ERROR_IO, "the HTTP server cannot be watched");
    live_poll_watch(listener->daemon_poll, UV_READABLE);
    return true;
}

static int64_t limit_or(int64_t limit_us, int64_t fallback_us)
{
    return limit_us > 0 ? limit_us : fallback_us;
}

static void take_limits(struct live_listener *listener, const struct listen_options *options)
{
    struct listen_options *limits = &listener->options;

    limits->connections_max =
        options->connections_max > 0 ? options->connections_max : LISTEN_CONNECTIONS_MAX;
    limits->header_timeout_us = limit_or(options->header_timeout_us, LISTEN_HEADER_TIMEOUT_US);
    limits->body_timeout_us = limit_or(options->body_timeout_us, LISTEN_BODY_TIMEOUT_US);
    limits->idle_timeout_us = limit_or(options->idle_timeout_us, LISTEN_IDLE_TIMEOUT_US);
    limits->header_bytes_max =
        options->header_bytes_max > 0 ? options->header_bytes_max : LISTEN_HEADER_BYTES_MAX;
}

bool live_listen(struct runtime *rt, const struct listen_options *options,
                 const struct http_service *service, void *arg, struct listener **ret_listener,
                 struct error *err)
{
    struct live_listener *listener = xcalloc(1, sizeof(*listener));
    bool ok;

    listener->base.rt = rt;
    listener->live = live_of(rt);
    listener->service = service;
    listener->arg = arg;
    listener->fd = -1;
    take_limits(listener, options);
    DL_APPEND(listener->live->listeners, listener);
    ok = options->tls == NULL || live_tls_listen(listener, options->tls, err);
    ok = ok && (options->unix_path != NULL ? listen_unix(listener, options->unix_path, err)
                                           : listen_tcp(listener, options, err));
    ok = ok && start_daemon(listener, options->tls, err);
    if (!ok) {
        live_listener_close(&listener->base);
        return false;
    }
    listener->accept_poll = live_poll_new(listener->live, listener->fd, on_connecting, listener);
    watch_accept(listener);
    *ret_listener = &listener->base;
    return true;
}

uint16_t live_listener_port(const struct listener *base)
{
    return ((const struct live_listener *)base)->port;
}

/* Unless it is another's by now: somebody removed ours and listens there. */
static void remove_socket(struct live_listener *listener)
{
    struct stat there;

    if (listener->unix_path == NULL)
        return;
    if (lstat(listener->unix_path, &there) == 0 && there.st_ino == listener->unix_inode)
        unlink(listener->unix_path);
    free(listener->unix_path);
    listener->unix_path = NULL;
}

void live_listener_stop(struct listener *base)
{
    struct live_listener *listener = (struct live_listener *)base;
    struct live_connection *connection;

    timer_cancel(listener->accept_timer);
    listener->accept_timer = NULL;
    live_poll_free(listener->accept_poll);
    listener->accept_poll = NULL;
    if (listener->fd >= 0)
        close(listener->fd);
    listener->fd = -1;
    remove_socket(listener);
    DL_FOREACH (listener->connections, connection)
        if (connection->request == NULL && connection->early == NULL)
            live_connection_cut(connection, false);
}

static void drop_connections(struct live_listener *listener)
{
    struct live_connection *connection;

    DL_FOREACH (listener->connections, connection) {
        if (connection->request != NULL)
            live_request_free(connection->request);
        live_connection_cut(connection, true);
    }
}

void live_listener_close(struct listener *base)
{
    struct live_listener *listener = (struct live_listener *)base;

    listener->closing = true;
    live_listener_stop(base);
    drop_connections(listener);
    live_poll_free(listener->daemon_poll);
    if (listener->daemon != NULL)
        MHD_stop_daemon(listener->daemon);
    live_tls_release(listener);
    DL_DELETE(listener->live->listeners, listener);
    free(listener);
}

bool live_servers_run(struct live_runtime *live)
{
    struct live_listener *listener;
    bool more = false;

    DL_FOREACH (live->listeners, listener) {
        MHD_UNSIGNED_LONG_LONG wait_ms;

        if (!listener->wants_run)
            continue;
        listener->wants_run = false;
        MHD_run(listener->daemon);
        if (MHD_get_timeout(listener->daemon, &wait_ms) == MHD_YES && wait_ms == 0)
            listener->wants_run = true;
        more = more || listener->wants_run;
    }
    return more;
}

void live_servers_release(struct live_runtime *live)
{
    while (live->listeners != NULL)
        live_listener_close(&live->listeners->base);
}
