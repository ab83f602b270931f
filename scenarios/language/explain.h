/* explain - what a key of a scenario file does, told from the tables that read it. */
#ifndef SCENARIOS_LANGUAGE_EXPLAIN_H
#define SCENARIOS_LANGUAGE_EXPLAIN_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "scenarios/language/reader.h"

/** Deepest key: "faults.do.stale.age" has 4. */
#define EXPLAIN_DEPTH_MAX 8

/** One key where it stands. */
struct explained {
    const struct key_table *tables[EXPLAIN_DEPTH_MAX]; /* the last is the key's own */
    const struct key *keys[EXPLAIN_DEPTH_MAX];         /* the last is the key itself */
    size_t depth;                                      /* of both, 1 at least */
};

/** Tells of every key in the order of the tables, each table once: what stands under "wait" is told
 * under "wait" and not again under "assert". */
void explain_each(void (*fn)(void *arg, const struct explained *key), void *arg);

/** "steps.wait". */
void explain_append_path(const struct explained *key, struct buffer *buffer);

/** "steps.within", or another path of a key of this name; NULL: there is none. In the arena. */
const char *explain_path_of(struct arena *arena, const char *name);

/** "a duration such as 30s": what may be written. */
void explain_append_type(const struct key *key, struct buffer *buffer);

/** Every key and its sentence, a line each. */
void explain_list(struct buffer *buffer);

/** What the key at a path such as "steps.wait" does, what may be written, what holds without it,
 * and an example. A last part alone, such as "wait", is looked for everywhere. ERROR_INVALID, with
 * what is closest, where there is none. */
bool explain_append(const char *path, struct buffer *buffer, struct error *err) MUST_CHECK;

#endif
