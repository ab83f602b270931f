/* Flags and environment of agent-controller (RULES 4.8, 13.5). */
#include "tests/unit/rows.h"

#include "controller/agent_controller_settings.h"
#include "controller/base/buffer.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/sim/sim.h"

#define WORDS_MAX 8
#define NO_NAMESPACE(source, value)                                                                \
    source " must be a namespace (a-z, 0-9 and '-', at most 63), got: \"" value "\""

/* Arguments and variables ("NAME=value"), parted by spaces; and what comes of them: an error, or
 * what differs from the defaults. */
struct row {
    const char *name;
    const char *arguments;
    const char *variables;
    const char *want;
};

/* clang-format off */
static const struct row good_variables[] = {
    {"4.8: defaults", "", "", ""},
    {"4.8: HEALTH_PORT", "", "HEALTH_PORT=9", "port 9; "},
    {"4.8: WEBHOOKS_ENABLED", "", "WEBHOOKS_ENABLED=true", "webhooks; "},
    {"4.8: WEBHOOKS_ENABLED in another case", "", "WEBHOOKS_ENABLED=True", ""},
    {"4.8: WEBHOOK_PORT", "", "WEBHOOK_PORT=0", "webhook port 0; "},
    {"4.8: an empty WEBHOOK_PORT", "", "WEBHOOK_PORT=", ""},
    {"4.8: AGENT_IMAGE", "", "AGENT_IMAGE=i", "image i; "},
    {"4.8: NAMESPACE", "", "NAMESPACE=n", "default n; "},
    {"4.8: MAX_OUTPUT_BYTES", "", "MAX_OUTPUT_BYTES=0", "output 0; "},
    {"an output beyond what comes through", "", "MAX_OUTPUT_BYTES=99999999999",
     "output 67108864; "},
    {"4.8: POD_NAME before HOSTNAME", "", "POD_NAME=p HOSTNAME=h", "host p; "},
    {"4.8: HOSTNAME", "", "POD_NAME= HOSTNAME=h", "host h; "},
    {"4.8: LOG_LEVEL", "", "LOG_LEVEL=warn", "level warn; "},
    {"4.8: LOG_FORMAT", "", "LOG_FORMAT=json", "json; "},
    {"4.8: bare seconds", "", "CONTROLLER_SHUTDOWN_MIN_DELAY=5 CONTROLLER_SHUTDOWN_TIMEOUT=9",
     "delay 5000000; timeout 9000000; "},
    {"4.8: Go durations", "",
     "CONTROLLER_SHUTDOWN_MIN_DELAY=1m30s CONTROLLER_SHUTDOWN_TIMEOUT=500ms",
     "delay 90000000; timeout 500000; "},
    {"4.8: a delay of nothing", "", "CONTROLLER_SHUTDOWN_MIN_DELAY=0", ""},
    {"4.8: the longest", "", "CONTROLLER_SHUTDOWN_MIN_DELAY=1h CONTROLLER_SHUTDOWN_TIMEOUT=3600",
     "delay 3600000000; timeout 3600000000; "},
    {"4.8: no durations are empty", "",
     "CONTROLLER_SHUTDOWN_MIN_DELAY= CONTROLLER_SHUTDOWN_TIMEOUT=", ""},
    {"4.8: a delay too long is ignored", "", "CONTROLLER_SHUTDOWN_MIN_DELAY=1h1us", ""},
    {"4.8: a negative delay is ignored", "",
     "CONTROLLER_SHUTDOWN_MIN_DELAY=-1 CONTROLLER_SHUTDOWN_TIMEOUT=3", "timeout 3000000; "},
    {"4.8: no timeout is ignored", "", "CONTROLLER_SHUTDOWN_TIMEOUT=0", ""},
    {"4.8: a negative timeout is ignored", "",
     "CONTROLLER_SHUTDOWN_MIN_DELAY=3 CONTROLLER_SHUTDOWN_TIMEOUT=-1s", "delay 3000000; "},
    {"4.8: a timeout too long is ignored", "", "CONTROLLER_SHUTDOWN_TIMEOUT=3601", ""},
    {"4.8: empty is unset", "", "LOG_LEVEL= LOG_FORMAT= AGENT_IMAGE= NAMESPACE=", ""},
};

