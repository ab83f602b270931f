/* github - failures as commands of GitHub's runners, which show them beside the files. */
#ifndef SCENARIOS_REPORT_GITHUB_H
#define SCENARIOS_REPORT_GITHUB_H

#include "scenarios/report/result.h"

/** GitHub itself shows but ten errors of a step. */
#define GITHUB_ANNOTATIONS_MAX 50

/** "::error file=a.yaml,line=12,col=1,title=first/bad::..." of a failure; nothing of others. */
void github_append(const struct result *result, const char *program, struct buffer *buffer);

#endif
