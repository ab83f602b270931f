/* delivery - brings events to http sinks: a queue for each, one event after the other, none twice.
 *
 * Sinks do not wait for each other, and nothing here waits for a sink: what a queue cannot hold is
 * dropped, the oldest first, since the last event of a run says how it ended. Every attempt has a
 * limit of time, goes out on a connection of its own (a kept one that the sink closes at that
 * moment would cost the event), follows no redirect, and checks certificates by the system's
 * authorities. Failures end in the log: a run never fails for its sinks. */
#ifndef CONTROLLER_SINKS_DELIVERY_H
#define CONTROLLER_SINKS_DELIVERY_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/bytes.h"
#include "controller/runtime/runtime.h"
#include "controller/sinks/delivery_decide.h"
#include "controller/sinks/target.h"

/** What waits for one sink at most, with the event on its way: two of the largest find room. Each
 * event counts with its target and DELIVERY_EVENT_BYTES, though it may share both. */
#define DELIVERY_QUEUE_EVENTS_MAX 256
#define DELIVERY_QUEUE_BYTES_MAX ((size_t)9 * 1024 * 1024)
#define DELIVERY_EVENT_BYTES 512
/** What waits for all of them: an eighth of the memory that a controller is given. */
#define DELIVERY_BYTES_MAX ((size_t)16 * 1024 * 1024)
/** Sinks with an event under way: a connection each. */
#define DELIVERY_SINKS_MAX 256

/** Of an attempt: to connect, and in all. */
#define DELIVERY_CONNECT_US (INT64_C(5) * 1000000)
#define DELIVERY_TOTAL_US (INT64_C(15) * 1000000)
/** Of an answer's body, which nobody reads. */
#define DELIVERY_ANSWER_BYTES_MAX ((size_t)64 * 1024)

struct delivery;

/** Events since the start: every one that was added and does not wait is in one of these. */
struct delivery_counts {
    uint64_t delivered;
    uint64_t failed;
    uint64_t dropped;
};

/** settings are copied. */
struct delivery *delivery_new(struct runtime *rt,
                              const struct delivery_settings *settings) MUST_CHECK;

/** Queues an event, of ENVELOPE_BYTES_MAX at most, behind those with the same URL. Holds target and
 * event on its own. agent is told in the log. */
void delivery_add(struct delivery *delivery, struct target *target, struct bytes *event,
                  const char *agent);

/** Takes nothing new, gives what is queued within_us to arrive, and drops what is left then.
 * on_stopped comes from the loop, once, and may free the delivery. */
void delivery_stop(struct delivery *delivery, int64_t within_us, void (*on_stopped)(void *arg),
                   void *arg);

struct delivery_counts delivery_counts(const struct delivery *delivery);
/** Events that wait or are under way. */
size_t delivery_waiting(const struct delivery *delivery);

/** Frees it with all that waits; what is under way is broken off. Calls nobody. Takes NULL. */
void delivery_free(struct delivery *delivery);

#endif
