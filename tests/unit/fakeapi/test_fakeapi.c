/* The program: its flags, files in and out, and how it says what is wrong. */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "fakeapi/load.h"
#include "fakeapi/options.h"

#define FLAGS_MAX 16

static void test_flags(void **state)
{
    static const struct {
        const char *argv[FLAGS_MAX];
        const char *error; /* NULL: taken */
    } rows[] = {
        {{"fakeapi"},                                                            NULL                                              },
        {{"fakeapi", "--listen", "[::1]:0", "--tls", "--history=5"},             NULL                                              },
        {{"fakeapi", "--load", "a", "--load=b", "--dump", "c", "--faults", "d"}, NULL                                              },
        {{"fakeapi", "--listen", "8080"},                                        "--listen 8080: want ADDR:PORT"                   },
        {{"fakeapi", "--listen", "a:65536"},                                     "--listen a:65536: want ADDR:PORT"                },
        {{"fakeapi", "--listen"},                                                "--listen: a value is missing"                    },
        {{"fakeapi", "--first-version", "4611686018427387904"},                  NULL                                              },
        {{"fakeapi", "--first-version=0"},
         "--first-version 0: want a number from 1 to 4611686018427387904"                                                          },
        {{"fakeapi", "--first-version", "4611686018427387905"},
         "--first-version 4611686018427387905: want a number from 1 to 4611686018427387904"                                        },
        {{"fakeapi", "--history", "0"},                                          "--history 0: want a number from 1 to 10000000"   },
        {{"fakeapi", "--history", "10000001"},
         "--history 10000001: want a number from 1 to 10000000"                                                                    },
        {{"fakeapi", "--token-file", "f"},                                       NULL                                              },
        {{"fakeapi", "--token", "a", "--token-file", "f"},
         "--token and --token-file exclude each other"                                                                             },
        {{"fakeapi", "--token-file", "f", "--token", "a"},
         "--token and --token-file exclude each other"                                                                             },
        {{"fakeapi", "--token", ""},                                             "--token: must be a word without spaces or quotes"},
        {{"fakeapi", "--access", "--open", "--token-auth-file", "f"},            NULL                                              },
        {{"fakeapi", "--user", "a,b,c=/f", "--user=x=y"},                        NULL                                              },
        {{"fakeapi", "--user", "a"},                                             "--user a: want NAME[,GROUP...]=FILE"             },
        {{"fakeapi", "--user", "=f"},                                            "--user =f: want NAME[,GROUP...]=FILE"            },
        {{"fakeapi", "--user", ",b=f"},                                          "--user ,b=f: want NAME[,GROUP...]=FILE"          },
        {{"fakeapi", "--user", "a="},                                            "--user a=: want NAME[,GROUP...]=FILE"            },
        {{"fakeapi", "--acces"},                                                 "--acces: no such flag; did you mean --access?"   },
        {{"fakeapi", "--lisen", "x"},                                            "--lisen: no such flag; did you mean --listen?"   },
        {{"fakeapi", "x"},                                                       "x: no such flag; see --help"                     },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fakeapi_options options = {.port = 0};
        struct error err = ERROR_INIT;
        int argc = 0;
        bool taken;

        while (argc < FLAGS_MAX && rows[i].argv[argc] != NULL)
            argc++;
        taken = fakeapi_options_parse(argc, rows[i].argv, &options, &err);
        if (taken != (rows[i].error == NULL) || (!taken && strcmp(err.text, rows[i].error) != 0))
            fail_msg("row %zu: %s", i, err.text);
        fakeapi_options_release(&options);
    }
}

static void test_listen_address(void **state)
{
    static const char *const argv[] = {"fakeapi", "--listen", "[::1]:6443"};
    static const char *const named[] = {"fakeapi", "--listen", "LocalHost:0"};
    struct fakeapi_options options;

    (void)state;
    assert_true(fakeapi_options_parse(1, argv, &options, NULL));
    assert_string_equal(options.address, "127.0.0.1");
    assert_int_equal(options.port, 8080);
    fakeapi_options_release(&options);
    assert_true(fakeapi_options_parse(3, argv, &options, NULL));
    assert_string_equal(options.address, "::1");
    assert_int_equal(options.port, 6443);
    fakeapi_options_release(&options);
    assert_true(fakeapi_options_parse(3, named, &options, NULL));
    assert_string_equal(options.address, "127.0.0.1");
    fakeapi_options_release(&options);
}

