/* account_secrets - Secrets of type kubernetes.io/service-account-token: filled, and gone with
 * their account. */
#ifndef FAKEAPI_ACCESS_ACCOUNT_SECRETS_H
#define FAKEAPI_ACCESS_ACCOUNT_SECRETS_H

#include "fakeapi/access/accounts.h"
#include "fakeapi/store/store.h"

/** The type, and the annotation that names the account. */
#define ACCOUNT_SECRET_TYPE "kubernetes.io/service-account-token"
#define ACCOUNT_SECRET_NAME "kubernetes.io/service-account.name"
#define ACCOUNT_SECRET_UID "kubernetes.io/service-account.uid"

/** Does what a change of a Secret or a ServiceAccount leads to: such a Secret gets token, namespace
 * and (unless NULL) ca.crt once its account is there, and a new token when it has one that this
 * server did not make; it is deleted when its account is. Other changes lead to nothing. */
void account_secrets_on_change(struct accounts *accounts, const char *ca_pem,
                               const struct store_event *event);

#endif
