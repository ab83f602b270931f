#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"
#include "controller/telemetry/controller_metrics.h"

static void check_rendering(const struct metrics *metrics, const char *want)
{
    struct buffer out = BUFFER_INIT(METRIC_BYTES_MAX);

    metrics_render(metrics, &out);
    assert_string_equal(buffer_text(&out), want);
    buffer_release(&out);
}

static void test_counter_and_gauge(void **state)
{
    static const char *const colours[] = {"red", "blue"};
    static const struct metric_description table[] = {
        {.name = "a_total", .help = "As.",        .type = METRIC_COUNTER               },
        { .name = "b",    .help = "Bs.", .type = METRIC_GAUGE, .labels = {{"colour", colours, 2, 0}}},
    };
    struct metrics *metrics = metrics_new(table, ARRAY_SIZE(table));

    (void)state;
    metrics_count(metrics, 0, NULL, NULL);
    metrics_count(metrics, 0, NULL, NULL);
    metrics_set(metrics, 1, "blue", 7);
    metrics_set(metrics, 1, "blue", -3);
    assert_int_equal(metrics_value(metrics, 0, NULL, NULL), 2);
    assert_int_equal(metrics_value(metrics, 1, "red", NULL), 0);
    check_rendering(metrics, "# HELP a_total As.\n# TYPE a_total counter\na_total 2\n"
                             "# HELP b Bs.\n# TYPE b gauge\nb{colour=\"red\"} 0\n"
                             "b{colour=\"blue\"} -3\n");
    metrics_free(metrics);
}

static void test_sparse_numbers(void **state)
{
    static const char *const colours[] = {"red", "blue"};
    static const struct metric_description table[] = {
        {.name = "a_total",
         .help = "As.",
         .type = METRIC_COUNTER,
         .labels = {{"colour", colours, 2, 0}, {.name = "code", .number_count = 256}},
         .sparse = true},
    };
    struct metrics *metrics = metrics_new(table, ARRAY_SIZE(table));

    (void)state;
    check_rendering(metrics, "# HELP a_total As.\n# TYPE a_total counter\n");
    metrics_count(metrics, 0, "blue", "255");
    metrics_count(metrics, 0, "red", "0");
    metrics_count(metrics, 0, "red", "256");
    metrics_count(metrics, 0, "red", "-1");
    metrics_count(metrics, 0, "red", "007");
    metrics_count(metrics, 0, "red", "");
    check_rendering(metrics, "# HELP a_total As.\n# TYPE a_total counter\n"
                             "a_total{colour=\"red\",code=\"0\"} 1\n"
                             "a_total{colour=\"red\",code=\"other\"} 4\n"
                             "a_total{colour=\"blue\",code=\"255\"} 1\n");
    metrics_free(metrics);
}

static void test_summary(void **state)
{
    static const struct metric_description table[] = {
        {.name = "d_seconds", .help = "Ds.", .type = METRIC_SUMMARY}
    };
    struct metrics *metrics = metrics_new(table, 1);

    (void)state;
    metrics_observe_us(metrics, 0, NULL, 1500000);
    metrics_observe_us(metrics, 0, NULL, 20);
    metrics_observe_us(metrics, 0, NULL, -5);
    check_rendering(metrics, "# HELP d_seconds Ds.\n# TYPE d_seconds summary\n"
                             "d_seconds_sum 1.50002\nd_seconds_count 3\n");
    metrics_observe_us(metrics, 0, NULL, INT64_MAX);
    metrics_observe_us(metrics, 0, NULL, INT64_MAX);
    check_rendering(metrics, "# HELP d_seconds Ds.\n# TYPE d_seconds summary\n"
                             "d_seconds_sum 9223372036854.775807\nd_seconds_count 5\n");
    metrics_free(metrics);
}

