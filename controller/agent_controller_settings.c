#include "controller/agent_controller_settings.h"

#include <string.h>

#include "controller/base/duration.h"
#include "controller/base/text.h"
#include "controller/kube/kube.h"

/* Longer than any pod is given: more is a slip of the pen. */
#define SHUTDOWN_MAX_US US_PER_HOUR
#define HELP_COLUMNS 80
#define HELP_INDENT 6

/* --- what a value must be; source names the flag or the variable --- */

typedef bool take_fn(struct settings *settings, const char *source, const char *value,
                     struct error *err);

static bool take_kubeconfig(struct settings *settings, const char *source, const char *value,
                            struct error *err)
{
    (void)source;
    (void)err;
    settings->kubeconfig = value;
    return true;
}

static bool namespace_check(const char *source, const char *value, struct error *err)
{
    return text_is_dns_label(value) ||
           error_set(err, ERROR_USAGE,
                     "%s must be a namespace (a-z, 0-9 and '-', at most 63), got: \"%s\"", source,
                     value);
}

static bool take_namespace(struct settings *settings, const char *source, const char *value,
                           struct error *err)
{
    settings->namespace_name = value;
    return text_is_empty(value) || namespace_check(source, value, err);
}

static bool take_namespace_default(struct settings *settings, const char *source, const char *value,
                                   struct error *err)
{
    settings->namespace_default = value;
    return namespace_check(source, value, err);
}

/* The first one that is set counts; a Lease holds UTF-8 only. */
static bool take_host_name(struct settings *settings, const char *source, const char *value,
                           struct error *err)
{
    if (!text_is_utf8(value, strlen(value)))
        return error_set(err, ERROR_USAGE, "%s must be UTF-8", source);
    if (settings->host_name == NULL)
        settings->host_name = value;
    return true;
}

static bool port_check(const char *source, const char *value, uint16_t *ret_port, struct error *err)
{
    uint64_t number;

    if (!text_to_uint64(value, &number) || number > UINT16_MAX)
        return error_set(err, ERROR_USAGE, "%s must be a port number, got: \"%s\"", source, value);
    *ret_port = (uint16_t)number;
    return true;
}

static bool take_health_port(struct settings *settings, const char *source, const char *value,
                             struct error *err)
{
    return port_check(source, value, &settings->health_port, err);
}

static bool take_webhooks_enabled(struct settings *settings, const char *source, const char *value,
                                  struct error *err)
{
    (void)source;
    (void)err;
    settings->webhooks_enabled = text_equal(value, "true");
    return true;
}

static bool take_webhook_port(struct settings *settings, const char *source, const char *value,
                              struct error *err)
{
    return port_check(source, value, &settings->webhook_port, err);
}

static bool take_agent_image(struct settings *settings, const char *source, const char *value,
                             struct error *err)
{
    for (const char *at = value; *at != '\0'; at++)
        if (*at <= ' ' || *at >= 0x7f)
            return error_set(err, ERROR_USAGE, "%s must be an image's name, got: \"%s\"", source,
                             value);
    settings->agent_image = value;
    return true;
}

static bool take_output_bytes(struct settings *settings, const char *source, const char *value,
                              struct error *err)
{
    uint64_t bytes;

    if (!text_to_uint64(value, &bytes))
        return error_set(err, ERROR_USAGE, "%s must be a non-negative integer, got: \"%s\"", source,
                         value);
    /* A longer log never comes through as a whole. */
    settings->output_bytes_max =
        bytes < KUBE_RESPONSE_BYTES_MAX ? (size_t)bytes : KUBE_RESPONSE_BYTES_MAX;
    return true;
}

static bool take_log_level(struct settings *settings, const char *source, const char *value,
                           struct error *err)
{
    return log_level_parse(value, &settings->log_level) ||
           error_set(err, ERROR_USAGE, "%s must be debug, info, warn or error, got: \"%s\"", source,
                     value);
}

static bool take_log_format(struct settings *settings, const char *source, const char *value,
                            struct error *err)
{
    settings->log_json = text_equal(value, "json");
    if (settings->log_json || text_equal(value, "text"))
        return true;
    return error_set(err, ERROR_USAGE, "%s must be text or json, got: \"%s\"", source, value);
}

