/* Tokens of ServiceAccounts: what is made is read again, and nothing else is (WIRE.md A3, A4). */
#include "fakeapi/access/account_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"

static const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE] = {1, 2, 3};
static const uint8_t other_key[ACCOUNT_TOKEN_KEY_SIZE] = {1, 2, 4};

static struct account_claims make_claims(void)
{
    struct account_claims claims = {
        .namespace = xstrdup("ns"),
        .account = {xstrdup("robot"), xstrdup("uid-1")},
        .id = xstrdup("jti-1"),
        .issued_s = 1000,
        .expires_s = 4600
    };

    words_add(&claims.audiences, "one");
    words_add(&claims.audiences, "two");
    return claims;
}

static void test_form(void **state)
{
    struct account_claims claims = make_claims();
    char *token = account_token_make(&claims, key);
    char *first = strchr(token, '.');
    char *second = strchr(first + 1, '.');
    size_t size;
    char *header;
    char *payload;

    (void)state;
    *first = *second = '\0';
    header = base64_decode(token, true, &size);
    payload = base64_decode(first + 1, true, &size);
    assert_string_equal(header, "{\"alg\":\"HS256\",\"typ\":\"JWT\"}");
    assert_string_equal(
        payload, "{\"aud\":[\"one\",\"two\"],\"exp\":4600,\"iat\":1000,"
                 "\"iss\":\"https://kubernetes.default.svc.cluster.local\",\"jti\":\"jti-1\","
                 "\"kubernetes.io\":{\"namespace\":\"ns\","
                 "\"serviceaccount\":{\"name\":\"robot\",\"uid\":\"uid-1\"}},\"nbf\":1000,"
                 "\"sub\":\"system:serviceaccount:ns:robot\"}");
    free(header);
    free(payload);
    free(token);
    account_claims_release(&claims);
}

static void test_round_trip(void **state)
{
    struct account_claims claims = make_claims();
    struct account_claims read = {0};
    char *token;

    (void)state;
    claims.bound = BOUND_TO_POD;
    claims.bound_to = (struct account_ref){xstrdup("pod-1"), xstrdup("uid-2")};
    claims.node = (struct account_ref){xstrdup("node-1"), NULL};
    token = account_token_make(&claims, key);
    assert_true(account_token_read(token, strlen(token), key, &read));
    assert_false(read.secret_form);
    assert_string_equal(read.namespace, "ns");
    assert_string_equal(read.account.name, "robot");
    assert_string_equal(read.account.uid, "uid-1");
    assert_int_equal(read.bound, BOUND_TO_POD);
    assert_string_equal(read.bound_to.name, "pod-1");
    assert_string_equal(read.bound_to.uid, "uid-2");
    assert_string_equal(read.node.name, "node-1");
    assert_null(read.node.uid);
    assert_true(words_equal(&read.audiences, &claims.audiences));
    assert_string_equal(read.id, "jti-1");
    assert_int_equal(read.issued_s, 1000);
    assert_int_equal(read.expires_s, 4600);
    free(token);
    account_claims_release(&claims);
    account_claims_release(&read);
}

static void test_secret_form(void **state)
{
    struct account_claims claims = {
        .secret_form = true,
        .namespace = xstrdup("ns"),
        .account = {xstrdup("robot"), xstrdup("uid-1")},
        .bound = BOUND_TO_SECRET,
        .bound_to = {.name = xstrdup("s")               }
    };
    struct account_claims read = {0};
    char *token = account_token_make(&claims, key);

    (void)state;
    assert_true(account_token_read(token, strlen(token), key, &read));
    assert_true(read.secret_form);
    assert_string_equal(read.account.uid, "uid-1");
    assert_int_equal(read.bound, BOUND_TO_SECRET);
    assert_string_equal(read.bound_to.name, "s");
    assert_int_equal(read.expires_s, 0);
    free(token);
    account_claims_release(&claims);
    account_claims_release(&read);
}

static bool reads(const char *token, size_t size)
{
    struct account_claims claims = {0};
    bool ok = account_token_read(token, size, key, &claims);

    account_claims_release(&claims);
    return ok;
}

