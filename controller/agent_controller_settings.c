#include "controller/agent_controller_settings.h"

#include <string.h>

#include "controller/base/duration.h"
#include "controller/base/text.h"
#include "controller/kube/kube.h"

#define HEALTH_PORT 8081
#define OUTPUT_BYTES_MAX 262144
#define AGENT_IMAGE "ghcr.io/re-cinq/ai-agent:latest"
#define NAMESPACE "ai-agents"
/* Both must fit into the pod's terminationGracePeriodSeconds of 30, with room to spare. */
#define SHUTDOWN_MIN_DELAY "0s"
#define SHUTDOWN_TIMEOUT "20s"
/* Longer than any pod is given: more is a slip of the pen. */
#define SHUTDOWN_MAX_US US_PER_HOUR

const char settings_help[] =
    "usage: agent-controller [--kubeconfig FILE] [--namespace NAME] [--health-port N]\n"
    "                        [--log-level LEVEL] [--log-format text|json]\n"
    "\n"
    "Runs Agents of agents.re-cinq.com as Jobs, in one namespace.\n"
    "\n"
    "  --kubeconfig FILE    how to reach the API server; default: the pod's service account\n"
    "  --namespace NAME     default: that of the service account or kubeconfig, else $NAMESPACE,\n"
    "                       else ai-agents\n"
    "  --health-port N      /healthz, /readyz and /metrics; 0: any free one (HEALTH_PORT, 8081)\n"
    "  --log-level LEVEL    debug, info, warn or error; default: info\n"
    "  --log-format FORMAT  text or json; default: text\n"
    "  --help, --version\n"
    "\n"
    "Environment: POD_NAME, HOSTNAME, NAMESPACE, HEALTH_PORT, AGENT_IMAGE, MAX_OUTPUT_BYTES,\n"
    "KUBERNETES_SERVICE_HOST, KUBERNETES_SERVICE_PORT, KUBE_API_URL, KUBE_API_TOKEN.\n"
    "CONTROLLER_SHUTDOWN_MIN_DELAY (0s): how long it works on, not ready any more, after SIGTERM\n"
    "or SIGINT; CONTROLLER_SHUTDOWN_TIMEOUT (20s): how long what is being written may then take.\n"
    "Both are seconds or durations such as 500ms and 1m30s. A second signal ends it at once.\n"
    "\n"
    "Exit status: 0 after an orderly end, 1 when the timeout cut something off, 2 for bad usage "
    "or\n"
    "environment.\n";

/* A flag with a value. */
struct flag {
    const char *name;
    bool (*take)(struct settings *settings, const char *value, struct error *err);
};

static bool take_kubeconfig(struct settings *settings, const char *value, struct error *err)
{
    (void)err;
    settings->kubeconfig = value;
    return true;
}

/* source names the flag or the variable. */
static bool namespace_check(const char *source, const char *value, struct error *err)
{
    return text_is_dns_label(value) ||
           error_set(err, ERROR_USAGE,
                     "%s must be a namespace (a-z, 0-9 and '-', at most 63), got: \"%s\"", source,
                     value);
}

static bool take_namespace(struct settings *settings, const char *value, struct error *err)
{
    settings->namespace_name = value;
    return text_is_empty(value) || namespace_check("--namespace", value, err);
}

/* likewise */
static bool port_parse(const char *source, const char *value, uint16_t *ret_port, struct error *err)
{
    uint64_t number;

    if (!text_to_uint64(value, &number) || number > UINT16_MAX)
        return error_set(err, ERROR_USAGE, "%s must be a port number, got: \"%s\"", source, value);
    *ret_port = (uint16_t)number;
    return true;
}

static bool take_health_port(struct settings *settings, const char *value, struct error *err)
{
    return port_parse("--health-port", value, &settings->health_port, err);
}

static bool take_log_level(struct settings *settings, const char *value, struct error *err)
{
    if (log_level_parse(value, &settings->log_level))
        return true;
    return error_set(err, ERROR_USAGE,
                     "--log-level must be debug, info, warn or error, got: \"%s\"", value);
}

static bool take_log_format(struct settings *settings, const char *value, struct error *err)
{
    settings->log_json = text_equal(value, "json");
    if (settings->log_json || text_equal(value, "text"))
        return true;
    return error_set(err, ERROR_USAGE, "--log-format must be text or json, got: \"%s\"", value);
}

static const struct flag flags[] = {
    {"--kubeconfig",  take_kubeconfig },
    {"--namespace",   take_namespace  },
    {"--health-port", take_health_port},
    {"--log-level",   take_log_level  },
    {"--log-format",  take_log_format },
};

static bool unknown(const char *written, struct error *err)
{
    const char *names[ARRAY_SIZE(flags) + 2] = {"--help", "--version"};
    const char *close;

    for (size_t i = 0; i < ARRAY_SIZE(flags); i++)
        names[2 + i] = flags[i].name;
    close = text_closest(written, names, ARRAY_SIZE(names));
    if (close == NULL)
        return error_set(err, ERROR_USAGE, "unknown argument '%s', see --help", written);
    return error_set(err, ERROR_USAGE, "unknown argument '%s', did you mean '%s'?", written, close);
}

