/* kube_config - which API server to talk to and as whom: a kubeconfig file, or the service
 * account of the pod we run in.
 *
 * Sources: RULES 4.8; client-go tools/clientcmd for the kubeconfig. What would need a program to
 * be run or a browser (exec, auth-provider) is refused, and so is what would be silently ignored
 * (user name and password, impersonation, proxy). */
#ifndef CONTROLLER_KUBE_KUBE_CONFIG_H
#define CONTROLLER_KUBE_KUBE_CONFIG_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/runtime/runtime.h"

/** Where a pod finds its service account. */
#define KUBE_SERVICE_ACCOUNT_DIRECTORY "/var/run/secrets/kubernetes.io/serviceaccount"

/** Largest kubeconfig, certificate bundle or key that is read. */
#define KUBE_CONFIG_BYTES_MAX (1024 * 1024)
/** Largest token: an HTTP header must hold it. */
#define KUBE_TOKEN_BYTES_MAX (16 * 1024)

struct kube_config;

struct kube_config_options {
    const char *kubeconfig;                /* a path; NULL: the pod's service account */
    const char *context;                   /* NULL: the file's current-context */
    const char *service_account_directory; /* NULL: KUBE_SERVICE_ACCOUNT_DIRECTORY */
};

/** Reads the configuration. Errors of a file name it and, where known, the position:
 * "dev.yaml:12:5: ..." (ERROR_MALFORMED, ERROR_INVALID, ERROR_NOT_FOUND, ERROR_IO, ERROR_USAGE);
 * no text holds a token or a key. */
bool kube_config_load(struct runtime *rt, const struct kube_config_options *options,
                      struct kube_config **ret_config, struct error *err) MUST_CHECK;
/** Takes NULL. */
void kube_config_free(struct kube_config *config);

/** The server's base URL without a '/' at its end: "https://10.0.0.1:443". Never NULL. */
const char *kube_config_server(const struct kube_config *config);

/** The context's namespace, or the service account's; NULL when there is none. */
const char *kube_config_namespace(const struct kube_config *config);

/** What a request needs to be let in; all of it borrowed until the next refresh. */
struct kube_credentials {
    const char *token;     /* NULL: none */
    struct tls_client tls; /* see runtime.h */
    bool gzip;             /* the kubeconfig does not forbid it */
};

/** Reads the token file again, and the certificate files where they have changed. What cannot be
 * read, or is not fit to be sent, leaves the last good value in force; that is logged when it
 * begins and when it ends. */
void kube_config_refresh(struct kube_config *config, struct runtime *rt,
                         struct kube_credentials *ret_credentials);

#endif
