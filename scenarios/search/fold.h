/* fold - the places of a run in their order: how often each was there before, and which of them are
 * alike, so that a fault at one of them tells what it does at the others.
 *
 * Places are alike when they are the same moment of the same call of the same replica (or the same
 * timer of it) and nothing happened between them but what goes on and on: Leases renewed by whom
 * they were renewed before, and calls that went as they had gone before, well or not (struct site's
 * turn). Of those that are alike the first and the last are tried. */
#ifndef SCENARIOS_SEARCH_FOLD_H
#define SCENARIOS_SEARCH_FOLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "scenarios/world/probe.h"

struct fold;

struct fold *fold_new(void) MUST_CHECK;
/** Takes NULL. */
void fold_free(struct fold *fold);

/** The next place of the run. Returns how many like it a fault of a file counts, with this one: its
 * nth. */
uint64_t fold_add(struct fold *fold, const struct site *site);
size_t fold_count(const struct fold *fold);
/** The place of that index, from 0, as it was added. */
const struct site *fold_site(const struct fold *fold, size_t index);

/** Once all were added: whether the place of that index is tried. */
bool fold_is_tried(const struct fold *fold, size_t index);

#endif
