/* live_answer - answers: whole ones as they are, pulled ones through a small buffer.
 *
 * libmicrohttpd's reader takes from the buffer and never calls the source: a source is a program,
 * and programs are called by tasks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/runtime/live_server.h"

/* Pulled ahead of the peer; given back while the source sleeps. */
#define CHUNK_BYTES (32 * 1024)
/* A source is asked again while at least so much room is left. */
#define CHUNK_ROOM_MIN 1024
/* libmicrohttpd allocates this much for each answer and uses it for HTTP/1.0 alone. */
#define BLOCK_BYTES 1024
#define GZIP_WINDOW 31 /* 15 bits, and a gzip wrapper */
#define GZIP_MEMORY 8

/* --- gzip --- */

static bool wants_gzip(const struct live_request *request, const struct http_response *response,
                       size_t size)
{
    const char *accepted =
        http_header_get(request->head.headers, request->head.header_count, "Accept-Encoding");
    const char *gzip = accepted == NULL ? NULL : strstr(accepted, "gzip");

    if (gzip == NULL || response->gzip_size_min == 0 || size < response->gzip_size_min)
        return false;
    return strncmp(gzip + 4, ";q=0", 4) != 0 || strncmp(gzip + 4, ";q=0.", 5) == 0;
}

static char *compress_body(const void *bytes, size_t size, size_t *ret_size)
{
    z_stream stream = {.next_in = live_without_const(bytes), .avail_in = (uInt)size};
    char *room;

    if (size > UINT32_MAX || deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, GZIP_WINDOW,
                                          GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
        abort();
    *ret_size = deflateBound(&stream, (uLong)size);
    room = xrealloc(NULL, *ret_size);
    stream.next_out = (Bytef *)room;
    stream.avail_out = (uInt)*ret_size;
    if (deflate(&stream, Z_FINISH) != Z_STREAM_END)
        abort(); /* the bound is one */
    *ret_size = stream.total_out;
    deflateEnd(&stream);
    return room;
}

/* --- pulled bodies --- */

/* A wake from inside the pull that then said WAIT counts: the source is asked again, but in
 * another turn. */
static void fall_asleep(struct live_request *request)
{
    request->asleep = !request->woken;
    if (request->asleep)
        return;
    request->pull_due = true;
    live_request_notify(request);
}

static bool may_pull(const struct live_request *request)
{
    return !request->dead && !request->live->stopped && !request->source_ended &&
           !request->source_reset && CHUNK_BYTES - request->chunk.size >= CHUNK_ROOM_MIN;
}

void live_answer_pull(struct live_request *request)
{
    enum body_pull pulled = BODY_BYTES;

    while (pulled == BODY_BYTES && may_pull(request)) {
        size_t room_size = CHUNK_BYTES - request->chunk.size;
        char *room = buffer_reserve(&request->chunk, room_size);
        size_t size = 0;

        request->woken = false;
        pulled = request->source->pull(request->source_arg, room, room_size, &size);
        assert(size <= room_size);
        if (pulled == BODY_BYTES)
            buffer_extend(&request->chunk, size);
    }
    if (request->dead)
        return;
    if (pulled == BODY_END)
        request->source_ended = true;
    else if (pulled == BODY_RESET)
        request->source_reset = true;
    else if (pulled == BODY_WAIT)
        fall_asleep(request);
    if (request->chunk.size == 0)
        buffer_release(&request->chunk);
    request->hungry = request->chunk.size == 0 && !request->source_ended && !request->source_reset;
}

static ssize_t read_answer(void *arg, uint64_t position, char *room, size_t room_size)
{
    struct live_connection *connection = arg;
    struct live_request *request = connection->request;
    size_t left;

    (void)position;
    if (connection->cut || request == NULL)
        return MHD_CONTENT_READER_END_WITH_ERROR;
    left = request->chunk.size - request->chunk_taken;
    if (left > 0) {
        size_t size = left < room_size ? left : room_size;

        memcpy(room, request->chunk.bytes + request->chunk_taken, size);
        request->chunk_taken += size;
        if (size == left) {
            buffer_clear(&request->chunk);
            request->chunk_taken = 0;
        }
        return (ssize_t)size;
    }
    if (request->source_reset) {
        live_connection_cut(connection, true);
        return MHD_CONTENT_READER_END_WITH_ERROR;
    }
    if (request->source_ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    live_connection_suspend(connection);
    request->hungry = true;
    if (!request->asleep) {
        request->pull_due = true;
        live_request_notify(request);
    }
    return 0;
}

/* --- whole bodies --- */

static void unref_shared(void *shared)
{
    bytes_unref(shared);
}

static struct MHD_Response *respond_whole(struct live_request *request,
                                          const struct http_response *response)
{
    const void *bytes = response->shared != NULL ? response->shared->data : response->body;
    size_t size = response->shared != NULL ? response->shared->size : response->body_size;
    struct MHD_Response *made;
    char *packed;

    if (wants_gzip(request, response, size)) {
        packed = compress_body(bytes, size, &size);
        made = MHD_create_response_from_buffer(size, packed, MHD_RESPMEM_MUST_FREE);
        (void)MHD_add_response_header(made, "Content-Encoding", "gzip");
        (void)MHD_add_response_header(made, "Vary", "Accept-Encoding"); /* as Go's servers do */
    } else if (response->shared != NULL) {
        made = MHD_create_response_from_buffer_with_free_callback_cls(
            size, response->shared->data, unref_shared, bytes_ref(response->shared));
    } else {
        made = MHD_create_response_from_buffer(size, xmemdup(bytes, size), MHD_RESPMEM_MUST_FREE);
    }
    return made;
}

void live_answer_build(struct live_request *request, const struct http_response *response)
{
    struct MHD_Response *made;

    if (response->source != NULL) {
        request->source = response->source;
        request->source_arg = response->source_arg;
        request->chunk = BUFFER_INIT(CHUNK_BYTES);
        made = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_BYTES, read_answer,
                                                 request->connection, NULL);
    } else {
        made = respond_whole(request, response);
    }
    for (size_t i = 0; i < response->header_count; i++)
        (void)MHD_add_response_header(made, response->headers[i].name, response->headers[i].value);
    if (response->close || request->connection->listener->fd < 0)
        (void)MHD_add_response_header(made, "Connection", "close");
    request->response = made;
    request->status = response->status;
}

void live_answer_release(struct live_request *request)
{
    if (request->response != NULL)
        MHD_destroy_response(request->response);
    request->response = NULL;
    buffer_release(&request->chunk);
}
