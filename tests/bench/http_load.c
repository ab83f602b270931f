/* http_load - connections, answers and watches. */
#include "tests/bench/http_load.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/memory.h"

#define HEAD_BYTES_MAX 4096
#define REQUEST_BYTES_MAX ((size_t)4 * 1024 * 1024)
#define ROOM_BYTES ((size_t)1024 * 1024)
#define EVENTS_MAX 64
/* A server that says nothing for so long is stuck. */
#define PATIENCE_MS 60000

void bench_check(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "bench: %s\n", what);
    exit(1);
}

double bench_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* --- a connection --- */

struct connection {
    int fd;
    size_t index; /* of the request under way */
    struct buffer out;
    size_t sent;
    char head[HEAD_BYTES_MAX + 1];
    size_t head_size;
    bool in_body;
    bool chunked;
    uint64_t body_left; /* when not chunked */
    char tail[5];       /* the last bytes of a chunked body */
    uint64_t body_bytes;
    char last;     /* byte read of a watch */
    size_t events; /* read by a watch */
};

struct poller {
    int epoll;
    char *room;
    struct connection *connections;
    size_t count;
};

static struct sockaddr_in loopback(uint16_t port)
{
    return (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
}

static void connection_open(struct connection *connection, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int one = 1;

    connection->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bench_check(connection->fd >= 0, "no socket");
    bench_check(connect(connection->fd, (struct sockaddr *)&address, sizeof(address)) == 0,
                "cannot connect");
    (void)setsockopt(connection->fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
    (void)fcntl(connection->fd, F_SETFL, O_NONBLOCK);
    connection->out = BUFFER_INIT(REQUEST_BYTES_MAX);
}

static void poller_init(struct poller *poller, uint16_t port, size_t count)
{
    poller->epoll = epoll_create1(EPOLL_CLOEXEC);
    bench_check(poller->epoll >= 0, "no epoll");
    poller->room = xcalloc(1, ROOM_BYTES + 1);
    poller->connections = xcalloc(count, sizeof(*poller->connections));
    poller->count = count;
    for (size_t i = 0; i < count; i++) {
        struct connection *connection = &poller->connections[i];
        struct epoll_event event = {.events = EPOLLIN, .data.ptr = connection};

        connection_open(connection, port);
        bench_check(epoll_ctl(poller->epoll, EPOLL_CTL_ADD, connection->fd, &event) == 0,
                    "no epoll");
    }
}

static void poller_release(struct poller *poller)
{
    for (size_t i = 0; i < poller->count; i++) {
        close(poller->connections[i].fd);
        buffer_release(&poller->connections[i].out);
    }
    close(poller->epoll);
    free(poller->connections);
    free(poller->room);
}

static void want(struct poller *poller, struct connection *connection, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = connection};

    bench_check(epoll_ctl(poller->epoll, EPOLL_CTL_MOD, connection->fd, &event) == 0, "no epoll");
}

static void flush(struct poller *poller, struct connection *connection)
{
    bool was_late = connection->sent > 0;

    while (connection->sent < connection->out.size) {
        ssize_t size = send(connection->fd, connection->out.bytes + connection->sent,
                            connection->out.size - connection->sent, MSG_NOSIGNAL);

        if (size < 0 && errno == EAGAIN) {
            want(poller, connection, EPOLLIN | EPOLLOUT);
            return;
        }
        bench_check(size > 0, "the server closed a connection");
        connection->sent += (size_t)size;
    }
    if (was_late)
        want(poller, connection, EPOLLIN);
    connection->sent = 0;
    buffer_clear(&connection->out);
}

/* Takes bytes of a head; *ret_used are those that belong to it. True when it is whole. */
static bool take_head(struct connection *connection, const char *bytes, size_t size,
                      size_t *ret_used)
{
    static const char length_name[] = "\r\nContent-Length: ";
    size_t before = connection->head_size;
    size_t taken = HEAD_BYTES_MAX - before < size ? HEAD_BYTES_MAX - before : size;
    const char *length;
    char *end;

    memcpy(connection->head + before, bytes, taken);
    connection->head[before + taken] = '\0';
    connection->head_size = before + taken;
    end = strstr(connection->head, "\r\n\r\n");
    *ret_used = taken;
    if (end == NULL) {
        bench_check(connection->head_size < HEAD_BYTES_MAX, "the head of an answer is too large");
        return false;
    }
    *ret_used = (size_t)(end + 4 - connection->head) - before;
    end[2] = '\0';
    length = strstr(connection->head, length_name);
    connection->chunked = length == NULL;
    connection->body_left =
        length == NULL ? 0 : strtoull(length + sizeof(length_name) - 1, NULL, 10);
    connection->in_body = true;
    memset(connection->tail, 0, sizeof(connection->tail));
    return true;
}

/* Takes bytes of a body. True when it is whole. */
static bool take_body(struct connection *connection, const char *bytes, size_t size)
{
    char ends[10];
    size_t kept = size < 5 ? size : 5;

    connection->body_bytes += size;
    if (!connection->chunked) {
        bench_check(size <= connection->body_left, "an answer is longer than it says");
        connection->body_left -= size;
        return connection->body_left == 0;
    }
    memcpy(ends, connection->tail, 5);
    memcpy(ends + 5, bytes + size - kept, kept);
    memcpy(connection->tail, ends + kept, 5);
    return memcmp(connection->tail, "0\r\n\r\n", 5) == 0;
}

static bool take(struct connection *connection, const char *bytes, size_t size)
{
    size_t used;

    if (!connection->in_body) {
        if (!take_head(connection, bytes, size, &used))
            return false;
        if (used == size)
            return !connection->chunked && connection->body_left == 0;
        bytes += used;
        size -= used;
    }
    return take_body(connection, bytes, size);
}

/* What there is to read; 0 when there is nothing now. */
static size_t read_some(struct poller *poller, struct connection *connection)
{
    ssize_t size = recv(connection->fd, poller->room, ROOM_BYTES, 0);

    if (size < 0 && errno == EAGAIN)
        return 0;
    bench_check(size > 0, "the server closed a connection");
    return (size_t)size;
}

static int await_some(const struct poller *poller, struct epoll_event *events)
{
    int count = epoll_wait(poller->epoll, events, EVENTS_MAX, PATIENCE_MS);

    bench_check(count > 0, "the server is stuck");
    return count;
}

/* --- requests --- */

void load_append_request(struct buffer *out, const char *method, const char *path,
                         const char *headers, const char *body, size_t body_size)
{
    buffer_append_format(out, "%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\n%s", method, path, headers);
    if (body != NULL)
        buffer_append_format(out, "Content-Length: %zu\r\n", body_size);
    buffer_append_text(out, "\r\n");
    buffer_append(out, body, body_size);
}

static void check_status(const struct load *load, const struct connection *connection)
{
    unsigned long status = strtoul(connection->head + sizeof("HTTP/1.1"), NULL, 10);

    if (status == load->status)
        return;
    fprintf(stderr, "bench: want status %u, got: %s\n", load->status, connection->head);
    exit(1);
}

static void ask(const struct load *load, struct poller *poller, struct connection *connection,
                size_t *asked)
{
    if (*asked == load->count)
        return;
    connection->index = (*asked)++;
    load->make(load->arg, connection->index, &connection->out);
    flush(poller, connection);
}

/* True when the answer is whole. */
static bool read_answer(const struct load *load, struct poller *poller,
                        struct connection *connection)
{
    size_t size = read_some(poller, connection);

