/* job_build - the Job of a run, from the Agent, its Station and its recipe (RULES.md 2.2 to 2.7).
 *
 * Pure: structs in, JSON text out. */
#ifndef CONTROLLER_JOBS_JOB_BUILD_H
#define CONTROLLER_JOBS_JOB_BUILD_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/definition.h"
#include "controller/kinds/station.h"

/** All of it is borrowed. */
struct job_order {
    const char *agent_name;
    const char *agent_uid;
    const char *namespace_name;
    const char *agent_image; /* of the init container */
    const struct agent_spec *spec;
    const struct station *station;
    const struct definition *definition;
};

/** The Job as compact JSON; free() it. Fails with ERROR_INVALID (a constant of RULES.md 2.3 or
 * 2.7: the Agent's failureReason) or ERROR_TOO_LARGE (a prompt that no Job can hold). */
bool job_build(const struct job_order *order, char **ret_job, size_t *ret_size,
               struct error *err) MUST_CHECK;

/** The model of a run without the default: the Agent's, else the recipe's; "" for neither. */
const char *job_model(const struct agent_spec *spec, const struct definition *definition);

#endif
