/* refs - Stations and recipes already read, for as long as one may believe them: one reconcile, or
 * the sweep and pass that follow a listing. What was missing is not remembered. */
#ifndef CONTROLLER_AGENTS_REFS_H
#define CONTROLLER_AGENTS_REFS_H

#include "controller/base/attributes.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/station.h"

/** More than this is not kept from one reconcile to the next. */
#define REFS_MAX 256

struct refs;

struct refs *refs_new(void) MUST_CHECK;
/** Takes NULL. */
void refs_free(struct refs *refs);
void refs_clear(struct refs *refs);
/** Clears once it holds REFS_MAX; for the time between two reconciles. */
void refs_trim(struct refs *refs);

/** Borrowed until refs_clear(); NULL when not known. */
const struct station *refs_station(const struct refs *refs, const char *name);
const struct definition *refs_definition(const struct refs *refs, const char *name);

/** Takes ownership of what is not known yet under its name, and frees it otherwise. Returns what is
 * known now. */
const struct station *refs_add_station(struct refs *refs, struct station *station);
const struct definition *refs_add_definition(struct refs *refs, struct definition *definition);

#endif
