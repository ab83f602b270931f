/* cache - the last seen Agents by name, reduced to what decisions read (RULES.md 4.2, 13.1).
 *
 * Three sources feed it: listings, the watch stream, and the answers to our own requests. Newer and
 * older are known from the order in which the stream and our own writes bring versions, which may
 * be any text; of two decimal numbers the smaller is surely older.
 * - A stream event never replaces an entry that it has yet to catch up with, nor one that is newer.
 * - A listing replaces all, save what was touched after the listing was sent.
 * Pure bookkeeping: no requests, no clock. */
#ifndef CONTROLLER_AGENTS_CACHE_H
#define CONTROLLER_AGENTS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/agents/roster.h"
#include "controller/base/attributes.h"
#include "controller/kinds/agent.h"

struct agent_cache;

struct agent_cache *agent_cache_new(void) MUST_CHECK;
/** Takes NULL. */
void agent_cache_free(struct agent_cache *cache);
/** Forgets all Agents, what was listed, and a listing under way; not how far the versions have
 * come, nor whose Jobs were sent for. */
void agent_cache_clear(struct agent_cache *cache);

/* --- reading; results are borrowed until the next change --- */

/** NULL when there is none of that name. */
const struct agent *agent_cache_get(const struct agent_cache *cache, const char *name);
/** All Agents, sorted by name; free() the array. */
const struct agent **agent_cache_sorted(const struct agent_cache *cache,
                                        size_t *ret_count) MUST_CHECK;

/** Where one is in a walk through the cache. Begins as {0}. */
struct agent_cursor {
    const void *entry; /* the last one seen; NULL: none yet */
};

/** The next Agent, in the order in which their names came in; NULL at the end. The cache must not
 * change on the way. */
const struct agent *agent_cache_next(const struct agent_cache *cache, struct agent_cursor *cursor);

/** How many Agents are that at the Station of that name, and the first of them (roster.h). */
size_t agent_cache_count_at(const struct agent_cache *cache, const char *station,
                            enum roster_part part);
const struct roster_place *agent_cache_first_at(const struct agent_cache *cache,
                                                const char *station, enum roster_part part);
/** Appends the Stations where any Agent has ended, by name. */
void agent_cache_ended(const struct agent_cache *cache, struct text_list *stations);

/** The greatest decimal resource version that anything has told; NULL when nothing has. Only for
 * telling that a listing lags behind: see follow.c. */
const char *agent_cache_newest(const struct agent_cache *cache);
/** A version that the stream or a collection has told. */
void agent_cache_note_version(struct agent_cache *cache, const char *version);
/** Forgets that: the store was set back. */
void agent_cache_forget_newest(struct agent_cache *cache);
/** Whether version is surely older than other: both are decimal numbers, and it is the smaller. */
bool agent_cache_is_older(const char *version, const char *other);

/* --- the watch stream --- */

enum cache_event {
    CACHE_CHANGED,  /* the entry is new or has another version */
    CACHE_SAME,     /* this version is what we have */
    CACHE_OUTDATED, /* older than what we have: dropped */
};

/** ADDED or MODIFIED. Takes ownership of agent. */
enum cache_event agent_cache_upsert(struct agent_cache *cache, struct agent *agent);
/** DELETED; uid and version are NULL where nobody told. The end of a namesake from before the one
 * that is known removes nothing. Whether an entry was removed. */
bool agent_cache_remove(struct agent_cache *cache, const char *name, const char *uid,
                        const char *version);

/* --- our own requests --- */

/** Before a write of ours to the Agent of that name is sent. One at a time for each name. */
void agent_cache_begin_write(struct agent_cache *cache, const char *name);
/** Its answer: the object as it is now, or NULL when the write was not accepted. Takes
 * ownership. */
void agent_cache_end_write(struct agent_cache *cache, const char *name, struct agent *agent);
/** Whether the Job of the Pending Agent of that uid is there, as far as we know: it was sent for,
 * or seen. That stays until this call takes it back, or the Agent is seen in another phase. */
bool agent_cache_set_begun(struct agent_cache *cache, const char *name, const char *uid,
                           bool begun);
/** The Job of the Agent of that uid is sent for, or what became of that is known. Until then it may
 * land at any time: while the Agent is Pending it has begun, whatever the calls above and
 * agent_cache_clear() say. */
void agent_cache_set_sent(struct agent_cache *cache, const char *uid, bool sent);
bool agent_cache_is_sent(const struct agent_cache *cache, const char *uid);
/** A whole Agent just read, while the entry did not change. Takes ownership. */
void agent_cache_put(struct agent_cache *cache, struct agent *agent);
/** A deletion of the Agent of that uid is sent, or has been answered. */
void agent_cache_set_leaving(struct agent_cache *cache, const char *uid, bool leaving);
/** Whether one is on its way. */
bool agent_cache_is_leaving(const struct agent_cache *cache, const char *uid);
/** We deleted it, or found it gone: it counts as terminating until its end is seen. */
void agent_cache_mark_deleting(struct agent_cache *cache, const char *name, const char *uid);

/* --- listings: begin, then an item each, then apply or abandon --- */

/** A listing is about to be sent; one at a time. Forgets one under way. */
void agent_cache_list_begin(struct agent_cache *cache);
/** An item of that name whose bytes have this digest. True when they are those of last time, so
 * that nothing needs to be decoded. */
bool agent_cache_list_same(struct agent_cache *cache, const char *name, uint64_t digest);
/** A decoded item. Takes ownership. */
void agent_cache_list_item(struct agent_cache *cache, struct agent *agent, uint64_t digest);
/** The listing is whole. version: of the collection; an event from before it tells nothing of an
 * Agent that it does not have. starts_stream: the stream goes on from it, so that what it holds
 * will not come as events. */
void agent_cache_list_apply(struct agent_cache *cache, const char *version, bool starts_stream);
void agent_cache_list_abandon(struct agent_cache *cache);

#endif
