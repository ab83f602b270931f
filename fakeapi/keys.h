/* keys - what makes credentials good, kept in a file from one run to the next: the authority's
 * certificate, the key of ServiceAccount tokens, the administrator's token. */
#ifndef FAKEAPI_KEYS_H
#define FAKEAPI_KEYS_H

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/certificate.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/accounts.h"

/** All owned; NULL or not made: there is none (yet). Init with {0}. */
struct keys {
    struct certificate ca;
    char *token;
    struct accounts_key accounts;
};

void keys_release(struct keys *keys);

/** Reads the file at path; one that is not there holds nothing. Errors name the file and hold
 * nothing of it. */
bool keys_read(struct runtime *rt, const char *path, struct keys *ret_keys,
               struct error *err) MUST_CHECK;
/** Writes them, for the file's owner alone. */
bool keys_write(struct runtime *rt, const char *path, const struct keys *keys,
                struct error *err) MUST_CHECK;

#endif
