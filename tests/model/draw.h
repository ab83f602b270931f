/* draw - random requests: what is likely to be good, to be wrong in one way, or to be late. */
#ifndef TESTS_MODEL_DRAW_H
#define TESTS_MODEL_DRAW_H

#include "tests/model/model.h"
#include "tests/model/random.h"

/** The next request for a world in that state; ask_release() it. The same stream and the same
 * state make the same request. */
void draw(struct random *random, const struct model *model, struct ask *ask);

#endif
