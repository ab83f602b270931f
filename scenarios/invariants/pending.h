/* pending - calls under way that an invariant has taken note of, until they are answered. */
#ifndef SCENARIOS_INVARIANTS_PENDING_H
#define SCENARIOS_INVARIANTS_PENDING_H

#include <stdint.h>

#include <uthash.h>

struct pending_call {
    uint64_t id;
    char *note;
    UT_hash_handle hh;
};

struct pending {
    struct pending_call *calls;
};

/** Takes ownership of note. */
void pending_put(struct pending *pending, uint64_t id, char *note);
/** The note of a call, which is forgotten; NULL when there is none. free() it. */
char *pending_take(struct pending *pending, uint64_t id);
void pending_release(struct pending *pending);

#endif
