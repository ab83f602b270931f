/* prune - deletes what is past one Station's history (RULES.md 3.5). */
#ifndef CONTROLLER_AGENTS_PRUNE_H
#define CONTROLLER_AGENTS_PRUNE_H

#include <stdbool.h>

#include "controller/agents/context.h"
#include "controller/base/attributes.h"

/** How long a leader prunes nothing when the one before let its Lease lapse. That one sent its last
 * request at least 5 s before, since it led for 10 s of the 15 s; so half a minute goes by, as long
 * as a request is waited for at all. A Job that comes in by then finds its Agent, and the Job that
 * was made in its place. */
#define PRUNE_AFTER_LAPSE_US (25 * US_PER_SECOND)

struct prune;

/** A pruning to be started, of a Station as it is since since_us (refs.h). done is called once,
 * when all is deleted that can be; errors are logged. */
struct prune *prune_new(const struct agent_context *context, const char *station, int64_t since_us,
                        void (*done)(void *arg), void *arg) MUST_CHECK;
/** Begins; done may be called before it returns. */
void prune_start(struct prune *prune);
/** The Station whose history it prunes. */
const char *prune_station(const struct prune *prune);
/** Whether a deletion is under way. */
bool prune_is_writing(const struct prune *prune);
/** Deletes nothing more: done, now another, is called once the deletion under way has ended. */
void prune_stop(struct prune *prune, void (*done)(void *arg), void *arg);
/** Allowed in done. Takes NULL. */
void prune_free(struct prune *prune);

#endif
