/* access - who asks, and whether they may: authentication, impersonation, RBAC.
 *
 * Rules: WIRE.md section 9. It knows the store and no HTTP beyond headers; fakeapi/rest asks it. */
#ifndef FAKEAPI_ACCESS_ACCESS_H
#define FAKEAPI_ACCESS_ACCESS_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/access/accounts.h"
#include "fakeapi/access/rbac.h"
#include "fakeapi/access/token_table.h"
#include "fakeapi/access/user.h"
#include "fakeapi/store/store.h"

enum access_mode {
    ACCESS_OPEN,        /* everybody may do everything; who shows no credentials, or such as nobody
                           has, is the super user */
    ACCESS_CREDENTIALS, /* everybody who is known may do everything; others are refused */
    ACCESS_RBAC,        /* the Roles in the store decide; who shows nothing is anonymous */
};

/** What makes tokens good, whatever is stored: the static ones, and the key of the others. */
struct access_secrets {
    struct token_table *tokens;
    struct accounts_key key;
};

struct access_secrets *access_secrets_new(void) MUST_CHECK;
void access_secrets_free(struct access_secrets *secrets);

struct access_options {
    struct runtime *rt;
    struct store *store; /* with the resources of RBAC and ServiceAccounts once requests come */
    enum access_mode mode;
    struct access_secrets *secrets; /* kept by pointer */
    const char *ca_pem;             /* what clients trust, for Secrets; NULL: none */
};

/** The roles and bindings of a new cluster, as YAML; ends with NULL. */
extern const char *const access_bootstrap_manifests[];

struct access;

struct access *access_new(const struct access_options *options) MUST_CHECK;
/** Before the store, which it observes: it fills aggregated ClusterRoles and the Secrets of
 * accounts. Takes NULL. */
void access_free(struct access *access);
enum access_mode access_mode(const struct access *access);
struct token_table *access_tokens(struct access *access);
struct accounts *access_accounts(struct access *access);

/** Who shows this certificate (NULL: none) and this Authorization header (NULL: none). False: they
 * are nobody's (A1). */
bool access_authenticate(const struct access *access, const struct peer_certificate *certificate,
                         const char *authorization, struct access_user *ret_user) MUST_CHECK;

/** Whose a bearer token is, for a TokenReview; wanted are audiences, and *ret_audiences those that
 * it has of them. False with why. */
bool access_review_token(const struct access *access, const char *token, const struct words *wanted,
                         struct access_user *ret_user, struct words *ret_audiences,
                         struct error *err) MUST_CHECK;

/** Whether attributes->user may. *ret_reason (NULL: not wanted) becomes why, as RBAC says it, or
 * NULL; free() it. */
bool access_allows(struct access *access, const struct attributes *attributes, char **ret_reason);

/** All rules of a user in a namespace, as rbac_rules_for(). */
struct rules access_rules_for(struct access *access, const struct access_user *user,
                              const char *namespace, char **ret_problem);
/** As rbac_role(). */
const struct rules *access_role(struct access *access, const char *kind, const char *namespace,
                                const char *name);

#endif