/* One flag at argv[*at], its value behind '=' or in the next argument, which is then skipped. */
static bool read_flag(int argc, const char *const *argv, int *at, struct settings *settings,
                      struct error *err)
{
    const char *written = argv[*at];
    size_t name_size = strcspn(written, "=");

    for (size_t i = 0; i < ARRAY_SIZE(flags); i++) {
        if (strlen(flags[i].name) != name_size || memcmp(flags[i].name, written, name_size) != 0)
            continue;
        if (written[name_size] == '=')
            return flags[i].take(settings, written + name_size + 1, err);
        if (*at + 1 >= argc)
            return error_set(err, ERROR_USAGE, "%s needs a value", flags[i].name);
        *at += 1;
        return flags[i].take(settings, argv[*at], err);
    }
    return unknown(written, err);
}

static bool read_flags(int argc, const char *const *argv, struct settings *settings,
                       struct error *err)
{
    for (int i = 1; i < argc; i++) {
        settings->help = text_equal(argv[i], "--help");
        settings->version = text_equal(argv[i], "--version");
        if (settings->help || settings->version)
            return true;
        if (!read_flag(argc, argv, &i, settings, err))
            return false;
    }
    return true;
}

/* The variable, or fallback where it is unset or empty. */
static const char *variable_or(struct runtime *rt, const char *name, const char *fallback)
{
    return text_or(runtime_setting(rt, name), fallback);
}

/* What a Lease or a pod's image could never hold. */
static bool check_texts(const struct settings *settings, struct error *err)
{
    const char *host = text_or(settings->host_name, "");

    if (!text_is_utf8(host, strlen(host)))
        return error_set(err, ERROR_USAGE, "POD_NAME or HOSTNAME must be UTF-8");
    for (const char *at = settings->agent_image; *at != '\0'; at++)
        if (*at <= ' ' || *at >= 0x7f)
            return error_set(err, ERROR_USAGE, "AGENT_IMAGE must be an image's name, got: \"%s\"",
                             settings->agent_image);
    return namespace_check("NAMESPACE", settings->namespace_default, err);
}

/* A wrong value must not keep a pod from its start: fallback counts then. */
static int64_t read_duration(struct runtime *rt, struct settings *settings, const char *name,
                             const char *fallback, int64_t minimum_us)
{
    const char *value = variable_or(rt, name, fallback);
    int64_t duration_us = 0;

    if (duration_parse_lenient(value, &duration_us) && duration_us >= minimum_us &&
        duration_us <= SHUTDOWN_MAX_US)
        return duration_us;
    settings->ignored[settings->ignored_count++] = (struct settings_ignored){name, value, fallback};
    return duration_parse(fallback, &duration_us) ? duration_us : 0;
}

static void read_shutdown(struct runtime *rt, struct settings *settings)
{
    settings->shutdown_min_delay_us =
        read_duration(rt, settings, "CONTROLLER_SHUTDOWN_MIN_DELAY", SHUTDOWN_MIN_DELAY, 0);
    settings->shutdown_timeout_us =
        read_duration(rt, settings, "CONTROLLER_SHUTDOWN_TIMEOUT", SHUTDOWN_TIMEOUT, 1);
}

static bool read_environment(struct runtime *rt, struct settings *settings, struct error *err)
{
    const char *port = runtime_setting(rt, "HEALTH_PORT");
    const char *output = runtime_setting(rt, "MAX_OUTPUT_BYTES");
    uint64_t bytes = OUTPUT_BYTES_MAX;

    settings->host_name = variable_or(rt, "POD_NAME", NULL);
    if (settings->host_name == NULL)
        settings->host_name = variable_or(rt, "HOSTNAME", NULL);
    settings->namespace_default = variable_or(rt, "NAMESPACE", NAMESPACE);
    settings->agent_image = variable_or(rt, "AGENT_IMAGE", AGENT_IMAGE);
    if (!check_texts(settings, err))
        return false;
    if (port != NULL && !port_parse("HEALTH_PORT", port, &settings->health_port, err))
        return false;
    if (output != NULL && !text_to_uint64(output, &bytes))
        return error_set(err, ERROR_USAGE,
                         "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"%s\"", output);
    /* A longer log never comes through as a whole. */
    settings->output_bytes_max =
        bytes < KUBE_RESPONSE_BYTES_MAX ? (size_t)bytes : KUBE_RESPONSE_BYTES_MAX;
    return true;
}

bool settings_read(struct runtime *rt, int argc, const char *const *argv,
                   struct settings *ret_settings, struct error *err)
{
    struct settings settings = {.health_port = HEALTH_PORT, .log_level = LOG_INFO};

    read_shutdown(rt, &settings);
    if (!read_environment(rt, &settings, err) || !read_flags(argc, argv, &settings, err))
        return false;
    *ret_settings = settings;
    return true;
}
