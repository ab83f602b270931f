/* access - the parts together: who somebody is, what they may. */
#include "fakeapi/access/access.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/access/account_secrets.h"
#include "fakeapi/access/aggregate.h"
#include "fakeapi/access/bearer.h"

/* Who asks where nobody is asked who they are. */
#define SUPER_USER "system:unsecured"

/* Roles of roles of roles: deeper ones, and rings of them, wait for the next change. */
#define AGGREGATE_DEPTH_MAX 16

struct access {
    enum access_mode mode;
    struct store *store;
    char *ca_pem;
    struct access_secrets *secrets;
    struct accounts accounts;
    struct rbac *rbac;
    struct words audiences; /* the server's own */
};

/* --- what follows from changes --- */

/* All rules as they are, aggregated ones too. */
static void settle(struct access *access)
{
    for (unsigned depth = 0; depth < AGGREGATE_DEPTH_MAX && rbac_follow(access->rbac); depth++)
        if (!aggregate_roles(access->store))
            return;
    rbac_follow(access->rbac);
}

static void on_change(void *arg, const struct store_event *event)
{
    struct access *access = arg;

    if (strcmp(store_resource_group(event->resource), RBAC_GROUP) == 0)
        settle(access);
    else
        account_secrets_on_change(&access->accounts, access->ca_pem, event);
}

static const struct store_observer observer = {on_change};

struct access_secrets *access_secrets_new(void)
{
    struct access_secrets *secrets = xcalloc(1, sizeof(*secrets));

    secrets->tokens = token_table_new();
    return secrets;
}

void access_secrets_free(struct access_secrets *secrets)
{
    if (secrets == NULL)
        return;
    token_table_free(secrets->tokens);
    free(secrets);
}

struct access *access_new(const struct access_options *options)
{
    struct access *access = xcalloc(1, sizeof(*access));

    access->mode = options->mode;
    access->store = options->store;
    access->ca_pem = xstrdup(options->ca_pem);
    access->secrets = options->secrets;
    access->accounts = (struct accounts){options->rt, options->store, &options->secrets->key};
    access->rbac = rbac_new(options->store);
    words_add(&access->audiences, ACCOUNTS_AUDIENCE);
    store_observe(access->store, &observer, access);
    return access;
}

void access_free(struct access *access)
{
    if (access == NULL)
        return;
    store_unobserve(access->store, &observer, access);
    rbac_free(access->rbac);
    free(access->ca_pem);
    words_release(&access->audiences);
    free(access);
}

enum access_mode access_mode(const struct access *access)
{
    return access->mode;
}

struct token_table *access_tokens(struct access *access)
{
    return access->secrets->tokens;
}

struct accounts *access_accounts(struct access *access)
{
    return &access->accounts;
}

/* --- who is it? (A1) --- */

static void copy_user(const struct access_user *from, struct access_user *to)
{
    *to = (struct access_user){.name = xstrdup(from->name), .uid = xstrdup(from->uid)};
    to->groups = words_copy(&from->groups);
    for (size_t i = 0; i < from->extra_count; i++)
        for (size_t j = 0; j < from->extras[i].values.count; j++)
            access_user_add_extra(to, from->extras[i].key, from->extras[i].values.items[j]);
}

/* Everybody who is somebody. */
static bool is_known(struct access_user *user)
{
    words_add_new(&user->groups, GROUP_AUTHENTICATED);
    return true;
}

static bool of_certificate(const struct peer_certificate *certificate, struct access_user *ret_user)
{
    if (certificate == NULL || certificate->common_name[0] == '\0')
        return false;
    *ret_user = access_user_named(certificate->common_name, NULL);
    for (size_t i = 0; i < certificate->organization_count; i++)
        words_add(&ret_user->groups, certificate->organizations[i]);
    return is_known(ret_user);
}

static bool of_token(const struct access *access, const char *token, size_t size,
                     const struct words *wanted, struct access_user *ret_user,
                     struct words *ret_audiences, struct error *err)
{
    const struct access_user *user = token_table_find(access->secrets->tokens, token, size);

    if (user != NULL) {
        copy_user(user, ret_user);
        return is_known(ret_user);
    }
    return accounts_authenticate(&access->accounts, token, size, wanted, ret_user, ret_audiences,
                                 err) &&
           is_known(ret_user);
}

bool access_authenticate(const struct access *access, const struct peer_certificate *certificate,
                         const char *authorization, struct access_user *ret_user)
{
    struct error err = ERROR_INIT;
    const char *token;
    size_t size;
    bool shows_token = bearer_find(authorization, &token, &size);

    if (of_certificate(certificate, ret_user))
        return true;
    if (shows_token && of_token(access, token, size, &access->audiences, ret_user, NULL, &err))
        return true;
    switch (access->mode) {
    case ACCESS_OPEN:
        *ret_user = access_user_named(SUPER_USER, GROUP_MASTERS);
        return is_known(ret_user);
    case ACCESS_CREDENTIALS:
        return false;
    case ACCESS_RBAC:
        break;
    }
    if (shows_token)
        return false;
    *ret_user = access_user_named(USER_ANONYMOUS, GROUP_UNAUTHENTICATED);
    return true;
}

bool access_review_token(const struct access *access, const char *token, const struct words *wanted,
                         struct access_user *ret_user, struct words *ret_audiences,
                         struct error *err)
{
    const struct words *audiences = wanted->count == 0 ? &access->audiences : wanted;
    struct words found = {0};

    if (!of_token(access, token, strlen(token), audiences, ret_user, &found, err))
        return false;
    if (found.count == 0) /* a static token is good for the server's own audience */
        for (size_t i = 0; i < audiences->count; i++)
            if (words_has(&access->audiences, audiences->items[i]))
                words_add(&found, audiences->items[i]);
    if (found.count == 0) {
        access_user_release(ret_user);
        return error_set(err, ERROR_DENIED, "token audiences do not match");
    }
    *ret_audiences = found;
    return true;
}

/* --- may they? (A9) --- */

bool access_allows(struct access *access, const struct attributes *attributes, char **ret_reason)
{
    if (ret_reason != NULL)
        *ret_reason = NULL;
    if (access->mode != ACCESS_RBAC || access_user_is_master(attributes->user))
        return true;
    settle(access);
    return rbac_allows(access->rbac, attributes, ret_reason);
}

struct rules access_rules_for(struct access *access, const struct access_user *user,
                              const char *namespace, char **ret_problem)
{
    struct rule all = {0};
    struct rule urls = {0};
    struct rules rules = {0};

    if (access->mode == ACCESS_RBAC && !access_user_is_master(user)) {
        settle(access);
        return rbac_rules_for(access->rbac, user, namespace, ret_problem);
    }
    if (ret_problem != NULL)
        *ret_problem = NULL;
    words_add(&all.verbs, "*");
    words_add(&all.groups, "*");
    words_add(&all.resources, "*");
    words_add(&urls.verbs, "*");
    words_add(&urls.urls, "*");
    rules_add(&rules, &all);
    rules_add(&rules, &urls);
    rule_release(&all);
    rule_release(&urls);
    return rules;
}

const struct rules *access_role(struct access *access, const char *kind, const char *namespace,
                                const char *name)
{
    settle(access);
    return rbac_role(access->rbac, kind, namespace, name);
}
