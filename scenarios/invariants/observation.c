/* observation - see observation.h. */
#include "scenarios/invariants/observation.h"

#include <stdio.h>
#include <string.h>

#include "controller/base/text.h"

/** Most segments of a path that matter. */
#define SEGMENTS_MAX 10
#define SEGMENT_SIZE 256

struct segments {
    char items[SEGMENTS_MAX][SEGMENT_SIZE];
    size_t count;
};

static void split(const char *target, struct segments *segments)
{
    segments->count = 0;
    while (*target == '/' && segments->count < SEGMENTS_MAX) {
        size_t size = strcspn(++target, "/?");

        if (size == 0)
            return;
        (void)snprintf(segments->items[segments->count++], SEGMENT_SIZE, "%.*s",
                       (int)(size < SEGMENT_SIZE ? size : SEGMENT_SIZE - 1), target);
        target += size;
    }
}

#define COPY(to, from) (void)snprintf((to), sizeof(to), "%.*s", (int)sizeof(to) - 1, (from))

void api_path_parse(const char *target, struct api_path *ret_path)
{
    struct segments segments;
    size_t next;

    memset(ret_path, 0, sizeof(*ret_path));
    split(target, &segments);
    if (segments.count >= 3 && strcmp(segments.items[0], "api") == 0) {
        next = 2;
    } else if (segments.count >= 4 && strcmp(segments.items[0], "apis") == 0) {
        COPY(ret_path->group, segments.items[1]);
        next = 3;
    } else {
        return;
    }
    if (strcmp(segments.items[next], "namespaces") == 0 && segments.count > next + 2) {
        COPY(ret_path->namespace, segments.items[next + 1]);
        next += 2;
    }
    COPY(ret_path->plural, segments.items[next++]);
    if (next < segments.count)
        COPY(ret_path->name, segments.items[next++]);
    if (next < segments.count)
        COPY(ret_path->subresource, segments.items[next]);
    ret_path->watch = strstr(target, "?watch=") != NULL || strstr(target, "&watch=") != NULL;
}

bool call_is_write(const struct call *call)
{
    return strcmp(call->method, "GET") != 0 && strcmp(call->method, "HEAD") != 0;
}
