#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/kube/kube_config.h"
#include "scenarios/sim/sim.h"

#define ACCOUNT KUBE_SERVICE_ACCOUNT_DIRECTORY
#define PEM(text) "-----BEGIN " text "-----\n"

/* A world of one process, whose files and settings the test makes. */
struct fixture {
    struct sim *sim;
    struct sim_process *process;
    struct runtime *rt;
    struct kube_config *config;
    struct error err;
    int64_t now_us;
};

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    fixture->sim = sim_new(&(struct sim_options){.seed = 1});
    fixture->process = sim_process_new(fixture->sim, &(struct sim_process_options){.name = "ctl"});
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    kube_config_free(fixture->config);
    sim_free(fixture->sim);
    free(fixture);
    return 0;
}

static void set(struct fixture *fixture, const char *name, const char *value)
{
    sim_process_set_setting(fixture->process, name, value);
}

static void put(struct fixture *fixture, const char *path, const char *text)
{
    sim_file_put(fixture->process, path, text, strlen(text));
}

static void wait_a_second(struct fixture *fixture)
{
    fixture->now_us += US_PER_SECOND;
    assert_true(sim_run_until(fixture->sim, fixture->now_us));
}

static bool load(struct fixture *fixture, const struct kube_config_options *options)
{
    sim_process_start(fixture->process);
    assert_true(sim_run_until(fixture->sim, fixture->now_us));
    fixture->rt = sim_process_runtime(fixture->process);
    return kube_config_load(fixture->rt, options, &fixture->config, &fixture->err);
}

static void must_load(struct fixture *fixture, const struct kube_config_options *options)
{
    if (!load(fixture, options))
        fail_msg("%s", fixture->err.text);
}

static struct kube_credentials refresh(struct fixture *fixture)
{
    struct kube_credentials credentials;

    kube_config_refresh(fixture->config, fixture->rt, &credentials);
    return credentials;
}

/* RULES 4.8 */
static void test_service_account(void **state)
{
    struct fixture *fixture = *state;
    struct kube_credentials credentials;

    set(fixture, "KUBERNETES_SERVICE_HOST", "10.0.0.1");
    set(fixture, "KUBE_API_TOKEN", "fixed");
    put(fixture, ACCOUNT "/token", "one\n");
    put(fixture, ACCOUNT "/ca.crt", PEM("A"));
    put(fixture, ACCOUNT "/namespace", "team-a\n");
    must_load(fixture, &(struct kube_config_options){0});
    assert_string_equal(kube_config_server(fixture->config), "https://10.0.0.1:443");
    assert_string_equal(kube_config_namespace(fixture->config), "team-a");
    credentials = refresh(fixture);
    assert_string_equal(credentials.token, "one");
    assert_string_equal(credentials.tls.ca_pem, PEM("A"));
    assert_null(credentials.tls.certificate_pem);
    assert_false(credentials.tls.skip_verify);
    assert_true(credentials.gzip);
}

static void test_servers(void **state)
{
    static const struct {
        const char *url, *host, *port, *want;
    } cases[] = {
        {NULL,                       "10.0.0.1",  "6443", "https://10.0.0.1:6443"},
        {NULL,                       "fd00::1",   "443",  "https://[fd00::1]:443"},
        {NULL,                       "[fd00::1]", NULL,   "https://[fd00::1]:443"},
        {"http://127.0.0.1:8001",    "10.0.0.1",  NULL,   "http://127.0.0.1:8001"},
        {"https://proxy/k8s/c-1///", NULL,        NULL,   "https://proxy/k8s/c-1"},
        {"",                         "10.0.0.1",  "",     "https://10.0.0.1:443" },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        set(fixture, "KUBE_API_URL", cases[i].url);
        set(fixture, "KUBERNETES_SERVICE_HOST", cases[i].host);
        set(fixture, "KUBERNETES_SERVICE_PORT", cases[i].port);
        must_load(fixture, &(struct kube_config_options){0});
        assert_string_equal(kube_config_server(fixture->config), cases[i].want);
        assert_null(kube_config_namespace(fixture->config));
        assert_null(refresh(fixture).token);
        assert_null(refresh(fixture).tls.ca_pem);
        tear_down(&own);
    }
}

static void test_bad_settings(void **state)
{
    static const struct {
        const char *name, *value, *want; /* the text's beginning */
    } cases[] = {
        {"X",                       "",            "no API server: no kubeconfig was given, and neither KUBE_API_URL nor "},
        {"KUBE_API_URL",            "ftp://x",     "KUBE_API_URL: "                                                       },
        {"KUBE_API_URL",            "http://x/?a", "KUBE_API_URL: a server's URL has no query"                            },
        {"KUBERNETES_SERVICE_HOST", "a b",         "KUBERNETES_SERVICE_HOST and "                                         },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        set(fixture, cases[i].name, cases[i].value);
        assert_false(load(fixture, &(struct kube_config_options){0}));
        if (!text_starts_with(fixture->err.text, cases[i].want))
            fail_msg("want %s, got %s", cases[i].want, fixture->err.text);
        tear_down(&own);
    }
}

