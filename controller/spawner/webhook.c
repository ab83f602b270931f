#include "controller/spawner/webhook.h"

#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/agent.h"
#include "controller/spawner/webhook_parts.h"
#include "controller/telemetry/controller_metrics.h"

/* GitHub's own senders, behind whatever ends their TLS: more at a time is an attack. */
#define CONNECTIONS_MAX 256
/* Requests that create, side by side; others wait in line. */
#define CREATES_MAX 16
/* How long an answer may take to leave, when the program ends. */
#define LAST_ANSWERS_US (2 * US_PER_SECOND)
#define RETRY_AFTER_S "5"
/* Longest answer: a message of the API server is cut before. */
#define ANSWER_BYTES_MAX (16 * 1024)

/* --- lines --- */

void delivery_queue(struct delivery *delivery, struct delivery **queue)
{
    delivery->queue = queue;
    DL_APPEND2(*queue, delivery, queue_prev, queue_next);
}

void delivery_unqueue(struct delivery *delivery)
{
    if (delivery->queue == NULL)
        return;
    DL_DELETE2(*delivery->queue, delivery, queue_prev, queue_next);
    delivery->queue = NULL;
}

/* --- lives of deliveries --- */

static void set_charge(struct delivery *delivery, size_t bytes)
{
    struct webhook *webhook = delivery->webhook;

    webhook->charged = webhook->charged - delivery->charged + bytes;
    delivery->charged = bytes;
}

/* What counts how many of its kind there are changes here alone. */
static void set_state(struct delivery *delivery, enum delivery_state state)
{
    struct webhook *webhook = delivery->webhook;

    webhook->creating -= delivery->state == DELIVERY_CREATING;
    webhook->recording -= delivery->state == DELIVERY_RECORDING;
    webhook->creating += state == DELIVERY_CREATING;
    webhook->recording += state == DELIVERY_RECORDING;
    delivery->state = state;
}

/* Gives back all but what its request needs. */
static void let_go(struct delivery *delivery)
{
    delivery_unqueue(delivery);
    set_charge(delivery, 0);
    buffer_release(&delivery->body);
    buffer_release(&delivery->object);
    free(delivery->id);
    delivery->id = NULL;
    kube_call_cancel(delivery->create);
    delivery->create = NULL;
    desk_leave(delivery);
}

static void delivery_free(struct delivery *delivery)
{
    set_state(delivery, DELIVERY_ANSWERED);
    let_go(delivery);
    DL_DELETE(delivery->webhook->deliveries, delivery);
    free(delivery);
}

static void on_end(void *arg)
{
    struct webhook *webhook = arg;
    void (*done)(void *arg) = webhook->done;

    webhook->end = NULL;
    webhook->done = NULL;
    done(webhook->arg);
}

/* Once nothing is being written the end is near: it waits for answers that have not left yet. */
static void look_for_end(struct webhook *webhook)
{
    bool any = webhook->deliveries != NULL;

    if (webhook->done == NULL || webhook_writes(webhook) > 0 || (any && webhook->end != NULL))
        return;
    timer_cancel(webhook->end);
    webhook->end = runtime_after(webhook->rt, any ? LAST_ANSWERS_US : 0, on_end, webhook);
}

/* --- answers --- */

static void respond(struct request *request, unsigned status, const struct buffer *body)
{
    struct http_header headers[2];
    size_t count = 0;

    if (body->size > 0)
        headers[count++] = (struct http_header){"Content-Type", "application/json"};
    if (status == 405)
        headers[count++] = (struct http_header){"Allow", "POST"};
    if (status == 503)
        headers[count++] = (struct http_header){"Retry-After", RETRY_AFTER_S};
    request_respond(request, &(struct http_response){
                                 .status = status,
                                 .headers = headers,
                                 .header_count = count,
                                 .body = body->bytes,
                                 .body_size = body->size,
                             });
}

static void log_answer(const struct delivery *delivery, unsigned status, const char *result)
{
    const struct log_field fields[] = {
        LOG_TEXT("spawner", delivery->target.spawner),
        LOG_TEXT("result", result),
        LOG_NUMBER("status", status),
        LOG_TEXT("delivery", delivery->id),
        LOG_TEXT("agent", delivery->agent),
    };
    struct log_record record = {
        .level = LOG_DEBUG,
        .message = "webhook answered",
        .fields = fields,
        .field_count = delivery->id == NULL ? 3 : 5,
    };

    if (status == 201)
        record.level = LOG_INFO;
    else if (status >= 400)
        record.level = LOG_WARN;
    runtime_log(delivery->webhook->rt, &record);
}

