/* junit - results as JUnit XML, the way common CI systems read it. */
#ifndef SCENARIOS_REPORT_JUNIT_H
#define SCENARIOS_REPORT_JUNIT_H

#include "scenarios/report/result.h"

/** The whole document: a suite for each folder of scenarios, a case for each scenario. */
void junit_append(const struct result *results, size_t count, struct buffer *buffer);

#endif
