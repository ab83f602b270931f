/* json_repeats - which keys of a text repeat, for json.c alone.
 *
 * The gate finds out whether any does at no cost; this goes through the text once more to say
 * which. */
#ifndef CONTROLLER_BASE_JSON_REPEATS_H
#define CONTROLLER_BASE_JSON_REPEATS_H

#include "controller/base/json.h"

/** Adds the paths of all keys that repeat in a text that has passed the gate but for them, in the
 * order in which they are repeated. */
void json_repeats_find(struct json_slice text, struct json_repeats *repeats);

#endif
