#include "controller/telemetry/health.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

/* Probes and one scraper: a crowd here is an attack. */
#define HEALTH_CONNECTIONS_MAX 64
#define HEALTH_HEADER_BYTES_MAX (8 * 1024)
#define HEALTH_READ_TIMEOUT_US (5 * US_PER_SECOND)
/* A scraper comes every 15 to 60 s and may keep its connection. */
#define HEALTH_IDLE_TIMEOUT_US (75 * US_PER_SECOND)

#define TEXT_CONTENT_TYPE "text/plain; charset=utf-8"

struct health {
    struct runtime *rt;
    struct listener *listener;
    const struct metrics *metrics;
    bool (*is_ready)(void *arg);
    void (*on_scrape)(void *arg);
    void *arg;
};

static void respond(struct request *request, unsigned status, const char *content_type,
                    const void *body, size_t body_size)
{
    const struct http_header headers[] = {
        {"Content-Type",  content_type},
        {"Cache-Control", "no-store"  },
        {"Allow",         "GET, HEAD" }
    };

    request_respond(request, &(struct http_response){
                                 .status = status,
                                 .headers = headers,
                                 .header_count = status == 405 ? 3 : 2,
                                 .body = body,
                                 .body_size = body_size,
                             });
}

static void respond_text(struct request *request, unsigned status, const char *text)
{
    respond(request, status, TEXT_CONTENT_TYPE, text, strlen(text));
}

static void respond_metrics(const struct health *health, struct request *request)
{
    struct buffer body = BUFFER_INIT(METRIC_BYTES_MAX);

    if (health->on_scrape != NULL)
        health->on_scrape(health->arg);
    metrics_render(health->metrics, &body);
    if (body.overflowed)
        respond_text(request, 500, "too many metrics");
    else
        respond(request, 200, METRIC_CONTENT_TYPE, body.bytes, body.size);
    buffer_release(&body);
}

static bool is_path(const char *target, const char *path)
{
    size_t size = strcspn(target, "?");

    return size == strlen(path) && memcmp(target, path, size) == 0;
}

static void answer(const struct health *health, struct request *request,
                   const struct request_head *head)
{
    bool ready;

    if (!text_equal(head->method, "GET") && !text_equal(head->method, "HEAD")) {
        respond_text(request, 405, "method not allowed");
    } else if (is_path(head->target, "/healthz")) {
        respond_text(request, 200, "ok");
    } else if (is_path(head->target, "/readyz")) {
        ready = health->is_ready(health->arg);
        respond_text(request, ready ? 200 : 503, ready ? "ok" : "not ready");
    } else if (is_path(head->target, "/metrics")) {
        respond_metrics(health, request);
    } else {
        respond_text(request, 404, "not found");
    }
}

static void on_closed(void *arg, bool delivered)
{
    (void)arg;
    (void)delivered;
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {.on_closed = on_closed};

    request_accept(request, &events, arg);
    answer(arg, request, head);
}

bool health_new(struct runtime *rt, const struct health_options *options,
                struct health **ret_health, struct error *err)
{
    static const struct http_service service = {.on_request = on_request};
    struct health *health = xcalloc(1, sizeof(*health));
    const struct listen_options listen = {
        .address = text_or(options->address, "0.0.0.0"),
        .port = options->port,
        .connections_max = HEALTH_CONNECTIONS_MAX,
        .header_bytes_max = HEALTH_HEADER_BYTES_MAX,
        .header_timeout_us = HEALTH_READ_TIMEOUT_US,
        .body_timeout_us = HEALTH_READ_TIMEOUT_US,
        .idle_timeout_us = HEALTH_IDLE_TIMEOUT_US,
    };

    health->rt = rt;
    health->metrics = options->metrics;
    health->is_ready = options->is_ready;
    health->on_scrape = options->on_scrape;
    health->arg = options->arg;
    if (!runtime_listen(rt, &listen, &service, health, &health->listener, err)) {
        free(health);
        return error_prefix(err, "health server");
    }
    *ret_health = health;
    return true;
}

uint16_t health_port(const struct health *health)
{
    return listener_port(health->listener);
}

void health_free(struct health *health)
{
    if (health == NULL)
        return;
    listener_close(health->listener);
    free(health);
}
