/* live_early_answer - an answer before the body of its request was whole.
 *
 * libmicrohttpd queues an answer before the body or after it, never in its midst; and when it
 * closes a connection that still has bytes to read, the kernel resets it and the peer may lose the
 * answer. So the connection is suspended, the answer is written here, and what still comes is read
 * and thrown away for a while before the connection is closed. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/runtime/live_server.h"

#define LINGER_US (1 * US_PER_SECOND)
#define LINGER_READ_BYTES 4096
/* Header bytes and the framing of one chunk; a whole body comes on top. */
#define EARLY_BYTES_MAX (64 * 1024)

struct live_early {
    struct buffer out;
    size_t sent;
    bool chunked;
    bool ended; /* the terminating chunk is in out */
    bool lingering;
};

static const char *reason(unsigned status)
{
    const char *phrase = MHD_get_reason_phrase_for(status);

    return phrase == NULL ? "Unknown" : phrase;
}

static void append_date(struct buffer *out, struct live_runtime *live)
{
    time_t now = (time_t)(runtime_wall_us(&live->base) / US_PER_SECOND);
    struct tm parts;
    char text[64];

    gmtime_r(&now, &parts);
    strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    buffer_append_format(out, "Date: %s\r\n", text);
}

static void append_head(struct live_early *early, const struct live_request *request,
                        const struct http_response *response, size_t body_size)
{
    struct buffer *out = &early->out;
    bool bare = response->status == 204 || response->status == 304;

    buffer_append_format(out, "HTTP/1.1 %u %s\r\n", response->status, reason(response->status));
    append_date(out, request->live);
    buffer_append_text(out, "Connection: close\r\n");
    for (size_t i = 0; i < response->header_count; i++)
        buffer_append_format(out, "%s: %s\r\n", response->headers[i].name,
                             response->headers[i].value);
    if (early->chunked)
        buffer_append_text(out, "Transfer-Encoding: chunked\r\n");
    else if (!bare)
        buffer_append_format(out, "Content-Length: %zu\r\n", body_size);
    buffer_append_text(out, "\r\n");
}

static void append_whole(struct live_early *early, const struct live_request *request,
                         const struct http_response *response)
{
    const void *bytes = response->shared != NULL ? response->shared->data : response->body;
    size_t size = response->shared != NULL ? response->shared->size : response->body_size;

    early->out = BUFFER_INIT(EARLY_BYTES_MAX + size);
    append_head(early, request, response, size);
    if (!text_equal(request->method, "HEAD"))
        buffer_append(&early->out, bytes, size);
    early->ended = true;
}

/* Moves what was pulled into out. */
static void append_chunk(struct live_early *early, struct live_request *request)
{
    buffer_clear(&early->out);
    early->sent = 0;
    if (request->chunk.size > 0) {
        if (early->chunked)
            buffer_append_format(&early->out, "%zx\r\n", request->chunk.size);
        buffer_append(&early->out, request->chunk.bytes, request->chunk.size);
        if (early->chunked)
            buffer_append_text(&early->out, "\r\n");
        buffer_clear(&request->chunk);
    } else if (request->source_ended) {
        if (early->chunked)
            buffer_append_text(&early->out, "0\r\n\r\n");
        early->ended = true;
    }
}

/* --- writing --- */

static gnutls_session_t session_of(const struct live_connection *connection)
{
    const union MHD_ConnectionInfo *info;

    if (!connection->listener->tls)
        return NULL;
    info = MHD_get_connection_info(connection->mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
    return info->tls_session;
}

/* As send(): how many bytes, or -1 with EAGAIN or another errno. */
static ssize_t send_some(const struct live_connection *connection, const char *bytes, size_t size)
{
    gnutls_session_t session = session_of(connection);
    ssize_t sent;

    if (session == NULL)
        return send(connection->fd, bytes, size, MSG_NOSIGNAL);
    sent = gnutls_record_send(session, bytes, size);
    if (sent >= 0)
        return sent;
    errno = sent == GNUTLS_E_AGAIN || sent == GNUTLS_E_INTERRUPTED ? EAGAIN : ECONNRESET;
    return -1;
}

static void watch(struct live_connection *connection, int events)
{
    if (connection->watch != NULL)
        live_poll_watch(connection->watch, events);
}

static void on_linger_end(void *arg)
{
    struct live_connection *connection = arg;

    connection->deadline = NULL;
    live_connection_cut(connection, false);
}

/* All is handed over: says goodbye and drops what still comes. */
static void start_lingering(struct live_connection *connection)
{
    gnutls_session_t session = session_of(connection);

    connection->early->lingering = true;
    if (session != NULL)
        (void)gnutls_bye(session, GNUTLS_SHUT_WR);
    (void)shutdown(connection->fd, SHUT_WR);
    live_connection_expect_nothing(connection);
    connection->deadline =
        live_after(&connection->listener->live->base, LINGER_US, on_linger_end, connection);
    watch(connection, UV_READABLE);
    if (connection->request != NULL)
        live_request_close(connection->request, true);
}

static void want_more(struct live_connection *connection)
{
    struct live_request *request = connection->request;

    watch(connection, UV_DISCONNECT);
    request->hungry = true;
    if (request->asleep)
        return;
    request->pull_due = true;
    live_request_notify(request);
}

static void write_some(struct live_connection *connection)
{
    struct live_early *early = connection->early;

    while (early->sent < early->out.size) {
        ssize_t sent =
            send_some(connection, early->out.bytes + early->sent, early->out.size - early->sent);

        if (sent < 0 && (errno == EAGAIN || errno == EINTR))
            return;
        if (sent < 0) {
            live_connection_cut(connection, true);
            return;
        }
        early->sent += (size_t)sent;
    }
    if (early->ended)
        start_lingering(connection);
    else
        want_more(connection);
}

static void read_away(struct live_connection *connection)
{
    char bytes[LINGER_READ_BYTES];
    ssize_t size = recv(connection->fd, bytes, sizeof(bytes), 0);

    if (size == 0 || (size < 0 && errno != EAGAIN && errno != EINTR))
        live_connection_cut(connection, false);
}

void live_early_event(struct live_connection *connection, int events)
{
    if (connection->cut)
        return;
    if (connection->early->lingering)
        read_away(connection);
    else if (events & UV_WRITABLE)
        write_some(connection);
    else if (events & UV_DISCONNECT)
        live_connection_cut(connection, false); /* left while the source sleeps */
}

/* --- the answer --- */

void live_early_pulled(struct live_connection *connection)
{
    struct live_request *request = connection->request;

    if (request->chunk.size == 0 && request->source_reset) {
        live_connection_cut(connection, true);
        return;
    }
    append_chunk(connection->early, request);
    watch(connection, UV_WRITABLE);
}

void live_early_start(struct live_request *request, const struct http_response *response)
{
    struct live_connection *connection = request->connection;
    struct live_early *early = xcalloc(1, sizeof(*early));

    live_connection_suspend(connection);
    live_connection_expect_progress(connection);
    connection->early = early;
    if (response->source == NULL) {
        append_whole(early, request, response);
    } else {
        early->out = BUFFER_INIT(EARLY_BYTES_MAX);
        early->chunked = !request->http_10;
        request->source = response->source;
        request->source_arg = response->source_arg;
        request->chunk = BUFFER_INIT(EARLY_BYTES_MAX);
        append_head(early, request, response, 0);
        early->ended = text_equal(request->method, "HEAD");
    }
    watch(connection, UV_WRITABLE);
}

void live_early_free(struct live_early *early)
{
    if (early == NULL)
        return;
    buffer_release(&early->out);
    free(early);
}
