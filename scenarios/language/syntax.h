/* syntax - what is wrong with a file that is no YAML, in words that say what to write instead. */
#ifndef SCENARIOS_LANGUAGE_SYNTAX_H
#define SCENARIOS_LANGUAGE_SYNTAX_H

#include "scenarios/language/problems.h"

/** Adds the problem that yaml_parse() found at a place of the text, in our words and, where that is
 * elsewhere, at the place that has to be changed. */
void syntax_problem(struct problems *problems, struct place place, const char *bytes, size_t size,
                    const char *error);

#endif
