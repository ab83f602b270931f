/* Who accepts whom in a handshake, by real certificates. */
#include "scenarios/sim/trust.h"

#include "controller/runtime/certificate.h"
#include "tests/unit/sim/fixture.h"

struct papers {
    struct certificate ca;
    struct certificate other_ca;
    struct certificate server;
    struct certificate client;
};

static void issue(const char *name, const struct certificate *issuer,
                  struct certificate *ret_certificate)
{
    static const char *const organizations[] = {"system:masters", "system:nodes"};
    static const char *const names[] = {"api", "127.0.0.1", "::1"};
    /* Long expired: the simulated world does not ask what day it is. */
    const struct certificate_options options = {.common_name = name,
                                                .organizations = organizations,
                                                .organization_count = ARRAY_SIZE(organizations),
                                                .names = names,
                                                .name_count = ARRAY_SIZE(names),
                                                .not_before_us = 0,
                                                .not_after_us = US_PER_DAY};
    struct error err = ERROR_INIT;

    if (!certificate_issue(&options, issuer, ret_certificate, &err))
        fail_msg("%s", err.text);
}

static int make_papers(void **state)
{
    struct papers *papers = xcalloc(1, sizeof(*papers));

    issue("ca", NULL, &papers->ca);
    issue("other-ca", NULL, &papers->other_ca);
    issue("api", &papers->ca, &papers->server);
    issue("ctl-0", &papers->ca, &papers->client);
    *state = papers;
    return 0;
}

static int free_papers(void **state)
{
    struct papers *papers = *state;

    certificate_release(&papers->ca);
    certificate_release(&papers->other_ca);
    certificate_release(&papers->server);
    certificate_release(&papers->client);
    free(papers);
    return 0;
}

static const struct trust_verdict *meet(struct trust *trust, const struct tls_client *client,
                                        const struct tls_server *server, const char *host)
{
    struct error err = ERROR_INIT;
    unsigned server_number;
    unsigned client_number = trust_client(trust, client);

    if (!trust_server(trust, server, &server_number, &err))
        fail_msg("%s", err.text);
    return trust_meet(trust, client_number, server_number, host);
}

static void test_verdicts(void **state)
{
    const struct papers *papers = *state;
    const struct tls_server server = {papers->server.certificate_pem, papers->server.key_pem, NULL};
    const char *ca = papers->ca.certificate_pem;
    const char *other = papers->other_ca.certificate_pem;
    const struct {
        const char *name;
        const char *ca_pem;
        const char *server_name;
        const char *host;
        bool skip_verify;
        bool accepted;
    } rows[] = {
        {"trusted",               ca,                     NULL,    "api",       false, true },
        {"by address",            ca,                     NULL,    "127.0.0.1", false, true },
        {"by the other address",  ca,                     NULL,    "::1",       false, true },
        {"another address",       ca,                     NULL,    "127.0.0.2", false, false},
        {"another name",          ca,                     NULL,    "other",     false, false},
        {"name as asked for",     ca,                     "api",   "other",     false, true },
        {"not as asked for",      ca,                     "other", "api",       false, false},
        {"another authority",     other,                  NULL,    "api",       false, false},
        {"no authority",          NULL,                   NULL,    "api",       false, false},
        {"no PEM text",           "nonsense",             NULL,    "api",       false, false},
        {"whoever it is",         NULL,                   NULL,    "other",     true,  true },
        {"the certificate alone", server.certificate_pem, NULL,    "api",       false, true },
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct tls_client client = {.ca_pem = rows[i].ca_pem,
                                          .server_name = rows[i].server_name,
                                          .skip_verify = rows[i].skip_verify};
        struct trust *trust = trust_new();
        const struct trust_verdict *verdict = meet(trust, &client, &server, rows[i].host);

        if ((verdict->refusal == NULL) != rows[i].accepted)
            fail_msg("%s: %s", rows[i].name, text_or(verdict->refusal, "accepted"));
        assert_ptr_equal(verdict, meet(trust, &client, &server, rows[i].host)); /* kept */
        trust_free(trust);
    }
}

static void test_system_authority(void **state)
{
    const struct papers *papers = *state;
    const struct tls_server server = {papers->server.certificate_pem, papers->server.key_pem, NULL};
    const struct tls_client client = {0};
    struct trust *trust = trust_new();

    assert_non_null(meet(trust, &client, &server, "api")->refusal);
    trust_set_system(trust, papers->ca.certificate_pem);
    assert_null(meet(trust, &client, &server, "api")->refusal);
    trust_set_system(trust, NULL);
    assert_non_null(meet(trust, &client, &server, "api")->refusal);
    trust_free(trust);
}

static void test_client_certificates(void **state)
{
    const struct papers *papers = *state;
    const struct tls_server deaf = {papers->server.certificate_pem, papers->server.key_pem, NULL};
    const struct tls_server asking = {papers->server.certificate_pem, papers->server.key_pem,
                                      papers->ca.certificate_pem};
    const struct tls_server other = {papers->server.certificate_pem, papers->server.key_pem,
                                     papers->other_ca.certificate_pem};
    const struct tls_client silent = {.ca_pem = papers->ca.certificate_pem};
    const struct tls_client showing = {.ca_pem = papers->ca.certificate_pem,
                                       .certificate_pem = papers->client.certificate_pem,
                                       .key_pem = papers->client.key_pem};
    const struct tls_client mixed_up = {.ca_pem = papers->ca.certificate_pem,
                                        .certificate_pem = papers->client.certificate_pem,
                                        .key_pem = papers->server.key_pem};
    struct trust *trust = trust_new();
    const struct peer_certificate *seen;

    assert_null(meet(trust, &silent, &asking, "api")->refusal);
    assert_null(meet(trust, &silent, &asking, "api")->certificate);
    assert_null(meet(trust, &showing, &deaf, "api")->refusal);
    assert_null(meet(trust, &showing, &deaf, "api")->certificate);
    assert_non_null(meet(trust, &showing, &other, "api")->refusal);
    assert_non_null(meet(trust, &mixed_up, &asking, "api")->refusal);
    seen = meet(trust, &showing, &asking, "api")->certificate;
    assert_string_equal(seen->common_name, "ctl-0");
    assert_int_equal(seen->organization_count, 2);
    assert_string_equal(seen->organizations[0], "system:masters");
    assert_string_equal(seen->organizations[1], "system:nodes");
    trust_free(trust);
}

static void test_texts_that_cannot_serve(void **state)
{
    const struct papers *papers = *state;
    const struct tls_server servers[] = {
        {NULL,                           papers->server.key_pem, NULL      },
        {"nonsense",                     papers->server.key_pem, NULL      },
        {papers->server.certificate_pem, NULL,                   NULL      },
        {papers->server.certificate_pem, papers->client.key_pem, NULL      },
        {papers->server.certificate_pem, papers->server.key_pem, "nonsense"},
    };
    struct trust *trust = trust_new();

    for (size_t i = 0; i < ARRAY_SIZE(servers); i++) {
        struct error err = ERROR_INIT;
        unsigned number;

        if (trust_server(trust, &servers[i], &number, &err))
            fail_msg("row %zu serves", i);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
    trust_free(trust);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),
        cmocka_unit_test(test_system_authority),
        cmocka_unit_test(test_client_certificates),
        cmocka_unit_test(test_texts_that_cannot_serve),
    };

    return cmocka_run_group_tests_name("sim/trust", tests, make_papers, free_papers);
}
