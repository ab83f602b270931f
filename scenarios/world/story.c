/* story - see story.h. */
#include "scenarios/world/story.h"

#include <inttypes.h>
#include <stdlib.h>

#include "controller/base/time.h"

void story_tell(struct story *story, int64_t at_us, char *text)
{
    struct story_line *line = &story->lines[story->count++ % STORY_LINES_MAX];

    free(line->text);
    *line = (struct story_line){at_us, text};
}

void story_append(const struct story *story, struct buffer *buffer)
{
    uint64_t first = story->count > STORY_LINES_MAX ? story->count - STORY_LINES_MAX : 0;

    for (uint64_t i = first; i < story->count; i++) {
        const struct story_line *line = &story->lines[i % STORY_LINES_MAX];

        buffer_append_format(buffer, "%7" PRId64 ".%03" PRId64 " %s\n", line->at_us / US_PER_SECOND,
                             line->at_us % US_PER_SECOND / US_PER_MS, line->text);
    }
}

void story_release(struct story *story)
{
    for (size_t i = 0; i < STORY_LINES_MAX; i++)
        free(story->lines[i].text);
    *story = (struct story){0};
}
