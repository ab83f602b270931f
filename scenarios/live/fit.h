/* fit - which scenarios can be played by real processes. */
#ifndef SCENARIOS_LIVE_FIT_H
#define SCENARIOS_LIVE_FIT_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "scenarios/language/scenario.h"

/** NULL when it can be played live; else why not, one line: free() it. What needs another network,
 * another clock or a moment inside a program exists in the simulation only. */
char *live_unfit(const struct scenario *scenario) MUST_CHECK;

#endif
