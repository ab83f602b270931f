#include "scenarios/sim/queue.h"

#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"

#define QUEUE_CAPACITY_MIN 256

static bool is_before(const struct queue_slot *a, const struct queue_slot *b)
{
    return a->at_us != b->at_us ? a->at_us < b->at_us : a->number < b->number;
}

static void set_slot(struct queue *queue, size_t index, struct queue_slot slot)
{
    queue->slots[index] = slot;
    slot.event->place = index + 1;
}

static void move_up(struct queue *queue, size_t index, struct queue_slot slot)
{
    while (index > 0) {
        size_t parent = (index - 1) / 2;

        if (!is_before(&slot, &queue->slots[parent]))
            break;
        set_slot(queue, index, queue->slots[parent]);
        index = parent;
    }
    set_slot(queue, index, slot);
}

static void move_down(struct queue *queue, size_t index, struct queue_slot slot)
{
    for (;;) {
        size_t child = 2 * index + 1;

        if (child >= queue->count)
            break;
        if (child + 1 < queue->count && is_before(&queue->slots[child + 1], &queue->slots[child]))
            child++;
        if (!is_before(&queue->slots[child], &slot))
            break;
        set_slot(queue, index, queue->slots[child]);
        index = child;
    }
    set_slot(queue, index, slot);
}

static void take_out(struct queue *queue, size_t index)
{
    struct queue_slot last = queue->slots[--queue->count];

    queue->slots[index].event->place = 0;
    if (index == queue->count)
        return;
    if (index > 0 && is_before(&last, &queue->slots[(index - 1) / 2]))
        move_up(queue, index, last);
    else
        move_down(queue, index, last);
}

void queue_put(struct queue *queue, struct event *event, int64_t at_us)
{
    struct queue_slot slot = {at_us, queue->next_number++, event};

    assert(event->run != NULL);
    queue_remove(queue, event);
    if (queue->count == queue->capacity) {
        queue->capacity = queue->capacity == 0 ? QUEUE_CAPACITY_MIN : 2 * queue->capacity;
        queue->slots = xrealloc(queue->slots, queue->capacity * sizeof(*queue->slots));
    }
    move_up(queue, queue->count++, slot);
}

void queue_remove(struct queue *queue, struct event *event)
{
    if (event->held_in != NULL) {
        DL_DELETE(*event->held_in, event);
        event->held_in = NULL;
    } else if (event->place != 0) {
        take_out(queue, event->place - 1);
    }
}

int64_t queue_next_us(const struct queue *queue)
{
    return queue->count == 0 ? INT64_MAX : queue->slots[0].at_us;
}

struct event *queue_take(struct queue *queue)
{
    struct event *event;

    assert(queue->count > 0);
    event = queue->slots[0].event;
    take_out(queue, 0);
    return event;
}

bool event_is_waiting(const struct event *event)
{
    return event->place != 0 || event->held_in != NULL;
}

void event_hold(struct event **list, struct event *event)
{
    assert(!event_is_waiting(event));
    DL_APPEND(*list, event);
    event->held_in = list;
}

void queue_release(struct queue *queue, struct event **list, int64_t at_us)
{
    while (*list != NULL)
        queue_put(queue, *list, at_us);
}

void queue_free(struct queue *queue)
{
    free(queue->slots);
    *queue = (struct queue){0};
}