static bool duration_check(const char *source, const char *value, int64_t minimum_us,
                           int64_t *ret_duration_us, struct error *err)
{
    return (duration_parse_lenient(value, ret_duration_us) && *ret_duration_us >= minimum_us &&
            *ret_duration_us <= SHUTDOWN_MAX_US) ||
           error_set(err, ERROR_USAGE,
                     "%s must be seconds or a duration such as 1m30s, %s and at most 1h, got: "
                     "\"%s\"",
                     source, minimum_us > 0 ? "above 0" : "not negative", value);
}

static bool take_shutdown_min_delay(struct settings *settings, const char *source,
                                    const char *value, struct error *err)
{
    return duration_check(source, value, 0, &settings->shutdown_min_delay_us, err);
}

static bool take_shutdown_timeout(struct settings *settings, const char *source, const char *value,
                                  struct error *err)
{
    return duration_check(source, value, 1, &settings->shutdown_timeout_us, err);
}

/* --- the table --- */

/* A setting. One with a flag and a variable is given by the flag where both are there. */
struct row {
    const char *flag;     /* NULL: none */
    const char *operand;  /* what stands behind the flag in --help */
    const char *variable; /* NULL: none */
    const char *fallback; /* the value where none is given; NULL: none, see otherwise */
    const char *otherwise;
    const char *meaning; /* one sentence, without its end */
    take_fn *take;       /* NULL: read and checked by controller/kube */
    bool empty_counts;   /* a variable that is set but empty is a value, not unset */
    bool lenient;        /* a bad value of the variable is warned of, and the fallback holds */
};

/* Read in this order. */
/* clang-format off */
static const struct row rows[] = {
    {.flag = "--kubeconfig",
     .operand = "FILE",
     .otherwise = "the pod's service account",
     .meaning = "How to reach the API server",
     .take = take_kubeconfig},
    {.flag = "--namespace",
     .operand = "NAME",
     .otherwise = "that of the service account or kubeconfig, else NAMESPACE",
     .meaning = "The namespace that is served",
     .take = take_namespace},
    {.variable = "NAMESPACE",
     .fallback = "ai-agents",
     .meaning = "The namespace where neither --namespace nor the service account or kubeconfig "
                "names one",
     .take = take_namespace_default},
    {.variable = "POD_NAME",
     .otherwise = "HOSTNAME",
     .meaning = "First part of this replica's identity in the Lease",
     .take = take_host_name},
    {.variable = "HOSTNAME",
     .otherwise = "agent-controller",
     .meaning = "Stands in for POD_NAME",
     .take = take_host_name},
    {.flag = "--health-port",
     .operand = "N",
     .variable = "HEALTH_PORT",
     .fallback = "8081",
     .meaning = "Port of /healthz, /readyz and /metrics; 0: any free one",
     .take = take_health_port,
     .empty_counts = true},
    {.variable = "WEBHOOKS_ENABLED",
     .otherwise = "off",
     .meaning = "Whether webhooks of GitHub are received; on with true alone",
     .take = take_webhooks_enabled},
    {.variable = "WEBHOOK_PORT",
     .fallback = "8083",
     .meaning = "Port of the webhook receiver; 0: any free one",
     .take = take_webhook_port},
    {.variable = "AGENT_IMAGE",
     .fallback = "ghcr.io/re-cinq/ai-agent:latest",
     .meaning = "Image of the init container of every run",
     .take = take_agent_image},
    {.variable = "MAX_OUTPUT_BYTES",
     .fallback = "262144",
     .meaning = "How much of a run's output its status keeps, in bytes; the end is kept",
     .take = take_output_bytes,
     .empty_counts = true},
    {.flag = "--log-level",
     .operand = "LEVEL",
     .variable = "LOG_LEVEL",
     .fallback = "info",
     .meaning = "The least level that is logged: debug, info, warn or error",
     .take = take_log_level},
    {.flag = "--log-format",
     .operand = "FORMAT",
     .variable = "LOG_FORMAT",
     .fallback = "text",
     .meaning = "How log lines are written: text or json",
     .take = take_log_format},
    /* Both must fit into the pod's terminationGracePeriodSeconds of 30, with room to spare. A bad
     * value must not keep a pod from its start. */
    {.variable = "CONTROLLER_SHUTDOWN_MIN_DELAY",
     .fallback = "0s",
     .meaning = "How long it works on, no longer ready, after SIGTERM or SIGINT: seconds, or a "
                "duration such as 1m30s; a second signal ends it at once",
     .take = take_shutdown_min_delay,
     .lenient = true},
    {.variable = "CONTROLLER_SHUTDOWN_TIMEOUT",
     .fallback = "20s",
     .meaning = "How long what is being written may then take, likewise",
     .take = take_shutdown_timeout,
     .lenient = true},
    {.variable = "KUBERNETES_SERVICE_HOST",
     .otherwise = "none; the cluster sets it",
     .meaning = "Host of the API server, without --kubeconfig"},
    {.variable = "KUBERNETES_SERVICE_PORT",
     .fallback = "443",
     .meaning = "Its port"},
    {.variable = "KUBE_API_URL",
     .otherwise = "https:// with the two above",
     .meaning = "Base URL of the API server, without --kubeconfig; may be http"},
    {.variable = "KUBE_API_TOKEN",
     .otherwise = "none",
     .meaning = "Bearer token where the service account has no token file"},
};
/* clang-format on */

