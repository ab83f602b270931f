/* lint - what in a good scenario does nothing, or cannot be meant: warnings, not mistakes. */
#ifndef SCENARIOS_LANGUAGE_LINT_H
#define SCENARIOS_LANGUAGE_LINT_H

#include "scenarios/language/scenario.h"

/** Adds what there is to say, beside scenario->unused. */
void lint(const struct scenario *scenario, struct problems *warnings);

#endif
