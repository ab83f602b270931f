/* fault_keys - which requests and events a fault looks at: read by fakeapi/faults, described here
 * for people and for the schema. What it does is in fault_kinds.h. */
#ifndef SCENARIOS_LANGUAGE_FAULT_KEYS_H
#define SCENARIOS_LANGUAGE_FAULT_KEYS_H

#include "scenarios/language/reader.h"

extern const struct key_table match_table;
extern const struct key_table when_table;

#endif
