/* The metrics that others scrape: names, types, labels, buckets (RULES 4.6). */
#include "tests/unit/rows.h"

#include "controller/base/memory.h"
#include "controller/telemetry/controller_metrics.h"
#include "scenarios/sim/sim.h"

#define RUN_BUCKETS "60 120 240 480 960 1920 3840 7680 +Inf"
#define QUEUE_BUCKETS "1 2 4 8 16 32 64 128 256 512 +Inf"

/* clang-format off */
/* What a scrape shows before anything happened. */
static const struct row {
    const char *name; /* "4.6: " and the metric */
    const char *type;
    const char *label;   /* NULL: none */
    const char *values;  /* of the label, parted by spaces; "": no series yet */
    const char *buckets; /* of a histogram */
    const char *value;   /* NULL: 0 */
} rows[] = {
    {"4.6: controller_reconciles_total", "counter", "result", "success error", NULL, NULL},
    {"4.6: controller_reconcile_duration_seconds", "summary", NULL, NULL, NULL, NULL},
    {"4.6: controller_jobs_created_total", "counter", NULL, NULL, NULL, NULL},
    {"4.6: controller_status_patches_total", "counter", NULL, NULL, NULL, NULL},
    {"4.6: controller_watch_reconnects_total", "counter", NULL, NULL, NULL, NULL},
    {"4.6: controller_resyncs_total", "counter", NULL, NULL, NULL, NULL},
    {"4.6: controller_agents", "gauge", "phase", "Pending Running Succeeded Failed", NULL, NULL},
    {"4.6: controller_apiserver_request_duration_seconds",
     "summary", "verb", "get list create patch delete", NULL, NULL},
    {"4.6: controller_is_leader", "gauge", NULL, NULL, NULL, NULL},
    {"4.6: controller_runs_completed_total", "counter", "phase", "", NULL, NULL},
    {"4.6: controller_run_duration_seconds",
     "histogram", "phase", "Succeeded Failed", RUN_BUCKETS, NULL},
    {"4.6: controller_run_queue_seconds", "histogram", NULL, NULL, QUEUE_BUCKETS, NULL},
    {"4.6: controller_run_failures_total",
     "counter", "kind", "missing_ref job_failed output_unavailable preempted", NULL, NULL},
    {"4.6: controller_batch_cleanup_failures_total", "counter", NULL, NULL, NULL, NULL},
    {"4.6: controller_webhook_deliveries_total", "counter", "result",
     "created duplicate ignored unsigned malformed not_found too_large failed unavailable", NULL, NULL},
    {"4.6: controller_build_info", "gauge", "version", PROGRAM_VERSION, NULL, "1"},
    {"4.6: process_cpu_seconds_total", "counter", NULL, NULL, NULL, "0"},
    {"4.6: process_start_time_seconds", "gauge", NULL, NULL, NULL, "12.5"},
    {"4.6: process_resident_memory_bytes", "gauge", NULL, NULL, NULL, "4194304"},
    {"4.6: process_virtual_memory_bytes", "gauge", NULL, NULL, NULL, "16777216"},
    {"4.6: process_open_fds", "gauge", NULL, NULL, NULL, "3"},
    {"4.6: process_max_fds", "gauge", NULL, NULL, NULL, "1024"},
};

/* clang-format on */

static const char *metric_name(const struct row *row)
{
    return row->name + strlen("4.6: ");
}

/* "name_suffix{label="value",le="60"} 0" */
static void append_line(struct buffer *into, const struct row *row, const char *suffix,
                        const char *label_value, const char *bound)
{
    char separator = '{';

    buffer_append_format(into, "%s%s", metric_name(row), suffix);
    if (label_value != NULL) {
        buffer_append_format(into, "{%s=\"%s\"", row->label, label_value);
        separator = ',';
    }
    if (bound != NULL) {
        buffer_append_format(into, "%cle=\"%s\"", separator, bound);
        separator = ',';
    }
    buffer_append_format(into, "%s %s\n", separator == ',' ? "}" : "",
                         row->value == NULL ? "0" : row->value);
}

