/* argv - how each agent CLI is called (RULES.md 2.7). One function per vendor. */
#ifndef CONTROLLER_JOBS_ARGV_H
#define CONTROLLER_JOBS_ARGV_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/text_list.h"

/** What a call depends on. All texts are "" when absent. */
struct argv_input {
    const struct definition *definition;
    const char *model;  /* of the Agent, else of the recipe; without the default */
    const char *prompt; /* rendered */
    const char *resume; /* a session to go on with */
    const char *pin;    /* the id of the session to be */
};

/** The argv of the run; *ret_argv was empty. Fails only for exec, with one of the constants of
 * RULES.md 2.7. */
bool argv_build(const struct argv_input *input, struct text_list *ret_argv,
                struct error *err) MUST_CHECK;

#endif