static void test_bad_fixed_token(void **state)
{
    struct fixture *fixture = *state;

    set(fixture, "KUBE_API_URL", "http://x");
    set(fixture, "KUBE_API_TOKEN", "a\r\nX-Evil: b");
    assert_false(load(fixture, &(struct kube_config_options){0}));
    assert_string_equal(fixture->err.text, "KUBE_API_TOKEN: the token is not fit to be sent");
}

/* RULES 4.8: read again on every request; on an error the last good value */
static void test_token_rotates(void **state)
{
    struct fixture *fixture = *state;

    set(fixture, "KUBE_API_URL", "http://x");
    set(fixture, "KUBE_API_TOKEN", "fixed");
    must_load(fixture, &(struct kube_config_options){.service_account_directory = "/elsewhere"});
    assert_string_equal(refresh(fixture).token, "fixed");
    put(fixture, "/elsewhere/token", "  one \r\n");
    assert_string_equal(refresh(fixture).token, "one");
    put(fixture, "/elsewhere/token", "two");
    assert_string_equal(refresh(fixture).token, "two");
    sim_file_break(fixture->process, "/elsewhere/token", ERROR_IO);
    assert_string_equal(refresh(fixture).token, "two");
    sim_file_break(fixture->process, "/elsewhere/token", ERROR_NONE);
    put(fixture, "/elsewhere/token", "");
    assert_string_equal(refresh(fixture).token, "two");
    put(fixture, "/elsewhere/token", "a\nb");
    assert_string_equal(refresh(fixture).token, "two");
    put(fixture, "/elsewhere/token", "a\xc3\xa4");
    assert_string_equal(refresh(fixture).token, "two");
    assert_true(sim_file_remove(fixture->process, "/elsewhere/token"));
    assert_string_equal(refresh(fixture).token, "two");
    put(fixture, "/elsewhere/token", "three");
    assert_string_equal(refresh(fixture).token, "three");
}

static void on_log(void *arg, const struct sim_event *event)
{
    buffer_append_text(arg, event->text);
    buffer_append_char(arg, '\n');
}

/* A failure to read again is told once when it begins and once when it ends, without the secret. */
static void test_stale_is_logged(void **state)
{
    static const char *const files[] = {ACCOUNT "/token", ACCOUNT "/ca.crt"};
    struct fixture *fixture = *state;
    struct buffer told = BUFFER_INIT(10000);
    size_t once;

    sim_add_tap(fixture->sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, &told);
    set(fixture, "KUBE_API_URL", "https://x");
    set(fixture, "KUBE_API_TOKEN", "fixed");
    must_load(fixture, &(struct kube_config_options){0});
    refresh(fixture); /* no file yet: nothing was lost */
    assert_int_equal(told.size, 0);
    put(fixture, files[0], "s3cret");
    put(fixture, files[1], PEM("A"));
    refresh(fixture);
    assert_int_equal(told.size, 0);
    wait_a_second(fixture);
    put(fixture, files[0], "s3cret\nmore");
    refresh(fixture);
    once = told.size;
    assert_non_null(strstr(buffer_text(&told), files[0]));
    assert_null(strstr(buffer_text(&told), "s3cret"));
    refresh(fixture);
    assert_int_equal(told.size, once);
    put(fixture, files[1], "half a file");
    refresh(fixture);
    refresh(fixture);
    assert_non_null(strstr(buffer_text(&told), files[1]));
    assert_null(strstr(buffer_text(&told), "half"));
    buffer_clear(&told);
    put(fixture, files[0], "s3cret");
    refresh(fixture);
    refresh(fixture);
    assert_non_null(strstr(buffer_text(&told), "credentials read again"));
    assert_null(strstr(buffer_text(&told), files[1]));
    buffer_release(&told);
}

static void test_token_limit(void **state)
{
    struct fixture *fixture = *state;
    char *token = xcalloc(1, KUBE_TOKEN_BYTES_MAX + 2);

    memset(token, 't', KUBE_TOKEN_BYTES_MAX);
    set(fixture, "KUBE_API_URL", "http://x");
    put(fixture, ACCOUNT "/token", token);
    must_load(fixture, &(struct kube_config_options){0});
    assert_int_equal(strlen(refresh(fixture).token), KUBE_TOKEN_BYTES_MAX);
    token[KUBE_TOKEN_BYTES_MAX] = 't';
    token[0] = 'x';
    put(fixture, ACCOUNT "/token", token);
    assert_int_equal(refresh(fixture).token[0], 't');
    free(token);
}

