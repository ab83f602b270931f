/* environment - what surrounds this process. */
#ifndef SCENARIOS_WORKERS_ENVIRONMENT_H
#define SCENARIOS_WORKERS_ENVIRONMENT_H

#include <stdbool.h>

/** Whether this is a step of a GitHub workflow: GITHUB_ACTIONS is "true". */
bool environment_is_github(void);

#endif
