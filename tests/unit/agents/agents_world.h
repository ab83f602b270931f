/* agents_world - for tests: the lifecycle against an API server that keeps Agents, Stations,
 * recipes, Jobs and pods, and tells every request as "12.000 PATCH agents/a Running 200". */
#ifndef TESTS_UNIT_AGENTS_AGENTS_WORLD_H
#define TESTS_UNIT_AGENTS_AGENTS_WORLD_H

#include <stdbool.h>

#include "controller/agents/agents.h"
#include "tests/unit/kube/script.h"

/** A request that goes wrong: the next ones whose told text begins with prefix. */
struct agents_fault {
    const char *prefix;
    int times;
    unsigned status;         /* answered; 0: never answered */
    bool applies;            /* it is done all the same */
    int64_t delay_us;        /* of the answer, also of a right one (status 200) */
    const char *retry_after; /* a header; or NULL */
    bool gateway;            /* the answer is not the API server's own */
};

struct agents_world {
    struct script script;
    struct agents *agents;
    struct metrics *metrics;
    struct json_object *objects; /* "agents/a": the object */
    int64_t version;
    int64_t list_version;      /* above 0: what listings say instead */
    const char *list_continue; /* the token of every page; or NULL */
    bool short_watches;        /* each ends at once */
    bool echoes;               /* each request is followed by news of every Agent */
    bool leading;
    bool watched;      /* a watch is open */
    bool silent_reads; /* reads are not told */
    struct agents_fault fault;
    char *body; /* of the answer under way */
};

/** A cmocka set-up and tear-down; *state is the world. Not leading yet. */
int agents_world_set_up(void **state);
int agents_world_tear_down(void **state);

void agents_world_lead(struct agents_world *world);
void agents_world_stand_by(struct agents_world *world);

/** Puts an object under "plural/name", with a new version, and tells the watch. body is what it has
 * beside its metadata: "\"spec\":{...}". Agents get a uid, and a creationTimestamp that counts. */
void agents_world_put(struct agents_world *world, const char *key, const char *body);
/** Tells the watch of Jobs that a Job has ended, as the text of its row's status. */
void agents_world_tell_job(struct agents_world *world, const char *agent, const char *uid,
                           const char *status);
/** Removes it, and tells the watch. */
void agents_world_remove(struct agents_world *world, const char *key);
/** A member of an object as a text, by its path of keys: "status", "phase". "" when absent. */
const char *agents_world_text(const struct agents_world *world, const char *key, const char *member,
                              const char *field);

#endif