/* Variables of parts of the system that other builds may have. */
static const struct foreign {
    const char *variable;
    const char *part;
    bool is_switch; /* on with "true" alone, and only then worth a word */
} foreigners[] = {
    {"BATCH_ENABLED",             "batch runs",    true },
    {"BATCH_POLL_SECONDS",        "batch runs",    false},
    {"ANTHROPIC_BASE_URL",        "batch runs",    false},
    {"OPENAI_BASE_URL",           "batch runs",    false},
    {"GEMINI_BASE_URL",           "batch runs",    false},
    {"REALTIME_ENABLED",          "realtime runs", true },
    {"REALTIME_TOKEN_KEY",        "realtime runs", false},
    {"PROMPT_PORT",               "realtime runs", false},
    {"AGENT_SINK_RETRY_ATTEMPTS", "event sinks",   false},
    {"AGENT_SINK_RETRY_BASE_MS",  "event sinks",   false},
    {"AGENT_SINK_RETRY_MAX_MS",   "event sinks",   false},
};

/* --- flags --- */

static bool unknown(const char *written, struct error *err)
{
    const char *names[ARRAY_SIZE(rows) + 2] = {"--help", "--version"};
    size_t count = 2;
    const char *close;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].flag != NULL)
            names[count++] = rows[i].flag;
    close = text_closest(written, names, count);
    if (close == NULL)
        return error_set(err, ERROR_USAGE, "unknown argument '%s', see --help", written);
    return error_set(err, ERROR_USAGE, "unknown argument '%s', did you mean '%s'?", written, close);
}

/* The flag that written begins with; NULL when it is none. */
static const struct row *find_flag(const char *written)
{
    size_t size = strcspn(written, "=");

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].flag != NULL && strlen(rows[i].flag) == size &&
            memcmp(rows[i].flag, written, size) == 0)
            return &rows[i];
    return NULL;
}

/* Fills given, which is as long as rows: a flag's value stands behind '=' or in the next argument,
 * which is then skipped. */
static bool read_flags(int argc, const char *const *argv, struct settings *settings,
                       const char **given, struct error *err)
{
    for (int i = 1; i < argc; i++) {
        const struct row *row = find_flag(argv[i]);
        const char *equals = strchr(argv[i], '=');

        settings->help = text_equal(argv[i], "--help");
        settings->version = text_equal(argv[i], "--version");
        if (settings->help || settings->version)
            return true;
        if (row == NULL)
            return unknown(argv[i], err);
        if (equals == NULL && ++i >= argc)
            return error_set(err, ERROR_USAGE, "%s needs a value", row->flag);
        given[row - rows] = equals == NULL ? argv[i] : equals + 1;
    }
    return true;
}

/* --- the environment --- */

/* NULL where it is unset, or counts as that. */
static const char *variable_value(struct runtime *rt, const struct row *row)
{
    const char *value = row->variable == NULL ? NULL : runtime_setting(rt, row->variable);

    return row->empty_counts ? value : text_or(value, NULL);
}

static bool take_variable(struct runtime *rt, const struct row *row, struct settings *settings,
                          struct error *err)
{
    const char *value = variable_value(rt, row);

