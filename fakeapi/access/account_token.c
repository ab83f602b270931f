/* account_token - claims into tokens and back. */
#include "fakeapi/access/account_token.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/access/user.h"

/* {"alg":"HS256","typ":"JWT"}: no other header is taken, so that nobody chooses an algorithm. */
static const char header[] = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9";

/* The older claims have flat names, all with this in front. */
#define OLD_ISSUER "kubernetes/serviceaccount"
#define OLD_CLAIM "kubernetes.io/serviceaccount/"

static const char *const bound_names[] = {
    [BOUND_TO_POD] = "pod", [BOUND_TO_SECRET] = "secret", [BOUND_TO_NODE] = "node"};

static void ref_release(struct account_ref *ref)
{
    free(ref->name);
    free(ref->uid);
}

void account_claims_release(struct account_claims *claims)
{
    free(claims->namespace);
    ref_release(&claims->account);
    ref_release(&claims->bound_to);
    ref_release(&claims->node);
    words_release(&claims->audiences);
    free(claims->id);
    *claims = (struct account_claims){0};
}

/* --- making --- */

static void set_ref(struct json_object *object, const char *key, const struct account_ref *ref)
{
    struct json_object *value = json_ensure_object(object, key);

    json_set_text(value, "name", ref->name);
    if (ref->uid != NULL)
        json_set_text(value, "uid", ref->uid);
}

static struct json_object *make_claims(const struct account_claims *claims)
{
    struct json_object *tree = json_object_new_object();
    struct json_object *own = json_object_new_object();
    char *subject = access_user_name_of_account(claims->namespace, claims->account.name);

    json_set(tree, "aud", words_to_json(&claims->audiences));
    if (claims->expires_s != 0)
        json_set_int64(tree, "exp", claims->expires_s);
    json_set_int64(tree, "iat", claims->issued_s);
    json_set_text(tree, "iss", ACCOUNT_TOKEN_ISSUER);
    if (claims->id != NULL)
        json_set_text(tree, "jti", claims->id);
    json_set_text(own, "namespace", claims->namespace);
    if (claims->node.name != NULL)
        set_ref(own, "node", &claims->node);
    if (claims->bound != BOUND_TO_NONE)
        set_ref(own, bound_names[claims->bound], &claims->bound_to);
    set_ref(own, "serviceaccount", &claims->account);
    json_set(tree, "kubernetes.io", own);
    json_set_int64(tree, "nbf", claims->issued_s);
    json_set_text(tree, "sub", subject);
    free(subject);
    return tree;
}

static struct json_object *make_old_claims(const struct account_claims *claims)
{
    struct json_object *tree = json_object_new_object();
    char *subject = access_user_name_of_account(claims->namespace, claims->account.name);

    json_set_text(tree, "iss", OLD_ISSUER);
    json_set_text(tree, OLD_CLAIM "namespace", claims->namespace);
    json_set_text(tree, OLD_CLAIM "secret.name", claims->bound_to.name);
    json_set_text(tree, OLD_CLAIM "service-account.name", claims->account.name);
    json_set_text(tree, OLD_CLAIM "service-account.uid", claims->account.uid);
    json_set_text(tree, "sub", subject);
    free(subject);
    return tree;
}

char *account_token_make(const struct account_claims *claims,
                         const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE])
{
    struct json_object *tree = claims->secret_form ? make_old_claims(claims) : make_claims(claims);
    uint8_t digest[SHA256_SIZE];
    size_t size;
    char *json = json_to_text(tree, &size);
    char *payload = base64_encode(json, size, true);
    char *body = xprintf("%s.%s", header, payload);
    char *signature;
    char *token;

    digest_hmac_sha256(key, ACCOUNT_TOKEN_KEY_SIZE, body, strlen(body), digest);
    signature = base64_encode(digest, sizeof(digest), true);
    token = xprintf("%s.%s", body, signature);
    free(signature);
    free(body);
    free(payload);
    free(json);
    json_object_put(tree);
    return token;
}

/* --- reading --- */