static void test_help(void **state)
{
    struct server server;

    (void)state;
    server_start(&server, "--help", NULL);
    assert_int_equal(sim_process_exit_status(server.api), 0);
    assert_non_null(strstr(buffer_text(sim_process_output(server.api)), "--kubeconfig-out FILE"));
    server_free(&server);
}

/* What a run of the program with one file says at its end. */
struct run {
    char said[2048];
    int exit_status;
};

static void on_event(void *arg, const struct sim_event *event)
{
    struct run *run = arg;

    if (event->kind == SIM_EVENT_EXITED)
        run->exit_status = (int)event->number;
    else
        snprintf(run->said, sizeof(run->said), "%s", event->text == NULL ? "" : event->text);
}

static void run_with_file(const char *flag, const char *path, const char *content, struct run *run)
{
    const char *flags[] = {"--listen", "0.0.0.0:80", "--no-cluster", "--open", flag, path};
    struct sim_options options = {.seed = 1};
    struct sim_process_options api = {.name = "api",
                                      .program = &fakeapi_program,
                                      .arguments = flags,
                                      .argument_count = ARRAY_SIZE(flags)};
    struct sim *sim = sim_new(&options);
    struct sim_process *process = sim_process_new(sim, &api);

    *run = (struct run){.exit_status = -1};
    sim_add_tap(sim, SIM_EVENT_BIT(SIM_EVENT_EXITED) | SIM_EVENT_BIT(SIM_EVENT_LOG), on_event, run);
    if (content != NULL)
        sim_file_put(process, path, content, strlen(content));
    sim_process_start(process);
    assert_true(sim_run_until(sim, US_PER_SECOND));
    sim_free(sim);
}

static void test_bad_files(void **state)
{
    static const struct {
        const char *flag;
        const char *content;
        const char *want;
    } rows[] = {
        {"--load",            NULL,                                                      "/f.yaml"                                         },
        {"--load",            "a: [1\n",                                                 "/f.yaml:"                                        },
        {"--load",            "---\napiVersion: v1\nkind: Chair\nmetadata: {name: a}\n",
         "/f.yaml:2:1: no kind \"Chair\" in version \"v1\""                                                                                },
        {"--load",            "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: B_}\n",
         "/f.yaml:1:1: ConfigMap \"B_\" is invalid: metadata.name: "                                                                       },
        {"--load",            "apiVersion: v1\nkind: List\nitems:\n- 5\n",               "/f.yaml:4:3: want an object"                     },
        {"--load",            "- 5\n",                                                   "/f.yaml:1:1: want an object"                     },
        {"--faults",          "- do: {refuze: true}\n",                                  "/f.yaml:1:"                                      },
        {"--faults",          NULL,                                                      "/f.yaml"                                         },
        {"--faults",          "- match: {verb: creat}\n  do: {status: 1}\n",
         "/f.yaml:1:17: unknown verb 'creat'; did you mean 'create'?; line 2, column 16: a whole "                                         },
        {"--token-file",      NULL,                                                      "/f.yaml"                                         },
        {"--token-file",      "\n",                                                      "/f.yaml: must be a word without spaces or quotes"},
        {"--token-file",      "a b\n",                                                   "/f.yaml: must be a word without spaces or quotes"},
        {"--token-file",      "a\nb\n",                                                  "/f.yaml: must hold one line"                     },
        {"--token-auth-file", NULL,                                                      "/f.yaml"                                         },
        {"--token-auth-file", "t,u\n",
         "/f.yaml: line 1: want at least 3 columns: token, user, uid"                                                                      },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        run_with_file(rows[i].flag, "/f.yaml", rows[i].content, &run);
        if (run.exit_status != 2 || strstr(run.said, rows[i].want) == NULL)
            fail_msg("row %zu: exit %d, said %s", i, run.exit_status, run.said);
    }
}

