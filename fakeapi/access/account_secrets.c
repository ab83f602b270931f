/* account_secrets - tokens into Secrets. */
#include "fakeapi/access/account_secrets.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/text.h"

static struct store_resource *resource_of(const struct accounts *accounts, const char *plural)
{
    return store_find_resource(accounts->store, "", plural);
}

/* The account that a Secret is for; NULL when it is for none. */
static const char *account_name(const struct json_object *secret)
{
    if (!text_equal(json_get_text(secret, "type"), ACCOUNT_SECRET_TYPE))
        return NULL;
    return json_get_text(json_walk(secret, "metadata", "annotations", NULL), ACCOUNT_SECRET_NAME);
}

/* Whether it has a token that holds for the account. */
static bool is_filled(const struct accounts *accounts, const struct json_object *secret,
                      const struct store_object *account)
{
    const char *encoded = json_get_text(json_get_object(secret, "data"), "token");
    struct account_claims claims = {0};
    size_t size = 0;
    char *token = encoded == NULL ? NULL : base64_decode(encoded, false, &size);
    bool filled = token != NULL && accounts->key->made &&
                  account_token_read(token, size, accounts->key->bytes, &claims) &&
                  text_equal(claims.account.uid, account->uid);

    account_claims_release(&claims);
    free(token);
    return filled;
}

static void set_data(struct json_object *secret, const char *key, const char *text)
{
    char *encoded = base64_encode(text, strlen(text), false);

    json_set_text(json_ensure_object(secret, "data"), key, encoded);
    free(encoded);
}

static void fill(struct accounts *accounts, const char *ca_pem, const struct store_object *object,
                 const struct store_object *account, struct json_object *secret)
{
    struct json_object *metadata = json_ensure_object(secret, "metadata");
    char *token = accounts_secret_token(accounts, account, object->name);
    struct error err = ERROR_INIT;

    json_set_text(json_ensure_object(metadata, "annotations"), ACCOUNT_SECRET_UID, account->uid);
    set_data(secret, "token", token);
    set_data(secret, "namespace", object->namespace);
    if (ca_pem != NULL)
        set_data(secret, "ca.crt", ca_pem);
    if (!store_update(resource_of(accounts, "secrets"), object, secret, NULL, &err))
        error_clear(&err); /* not reached: object was just read */
    free(token);
}

/* For another account of that name it is not: that one is gone. */
static bool is_of_another(const struct json_object *secret, const struct store_object *account)
{
    const char *uid =
        json_get_text(json_walk(secret, "metadata", "annotations", NULL), ACCOUNT_SECRET_UID);

    return !text_is_empty(uid) && strcmp(uid, account->uid) != 0;
}

static void look_at_secret(struct accounts *accounts, const char *ca_pem,
                           const struct store_object *object)
{
    struct json_object *secret = store_object_parse(object);
    const char *name = account_name(secret);
    const struct store_object *account =
        name == NULL ? NULL
                     : store_get(resource_of(accounts, "serviceaccounts"), object->namespace, name);

    if (account != NULL && !object->deleting && !is_of_another(secret, account) &&
        !is_filled(accounts, secret, account))
        fill(accounts, ca_pem, object, account, secret);
    json_object_put(secret);
}

static void look_at_account(struct accounts *accounts, const char *ca_pem,
                            const struct store_event *event)
{
    struct store_resource *secrets = resource_of(accounts, "secrets");
    struct store_snapshot *snapshot = store_snapshot_new(secrets);
    struct error err = ERROR_INIT;
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, event->object->namespace, &index, &end);
    for (; index < end; index++) {
        const struct store_object *object = store_snapshot_object(snapshot, index);
        struct json_object *secret = store_object_parse(object);
        bool own = text_equal(account_name(secret), event->object->name);

        json_object_put(secret);
        if (own && event->change == STORE_DELETED) {
            if (!store_delete(secrets, object, NULL, &err))
                error_clear(&err); /* it is gone */
        } else if (own) {
            look_at_secret(accounts, ca_pem, object);
        }
    }
    store_snapshot_free(snapshot);
}

void account_secrets_on_change(struct accounts *accounts, const char *ca_pem,
                               const struct store_event *event)
{
    const char *plural = store_resource_plural(event->resource);
    const struct store_object *now;

    if (store_resource_group(event->resource)[0] != '\0')
        return;
    if (strcmp(plural, "serviceaccounts") == 0 && event->change != STORE_MODIFIED) {
        look_at_account(accounts, ca_pem, event);
    } else if (strcmp(plural, "secrets") == 0 && event->change != STORE_DELETED) {
        now = store_get(event->resource, event->object->namespace, event->object->name);
        if (now != NULL)
            look_at_secret(accounts, ca_pem, now);
    }
}
