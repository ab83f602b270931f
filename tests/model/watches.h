/* watches - what a watch is told: what is there first, and every later event once, in order
 * (WIRE.md W1 to W10). */
#ifndef TESTS_MODEL_WATCHES_H
#define TESTS_MODEL_WATCHES_H

#include "tests/model/model.h"

/** One watch, as the model follows it. */
struct watcher {
    const struct ask *ask; /* borrowed */
    uint64_t cursor;       /* all up to this revision was told */
    bool over;             /* nothing will follow: it began too far back */
};

/** Begins a watch. A refusal is put into answer; else returns the lines it begins with, a list of
 * {type, object}. */
struct json_object *watcher_begin(const struct model *model, const struct ask *ask,
                                  struct watcher *watcher, struct answer *answer);
/** The lines that the events since are worth. */
struct json_object *watcher_follow(const struct model *model, struct watcher *watcher);

#endif
