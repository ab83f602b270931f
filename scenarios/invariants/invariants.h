/* invariants - what holds in every run, after every event, whatever its scenario says.
 *
 * Each one is a row: its id (scenarios/MUSEUM.md 0.1), a sentence, and what it looks at. The world
 * shows them what happens; the first violation ends the run. */
#ifndef SCENARIOS_INVARIANTS_INVARIANTS_H
#define SCENARIOS_INVARIANTS_INVARIANTS_H

#include "controller/base/attributes.h"
#include "controller/base/log.h"
#include "scenarios/invariants/model.h"
#include "scenarios/invariants/observation.h"

/** What one invariant is given to work with. */
struct judge {
    const struct model *model; /* as it was before the change at hand */
    void *state;               /* what its create() made */
    const char *id;
    struct violation *violation; /* the run's first; id is NULL while there is none */
};

struct violation {
    const char *id;
    int64_t at_us;
    char *text;
};

struct invariant {
    const char *id;
    const char *what; /* one sentence: what holds */
    bool of_store;    /* its state is what it has seen of the store: see invariants_set_back() */
    void (*on_set_back)(
        void *state); /* the same, where more than that is to be forgotten; may be NULL */
    void *(*create)(void);
    void (*destroy)(void *state);
    void (*on_change)(struct judge *judge, const struct change *change);
    void (*on_call)(struct judge *judge, const struct call *call);
    void (*on_log)(struct judge *judge, int64_t at_us, const char *process, enum log_level level,
                   const char *line);
    void (*on_process)(struct judge *judge, int64_t at_us, const char *process,
                       enum process_change change);
    void (*on_secret)(struct judge *judge, const char *text);
    /* from now on the world is at rest: faults are gone, every Agent has ended */
    void (*on_rest)(struct judge *judge, int64_t at_us);
    void (*on_end)(struct judge *judge, int64_t at_us);
};

size_t invariant_count(void);
const struct invariant *invariant_at(size_t index);
const struct invariant *invariant_find(const char *id);

/** Says that the invariant does not hold; only the run's first one is kept. */
void judge_violation(struct judge *judge, int64_t at_us, const char *format, ...) PRINTF_LIKE(3, 4);

/** All of them over one run. */
struct invariants;
struct invariants *invariants_new(void) MUST_CHECK;
/** Only one, for its tests. */
struct invariants *invariants_new_one(const char *id) MUST_CHECK;
void invariants_free(struct invariants *invariants);

/** A text that may stand in no log line and no metric. */
void invariants_secret(struct invariants *invariants, const char *text);

void invariants_change(struct invariants *invariants, const struct change *change);
void invariants_call(struct invariants *invariants, const struct call *call);
/** A line of a log, or metrics (of level info). */
void invariants_log(struct invariants *invariants, int64_t at_us, const char *process,
                    enum log_level level, const char *line);
void invariants_process(struct invariants *invariants, int64_t at_us, const char *process,
                        enum process_change change);
void invariants_rest(struct invariants *invariants, int64_t at_us);
void invariants_end(struct invariants *invariants, int64_t at_us);

/** Agents that have not ended. */
/** The store is another from here on, as it was some time ago: what was learnt of it is forgotten,
 * and what is there comes as CHANGE_PRESENT. What the replicas do is still watched. */
void invariants_set_back(struct invariants *invariants);
size_t invariants_unfinished(const struct invariants *invariants);
/** The first violation, NULL while there is none. */
const struct violation *invariants_violation(const struct invariants *invariants);

#endif
