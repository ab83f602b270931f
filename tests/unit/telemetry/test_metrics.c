#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"
#include "controller/telemetry/metrics.h"

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

/* A counter of somebody else's microseconds, and a gauge that nobody set. */
static void test_seconds_of_others(void **state)
{
    static const struct metric_description table[] = {
        {.name = "cpu_seconds_total", .help = "Cpu.", .type = METRIC_COUNTER, .in_us = true },
        {.name = "g",                 .help = "Gs.",  .type = METRIC_GAUGE,   .sparse = true},
    };
    struct metrics *metrics = metrics_new(table, ARRAY_SIZE(table));

    (void)state;
    metrics_set(metrics, 0, NULL, 12340000);
    check_rendering(metrics, "# HELP cpu_seconds_total Cpu.\n# TYPE cpu_seconds_total counter\n"
                             "cpu_seconds_total 12.34\n# HELP g Gs.\n# TYPE g gauge\n");
    metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counter_and_gauge), cmocka_unit_test(test_sparse_numbers),
        cmocka_unit_test(test_summary),           cmocka_unit_test(test_histogram),
        cmocka_unit_test(test_seconds_of_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
