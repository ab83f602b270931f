/* bound - the names of a scenario and the values that they have so far, while it runs: the same for
 * the simulation and for real processes. */
#ifndef SCENARIOS_LANGUAGE_BOUND_H
#define SCENARIOS_LANGUAGE_BOUND_H

#include "scenarios/language/answer.h"

struct bound {
    const struct scenario *scenario;
    struct expression_name *names;
    size_t name_count;
    struct arena arena; /* texts, and steps that were filled in */
};

/** The scenario is borrowed for as long. */
void bound_start(struct bound *bound, const struct scenario *scenario);
void bound_release(struct bound *bound);

/** Gives the binding's name its value: its own, or what object has at its field. ERROR_NOT_FOUND
 * where object (NULL: there is none) has no number, text or flag there. */
bool bound_take(struct bound *bound, const struct binding *binding, struct json_object *object,
                struct error *err) MUST_CHECK;

/** Likewise all that the step wants of an answer; *ret_name is whose value is missing. */
bool bound_take_answer(struct bound *bound, const struct step *step, const struct answer *answer,
                       const char **ret_name, struct error *err) MUST_CHECK;

/** The step with every value in it, or step itself where it needs none. NULL where that cannot be,
 * which is a problem, or what a name stands for is not known yet. */
const struct step *bound_fill(struct bound *bound, const struct step *step,
                              struct problems *problems);
/** What is expected at the end, likewise. */
const struct claims *bound_fill_expect(struct bound *bound, struct problems *problems);

#endif
