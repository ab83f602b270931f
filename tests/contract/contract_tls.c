/* contract_tls - TLS and certificates of both sides. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/attributes.h"
#include "controller/base/text.h"
#include "tests/contract/contract.h"

#define LARGE (3 * 1024 * 1024)

/* What the server saw of its peer. */
struct sight {
    bool tls;
    bool certificate;
    bool is_ctl_0;
};

static bool is_member(const struct peer_certificate *certificate, const char *organization)
{
    for (size_t i = 0; i < certificate->organization_count; i++)
        if (text_equal(certificate->organizations[i], organization))
            return true;
    return false;
}

static void look(struct contract_server *server, const struct request_head *head)
{
    struct sight *sight = server->arg;

    sight->tls = head->tls;
    sight->certificate = head->certificate != NULL;
    sight->is_ctl_0 =
        head->certificate != NULL && text_equal(head->certificate->common_name, "ctl-0") &&
        is_member(head->certificate, "system:masters") &&
        is_member(head->certificate, "system:nodes") && head->certificate->organization_count == 2;
    contract_accept(server);
}

static void fetch(struct contract_world *world, const struct tls_server *server,
                  const struct tls_client *client, const char *want, struct sight *ret_sight)
{
    struct contract_pair pair;

    *ret_sight = (struct sight){false, false, false};
    contract_pair_init(&pair, world);
    pair.server.options.tls = server;
    pair.server.on_request = look;
    pair.server.arg = ret_sight;
    contract_pair_serve(&pair);
    pair.request.tls = client;
    contract_fetch(&pair.client, &pair.request);
    assert_string_equal(exchange_end_name(pair.client.end), want);
    assert_int_equal(pair.server.requests, pair.client.end == EXCHANGE_COMPLETE);
    contract_pair_release(&pair);
}

static void a_trusted_server_answers(struct contract_world *world)
{
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->server, &world->tls->trusting, "complete", &sight);
    assert_true(sight.tls);
    assert_false(sight.certificate);
}

static void large_bodies_go_both_ways(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    if (world->tls == NULL) {
        free(bytes);
        skip();
    }
    contract_pair_init(&pair, world);
    pair.server.options.tls = &world->tls->server;
    pair.server.answer.body = bytes;
    pair.server.answer.body_size = LARGE;
    contract_pair_serve(&pair);
    pair.request.tls = &world->tls->trusting;
    pair.request.method = "POST";
    pair.request.body = bytes;
    pair.request.body_size = LARGE;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.server.body.size, LARGE);
    assert_memory_equal(pair.server.body.bytes, bytes, LARGE);
    assert_int_equal(pair.client.body.size, LARGE);
    assert_memory_equal(pair.client.body.bytes, bytes, LARGE);
    contract_pair_release(&pair);
    free(bytes);
}

static void a_source_streams(struct contract_world *world)
{
    struct contract_pair pair;
    struct contract_source source;

    if (world->tls == NULL)
        skip();
    contract_pair_init(&pair, world);
    contract_source_init(&source, &pair.server, "5kk+w7w1e");
    pair.server.options.tls = &world->tls->server;
    contract_pair_serve(&pair);
    pair.request.tls = &world->tls->trusting;
    contract_send(&pair.client, &pair.request);
    contract_wait_bytes(&pair.client, 2012);
    contract_until(world, &source.waiting, "the source's WAIT");
    assert_int_equal(pair.client.body.size, 2012);
    request_wake(pair.server.request);
    contract_run_both(&pair.client, &pair.server);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.body.size, 2013);
    contract_pair_release(&pair);
}

static void refuse(struct contract_server *server, const void *bytes, size_t size)
{
    (void)bytes;
    (void)size;
    server->answer.status = 413;
    request_respond(server->request, &server->answer);
}

static void an_early_answer_arrives(struct contract_world *world)
{
    struct contract_pair pair;
    char *bytes = contract_pattern(LARGE);

    if (world->tls == NULL) {
        free(bytes);
        skip();
    }
    contract_pair_init(&pair, world);
    pair.server.options.tls = &world->tls->server;
    pair.server.on_body = refuse;
    contract_pair_serve(&pair);
    pair.request.tls = &world->tls->trusting;
    pair.request.method = "POST";
    pair.request.body = bytes;
    pair.request.body_size = LARGE;
    contract_pair_fetch(&pair);
    contract_pair_expect(&pair, "head|body|complete");
    assert_int_equal(pair.client.status, 413);
    contract_pair_release(&pair);
    free(bytes);
}

static void a_server_of_another_authority_is_not_trusted(struct contract_world *world)
{
    struct sight sight;
    struct tls_client careless;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->server, &world->tls->distrusting, "tls", &sight);
    careless = world->tls->distrusting;
    careless.skip_verify = true;
    fetch(world, &world->tls->server, &careless, "complete", &sight);
}

static void a_server_that_the_system_does_not_know_is_not_trusted(struct contract_world *world)
{
    const struct tls_client nothing_said = {.ca_pem = NULL};
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->server, NULL, "tls", &sight);
    fetch(world, &world->tls->server, &nothing_said, "tls", &sight);
}

