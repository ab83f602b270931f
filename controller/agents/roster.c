#include "controller/agents/roster.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>
#include <utlist.h>

#include "controller/agents/capacity_decide.h"
#include "controller/agents/prune_decide.h"
#include "controller/base/memory.h"

/* One Station; never empty. */
struct roster {
    char *station;
    struct roster_place *places[ROSTER_PART_COUNT];
    size_t counts[ROSTER_PART_COUNT];
    UT_hash_handle hh;
};

struct rosters {
    struct roster *rosters; /* by Station */
};

struct rosters *rosters_new(void)
{
    return xcalloc(1, sizeof(struct rosters));
}

void rosters_free(struct rosters *rosters)
{
    if (rosters == NULL)
        return;
    assert(rosters->rosters == NULL);
    free(rosters);
}

static struct roster *find(const struct rosters *rosters, const char *station)
{
    struct roster *roster;

    HASH_FIND_STR(rosters->rosters, station, roster);
    return roster;
}

static struct roster *ensure(struct rosters *rosters, const char *station)
{
    struct roster *roster = find(rosters, station);

    if (roster != NULL)
        return roster;
    roster = xcalloc(1, sizeof(*roster));
    roster->station = xstrdup(station);
    HASH_ADD_KEYPTR(hh, rosters->rosters, roster->station, strlen(roster->station), roster);
    return roster;
}

static void leave(struct rosters *rosters, struct roster_place *place)
{
    struct roster *roster = place->roster;
    size_t left = 0;

    DL_DELETE(roster->places[place->part], place);
    roster->counts[place->part]--;
    place->roster = NULL;
    for (size_t i = 0; i < ROSTER_PART_COUNT; i++)
        left += roster->counts[i];
    if (left > 0)
        return;
    HASH_DEL(rosters->rosters, roster);
    free(roster->station);
    free(roster);
}

static enum roster_part part_of(const struct agent *agent)
{
    if (agent == NULL || agent->station == NULL)
        return ROSTER_NONE;
    if (capacity_counts(agent, agent->station))
        return ROSTER_RUNNING;
    if (capacity_waits(agent))
        return ROSTER_PENDING;
    if (!prune_counts(agent, agent->station))
        return ROSTER_NONE;
    return agent->phase == AGENT_SUCCEEDED ? ROSTER_SUCCEEDED : ROSTER_FAILED;
}

void rosters_set(struct rosters *rosters, struct roster_place *place, const struct agent *agent)
{
    enum roster_part part = part_of(agent);

    if (place->roster != NULL)
        leave(rosters, place);
    place->agent = agent;
    place->part = part;
    if (part == ROSTER_NONE)
        return;
    place->roster = ensure(rosters, agent->station);
    place->roster->counts[part]++;
    DL_APPEND(place->roster->places[part], place);
}

size_t rosters_count(const struct rosters *rosters, const char *station, enum roster_part part)
{
    const struct roster *roster = find(rosters, station);

    return roster == NULL ? 0 : roster->counts[part];
}

const struct roster_place *rosters_first(const struct rosters *rosters, const char *station,
                                         enum roster_part part)
{
    const struct roster *roster = find(rosters, station);

    return roster == NULL ? NULL : roster->places[part];
}

static int by_station(const struct roster *a, const struct roster *b)
{
    return strcmp(a->station, b->station);
}

void rosters_ended(struct rosters *rosters, struct text_list *stations)
{
    HASH_SORT(rosters->rosters, by_station);
    for (const struct roster *roster = rosters->rosters; roster != NULL; roster = roster->hh.next) {
        if (roster->counts[ROSTER_SUCCEEDED] + roster->counts[ROSTER_FAILED] > 0)
            text_list_add(stations, roster->station);
    }
}
