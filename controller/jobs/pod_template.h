/* pod_template - a Station's pod template, checked and made into that of a run (RULES.md 2.3, 2.4).
 * For job_build alone. */
#ifndef CONTROLLER_JOBS_POD_TEMPLATE_H
#define CONTROLLER_JOBS_POD_TEMPLATE_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/jobs/job_build.h"
#include "controller/kinds/text_list.h"

/** Whether a run may start from this template, which may be NULL. Fails with a constant of
 * RULES.md 2.3. */
bool pod_template_check(const struct json_object *template, struct error *err) MUST_CHECK;

/** Edits a template that passed the check in place. */
void pod_template_edit(struct json_object *template, const struct job_order *order,
                       const struct text_list *argv);

#endif
