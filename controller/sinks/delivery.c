#include "controller/sinks/delivery.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/sinks/envelope.h"

#define ITEM_BYTES_MAX (ENVELOPE_BYTES_MAX + TARGET_BYTES_MAX + DELIVERY_EVENT_BYTES)

/* Whatever is under way, dropping all others makes room for the next. */
_Static_assert(DELIVERY_QUEUE_BYTES_MAX >= 2 * ITEM_BYTES_MAX, "no room behind the first");

enum drop_cause { DROP_QUEUE_FULL, DROP_ALL_FULL, DROP_SINKS_MAX, DROP_STOPPED };

struct item {
    struct target *target;
    struct bytes *event;
    char *agent;
    size_t size;
    struct item *prev, *next;
};

/* Lives while it has an item; the first one is under way or waits to be sent again. */
struct queue {
    struct delivery *delivery;
    struct item *items;
    size_t count;
    size_t size;
    struct exchange *exchange;
    struct timer *retry;
    struct delivery_attempt attempt;
    struct queue *prev, *next;
};

struct delivery {
    struct runtime *rt;
    struct delivery_settings settings;
    struct queue *queues; /* as they were made */
    size_t queue_count;
    size_t count;
    size_t size;
    struct delivery_counts counts;
    uint64_t dropped[DROP_STOPPED + 1]; /* by cause */
    bool stopping;
    struct timer *stop_timer;
    void (*on_stopped)(void *arg);
    void *stopped_arg;
};

static void start_attempt(struct queue *queue);

/* --- queues --- */

static void item_free(struct item *item)
{
    target_unref(item->target);
    bytes_unref(item->event);
    free(item->agent);
    free(item);
}

static void remove_item(struct queue *queue, struct item *item)
{
    DL_DELETE(queue->items, item);
    queue->count--;
    queue->size -= item->size;
    queue->delivery->count--;
    queue->delivery->size -= item->size;
    item_free(item);
}

static void queue_free(struct queue *queue)
{
    struct delivery *delivery = queue->delivery;

    exchange_cancel(queue->exchange);
    timer_cancel(queue->retry);
    while (queue->items != NULL)
        remove_item(queue, queue->items);
    DL_DELETE(delivery->queues, queue);
    delivery->queue_count--;
    free(queue);
}

static struct queue *find_queue(const struct delivery *delivery, const struct target *target)
{
    struct queue *queue;

    DL_FOREACH (delivery->queues, queue)
        if (text_equal(queue->items->target->url, target->url))
            return queue;
    return NULL;
}

static struct queue *queue_new(struct delivery *delivery)
{
    struct queue *queue = xcalloc(1, sizeof(*queue));

    queue->delivery = delivery;
    DL_APPEND(delivery->queues, queue);
    delivery->queue_count++;
    return queue;
}

/* --- what is dropped --- */

static bool is_power_of_ten(uint64_t number)
{
    while (number % 10 == 0)
        number /= 10;
    return number == 1;
}

/* The log hears of the first, the tenth, the hundredth... of each cause. */
static void note_drop(struct delivery *delivery, enum drop_cause cause, const char *sink)
{
    static const char *const causes[] = {
        [DROP_QUEUE_FULL] = "too many wait for this sink",
        [DROP_ALL_FULL] = "too much waits for all sinks",
        [DROP_SINKS_MAX] = "too many sinks at once",
        [DROP_STOPPED] = "the controller stops",
    };
    const struct log_field fields[] = {
        LOG_TEXT("cause", causes[cause]),
        LOG_TEXT("sink", sink),
        LOG_NUMBER("dropped", (int64_t)++delivery->dropped[cause]),
    };
    const struct log_record record = {LOG_WARN, "event for a sink dropped", fields,
                                      ARRAY_SIZE(fields)};

    delivery->counts.dropped++;
    if (is_power_of_ten(delivery->dropped[cause]))
        runtime_log(delivery->rt, &record);
}

/* The oldest but the one that is under way. */
static void drop_oldest(struct queue *queue, enum drop_cause cause)
{
    note_drop(queue->delivery, cause, queue->items->target->label);
    remove_item(queue, queue->items->next);
}

/* The queue with most bytes of those that have more than what is under way; the older one wins a
 * tie. NULL when there is none. */
static struct queue *fullest_queue(const struct delivery *delivery)
{
    struct queue *fullest = NULL;
    struct queue *queue;

    DL_FOREACH (delivery->queues, queue)
        if (queue->count > 1 && (fullest == NULL || queue->size > fullest->size))
            fullest = queue;
    return fullest;
}

/* False when the event cannot be taken. queue is NULL for a sink without one. */
static bool make_room(struct delivery *delivery, struct queue *queue, size_t size, const char *sink)
{
    if (delivery->stopping || (queue == NULL && delivery->queue_count == DELIVERY_SINKS_MAX)) {
        note_drop(delivery, delivery->stopping ? DROP_STOPPED : DROP_SINKS_MAX, sink);
        return false;
    }
    while (queue != NULL && (queue->count == DELIVERY_QUEUE_EVENTS_MAX ||
                             queue->size + size > DELIVERY_QUEUE_BYTES_MAX))
        drop_oldest(queue, DROP_QUEUE_FULL);
    while (delivery->size + size > DELIVERY_BYTES_MAX) {
        struct queue *fullest = fullest_queue(delivery);

        if (fullest == NULL) {
            note_drop(delivery, DROP_ALL_FULL, sink);
            return false;
        }
        drop_oldest(fullest, DROP_ALL_FULL);
    }
    return true;
}

/* --- one event after the other --- */

/* Nothing is left to be sent, or no time to do it. Last call: the delivery may be gone after it. */
static void finish_stop(struct delivery *delivery)
{
    timer_cancel(delivery->stop_timer);
    delivery->stop_timer = NULL;
    delivery->on_stopped(delivery->stopped_arg);
}

