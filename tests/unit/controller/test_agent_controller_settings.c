/* Flags and environment of agent-controller (RULES 4.8, 13.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agent_controller_settings.h"
#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/sim/sim.h"

#define WORDS_MAX 8
#define NO_NAMESPACE(source, value)                                                                \
    source " must be a namespace (a-z, 0-9 and '-', at most 63), got: \"" value "\""

/* Arguments and variables ("NAME=value"), parted by spaces; and what comes of them. */
static const struct row {
    const char *name;
    const char *arguments;
    const char *variables;
    const char *want;
} rows[] = {
    {"4.8: defaults",                       "",                                             "",
     "port 8081, output 262144, image ghcr.io/re-cinq/ai-agent:latest, namespace - or ai-agents, "
     "host -, kubeconfig -, log info text"                                                                                                                                                                            },
    {"4.8: the environment",                "",                                             "HEALTH_PORT=9 MAX_OUTPUT_BYTES=0 AGENT_IMAGE=i NAMESPACE=n",
     "port 9, output 0, image i, namespace - or n, host -, kubeconfig -, log info text"                                                                                                                               },
    {"4.8: POD_NAME before HOSTNAME",       "",                                             "POD_NAME=p HOSTNAME=h",
     "port 8081, output 262144, image ghcr.io/re-cinq/ai-agent:latest, namespace - or ai-agents, "
     "host p, kubeconfig -, log info text"                                                                                                                                                                            },
    {"4.8: HOSTNAME",                       "",                                             "POD_NAME= HOSTNAME=h",
     "port 8081, output 262144, image ghcr.io/re-cinq/ai-agent:latest, namespace - or ai-agents, "
     "host h, kubeconfig -, log info text"                                                                                                                                                                            },
    {"flags win",                           "--health-port 0 --namespace=m --kubeconfig k", "HEALTH_PORT=9 NAMESPACE=n",
     "port 0, output 262144, image ghcr.io/re-cinq/ai-agent:latest, namespace m or n, host -, "
     "kubeconfig k, log info text"                                                                                                                                                                                    },
    {"log flags",                           "--log-level debug --log-format=json",          "AGENT_IMAGE=i",
     "port 8081, output 262144, image i, namespace - or ai-agents, host -, kubeconfig -, log debug "
     "json"                                                                                                                                                                                                           },
    {"an output beyond what comes through", "",                                             "MAX_OUTPUT_BYTES=99999999999 AGENT_IMAGE=i",
     "port 8081, output 67108864, image i, namespace - or ai-agents, host -, kubeconfig -, log "
     "info "
     "text"                                                                                                                                                                                                           },
    {"help",                                "--help --nonsense",                            "",                                                           "help"                                                      },
    {"version",                             "--version",                                    "",                                                           "version"                                                   },
    {"4.8: digits only",                    "",                                             "MAX_OUTPUT_BYTES=-1",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"-1\""                                                                                                                                                   },
    {"4.8: no unit",                        "",                                             "MAX_OUTPUT_BYTES=1k",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"1k\""                                                                                                                                                   },
    {"4.8: not empty",                      "",
     "MAX_OUTPUT_BYTES=",                                                                                                                                 "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"\""},
    {"4.8: too large for any number",       "",                                             "MAX_OUTPUT_BYTES=99999999999999999999",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"99999999999999999999\""                                                                                                                                 },
    {"a port too high",                     "",                                             "HEALTH_PORT=65536",
     "HEALTH_PORT must be a port number, got: \"65536\""                                                                                                                                                              },
    {"the highest port",                    "--health-port 65535",                          "AGENT_IMAGE=i",
     "port 65535, output 262144, image i, namespace - or ai-agents, host -, kubeconfig -, log info "
     "text"                                                                                                                                                                                                           },
    {"a wrong port by flag",                "--health-port x",                              "",
     "--health-port must be a port number, got: \"x\""                                                                                                                                                                },
    {"a close flag",                        "--health-prot 1",                              "",
     "unknown argument '--health-prot', did you mean '--health-port'?"                                                                                                                                                },
    {"an argument",                         "server",                                       "",                                                           "unknown argument 'server', see --help"                     },
    {"a flag without its value",            "--namespace",                                  "",                                                           "--namespace needs a value"                                 },
    {"a wrong level",                       "--log-level loud",                             "",
     "--log-level must be debug, info, warn or error, got: \"loud\""                                                                                                                                                  },
    {"a wrong format",                      "--log-format xml",                             "",                                                           "--log-format must be text or json, got: \"xml\""           },
};

static const struct row refused[] = {
    {"a dot",                     "--namespace a.b", "",                                 NO_NAMESPACE("--namespace",             "a.b")},
    {"capitals",                           "--namespace=A",                                   "",                            NO_NAMESPACE("--namespace",                              "A")},
    {"ends wrong",                       "--namespace a-",                                        "",                                                               NO_NAMESPACE("--namespace",                                  "a-")},
    {"by environment", "",             "NAMESPACE=-a",NO_NAMESPACE("NAMESPACE","-a")},
    {"no image",             "","AGENT_IMAGE=a\tb",                                       "AGENT_IMAGE must be an image's name, got: \"a\tb\""                                                                                                      },
    {"no Lease holds it",             "",                   "POD_NAME=\xff","POD_NAME or HOSTNAME must be UTF-8"},
};

/* Splits text in place; returns how many words. */
static size_t split(char *text, const char **words)
{
    size_t count = 0;

    while (text != NULL && *text != '\0') {
        char *end = strchr(text, ' ');

        assert_true(count < WORDS_MAX);
        words[count++] = text;
        if (end != NULL)
            *end++ = '\0';
        text = end;
    }
    return count;
}