static void append_series(struct buffer *into, const struct row *row, const char *label_value)
{
    char *bounds = xstrdup(row->buckets == NULL ? "" : row->buckets);
    char *rest = NULL;

    for (char *bound = strtok_r(bounds, " ", &rest); bound != NULL;
         bound = strtok_r(NULL, " ", &rest))
        append_line(into, row, "_bucket", label_value, bound);
    if (strcmp(row->type, "summary") == 0 || row->buckets != NULL) {
        append_line(into, row, "_sum", label_value, NULL);
        append_line(into, row, "_count", label_value, NULL);
    } else {
        append_line(into, row, "", label_value, NULL);
    }
    free(bounds);
}

static void append_family(struct buffer *into, const struct row *row)
{
    char *values = xstrdup(row->values == NULL ? "" : row->values);
    char *rest = NULL;

    buffer_append_format(into, "# TYPE %s %s\n", metric_name(row), row->type);
    if (row->label == NULL)
        append_series(into, row, NULL);
    for (char *value = strtok_r(values, " ", &rest); value != NULL;
         value = strtok_r(NULL, " ", &rest))
        append_series(into, row, value);
    free(values);
}

/* What the rendering says of a metric behind its HELP line; free() it. */
static char *family(const char *text, const struct row *row)
{
    char *begin = xprintf("# TYPE %s ", metric_name(row));
    const char *from = strstr(text, begin);
    const char *to = from == NULL ? NULL : strstr(from, "# HELP ");

    free(begin);
    if (from == NULL)
        fail_msg("%s: not there", row->name);
    return xmemdup(from, to == NULL ? strlen(from) : (size_t)(to - from));
}

/* What a fresh process shows. */
static void render(struct buffer *into)
{
    struct sim *sim = sim_new(&(struct sim_options){.seed = 1, .start_wall_us = 12500000});
    struct sim_process *process = sim_process_new(sim, &(struct sim_process_options){.name = "p"});
    struct metrics *metrics = controller_metrics_new();

    sim_process_start(process);
    assert_true(sim_run_until(sim, 0));
    controller_metrics_sample(metrics, sim_process_runtime(process));
    metrics_render(metrics, into);
    metrics_free(metrics);
    sim_free(sim);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    struct buffer out = BUFFER_INIT(METRIC_BYTES_MAX);
    struct buffer want = BUFFER_INIT(METRIC_BYTES_MAX);
    char *got;

    render(&out);
    got = family(buffer_text(&out), row);
    append_family(&want, row);
    if (strcmp(got, buffer_text(&want)) != 0)
        fail_msg("%s: got\n%swant\n%s", row->name, got, buffer_text(&want));
    buffer_release(&want);
    buffer_release(&out);
    free(got);
}

static void test_no_others(void **state)
{
    struct buffer out = BUFFER_INIT(METRIC_BYTES_MAX);
    size_t count = 0;

    (void)state;
    render(&out);
    for (const char *at = out.bytes; (at = strstr(at, "# TYPE ")) != NULL; at++)
        count++;
    assert_int_equal(count, ARRAY_SIZE(rows));
    buffer_release(&out);
}

/* A process of which the runtime can tell nothing but what the language lets it. */
static void know_nothing(struct runtime *rt, struct process_usage *ret_usage)
{
    (void)rt;
    *ret_usage = (struct process_usage){-1, -1, -1, -1, -1, -1};
}

static void test_unknown_is_left_out(void **state)
{
    static const struct runtime_ops ops = {.usage = know_nothing};
    struct runtime rt = {&ops};
    struct metrics *metrics = controller_metrics_new();
    struct buffer out = BUFFER_INIT(METRIC_BYTES_MAX);

    (void)state;
    controller_metrics_sample(metrics, &rt);
    metrics_render(metrics, &out);
    assert_null(strstr(buffer_text(&out), "\nprocess_"));
    buffer_release(&out);
    metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_others),
        cmocka_unit_test(test_unknown_is_left_out),
    };

    return ROWS_RUN(rows, check_row) + cmocka_run_group_tests(tests, NULL, NULL);
}