static void answer(struct delivery *delivery, unsigned status, const char *result,
                   const struct buffer *body)
{
    struct webhook *webhook = delivery->webhook;
    struct request *request = delivery->request;

    metrics_count(webhook->metrics, METRIC_WEBHOOK_DELIVERIES, result, NULL);
    log_answer(delivery, status, result);
    if (request == NULL) {
        delivery_free(delivery);
    } else {
        set_state(delivery, DELIVERY_ANSWERED);
        let_go(delivery);
        respond(request, status, body);
    }
    look_for_end(webhook);
}

void webhook_refuse(struct delivery *delivery, unsigned status, const char *result)
{
    answer(delivery, status, result, &BUFFER_INIT(0));
}

void webhook_tell(struct delivery *delivery, unsigned status, const char *result, const char *word,
                  const char *key, const char *value)
{
    struct buffer body = BUFFER_INIT(ANSWER_BYTES_MAX);

    buffer_append_format(&body, "{\"status\":\"%s\"", word);
    if (key != NULL) {
        buffer_append_format(&body, ",\"%s\":", key);
        json_append_quoted(&body, value, strlen(value));
    }
    buffer_append_char(&body, '}');
    answer(delivery, status, result, &body);
    buffer_release(&body);
}

void webhook_warn(struct webhook *webhook, const char *message, const char *spawner,
                  const char *detail)
{
    const struct log_field fields[] = {LOG_TEXT("spawner", spawner), LOG_TEXT("detail", detail)};
    const struct log_record record = {LOG_WARN, message, fields, ARRAY_SIZE(fields)};

    runtime_log(webhook->rt, &record);
}

/* --- creating --- */

static void create_next(struct webhook *webhook);

/* A whole 201 is the API server's word only with the Agent in it. */
static bool is_created(const struct delivery *delivery, const struct kube_result *result)
{
    char *name;
    bool same;

    if (!result->ok)
        return kube_result_landed(result);
    name = agent_read_name(json_slice_get(result->body, "metadata"));
    same = text_equal(name, delivery->agent);
    free(name);
    return same;
}

/* Whether the API server itself refuses it for good. */
static bool is_refused(const struct kube_result *result)
{
    unsigned status = result->status;

    return result->refusal.reason != NULL &&
           (status == 400 || status == 403 || status == 413 || status == 422);
}

static void on_created(void *arg, const struct kube_result *result)
{
    struct delivery *delivery = arg;
    struct webhook *webhook = delivery->webhook;

    delivery->create = NULL;
    delivery->created = is_created(delivery, result);
    if (delivery->created || result->error.kind == ERROR_EXISTS) {
        set_state(delivery, DELIVERY_RECORDING);
        buffer_release(&delivery->object);
        desk_record(delivery);
    } else if (is_refused(result)) {
        webhook_warn(webhook, "Agent of a webhook refused", delivery->target.spawner,
                     result->error.text);
        webhook_tell(delivery, 500, "failed", "failed", "reason",
                     text_or(result->refusal.message, "refused"));
    } else {
        webhook_warn(webhook, "Agent of a webhook not created", delivery->target.spawner,
                     result->error.text);
        webhook_tell(delivery, 503, "unavailable", "unavailable", NULL, NULL);
    }
    create_next(webhook);
}

static void create_next(struct webhook *webhook)
{
    while (webhook->to_create != NULL && webhook->creating < CREATES_MAX) {
        struct delivery *delivery = webhook->to_create;

        delivery_unqueue(delivery);
        set_state(delivery, DELIVERY_CREATING);
        delivery->create = spawner_api_create_agent(&webhook->api, delivery->object.bytes,
                                                    delivery->object.size, on_created, delivery);
    }
}

void webhook_create(struct delivery *delivery)
{
    set_state(delivery, DELIVERY_QUEUED);
    delivery_queue(delivery, &delivery->webhook->to_create);
    create_next(delivery->webhook);
}

/* --- taking in --- */

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct delivery *delivery = arg;
    struct webhook *webhook = delivery->webhook;

    buffer_append(&delivery->body, bytes, size);
    if (delivery->body.overflowed) {
        webhook_refuse(delivery, 413, "too_large");
        return;
    }
    if (delivery->chunked)
        set_charge(delivery, delivery->body.size);
    if (webhook->charged > WEBHOOK_BUDGET_BYTES)
        webhook_refuse(delivery, 503, "unavailable");
}

static void on_body_end(void *arg)
{
    struct delivery *delivery = arg;

    if (text_equal(delivery->target.namespace_name, delivery->webhook->namespace_name))
        desk_join(delivery);
    else
        webhook_refuse(delivery, 404, "not_found");
}

