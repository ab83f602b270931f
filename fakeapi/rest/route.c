/* route - targets into words. */
#include "fakeapi/rest/route.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/url.h"

void route_release(struct route *route)
{
    free(route->path);
    free(route->query);
    for (size_t i = 0; i < route->segment_count; i++)
        free(route->segments[i]);
    *route = (struct route){0};
}

static bool split(struct route *route)
{
    const char *at = route->path + 1;

    while (*at != '\0') {
        size_t size = strcspn(at, "/");
        char *segment;

        if (route->segment_count == ROUTE_SEGMENTS_MAX)
            return false;
        segment = url_decode(at, size, false);
        if (segment == NULL)
            return false;
        route->segments[route->segment_count++] = segment;
        at += size + (at[size] == '/');
    }
    return true;
}

/* The i-th of count segments; "" behind the last. */
static const char *segment(char *const *segments, size_t count, size_t index)
{
    return index < count ? segments[index] : "";
}

static bool is_namespace_subresource(const char *word)
{
    return strcmp(word, "status") == 0 || strcmp(word, "finalize") == 0;
}

static void read_resource(struct route *route, char *const *words, size_t count)
{
    route->watch_prefix = count > 1 && strcmp(words[0], "watch") == 0;
    if (route->watch_prefix) {
        words++;
        count--;
    }
    if (strcmp(words[0], "namespaces") == 0 && count >= 3 &&
        !(count == 3 && is_namespace_subresource(words[2]))) {
        route->namespace = words[1];
        words += 2;
        count -= 2;
    }
    route->plural = words[0];
    route->name = segment(words, count, 1);
    route->subresource = segment(words, count, 2);
    route->deeper = count > 3;
}

bool route_parse(const char *target, struct route *ret_route)
{
    struct route route = {0};
    size_t size = strcspn(target, "?");

    if (target[0] != '/' || strlen(target) > ROUTE_BYTES_MAX)
        return false;
    route.path = xmemdup(target, size);
    if (target[size] == '?')
        route.query = xstrdup(target + size + 1);
    route.query_broken = !url_query_is_whole(route.query);
    route.group = route.version = route.plural = "";
    route.namespace = route.name = route.subresource = "";
    if (!split(&route)) {
        route_release(&route);
        return false;
    }
    if (route.segment_count >= 3 && strcmp(route.segments[0], "api") == 0) {
        route.resource = true;
        route.version = route.segments[1];
        read_resource(&route, route.segments + 2, route.segment_count - 2);
    } else if (route.segment_count >= 4 && strcmp(route.segments[0], "apis") == 0) {
        route.resource = true;
        route.group = route.segments[1];
        route.version = route.segments[2];
        read_resource(&route, route.segments + 3, route.segment_count - 3);
    }
    *ret_route = route;
    return true;
}

char *route_query(const struct route *route, const char *name)
{
    char *value = NULL;

    if (route->query == NULL || !url_query_get(route->query, name, &value))
        return NULL;
    return value;
}

bool route_query_flag(const struct route *route, const char *name)
{
    char *value = route_query(route, name);
    bool set = value != NULL && strcmp(value, "false") != 0 && strcmp(value, "0") != 0;

    free(value);
    return set;
}