    if (size == 0 || !take(connection, poller->room, size))
        return false;
    check_status(load, connection);
    poller->room[size] = '\0';
    if (load->answered != NULL)
        load->answered(load->arg, connection->index, poller->room);
    connection->head_size = 0;
    connection->in_body = false;
    return true;
}

double load_run(const struct load *load, uint64_t *ret_bytes)
{
    struct poller poller = {0};
    struct epoll_event events[EVENTS_MAX];
    size_t asked = 0;
    size_t answered = 0;
    double begun;
    double took;

    poller_init(&poller, load->port, load->connections);
    begun = bench_seconds();
    for (size_t i = 0; i < load->connections; i++)
        ask(load, &poller, &poller.connections[i], &asked);
    while (answered < load->count) {
        int count = await_some(&poller, events);

        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;

            if (events[i].events & EPOLLOUT)
                flush(&poller, connection);
            if (!(events[i].events & EPOLLIN) || !read_answer(load, &poller, connection))
                continue;
            answered++;
            ask(load, &poller, connection, &asked);
        }
    }
    took = bench_seconds() - begun;
    if (ret_bytes != NULL)
        *ret_bytes = 0;
    for (size_t i = 0; i < load->connections && ret_bytes != NULL; i++)
        *ret_bytes += poller.connections[i].body_bytes;
    poller_release(&poller);
    return took;
}

