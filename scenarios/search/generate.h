/* generate - a scenario from a seed: a random cluster, its work, and a swarm of faults.
 *
 * At least two replicas, ten Agents, fifteen virtual minutes and four kinds of faults of the table
 * in language/fault_kinds.h. What is drawn makes sense everywhere and at all times: whatever comes
 * of it, the invariants hold, and once faults stop everything settles. So it expects nothing more.
 */
#ifndef SCENARIOS_SEARCH_GENERATE_H
#define SCENARIOS_SEARCH_GENERATE_H

#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

#define GENERATE_REPLICAS_MIN 2
#define GENERATE_AGENTS_MIN 10
#define GENERATE_KINDS_MIN 4
#define GENERATE_SECONDS_MIN 900

/** Appends the text of a scenario file; the same bytes for a seed (at most INT64_MAX) in every
 * build. */
void generate_append(uint64_t seed, struct buffer *text);

#endif
