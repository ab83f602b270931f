/* queue - which keys are to be reconciled, and when.
 *
 * A key is in flight at most once; repeats collapse; a key that failed comes back after a backoff
 * of its own; news of one that has just been seen to wait a little, so that nobody who answers
 * each of our requests with news keeps us busy; the number in flight is bounded. A key may be put
 * aside in a lane, where it waits for the lane to be opened; keys of one lane never overtake each
 * other. A pass marks its keys, so that its end is known. Pure bookkeeping: times are handed in. */
#ifndef CONTROLLER_AGENTS_QUEUE_H
#define CONTROLLER_AGENTS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/time.h"

/** So long after its flight a key is left alone, unless a pass wants it. From the second time on
 * that news bring it back as soon as they can it is twice as long each time, up to the latter. */
#define WORK_QUEUE_REST_US US_PER_SECOND
#define WORK_QUEUE_REST_MAX_US (16 * US_PER_SECOND)

struct work_queue;

/** What is to be done next. */
struct work_item {
    const char *key; /* borrowed until it is done, failed, held or forgotten */
    bool marked;
    bool was_held;     /* it comes from a lane */
    unsigned failures; /* in a row */
    int64_t since_us;  /* when it was last asked for, or its backoff ended: what was read before
                        * that may be too old for it */
};

/** At most in_flight_max keys are out at once; above 0. */
struct work_queue *work_queue_new(size_t in_flight_max) MUST_CHECK;
/** Takes NULL. */
void work_queue_free(struct work_queue *queue);
/** Forgets all keys, those in flight too. */
void work_queue_clear(struct work_queue *queue);

/** Puts a key at the end unless it waits already; one in flight comes again after it. One that was
 * told to wait until some time (work_queue_failed()) waits on, one that rests until its rest is
 * over: so ask work_queue_wake_us() afterwards. */
void work_queue_add(struct work_queue *queue, const char *key, int64_t now_us);
/** Puts a key at the end even if it waits elsewhere, and marks it; again one that was told to wait
 * waits on, unmarked. */
void work_queue_add_marked(struct work_queue *queue, const char *key, int64_t now_us);
/** Drops a key that waits, and what is remembered of its failures. */
void work_queue_forget(struct work_queue *queue, const char *key);

/** The next key, from the lanes that are open before all others: now in flight until
 * work_queue_done(), _failed() or _hold(). False when none waits or the bound is reached. */
bool work_queue_take(struct work_queue *queue, struct work_item *ret_item);
/** The key ended well. */
void work_queue_done(struct work_queue *queue, const char *key, int64_t now_us);
/** The key failed: it comes back at now_us plus a backoff drawn from random, if nothing brings it
 * sooner; and not before at least_us more have passed, whatever comes (0: that is not said).
 * Returns how often it has failed in a row. */
unsigned work_queue_failed(struct work_queue *queue, const char *key, int64_t now_us,
                           uint64_t random, int64_t at_least_us);

/** Puts a key in flight aside in the lane of that name, which is closed by that. It goes behind
 * those there, but one that was taken from that lane goes before them. */
void work_queue_hold(struct work_queue *queue, const char *key, const char *lane);
/** Keys of that lane may be taken, until one is held there again. */
void work_queue_open(struct work_queue *queue, const char *lane);
/** Whether keys wait in that lane. */
bool work_queue_holds(const struct work_queue *queue, const char *lane);

/** Moves the keys whose backoff or rest is over at now_us to the end. */
void work_queue_ripen(struct work_queue *queue, int64_t now_us);
/** When the next of these is due; INT64_MAX when there is none. */
int64_t work_queue_wake_us(struct work_queue *queue);

/** Keys marked and not yet done. */
size_t work_queue_marked(const struct work_queue *queue);

#endif
