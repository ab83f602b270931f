/* Properties of access/bearer, token_table and account_token: whatever is shown, it is taken whole
 * or refused with words, and what is taken can be used. The first byte says which of them reads the
 * rest. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "fakeapi/access/account_token.h"
#include "fakeapi/access/bearer.h"
#include "fakeapi/access/token_table.h"
#include "fuzz/harness.h"

static const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE] = {7};

static void try_header(const char *header)
{
    const char *token = NULL;
    size_t token_size = 0;

    if (!bearer_find(header, &token, &token_size))
        return;
    assert(token_size > 0 && token >= header && memchr(token, ' ', token_size) == NULL);
    assert(token + token_size <= header + strlen(header));
}

static void try_file(const char *text, size_t size)
{
    struct token_table *table = token_table_new();
    struct error err = ERROR_INIT;
    const struct access_user *user;

    if (!token_table_load(table, text, size, &err))
        assert(err.kind != ERROR_NONE && err.text[0] != '\0');
    user = token_table_find(table, text, strcspn(text, ","));
    assert(user == NULL || access_user_name(user)[0] != '\0');
    token_table_free(table);
}

static void check_token(const char *token, size_t size)
{
    struct account_claims claims = {0};

    if (!account_token_read(token, size, key, &claims)) {
        assert(claims.namespace == NULL && claims.audiences.count == 0);
        return;
    }
    assert(claims.namespace != NULL && claims.account.name != NULL && claims.account.uid != NULL);
    assert(claims.bound == BOUND_TO_NONE || claims.bound_to.name != NULL);
    account_claims_release(&claims);
}

/* As claims, rightly signed: what only a holder of the key can show. */
static void try_claims(const char *claims, size_t size)
{
    char *payload = base64_encode(claims, size, true);
    char *body = xprintf("eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.%s", payload);
    uint8_t digest[SHA256_SIZE];
    char *signature;
    char *token;

    digest_hmac_sha256(key, sizeof(key), body, strlen(body), digest);
    signature = base64_encode(digest, sizeof(digest), true);
    token = xprintf("%s.%s", body, signature);
    check_token(token, strlen(token));
    free(token);
    free(signature);
    free(body);
    free(payload);
}

int fuzz_one(const uint8_t *bytes, size_t size)
{
    char *text;

    if (size == 0)
        return 0;
    text = xmemdup(bytes + 1, size - 1);
    switch (bytes[0]) {
    case 'h':
        try_header(text);
        break;
    case 'f':
        try_file(text, size - 1);
        break;
    case 'c':
        try_claims(text, size - 1);
        break;
    default:
        check_token(text, size - 1);
        break;
    }
    free(text);
    return 0;
}
