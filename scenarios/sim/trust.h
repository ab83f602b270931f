/* trust - whether two ends of a TLS connection would accept each other.
 *
 * No handshake is played: certificates are checked for real (chain, names; never the time), once
 * for each pair of ends, and the answer is kept. */
#ifndef SCENARIOS_SIM_TRUST_H
#define SCENARIOS_SIM_TRUST_H

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"

struct trust;

struct trust *trust_new(void) MUST_CHECK;
/** Takes NULL. */
void trust_free(struct trust *trust);

/** Whom a client without ca_pem trusts; NULL: nobody. */
void trust_set_system(struct trust *trust, const char *ca_pem);

/** A number for this client's settings (or none: NULL): the same settings, the same number. */
unsigned trust_client(struct trust *trust, const struct tls_client *tls);

/** The same for a listener. False with ERROR_USAGE when the PEM texts cannot serve. */
bool trust_server(struct trust *trust, const struct tls_server *tls, unsigned *ret_server,
                  struct error *err) MUST_CHECK;

struct trust_verdict {
    const char *refusal;                        /* why the handshake fails; NULL: it does not */
    const struct peer_certificate *certificate; /* of the client; NULL: none */
};

/** What becomes of a handshake for that host. Lives as long as trust. */
const struct trust_verdict *trust_meet(struct trust *trust, unsigned client, unsigned server,
                                       const char *host);

#endif
