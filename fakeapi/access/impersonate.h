/* impersonate - a request that is made as somebody else (WIRE.md A13). */
#ifndef FAKEAPI_ACCESS_IMPERSONATE_H
#define FAKEAPI_ACCESS_IMPERSONATE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/access.h"

/** Most headers of impersonation in one request. */
#define IMPERSONATE_HEADERS_MAX 100

/** Why a request may not be made as somebody else. Release it. */
struct impersonate_refusal {
    char *error; /* the headers make no sense: why; or NULL: */
    /* this was denied: */
    const char *group;
    const char *resource;
    char *subresource;
    char *namespace;
    char *name;
    char *reason; /* NULL: none */
};

void impersonate_refusal_release(struct impersonate_refusal *refusal);

/** Makes *user, who asks, whom the headers name, when *user may; without such headers all stays.
 * False: *user is as it was, and *ret_refusal says why. */
bool impersonate(struct access *access, const struct http_header *headers, size_t header_count,
                 struct access_user *user, struct impersonate_refusal *ret_refusal) MUST_CHECK;

#endif
