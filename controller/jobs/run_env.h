/* run_env - the environment of a run, in its order (RULES.md 2.5). For job_build alone. */
#ifndef CONTROLLER_JOBS_RUN_ENV_H
#define CONTROLLER_JOBS_RUN_ENV_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "controller/jobs/job_build.h"

/** The env array of the container "agent". The caller's to put. */
struct json_object *run_env_agent(const struct job_order *order) MUST_CHECK;

/** The env array of the init container: the same without what is the vendor's, and the files to
 * fetch (RULES.md 2.4). The caller's to put. */
struct json_object *run_env_init(const struct job_order *order) MUST_CHECK;

/** The variable that holds the headers of each MCP server: its Secret key in capitals, every
 * character that is neither letter nor digit an underscore. "" for no key, and where that variable
 * holds something else: it is reserved, or of another key. text_list_release() it. */
struct text_list run_env_header_variables(const struct definition *recipe) MUST_CHECK;

/** A name that a recipe may not set. */
bool run_env_is_reserved(const char *name);

#endif
