/* finding - a scenario that fails, as a file that tells what happens in it. */
#ifndef SCENARIOS_SEARCH_FINDING_H
#define SCENARIOS_SEARCH_FINDING_H

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "scenarios/world/world.h"

/** Most lines of the story that are told. */
#define FINDING_STORY_LINES 8

/** The file's name: what failed, and a few letters of a digest of what it was made from:
 * "i-job-1a2b3c.yaml". free() it. */
char *finding_name(const char *failure, const void *source, size_t source_size) MUST_CHECK;

/** "I-JOB holds: each Agent has at most one Job": a description for such a file, in one line.
 * free() it. */
char *finding_description(const struct outcome *outcome) MUST_CHECK;

/** Appends the file: a comment of what failed, the last of what happened before, where it comes
 * from, and how to repeat it; and the scenario. */
void finding_append(struct buffer *buffer, const struct json_object *tree,
                    const struct outcome *outcome, const char *path, const char *origin);

#endif
