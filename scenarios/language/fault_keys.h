/* fault_keys - what a fault may say, as fakeapi/faults reads it: described, for people and for the
 * schema. Those of faults at processes are read, and described, in fault_rules.c. */
#ifndef SCENARIOS_LANGUAGE_FAULT_KEYS_H
#define SCENARIOS_LANGUAGE_FAULT_KEYS_H

#include "scenarios/language/reader.h"

extern const struct key_table match_table;
extern const struct key_table when_table;
extern const struct key_table api_fault_table;

#endif
