/* observation - see observation.h. */
#include "scenarios/invariants/observation.h"

#include <string.h>

/** Most segments of a path that matter. */
#define SEGMENTS_MAX 10

/** A part of the path, in place. */
struct segment {
    const char *at;
    size_t size;
};

struct segments {
    struct segment items[SEGMENTS_MAX];
    size_t count;
};

static void split(const char *target, struct segments *segments)
{
    segments->count = 0;
    while (*target == '/' && segments->count < SEGMENTS_MAX) {
        size_t size = strcspn(++target, "/?");

        if (size == 0)
            return;
        segments->items[segments->count++] = (struct segment){target, size};
        target += size;
    }
}

static bool is(const struct segment *segment, const char *text)
{
    return strlen(text) == segment->size && memcmp(segment->at, text, segment->size) == 0;
}

static void copy(char *to, size_t room, const struct segment *segment)
{
    size_t size = segment->size < room ? segment->size : room - 1;

    memcpy(to, segment->at, size);
    to[size] = '\0';
}

#define COPY(to, from) copy((to), sizeof(to), &(from))

void api_path_parse(const char *target, struct api_path *ret_path)
{
    struct segments segments;
    size_t next;

    memset(ret_path, 0, sizeof(*ret_path));
    split(target, &segments);
    if (segments.count >= 3 && is(&segments.items[0], "api")) {
        next = 2;
    } else if (segments.count >= 4 && is(&segments.items[0], "apis")) {
        COPY(ret_path->group, segments.items[1]);
        next = 3;
    } else {
        return;
    }
    if (is(&segments.items[next], "namespaces") && segments.count > next + 2) {
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
