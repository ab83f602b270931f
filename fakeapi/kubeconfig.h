/* kubeconfig - the file by which kubectl finds this server. */
#ifndef FAKEAPI_KUBECONFIG_H
#define FAKEAPI_KUBECONFIG_H

#include <stdint.h>

#include "controller/base/buffer.h"

struct fakeapi_kubeconfig {
    const char *address;
    uint16_t port;
    const char *ca_pem;          /* NULL: plain HTTP */
    const char *token;           /* NULL: none */
    const char *certificate_pem; /* of a client; NULL: none */
    const char *key_pem;
};

void fakeapi_kubeconfig_append(struct buffer *buffer, const struct fakeapi_kubeconfig *config);
/** "https://[::1]:6443"; an address that means "all" becomes the loopback's. */
void fakeapi_kubeconfig_append_url(struct buffer *buffer, const struct fakeapi_kubeconfig *config);

#endif
