/* refs - Stations and recipes as they were last read, shared by all reconciles that may believe
 * them: those that were asked for no later than the read was sent. What was missing is not
 * remembered. */
#ifndef CONTROLLER_AGENTS_REFS_H
#define CONTROLLER_AGENTS_REFS_H

#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/time.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/station.h"

/** More Stations, and more recipes, than this are not kept. */
#define REFS_MAX 256

/** Nothing older is believed, however long the pass takes that it was read for: a pass over
 * thousands of Agents against a slow server takes minutes. */
#define REFS_AGE_MAX_US (15 * US_PER_SECOND)

struct refs;
/** One Station or recipe, counted: whoever has one drops it. */
struct ref;

/** Since when what was read may be believed at now_us by one who was asked for at since_us. */
int64_t refs_believed_since(int64_t since_us, int64_t now_us);

struct refs *refs_new(void) MUST_CHECK;
/** Those that somebody still has stay until they are dropped. Takes NULL. */
void refs_free(struct refs *refs);
void refs_clear(struct refs *refs);

/** What was read of that name by a request sent at since_us of the elapsed clock or later; NULL
 * when nothing was. */
struct ref *refs_station(const struct refs *refs, const char *name, int64_t since_us);
struct ref *refs_definition(const struct refs *refs, const char *name, int64_t since_us);

/** Takes ownership of what a request sent at sent_us has read, in the place of what was known, if
 * that is older. */
struct ref *refs_add_station(struct refs *refs, struct station *station, int64_t sent_us);
struct ref *refs_add_definition(struct refs *refs, struct definition *definition, int64_t sent_us);

/** NULL for a recipe, or a Station. Borrowed until the ref is dropped. */
const struct station *ref_station(const struct ref *ref);
const struct definition *ref_definition(const struct ref *ref);
/** Takes NULL. */
void ref_drop(struct ref *ref);

#endif
