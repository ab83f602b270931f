#include "controller/agents/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_backoff.h"

enum item_state {
    ITEM_WAITING,
    ITEM_HELD, /* in a lane */
    ITEM_IN_FLIGHT,
    ITEM_IN_FLIGHT_AGAIN, /* and wanted again */
    ITEM_DELAYED,
    ITEM_RESTING, /* nothing wants it */
};

struct lane;

struct item {
    char *key;
    enum item_state state;
    bool marked;       /* by a pass, and not yet done */
    bool marked_again; /* by a pass while in flight */
    unsigned failures; /* in a row */
    int64_t since_us;
    int64_t due_us;        /* when delayed */
    int64_t rested_us;     /* news do not bring it sooner; 0: it was not in flight yet */
    unsigned hurries;      /* how often in a row it came as soon as it had rested */
    int64_t not_before_us; /* when delayed: news do not bring it sooner; 0: they do */
    struct lane *lane;     /* where it is held */
    char *taken_from;      /* in flight: the lane that it was held in, or NULL */
    struct item *prev;     /* in the list of its state */
    struct item *next;
    UT_hash_handle hh;
};

/* Keys put aside; never empty. */
struct lane {
    char *name;
    struct item *items; /* in order */
    bool open;
    struct lane *prev; /* among the open ones */
    struct lane *next;
    UT_hash_handle hh;
};

struct work_queue {
    struct item *items;   /* by key */
    struct item *waiting; /* in order */
    struct item *delayed; /* in the order of their failures */
    int64_t wake_us;      /* the earliest due among them; INT64_MAX: not known */
    struct item *resting; /* in the order of their ends; some may be over for a while */
    struct lane *lanes;   /* by name */
    struct lane *open;    /* in the order of their opening */
    size_t in_flight;
    size_t in_flight_max;
    size_t marked;
};

struct work_queue *work_queue_new(size_t in_flight_max)
{
    struct work_queue *queue = xcalloc(1, sizeof(*queue));

    assert(in_flight_max > 0);
    queue->in_flight_max = in_flight_max;
    queue->wake_us = INT64_MAX;
    return queue;
}

static void free_item(struct work_queue *queue, struct item *item)
{
    HASH_DEL(queue->items, item);
    free(item->taken_from);
    free(item->key);
    free(item);
}

/* --- lanes --- */

static void close_lane(struct work_queue *queue, struct lane *lane)
{
    if (lane->open)
        DL_DELETE(queue->open, lane);
    lane->open = false;
}

static void free_lane(struct work_queue *queue, struct lane *lane)
{
    close_lane(queue, lane);
    HASH_DEL(queue->lanes, lane);
    free(lane->name);
    free(lane);
}

static struct lane *find_lane(const struct work_queue *queue, const char *name)
{
    struct lane *lane;

    HASH_FIND_STR(queue->lanes, name, lane);
    return lane;
}

static struct lane *ensure_lane(struct work_queue *queue, const char *name)
{
    struct lane *lane = find_lane(queue, name);

    if (lane != NULL)
        return lane;
    lane = xcalloc(1, sizeof(*lane));
    lane->name = xstrdup(name);
    HASH_ADD_KEYPTR(hh, queue->lanes, lane->name, strlen(lane->name), lane);
    return lane;
}

static void leave_lane(struct work_queue *queue, struct item *item)
{
    struct lane *lane = item->lane;

    DL_DELETE(lane->items, item);
    item->lane = NULL;
    if (lane->items == NULL)
        free_lane(queue, lane);
}

void work_queue_open(struct work_queue *queue, const char *name)
{
    struct lane *lane = find_lane(queue, name);

    if (lane == NULL || lane->open)
        return;
    lane->open = true;
    DL_APPEND(queue->open, lane);
}

bool work_queue_holds(const struct work_queue *queue, const char *name)
{
    return find_lane(queue, name) != NULL;
}

/* --- all keys --- */