static void test_ca_rotates(void **state)
{
    struct fixture *fixture = *state;

    set(fixture, "KUBE_API_URL", "https://x");
    must_load(fixture, &(struct kube_config_options){0});
    assert_null(refresh(fixture).tls.ca_pem);
    put(fixture, ACCOUNT "/ca.crt", PEM("A"));
    assert_string_equal(refresh(fixture).tls.ca_pem, PEM("A"));
    wait_a_second(fixture);
    put(fixture, ACCOUNT "/ca.crt", PEM("B"));
    assert_string_equal(refresh(fixture).tls.ca_pem, PEM("B"));
    wait_a_second(fixture);
    put(fixture, ACCOUNT "/ca.crt", "half a file");
    assert_string_equal(refresh(fixture).tls.ca_pem, PEM("B"));
    assert_true(sim_file_remove(fixture->process, ACCOUNT "/ca.crt"));
    assert_string_equal(refresh(fixture).tls.ca_pem, PEM("B"));
    wait_a_second(fixture);
    put(fixture, ACCOUNT "/ca.crt", PEM("C"));
    assert_string_equal(refresh(fixture).tls.ca_pem, PEM("C"));
}

/* --- kubeconfig --- */

#define CONFIG(server, user)                                                                       \
    "current-context: a\ncontexts: [{name: a, context: {cluster: c, user: u, namespace: n}}]\n"    \
    "clusters:\n- name: c\n  cluster: {server: '" server "', certificate-authority: ca.pem}\n"     \
    "users:\n- name: u\n  user: {" user "}\n"

static void test_kubeconfig(void **state)
{
    struct fixture *fixture = *state;
    struct kube_credentials credentials;

    put(fixture, "/etc/kube/config",
        CONFIG("https://h:6443/",
               "tokenFile: sub/token, client-certificate: /abs/c.pem, client-key: k.pem"));
    put(fixture, "/etc/kube/ca.pem", PEM("CA"));
    put(fixture, "/etc/kube/sub/token", "tok");
    put(fixture, "/abs/c.pem", PEM("C"));
    put(fixture, "/etc/kube/k.pem", PEM("K"));
    set(fixture, "KUBE_API_URL", "http://ignored");
    must_load(fixture, &(struct kube_config_options){.kubeconfig = "/etc/kube/config"});
    assert_string_equal(kube_config_server(fixture->config), "https://h:6443");
    assert_string_equal(kube_config_namespace(fixture->config), "n");
    credentials = refresh(fixture);
    assert_string_equal(credentials.token, "tok");
    assert_string_equal(credentials.tls.ca_pem, PEM("CA"));
    assert_string_equal(credentials.tls.certificate_pem, PEM("C"));
    assert_string_equal(credentials.tls.key_pem, PEM("K"));
}

/* A path without a directory; a token that is both fixed and in a file that is not there. */
static void test_kubeconfig_here(void **state)
{
    struct fixture *fixture = *state;

    put(fixture, "config", CONFIG("http://h", "token: fixed, tokenFile: token"));
    put(fixture, "ca.pem", PEM("CA"));
    must_load(fixture, &(struct kube_config_options){.kubeconfig = "config"});
    assert_string_equal(refresh(fixture).token, "fixed");
    put(fixture, "token", "newer");
    assert_string_equal(refresh(fixture).token, "newer");
}

static void test_kubeconfig_errors(void **state)
{
    static const struct {
        const char *text; /* NULL: no file */
        const char *context;
        const char *want; /* the text's beginning */
    } cases[] = {
        {NULL,     NULL,                                      "/k/config: "},
        {                   "a: [",    NULL,                         "/k/config:2:1: "             },
        {   CONFIG("http://h",    "exec: {}"),      NULL,              "/k/config:8:16: exec is not supported"},
        {   CONFIG("http://h", ""), "other",              "/k/config:1:1: no \"other\" in contexts"},
        { CONFIG("gopher://h",    ""),                                NULL,              "/k/config: "},
        {   CONFIG("http://h",    "token: 'a b'"), NULL,              "/k/config: the token is not fit to be sent"},
        {   CONFIG("http://h",    "tokenFile: none"),                       NULL,              "/k/config: /k/none: "},
        {   CONFIG("http://h",    ""),                     NULL,              "/k/config: /k/ca.pem: "},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        if (cases[i].text != NULL)
            put(fixture, "/k/config", cases[i].text);
        assert_false(load(fixture, &(struct kube_config_options){.kubeconfig = "/k/config",
                                                                 .context = cases[i].context}));
        if (!text_starts_with(fixture->err.text, cases[i].want))
            fail_msg("want %s, got %s", cases[i].want, fixture->err.text);
        tear_down(&own);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_service_account),
        cmocka_unit_test(test_servers),
        cmocka_unit_test(test_bad_settings),
        TEST(test_bad_fixed_token),
        TEST(test_token_rotates),
        TEST(test_stale_is_logged),
        TEST(test_token_limit),
        TEST(test_ca_rotates),
        TEST(test_kubeconfig),
        TEST(test_kubeconfig_here),
        cmocka_unit_test(test_kubeconfig_errors),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
