/* sweep_point - one point of a sweep as a scenario file. */
#ifndef SCENARIOS_WORKERS_SWEEP_POINT_H
#define SCENARIOS_WORKERS_SWEEP_POINT_H

#include "controller/base/buffer.h"
#include "controller/base/error.h"
#include "scenarios/search/points.h"
#include "scenarios/world/world.h"

struct sweep_point {
    uint64_t number; /* from 1, in the order of the run and of the table of kinds */
    const struct site *site;
    const struct fault_kind *kind;
    uint64_t nth;
};

/** The scenario with the fault: everything that its file includes, or fills in, is in it. */
void sweep_point_append(const struct scenario *scenario, const struct sweep_point *point,
                        struct buffer *text);

/** "DIR/first-run-succeeds-17.yaml"; free() it. */
char *sweep_point_path(const char *directory, const struct scenario *scenario,
                       const struct sweep_point *point) MUST_CHECK;

/** Runs the scenario up to the point of that number and appends its file. ERROR_NOT_FOUND when
 * there are not so many. */
bool sweep_point_find(const struct scenario *scenario, const struct world_kit *kit, uint64_t number,
                      struct buffer *text, struct error *err) MUST_CHECK;

#endif
