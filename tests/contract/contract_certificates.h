/* contract_certificates - certificates for the cases, for worlds that can use them. */
#ifndef TESTS_CONTRACT_CONTRACT_CERTIFICATES_H
#define TESTS_CONTRACT_CONTRACT_CERTIFICATES_H

#include "controller/runtime/certificate.h"
#include "tests/contract/contract.h"

struct contract_certificates {
    struct certificate authority;
    struct certificate other_authority;
    struct certificate server;
    struct certificate known;
    struct certificate stranger;
    struct contract_tls tls; /* points to those above */
};

/** Valid for a day around now. The servers' are for 127.0.0.1, localhost, api and
 * kubernetes.default.svc. */
void contract_certificates_make(struct contract_certificates *made, int64_t now_us);
void contract_certificates_release(struct contract_certificates *made);

#endif
