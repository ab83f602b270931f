/* draw - what a generated scenario is drawn from: one seed, and nothing else.
 *
 * The order of draws is the seed's meaning: whoever changes it changes what all seeds stand for. */
#ifndef SCENARIOS_SEARCH_DRAW_H
#define SCENARIOS_SEARCH_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/prng.h"

struct draw {
    struct prng prng;
};

void draw_init(struct draw *draw, uint64_t seed);
/** From 0 to bound-1. */
uint64_t draw_below(struct draw *draw, uint64_t bound);
/** From low to high, both among them. */
int64_t draw_between(struct draw *draw, int64_t low, int64_t high);
/** True so many times in a hundred. */
bool draw_chance(struct draw *draw, unsigned percent);
/** One of count texts. */
const char *draw_text(struct draw *draw, const char *const *texts, size_t count);
/** From low to high, and as likely near the one as near the other on a scale of magnitudes. */
int64_t draw_magnitude(struct draw *draw, int64_t low, int64_t high);

#define DRAW_ONE_OF(draw, array) draw_text((draw), (array), ARRAY_SIZE(array))

#endif
