/* accounts - tokens made and checked against the store. */
#include "fakeapi/access/accounts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"

void accounts_key_make(struct accounts_key *key, struct runtime *rt)
{
    for (size_t i = 0; !key->made && i < sizeof(key->bytes); i += sizeof(uint64_t)) {
        uint64_t random = runtime_random(rt);

        memcpy(key->bytes + i, &random, sizeof(random));
    }
    key->made = true;
}

char *accounts_make(struct accounts *accounts, const struct account_claims *claims)
{
    accounts_key_make(accounts->key, accounts->rt);
    return account_token_make(claims, accounts->key->bytes);
}

static const struct store_object *find(const struct accounts *accounts, const char *plural,
                                       const char *namespace, const char *name)
{
    return store_get(store_find_resource(accounts->store, "", plural), namespace, name);
}

/* --- does it hold? --- */

static bool check_time(const struct accounts *accounts, const struct account_claims *claims,
                       struct error *err)
{
    int64_t now_s = runtime_wall_us(accounts->rt) / US_PER_SECOND;

    if (claims->expires_s != 0 && now_s >= claims->expires_s)
        return error_set(err, ERROR_DENIED, "service account token has expired");
    if (now_s < claims->issued_s)
        return error_set(err, ERROR_DENIED, "service account token is not valid yet");
    return true;
}

static bool check_audience(const struct account_claims *claims, const struct words *wanted,
                           struct words *ret_audiences, struct error *err)
{
    const struct words *has = &claims->audiences;
    struct words own = {0};
    struct words common = {0};

    if (claims->secret_form) /* it names none, and so is the server's */
        words_add(&own, ACCOUNTS_AUDIENCE);
    if (claims->secret_form)
        has = &own;
    for (size_t i = 0; i < wanted->count; i++)
        if (words_has(has, wanted->items[i]))
            words_add_new(&common, wanted->items[i]);
    words_release(&own);
    if (common.count == 0)
        return error_set(err, ERROR_DENIED, "token audiences do not match");
    if (ret_audiences != NULL)
        *ret_audiences = common;
    else
        words_release(&common);
    return true;
}

static bool check_account(const struct accounts *accounts, const struct account_claims *claims,
                          struct error *err)
{
    const struct store_object *account =
        find(accounts, "serviceaccounts", claims->namespace, claims->account.name);

    if (account == NULL)
        return error_set(err, ERROR_DENIED, "serviceaccounts \"%s\" not found",
                         claims->account.name);
    if (account->deleting)
        return error_set(err, ERROR_DENIED, "service account %s/%s has been deleted",
                         claims->namespace, claims->account.name);
    if (strcmp(account->uid, claims->account.uid) != 0)
        return error_set(err, ERROR_DENIED, "service account UID (%s) does not match claim (%s)",
                         account->uid, claims->account.uid);
    return true;
}

/* A Secret's own token holds as long as the Secret says it. */
static bool secret_holds(const struct store_object *secret, const char *token, size_t size)
{
    struct json_object *tree = store_object_parse(secret);
    const char *encoded = json_get_text(json_get_object(tree, "data"), "token");
    size_t kept_size = 0;
    char *kept = encoded == NULL ? NULL : base64_decode(encoded, false, &kept_size);
    bool same = kept != NULL && digest_equal(kept, kept_size, token, size);

    free(kept);
    json_object_put(tree);
    return same;
}

static bool check_bound(const struct accounts *accounts, const struct account_claims *claims,
                        const char *token, size_t size, struct error *err)
{
    static const char *const plurals[] = {
        [BOUND_TO_POD] = "pods", [BOUND_TO_SECRET] = "secrets", [BOUND_TO_NODE] = "nodes"};
    const char *namespace = claims->bound == BOUND_TO_NODE ? "" : claims->namespace;
    const struct store_object *object;
    bool holds;

    if (claims->bound == BOUND_TO_NONE)
        return true;
    object = find(accounts, plurals[claims->bound], namespace, claims->bound_to.name);
    holds = object != NULL && !object->deleting;
    if (holds && claims->secret_form)
        holds = secret_holds(object, token, size);
    else if (holds)
        holds = text_equal(claims->bound_to.uid, object->uid);
    if (holds)
        return true;
    return error_set(err, ERROR_DENIED, "service account token has been invalidated");
}

/* --- who is it? (A3) --- */

static void add_extra(struct access_user *user, const char *key, const char *value)
{
    if (value != NULL)
        access_user_add_extra(user, key, value);
}

static struct access_user make_user(const struct account_claims *claims)
{
    struct access_user user =
        access_user_of_account(claims->namespace, claims->account.name, claims->account.uid);
    const struct account_ref *node =
        claims->bound == BOUND_TO_NODE ? &claims->bound_to : &claims->node;
    char *credential = claims->id == NULL ? NULL : xprintf("JTI=%s", claims->id);

    add_extra(&user, "authentication.kubernetes.io/credential-id", credential);
    add_extra(&user, "authentication.kubernetes.io/node-name", node->name);
    add_extra(&user, "authentication.kubernetes.io/node-uid", node->uid);
    if (claims->bound == BOUND_TO_POD) {
        add_extra(&user, "authentication.kubernetes.io/pod-name", claims->bound_to.name);
        add_extra(&user, "authentication.kubernetes.io/pod-uid", claims->bound_to.uid);
    }
    free(credential);
    return user;
}

bool accounts_authenticate(const struct accounts *accounts, const char *token, size_t size,
                           const struct words *wanted, struct access_user *ret_user,
                           struct words *ret_audiences, struct error *err)
{
    struct account_claims claims = {0};
    bool ok;

    if (!accounts->key->made || !account_token_read(token, size, accounts->key->bytes, &claims))
        return error_set(err, ERROR_MALFORMED, "invalid bearer token");
    ok = check_time(accounts, &claims, err) && check_account(accounts, &claims, err) &&
         check_bound(accounts, &claims, token, size, err) &&
         check_audience(&claims, wanted, ret_audiences, err);
    if (ok)
        *ret_user = make_user(&claims);
    account_claims_release(&claims);
    return ok;
}

char *accounts_secret_token(struct accounts *accounts, const struct store_object *account,
                            const char *secret_name)
{
    struct account_claims claims = {
        .secret_form = true,
        .namespace = xstrdup(account->namespace),
        .account = {xstrdup(account->name), xstrdup(account->uid)},
        .bound = BOUND_TO_SECRET,
        .bound_to = {.name = xstrdup(secret_name)                     }
    };
    char *token = accounts_make(accounts, &claims);

    account_claims_release(&claims);
    return token;
}
