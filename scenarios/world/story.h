/* story - what happened in a run, line by line, as a person would tell it; the last of it is kept.
 */
#ifndef SCENARIOS_WORLD_STORY_H
#define SCENARIOS_WORLD_STORY_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"

/** Lines kept of those that matter. */
#define STORY_LINES_MAX 48

struct story_line {
    int64_t at_us;
    char *text;
};

struct story {
    struct story_line lines[STORY_LINES_MAX]; /* a ring */
    uint64_t count;                           /* ever told */
};

/** Takes ownership of text. */
void story_tell(struct story *story, int64_t at_us, char *text);

/** "30.004 ctl-1 lease lapsed holder=ctl-0" for each line kept, oldest first. */
void story_append(const struct story *story, struct buffer *buffer);

void story_release(struct story *story);

#endif
