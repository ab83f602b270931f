/* agent_controller - builds the parts in order, hands each what it needs, and takes them down. */
#include "controller/agent_controller.h"

#include <stdlib.h>
#include <string.h>

#include "controller/agent_controller_cron.h"
#include "controller/agent_controller_settings.h"
#include "controller/agents/agents.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/election/lease.h"
#include "controller/kube/kube.h"
#include "controller/spawner/webhook.h"
#include "controller/telemetry/controller_metrics.h"
#include "controller/telemetry/health.h"
#include "controller/telemetry/shutdown.h"

struct controller {
    struct runtime *rt;
    struct metrics *metrics;
    struct kube *kube;
    char *namespace_name;
    struct health *health;
    struct webhook *webhook; /* NULL: not received */
    struct agents *agents;
    struct election *election;
    struct shutdown *shutdown;
    bool draining; /* begins nothing new */
    bool agents_ended;
    bool webhook_ended;
};

/* Most bytes of what a shutdown names as cut: more is not logged. */
#define CUT_BYTES_MAX 2048

static void say_at(struct runtime *rt, enum log_level level, const char *message,
                   const struct log_field *fields, size_t count)
{
    const struct log_record record = {level, message, fields, count};

    runtime_log(rt, &record);
}

static void say(struct controller *controller, const char *message, const struct log_field *fields,
                size_t count)
{
    say_at(controller->rt, LOG_INFO, message, fields, count);
}

/* --- what the parts ask each other --- */

static void on_call(void *arg, enum kube_verb verb, int64_t duration_us)
{
    struct controller *controller = arg;

    metrics_observe_us(controller->metrics, METRIC_API_REQUEST_DURATION, kube_verb_name(verb),
                       duration_us);
}

static bool is_leader(void *arg)
{
    struct controller *controller = arg;
    int64_t now_us = runtime_elapsed_us(controller->rt);

    return election_is_leader(controller->election, now_us);
}

static void on_gain(void *arg)
{
    struct controller *controller = arg;

    const struct election *election = controller->election;

    metrics_set(controller->metrics, METRIC_IS_LEADER, NULL, 1);
    if (!controller->draining)
        agents_lead(controller->agents, election_version(election),
                    election_is_after_a_lapse(election));
}

static void on_lose(void *arg)
{
    struct controller *controller = arg;

    metrics_set(controller->metrics, METRIC_IS_LEADER, NULL, 0);
    agents_stand_by(controller->agents);
}

static bool is_ready(void *arg)
{
    const struct controller *controller = arg;

    return !shutdown_is_asked(controller->shutdown) &&
           election_api_reachable(controller->election) && agents_is_healthy(controller->agents);
}

static void on_scrape(void *arg)
{
    struct controller *controller = arg;

    controller_metrics_sample(controller->metrics, controller->rt);
}

/* --- the orderly end: take nothing new, end what is being written, give up the Lease --- */

static void on_election_stopped(void *arg)
{
    struct controller *controller = arg;

    shutdown_finished(controller->shutdown);
}

/* The Lease goes last. */
static void look_for_end(struct controller *controller)
{
    if (controller->agents_ended && controller->webhook_ended)
        election_stop(controller->election, on_election_stopped, controller);
}

static void on_agents_stopped(void *arg)
{
    struct controller *controller = arg;

    metrics_set(controller->metrics, METRIC_IS_LEADER, NULL, 0);
    controller->agents_ended = true;
    look_for_end(controller);
}

static void on_webhook_stopped(void *arg)
{
    struct controller *controller = arg;

    controller->webhook_ended = true;
    look_for_end(controller);
}

static void on_drain(void *arg)
{
    struct controller *controller = arg;

    controller->draining = true;
    controller->webhook_ended = controller->webhook == NULL;
    if (controller->webhook != NULL)
        webhook_stop(controller->webhook, on_webhook_stopped, controller);
    agents_stop(controller->agents, on_agents_stopped, controller);
}

/* What was sent may still land; so a Lease that is held is not given up but left to lapse. */
static void warn_of_cut(struct controller *controller)
{
    struct buffer writes = BUFFER_INIT(CUT_BYTES_MAX);
    bool held = election_holds(controller->election);
    int64_t deliveries =
        controller->webhook == NULL ? 0 : (int64_t)webhook_writes(controller->webhook);

    agents_name_writes(controller->agents, &writes);
    say_at(controller->rt, LOG_WARN, "shutdown timed out: cut off what was under way",
           (const struct log_field[]){LOG_TEXT("writes", buffer_text(&writes)),
                                      LOG_TEXT("lease", held ? "left to lapse" : "not held"),
                                      LOG_NUMBER("deliveries", deliveries)},
           controller->webhook == NULL ? 2 : 3);
    buffer_release(&writes);
}

static void on_leave(void *arg, bool cut)
{
    struct controller *controller = arg;

    runtime_mark(controller->rt, cut ? MARK_DRAIN_CUT : MARK_DRAIN_IN_ORDER);
    if (cut)
        warn_of_cut(controller);
    say(controller, "stopped", NULL, 0);
    runtime_stop(controller->rt, cut ? 1 : 0);
}

static void on_signal(void *arg)
{
    struct controller *controller = arg;

    say(controller, "stopping", NULL, 0);
    shutdown_begin(controller->shutdown);
}

/* --- the parts in order --- */

