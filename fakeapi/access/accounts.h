/* accounts - the tokens of ServiceAccounts that are in the store: made for them, and asked whether
 * they still hold (WIRE.md A3, A4). */
#ifndef FAKEAPI_ACCESS_ACCOUNTS_H
#define FAKEAPI_ACCESS_ACCOUNTS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/account_token.h"
#include "fakeapi/access/user.h"
#include "fakeapi/store/store.h"

/** The server's own audience: tokens without another are for it, and it takes no others. */
#define ACCOUNTS_AUDIENCE ACCOUNT_TOKEN_ISSUER

/** What tokens are signed with; init with {0}. */
struct accounts_key {
    bool made; /* with the first token */
    uint8_t bytes[ACCOUNT_TOKEN_KEY_SIZE];
};

struct accounts {
    struct runtime *rt;
    struct store *store;
    struct accounts_key *key; /* kept by pointer: tokens may outlive a store */
};

/** Whose the token is. False with ERROR_MALFORMED when it is none of this server's, or ERROR_DENIED
 * with why it does not hold: expired, for others, its account or what it is bound to gone. wanted
 * are the audiences of which it must have one; *ret_audiences (NULL: not wanted) become those that
 * it has. */
bool accounts_authenticate(const struct accounts *accounts, const char *token, size_t size,
                           const struct words *wanted, struct access_user *ret_user,
                           struct words *ret_audiences, struct error *err) MUST_CHECK;

/** Makes the key, unless it is made. */
void accounts_key_make(struct accounts_key *key, struct runtime *rt);

/** Makes a token of claims; free() it. */
char *accounts_make(struct accounts *accounts, const struct account_claims *claims) MUST_CHECK;
/** The token of a Secret of an account; free() it. */
char *accounts_secret_token(struct accounts *accounts, const struct store_object *account,
                            const char *secret_name) MUST_CHECK;

#endif
