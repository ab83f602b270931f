/* roster - the Agents of each Station by what they are to it, kept as they change: what counts at
 * one Station costs the same however many others there are (RULES.md 3.4, 3.5). For the cache. */
#ifndef CONTROLLER_AGENTS_ROSTER_H
#define CONTROLLER_AGENTS_ROSTER_H

#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/text_list.h"

enum roster_part {
    ROSTER_PENDING,   /* capacity_waits() */
    ROSTER_RUNNING,   /* capacity_counts() */
    ROSTER_SUCCEEDED, /* prune_counts(), by phase */
    ROSTER_FAILED,
    ROSTER_PART_COUNT,
    ROSTER_NONE = ROSTER_PART_COUNT,
};

struct rosters;
struct roster;

/** Where one Agent stands; begins as {0}. Belongs to the Agent's owner. */
struct roster_place {
    const struct agent *agent; /* NULL: nowhere */
    struct roster *roster;
    enum roster_part part;
    struct roster_place *prev;
    struct roster_place *next;
};

struct rosters *rosters_new(void) MUST_CHECK;
/** Every place must have been emptied. Takes NULL. */
void rosters_free(struct rosters *rosters);

/** The Agent stands at that place as it is now; NULL empties it. To be told again when the Agent
 * has changed, before anything else is asked. */
void rosters_set(struct rosters *rosters, struct roster_place *place, const struct agent *agent);

size_t rosters_count(const struct rosters *rosters, const char *station, enum roster_part part);
/** The first place of a Station's part; the others by next, in no order. NULL: none. */
const struct roster_place *rosters_first(const struct rosters *rosters, const char *station,
                                         enum roster_part part);
/** Appends the Stations where anything has ended, by name. */
void rosters_ended(struct rosters *rosters, struct text_list *stations);

#endif
