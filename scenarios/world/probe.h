/* probe - a search looks into a run: it is shown every place at which one more fault could be put,
 * and can put it there.
 *
 * The fault is that of a file whose entry says "sweep: true" (language/scenario.h), with the number
 * of such places so far as its "nth": whoever puts it and whoever runs that file from its beginning
 * sees the same run. */
#ifndef SCENARIOS_WORLD_PROBE_H
#define SCENARIOS_WORLD_PROBE_H

#include <stdint.h>

#include "scenarios/language/scenario.h"
#include "scenarios/world/world.h"

struct world;

/** Which moment of a call, or what else. Each call of a replica is seen at several. */
enum site_stage {
    SITE_WAY,      /* before anything of the call is sent: faults of the network */
    SITE_SENT,     /* faults of a process: as the call is sent, */
    SITE_APPLIED,  /* ... once it is carried out, but the answer has not arrived, */
    SITE_ANSWERED, /* ... and once it is answered */
    SITE_ARRIVED,  /* the API server is about to decide on it */
    SITE_EVENT,    /* the API server is about to send an event of a watch */
    SITE_TIMER,    /* a timer of a replica fires */
    SITE_STAGE_COUNT,
};

/** All borrowed for the call; texts of a timer are "". */
struct site {
    enum site_stage stage;
    const char *peer;     /* the replica */
    const char *verb;     /* of struct fault_call */
    const char *resource; /* "agents/status" */
    const char *name;     /* of the object, of an event too */
    uintptr_t origin;     /* of a timer: which one, as far as the code can tell; else 0 */
    /* Goes up whenever something happens that changes what there is to do: see world_stir().
     * Between two changes only Leases were renewed, and each call went as it had gone before: well,
     * or with the same error. */
    uint64_t turn;
};

struct world_probe {
    void (*on_site)(void *arg, struct world *world, const struct site *site);
    /** The run is over and judged; nothing of it is freed yet. */
    void (*on_end)(void *arg, const struct outcome *outcome);
    void *arg;
};

/** At a site of which the fault speaks, in on_site: it happens right here; nth, as in its file,
 * does not count. The fault lives as long as the world. */
void world_put_fault(struct world *world, const struct fault *fault);
/** Nobody will ask for the trace hash of this run: it is all zeros. */
void world_leave_hash(struct world *world);
/** The run ends, as nothing more in it matters. */
void world_stop(struct world *world);

#endif
