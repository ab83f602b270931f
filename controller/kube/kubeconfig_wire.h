/* kubeconfig_wire - the bytes of a kubeconfig file, with one context chosen, as a plain struct.
 *
 * Reads no other file: paths in it are handed on as written. */
#ifndef CONTROLLER_KUBE_KUBECONFIG_WIRE_H
#define CONTROLLER_KUBE_KUBECONFIG_WIRE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** What one context says. Texts are owned, NULL when absent; _pem are the decoded -data fields. */
struct kubeconfig {
    char *server; /* never NULL */
    char *namespace_name;
    char *token;
    char *token_path;
    char *ca_pem;
    char *ca_path; /* NULL where ca_pem is set; likewise the next two */
    char *certificate_pem;
    char *certificate_path;
    char *key_pem;
    char *key_path;
    char *server_name;
    bool skip_verify;
    bool no_gzip;
};

/** Where in the file an error is; line 0 when it has no place. */
struct kubeconfig_position {
    unsigned line;
    unsigned column;
};

/** Parses the file and picks a context (NULL: its current-context). Errors do not name the file and
 * never quote a secret; *ret_position is set with them. */
bool kubeconfig_parse(const void *bytes, size_t size, const char *context,
                      struct kubeconfig *ret_config, struct kubeconfig_position *ret_position,
                      struct error *err) MUST_CHECK;
void kubeconfig_release(struct kubeconfig *config);

#endif
