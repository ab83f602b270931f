#include "tests/contract/live_peers.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utlist.h>

#include "controller/base/memory.h"

#define LOOK_US 1000
#define RECEIVED_BYTES_MAX (16 * 1024 * 1024)
#define HOLE_SOCKETS 4

struct contract_raw {
    struct contract_raw *next;
    int fd;
    struct buffer out; /* not sent yet */
    struct buffer in;
    bool half_close;
    bool closed;
    /* a server's side */
    int listen_fd; /* -1: a client */
    const char *answer;
    enum contract_then then;
    bool answered;
};

struct live_peers {
    struct runtime *rt;
    struct timer *timer;
    struct contract_raw *raws;
    int hole[HOLE_SOCKETS];
    size_t hole_count;
};

static struct sockaddr_in loopback(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

static struct contract_raw *raw_new(struct live_peers *peers)
{
    struct contract_raw *raw = xcalloc(1, sizeof(*raw));

    raw->fd = -1;
    raw->listen_fd = -1;
    raw->in = BUFFER_INIT(RECEIVED_BYTES_MAX);
    raw->out = BUFFER_INIT(RECEIVED_BYTES_MAX);
    LL_PREPEND(peers->raws, raw);
    return raw;
}

static void raw_free(struct contract_raw *raw)
{
    if (raw->fd >= 0)
        close(raw->fd);
    if (raw->listen_fd >= 0)
        close(raw->listen_fd);
    buffer_release(&raw->in);
    buffer_release(&raw->out);
    free(raw);
}

static void flush(struct contract_raw *raw)
{
    ssize_t sent;

    while (raw->out.size > 0) {
        sent = send(raw->fd, raw->out.bytes, raw->out.size, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent < 0)
            return;
        buffer_drop(&raw->out, (size_t)sent);
    }
    if (raw->half_close) {
        shutdown(raw->fd, SHUT_WR);
        raw->half_close = false;
    }
}

static void take(struct contract_raw *raw)
{
    char bytes[65536];
    ssize_t size;

    if (raw->closed || raw->fd < 0)
        return;
    while ((size = recv(raw->fd, bytes, sizeof(bytes), MSG_DONTWAIT)) > 0)
        buffer_append(&raw->in, bytes, (size_t)size);
    raw->closed = size == 0 || (errno != EAGAIN && errno != EINTR);
}

static void close_reset(struct contract_raw *raw)
{
    static const struct linger none = {.l_onoff = 1, .l_linger = 0};

    setsockopt(raw->fd, SOL_SOCKET, SO_LINGER, &none, sizeof(none));
    close(raw->fd);
    raw->fd = -1;
}

static void serve(struct contract_raw *raw)
{
    if (raw->fd < 0 && !raw->answered)
        raw->fd = accept(raw->listen_fd, NULL, NULL);
    take(raw);
    if (raw->fd < 0 || raw->answered || strstr(buffer_text(&raw->in), "\r\n\r\n") == NULL)
        return;
    raw->answered = true;
    buffer_append_text(&raw->out, raw->answer);
    flush(raw);
    if (raw->then == CONTRACT_THEN_RESET) {
        close_reset(raw);
    } else if (raw->then == CONTRACT_THEN_CLOSE) {
        close(raw->fd);
        raw->fd = -1;
    }
}

static void look(void *arg)
{
    struct live_peers *peers = arg;
    struct contract_raw *raw;

    peers->timer = runtime_after(peers->rt, LOOK_US, look, peers);
    LL_FOREACH (peers->raws, raw) {
        if (raw->listen_fd >= 0) {
            serve(raw);
        } else {
            flush(raw);
            take(raw);
        }
    }
}

struct live_peers *live_peers_new(struct runtime *rt)
{
    struct live_peers *peers = xcalloc(1, sizeof(*peers));

    peers->rt = rt;
    return peers;
}

void live_peers_free(struct live_peers *peers)
{
    while (peers->raws != NULL) {
        struct contract_raw *raw = peers->raws;

        LL_DELETE(peers->raws, raw);
        raw_free(raw);
    }
    for (size_t i = 0; i < peers->hole_count; i++)
        close(peers->hole[i]);
    free(peers);
}

static void start_looking(struct live_peers *peers)
{
    if (peers->timer == NULL)
        peers->timer = runtime_after(peers->rt, LOOK_US, look, peers);
}

struct contract_raw *live_peers_connect(struct live_peers *peers, uint16_t port)
{
    struct contract_raw *raw = raw_new(peers);
    struct sockaddr_in address = loopback(port);

    start_looking(peers);
    raw->fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(raw->fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return raw;
}

void live_peers_send(struct contract_raw *raw, const void *bytes, size_t size)
{
    buffer_append(&raw->out, bytes, size);
    flush(raw);
}

void live_peers_half_close(struct contract_raw *raw)
{
    raw->half_close = true;
    flush(raw);
}

const char *live_peers_received(struct contract_raw *raw, bool *ret_closed)
{
    *ret_closed = raw->closed;
    return buffer_text(&raw->in);
}

static int listen_any(int backlog, uint16_t *ret_port)
{
    struct sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&address, size), 0);
    assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &size), 0);
    *ret_port = ntohs(address.sin_port);
    return fd;
}

void live_peers_serve(struct live_peers *peers, const char *answer, enum contract_then then,
                      uint16_t *ret_port)
{
    struct contract_raw *raw = raw_new(peers);

    start_looking(peers);
    raw->answer = answer;
    raw->then = then;
    raw->listen_fd = listen_any(1, ret_port);
}

uint16_t live_peers_black_hole(struct live_peers *peers)
{
    struct sockaddr_in address;
    uint16_t port;

    peers->hole[peers->hole_count++] = listen_any(0, &port);
    address = loopback(port);
    while (peers->hole_count < HOLE_SOCKETS) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);

        (void)connect(fd, (struct sockaddr *)&address, sizeof(address)); /* in progress, or not */
        peers->hole[peers->hole_count++] = fd;
    }
    return port;
}
