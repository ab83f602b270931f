/* kubeconfig - one cluster, one user, one context. */
#include "fakeapi/kubeconfig.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/text.h"

static const char *reachable(const char *address)
{
    if (strcmp(address, "0.0.0.0") == 0)
        return "127.0.0.1";
    return strcmp(address, "::") == 0 ? "::1" : address;
}

void fakeapi_kubeconfig_append_url(struct buffer *buffer, const struct fakeapi_kubeconfig *config)
{
    const char *address = reachable(config->address);
    bool bare = strchr(address, ':') == NULL;

    buffer_append_format(buffer, "%s://%s%s%s:%u", config->ca_pem == NULL ? "http" : "https",
                         bare ? "" : "[", address, bare ? "" : "]", (unsigned)config->port);
}

static void append_pem(struct buffer *buffer, const char *key, const char *pem)
{
    char *encoded = base64_encode(pem, strlen(pem), false);

    buffer_append_format(buffer, "    %s: %s\n", key, encoded);
    free(encoded);
}

void fakeapi_kubeconfig_append(struct buffer *buffer, const struct fakeapi_kubeconfig *config)
{
    buffer_append_text(buffer,
                       "apiVersion: v1\nkind: Config\nclusters:\n- name: fakeapi\n  cluster:\n"
                       "    server: ");
    fakeapi_kubeconfig_append_url(buffer, config);
    buffer_append_char(buffer, '\n');
    if (config->ca_pem != NULL)
        append_pem(buffer, "certificate-authority-data", config->ca_pem);
    buffer_append_text(buffer, "users:\n- name: fakeapi\n  user:");
    if (config->token == NULL && config->certificate_pem == NULL)
        buffer_append_text(buffer, " {}");
    buffer_append_char(buffer, '\n');
    if (config->token != NULL)
        buffer_append_format(buffer, "    token: \"%s\"\n", config->token);
    if (config->certificate_pem != NULL) {
        append_pem(buffer, "client-certificate-data", config->certificate_pem);
        append_pem(buffer, "client-key-data", config->key_pem);
    }
    buffer_append_text(buffer, "contexts:\n- name: fakeapi\n  context:\n    cluster: fakeapi\n"
                               "    user: fakeapi\n    namespace: default\n"
                               "current-context: fakeapi\n");
}
