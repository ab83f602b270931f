#include "controller/agents/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/kube/kube_backoff.h"

enum item_state {
    ITEM_WAITING,
    ITEM_IN_FLIGHT,
    ITEM_IN_FLIGHT_AGAIN, /* and wanted again */
    ITEM_DELAYED,
};

struct item {
    char *key;
    enum item_state state;
    bool marked;       /* by a pass, and not yet done */
    bool marked_again; /* by a pass while in flight */
    unsigned failures; /* in a row */
    int64_t due_us;    /* when delayed */
    struct item *prev; /* in the list of its state */
    struct item *next;
    UT_hash_handle hh;
};

struct work_queue {
    struct item *items;   /* by key */
    struct item *waiting; /* in order */
    struct item *delayed; /* in the order of their failures */
    size_t in_flight;
    size_t in_flight_max;
    size_t marked;
};

struct work_queue *work_queue_new(size_t in_flight_max)
{
    struct work_queue *queue = xcalloc(1, sizeof(*queue));

    assert(in_flight_max > 0);
    queue->in_flight_max = in_flight_max;
    return queue;
}

static void free_item(struct work_queue *queue, struct item *item)
{
    HASH_DEL(queue->items, item);
    free(item->key);
    free(item);
}

void work_queue_clear(struct work_queue *queue)
{
    struct item *item;
    struct item *next = NULL;

    HASH_ITER (hh, queue->items, item, next)
        free_item(queue, item);
    queue->waiting = NULL;
    queue->delayed = NULL;
    queue->in_flight = 0;
    queue->marked = 0;
}

void work_queue_free(struct work_queue *queue)
{
    if (queue == NULL)
        return;
    work_queue_clear(queue);
    free(queue);
}

static struct item *find(const struct work_queue *queue, const char *key)
{
    struct item *item;

    HASH_FIND_STR(queue->items, key, item);
    return item;
}

/* Takes an item that is not in flight out of the list it is in. */
static void unlink_item(struct work_queue *queue, struct item *item)
{
    if (item->state == ITEM_WAITING)
        DL_DELETE(queue->waiting, item);
    else if (item->state == ITEM_DELAYED)
        DL_DELETE(queue->delayed, item);
}

static void wait_at_end(struct work_queue *queue, struct item *item)
{
    item->state = ITEM_WAITING;
    DL_APPEND(queue->waiting, item);
}

static struct item *new_item(struct work_queue *queue, const char *key)
{
    struct item *item = xcalloc(1, sizeof(*item));

    item->key = xstrdup(key);
    HASH_ADD_KEYPTR(hh, queue->items, item->key, strlen(item->key), item);
    wait_at_end(queue, item);
    return item;
}

void work_queue_add(struct work_queue *queue, const char *key)
{
    struct item *item = find(queue, key);

    if (item == NULL) {
        new_item(queue, key);
    } else if (item->state == ITEM_DELAYED) {
        unlink_item(queue, item);
        wait_at_end(queue, item);
    } else if (item->state == ITEM_IN_FLIGHT) {
        item->state = ITEM_IN_FLIGHT_AGAIN;
    }
}

void work_queue_add_marked(struct work_queue *queue, const char *key)
{
    struct item *item = find(queue, key);

    if (item != NULL && (item->state == ITEM_IN_FLIGHT || item->state == ITEM_IN_FLIGHT_AGAIN)) {
        item->state = ITEM_IN_FLIGHT_AGAIN;
        item->marked_again = true;
        return;
    }
    if (item == NULL) {
        item = new_item(queue, key);
    } else {
        unlink_item(queue, item);
        wait_at_end(queue, item);
    }
    queue->marked += !item->marked;
    item->marked = true;
}

static void unmark(struct work_queue *queue, struct item *item)
{
    queue->marked -= item->marked;
    item->marked = false;
}

void work_queue_forget(struct work_queue *queue, const char *key)
{
    struct item *item = find(queue, key);

    if (item == NULL)
        return;
    item->failures = 0;
    if (item->state == ITEM_IN_FLIGHT || item->state == ITEM_IN_FLIGHT_AGAIN) {
        item->state = ITEM_IN_FLIGHT;
        item->marked_again = false;
        return;
    }
    unlink_item(queue, item);
    unmark(queue, item);
    free_item(queue, item);
}

const char *work_queue_take(struct work_queue *queue, bool *ret_marked)
{
    struct item *item = queue->waiting;

    if (item == NULL || queue->in_flight >= queue->in_flight_max)
        return NULL;
    DL_DELETE(queue->waiting, item);
    item->state = ITEM_IN_FLIGHT;
    queue->in_flight++;
    *ret_marked = item->marked;
    return item->key;
}

/* Ends an item's flight; true when it was wanted again and waits now. */
static bool land(struct work_queue *queue, struct item *item)
{
    bool again = item->state == ITEM_IN_FLIGHT_AGAIN;

    assert(item->state == ITEM_IN_FLIGHT || again);
    queue->in_flight--;
    unmark(queue, item);
    if (!again)
        return false;
    item->marked = item->marked_again;
    item->marked_again = false;
    queue->marked += item->marked;
    wait_at_end(queue, item);
    return true;
}

void work_queue_done(struct work_queue *queue, const char *key)
{
    struct item *item = find(queue, key);

    assert(item != NULL);
    item->failures = 0;
    if (!land(queue, item))
        free_item(queue, item);
}

unsigned work_queue_failed(struct work_queue *queue, const char *key, int64_t now_us,
                           uint64_t random)
{
    struct item *item = find(queue, key);

    assert(item != NULL);
    item->failures++;
    if (!land(queue, item)) {
        item->state = ITEM_DELAYED;
        item->due_us = now_us + kube_backoff_us(item->failures, random);
        DL_APPEND(queue->delayed, item);
    }
    return item->failures;
}

void work_queue_ripen(struct work_queue *queue, int64_t now_us)
{
    struct item *item;
    struct item *next = NULL;

    DL_FOREACH_SAFE(queue->delayed, item, next)
    {
        if (item->due_us > now_us)
            continue;
        DL_DELETE(queue->delayed, item);
        wait_at_end(queue, item);
    }
}

int64_t work_queue_wake_us(const struct work_queue *queue)
{
    const struct item *item;
    int64_t wake_us = INT64_MAX;

    DL_FOREACH (queue->delayed, item) {
        if (item->due_us < wake_us)
            wake_us = item->due_us;
    }
    return wake_us;
}

size_t work_queue_marked(const struct work_queue *queue)
{
    return queue->marked;
}
