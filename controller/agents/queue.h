/* queue - which keys are to be reconciled, and when.
 *
 * A key is in flight at most once; repeats collapse; a key that failed comes back after a backoff
 * of its own; the number in flight is bounded. A pass marks its keys, so that its end is known.
 * Pure bookkeeping: times are handed in. */
#ifndef CONTROLLER_AGENTS_QUEUE_H
#define CONTROLLER_AGENTS_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"

struct work_queue;

/** At most in_flight_max keys are out at once; above 0. */
struct work_queue *work_queue_new(size_t in_flight_max) MUST_CHECK;
/** Takes NULL. */
void work_queue_free(struct work_queue *queue);
/** Forgets all keys, those in flight too. */
void work_queue_clear(struct work_queue *queue);

/** Puts a key at the end unless it waits already; one in flight comes again after it. */
void work_queue_add(struct work_queue *queue, const char *key);
/** Puts a key at the end even if it waits elsewhere, and marks it. */
void work_queue_add_marked(struct work_queue *queue, const char *key);
/** Drops a key that waits, and what is remembered of its failures. */
void work_queue_forget(struct work_queue *queue, const char *key);

/** The next key, now in flight until work_queue_done() or _failed(), and whether it was marked;
 * NULL when none waits or the bound is reached. Borrowed until then. */
const char *work_queue_take(struct work_queue *queue, bool *ret_marked);
/** The key ended well. */
void work_queue_done(struct work_queue *queue, const char *key);
/** The key failed: it comes back at now_us plus a backoff drawn from random, if nothing brings it
 * sooner. Returns how often it has failed in a row. */
unsigned work_queue_failed(struct work_queue *queue, const char *key, int64_t now_us,
                           uint64_t random);

/** Moves the keys whose backoff is over at now_us to the end. */
void work_queue_ripen(struct work_queue *queue, int64_t now_us);
/** When the next backoff is over; INT64_MAX when none runs. */
int64_t work_queue_wake_us(const struct work_queue *queue);

/** Keys marked and not yet done. */
size_t work_queue_marked(const struct work_queue *queue);

#endif
