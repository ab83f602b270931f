/* prompt - a recipe's prompt with an Agent's parameters filled in (RULES.md 2.6). */
#ifndef CONTROLLER_JOBS_PROMPT_H
#define CONTROLLER_JOBS_PROMPT_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/kinds/agent.h"

/** Longest rendered prompt: it is one argument of a process, in an object that etcd limits to
 * 1.5 MiB; a template may repeat a long value. */
#define PROMPT_BYTES_MAX ((size_t)1024 * 1024)

/** Renders "{name}" where name is a parameter; anything else is copied, and values are not looked
 * at again. ERROR_TOO_LARGE past PROMPT_BYTES_MAX. free() the text. */
bool prompt_render(const char *template_text, const struct agent_spec *spec, char **ret_prompt,
                   struct error *err) MUST_CHECK;

#endif
