/* collector_decide - what the garbage collector does with an object, by its owners: the rule alone
 * (fakeapi/WIRE.md K1 to K7). */
#ifndef FAKEAPI_CLUSTER_COLLECTOR_DECIDE_H
#define FAKEAPI_CLUSTER_COLLECTOR_DECIDE_H

#include <stdbool.h>
#include <stddef.h>

/** What became of one owner. */
enum owner_state {
    OWNER_SOLID,   /* there, with that uid */
    OWNER_ABSENT,  /* not there, or another one of that name */
    OWNER_WAITING, /* there, being deleted in the foreground: it waits for its dependents */
    OWNER_UNKNOWN, /* of a kind that nobody serves: leave the object be (K3) */
};

struct collector_view {
    bool deleting;
    bool orphan_finalizer;
    bool foreground_finalizer;
    size_t solid; /* how many owners are what */
    size_t absent;
    size_t waiting;
    size_t unknown;
    bool has_dependents;
    bool has_blocking_dependents; /* that hold up its own deletion */
};

enum collector_action {
    COLLECT_NOTHING,
    COLLECT_STRIP, /* take the references to absent and waiting owners out (K2) */
    COLLECT_DELETE_BACKGROUND,
    COLLECT_DELETE_FOREGROUND,
    COLLECT_DELETE_ORPHAN,
    COLLECT_ORPHAN_DEPENDENTS,  /* then take the finalizer off (K5) */
    COLLECT_DELETE_DEPENDENTS,  /* those that block (K4) */
    COLLECT_RELEASE_FOREGROUND, /* take the finalizer off: nothing blocks any more */
};

enum collector_action collector_decide(const struct collector_view *view);

#endif
