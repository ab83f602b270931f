/* junit - results as JUnit XML, the way common CI systems read it. */
#ifndef SCENARIOS_REPORT_JUNIT_H
#define SCENARIOS_REPORT_JUNIT_H

#include "scenarios/report/result.h"

/** The whole document: a suite for each scenario, a case for each of its steps and assertions. Its
 * times are real ones; virtual ones are in properties and in the cases' output. */
void junit_append(const struct result *results, size_t count, const char *program,
                  struct buffer *buffer);

#endif
