/* live_pool - a libcurl multi handle with its own connections, driven by the loop.
 *
 * One multi handle per pool: connections are kept for later requests within it alone. */
#include <assert.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live_client.h"

/* Idle connections kept in one pool. */
#define POOL_IDLE_CONNECTIONS_MAX 64L

struct live_pool {
    struct live_pool *next;
    struct live_runtime *live;
    char *name;
    CURLM *multi;
    struct timer *timer;
    struct open_socket *sockets;
};

/* libcurl does not tell which socket a kept connection has. Nor that it closed one that never
 * became a connection: such an entry does no harm, and goes when the number comes again. */
struct open_socket {
    struct open_socket *next;
    curl_socket_t fd;
    int local_port;
    int peer_port; /* 0: not known yet, or none */
};

static void collect_finished(struct live_pool *pool)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(pool->multi, &left)) != NULL) {
        CURLcode code = message->data.result;
        char *owner = NULL;
        struct live_exchange *exchange;

        if (message->msg != CURLMSG_DONE)
            continue;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &owner);
        exchange = (struct live_exchange *)(void *)owner;
        if (live_curl_renew(exchange)) {
            curl_multi_remove_handle(pool->multi, exchange->easy);
            curl_multi_add_handle(pool->multi, exchange->easy);
            continue;
        }
        live_exchange_end(exchange, live_curl_end(exchange, code),
                          text_or(exchange->curl_detail, curl_easy_strerror(code)));
    }
}

static void act(struct live_pool *pool, curl_socket_t fd, int flags)
{
    int running;

    curl_multi_socket_action(pool->multi, fd, flags, &running);
    collect_finished(pool);
}

/* --- sockets --- */

struct pool_socket {
    struct live_pool *pool;
    struct live_poll *poll;
    curl_socket_t fd;
};

static void on_socket(void *arg, int events)
{
    const struct pool_socket *watched = arg;
    int flags = 0;

    if (events & UV_READABLE)
        flags |= CURL_CSELECT_IN;
    if (events & UV_WRITABLE)
        flags |= CURL_CSELECT_OUT;
    act(watched->pool, watched->fd, flags); /* watched may be gone after it */
}

static int watch_socket(CURL *easy, curl_socket_t fd, int what, void *owner, void *known)
{
    struct live_pool *pool = owner;
    struct pool_socket *watched = known;
    int events = 0;

    (void)easy;
    if (what == CURL_POLL_REMOVE) {
        if (watched != NULL) {
            live_poll_free(watched->poll);
            free(watched);
            curl_multi_assign(pool->multi, fd, NULL);
        }
        return 0;
    }
    if (watched == NULL) {
        watched = xcalloc(1, sizeof(*watched));
        watched->pool = pool;
        watched->fd = fd;
        watched->poll = live_poll_new(pool->live, fd, on_socket, watched);
        if (watched->poll == NULL) {
            free(watched);
            return -1;
        }
        curl_multi_assign(pool->multi, fd, watched);
    }
    if (what & CURL_POLL_IN)
        events |= UV_READABLE;
    if (what & CURL_POLL_OUT)
        events |= UV_WRITABLE;
    live_poll_watch(watched->poll, events);
    return 0;
}

static void forget_socket(struct live_pool *pool, curl_socket_t fd)
{
    struct open_socket *opened;

    LL_SEARCH_SCALAR(pool->sockets, opened, fd, fd);
    if (opened != NULL) {
        LL_DELETE(pool->sockets, opened);
        free(opened);
    }
}

static curl_socket_t open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct live_pool *pool = arg;
    curl_socket_t fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    struct open_socket *opened;

    (void)purpose;
    if (fd < 0)
        return CURL_SOCKET_BAD;
    forget_socket(pool, fd);
    opened = xcalloc(1, sizeof(*opened));
    opened->fd = fd;
    LL_PREPEND(pool->sockets, opened);
    return fd;
}

static int close_socket(void *arg, curl_socket_t fd)
{
    forget_socket(arg, fd);
    return close(fd);
}