static void controller_free(void *root)
{
    struct controller *controller = root;

    if (controller == NULL)
        return;
    shutdown_free(controller->shutdown);
    election_free(controller->election);
    agents_free(controller->agents);
    webhook_free(controller->webhook);
    health_free(controller->health);
    kube_free(controller->kube);
    metrics_free(controller->metrics);
    free(controller->namespace_name);
    free(controller);
}

static bool connect(struct controller *controller, const struct settings *settings,
                    struct error *err)
{
    const struct kube_config_options config_options = {.kubeconfig = settings->kubeconfig};
    const struct kube_options kube_options = {.on_call = on_call, .arg = controller};
    struct kube_config *config = NULL;
    const char *name = settings->namespace_name;

    if (!kube_config_load(controller->rt, &config_options, &config, err))
        return false;
    if (text_is_empty(name))
        name = text_or(kube_config_namespace(config), settings->namespace_default);
    if (!text_is_dns_label(name)) {
        error_set(err, ERROR_USAGE, "%s: not a namespace: \"%s\"",
                  text_or(settings->kubeconfig, "service account"), name);
        kube_config_free(config);
        return false;
    }
    controller->namespace_name = xstrdup(name);
    controller->kube = kube_new(controller->rt, config, &kube_options);
    return true;
}

static bool serve_health(struct controller *controller, uint16_t port, struct error *err)
{
    const struct health_options options = {
        .port = port,
        .metrics = controller->metrics,
        .is_ready = is_ready,
        .on_scrape = on_scrape,
        .arg = controller,
    };

    return health_new(controller->rt, &options, &controller->health, err);
}

static bool receive_webhooks(struct controller *controller, const struct settings *settings,
                             struct error *err)
{
    const struct webhook_options options = {
        .namespace_name = controller->namespace_name,
        .port = settings->webhook_port,
    };

    return !settings->webhooks_enabled ||
           webhook_new(controller->rt, controller->kube, controller->metrics, &options,
                       &controller->webhook, err);
}

static void prepare_end(struct controller *controller, const struct settings *settings)
{
    const struct shutdown_options options = {
        .min_delay_us = settings->shutdown_min_delay_us,
        .timeout_us = settings->shutdown_timeout_us,
        .drain = on_drain,
        .leave = on_leave,
        .arg = controller,
    };

    controller->shutdown = shutdown_new(controller->rt, &options);
    runtime_on_signal(controller->rt, on_signal, controller);
}

static void elect(struct controller *controller, const struct settings *settings)
{
    const struct agents_options agents_options = {
        .namespace_name = controller->namespace_name,
        .agent_image = settings->agent_image,
        .output_bytes_max = settings->output_bytes_max,
        .is_leader = is_leader,
        .arg = controller,
    };
    const struct election_options election_options = {
        .namespace_name = controller->namespace_name,
        .host_name = settings->host_name,
        .on_gain = on_gain,
        .on_lose = on_lose,
        .arg = controller,
    };

    controller->agents =
        agents_new(controller->rt, controller->kube, controller->metrics, &agents_options);
    controller->election = election_new(controller->rt, controller->kube, &election_options);
}

static void say_started(struct controller *controller)
{
    const struct log_field fields[] = {
        LOG_TEXT("version", PROGRAM_VERSION),
        LOG_TEXT("server", kube_config_server(kube_get_config(controller->kube))),
        LOG_TEXT("namespace", controller->namespace_name),
        LOG_TEXT("identity", election_identity(controller->election)),
        LOG_NUMBER("health_port", health_port(controller->health)),
        LOG_NUMBER("webhook_port",
                   controller->webhook == NULL ? 0 : webhook_port(controller->webhook)),
    };

    say(controller, "started", fields, ARRAY_SIZE(fields) - (controller->webhook == NULL));
}

static bool build(struct controller *controller, const struct settings *settings, struct error *err)
{
    controller->metrics = controller_metrics_new();
    if (!connect(controller, settings, err) ||
        !serve_health(controller, settings->health_port, err) ||
        !receive_webhooks(controller, settings, err))
        return false;
    elect(controller, settings);
    prepare_end(controller, settings);
    say_started(controller);
    return true;
}

static void print_help_or_version(struct runtime *rt, bool help)
{
    struct buffer text = BUFFER_INIT(SETTINGS_HELP_BYTES_MAX);

    if (help)
        settings_help(&text);
    else
        buffer_append_text(&text, "agent-controller " PROGRAM_VERSION "\n");
    runtime_print(rt, text.bytes, text.size);
    buffer_release(&text);
    runtime_stop(rt, 0);
}

static bool start(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                  struct error *err)
{
    struct controller *controller;
    struct settings settings;

    if (argc > 1 && text_equal(argv[1], "cron")) {
        *ret_root = NULL;
        return cron_command(rt, argc, argv, err);
    }
    if (!settings_read(rt, argc, argv, &settings, err))
        return false;
    *ret_root = NULL;
    if (settings.help || settings.version) {
        print_help_or_version(rt, settings.help);
        return true;
    }
    runtime_log_configure(rt, settings.log_level, settings.log_json);
    settings_warn(rt);
    controller = xcalloc(1, sizeof(*controller));
    controller->rt = rt;
    if (!build(controller, &settings, err)) {
        controller_free(controller);
        return false;
    }
    *ret_root = controller;
    return true;
}

const struct program agent_controller_program = {
    .name = "agent-controller",
    .start = start,
    .free = controller_free,
};
