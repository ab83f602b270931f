/* bearer - the token of an Authorization header (WIRE.md A1). Pure. */
#ifndef FAKEAPI_ACCESS_BEARER_H
#define FAKEAPI_ACCESS_BEARER_H

#include <stdbool.h>
#include <stddef.h>

/** Finds the token behind the scheme "Bearer", which is read ignoring case. False when header (may
 * be NULL) has another scheme or no token: it tries to be nobody. *ret_token is within header. */
bool bearer_find(const char *header, const char **ret_token, size_t *ret_size);

#endif