static const struct row bad_variables[] = {
    {"4.8: digits only", "", "MAX_OUTPUT_BYTES=-1",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"-1\""},
    {"4.8: no unit", "", "MAX_OUTPUT_BYTES=1k",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"1k\""},
    {"4.8: not empty", "", "MAX_OUTPUT_BYTES=",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"\""},
    {"4.8: too large for any number", "", "MAX_OUTPUT_BYTES=99999999999999999999",
     "MAX_OUTPUT_BYTES must be a non-negative integer, got: \"99999999999999999999\""},
    {"4.8: a port too high", "", "HEALTH_PORT=65536",
     "HEALTH_PORT must be a port number, got: \"65536\""},
    {"4.8: a port of webhooks that is none", "", "WEBHOOK_PORT=http",
     "WEBHOOK_PORT must be a port number, got: \"http\""},
    {"4.8: an empty port", "", "HEALTH_PORT=", "HEALTH_PORT must be a port number, got: \"\""},
    {"4.8: a level of another case", "", "LOG_LEVEL=INFO",
     "LOG_LEVEL must be debug, info, warn or error, got: \"INFO\""},
    {"4.8: no format", "", "LOG_FORMAT=xml", "LOG_FORMAT must be text or json, got: \"xml\""},
    {"4.8: no namespace", "", "NAMESPACE=-a", NO_NAMESPACE("NAMESPACE", "-a")},
    {"no image", "", "AGENT_IMAGE=a\tb", "AGENT_IMAGE must be an image's name, got: \"a\tb\""},
    {"no Lease holds it", "", "POD_NAME=\xff", "POD_NAME must be UTF-8"},
    {"a host name without use", "", "POD_NAME=p HOSTNAME=\xff", "HOSTNAME must be UTF-8"},
};

static const struct row flags[] = {
    {"help", "--help --nonsense", "", "help"},
    {"version", "--version", "", "version"},
    {"help in a bad environment", "--help", "HEALTH_PORT=x", "help"},
    {"kubeconfig", "--kubeconfig k", "", "kubeconfig k; "},
    {"flags win", "--health-port 0 --log-level error", "HEALTH_PORT=9 LOG_LEVEL=debug",
     "port 0; level error; "},
    {"a flag over a bad variable", "--health-port=7", "HEALTH_PORT=x", "port 7; "},
    {"the last one wins", "--health-port=7 --health-port 8", "", "port 8; "},
    {"log flags", "--log-level debug --log-format=json", "", "level debug; json; "},
    {"the other format", "--log-format text", "LOG_FORMAT=json", ""},
    {"a namespace beside the default one", "--namespace=m", "NAMESPACE=n",
     "namespace m; default n; "},
    {"the highest port", "--health-port 65535", "", "port 65535; "},
    {"a wrong port", "--health-port x", "", "--health-port must be a port number, got: \"x\""},
    {"a close flag", "--health-prot 1", "",
     "unknown argument '--health-prot', did you mean '--health-port'?"},
    {"an argument", "server", "", "unknown argument 'server', see --help"},
    {"no argument", " ", "", "unknown argument '', see --help"},
    {"a flag before a bad variable", "--x 1", "HEALTH_PORT=x",
     "unknown argument '--x', see --help"},
    {"a flag without its value", "--namespace", "", "--namespace needs a value"},
    {"a wrong level", "--log-level loud", "",
     "--log-level must be debug, info, warn or error, got: \"loud\""},
    {"a wrong format", "--log-format xml", "", "--log-format must be text or json, got: \"xml\""},
    {"a dot", "--namespace a.b", "", NO_NAMESPACE("--namespace", "a.b")},
    {"capitals", "--namespace=A", "", NO_NAMESPACE("--namespace", "A")},
    {"ends wrong", "--namespace a-", "", NO_NAMESPACE("--namespace", "a-")},
};

/* clang-format on */

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

static void describe_text(struct buffer *into, const char *name, const char *value,
                          const char *usual)
{
    if (!text_equal(value, usual))
        buffer_append_format(into, "%s %s; ", name, text_or(value, "-"));
}

static void describe(const struct settings *settings, struct buffer *into)
{
    if (settings->help || settings->version) {
        buffer_append_text(into, settings->help ? "help" : "version");
        return;
    }
    if (settings->health_port != 8081)
        buffer_append_format(into, "port %u; ", (unsigned)settings->health_port);
    if (settings->webhooks_enabled)
        buffer_append_text(into, "webhooks; ");
    if (settings->webhook_port != 8083)
        buffer_append_format(into, "webhook port %u; ", (unsigned)settings->webhook_port);
    if (settings->output_bytes_max != 262144)
        buffer_append_format(into, "output %zu; ", settings->output_bytes_max);
    describe_text(into, "image", settings->agent_image, "ghcr.io/re-cinq/ai-agent:latest");
    describe_text(into, "namespace", settings->namespace_name, NULL);
    describe_text(into, "default", settings->namespace_default, "ai-agents");
    describe_text(into, "host", settings->host_name, NULL);
    describe_text(into, "kubeconfig", settings->kubeconfig, NULL);
    describe_text(into, "level", log_level_name(settings->log_level), "info");
    if (settings->shutdown_min_delay_us != 0)
        buffer_append_format(into, "delay %lld; ", (long long)settings->shutdown_min_delay_us);
    if (settings->shutdown_timeout_us != 20000000)
        buffer_append_format(into, "timeout %lld; ", (long long)settings->shutdown_timeout_us);
    if (settings->log_json)
        buffer_append_text(into, "json; ");
}

struct world {
    struct sim *sim;
    struct runtime *rt;
    char *arguments;
    char *variables;
    const char *argv[WORDS_MAX + 1];
    int argc;
    struct buffer got;
};

