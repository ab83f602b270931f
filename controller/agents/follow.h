/* follow - keeps the cache in step with the API server: the watch loop and the poll loop (RULES.md
 * 4.3 to 4.5, 13.1). Runs while this replica leads. */
#ifndef CONTROLLER_AGENTS_FOLLOW_H
#define CONTROLLER_AGENTS_FOLLOW_H

#include <stdbool.h>

#include "controller/agents/context.h"
#include "controller/base/attributes.h"

/** The pause after each poll and its pass. */
#define FOLLOW_POLL_US (15 * US_PER_SECOND)
/** The pause after a clean end of the watch, and after a 410. */
#define FOLLOW_PAUSE_US (2 * US_PER_SECOND)
/** Polls that fail in a row before this replica is not ready. */
#define FOLLOW_POLL_FAILURES_MAX 3

struct follow;

/** What it tells. None may free it; stopping it is fine. */
struct follow_events {
    /* The Agent of that name is new or has changed. */
    void (*on_change)(void *arg, const char *name);
    /* It is deleted; the Station is the one that it was last seen at, or NULL. */
    void (*on_gone)(void *arg, const char *name, const char *station);
    /* Versions count from further back again, it seems: cursors of other streams are worth nothing.
     */
    void (*on_set_back)(void *arg);
    /* The cache was replaced by a listing, of a poll or else. */
    void (*on_list)(void *arg, bool poll);
};

/** events is kept by pointer. */
struct follow *follow_new(const struct agent_context *context, const struct follow_events *events,
                          void *arg) MUST_CHECK;
/** Takes NULL. */
void follow_free(struct follow *follow);

/** Leadership begins: lists from scratch. */
void follow_start(struct follow *follow);
/** Leadership has ended: forgets the cursor, and what it has under way. */
void follow_stop(struct follow *follow);
/** The pass after a poll's listing is over: the next poll is due FOLLOW_POLL_US from now. */
void follow_poll_done(struct follow *follow);

/** Fewer than FOLLOW_POLL_FAILURES_MAX polls have failed in a row. */
bool follow_is_healthy(const struct follow *follow);

#endif