    if (value != NULL && row->take(settings, row->variable, value, err))
        return true;
    if (value != NULL && !row->lenient)
        return false;
    error_clear(err);
    return row->fallback == NULL || row->take(settings, row->variable, row->fallback, err);
}

bool settings_read(struct runtime *rt, int argc, const char *const *argv,
                   struct settings *ret_settings, struct error *err)
{
    struct settings settings = {0};
    const char *given[ARRAY_SIZE(rows)] = {NULL};

    if (!read_flags(argc, argv, &settings, given, err))
        return false;
    for (size_t i = 0; i < ARRAY_SIZE(rows) && !settings.help && !settings.version; i++) {
        if (rows[i].take == NULL)
            continue;
        if (given[i] != NULL ? !rows[i].take(&settings, rows[i].flag, given[i], err)
                             : !take_variable(rt, &rows[i], &settings, err))
            return false;
    }
    *ret_settings = settings;
    return true;
}

static void warn_of_value(struct runtime *rt, const struct row *row)
{
    struct settings scratch = {0};
    struct error err = ERROR_INIT;
    const char *value = variable_value(rt, row);
    struct log_field fields[] = {LOG_TEXT("setting", row->variable), LOG_TEXT("error", err.text),
                                 LOG_TEXT("used", row->fallback)};
    const struct log_record record = {LOG_WARN, "setting ignored", fields, ARRAY_SIZE(fields)};

    if (value != NULL && !row->take(&scratch, row->variable, value, &err))
        runtime_log(rt, &record);
}

static void warn_of_part(struct runtime *rt, const struct foreign *foreign)
{
    const char *value = text_or(runtime_setting(rt, foreign->variable), "");
    const struct log_field fields[] = {LOG_TEXT("setting", foreign->variable),
                                       LOG_TEXT("not_in_this_build", foreign->part)};
    const struct log_record record = {LOG_WARN, "setting without effect", fields,
                                      ARRAY_SIZE(fields)};

    if (foreign->is_switch ? text_equal(value, "true") : !text_is_empty(value))
        runtime_log(rt, &record);
}

void settings_warn(struct runtime *rt)
{
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        if (rows[i].lenient)
            warn_of_value(rt, &rows[i]);
    for (size_t i = 0; i < ARRAY_SIZE(foreigners); i++)
        warn_of_part(rt, &foreigners[i]);
}

/* --- help --- */

/* The text at the column of HELP_INDENT, broken between words. */
static void append_wrapped(struct buffer *into, const char *text)
{
    size_t column = HELP_COLUMNS;

    while (*text != '\0') {
        size_t size = strcspn(text, " ");

        if (column + 1 + size > HELP_COLUMNS) {
            buffer_append_format(into, "\n%*s", HELP_INDENT, "");
            column = HELP_INDENT;
        } else {
            buffer_append_char(into, ' ');
            column++;
        }
        buffer_append(into, text, size);
        column += size;
        text += size + (text[size] == ' ');
    }
}

static void append_row(struct buffer *into, const struct row *row)
{
    struct buffer text = BUFFER_INIT(SETTINGS_HELP_BYTES_MAX);

    buffer_append_text(into, "\n  ");
    if (row->flag != NULL)
        buffer_append_format(into, "%s %s", row->flag, row->operand);
    if (row->flag != NULL && row->variable != NULL)
        buffer_append_text(into, ", ");
    buffer_append_text(into, text_or(row->variable, ""));
    buffer_append_format(&text, "%s. Default: %s.", row->meaning,
                         row->fallback != NULL ? row->fallback : row->otherwise);
    append_wrapped(into, buffer_text(&text));
    buffer_release(&text);
}

void settings_help(struct buffer *into)
{
    buffer_append_text(into, "usage: agent-controller [FLAG VALUE]...\n"
                             "       agent-controller cron 'EXPR' ...   slots, see cron --help\n"
                             "\n"
                             "Runs Agents of agents.re-cinq.com as Jobs, in one namespace.\n"
                             "\n"
                             "Flags, and variables of the environment. A flag wins over its "
                             "variable.\n");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        append_row(into, &rows[i]);
    buffer_append_text(into,
                       "\n\n"
                       "  --help, --version\n"
                       "\n"
                       "Exit status: 0 after an orderly end, 1 when the shutdown timeout cut\n"
                       "something off, 2 for bad usage or environment.\n");
}