static void world_init(struct world *world, const struct row *row)
{
    struct sim_setting environment[WORDS_MAX];
    struct sim_process_options options = {.name = "ctl", .settings = environment};
    struct sim_process *process;

    *world = (struct world){.sim = sim_new(&(struct sim_options){.seed = 1}),
                            .arguments = xstrdup(row->arguments),
                            .variables = xstrdup(row->variables),
                            .argv = {"agent-controller"},
                            .got = BUFFER_INIT(16384)};
    world->argc = 1 + (int)split(world->arguments, world->argv + 1);
    options.setting_count = split_variables(world->variables, environment);
    process = sim_process_new(world->sim, &options);
    sim_process_start(process);
    assert_true(sim_run_until(world->sim, 0));
    world->rt = sim_process_runtime(process);
}

static void world_release(struct world *world)
{
    buffer_release(&world->got);
    sim_free(world->sim);
    free(world->arguments);
    free(world->variables);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct settings settings;
    struct error err = ERROR_INIT;
    struct world world;

    world_init(&world, row);
    if (settings_read(world.rt, world.argc, world.argv, &settings, &err))
        describe(&settings, &world.got);
    else
        buffer_append_text(&world.got, err.text);
    if (strcmp(buffer_text(&world.got), row->want) != 0)
        fail_msg("%s: got %s", row->name, buffer_text(&world.got));
    world_release(&world);
}

#define IGNORED(variable, range, value, used)                                                      \
    "setting ignored setting=" variable " error=\"" variable                                       \
    " must be seconds or a duration such as 1m30s, " range " and at most 1h, got: \\\"" value      \
    "\\\"\" used=" used "\n"

/* clang-format off */
/* What is said at the start about variables that do nothing. */
static const struct row warned[] = {
    {"4.8: nothing to say", "", "NAMESPACE=n HEALTH_PORT=1 NEVER_HEARD_OF=1", ""},
    {"4.8: BATCH_ENABLED", "", "BATCH_ENABLED=true",
     "setting without effect setting=BATCH_ENABLED not_in_this_build=\"batch runs\"\n"},
    {"4.8: off by another word than true", "",
     "BATCH_ENABLED=TRUE REALTIME_ENABLED=1 WEBHOOKS_ENABLED=false", ""},
    {"4.8: of a part, empty", "", "BATCH_POLL_SECONDS=", ""},
    {"4.8: WEBHOOKS_ENABLED and WEBHOOK_PORT", "", "WEBHOOKS_ENABLED=true WEBHOOK_PORT=8083", ""},
    {"4.8: good durations", "", "CONTROLLER_SHUTDOWN_MIN_DELAY=1 CONTROLLER_SHUTDOWN_TIMEOUT=", ""},
    {"4.8: bad durations", "",
     "CONTROLLER_SHUTDOWN_MIN_DELAY=soon CONTROLLER_SHUTDOWN_TIMEOUT=0",
     IGNORED("CONTROLLER_SHUTDOWN_MIN_DELAY", "not negative", "soon", "0s")
     IGNORED("CONTROLLER_SHUTDOWN_TIMEOUT", "above 0", "0", "20s")},
    {"4.8: a secret is not shown", "", "REALTIME_TOKEN_KEY=hunter2",
     "setting without effect setting=REALTIME_TOKEN_KEY not_in_this_build=\"realtime runs\"\n"},
};

/* clang-format on */

static void on_log(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    assert_int_equal(event->number, LOG_WARN);
    buffer_append_format(&world->got, "%s\n", event->text);
}

static void check_warned(void **state)
{
    const struct row *row = *state;
    struct world world;

    world_init(&world, row);
    sim_add_tap(world.sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, &world);
    settings_warn(world.rt);
    if (strcmp(buffer_text(&world.got), row->want) != 0)
        fail_msg("%s: got %s", row->name, buffer_text(&world.got));
    world_release(&world);
}

static void check_help(const char *text)
{
    size_t column = 0;

    for (; *text != '\0'; text++) {
        column = *text == '\n' ? 0 : column + 1;
        assert_true(column <= 80);
        assert_true(*text == '\n' || (*text >= ' ' && *text < 0x7f));
    }
}

static void test_help(void **state)
{
    static const struct row row = {"help", "", "", ""};
    struct world world;

    (void)state;
    world_init(&world, &row);
    settings_help(&world.got);
    assert_true(buffer_check(&world.got, NULL));
    check_help(buffer_text(&world.got));
    assert_non_null(strstr(buffer_text(&world.got),
                           "\n  --health-port N, HEALTH_PORT\n"
                           "      Port of /healthz, /readyz and /metrics; 0: any free one. "
                           "Default: 8081.\n  WEBHOOKS_ENABLED\n"));
    world_release(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_help),
    };

    return ROWS_RUN(good_variables, check_row) + ROWS_RUN(bad_variables, check_row) +
           ROWS_RUN(flags, check_row) + ROWS_RUN(warned, check_warned) +
           cmocka_run_group_tests(tests, NULL, NULL);
}
