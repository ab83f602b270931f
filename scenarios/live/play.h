/* play - a scenario while real processes play it, as the files of this folder share it. */
#ifndef SCENARIOS_LIVE_PLAY_H
#define SCENARIOS_LIVE_PLAY_H

#include "scenarios/language/bound.h"
#include "scenarios/live/stage.h"
#include "scenarios/world/world.h"

#define PLAY_TEXT_BYTES_MAX ((size_t)64 * 1024 * 1024)

struct play {
    const struct scenario *scenario;
    struct stage stage;
    struct outcome *outcome;
    int64_t began_us;
    size_t next_replica; /* that is not started yet */
    bool *taken;         /* timed steps */
    struct bound bound;  /* names with the values that are there */
};

/** Since its beginning. */
int64_t play_now_us(struct play *play);

/** The first failure counts. details may be NULL. */
void play_fail(struct play *play, const char *identity, const char *details, const char *format,
               ...) PRINTF_LIKE(4, 5);
void play_fail_by(struct play *play, const struct error *err);
bool play_has_failed(const struct play *play);

/** All objects of the target's kind and namespace, or the one of its name; an array that the caller
 * puts, NULL after a failure. */
struct json_object *play_objects(struct play *play, const struct target *target) MUST_CHECK;

/* --- person.c --- */

/** An apply, patch or delete, as a person with kubectl; a bind. */
void person_take(struct play *play, const struct step *step);

#endif