/* Its flags: those before the first NULL. */
static void run_with_flags(const char *const *flags, size_t count_max, struct run *run)
{
    static const char object[] =
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\n";
    struct sim_options options = {.seed = 1};
    struct sim_process_options api = {
        .name = "api", .program = &fakeapi_program, .arguments = flags};
    struct sim *sim = sim_new(&options);
    struct sim_process *process;

    *run = (struct run){.exit_status = -1};
    while (api.argument_count < count_max && flags[api.argument_count] != NULL)
        api.argument_count++;
    process = sim_process_new(sim, &api);
    sim_add_tap(sim, SIM_EVENT_BIT(SIM_EVENT_EXITED) | SIM_EVENT_BIT(SIM_EVENT_LOG), on_event, run);
    sim_file_put(process, "/tokens", "t,u,1\n", 6);
    sim_file_put(process, "/rules", "[]\n", 3);
    sim_file_put(process, "/objects", object, strlen(object));
    sim_process_start(process);
    assert_true(sim_run_until(sim, US_PER_SECOND));
    sim_free(sim);
}

/* Who may reach a server that asks nobody who they are (A23). */
static void test_reachable(void **state)
{
    static const struct {
        const char *flags[6];
        bool refused;
    } rows[] = {
        {{"--listen", "127.0.0.1:80"},                               false},
        {{"--listen", "127.9.9.9:80"},                               false},
        {{"--listen", "[::1]:80"},                                   false},
        {{"--listen", "localhost:80"},                               false},
        {{"--listen", "0.0.0.0:80"},                                 true },
        {{"--listen", "[::]:80"},                                    true },
        {{"--listen", "10.0.0.1:80"},                                true },
        {{"--listen", "0.0.0.0:80", "--user", "a=/k"},               true },
        {{"--listen", "0.0.0.0:80", "--open"},                       false},
        {{"--listen", "0.0.0.0:80", "--access"},                     false},
        {{"--listen", "0.0.0.0:80", "--token", "t"},                 false},
        {{"--listen", "0.0.0.0:80", "--tls"},                        false},
        {{"--listen", "0.0.0.0:80", "--token-auth-file", "/tokens"}, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        run_with_flags(rows[i].flags, ARRAY_SIZE(rows[i].flags), &run);
        if ((run.exit_status == 2) != rows[i].refused ||
            (rows[i].refused && strstr(run.said, "--open if that is meant") == NULL))
            fail_msg("row %zu: exit %d, said %s", i, run.exit_status, run.said);
    }
}

/* Mistakes that would cost somebody a file, or a run's result, are told before anything starts. */
static void test_files_of_flags(void **state)
{
    static const struct {
        const char *flags[6];
        const char *want; /* NULL: it starts */
    } rows[] = {
        {{"--dump", "/nowhere/dump"},                            "--dump: /nowhere/dump: "              },
        {{"--dump", "/rules"},                                   NULL                                   },
        {{"--dump", "/new"},                                     NULL                                   },
        {{"--load", "/new", "--dump", "/new"},                   "/new"                                 },
        {{"--load", "/objects", "--dump", "/objects"},           NULL                                   },
        {{"--faults", "/rules", "--dump", "/rules"},             "--dump and --faults: both are /rules" },
        {{"--kubeconfig-out", "/k", "--user", "a,b=/k"},
         "--kubeconfig-out and --user: both are /k"                                                     },
        {{"--user", "a=/k", "--user", "b=/k"},                   "--user and --user: both are /k"       },
        {{"--user", "a=/a", "--user", "b=/b"},                   NULL                                   },
        {{"--kubeconfig-out", "/k", "--dump", "/k"},             "--kubeconfig-out and --dump: both are"},
        {{"--admin", "unix:/k", "--kubeconfig-out", "/k"},       "--kubeconfig-out and --admin: both"   },
        {{"--token-file", "/t", "--kubeconfig-out", "/t"},
         "--kubeconfig-out and --token-file: both are /t"                                               },
        {{"--faults", "/rules", "--faults", "/rules"},           NULL                                   },
        {{"--faults", "/rules", "--faults", "/objects"},         "/objects:1:1: a list of rules"        },
        {{"--faults", "/objects", "--faults", "/rules"},         "/objects:1:1: a list of rules"        },
        {{"--user", "system:serviceaccount:a=/k"},               "want system:serviceaccount:NAMESPACE:"},
        {{"--user", "system:serviceaccount:default:default=/k"}, NULL                                   },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        run_with_flags(rows[i].flags, ARRAY_SIZE(rows[i].flags), &run);
        if ((run.exit_status == 2) != (rows[i].want != NULL) ||
            (rows[i].want != NULL && strstr(run.said, rows[i].want) == NULL))
            fail_msg("row %zu: exit %d, said %s", i, run.exit_status, run.said);
    }
}

/* Who gets a kubeconfig with credentials that clients keep to themselves over plain HTTP hears it.
 */
static void test_plain_credentials(void **state)
{
    static const struct {
        const char *flags[6];
        bool told;
    } rows[] = {
        {{"--access", "--kubeconfig-out", "/k"},          true },
        {{"--token", "t", "--kubeconfig-out", "/k"},      true },
        {{"--access", "--user", "a=/k"},                  true },
        {{"--access"},                                    false},
        {{"--user", "a=/k"},                              false},
        {{"--kubeconfig-out", "/k"},                      false},
        {{"--access", "--tls", "--kubeconfig-out", "/k"}, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct run run;

        run_with_flags(rows[i].flags, ARRAY_SIZE(rows[i].flags), &run);
        if (run.exit_status != -1 ||
            (strstr(run.said, "send no credentials over plain HTTP") != NULL) != rows[i].told)
            fail_msg("row %zu: exit %d, said %s", i, run.exit_status, run.said);
    }
}

/* Kubeconfigs of more users: what they hold lets them in as who they are. */
static void test_users(void **state)
{
    static const char objects[] =
        "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: s, namespace: default}\n";
    static const struct {
        const char *file;
        const char *want;
    } rows[] = {
        {"/bob",   "\"username\":\"bob\",\"groups\":[\"devs\",\"ops\",\"system:authenticated\"]"},
        {"/robot", "\"username\":\"system:serviceaccount:default:s\""                           },
        {"/admin", "\"groups\":[\"system:masters\",\"system:authenticated\"]"                   },
    };
    static const char *const flags[] = {"--listen",
                                        "0.0.0.0:80",
                                        "--access",
                                        "--load",
                                        "/o.yaml",
                                        "--kubeconfig-out",
                                        "/admin",
                                        "--user",
                                        "bob,devs,ops=/bob",
                                        "--user",
                                        "system:serviceaccount:default:s=/robot"};
    struct sim_options options = {.seed = 1};
    struct sim_process_options api = {.name = "api",
                                      .program = &fakeapi_program,
                                      .arguments = flags,
                                      .argument_count = ARRAY_SIZE(flags)};
    struct sim_process_options client = {.name = "client"};
    struct server server = {.sim = sim_new(&options)};

    (void)state;
    server.api = sim_process_new(server.sim, &api);
    server.client = sim_process_new(server.sim, &client);
    sim_file_put(server.api, "/o.yaml", objects, strlen(objects));
    sim_process_start(server.api);
    sim_process_start(server.client);
    server_run(&server, US_PER_SECOND);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        size_t size = 0;
        const char *config = sim_file_get(server.api, rows[i].file, &size);
        const char *token = config == NULL ? NULL : strstr(config, "token: \"");
        struct ask ask = {.method = "POST",
                          .body = "{}",
                          .content_type = "application/json",
                          .target = "/apis/authentication.k8s.io/v1/selfsubjectreviews"};
        struct reply reply;
        char *header;

        assert_non_null(token);
        token += strlen("token: \"");
        header = xprintf("Bearer %.*s", (int)strcspn(token, "\""), token);
        ask.authorization = header;
        server_call(&server, &ask, &reply);
        if (strstr(buffer_text(&reply.body), rows[i].want) == NULL)
            fail_msg("%s: got %u: %s", rows[i].file, reply.status, buffer_text(&reply.body));
        reply_release(&reply);
        free(header);
    }
    server_free(&server);
}

/* A directory that has no file to load is a wrong one, not an empty cluster. */
static void test_nothing_to_load(void **state)
{
    struct server server;
    struct run run = {.exit_status = -1};

    (void)state;
    server_start(&server, "--load", "/objects", NULL);
    sim_add_tap(server.sim, SIM_EVENT_BIT(SIM_EVENT_EXITED) | SIM_EVENT_BIT(SIM_EVENT_LOG),
                on_event, &run);
    sim_file_put(server.api, "/objects/readme.txt", "a: 1\n", 5);
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    assert_int_equal(run.exit_status, 2);
    assert_non_null(
        strstr(run.said, "/objects: no *.yaml, *.yml or *.json file in this directory"));
    server_free(&server);
}

static void keep_log(void *arg, const struct sim_event *event)
{
    buffer_append_text(arg, event->text);
    buffer_append_char(arg, '\n');
}

/* What fieldValidation=Warn would say of a request (C4). */
static void test_unknown_fields(void **state)
{
    static const char text[] =
        "apiVersion: x.io/v1\nkind: Widget\nmetadata: {name: w, nam: w}\nspec: {size: 3, sise: 3}\n"
        "---\n"
        "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
        "metadata: {name: widgets.x.io}\n"
        "spec:\n  group: x.io\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n"
        "  versions:\n  - name: v1\n    served: true\n    storage: true\n"
        "    schema: {openAPIV3Schema: {type: object, properties: {spec: {type: object,\n"
        "      properties: {size: {type: integer}}}}}}\n";
    struct server server;
    struct buffer said = BUFFER_INIT(4096);

    (void)state;
    server_start(&server, "--load", "/f.yaml", NULL);
    sim_add_tap(server.sim, SIM_EVENT_BIT(SIM_EVENT_LOG), keep_log, &said);
    sim_file_put(server.api, "/f.yaml", text, strlen(text));
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    assert_string_equal(
        buffer_text(&said),
        "loaded without a field at=/f.yaml:1:1 why=\"unknown field \\\"metadata.nam\\\"\"\n"
        "loaded without a field at=/f.yaml:1:1 why=\"unknown field \\\"spec.sise\\\"\"\n");
    buffer_release(&said);
    server_free(&server);
}

/* Secrets are dumped too. */
static bool write_private(struct runtime *rt, const char *path, const void *bytes, size_t size,
                          bool private_file, struct error *err)
{
    (void)rt;
    (void)path;
    (void)bytes;
    (void)size;
    return private_file || error_set(err, ERROR_INVALID, "for all to read");
}

static void test_dump_is_private(void **state)
{
    static const struct runtime_ops ops = {.write_file = write_private};
    struct runtime rt = {&ops};
    struct store_options options = {0};
    struct store *store = store_new(&options);

    (void)state;
    assert_true(fakeapi_dump(&rt, store, "/dump.yaml"));
    store_free(store);
}

/* The file's, before the environment's, which counts without flags. */
static void test_tokens(void **state)
{
    struct server server;
    const char *text;
    size_t size;

    (void)state;
    server_start(&server, "--token-file", "/token", "--kubeconfig-out", "/kubeconfig", NULL);
    sim_file_put(server.api, "/token", "of-file\n", 8);
    sim_process_set_setting(server.api, "FAKEAPI_TOKEN", "of-setting");
    sim_process_start(server.api);
    server_run(&server, 0);
    text = sim_file_get(server.api, "/kubeconfig", &size);
    assert_non_null(strstr(text, "    token: \"of-file\"\n"));
    server_free(&server);

    server_start(&server, "--kubeconfig-out", "/kubeconfig", NULL);
    sim_process_crash(server.api);
    sim_process_set_setting(server.api, "FAKEAPI_TOKEN", "of-setting");
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    text = sim_file_get(server.api, "/kubeconfig", &size);
    assert_non_null(strstr(text, "    token: \"of-setting\"\n"));
    server_free(&server);
}

static const char objects[] =
    "apiVersion: x.io/v1\nkind: Widget\nmetadata: {name: w, namespace: ns}\nspec: {size: 3}\n"
    "---\n"
    "apiVersion: v1\nkind: List\nitems:\n"
    "- {apiVersion: v1, kind: Namespace, metadata: {name: ns}}\n"
    "- {apiVersion: v1, kind: ConfigMap, metadata: {name: c}, data: {k: v}}\n"
    "---\n"
    "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n"
    "metadata: {name: widgets.x.io}\n"
    "spec:\n  group: x.io\n  scope: Namespaced\n  names: {plural: widgets, kind: Widget}\n"
    "  versions:\n  - name: v1\n    served: true\n    storage: true\n"
    "    schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}\n";

static const struct line loaded[] = {
    {"the widget, though it comes before its kind", NULL, "/apis/x.io/v1/namespaces/ns/widgets/w",
     NULL,                                                                                                 200, "\"spec\":{\"size\":3}",  NULL},
    {"default where no namespace is said",          NULL, "/api/v1/namespaces/default/configmaps/c", NULL,
     200,                                                                                                       "\"data\":{\"k\":\"v\"}", NULL},
};

/* Loads, stops, and starts again with what was dumped: the same objects, uids and all. */
static void test_load_and_dump(void **state)
{
    struct server server;
    char uid[64];
    const struct store_object *object;
    size_t size;

    (void)state;
    server_start(&server, "--load", "/objects", "--dump", "/dump.yaml", NULL);
    assert_int_equal(sim_process_exit_status(server.api), 2); /* no such directory yet */
    sim_file_put(server.api, "/objects/a.yaml", objects, strlen(objects));
    sim_file_put(server.api, "/objects/readme.txt", "not {{{ yaml", 12);
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    server_tell(&server, loaded, ARRAY_SIZE(loaded));
    object = store_get(store_find_resource(fakeapi_store(server_root(&server)), "x.io", "widgets"),
                       "ns", "w");
    snprintf(uid, sizeof(uid), "%s", object->uid);
    sim_process_signal(server.api, SIM_TERM);
    server_run(&server, US_PER_SECOND);
    assert_int_equal(sim_process_exit_status(server.api), 0);
    assert_non_null(strstr(sim_file_get(server.api, "/dump.yaml", &size), uid));

    sim_file_put(server.api, "/objects/a.yaml", sim_file_get(server.api, "/dump.yaml", &size),
                 size);
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    server_tell(&server, loaded, ARRAY_SIZE(loaded));
    object = store_get(store_find_resource(fakeapi_store(server_root(&server)), "x.io", "widgets"),
                       "ns", "w");
    assert_string_equal(object->uid, uid);
    server_free(&server);
}

static void test_kubeconfig(void **state)
{
    struct server server;
    const char *text;
    size_t size;

    (void)state;
    server_start(&server, "--token", "secret", "--kubeconfig-out", "/kubeconfig", NULL);
    text = sim_file_get(server.api, "/kubeconfig", &size);
    assert_non_null(strstr(text, "    server: http://127.0.0.1:80\n"));
    assert_non_null(strstr(text, "    token: \"secret\"\n"));
    assert_null(strstr(buffer_text(sim_process_output(server.api)), "secret"));
    assert_string_equal(buffer_text(sim_process_output(server.api)),
                        "fakeapi: listening on http://127.0.0.1:80\n");
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_listen_address),
        cmocka_unit_test(test_help),
        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_reachable),
        cmocka_unit_test(test_users),
        cmocka_unit_test(test_nothing_to_load),
        cmocka_unit_test(test_unknown_fields),
        cmocka_unit_test(test_dump_is_private),
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_load_and_dump),
        cmocka_unit_test(test_files_of_flags),
        cmocka_unit_test(test_plain_credentials),
        cmocka_unit_test(test_kubeconfig),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
