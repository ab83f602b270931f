/* admission_decide - whether the reconcile of an Agent may begin beside others (RULES.md 4.5). The
 * rule alone.
 *
 * Agents are reconciled side by side, but whoever may start a run at a Station with a limit is
 * alone there: so the limit is counted exactly, and first come is first served. */
#ifndef CONTROLLER_AGENTS_ADMISSION_DECIDE_H
#define CONTROLLER_AGENTS_ADMISSION_DECIDE_H

#include <stdbool.h>
#include <stddef.h>

/** What a reconcile is to its Agent's Station. */
enum admission_part {
    ADMISSION_NONE,     /* nothing: no Station, or nothing to be done */
    ADMISSION_STARTING, /* of a Pending Agent: it may take a slot */
    ADMISSION_ENDING,   /* of a Running Agent: it may free one */
};

/** Which reconciles are under way at one Station. */
struct admission_load {
    size_t starting;
    size_t ending;
};

struct admission_view {
    enum admission_part part;
    bool bounded; /* the Station allows a limited number of runs, or what it allows is not known */
    bool others_wait; /* others that came earlier are held at the Station */
    struct admission_load load;
};

enum admission { ADMISSION_GO, ADMISSION_HOLD };

enum admission admission_decide(const struct admission_view *view);

/** Whether a reconcile that is one of those of load must leave the Station to the others first: it
 * began while the Station was without a limit. */
bool admission_is_crowded(const struct admission_load *load);

#endif
