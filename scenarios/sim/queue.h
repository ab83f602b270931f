/* queue - what is due, in order of time and, at one instant, in the order it was put in.
 *
 * A binary heap of places that events sit in. Events belong to the things they are for; removing
 * one costs the logarithm of how many wait, so nothing stale stays behind. */
#ifndef SCENARIOS_SIM_QUEUE_H
#define SCENARIOS_SIM_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sim_process;

/** Something to be done later. Zeroed and then given run, owner and process once. */
struct event {
    void (*run)(void *owner);
    void *owner;
    struct sim_process *process; /* held back while this one is paused; NULL: never */
    size_t place;                /* in the heap, from 1; 0: not there */
    struct event **held_in;      /* the list it is held back in; NULL: none */
    struct event *prev, *next;   /* there */
};

struct queue_slot {
    int64_t at_us;
    uint64_t number;
    struct event *event;
};

struct queue {
    struct queue_slot *slots;
    size_t count;
    size_t capacity;
    uint64_t next_number;
};

/** Puts it in, or moves it when it is in already (or held back); it is then the last of its
 * instant. */
void queue_put(struct queue *queue, struct event *event, int64_t at_us);
/** Takes it out, from wherever it waits, or does nothing. */
void queue_remove(struct queue *queue, struct event *event);
/** The time of the first; INT64_MAX when empty. */
int64_t queue_next_us(const struct queue *queue);
/** Takes the first one out; the queue is not empty. */
struct event *queue_take(struct queue *queue);
/** Whether it waits here or is held back. */
bool event_is_waiting(const struct event *event);

/** Puts an event that was taken at the end of a list of held ones. */
void event_hold(struct event **list, struct event *event);
/** Puts all held ones in at at_us, in their order. */
void queue_release(struct queue *queue, struct event **list, int64_t at_us);

void queue_free(struct queue *queue);

#endif
