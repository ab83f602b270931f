/* run_env_json - the JSON texts inside variables of a run, with the CRD's field names; fields that
 * are not set are left out (RULES.md 2.5). For run_env alone.
 *
 * Every result is the caller's to put. blank(key) gives the Secret key that may be named. */
#ifndef CONTROLLER_JOBS_RUN_ENV_JSON_H
#define CONTROLLER_JOBS_RUN_ENV_JSON_H

#include "controller/base/attributes.h"
#include "controller/base/json.h"
#include "controller/kinds/agent.h"
#include "controller/kinds/definition.h"

struct json_object *run_env_sinks(const struct definition *recipe,
                                  const char *(*blank)(const char *key)) MUST_CHECK;
/* A server without a variable for its headers gets an empty headers_secret. */
struct json_object *run_env_servers(const struct definition *recipe,
                                    const struct text_list *variables) MUST_CHECK;
struct json_object *run_env_repos(const struct definition *recipe) MUST_CHECK;
struct json_object *run_env_texts(const struct text_list *texts) MUST_CHECK;
struct json_object *run_env_selects(const struct definition *recipe) MUST_CHECK;
struct json_object *run_env_watches(const struct definition *recipe) MUST_CHECK;
struct json_object *run_env_parameters(const struct agent_spec *spec) MUST_CHECK;
struct json_object *run_env_files(const struct agent_spec *spec,
                                  const char *(*blank)(const char *key)) MUST_CHECK;

#endif