static void a_server_of_another_name_is_not_trusted(struct contract_world *world)
{
    struct sight sight;
    struct tls_client client;

    if (world->tls == NULL)
        skip();
    client = world->tls->trusting;
    client.server_name = "kubernetes.default.svc"; /* in the certificate, not in the URL */
    fetch(world, &world->tls->server, &client, "complete", &sight);
    client.server_name = "other.default.svc";
    fetch(world, &world->tls->server, &client, "tls", &sight);
}

static void a_client_certificate_is_seen(struct contract_world *world)
{
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->asking, &world->tls->known, "complete", &sight);
    assert_true(sight.certificate);
    assert_true(sight.is_ctl_0);
}

static void a_client_need_not_show_a_certificate(struct contract_world *world)
{
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->asking, &world->tls->trusting, "complete", &sight);
    assert_false(sight.certificate);
}

static void nobody_looks_unasked(struct contract_world *world)
{
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->server, &world->tls->known, "complete", &sight);
    assert_false(sight.certificate);
}

static void a_client_of_another_authority_is_refused(struct contract_world *world)
{
    struct sight sight;

    if (world->tls == NULL)
        skip();
    fetch(world, &world->tls->asking, &world->tls->stranger, "tls", &sight);
}

/* --- one side alone speaks TLS --- */

static void fetch_scheme(struct contract_world *world, const struct tls_server *server,
                         const char *scheme, enum exchange_end *ret_end)
{
    struct contract_pair pair;
    char url[128];

    contract_pair_init(&pair, world);
    pair.server.options.tls = server;
    contract_pair_serve(&pair);
    assert_true(strlen(world->host) < 64);
    strcpy(url, scheme);
    strcat(url, strchr(pair.client.url, ':'));
    pair.request.url = url;
    pair.request.tls = &world->tls->trusting;
    contract_fetch(&pair.client, &pair.request);
    assert_int_equal(pair.server.requests, 0);
    *ret_end = pair.client.end;
    contract_pair_release(&pair);
}

static void tls_to_a_plain_server_ends_tls(struct contract_world *world)
{
    enum exchange_end end;

    if (world->tls == NULL)
        skip();
    fetch_scheme(world, NULL, "https", &end);
    assert_int_equal(end, EXCHANGE_TLS);
}

static void plain_to_a_tls_server_is_no_answer(struct contract_world *world)
{
    enum exchange_end end;

    if (world->tls == NULL)
        skip();
    fetch_scheme(world, &world->tls->server, "http", &end);
    assert_true(end == EXCHANGE_RESET || end == EXCHANGE_MALFORMED);
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    (void)arg;
    (void)head;
    request_reset(request);
}

static void unusable_texts_are_a_usage_error(struct contract_world *world)
{
    static const struct http_service service = {on_request};
    struct tls_server rows[4];

    if (world->tls == NULL)
        skip();
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        rows[i] = world->tls->asking;
    rows[0].certificate_pem = "nonsense";
    rows[1].key_pem = "nonsense";
    rows[2].client_ca_pem = "nonsense";
    rows[3].key_pem = world->tls->known.key_pem; /* of another certificate */
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct listen_options options = {.address = world->listen_address, .tls = &rows[i]};
        struct listener *listener = NULL;
        struct error err = ERROR_INIT;

        if (runtime_listen(world->server, &options, &service, NULL, &listener, &err))
            fail_msg("row %zu: listens", i);
        assert_int_equal(err.kind, ERROR_USAGE);
    }
}

const struct contract_case contract_tls[] = {
    {"tls/a_trusted_server_answers",                      a_trusted_server_answers                },
    {"tls/large_bodies_go_both_ways",                     large_bodies_go_both_ways               },
    {"tls/a_source_streams",                              a_source_streams                        },
    {"tls/an_early_answer_arrives",                       an_early_answer_arrives                 },
    {"tls/a_server_unknown_to_the_system_is_not_trusted",
     a_server_that_the_system_does_not_know_is_not_trusted                                        },
    {"tls/a_server_of_another_authority_is_not_trusted",
     a_server_of_another_authority_is_not_trusted                                                 },
    {"tls/a_server_of_another_name_is_not_trusted",       a_server_of_another_name_is_not_trusted },
    {"tls/a_client_certificate_is_seen",                  a_client_certificate_is_seen            },
    {"tls/a_client_need_not_show_a_certificate",          a_client_need_not_show_a_certificate    },
    {"tls/nobody_looks_unasked",                          nobody_looks_unasked                    },
    {"tls/a_client_of_another_authority_is_refused",      a_client_of_another_authority_is_refused},
    {"tls/to_a_plain_server_ends_tls",                    tls_to_a_plain_server_ends_tls          },
    {"tls/plain_to_a_tls_server_is_no_answer",            plain_to_a_tls_server_is_no_answer      },
    {"tls/unusable_texts_are_a_usage_error",              unusable_texts_are_a_usage_error        },
    {NULL,                                                NULL                                    },
};