/* 0 for other families. */
static int port_of(const struct sockaddr_storage *address)
{
    if (address->ss_family == AF_INET)
        return ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (address->ss_family == AF_INET6)
        return ntohs(((const struct sockaddr_in6 *)address)->sin6_port);
    return 0;
}

/* Once it is connected. */
static void note_ports(struct open_socket *opened)
{
    struct sockaddr_storage local;
    struct sockaddr_storage peer;
    socklen_t local_size = sizeof(local);
    socklen_t peer_size = sizeof(peer);

    if (opened->peer_port == 0 &&
        getsockname(opened->fd, (struct sockaddr *)&local, &local_size) == 0 &&
        getpeername(opened->fd, (struct sockaddr *)&peer, &peer_size) == 0) {
        opened->local_port = port_of(&local);
        opened->peer_port = port_of(&peer);
    }
}

bool live_pool_has_unread(const struct live_pool *pool, int local_port, int peer_port)
{
    struct open_socket *opened;
    char byte;

    LL_FOREACH (pool->sockets, opened) {
        note_ports(opened);
        if (opened->local_port == local_port && opened->peer_port == peer_port &&
            recv(opened->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
            return true;
    }
    return false;
}

/* --- time --- */

static void on_timer(void *arg)
{
    struct live_pool *pool = arg;

    pool->timer = NULL;
    act(pool, CURL_SOCKET_TIMEOUT, 0);
}

static int set_timer(CURLM *multi, long timeout_ms, void *arg)
{
    struct live_pool *pool = arg;

    (void)multi;
    timer_cancel(pool->timer);
    pool->timer = NULL;
    if (timeout_ms >= 0)
        pool->timer = live_after(&pool->live->base, timeout_ms * US_PER_MS, on_timer, pool);
    return 0;
}

/* --- the pool --- */

static struct live_pool *pool_new(struct live_runtime *live, const char *name)
{
    struct live_pool *pool = xcalloc(1, sizeof(*pool));

    pool->live = live;
    pool->name = xstrdup(name);
    pool->multi = curl_multi_init();
    assert(pool->multi != NULL);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETFUNCTION, watch_socket);
    curl_multi_setopt(pool->multi, CURLMOPT_SOCKETDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERFUNCTION, set_timer);
    curl_multi_setopt(pool->multi, CURLMOPT_TIMERDATA, pool);
    curl_multi_setopt(pool->multi, CURLMOPT_PIPELINING, (long)CURLPIPE_NOTHING);
    curl_multi_setopt(pool->multi, CURLMOPT_MAXCONNECTS, POOL_IDLE_CONNECTIONS_MAX);
    return pool;
}

struct live_pool *live_pool_get(struct live_runtime *live, const char *name)
{
    struct live_pool *pool;

    LL_FOREACH (live->pools, pool)
        if (text_equal(pool->name, name))
            return pool;
    pool = pool_new(live, name);
    LL_PREPEND(live->pools, pool);
    return pool;
}

bool live_pool_add(struct live_pool *pool, struct live_exchange *exchange, struct error *err)
{
    CURLMcode code;

    curl_easy_setopt(exchange->easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(exchange->easy, CURLOPT_OPENSOCKETDATA, pool);
    curl_easy_setopt(exchange->easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
    curl_easy_setopt(exchange->easy, CURLOPT_CLOSESOCKETDATA, pool);
    code = curl_multi_add_handle(pool->multi, exchange->easy);
    if (code != CURLM_OK)
        return error_set(err, ERROR_INTERNAL, "%s", curl_multi_strerror(code));
    exchange->pool = pool;
    return true;
}

void live_pool_remove(struct live_pool *pool, struct live_exchange *exchange)
{
    curl_multi_remove_handle(pool->multi, exchange->easy);
}

void live_pools_free(struct live_runtime *live)
{
    while (live->pools != NULL) {
        struct live_pool *pool = live->pools;

        LL_DELETE(live->pools, pool);
        curl_multi_cleanup(pool->multi);
        while (pool->sockets != NULL)
            forget_socket(pool, pool->sockets->fd);
        timer_cancel(pool->timer);
        free(pool->name);
        free(pool);
    }
}
