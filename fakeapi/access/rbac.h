/* rbac - who may do what, from the Roles and bindings in the store.
 *
 * An index of them that follows the store's changes: each is parsed once when it changes, and a
 * question costs what the asker's own bindings do (A15).
 * Rules: WIRE.md A8 to A11. */
#ifndef FAKEAPI_ACCESS_RBAC_H
#define FAKEAPI_ACCESS_RBAC_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "fakeapi/access/rule.h"
#include "fakeapi/store/store.h"

#define RBAC_GROUP "rbac.authorization.k8s.io"

struct rbac;

/** Of a store that outlives it, with nothing in it yet. */
struct rbac *rbac_new(struct store *store) MUST_CHECK;
void rbac_free(struct rbac *rbac);
/** Takes in what has changed since; the store has the four resources of RBAC_GROUP by now. Whether
 * a ClusterRole did: what aggregates it may have to follow. */
bool rbac_follow(struct rbac *rbac);

/** Whether the user's bindings allow it. *ret_reason (NULL: not wanted) becomes why: 'RBAC: allowed
 * by ClusterRoleBinding ...'; where it is denied, what bindings name that is not there, or NULL.
 * free() it. */
bool rbac_allows(struct rbac *rbac, const struct attributes *attributes, char **ret_reason);

/** All rules that a user has in a namespace ("": everywhere). *ret_problem (NULL: not wanted)
 * becomes what could not be resolved, or NULL; free() it. */
struct rules rbac_rules_for(struct rbac *rbac, const struct access_user *user,
                            const char *namespace, char **ret_problem);

/** The rules of a role as a binding in a namespace refers to it; kind is "Role" or "ClusterRole".
 * NULL when there is none. Borrowed until the next question. */
const struct rules *rbac_role(struct rbac *rbac, const char *kind, const char *namespace,
                              const char *name);

#endif
