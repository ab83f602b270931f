/* stale - which revision was the last one at which time, for answers that are stale by age. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "fakeapi/rest/parts.h"

static void on_change(void *arg, const struct store_event *event)
{
    struct rest *rest = arg;
    struct revision_mark mark = {.at_us = runtime_elapsed_us(rest->rt),
                                 .revision = event->revision};

    if (rest->faults == NULL)
        return;
    if (rest->marks == NULL)
        rest->marks = xcalloc(REVISION_MARKS_MAX, sizeof(*rest->marks));
    rest->marks[rest->mark_next] = mark;
    rest->mark_next = (rest->mark_next + 1) % REVISION_MARKS_MAX;
    if (rest->mark_count < REVISION_MARKS_MAX)
        rest->mark_count++;
}

const struct store_observer stale_observer = {on_change};

uint64_t stale_revision(const struct rest *rest, int64_t age_us)
{
    int64_t then_us = runtime_elapsed_us(rest->rt) - age_us;

    for (size_t i = 1; i <= rest->mark_count; i++) {
        const struct revision_mark *mark =
            &rest->marks[(rest->mark_next + REVISION_MARKS_MAX - i) % REVISION_MARKS_MAX];

        if (mark->at_us <= then_us)
            return mark->revision;
    }
    return store_oldest_revision(rest->store);
}

uint64_t rest_revision_at(const struct rest *rest, int64_t age_us)
{
    return stale_revision(rest, age_us);
}
