#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/attributes.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_config.h"
#include "controller/kube/kubeconfig_wire.h"

/* base64 of "-----BEGIN X-----\n" */
#define PEM64 "LS0tLS1CRUdJTiBYLS0tLS0K"
#define PEM "-----BEGIN X-----\n"

#define CONTEXTS                                                                                   \
    "current-context: one\n"                                                                       \
    "contexts:\n"                                                                                  \
    "- name: one\n"                                                                                \
    "  context: {cluster: c1, user: u1, namespace: team}\n"                                        \
    "- name: two\n"                                                                                \
    "  context: {cluster: c2}\n"
#define CLUSTERS                                                                                   \
    "clusters:\n"                                                                                  \
    "- name: c1\n"                                                                                 \
    "  cluster: {server: 'https://one:6443', certificate-authority-data: " PEM64 "}\n"             \
    "- name: c2\n"                                                                                 \
    "  cluster: {server: 'http://two', insecure-skip-tls-verify: true}\n"
#define USERS "users:\n- name: u1\n  user: {token: secret-one, tokenFile: tok}\n"

static struct kubeconfig must_parse(const char *text, const char *context)
{
    struct kubeconfig config = {0};
    struct kubeconfig_position position;
    struct error err = ERROR_INIT;

    if (!kubeconfig_parse(text, strlen(text), context, &config, &position, &err))
        fail_msg("%u:%u: %s", position.line, position.column, err.text);
    return config;
}

static void test_current_context(void **state)
{
    struct kubeconfig config = must_parse(CONTEXTS CLUSTERS USERS, NULL);

    (void)state;
    assert_string_equal(config.server, "https://one:6443");
    assert_string_equal(config.namespace_name, "team");
    assert_string_equal(config.ca_pem, PEM);
    assert_null(config.ca_path);
    assert_string_equal(config.token, "secret-one");
    assert_string_equal(config.token_path, "tok");
    assert_false(config.skip_verify);
    assert_false(config.no_gzip);
    kubeconfig_release(&config);
}

static void test_other_context(void **state)
{
    struct kubeconfig config = must_parse(CONTEXTS CLUSTERS USERS, "two");

    (void)state;
    assert_string_equal(config.server, "http://two");
    assert_null(config.namespace_name);
    assert_null(config.token);
    assert_true(config.skip_verify);
    kubeconfig_release(&config);
}

/* What kubectl and its kin write: kinds, extensions, preferences, nulls, folded data. */
static void test_lenient(void **state)
{
    struct kubeconfig config = must_parse(
        "apiVersion: v1\nkind: Config\npreferences: {}\nextensions: []\n"
        "current-context: a\n"
        "contexts: [{name: a, context: {cluster: c, user: u, namespace: '', extensions: []}}]\n"
        "clusters:\n- cluster:\n    certificate-authority-data: |\n      LS0tLS1CRUdJTi\n"
        "      BYLS0tLS0K\n    certificate-authority: ignored.pem\n    server: https://h/prefix\n"
        "    tls-server-name: real\n    disable-compression: true\n"
        "    insecure-skip-tls-verify: false\n    proxy-url: null\n  name: c\n"
        "users:\n- name: u\n  user:\n    exec:\n    client-certificate: c.pem\n"
        "    client-key-data: " PEM64 "\n",
        NULL);

    (void)state;
    assert_string_equal(config.server, "https://h/prefix");
    assert_null(config.namespace_name);
    assert_string_equal(config.ca_pem, PEM);
    assert_null(config.ca_path);
    assert_string_equal(config.certificate_path, "c.pem");
    assert_null(config.certificate_pem);
    assert_string_equal(config.key_pem, PEM);
    assert_string_equal(config.server_name, "real");
    assert_true(config.no_gzip);
    kubeconfig_release(&config);
}

static void test_json(void **state)
{
    struct kubeconfig config = must_parse(
        "{\"current-context\":\"a\",\"contexts\":[{\"name\":\"a\",\"context\":{\"cluster\":\"c\"}}"
        "],\"clusters\":[{\"name\":\"c\",\"cluster\":{\"server\":\"https://h\"}}]}",
        NULL);

    (void)state;
    assert_string_equal(config.server, "https://h");
    kubeconfig_release(&config);
}

#define ONE "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u}}]\n"
#define CLUSTER "clusters: [{name: c, cluster: {server: 'https://h'}}]\n"
#define USER(fields) ONE CLUSTER "users:\n- name: u\n  user: {" fields "}\n"
#define CLUSTER_OF(fields) ONE "clusters:\n- name: c\n  cluster: {" fields "}\n"

