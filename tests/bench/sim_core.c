/* sim_core - what the simulator itself costs: a day of two clients and a server that do nothing
 * but ask, answer and set timers, about as much as two replicas with 100 live Agents do. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/sim/sim.h"

#define LIST_BYTES (50 * 1024)
#define LIST_EVERY_US (30 * US_PER_SECOND) /* each of two: 5,760 a day */
#define SMALL_EVERY_US (1700 * US_PER_MS)  /* each of two: 101,647 a day */
#define EVENT_EVERY_US (2 * US_PER_SECOND) /* on each watch */
#define DAY_US US_PER_DAY

/* --- the server --- */

struct api {
    struct runtime *rt;
    struct listener *listener;
    struct bytes *list;
    struct request *watches[2];
    bool has_event[2];
    size_t watch_count;
};

struct served {
    struct api *api;
    struct request *request;
    char kind;
    size_t watch;
};

static enum body_pull pull_event(void *arg, char *room, size_t room_size, size_t *ret_size)
{
    struct served *served = arg;
    bool *has_event = &served->api->has_event[served->watch];

    (void)room_size;
    if (!*has_event)
        return BODY_WAIT;
    *has_event = false;
    memset(room, 'e', 600);
    *ret_size = 600;
    return BODY_BYTES;
}

static void on_body_end(void *arg)
{
    static const struct body_source source = {pull_event};
    struct served *served = arg;
    struct http_response response = {
        .status = 200, .body = "{\"kind\":\"Status\"}", .body_size = 17};

    if (served->kind == 'l')
        response = (struct http_response){.status = 200, .shared = served->api->list};
    if (served->kind == 'w')
        response = (struct http_response){.status = 200, .source = &source, .source_arg = served};
    request_respond(served->request, &response);
}

static void on_closed(void *arg, bool delivered)
{
    (void)delivered;
    free(arg);
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {NULL, on_body_end, on_closed};
    struct served *served = xcalloc(1, sizeof(*served));

    served->api = arg;
    served->request = request;
    served->kind = head->target[1];
    if (served->kind == 'w') {
        served->watch = served->api->watch_count++;
        served->api->watches[served->watch] = request;
    }
    request_accept(request, &events, served);
}

static void on_event_due(void *arg)
{
    struct api *api = arg;

    for (size_t i = 0; i < api->watch_count; i++) {
        api->has_event[i] = true;
        request_wake(api->watches[i]);
    }
    runtime_after(api->rt, EVENT_EVERY_US, on_event_due, api);
}

/* --- a client --- */

struct asker {
    struct runtime *rt;
    uint64_t ended;
    uint64_t bytes;
};

static void on_body(void *arg, const void *bytes, size_t size)
{
    (void)bytes;
    ((struct asker *)arg)->bytes += size;
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    (void)end;
    (void)detail;
    ((struct asker *)arg)->ended++;
}

static void ask(struct asker *asker, const char *method, const char *url, const char *body)
{
    static const struct exchange_events events = {NULL, on_body, on_end};
    static const struct http_header headers[] = {
        {"Accept",        "application/json"           },
        {"Authorization", "Bearer 0123456789abcdef0123"},
    };
    const struct http_request request = {.method = method,
                                         .url = url,
                                         .headers = headers,
                                         .header_count = ARRAY_SIZE(headers),
                                         .body = body,
                                         .body_size = body == NULL ? 0 : strlen(body),
                                         .total_timeout_us = US_PER_DAY * 2,
                                         .response_bytes_max = SIZE_MAX};

    runtime_request(asker->rt, &request, &events, asker);
}

static void on_list_due(void *arg)
{
    struct asker *asker = arg;

    ask(asker, "GET", "http://api/list?limit=500", NULL);
    runtime_after(asker->rt, LIST_EVERY_US, on_list_due, asker);
}

static void on_small_due(void *arg)
{
    struct asker *asker = arg;

    ask(asker, "PATCH", "http://api/small/0123456789", "{\"status\":{\"phase\":\"Running\"}}");
    runtime_after(asker->rt, SMALL_EVERY_US, on_small_due, asker);
}

/* --- the day --- */

/* Of this process alone: others may be busy too. */
static double cpu_seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static struct runtime *start(struct sim *sim, const char *name)
{
    const struct sim_process_options options = {.name = name};
    struct sim_process *process = sim_process_new(sim, &options);

    sim_process_start(process);
    return sim_process_runtime(process);
}

static void start_api(struct api *api, struct sim *sim)
{
    static const struct http_service service = {on_request};
    const struct listen_options options = {.address = "::", .port = 80};
    char *list = xcalloc(LIST_BYTES, 1);
    struct error err = ERROR_INIT;

    *api = (struct api){.rt = start(sim, "api"), .list = bytes_new(list, LIST_BYTES)};
    free(list);
    if (!runtime_listen(api->rt, &options, &service, api, &api->listener, &err))
        abort();
    runtime_after(api->rt, EVENT_EVERY_US, on_event_due, api);
}

static void start_asker(struct asker *asker, struct sim *sim, const char *name)
{
    *asker = (struct asker){.rt = start(sim, name)};
    ask(asker, "GET", "http://api/watch", NULL);
    runtime_after(asker->rt, LIST_EVERY_US, on_list_due, asker);
    runtime_after(asker->rt, SMALL_EVERY_US, on_small_due, asker);
}

int main(void)
{
    const struct sim_options options = {.seed = 1, .start_wall_us = INT64_C(1700000000000000)};
    struct sim *sim = sim_new(&options);
    struct asker askers[2];
    struct api api;
    double begin = cpu_seconds();
    double took;
    uint64_t count;

    start_api(&api, sim);
    start_asker(&askers[0], sim, "ctl-0");
    start_asker(&askers[1], sim, "ctl-1");
    sim_run_until(sim, DAY_US);
    took = cpu_seconds() - begin;
    count = sim_event_count(sim);
    printf("sim-core: 24 h in %.3f s of one core: %" PRIu64 " events, %.0f a second; %" PRIu64
           " requests, %.0f MB of answers\n",
           took, count, (double)count / took, askers[0].ended + askers[1].ended,
           (double)(askers[0].bytes + askers[1].bytes) / 1e6);
    for (size_t i = 0; i < api.watch_count; i++)
        request_reset(api.watches[i]);
    bytes_unref(api.list);
    sim_free(sim);
    return 0;
}
