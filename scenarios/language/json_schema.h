/* json_schema - the language as a JSON Schema (draft 7), for completion in editors.
 *
 * It says what the tables say: keys, types, enumerations, bounds. Rules between keys, and whether
 * what is named exists, are the loader's. The tree's copy is scenario.schema.json beside this. */
#ifndef SCENARIOS_LANGUAGE_JSON_SCHEMA_H
#define SCENARIOS_LANGUAGE_JSON_SCHEMA_H

#include "controller/base/json.h"

/** json_object_put() it. */
struct json_object *json_schema_make(void) MUST_CHECK;

#endif
