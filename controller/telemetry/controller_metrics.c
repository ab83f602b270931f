#include "controller/telemetry/controller_metrics.h"

/* Exit codes of a process; what a container runtime may say beyond shares one series. */
#define EXIT_CODE_COUNT 256

static const char *const results[] = {"success", "error"};
static const char *const phases[] = {"Pending", "Running", "Succeeded", "Failed"};
static const char *const terminal_phases[] = {"Succeeded", "Failed"};
static const char *const verbs[] = {"get", "list", "create", "patch", "delete"};
static const char *const failure_kinds[] = {"missing_ref", "job_failed", "output_unavailable",
                                            "preempted"};
static const char *const versions[] = {PROGRAM_VERSION};
static const int64_t run_buckets_s[] = {60, 120, 240, 480, 960, 1920, 3840, 7680};
static const int64_t queue_buckets_s[] = {1, 2, 4, 8, 16, 32, 64, 128, 256, 512};

#define LABEL(label_name, array)                                                                   \
    {                                                                                              \
        .name = (label_name), .values = (array), .value_count = ARRAY_SIZE(array)                  \
    }

static const char *const delivery_results[] = {"created",   "duplicate", "ignored",
                                               "unsigned",  "malformed", "not_found",
                                               "too_large", "failed",    "unavailable"};

/* clang-format off */
static const struct metric_description descriptions[CONTROLLER_METRIC_COUNT] = {
    [METRIC_RECONCILES] = {
        .name = "controller_reconciles_total",
        .help = "Reconcile attempts by result.",
        .type = METRIC_COUNTER,
        .labels = {LABEL("result", results)}},
    [METRIC_RECONCILE_DURATION] = {
        .name = "controller_reconcile_duration_seconds",
        .help = "Time spent in reconcile attempts.",
        .type = METRIC_SUMMARY},
    [METRIC_JOBS_CREATED] = {
        .name = "controller_jobs_created_total",
        .help = "Jobs created.",
        .type = METRIC_COUNTER},
    [METRIC_STATUS_PATCHES] = {
        .name = "controller_status_patches_total",
        .help = "Accepted patches of an Agent's status.",
        .type = METRIC_COUNTER},
    [METRIC_WATCH_RECONNECTS] = {
        .name = "controller_watch_reconnects_total",
        .help = "Watch connects after the first of a leadership.",
        .type = METRIC_COUNTER},
    [METRIC_RESYNCS] = {
        .name = "controller_resyncs_total",
        .help = "Full lists of Agents, polls included.",
        .type = METRIC_COUNTER},
    [METRIC_AGENTS] = {
        .name = "controller_agents",
        .help = "Agents per phase at the last poll; 0 on a replica that does not lead.",
        .type = METRIC_GAUGE,
        .labels = {LABEL("phase", phases)}},
    [METRIC_API_REQUEST_DURATION] = {
        .name = "controller_apiserver_request_duration_seconds",
        .help = "Time of requests to the API server, without watches.",
        .type = METRIC_SUMMARY,
        .labels = {LABEL("verb", verbs)}},
    [METRIC_IS_LEADER] = {
        .name = "controller_is_leader",
        .help = "1 while this replica leads, else 0.",
        .type = METRIC_GAUGE},
    [METRIC_RUNS_COMPLETED] = {
        .name = "controller_runs_completed_total",
        .help = "Runs that ended, by phase and exit code.",
        .type = METRIC_COUNTER,
        .labels = {LABEL("phase", terminal_phases),
                   {.name = "exit_code", .number_count = EXIT_CODE_COUNT}},
        .sparse = true},
    [METRIC_RUN_DURATION] = {
        .name = "controller_run_duration_seconds",
        .help = "Time from the start of a run to its end.",
        .type = METRIC_HISTOGRAM,
        .labels = {LABEL("phase", terminal_phases)},
        .buckets_s = run_buckets_s,
        .bucket_count = ARRAY_SIZE(run_buckets_s)},
    [METRIC_RUN_QUEUE] = {
        .name = "controller_run_queue_seconds",
        .help = "Time from an Agent's creation to the start of its run.",
        .type = METRIC_HISTOGRAM,
        .buckets_s = queue_buckets_s,
        .bucket_count = ARRAY_SIZE(queue_buckets_s)},
    [METRIC_RUN_FAILURES] = {
        .name = "controller_run_failures_total",
        .help = "Runs that went wrong, by kind.",
        .type = METRIC_COUNTER,
        .labels = {LABEL("kind", failure_kinds)}},
    [METRIC_WEBHOOK_DELIVERIES] = {
        .name = "controller_webhook_deliveries_total",
        .help = "Webhook deliveries answered, by result.",
        .type = METRIC_COUNTER,
        .labels = {LABEL("result", delivery_results)}},
    [METRIC_BATCH_CLEANUP_FAILURES] = {
        .name = "controller_batch_cleanup_failures_total",
        .help = "Failed attempts to clean up a batch at its provider; a steady rise means that "
                "batches are being left there.",
        .type = METRIC_COUNTER},
    [METRIC_BUILD_INFO] = {
        .name = "controller_build_info",
        .help = "1, with the version of this build.",
        .type = METRIC_GAUGE,
        .labels = {LABEL("version", versions)}},
    [METRIC_PROCESS_CPU] = {
        .name = "process_cpu_seconds_total",
        .help = "User and system CPU time spent.",
        .type = METRIC_COUNTER,
        .sparse = true,
        .in_us = true},
    [METRIC_PROCESS_START] = {
        .name = "process_start_time_seconds",
        .help = "When the process started, in seconds since 1970.",
        .type = METRIC_GAUGE,
        .sparse = true,
        .in_us = true},
    [METRIC_PROCESS_RESIDENT] = {
        .name = "process_resident_memory_bytes",
        .help = "Resident memory.",
        .type = METRIC_GAUGE,
        .sparse = true},
    [METRIC_PROCESS_VIRTUAL] = {
        .name = "process_virtual_memory_bytes",
        .help = "Virtual memory.",
        .type = METRIC_GAUGE,
        .sparse = true},
    [METRIC_PROCESS_OPEN_FILES] = {
        .name = "process_open_fds",
        .help = "Open file descriptors.",
        .type = METRIC_GAUGE,
        .sparse = true},
    [METRIC_PROCESS_MAX_FILES] = {
        .name = "process_max_fds",
        .help = "The most file descriptors that may be open.",
        .type = METRIC_GAUGE,
        .sparse = true},
};
/* clang-format on */

struct metrics *controller_metrics_new(void)
{
    struct metrics *metrics = metrics_new(descriptions, ARRAY_SIZE(descriptions));

    metrics_set(metrics, METRIC_BUILD_INFO, PROGRAM_VERSION, 1);
    return metrics;
}

static void set_known(struct metrics *metrics, unsigned id, int64_t value)
{
    if (value >= 0)
        metrics_set(metrics, id, NULL, value);
}

void controller_metrics_sample(struct metrics *metrics, struct runtime *rt)
{
    struct process_usage usage;

    runtime_usage(rt, &usage);
    set_known(metrics, METRIC_PROCESS_CPU, usage.cpu_us);
    set_known(metrics, METRIC_PROCESS_START, usage.started_at_us);
    set_known(metrics, METRIC_PROCESS_RESIDENT, usage.resident_bytes);
    set_known(metrics, METRIC_PROCESS_VIRTUAL, usage.virtual_bytes);
    set_known(metrics, METRIC_PROCESS_OPEN_FILES, usage.open_files);
    set_known(metrics, METRIC_PROCESS_MAX_FILES, usage.open_files_max);
}