/* What is being written goes on: a sender that is gone asks again. */
static void on_closed(void *arg, bool delivered)
{
    struct delivery *delivery = arg;
    struct webhook *webhook = delivery->webhook;

    (void)delivered;
    delivery->request = NULL;
    delivery->head = NULL;
    if (delivery->state == DELIVERY_CREATING || delivery->state == DELIVERY_RECORDING)
        return;
    delivery_free(delivery);
    look_for_end(webhook);
}

static void ignore_closed(void *arg, bool delivered)
{
    (void)arg;
    (void)delivered;
}

/* Before any of its body is read. */
static void turn_away(struct webhook *webhook, struct request *request, unsigned status,
                      const char *result)
{
    static const struct request_events events = {.on_closed = ignore_closed};

    metrics_count(webhook->metrics, METRIC_WEBHOOK_DELIVERIES, result, NULL);
    request_accept(request, &events, NULL);
    respond(request, status, &BUFFER_INIT(0));
}

static void take_in(struct webhook *webhook, struct request *request,
                    const struct request_head *head, const struct webhook_target *target,
                    uint64_t announced, bool chunked)
{
    static const struct request_events events = {on_body, on_body_end, on_closed};
    struct delivery *delivery = xcalloc(1, sizeof(*delivery));

    delivery->webhook = webhook;
    delivery->request = request;
    delivery->head = head;
    delivery->target = *target;
    delivery->chunked = chunked;
    delivery->body = BUFFER_INIT(WEBHOOK_BODY_BYTES_MAX);
    DL_APPEND(webhook->deliveries, delivery);
    set_charge(delivery, (size_t)announced);
    request_accept(request, &events, delivery);
}

/* Steps 0 and 0a. The gate has seen to it that an announced length is a number. */
static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    struct webhook *webhook = arg;
    const char *length = http_header_get(head->headers, head->header_count, "Content-Length");
    uint64_t announced = 0;
    bool long_one = length != NULL &&
                    (!text_to_uint64(length, &announced) || announced > WEBHOOK_BODY_BYTES_MAX);
    bool chunked = http_header_get(head->headers, head->header_count, "Transfer-Encoding") != NULL;
    struct webhook_target target;

    if (!webhook_target_read(head->target, &target))
        turn_away(webhook, request, 404, "not_found");
    else if (!text_equal(head->method, "POST"))
        turn_away(webhook, request, 405, "malformed");
    else if (long_one)
        turn_away(webhook, request, 413, "too_large");
    else if (webhook->stopping || webhook->charged + announced > WEBHOOK_BUDGET_BYTES)
        turn_away(webhook, request, 503, "unavailable");
    else
        take_in(webhook, request, head, &target, announced, chunked);
}

/* --- the receiver --- */

bool webhook_new(struct runtime *rt, struct kube *kube, struct metrics *metrics,
                 const struct webhook_options *options, struct webhook **ret_webhook,
                 struct error *err)
{
    static const struct http_service service = {.on_request = on_request};
    struct webhook *webhook = xcalloc(1, sizeof(*webhook));
    const struct listen_options listen = {
        .address = text_or(options->address, "0.0.0.0"),
        .port = options->port,
        .connections_max = CONNECTIONS_MAX,
    };

    webhook->rt = rt;
    webhook->metrics = metrics;
    webhook->namespace_name = xstrdup(options->namespace_name);
    webhook->api = (struct spawner_api){kube, webhook->namespace_name};
    if (!runtime_listen(rt, &listen, &service, webhook, &webhook->listener, err)) {
        webhook_free(webhook);
        return error_prefix(err, "webhook server");
    }
    *ret_webhook = webhook;
    return true;
}

void webhook_free(struct webhook *webhook)
{
    if (webhook == NULL)
        return;
    timer_cancel(webhook->end);
    listener_close(webhook->listener);
    while (webhook->deliveries != NULL)
        delivery_free(webhook->deliveries);
    free(webhook->namespace_name);
    free(webhook);
}

uint16_t webhook_port(const struct webhook *webhook)
{
    return listener_port(webhook->listener);
}

size_t webhook_writes(const struct webhook *webhook)
{
    return webhook->creating + webhook->recording;
}

void webhook_stop(struct webhook *webhook, void (*done)(void *arg), void *arg)
{
    struct delivery *delivery;
    struct delivery *next;

    webhook->stopping = true;
    webhook->done = done;
    webhook->arg = arg;
    listener_stop(webhook->listener);
    DL_FOREACH_SAFE(webhook->deliveries, delivery, next)
    if (delivery->state < DELIVERY_CREATING)
        webhook_refuse(delivery, 503, "unavailable");
    look_for_end(webhook);
}
