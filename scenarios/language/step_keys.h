/* step_keys - the tables that describe steps, clocks and links. */
#ifndef SCENARIOS_LANGUAGE_STEP_KEYS_H
#define SCENARIOS_LANGUAGE_STEP_KEYS_H

#include "scenarios/language/reader.h"

extern const struct key_table scenario_table; /* the whole file */
extern const struct key_table step_table;
extern const struct key_table clock_table;
extern const struct key_table link_table;

#endif
