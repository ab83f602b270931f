/* trial - one run of a scenario that is still a text: what all searching comes down to. */
#ifndef SCENARIOS_SEARCH_TRIAL_H
#define SCENARIOS_SEARCH_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "scenarios/world/world.h"

/** How it ended. */
struct trial {
    char *problems;         /* why the text is no scenario, whole lines; NULL: it is one */
    uint64_t seed;          /* the one it was run under */
    struct outcome outcome; /* all zero when it was not run */
};

/** Reads and runs a text. path is what it is called in messages; seed may be NULL: the text's own.
 * Release it. */
void trial_run(const struct world_kit *kit, const char *path, const void *bytes, size_t size,
               const uint64_t *seed, struct trial *ret_trial);
void trial_release(struct trial *trial);

/** To and from bytes, for the way between processes: all but the trace of the outcome. */
void trial_append(const struct trial *trial, struct buffer *buffer);
bool trial_parse(const char *bytes, size_t size, struct trial *ret_trial,
                 struct error *err) MUST_CHECK;

/** Whether two failures are of one kind: the same invariant, or the same claim that differs in the
 * same way (the field, what it was to be, and what it was instead; numbers do not matter). False
 * if one of them did not fail. */
bool trial_fails_like(const struct trial *trial, const struct outcome *failure);

#endif
