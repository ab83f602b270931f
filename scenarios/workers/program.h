/* program - another runner of scenarios, asked whether a text passes with it. */
#ifndef SCENARIOS_WORKERS_PROGRAM_H
#define SCENARIOS_WORKERS_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** Runs "program run FILE" over a text, and throws away what it prints; *ret_passes is whether it
 * ended with 0. False with ERROR_IO when it cannot be run. */
bool program_passes(const char *program, const void *text, size_t size, bool *ret_passes,
                    struct error *err) MUST_CHECK;

#endif
