/* fixture - two small programs and what tests of the simulator ask of them. */
#ifndef TESTS_UNIT_SIM_FIXTURE_H
#define TESTS_UNIT_SIM_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/sim/sim.h"

#define START_US (INT64_C(1700000000) * US_PER_SECOND)

/* --- a server: echoes bodies, streams ticks --- */

struct server {
    struct runtime *rt;
    struct listener *listener;
    unsigned started;
    unsigned finished;
    unsigned undelivered;
    unsigned pulls;
    size_t stream_left; /* bytes that /stream still has to say */
    bool stream_waits;  /* and then waits for more instead of ending */
    struct request *streaming;
    struct served *open;
};

struct served {
    struct server *server;
    struct request *request;
    struct buffer body;
    char path[64];
    struct served *prev, *next;
};

static inline void served_free(struct served *served)
{
    DL_DELETE(served->server->open, served);
    buffer_release(&served->body);
    free(served);
}

/* What a crash of its process would take away. */
static inline void server_release(struct server *server)
{
    while (server->open != NULL)
        served_free(server->open);
    server->streaming = NULL;
}

static inline void served_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct served *)arg)->body, bytes, size);
}

static inline enum body_pull server_pull(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct server *server = arg;
    size_t size = server->stream_left < room_size ? server->stream_left : room_size;

    server->pulls++;
    if (size == 0)
        return server->stream_waits ? BODY_WAIT : BODY_END;
    memset(room, 's', size);
    server->stream_left -= size;
    *ret_size = size;
    return BODY_BYTES;
}

static inline void served_end(void *arg)
{
    static const struct body_source source = {server_pull};
    struct served *served = arg;
    struct http_response response = {
        .status = 200, .body = served->body.bytes, .body_size = served->body.size};

    if (text_equal(served->path, "/silent"))
        return;
    if (text_equal(served->path, "/stream")) {
        response =
            (struct http_response){.status = 200, .source = &source, .source_arg = served->server};
        served->server->streaming = served->request;
    }
    request_respond(served->request, &response);
}

static inline void served_closed(void *arg, bool delivered)
{
    struct served *served = arg;

    served->server->finished++;
    if (!delivered)
        served->server->undelivered++;
    if (served->server->streaming == served->request)
        served->server->streaming = NULL;
    served_free(served);
}

static inline void server_request(void *arg, struct request *request,
                                  const struct request_head *head)
{
    static const struct request_events events = {served_body, served_end, served_closed};
    struct served *served = xcalloc(1, sizeof(*served));

    served->server = arg;
    DL_APPEND(served->server->open, served);
    served->server->started++;
    served->request = request;
    served->body = BUFFER_INIT(64 * 1024 * 1024);
    strncpy(served->path, head->target, sizeof(served->path) - 1);
    request_accept(request, &events, served);
}

static inline void server_listen_on(struct server *server, struct runtime *rt,
                                    const struct listen_options *options)
{
    static const struct http_service service = {server_request};
    struct error err = ERROR_INIT;

    *server = (struct server){.rt = rt};
    if (!runtime_listen(rt, options, &service, server, &server->listener, &err))
        fail_msg("listen: %s", err.text);
}

/* --- a client: one exchange and what came of it --- */

struct asked {
    struct exchange *exchange;
    unsigned status;
    size_t size;
    unsigned pieces;
    bool ended;
    enum exchange_end end;
    int64_t end_us;
    struct sim *sim;
    bool cancel_in_head;
    bool cancel_in_body;
    bool cancel_in_end;
};

static inline void asked_head(void *arg, const struct response_head *head)
{
    struct asked *asked = arg;

    asked->status = head->status;
    if (asked->cancel_in_head) {
        exchange_cancel(asked->exchange);
        asked->exchange = NULL;
    }
}

static inline void asked_body(void *arg, const void *bytes, size_t size)
{
    struct asked *asked = arg;

    (void)bytes;
    asked->size += size;
    asked->pieces++;
    if (asked->cancel_in_body) {
        exchange_cancel(asked->exchange);
        asked->exchange = NULL;
    }
}

static inline void asked_end(void *arg, enum exchange_end end, const char *detail)
{
    struct asked *asked = arg;

    (void)detail;
    assert_false(asked->ended);
    if (asked->cancel_in_end)
        exchange_cancel(asked->exchange);
    asked->exchange = NULL;
    asked->ended = true;
    asked->end = end;
    asked->end_us = sim_now_us(asked->sim);
}

static inline void ask_as(struct asked *asked, struct sim_process *process,
                          const struct http_request *request)
{
    static const struct exchange_events events = {asked_head, asked_body, asked_end};

    asked->sim = sim_process_world(process);
    asked->exchange = runtime_request(sim_process_runtime(process), request, &events, asked);
}

static inline void ask(struct asked *asked, struct sim_process *process, const char *url,
                       const void *body, size_t size)
{
    const struct http_request request = {.method = body == NULL ? "GET" : "POST",
                                         .url = url,
                                         .body = body,
                                         .body_size = size,
                                         .response_bytes_max = 64 * 1024 * 1024};

    ask_as(asked, process, &request);
}

/* --- a world of two --- */

struct pair {
    struct sim *sim;
    struct sim_process *api; /* serves on port 80 of all addresses */
    struct sim_process *ctl;
    struct server server;
};

static inline struct sim *new_world(uint64_t seed)
{
    const struct sim_options options = {.seed = seed, .start_wall_us = START_US};

    return sim_new(&options);
}

static inline struct sim_process *new_process(struct sim *sim, const char *name,
                                              const struct program *program)
{
    const struct sim_process_options options = {.name = name, .program = program};
    struct sim_process *process = sim_process_new(sim, &options);

    sim_process_start(process);
    return process;
}

static inline void serve(struct pair *pair)
{
    const struct listen_options options = {.address = "0.0.0.0", .port = 80};

    server_release(&pair->server);
    server_listen_on(&pair->server, sim_process_runtime(pair->api), &options);
}

static inline void pair_init(struct pair *pair, uint64_t seed)
{
    *pair = (struct pair){.sim = new_world(seed)};
    pair->api = new_process(pair->sim, "api", NULL);
    pair->ctl = new_process(pair->sim, "ctl", NULL);
    serve(pair);
}

static inline void pair_run(struct pair *pair, int64_t for_us)
{
    assert_true(sim_run_until(pair->sim, sim_now_us(pair->sim) + for_us));
}

static inline void pair_release(struct pair *pair)
{
    sim_free(pair->sim);
    server_release(&pair->server);
}

#endif
