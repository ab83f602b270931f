/* due_queue - keys that want attention, each once, at the earliest time that was asked for.
 *
 * One timer serves the whole queue. Keys due at the same time come in the order of their adding. */
#ifndef FAKEAPI_CLUSTER_DUE_QUEUE_H
#define FAKEAPI_CLUSTER_DUE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct due_queue;

/** work(arg, key) is called from the loop for a key that is due, after it left the queue: so work
 * may add it again. key is of the queue, for the call. */
struct due_queue *due_queue_new(struct runtime *rt, void (*work)(void *arg, const char *key),
                                void *arg) MUST_CHECK;
void due_queue_free(struct due_queue *queue);

/** Adds a key, due in delay_us; a key that is there already keeps the earlier of the two times. */
void due_queue_add(struct due_queue *queue, const char *key, int64_t delay_us);

/** Takes a key out, if it is there. */
void due_queue_remove(struct due_queue *queue, const char *key);
void due_queue_clear(struct due_queue *queue);
size_t due_queue_count(const struct due_queue *queue);

/** Calls fn for each key with when it is due by the elapsed clock, in the order in which they come.
 * fn must leave the queue alone. */
void due_queue_each(const struct due_queue *queue,
                    void (*fn)(void *arg, const char *key, int64_t due_elapsed_us), void *arg);

#endif
