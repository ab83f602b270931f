/* verbatim - texts of users that come through a kubelet as they were written (RULES.md 2.5, 2.7).
 */
#ifndef CONTROLLER_JOBS_VERBATIM_H
#define CONTROLLER_JOBS_VERBATIM_H

#include "controller/base/attributes.h"

/** The text to be written into a container's command or into the value of a variable so that the
 * process reads this one. A kubelet puts variables, secret ones too, in the place of $(NAME), and a
 * dollar in the place of two: a dollar before '(' or '$' is doubled, and nothing else changes.
 * At most twice as long. free() it. */
char *verbatim(const char *text) MUST_CHECK;

#endif
