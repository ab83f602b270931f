/* step_keys - the tables that describe steps, clocks and links. */
#ifndef SCENARIOS_LANGUAGE_STEP_KEYS_H
#define SCENARIOS_LANGUAGE_STEP_KEYS_H

#include "scenarios/language/reader.h"
#include "scenarios/language/scenario.h"

extern const struct key_table scenario_table; /* the whole file */
/** Reads the top mapping of a file that needs no expansion any more, and checks the rules between
 * its keys. */
void scenario_take(struct reader *reader, const struct yaml_node *root, struct scenario *scenario);

extern const struct key_table step_table;
extern const struct key_table clock_table;
extern const struct key_table link_table;
extern const struct key_table meddle_table;
extern const struct key_table deny_table;

#endif