/* Every change of one character makes it another's. */
static void test_changed(void **state)
{
    struct account_claims claims = make_claims();
    char *token = account_token_make(&claims, key);
    size_t size = strlen(token);

    (void)state;
    assert_true(reads(token, size));
    for (size_t i = 0; i < size; i++) {
        char was = token[i];

        token[i] = was == 'A' ? 'B' : 'A';
        if (reads(token, size))
            fail_msg("a change at %zu of %zu was taken", i, size);
        token[i] = was;
        if (reads(token, i))
            fail_msg("the first %zu of %zu bytes were taken", i, size);
    }
    free(token);
    account_claims_release(&claims);
}

static void test_other_key(void **state)
{
    struct account_claims claims = make_claims();
    char *token = account_token_make(&claims, other_key);

    (void)state;
    assert_false(reads(token, strlen(token)));
    free(token);
    account_claims_release(&claims);
}

/* A token of this header and payload, rightly signed. */
static char *sign(const char *header, const char *payload)
{
    char *first = base64_encode(header, strlen(header), true);
    char *second = base64_encode(payload, strlen(payload), true);
    char *body = xprintf("%s.%s", first, second);
    uint8_t digest[SHA256_SIZE];
    char *signature;
    char *token;

    digest_hmac_sha256(key, sizeof(key), body, strlen(body), digest);
    signature = base64_encode(digest, sizeof(digest), true);
    token = xprintf("%s.%s", body, signature);
    free(first);
    free(second);
    free(body);
    free(signature);
    return token;
}

#define HEADER "{\"alg\":\"HS256\",\"typ\":\"JWT\"}"
#define ISSUER "\"iss\":\"https://kubernetes.default.svc.cluster.local\""

static void test_payloads(void **state)
{
    static const struct {
        const char *header;
        const char *payload;
        bool want;
    } rows[] = {
        {HEADER,
         "{" ISSUER ",\"kubernetes.io\":{\"namespace\":\"n\",\"serviceaccount\":{\"name\":\"a\","
         "\"uid\":\"u\"}}}",                                                                         true },
        {"{\"alg\":\"HS512\",\"typ\":\"JWT\"}",
         "{" ISSUER ",\"kubernetes.io\":{\"namespace\":\"n\",\"serviceaccount\":{\"name\":\"a\","
         "\"uid\":\"u\"}}}",                                                                         false},
        {"{\"alg\":\"none\",\"typ\":\"JWT\"}",
         "{" ISSUER ",\"kubernetes.io\":{\"namespace\":\"n\",\"serviceaccount\":{\"name\":\"a\","
         "\"uid\":\"u\"}}}",                                                                         false},
        {HEADER,
         "{\"iss\":\"x\",\"kubernetes.io\":{\"namespace\":\"n\",\"serviceaccount\":{\"name\":\"a\","
         "\"uid\":\"u\"}}}",                                                                         false},
        {HEADER,
         "{" ISSUER ",\"kubernetes.io\":{\"serviceaccount\":{\"name\":\"a\",\"uid\":\"u\"}}}",
         false                                                                                            },
        {HEADER,
         "{" ISSUER ",\"kubernetes.io\":{\"namespace\":\"n\",\"serviceaccount\":{\"name\":\"a\"}}}",
         false                                                                                            },
        {HEADER,
         "{" ISSUER ",\"kubernetes.io\":{\"namespace\":\"n\",\"pod\":{},\"serviceaccount\":{"
         "\"name\":\"a\",\"uid\":\"u\"}}}",                                                          false},
        {HEADER,                                "{" ISSUER "}",                                      false},
        {HEADER,                                "[]",                                                false},
        {HEADER,                                "",                                                  false},
        {HEADER,                                "{" ISSUER ",\"kubernetes.io\":[1]}",                false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *token = sign(rows[i].header, rows[i].payload);

        if (reads(token, strlen(token)) != rows[i].want)
            fail_msg("row %zu: %s", i, rows[i].payload);
        free(token);
    }
}

static void test_no_tokens(void **state)
{
    static const char *const texts[] = {"",
                                        ".",
                                        "..",
                                        "a.b.c",
                                        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9",
                                        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.",
                                        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9..",
                                        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.e30.",
                                        "eyJhbGciOiJub25lIiwidHlwIjoiSldUIn0.e30."};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        if (reads(texts[i], strlen(texts[i])))
            fail_msg("'%s' was taken", texts[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_form),        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_secret_form), cmocka_unit_test(test_changed),
        cmocka_unit_test(test_other_key),   cmocka_unit_test(test_payloads),
        cmocka_unit_test(test_no_tokens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
