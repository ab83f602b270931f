/* tap - results in the Test Anything Protocol, version 14: a subtest
 * for each scenario. */
#ifndef SCENARIOS_REPORT_TAP_H
#define SCENARIOS_REPORT_TAP_H

#include "scenarios/report/result.h"

/** "TAP version 14" and the plan. */
void tap_append_head(size_t count, struct buffer *buffer);

/** number counts from 1. */
void tap_append(const struct result *result, size_t number, struct buffer *buffer);

#endif