/* A bound belongs to its bucket; buckets are cumulative. */
static void test_histogram(void **state)
{
    static const int64_t bounds_s[] = {1, 60};
    static const char *const phases[] = {"x"};
    static const struct metric_description table[] = {
        {.name = "h_seconds",
         .help = "Hs.",
         .type = METRIC_HISTOGRAM,
         .labels = {{"phase", phases, 1, 0}},
         .buckets_s = bounds_s,
         .bucket_count = 2}
    };
    struct metrics *metrics = metrics_new(table, 1);

    (void)state;
    metrics_observe_us(metrics, 0, "x", 1000000);
    metrics_observe_us(metrics, 0, "x", 1000001);
    metrics_observe_us(metrics, 0, "x", 60000000);
    metrics_observe_us(metrics, 0, "x", 60000001);
    check_rendering(metrics, "# HELP h_seconds Hs.\n# TYPE h_seconds histogram\n"
                             "h_seconds_bucket{phase=\"x\",le=\"1\"} 1\n"
                             "h_seconds_bucket{phase=\"x\",le=\"60\"} 3\n"
                             "h_seconds_bucket{phase=\"x\",le=\"+Inf\"} 4\n"
                             "h_seconds_sum{phase=\"x\"} 122.000002\n"
                             "h_seconds_count{phase=\"x\"} 4\n");
    metrics_free(metrics);
}

/* RULES 4.6: the names, types and label sets that others scrape */
static void test_controller_table(void **state)
{
    static const char *const lines[] = {
        "# TYPE controller_reconciles_total counter\n"
        "controller_reconciles_total{result=\"success\"} 0\n"
        "controller_reconciles_total{result=\"error\"} 0\n",
        "# TYPE controller_reconcile_duration_seconds summary\n"
        "controller_reconcile_duration_seconds_sum 0\n"
        "controller_reconcile_duration_seconds_count 0\n",
        "# TYPE controller_jobs_created_total counter\ncontroller_jobs_created_total 0\n",
        "# TYPE controller_status_patches_total counter\ncontroller_status_patches_total 0\n",
        "# TYPE controller_watch_reconnects_total counter\ncontroller_watch_reconnects_total 0\n",
        "# TYPE controller_resyncs_total counter\ncontroller_resyncs_total 0\n",
        "# TYPE controller_agents gauge\ncontroller_agents{phase=\"Pending\"} 0\n"
        "controller_agents{phase=\"Running\"} 0\ncontroller_agents{phase=\"Succeeded\"} 0\n"
        "controller_agents{phase=\"Failed\"} 0\n",
        "controller_apiserver_request_duration_seconds_count{verb=\"get\"} 0\n",
        "# TYPE controller_is_leader gauge\ncontroller_is_leader 0\n",
        "# TYPE controller_runs_completed_total counter\n"
        "controller_runs_completed_total{phase=\"Failed\",exit_code=\"1\"} 1\n",
        "controller_run_duration_seconds_bucket{phase=\"Failed\",le=\"7680\"} 0\n"
        "controller_run_duration_seconds_bucket{phase=\"Failed\",le=\"+Inf\"} 0\n",
        "controller_run_queue_seconds_bucket{le=\"1\"} 0\n"
        "controller_run_queue_seconds_bucket{le=\"2\"} 0\n",
        "controller_run_queue_seconds_bucket{le=\"512\"} 0\n"
        "controller_run_queue_seconds_bucket{le=\"+Inf\"} 0\n",
        "controller_run_failures_total{kind=\"missing_ref\"} 0\n"
        "controller_run_failures_total{kind=\"job_failed\"} 0\n"
        "controller_run_failures_total{kind=\"output_unavailable\"} 0\n"
        "controller_run_failures_total{kind=\"preempted\"} 0\n",
        "# TYPE controller_batch_cleanup_failures_total counter\n"
        "controller_batch_cleanup_failures_total 0\n",
    };
    struct metrics *metrics = controller_metrics_new();
    struct buffer out = BUFFER_INIT(METRIC_BYTES_MAX);

    (void)state;
    metrics_count(metrics, METRIC_RUNS_COMPLETED, "Failed", "1");
    metrics_render(metrics, &out);
    for (size_t i = 0; i < ARRAY_SIZE(lines); i++)
        if (strstr(buffer_text(&out), lines[i]) == NULL)
            fail_msg("missing: %s\nin:\n%s", lines[i], buffer_text(&out));
    buffer_release(&out);
    metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter_and_gauge), cmocka_unit_test(test_sparse_numbers),
        cmocka_unit_test(test_summary),           cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_controller_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
