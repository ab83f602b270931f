/* edits - the ways in which a scenario's tree can be made smaller or simpler.
 *
 * Those of a kind are counted from 0. Each takes something away or makes it simpler, so that
 * applying them again and again comes to an end. Whether the outcome is still a scenario, and what
 * it does, is for others to find out. */
#ifndef SCENARIOS_SEARCH_EDITS_H
#define SCENARIOS_SEARCH_EDITS_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/* In the order in which they are tried: what makes runs shorter comes first. */
enum edit_kind {
    EDIT_CHUNKS,   /* without half of a list at the top, a quarter, ... */
    EDIT_PARTS,    /* without some key, or some item of a list */
    EDIT_RESEEDED, /* as EDIT_PARTS, from one of a few seeds */
    EDIT_SINGLE,   /* one object instead of several, an item instead of a list of one */
    EDIT_CERTAIN,  /* what depends on the seed happens at a certain request instead */
    EDIT_SOONER,   /* less time between two things */
    EDIT_VALUES,   /* smaller numbers, shorter texts and durations */
    EDIT_SEED,     /* a smaller seed */
    EDIT_KIND_COUNT,
};

/** What they must heed. */
struct edit_context {
    const char *kills; /* as in struct outcome, may be NULL: after what the tree's kills happened */
    bool bounded_faults; /* a fault may go, but not become a larger one: an invariant holds under
                            any, a claim only under those that its file has in mind */
};

/** A copy of the tree after that edit; NULL: there are not so many. */
struct json_object *edit_make(const struct json_object *tree, enum edit_kind kind, size_t index,
                              const struct edit_context *context) MUST_CHECK;

#endif
