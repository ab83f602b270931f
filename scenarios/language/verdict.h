/* verdict - whether a claim holds of the objects that are there, and if not, why. */
#ifndef SCENARIOS_LANGUAGE_VERDICT_H
#define SCENARIOS_LANGUAGE_VERDICT_H

#include "controller/base/buffer.h"
#include "scenarios/language/scenario.h"

/** objects are all of the claim's kind and namespace (or, where claim->target.name is set, at
 * least that one). Why it does not hold is appended to why, which may be NULL; each line begins
 * with two spaces and has its end. */
bool claim_holds(const struct claim *claim, struct json_object *const *objects, size_t count,
                 const char *path, struct buffer *why);

/** Each with its place, indented; path is the scenario's. */
void differences_append(const struct differences *differences, const char *path,
                        struct buffer *why);

/** "Agent hello", "a Job", "2 Agents like run-*": what a claim is about. */
void claim_append_subject(const struct claim *claim, struct buffer *buffer);

#endif
