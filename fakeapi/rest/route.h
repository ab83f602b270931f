/* route - a request's target taken apart (WIRE.md D5): words only, nothing is looked up here. */
#ifndef FAKEAPI_REST_ROUTE_H
#define FAKEAPI_REST_ROUTE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"

/** Most path segments, and longest target. */
#define ROUTE_SEGMENTS_MAX 16
#define ROUTE_BYTES_MAX ((size_t)16 * 1024)

/** Texts are owned; absent ones are "". */
struct route {
    char *path;                         /* as sent, without the query */
    char *query;                        /* as sent, without '?'; NULL when there is none */
    bool query_broken;                  /* a name or value in it cannot be decoded: refuse it all */
    char *segments[ROUTE_SEGMENTS_MAX]; /* decoded; for paths that are no resource */
    size_t segment_count;
    bool resource; /* the following name one */
    const char *group;
    const char *version;
    const char *plural;
    const char *namespace;
    const char *name;
    const char *subresource;
    bool deeper;       /* there are segments behind the subresource */
    bool watch_prefix; /* the deprecated /watch/ form (W2) */
};

/** False when the target is no path, too long, or an escape in it is broken. */
bool route_parse(const char *target, struct route *ret_route) MUST_CHECK;
void route_release(struct route *route);

/** A query parameter, decoded; NULL when absent. free() it. Of a broken query nothing is read: what
 * a request asked for is unknown then, and none must be carried out. */
char *route_query(const struct route *route, const char *name) MUST_CHECK;
/** A boolean one: present and neither "false" nor "0" (W1). */
bool route_query_flag(const struct route *route, const char *name);

#endif
