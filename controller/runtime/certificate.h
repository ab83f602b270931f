/* certificate - makes certificates for tests and for servers of ours, and reads subjects. */
#ifndef CONTROLLER_RUNTIME_CERTIFICATE_H
#define CONTROLLER_RUNTIME_CERTIFICATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"

/** A certificate and its key as PEM texts, owned. */
struct certificate {
    char *certificate_pem;
    char *key_pem;
};

struct certificate_options {
    const char *common_name;
    const char *const *organizations; /* O values: Kubernetes groups */
    size_t organization_count;
    const char *const *names; /* subjectAltName: DNS names, and IP addresses as texts */
    size_t name_count;
    int64_t not_before_us; /* wall time */
    int64_t not_after_us;
};

/** A self-signed authority (ECDSA P-256) when issuer is NULL, else signed by it. Uses OpenSSL's own
 * randomness, so nothing traced may depend on it. */
bool certificate_issue(const struct certificate_options *options, const struct certificate *issuer,
                       struct certificate *ret_certificate, struct error *err) MUST_CHECK;
void certificate_release(struct certificate *certificate);

#endif
