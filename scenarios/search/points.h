/* points - what a sweep tries: at each place of a run each kind of fault that makes sense there.
 *
 * Pure: places come from a run (world/probe.h), kinds from language/fault_kinds.h. */
#ifndef SCENARIOS_SEARCH_POINTS_H
#define SCENARIOS_SEARCH_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/json.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/world/probe.h"

/** Most kinds, and most that one place has. */
#define POINTS_KINDS_MAX 256

/** The kinds that are tried at a site, in the order of their table; returns how many. A place has a
 * kind once: what nobody could tell apart from it, such as a process that dies as its question goes
 * out and one that dies as the answer comes, is not tried there. */
size_t points_at(const struct site *site, const struct fault_kind *ret_kinds[POINTS_KINDS_MAX]);

/** The fault as it stands in a file: the nth such place. json_object_put() it. */
struct json_object *point_fault(const struct site *site, const struct fault_kind *kind,
                                uint64_t nth) MUST_CHECK;

/** "crash as ctl-0 sends create jobs, the 2nd time": for people. free() it. */
char *point_describe(const struct site *site, const struct fault_kind *kind,
                     uint64_t nth) MUST_CHECK;

/** Adds the fault to a scenario, a tree of document.h. Takes ownership of fault. */
void point_put(struct json_object *scenario, struct json_object *fault);

#endif
