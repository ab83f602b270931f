/* admission - which reconciles are under way at which Station (admission_decide.h). */
#ifndef CONTROLLER_AGENTS_ADMISSION_H
#define CONTROLLER_AGENTS_ADMISSION_H

#include <stdbool.h>

#include "controller/agents/admission_decide.h"
#include "controller/base/attributes.h"

struct admissions;

struct admissions *admissions_new(void) MUST_CHECK;
/** Takes NULL. */
void admissions_free(struct admissions *admissions);

/** A reconcile of that part begins, or has ended, at the Station of that name. With ADMISSION_NONE
 * the name may be NULL. */
void admissions_enter(struct admissions *admissions, const char *station, enum admission_part part);
void admissions_leave(struct admissions *admissions, const char *station, enum admission_part part);

struct admission_load admissions_load(const struct admissions *admissions, const char *station);

#endif