static size_t split_variables(char *text, struct sim_setting *settings)
{
    const char *words[WORDS_MAX];
    size_t count = split(text, words);

    for (size_t i = 0; i < count; i++) {
        char *equals = strchr(words[i], '=');

        *equals = '\0';
        settings[i] = (struct sim_setting){words[i], equals + 1};
    }
    return count;
}

static void describe(const struct settings *settings, struct buffer *into)
{
    if (settings->help || settings->version) {
        buffer_append_text(into, settings->help ? "help" : "version");
        return;
    }
    buffer_append_format(
        into,
        "port %u, output %zu, image %s, namespace %s or %s, host %s, kubeconfig %s, log %s %s",
        (unsigned)settings->health_port, settings->output_bytes_max, settings->agent_image,
        text_or(settings->namespace_name, "-"), settings->namespace_default,
        text_or(settings->host_name, "-"), text_or(settings->kubeconfig, "-"),
        log_level_name(settings->log_level), settings->log_json ? "json" : "text");
}

static void check_row(const struct row *row)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1});
    char *arguments = xstrdup(row->arguments);
    char *variables = xstrdup(row->variables);
    const char *argv[WORDS_MAX + 1] = {"agent-controller"};
    struct sim_setting environment[WORDS_MAX];
    size_t argument_count = split(arguments, argv + 1);
    struct sim_process_options options = {
        .name = "ctl",
        .settings = environment,
        .setting_count = split_variables(variables, environment),
    };
    struct sim_process *process = sim_process_new(sim, &options);
    struct buffer got = BUFFER_INIT(4096);
    struct settings settings;
    struct error err = ERROR_INIT;

    sim_process_start(process);
    assert_true(sim_run_until(sim, 0));
    if (settings_read(sim_process_runtime(process), 1 + (int)argument_count, argv, &settings, &err))
        describe(&settings, &got);
    else
        buffer_append_text(&got, err.text);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("%s: got %s", row->name, buffer_text(&got));
    buffer_release(&got);
    sim_free(sim);
    free(arguments);
    free(variables);
}

static void test_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_row(&rows[i]);
    for (size_t i = 0; i < ARRAY_SIZE(refused); i++)
        check_row(&refused[i]);
}

/* RULES.md 4.8: seconds or Go durations; what is of no use is ignored, and told. */
static const struct shutdown_row {
    const char *name;
    const char *delay;
    const char *timeout;
    int64_t want_delay_us;
    int64_t want_timeout_us;
    const char *want_ignored; /* the variables that are, each with what is used instead */
} shutdowns[] = {
    {"4.8: nothing said",       NULL,    NULL,    0,          20000000,   ""            },
    {"4.8: empty is unset",     "",      "",      0,          20000000,   ""            },
    {"4.8: bare seconds",       "5",     "9",     5000000,    9000000,    ""            },
    {"4.8: Go durations",       "1m30s", "500ms", 90000000,   500000,     ""            },
    {"4.8: a delay of nothing", "0",     NULL,    0,          20000000,   ""            },
    {"4.8: no timeout is none", NULL,    "0",     0,          20000000,   "TIMEOUT: 20s"},
    {"4.8: a negative delay",   "-1",    NULL,    0,          20000000,   "DELAY: 0s"   },
    {"4.8: a negative timeout", "3",     "-1s",   3000000,    20000000,   "TIMEOUT: 20s"},
    {"4.8: words",              "soon",  "1",     0,          1000000,    "DELAY: 0s"   },
    {"4.8: the longest",        "1h",    "3600",  3600000000, 3600000000, ""            },
    {"4.8: a timeout too long", NULL,    "3601",  0,          20000000,   "TIMEOUT: 20s"},
    {"4.8: a delay too long",   "1h1us", NULL,    0,          20000000,   "DELAY: 0s"   },
};

static void describe_ignored(const struct settings *settings, struct buffer *into)
{
    for (size_t i = 0; i < settings->ignored_count; i++)
        buffer_append_format(into, "%s: %s", strrchr(settings->ignored[i].name, '_') + 1,
                             settings->ignored[i].used);
}

static void check_shutdown_row(const struct shutdown_row *row)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1});
    struct sim_process *process =
        sim_process_new(sim, &(struct sim_process_options){.name = "ctl"});
    const char *argv[] = {"agent-controller"};
    struct buffer ignored = BUFFER_INIT(4096);
    struct settings settings;
    struct error err = ERROR_INIT;

    sim_process_set_setting(process, "CONTROLLER_SHUTDOWN_MIN_DELAY", row->delay);
    sim_process_set_setting(process, "CONTROLLER_SHUTDOWN_TIMEOUT", row->timeout);
    sim_process_start(process);
    assert_true(sim_run_until(sim, 0));
    assert_true(settings_read(sim_process_runtime(process), 1, argv, &settings, &err));
    describe_ignored(&settings, &ignored);
    if (settings.shutdown_min_delay_us != row->want_delay_us ||
        settings.shutdown_timeout_us != row->want_timeout_us ||
        strcmp(buffer_text(&ignored), row->want_ignored) != 0)
        fail_msg("%s: got %lld and %lld, ignored %s", row->name,
                 (long long)settings.shutdown_min_delay_us, (long long)settings.shutdown_timeout_us,
                 buffer_text(&ignored));
    buffer_release(&ignored);
    sim_free(sim);
}

static void test_shutdown_settings(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(shutdowns); i++)
        check_shutdown_row(&shutdowns[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings),
        cmocka_unit_test(test_shutdown_settings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