/* Last call likewise. */
static void next_item(struct queue *queue)
{
    struct delivery *delivery = queue->delivery;

    remove_item(queue, queue->items);
    queue->attempt = (struct delivery_attempt){0};
    if (queue->items != NULL) {
        start_attempt(queue);
        return;
    }
    queue_free(queue);
    if (delivery->stopping && delivery->queues == NULL)
        finish_stop(delivery);
}

static void log_failure(const struct queue *queue, const char *detail)
{
    const struct delivery_attempt *attempt = &queue->attempt;
    const struct log_field fields[] = {
        LOG_TEXT("agent", queue->items->agent),
        LOG_TEXT("sink", queue->items->target->label),
        LOG_NUMBER("attempts", (int64_t)attempt->number),
        LOG_NUMBER("status", (int64_t)attempt->status),
        LOG_TEXT("end", exchange_end_name(attempt->end)),
        LOG_TEXT("detail", detail),
    };
    const struct log_record record = {LOG_WARN, "event not delivered", fields, ARRAY_SIZE(fields)};

    runtime_log(queue->delivery->rt, &record);
}

static void on_retry(void *arg)
{
    struct queue *queue = arg;

    queue->retry = NULL;
    start_attempt(queue);
}

static void on_head(void *arg, const struct response_head *head)
{
    struct queue *queue = arg;

    queue->attempt.status = head->status;
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct queue *queue = arg;
    struct delivery *delivery = queue->delivery;
    int64_t wait_us;

    queue->attempt.sent = exchange_was_sent(queue->exchange);
    queue->attempt.end = end;
    queue->exchange = NULL;
    switch (delivery_decide(&delivery->settings, &queue->attempt, &wait_us)) {
    case DELIVERY_DONE:
        delivery->counts.delivered++;
        next_item(queue);
        return;
    case DELIVERY_AGAIN:
        queue->retry = runtime_after(delivery->rt, wait_us, on_retry, queue);
        return;
    case DELIVERY_FAILED:
        delivery->counts.failed++;
        log_failure(queue, detail);
        next_item(queue);
        return;
    }
}

static void start_attempt(struct queue *queue)
{
    static const struct exchange_events events = {on_head, NULL, on_end};
    const struct item *item = queue->items;
    const struct header_block *block = &item->target->headers;
    struct http_header headers[HEADER_BLOCK_COUNT_MAX + 2] = {
        {"Content-Type", "application/json"                 },
        {"User-Agent",   "agent-controller/" PROGRAM_VERSION},
    };
    const struct http_request request = {
        .method = "POST",
        .url = item->target->url,
        .headers = headers,
        .header_count = block->count + 2,
        .body = item->event->data,
        .body_size = item->event->size,
        .pool = "sinks",
        .connect_timeout_us = DELIVERY_CONNECT_US,
        .total_timeout_us = DELIVERY_TOTAL_US,
        .response_bytes_max = DELIVERY_ANSWER_BYTES_MAX,
        .fresh = true,
    };

    for (size_t i = 0; i < block->count; i++)
        headers[i + 2] = block->headers[i];
    queue->attempt = (struct delivery_attempt){.number = queue->attempt.number + 1};
    queue->exchange = runtime_request(queue->delivery->rt, &request, &events, queue);
}

/* --- the calls --- */

struct delivery *delivery_new(struct runtime *rt, const struct delivery_settings *settings)
{
    struct delivery *delivery = xcalloc(1, sizeof(*delivery));

    delivery->rt = rt;
    delivery->settings = *settings;
    return delivery;
}

void delivery_add(struct delivery *delivery, struct target *target, struct bytes *event,
                  const char *agent)
{
    struct queue *queue = find_queue(delivery, target);
    size_t size = event->size + target->size + DELIVERY_EVENT_BYTES;
    struct item *item;

    assert(size <= ITEM_BYTES_MAX);
    if (!make_room(delivery, queue, size, target->label))
        return;
    if (queue == NULL)
        queue = queue_new(delivery);
    item = xcalloc(1, sizeof(*item));
    item->target = target_ref(target);
    item->event = bytes_ref(event);
    item->agent = xstrdup(agent);
    item->size = size;
    DL_APPEND(queue->items, item);
    queue->count++;
    queue->size += size;
    delivery->count++;
    delivery->size += size;
    if (queue->count == 1)
        start_attempt(queue);
}

static void on_stop_timer(void *arg)
{
    struct delivery *delivery = arg;

    delivery->stop_timer = NULL;
    while (delivery->queues != NULL) {
        struct queue *queue = delivery->queues;

        for (size_t i = 0; i < queue->count; i++)
            note_drop(delivery, DROP_STOPPED, queue->items->target->label);
        queue_free(queue);
    }
    finish_stop(delivery);
}

void delivery_stop(struct delivery *delivery, int64_t within_us, void (*on_stopped)(void *arg),
                   void *arg)
{
    assert(!delivery->stopping);
    delivery->stopping = true;
    delivery->on_stopped = on_stopped;
    delivery->stopped_arg = arg;
    delivery->stop_timer = runtime_after(delivery->rt, delivery->queues == NULL ? 0 : within_us,
                                         on_stop_timer, delivery);
}

struct delivery_counts delivery_counts(const struct delivery *delivery)
{
    return delivery->counts;
}

size_t delivery_waiting(const struct delivery *delivery)
{
    return delivery->count;
}

void delivery_free(struct delivery *delivery)
{
    if (delivery == NULL)
        return;
    while (delivery->queues != NULL)
        queue_free(delivery->queues);
    timer_cancel(delivery->stop_timer);
    free(delivery);
}
