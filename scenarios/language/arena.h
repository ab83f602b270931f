/* arena - memory that lives exactly as long as one scenario, freed all at once.
 *
 * What it holds is bounded by the size of the file that it was read from. */
#ifndef SCENARIOS_LANGUAGE_ARENA_H
#define SCENARIOS_LANGUAGE_ARENA_H

#include <stddef.h>

#include "controller/base/attributes.h"

struct arena_block;

struct arena {
    struct arena_block *blocks;
};

/** Zeroed memory of size bytes; never freed alone. */
void *arena_alloc(struct arena *arena, size_t size) MUST_CHECK;

/** A copy of the text; NULL in, NULL out. */
char *arena_text(struct arena *arena, const char *text) MUST_CHECK;

/** A formatted text. */
char *arena_format(struct arena *arena, const char *format, ...) PRINTF_LIKE(2, 3) MUST_CHECK;

/** Hands thing over: release(thing) is called by arena_release(), latest first. */
void arena_own(struct arena *arena, void *thing, void (*release)(void *thing));

void arena_release(struct arena *arena);

#endif
