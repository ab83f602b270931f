/* account_token - the JSON Web Tokens of ServiceAccounts: claims into text and back (RFC 7519).
 *
 * Signed with HS256 (HMAC-SHA-256, RFC 7518): who checks them is the one who made them. Pure.
 * Rules: WIRE.md A3, A4. */
#ifndef FAKEAPI_ACCESS_ACCOUNT_TOKEN_H
#define FAKEAPI_ACCESS_ACCOUNT_TOKEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "fakeapi/access/words.h"

#define ACCOUNT_TOKEN_ISSUER "https://kubernetes.default.svc.cluster.local"
#define ACCOUNT_TOKEN_KEY_SIZE 32
/** Longest token; names, uids and a few audiences fit. */
#define ACCOUNT_TOKEN_BYTES_MAX ((size_t)16 * 1024)

/** What a token is bound to besides its account. */
enum account_bound { BOUND_TO_NONE, BOUND_TO_POD, BOUND_TO_SECRET, BOUND_TO_NODE };

/** A name and a uid; init with {0}: none. */
struct account_ref {
    char *name;
    char *uid;
};

struct account_claims { /* init with {0} */
    bool secret_form;   /* of a Secret: the older claims, which never expire */
    char *namespace;
    struct account_ref account;
    enum account_bound bound;
    struct account_ref bound_to;
    struct account_ref node; /* of the pod that it is bound to; name NULL: none */
    struct words audiences;
    char *id;          /* jti; NULL: none */
    int64_t issued_s;  /* seconds since 1970; also: not before */
    int64_t expires_s; /* 0: never */
};

void account_claims_release(struct account_claims *claims);

/** The token; free() it. */
char *account_token_make(const struct account_claims *claims,
                         const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE]) MUST_CHECK;
/** Reads a token that was signed with key. False when it is none: not well-formed, another
 * algorithm, another key. Whether it holds (time, the account's life) is the caller's question. */
bool account_token_read(const char *token, size_t size, const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE],
                        struct account_claims *ret_claims) MUST_CHECK;

#endif
