/* url - absolute http(s) URLs, request targets and query strings (RFC 3986). */
#ifndef CONTROLLER_BASE_URL_H
#define CONTROLLER_BASE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/buffer.h"
#include "controller/base/error.h"

/** "https://api.example:6443/apis?limit=5" taken apart. */
struct url {
    bool tls;
    char *host;    /* without brackets; lower case */
    uint16_t port; /* the scheme's default filled in */
    char *target;  /* "/apis?limit=5": undecoded, "/" at least, no fragment */
};

/** Refuses user info, spaces, control characters and other schemes than http and https. */
bool url_parse(const char *text, struct url *ret_url, struct error *err) MUST_CHECK;
void url_release(struct url *url);

/** Appends text with everything but RFC 3986 unreserved characters as %XX. */
void url_append_encoded(struct buffer *buffer, const char *text);

/** Decodes %XX (and '+' as a space when plus_is_space). NULL when an escape is broken or gives a
 * NUL; free() it. */
char *url_decode(const char *text, size_t size, bool plus_is_space) MUST_CHECK;

/** The first value of a query parameter, decoded; free() it. *ret_value is NULL when absent.
 * query has no '?' and may be NULL. False when the query is malformed. */
bool url_query_get(const char *query, const char *name, char **ret_value) MUST_CHECK;
/** Whether every name and value in it can be decoded; what url_query_get() is false for is not. */
bool url_query_is_whole(const char *query);

#endif
