#include "tests/contract/contract_certificates.h"

#include "controller/base/time.h"

static void issue(const struct certificate_options *options, const struct certificate *issuer,
                  struct certificate *ret_certificate)
{
    struct error err = ERROR_INIT;

    if (!certificate_issue(options, issuer, ret_certificate, &err))
        fail_msg("%s", err.text);
}

void contract_certificates_make(struct contract_certificates *made, int64_t now_us)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "api", "kubernetes.default.svc"};
    static const char *const organizations[] = {"system:masters", "system:nodes"};
    struct certificate_options options = {.not_before_us = now_us - US_PER_HOUR,
                                          .not_after_us = now_us + US_PER_DAY};
    struct contract_tls *tls = &made->tls;

    options.common_name = "authority";
    issue(&options, NULL, &made->authority);
    issue(&options, NULL, &made->other_authority);
    options.common_name = "ctl-0";
    options.organizations = organizations;
    options.organization_count = ARRAY_SIZE(organizations);
    issue(&options, &made->authority, &made->known);
    issue(&options, &made->other_authority, &made->stranger);
    options.common_name = "server";
    options.organization_count = 0;
    options.names = names;
    options.name_count = ARRAY_SIZE(names);
    issue(&options, &made->authority, &made->server);
    tls->server.certificate_pem = made->server.certificate_pem;
    tls->server.key_pem = made->server.key_pem;
    tls->asking = tls->server;
    tls->asking.client_ca_pem = made->authority.certificate_pem;
    tls->trusting.ca_pem = made->authority.certificate_pem;
    tls->known = tls->trusting;
    tls->known.certificate_pem = made->known.certificate_pem;
    tls->known.key_pem = made->known.key_pem;
    tls->stranger = tls->trusting;
    tls->stranger.certificate_pem = made->stranger.certificate_pem;
    tls->stranger.key_pem = made->stranger.key_pem;
    tls->distrusting.ca_pem = made->other_authority.certificate_pem;
}

void contract_certificates_release(struct contract_certificates *made)
{
    certificate_release(&made->authority);
    certificate_release(&made->other_authority);
    certificate_release(&made->server);
    certificate_release(&made->known);
    certificate_release(&made->stranger);
}
