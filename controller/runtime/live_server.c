/* live_server - incoming requests: libmicrohttpd's callbacks note, tasks tell the owner.
 *
 * A request goes: head read, suspended; on_request in the next turn; then, if it has a body,
 * resumed to read it, with pieces told turn by turn; suspended again when the body is whole and no
 * answer is there; resumed to send the answer.
 *
 * A suspended connection stays in libmicrohttpd's state, and the handler is called again after a
 * resume: so it is written as "what now?", not as a sequence. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/runtime/live_server.h"

static struct live_connection *connection_of(struct MHD_Connection *mhd)
{
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

    return info->socket_context;
}

/* --- the life of a request --- */

static void run_request(struct live_task *task);

static struct live_request *request_new(struct live_connection *connection)
{
    struct live_request *request = xcalloc(1, sizeof(*request));

    request->live = connection->listener->live;
    request->base.rt = &request->live->base;
    request->connection = connection;
    request->peer = live_peer_ref(connection->peer);
    request->task.run = run_request;
    request->body =
        BUFFER_INIT(SIZE_MAX); /* emptied every turn: libmicrohttpd's buffer bounds it */
    connection->request = request;
    return request;
}

static void detach(struct live_request *request)
{
    if (request->connection != NULL)
        request->connection->request = NULL;
    request->connection = NULL;
    live_task_drop(request->live, &request->task);
}

static void request_destroy(struct live_request *request)
{
    detach(request);
    live_answer_release(request);
    live_peer_unref(request->peer);
    buffer_release(&request->body);
    free(request->headers);
    free(request->header_bytes);
    free(request->method);
    free(request->target);
    free(request);
}

void live_request_free(struct live_request *request)
{
    if (!request->busy) {
        request_destroy(request);
        return;
    }
    request->dead = true;
    detach(request);
}

void live_request_notify(struct live_request *request)
{
    if (!request->dead)
        live_task_add(request->live, &request->task);
}

void live_request_close(struct live_request *request, bool delivered)
{
    if (request->connection != NULL)
        request->connection->request = NULL;
    request->connection = NULL;
    if (!request->announced) {
        live_request_free(request); /* its owner never heard of it */
        return;
    }
    request->closed = true;
    request->delivered = delivered;
    live_request_notify(request);
}

/* --- what the owner is told --- */

static bool can_go_on(const struct live_request *request)
{
    return !request->dead && !request->live->stopped;
}

static void announce(struct live_request *request)
{
    struct live_listener *listener = request->connection->listener;

    request->announced = true;
    listener->service->on_request(listener->arg, &request->base, &request->head);
    if (!can_go_on(request))
        return;
    assert(request->accepted);
    if (request->answered || request->connection == NULL)
        return;
    if (request->has_body) {
        live_connection_expect_body(request->connection);
        live_connection_resume(request->connection);
    } else {
        request->body_whole = true;
    }
}

static void tell_body(struct live_request *request)
{
    size_t size;
    char *bytes;

    if (request->answered || request->body.size == 0)
        return;
    bytes = buffer_take(&request->body, &size);
    if (request->events->on_body != NULL)
        request->events->on_body(request->arg, bytes, size);
    free(bytes);
}

static void tell_body_end(struct live_request *request)
{
    if (request->answered || !request->body_whole || request->body_end_told)
        return;
    request->body_end_told = true;
    if (request->events->on_body_end != NULL)
        request->events->on_body_end(request->arg);
}

static void pull(struct live_request *request)
{
    if (!request->pull_due || request->closed)
        return;
    request->pull_due = false;
    live_answer_pull(request);
    if (!can_go_on(request) || request->connection == NULL || request->hungry)
        return;
    if (request->connection->early != NULL)
        live_early_pulled(request->connection);
    else
        live_connection_resume(request->connection);
}

static void tell_closed(struct live_request *request)
{
    if (!request->closed)
        return;
    request->dead = true;
    if (request->events->on_closed != NULL)
        request->events->on_closed(request->arg, request->delivered);
}

static void run_request(struct live_task *task)
{
    static void (*const steps[])(struct live_request * request) = {tell_body, tell_body_end, pull,
                                                                   tell_closed};
    struct live_request *request =
        (struct live_request *)((char *)task - offsetof(struct live_request, task));

    request->busy = true;
    if (!request->announced)
        announce(request);
    for (size_t i = 0; i < ARRAY_SIZE(steps) && can_go_on(request); i++)
        steps[i](request);
    request->busy = false;
    if (request->dead)
        request_destroy(request);
}

/* --- what libmicrohttpd calls --- */

/* libmicrohttpd would parse the query into its pool, many times its size, and when that is full
 * neither answer nor close. Nobody asks it for arguments: after this it sees none. It knows where
 * the query starts by now, and takes what it finds there up to a NUL; uri lies in its pool, which
 * is writable. */
static void hide_query(const char *uri)
{
    char *query = strchr(live_without_const(uri), '?');

    if (query != NULL && query[1] != '\0')
        query[1] = '\0';
}

