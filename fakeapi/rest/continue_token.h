/* continue_token - where a list goes on: a revision and the first key of the next page (L6, L7). */
#ifndef FAKEAPI_REST_CONTINUE_TOKEN_H
#define FAKEAPI_REST_CONTINUE_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "fakeapi/rest/status.h"

/** A token for what comes after key; free() it. */
char *continue_token_after(int64_t revision, const char *key) MUST_CHECK;
/** A token that begins at start, as continue_token_read() gave it; free() it. */
char *continue_token_from_start(int64_t revision, const char *start) MUST_CHECK;

/** Takes a token apart. *ret_start is the least key that is not behind the last page: the key
 * that is greater than key by nothing, written as key with a byte 1 behind, or the key itself.
 * *ret_revision is -1 for "as it is now". False with a 400. */
bool continue_token_read(const char *token, int64_t *ret_revision, char **ret_start,
                         struct rest_status *status) MUST_CHECK;

#endif
