/* reconcile - one Agent, step by step: asks agent_decide, does what that says, and asks again. */
#ifndef CONTROLLER_AGENTS_RECONCILE_H
#define CONTROLLER_AGENTS_RECONCILE_H

#include <stdbool.h>

#include "controller/agents/context.h"
#include "controller/agents/queue.h"
#include "controller/base/attributes.h"

struct reconcile;

enum reconcile_end {
    RECONCILE_DONE,
    RECONCILE_ERROR,    /* come back after a backoff */
    RECONCILE_YIELD,    /* after the others of its Station */
    RECONCILE_CONFLICT, /* a write came too late; likewise, from what is in the cache now */
    RECONCILE_FENCED,   /* this replica leads no more */
};

/** A reconcile of the Agent that item names, to be started. It believes the listing of Jobs if it
 * is of a pass (marked), and Stations and recipes as they are since its since_us. done is called
 * once. */
struct reconcile *reconcile_new(const struct agent_context *context, const struct work_item *item,
                                void (*done)(void *arg, enum reconcile_end end),
                                void *arg) MUST_CHECK;
/** Begins; done may be called before it returns. */
void reconcile_start(struct reconcile *reconcile);

/** The Agent that it is about. */
const char *reconcile_name(const struct reconcile *reconcile);
/** Whether a write is under way. */
bool reconcile_is_writing(const struct reconcile *reconcile);
/** Leaves it to end its write under way, for the metrics: then done, now another, is called. From
 * here on it changes nothing in the cache and sends nothing. */
void reconcile_abandon(struct reconcile *reconcile, void (*done)(void *arg, enum reconcile_end end),
                       void *arg);
/** How long the server asked to be left alone by it; 0: it did not. */
int64_t reconcile_retry_after_us(const struct reconcile *reconcile);
/** Allowed in done. Takes NULL. */
void reconcile_free(struct reconcile *reconcile);

#endif