void *live_server_start_request(void *arg, const char *uri, struct MHD_Connection *mhd)
{
    struct live_connection *connection = connection_of(mhd);
    struct live_request *request;

    (void)arg;
    if (connection == NULL || connection->cut || connection->request != NULL || uri == NULL)
        return NULL;
    request = request_new(connection);
    request->target = xstrdup(uri);
    request->target_at = uri;
    request->target_size = strlen(uri);
    hide_query(uri);
    return NULL; /* the connection knows it: what libmicrohttpd keeps could outlive it */
}

static enum MHD_Result refuse(struct live_connection *connection, struct MHD_Connection *mhd,
                              unsigned status)
{
    static const char text[] = "refused: malformed request\n";
    struct MHD_Response *response = MHD_create_response_from_buffer(
        sizeof(text) - 1, live_without_const(text), MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;

    if (connection->request != NULL)
        live_request_free(connection->request);
    (void)MHD_add_response_header(response, "Connection", "close");
    (void)MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    result = MHD_queue_response(mhd, status, response);
    MHD_destroy_response(response);
    live_connection_expect_progress(connection);
    return result;
}

static enum MHD_Result let_in(struct live_request *request, struct MHD_Connection *mhd,
                              const char *method, const char *version)
{
    struct live_connection *connection = request->connection;
    const union MHD_ConnectionInfo *info;
    unsigned status;

    live_connection_expect_nothing(connection);
    if (connection->listener->tls) {
        info = MHD_get_connection_info(mhd, MHD_CONNECTION_INFO_GNUTLS_SESSION);
        live_tls_identify(connection, info->tls_session);
    }
    status = live_gate_check(request, mhd, method, version);
    if (status != 0)
        return refuse(connection, mhd, status);
    request->gated = true;
    live_connection_suspend(connection);
    live_request_notify(request);
    return MHD_YES;
}

static enum MHD_Result answer_or_wait(struct live_request *request, struct MHD_Connection *mhd)
{
    struct live_connection *connection = request->connection;

    if (!request->body_whole) {
        request->body_whole = true;
        live_connection_expect_nothing(connection);
        live_request_notify(request);
    }
    if (request->response == NULL) {
        live_connection_suspend(connection);
        return MHD_YES;
    }
    live_connection_expect_progress(connection);
    return MHD_queue_response(mhd, request->status, request->response);
}

enum MHD_Result live_server_handle(void *arg, struct MHD_Connection *mhd, const char *url,
                                   const char *method, const char *version, const char *upload,
                                   size_t *upload_size, void **context)
{
    struct live_connection *connection = connection_of(mhd);
    struct live_request *request = connection == NULL ? NULL : connection->request;

    (void)arg;
    (void)url;
    (void)context;
    if (request == NULL || connection->cut)
        return MHD_NO;
    if (!request->gated)
        return let_in(request, mhd, method, version);
    if (*upload_size > 0) {
        buffer_append(&request->body, upload, *upload_size);
        *upload_size = 0;
        live_request_notify(request);
        return MHD_YES;
    }
    if (!request->started) {
        request->started = true; /* the head is done with: the body, or the next call, follows */
        return MHD_YES;
    }
    return answer_or_wait(request, mhd);
}

void live_server_complete(void *arg, struct MHD_Connection *mhd, void **context,
                          enum MHD_RequestTerminationCode code)
{
    struct live_connection *connection = connection_of(mhd);
    bool delivered = code == MHD_REQUEST_TERMINATED_COMPLETED_OK;

    (void)arg;
    (void)context;
    if (connection == NULL)
        return;
    live_connection_expect_nothing(connection);
    if (connection->request != NULL)
        live_request_close(connection->request, delivered && connection->request->answered);
    if (!delivered || connection->cut)
        return;
    if (connection->listener->fd < 0)
        live_connection_cut(connection, false); /* the listener takes nothing more */
    else
        live_connection_expect_request(connection);
}

/* --- the calls --- */

void live_request_accept(struct request *base, const struct request_events *events, void *arg)
{
    struct live_request *request = (struct live_request *)base;

    assert(!request->accepted);
    request->accepted = true;
    request->events = events;
    request->arg = arg;
}

void live_request_respond(struct request *base, const struct http_response *response)
{
    struct live_request *request = (struct live_request *)base;

    assert(request->accepted && !request->answered);
    assert(response->status >= 200 && response->status <= 599);
    request->answered = true;
    if (request->connection == NULL || request->connection->cut)
        return; /* nobody is there any more: on_closed is on its way */
    if (request->has_body && !request->body_whole) {
        live_early_start(request, response);
        return;
    }
    request->body_whole = true;
    live_answer_build(request, response);
    live_connection_resume(request->connection);
}

void live_request_wake(struct request *base)
{
    struct live_request *request = (struct live_request *)base;

    request->woken = true;
    if (!request->asleep || request->connection == NULL)
        return;
    request->asleep = false;
    if (!request->hungry)
        return; /* what was pulled is still on its way; then it is asked */
    request->pull_due = true;
    live_request_notify(request);
}

void live_request_reset(struct request *base)
{
    struct live_request *request = (struct live_request *)base;
    struct live_connection *connection = request->connection;

    live_request_free(request);
    if (connection != NULL)
        live_connection_cut(connection, true);
}