void work_queue_clear(struct work_queue *queue)
{
    struct item *item;
    struct item *next = NULL;
    struct lane *lane;
    struct lane *next_lane = NULL;

    HASH_ITER (hh, queue->items, item, next)
        free_item(queue, item);
    HASH_ITER (hh, queue->lanes, lane, next_lane)
        free_lane(queue, lane);
    queue->waiting = NULL;
    queue->delayed = NULL;
    queue->wake_us = INT64_MAX;
    queue->resting = NULL;
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

static bool is_in_flight(const struct item *item)
{
    return item->state == ITEM_IN_FLIGHT || item->state == ITEM_IN_FLIGHT_AGAIN;
}

static void leave_delayed(struct work_queue *queue, struct item *item)
{
    DL_DELETE(queue->delayed, item);
    if (item->due_us == queue->wake_us)
        queue->wake_us = INT64_MAX;
}

/* Its state and list so far are behind it. */
static void put_off(struct work_queue *queue, struct item *item, int64_t due_us)
{
    bool first = queue->delayed == NULL;

    item->state = ITEM_DELAYED;
    item->due_us = due_us;
    DL_APPEND(queue->delayed, item);
    if (first || due_us < queue->wake_us)
        queue->wake_us = first || queue->wake_us != INT64_MAX ? due_us : INT64_MAX;
}

/* Takes an item that is not in flight out of the list it is in. */
static void unlink_item(struct work_queue *queue, struct item *item)
{
    if (item->state == ITEM_WAITING)
        DL_DELETE(queue->waiting, item);
    else if (item->state == ITEM_DELAYED)
        leave_delayed(queue, item);
    else if (item->state == ITEM_RESTING)
        DL_DELETE(queue->resting, item);
    else if (item->state == ITEM_HELD)
        leave_lane(queue, item);
}

static void wait_at_end(struct work_queue *queue, struct item *item)
{
    item->state = ITEM_WAITING;
    item->not_before_us = 0;
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

static bool must_wait(const struct item *item, int64_t now_us)
{
    return item->state == ITEM_DELAYED && item->not_before_us > now_us;
}

static bool is_put_off(const struct item *item)
{
    return item->state == ITEM_DELAYED || item->state == ITEM_RESTING;
}

/* For news: at once, or when its rest is over. */
static void bring_forward(struct work_queue *queue, struct item *item, int64_t now_us)
{
    unlink_item(queue, item);
    if (item->rested_us <= now_us) {
        wait_at_end(queue, item);
        return;
    }
    put_off(queue, item, item->rested_us);
}

void work_queue_add(struct work_queue *queue, const char *key, int64_t now_us)
{
    struct item *item = find(queue, key);

    if (item == NULL) {
        item = new_item(queue, key);
    } else if (is_put_off(item) && !must_wait(item, now_us)) {
        bring_forward(queue, item, now_us);
    } else if (item->state == ITEM_IN_FLIGHT) {
        item->state = ITEM_IN_FLIGHT_AGAIN;
    }
    item->since_us = now_us;
}

void work_queue_add_marked(struct work_queue *queue, const char *key, int64_t now_us)
{
    struct item *item = find(queue, key);

    if (item == NULL)
        item = new_item(queue, key);
    item->since_us = now_us;
    if (must_wait(item, now_us))
        return;
    if (is_in_flight(item)) {
        item->state = ITEM_IN_FLIGHT_AGAIN;
        item->marked_again = true;
        return;
    }
    unlink_item(queue, item);
    wait_at_end(queue, item);
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
    if (item->state == ITEM_RESTING)
        return;
    if (is_in_flight(item)) {
        item->state = ITEM_IN_FLIGHT;
        item->marked_again = false;
        return;
    }
    unlink_item(queue, item);
    unmark(queue, item);
    free_item(queue, item);
}

/* --- in flight --- */

bool work_queue_take(struct work_queue *queue, struct work_item *ret_item)
{
    struct item *item = queue->open != NULL ? queue->open->items : queue->waiting;

    if (item == NULL || queue->in_flight >= queue->in_flight_max)
        return false;
    if (item->lane != NULL)
        item->taken_from = xstrdup(item->lane->name);
    unlink_item(queue, item);
    item->state = ITEM_IN_FLIGHT;
    queue->in_flight++;
    *ret_item = (struct work_item){.key = item->key,
                                   .marked = item->marked,
                                   .was_held = item->taken_from != NULL,
                                   .failures = item->failures,
                                   .since_us = item->since_us};
    return true;
}

void work_queue_hold(struct work_queue *queue, const char *key, const char *name)
{
    struct item *item = find(queue, key);
    struct lane *lane = ensure_lane(queue, name);

    assert(item != NULL);
    assert(is_in_flight(item));
    close_lane(queue, lane);
    queue->in_flight--;
    queue->marked += item->marked_again && !item->marked;
    item->marked = item->marked || item->marked_again;
    item->marked_again = false;
    item->state = ITEM_HELD;
    item->lane = lane;
    if (text_equal(item->taken_from, name))
        DL_PREPEND(lane->items, item);
    else
        DL_APPEND(lane->items, item);
    free(item->taken_from);
    item->taken_from = NULL;
}

static void rest(struct item *item, int64_t now_us)
{
    bool hurries = item->rested_us > 0 && now_us < item->rested_us + WORK_QUEUE_REST_US;
    int64_t rest_us = WORK_QUEUE_REST_US;

    item->hurries = hurries ? item->hurries + 1 : 0;
    for (unsigned i = 1; i < item->hurries && rest_us < WORK_QUEUE_REST_MAX_US; i++)
        rest_us *= 2;
    item->rested_us = now_us + rest_us;
}

/* Ends an item's flight; true when it was wanted again. */
static bool land(struct work_queue *queue, struct item *item, int64_t now_us)
{
    bool again = item->state == ITEM_IN_FLIGHT_AGAIN;

    assert(is_in_flight(item));
    queue->in_flight--;
    free(item->taken_from);
    item->taken_from = NULL;
    rest(item, now_us);
    unmark(queue, item);
    return again;
}

/* One that landed and was wanted again: for a pass at once. */
static void come_again(struct work_queue *queue, struct item *item)
{
    item->marked = item->marked_again;
    item->marked_again = false;
    queue->marked += item->marked;
    if (item->marked) {
        wait_at_end(queue, item);
        return;
    }
    item->not_before_us = 0;
    put_off(queue, item, item->rested_us);
}

static void free_rested(struct work_queue *queue, int64_t now_us)
{
    while (queue->resting != NULL && queue->resting->rested_us <= now_us) {
        struct item *item = queue->resting;

        unlink_item(queue, item);
        free_item(queue, item);
    }
}

void work_queue_done(struct work_queue *queue, const char *key, int64_t now_us)
{
    struct item *item = find(queue, key);

    assert(item != NULL);
    free_rested(queue, now_us);
    item->failures = 0;
    if (land(queue, item, now_us)) {
        come_again(queue, item);
    } else {
        item->state = ITEM_RESTING;
        DL_APPEND(queue->resting, item);
    }
}

static void delay(struct work_queue *queue, struct item *item, int64_t now_us, int64_t delay_us,
                  int64_t at_least_us)
{
    item->marked_again = false;
    item->not_before_us = at_least_us > 0 ? now_us + at_least_us : 0;
    put_off(queue, item, now_us + delay_us);
}

unsigned work_queue_failed(struct work_queue *queue, const char *key, int64_t now_us,
                           uint64_t random, int64_t at_least_us)
{
    struct item *item = find(queue, key);

    assert(item != NULL);
    item->failures++;
    if (land(queue, item, now_us) && at_least_us <= 0)
        come_again(queue, item);
    else
        delay(queue, item, now_us, kube_pause_us(item->failures, at_least_us, random), at_least_us);
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
        leave_delayed(queue, item);
        item->since_us = now_us;
        wait_at_end(queue, item);
    }
}

int64_t work_queue_wake_us(struct work_queue *queue)
{
    const struct item *item;

    if (queue->wake_us != INT64_MAX)
        return queue->wake_us;
    DL_FOREACH (queue->delayed, item) {
        if (item->due_us < queue->wake_us)
            queue->wake_us = item->due_us;
    }
    return queue->wake_us;
}

size_t work_queue_marked(const struct work_queue *queue)
{
    return queue->marked;
}
