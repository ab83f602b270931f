/* rbac_index - the roles and bindings of the store: each parsed once when it changes, and found by
 * who holds it. rbac.h asks it. */
#ifndef FAKEAPI_ACCESS_RBAC_INDEX_H
#define FAKEAPI_ACCESS_RBAC_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "controller/base/attributes.h"
#include "fakeapi/access/rule.h"
#include "fakeapi/store/store.h"

struct subject {
    char *kind;
    char *name;
    char *namespace; /* "" when it says none */
};

/** A RoleBinding or a ClusterRoleBinding. */
struct binding {
    char *key;       /* "namespace/name" or "name", as in the store */
    char *namespace; /* "" for a ClusterRoleBinding */
    char *name;
    char *role_kind;
    char *role_name;
    struct subject *subjects;
    size_t subject_count;
    uint64_t visit; /* the last question that looked at it */
    UT_hash_handle hh;
};

/** The namespace of a ServiceAccount subject: its own, or the binding's. */
const char *binding_account_namespace(const struct binding *binding, const struct subject *subject);
/** The user name that a subject means; NULL when it means none. free() it. */
char *binding_subject_user(const struct binding *binding, const struct subject *subject) MUST_CHECK;

struct rbac_index;

/** Of a store that outlives it, with nothing in it yet. */
struct rbac_index *rbac_index_new(struct store *store) MUST_CHECK;
void rbac_index_free(struct rbac_index *index);
/** As rbac_follow(). */
bool rbac_index_follow(struct rbac_index *index);

/** The bindings of one namespace ("": the cluster's) that apply to a user, in the order of their
 * names. Borrowed until the next question. */
struct binding *const *rbac_index_bindings(struct rbac_index *index, const struct access_user *user,
                                           const char *namespace, size_t *ret_count);
/** The rules of a role; kind is as in a roleRef. NULL when there is none. Borrowed. */
const struct rules *rbac_index_role(const struct rbac_index *index, const char *kind,
                                    const char *namespace, const char *name);

#endif