/* One try, without patience. */
static bool answers(uint16_t port, const char *request, size_t size)
{
    struct sockaddr_in address = loopback(port);
    char head[16] = "";
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    bool ok = fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0 &&
              send(fd, request, size, MSG_NOSIGNAL) == (ssize_t)size &&
              recv(fd, head, sizeof(head) - 1, 0) > 0 && strncmp(head, "HTTP/1.1 200", 12) == 0;

    close(fd);
    return ok;
}

void load_await_answer(uint16_t port, const char *path)
{
    const struct timespec pause = {0, 1000000};
    struct buffer request = BUFFER_INIT(REQUEST_BYTES_MAX);
    double begun = bench_seconds();

    load_append_request(&request, "GET", path, "", NULL, 0);
    while (!answers(port, request.bytes, request.size)) {
        bench_check(bench_seconds() - begun < PATIENCE_MS / 1e3, "the server does not start");
        nanosleep(&pause, NULL);
    }
    buffer_release(&request);
}

/* --- watches --- */

struct watchers {
    struct poller poller;
};

static void count_lines(struct connection *connection, const char *bytes, size_t size)
{
    const char *at = bytes;
    const char *end = bytes + size;

    while ((at = memchr(at, '\n', (size_t)(end - at))) != NULL) {
        if ((at == bytes ? connection->last : at[-1]) == '}')
            connection->events++;
        at++;
    }
    connection->last = bytes[size - 1];
}

static void read_watch(struct poller *poller, struct connection *connection)
{
    size_t size = read_some(poller, connection);
    size_t used = 0;

    if (size == 0)
        return;
    if (!connection->in_body && !take_head(connection, poller->room, size, &used))
        return;
    bench_check(strncmp(connection->head, "HTTP/1.1 200", 12) == 0, "a watch was refused");
    if (used < size)
        count_lines(connection, poller->room + used, size - used);
}

static void watchers_until(struct watchers *watchers, bool (*is_done)(const struct connection *))
{
    struct epoll_event events[EVENTS_MAX];
    size_t done = 0;

    for (size_t i = 0; i < watchers->poller.count; i++)
        done += is_done(&watchers->poller.connections[i]);
    while (done < watchers->poller.count) {
        int count = await_some(&watchers->poller, events);

        for (int i = 0; i < count; i++) {
            struct connection *connection = events[i].data.ptr;
            bool before = is_done(connection);

            read_watch(&watchers->poller, connection);
            done += is_done(connection) && !before;
        }
    }
}

static bool has_head(const struct connection *connection)
{
    return connection->in_body;
}

static bool has_event(const struct connection *connection)
{
    return connection->events > 0;
}

struct watchers *watchers_new(uint16_t port, size_t count, const char *path)
{
    struct watchers *watchers = xcalloc(1, sizeof(*watchers));

    poller_init(&watchers->poller, port, count);
    for (size_t i = 0; i < count; i++) {
        struct connection *connection = &watchers->poller.connections[i];

        load_append_request(&connection->out, "GET", path, "", NULL, 0);
        flush(&watchers->poller, connection);
    }
    watchers_until(watchers, has_head);
    return watchers;
}

void watchers_await_event(struct watchers *watchers)
{
    watchers_until(watchers, has_event);
    for (size_t i = 0; i < watchers->poller.count; i++)
        watchers->poller.connections[i].events--;
}

void watchers_free(struct watchers *watchers)
{
    poller_release(&watchers->poller);
    free(watchers);
}
