/* schemas - what fields are called and hold: of our own kinds from their CRDs, of built-in ones
 * from the server's field tables. A typo in a manifest or in an expectation is found before
 * anything runs. */
#ifndef SCENARIOS_LANGUAGE_SCHEMAS_H
#define SCENARIOS_LANGUAGE_SCHEMAS_H

#include "scenarios/language/reader.h"

/** The CRDs, parsed: half of what reading a scenario costs, so that who reads many keeps them. */
struct schemas *schemas_new(void) MUST_CHECK;
/** Takes NULL. */
void schemas_free(struct schemas *schemas);

enum schemas_use {
    SCHEMAS_MANIFEST,
    SCHEMAS_CLAIM, /* lists have their own keys, and what must be equal is one of an enumeration */
};

/** Checks a field that stands at the top of an object of this kind: every unknown field in it is a
 * problem, and every value that no object can have. Kinds that are neither ours nor built in, and
 * readers without schemas, are let through. */
void schemas_check(struct reader *reader, const char *kind, const struct yaml_member *field,
                   enum schemas_use use);

/** "metadata", "status" or "spec", whichever of them has such a field in this kind; NULL: none. */
const char *schemas_parent_of(struct reader *reader, const char *kind, const char *field);

#endif