static bool is_signed(const char *token, size_t body_size, const char *signature,
                      const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE])
{
    uint8_t digest[SHA256_SIZE];
    size_t size = 0;
    char *given = base64_decode(signature, true, &size);
    bool same;

    digest_hmac_sha256(key, ACCOUNT_TOKEN_KEY_SIZE, token, body_size, digest);
    same = given != NULL && digest_equal(given, size, digest, sizeof(digest));
    free(given);
    return same;
}

static struct account_ref read_ref(const struct json_object *object)
{
    return (struct account_ref){.name = xstrdup(json_get_text(object, "name")),
                                .uid = xstrdup(json_get_text(object, "uid"))};
}

static void read_bound(const struct json_object *own, struct account_claims *claims)
{
    struct json_object *node = json_get_object(own, "node");

    for (enum account_bound bound = BOUND_TO_POD; bound <= BOUND_TO_NODE; bound++) {
        struct json_object *object = json_get_object(own, bound_names[bound]);

        if (object == NULL || claims->bound != BOUND_TO_NONE)
            continue;
        claims->bound = bound;
        claims->bound_to = read_ref(object);
    }
    if (claims->bound == BOUND_TO_POD && node != NULL)
        claims->node = read_ref(node);
}

static void read_claims(const struct json_object *tree, struct account_claims *claims)
{
    struct json_object *own = json_get_object(tree, "kubernetes.io");

    claims->namespace = xstrdup(json_get_text(own, "namespace"));
    claims->account = read_ref(json_get_object(own, "serviceaccount"));
    read_bound(own, claims);
    claims->audiences = words_parse(json_get(tree, "aud"));
    claims->id = xstrdup(json_get_text(tree, "jti"));
    claims->issued_s = json_get_int64(tree, "nbf", 0);
    claims->expires_s = json_get_int64(tree, "exp", 0);
}

static void read_old_claims(const struct json_object *tree, struct account_claims *claims)
{
    claims->secret_form = true;
    claims->namespace = xstrdup(json_get_text(tree, OLD_CLAIM "namespace"));
    claims->account.name = xstrdup(json_get_text(tree, OLD_CLAIM "service-account.name"));
    claims->account.uid = xstrdup(json_get_text(tree, OLD_CLAIM "service-account.uid"));
    claims->bound = BOUND_TO_SECRET;
    claims->bound_to.name = xstrdup(json_get_text(tree, OLD_CLAIM "secret.name"));
}

static bool read_payload(const char *payload, size_t size, struct account_claims *claims)
{
    char *text = xmemdup(payload, size);
    size_t json_size = 0;
    char *json = base64_decode(text, true, &json_size);
    struct json_object *tree = NULL;
    struct error err = ERROR_INIT;
    bool ok = json != NULL && json_parse(json, json_size, ACCOUNT_TOKEN_BYTES_MAX, &tree, &err);
    const char *issuer = json_get_text(tree, "iss");

    if (ok && text_equal(issuer, OLD_ISSUER))
        read_old_claims(tree, claims);
    else if (ok && text_equal(issuer, ACCOUNT_TOKEN_ISSUER))
        read_claims(tree, claims);
    ok = claims->namespace != NULL && claims->account.name != NULL && claims->account.uid != NULL;
    ok = ok && (claims->bound == BOUND_TO_NONE || claims->bound_to.name != NULL);
    json_object_put(tree);
    free(json);
    free(text);
    return ok;
}

bool account_token_read(const char *token, size_t size, const uint8_t key[ACCOUNT_TOKEN_KEY_SIZE],
                        struct account_claims *ret_claims)
{
    struct account_claims claims = {0};
    const size_t begin = sizeof(header); /* behind the header and its dot */
    const char *dot;
    char *signature;
    bool ok;

    if (size > ACCOUNT_TOKEN_BYTES_MAX || size <= begin || token[begin - 1] != '.' ||
        memcmp(token, header, begin - 1) != 0)
        return false;
    dot = memchr(token + begin, '.', size - begin);
    if (dot == NULL)
        return false;
    signature = xmemdup(dot + 1, size - (size_t)(dot + 1 - token));
    ok = is_signed(token, (size_t)(dot - token), signature, key) &&
         read_payload(token + begin, (size_t)(dot - token) - begin, &claims);
    free(signature);
    if (ok)
        *ret_claims = claims;
    else
        account_claims_release(&claims);
    return ok;
}