static const struct row {
    const char *text;
    unsigned line, column; /* 0: none */
    const char *want;
} rows[] = {
    {"",                                                                                    0, 0,  "the file is empty"                                    },
    {"- a\n",                                                                               1, 1,  "a kubeconfig must be a mapping"                       },
    {"contexts: []\n",                                                                      0, 0,  "no current-context, and no context was asked for"     },
    {"current-context: ''\n",                                                               0, 0,  "no current-context, and no context was asked for"     },
    {"current-context: nowhere\n",                                                          1, 18, "no \"nowhere\" in contexts"                           },
    {"current-context: a\ncontexts: {}\n",                                                  2, 11, "contexts must be a list"                              },
    {"current-context: a\ncontexts:\n- context: {}\n",                                      3, 3,  "an entry of contexts needs a name"                    },
    {"current-context: a\ncontexts:\n- 5\n",                                                3, 3,  "an entry of contexts needs a name"                    },
    {"current-context: a\ncontexts:\n- name: a\n",                                          3, 3,  "\"a\" in contexts has no context"                     },
    {"current-context: a\ncontexts:\n- name: a\n  context: []\n",                           3, 3,
     "\"a\" in contexts has no context"                                                                                                                   },
    {"current-context: a\ncontexts:\n- name: a\n  context: {}\n- name: a\n  context: {}\n", 5, 3,
     "a second \"a\" in contexts"                                                                                                                         },
    {"current-context: a\ncontexts:\n- name: a\n  context: {user: u}\n",                    4, 12,
     "the context names no cluster"                                                                                                                       },
    {ONE,                                                                                   2, 41, "no \"c\" in clusters"                                 },
    {ONE CLUSTER,                                                                           2, 50, "no \"u\" in users"                                    },
    {CLUSTER_OF("certificate-authority: x"),                                                5, 12, "the cluster has no server"                            },
    {CLUSTER_OF("server: [h]"),                                                             5, 21, "server must be a text"                                },
    {CLUSTER_OF("server: h, proxy-url: 'socks5://p'"),                                      5, 35, "proxy-url is not supported"                           },
    {CLUSTER_OF("server: h, insecure-skip-tls-verify: 1"),                                  5, 50,
     "insecure-skip-tls-verify must be true or false"                                                                                                     },
    {CLUSTER_OF("server: h, insecure-skip-tls-verify: 'true'"),                             5, 50,
     "insecure-skip-tls-verify must be true or false"                                                                                                     },
    {CLUSTER_OF("server: h, insecure-skip-tls-verify: true, certificate-authority: x"),     5, 12,
     "insecure-skip-tls-verify and a certificate-authority exclude each other"                                                                            },
    {CLUSTER_OF("server: h, certificate-authority-data: '&&'"),                             5, 52,
     "certificate-authority-data is not base64"                                                                                                           },
    {CLUSTER_OF("server: h, certificate-authority-data: aGVsbG8="),                         5, 52,
     "certificate-authority-data is not PEM"                                                                                                              },
    {CLUSTER_OF("server: h, certificate-authority-data: LS0tLS1CRUdJTiAA"),                 5, 52,
     "certificate-authority-data is not PEM"                                                                                                              },
    {USER("exec: {command: gcloud}"),                                                       6, 16, "exec is not supported"                                },
    {USER("auth-provider: {name: oidc}"),                                                   6, 25, "auth-provider is not supported"                       },
    {USER("username: admin, password: hunter2"),                                            6, 20, "username is not supported"                            },
    {USER("as: root"),                                                                      6, 14, "as is not supported"                                  },
    {USER("as-groups: [a]"),                                                                6, 21, "as-groups is not supported"                           },
    {USER("token: {}"),                                                                     6, 17, "token must be a text"                                 },
    {USER("client-certificate: c.pem"),                                                     6, 9,
     "a client-certificate and a client-key need each other"                                                                                              },
    {USER("client-key: k.pem"),                                                             6, 9,  "a client-certificate and a client-key need each other"},
};

static void test_errors(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct kubeconfig config;
        struct kubeconfig_position position;
        struct error err = ERROR_INIT;

        if (kubeconfig_parse(rows[i].text, strlen(rows[i].text), NULL, &config, &position, &err))
            fail_msg("taken:\n%s", rows[i].text);
        if (position.line != rows[i].line || position.column != rows[i].column ||
            !text_equal(err.text, rows[i].want))
            fail_msg("got %u:%u: %s for\n%s", position.line, position.column, err.text,
                     rows[i].text);
    }
}

/* The gate's own errors come with their place, said once. */
static void test_broken_yaml(void **state)
{
    static const char *const texts[] = {"a: [\n", "a: 1\na: 2\n",      "\xff", "a: &x 1\nb: *x\n",
                                        "%",      "a: !!python/x 1\n", "\t"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
        struct kubeconfig config;
        struct kubeconfig_position position;
        struct error err = ERROR_INIT;

        assert_false(kubeconfig_parse(texts[i], strlen(texts[i]), NULL, &config, &position, &err));
        assert_true(position.line >= 1);
        if (text_starts_with(err.text, "line ") || err.text[0] == '\0')
            fail_msg("%s: %s", texts[i], err.text);
    }
}

static void test_size_limit(void **state)
{
    static const char head[] = "current-context: a\ncontexts: [{name: a, context: {cluster: c}}]\n"
                               "clusters: [{name: c, cluster: {server: 'https://h'}}]\n#";
    char *text = xcalloc(1, KUBE_CONFIG_BYTES_MAX + 2);
    struct kubeconfig config = {0};
    struct kubeconfig_position position;
    struct error err = ERROR_INIT;

    (void)state;
    memset(text, 'x', KUBE_CONFIG_BYTES_MAX + 1);
    memcpy(text, head, sizeof(head) - 1);
    assert_true(kubeconfig_parse(text, KUBE_CONFIG_BYTES_MAX, NULL, &config, &position, &err));
    kubeconfig_release(&config);
    assert_false(kubeconfig_parse(text, KUBE_CONFIG_BYTES_MAX + 1, NULL, &config, &position, &err));
    assert_int_equal(err.kind, ERROR_TOO_LARGE);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_current_context), cmocka_unit_test(test_other_context),
        cmocka_unit_test(test_lenient),         cmocka_unit_test(test_json),
        cmocka_unit_test(test_errors),          cmocka_unit_test(test_broken_yaml),
        cmocka_unit_test(test_size_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
