/* What the steps of a run count (RULES 4.6, the table of events). */
#include "tests/unit/rows.h"

#include "controller/agents/run_metrics.h"
#include "controller/base/time.h"
#include "controller/telemetry/controller_metrics.h"

#define CREATED_US (100 * US_PER_SECOND)
#define STARTED_US (107 * US_PER_SECOND)
#define NOW_US (300 * US_PER_SECOND)

/* clang-format off */
/* An accepted patch, and all that it adds to the metrics of runs. */
static const struct row {
    const char *name;
    enum agent_phase phase;
    int64_t exit_code;
    const char *reason;
    enum run_event event;
    int64_t created_us;
    int64_t started_us;
    const char *want;
} rows[] = {
    {"4.6: run started", AGENT_RUNNING, 0, NULL, RUN_STARTED, CREATED_US, AGENT_NO_TIME,
     "controller_run_queue_seconds_sum 200\n"},
    {"4.6: missing ref", AGENT_FAILED, 1, "Station or AgentDefinition not found", RUN_MISSING_REF,
     CREATED_US, AGENT_NO_TIME,
     "controller_runs_completed_total{phase=\"Failed\",exit_code=\"1\"} 1\n"
     "controller_run_failures_total{kind=\"missing_ref\"} 1\n"},
    {"4.6: failed validation / rejected submit before start", AGENT_FAILED, 1, "no",
     RUN_REFUSED, CREATED_US, AGENT_NO_TIME,
     "controller_runs_completed_total{phase=\"Failed\",exit_code=\"1\"} 1\n"
     "controller_run_failures_total{kind=\"job_failed\"} 1\n"},
    {"4.6: Failed after running", AGENT_FAILED, 137, "OOMKilled", RUN_ENDED, CREATED_US, STARTED_US,
     "controller_runs_completed_total{phase=\"Failed\",exit_code=\"137\"} 1\n"
     "controller_run_duration_seconds_sum{phase=\"Failed\"} 193\n"
     "controller_run_failures_total{kind=\"job_failed\"} 1\n"},
    {"4.6: Succeeded with a reason", AGENT_SUCCEEDED, 0, "run output unavailable", RUN_ENDED,
     CREATED_US, STARTED_US,
     "controller_runs_completed_total{phase=\"Succeeded\",exit_code=\"0\"} 1\n"
     "controller_run_duration_seconds_sum{phase=\"Succeeded\"} 193\n"
     "controller_run_failures_total{kind=\"output_unavailable\"} 1\n"},
    {"4.6: Succeeded without a reason", AGENT_SUCCEEDED, 0, NULL, RUN_ENDED, CREATED_US, STARTED_US,
     "controller_runs_completed_total{phase=\"Succeeded\",exit_code=\"0\"} 1\n"
     "controller_run_duration_seconds_sum{phase=\"Succeeded\"} 193\n"},
    {"4.6: an unreadable startedAt gives 0 seconds", AGENT_SUCCEEDED, 0, NULL, RUN_ENDED,
     CREATED_US, AGENT_NO_TIME,
     "controller_runs_completed_total{phase=\"Succeeded\",exit_code=\"0\"} 1\n"
     "controller_run_duration_seconds_sum{phase=\"Succeeded\"} 0\n"},
    {"4.6: an unreadable creationTimestamp gives 0 seconds", AGENT_RUNNING, 0, NULL, RUN_STARTED,
     AGENT_NO_TIME, AGENT_NO_TIME, "controller_run_queue_seconds_sum 0\n"},
    {"a start in the future gives 0 seconds", AGENT_FAILED, 255, "x", RUN_ENDED, CREATED_US,
     NOW_US + 1,
     "controller_runs_completed_total{phase=\"Failed\",exit_code=\"255\"} 1\n"
     "controller_run_duration_seconds_sum{phase=\"Failed\"} 0\n"
     "controller_run_failures_total{kind=\"job_failed\"} 1\n"},
    {"4.6: an exit code beyond those of a process", AGENT_FAILED, 256, "x", RUN_REFUSED, CREATED_US,
     AGENT_NO_TIME,
     "controller_runs_completed_total{phase=\"Failed\",exit_code=\"other\"} 1\n"
     "controller_run_failures_total{kind=\"job_failed\"} 1\n"},
};

/* clang-format on */

/* Whether a line tells of a run: its end, its times, its failure. */
static bool tells(const char *line)
{
    if (strstr(line, "_bucket") != NULL || line[0] == '#')
        return false;
    return strstr(line, "controller_run_") == line || strstr(line, "controller_runs_") == line;
}

/* The lines that differ from a fresh registry's; of observations the sums, and those of 0 too. */
static void describe(struct metrics *metrics, struct buffer *into)
{
    struct metrics *fresh = controller_metrics_new();
    struct buffer before = BUFFER_INIT(METRIC_BYTES_MAX);
    struct buffer after = BUFFER_INIT(METRIC_BYTES_MAX);
    char *rest = NULL;
    char *sum = NULL;

    metrics_render(fresh, &before);
    metrics_render(metrics, &after);
    for (char *line = strtok_r(after.bytes, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *same = strstr(buffer_text(&before), line);
        bool changed = same == NULL || same[strlen(line)] != '\n';

        if (strstr(line, "_seconds_sum") != NULL)
            sum = line;
        else if (tells(line) && changed)
            buffer_append_format(into, "%s\n", strstr(line, "_seconds_count") == NULL ? line : sum);
    }
    buffer_release(&before);
    buffer_release(&after);
    metrics_free(fresh);
}

static void check_row(void **state)
{
    const struct row *row = *state;
    const struct agent agent = {.created_at_us = row->created_us, .started_at_us = row->started_us};
    const struct agent_change change = {
        .phase = row->phase, .exit_code = row->exit_code, .failure_reason = row->reason};
    struct metrics *metrics = controller_metrics_new();
    struct buffer got = BUFFER_INIT(4096);

    run_metrics_patched(metrics, &agent, &change, row->event, NOW_US);
    describe(metrics, &got);
    if (strcmp(buffer_text(&got), row->want) != 0)
        fail_msg("%s: got\n%s", row->name, buffer_text(&got));
    assert_int_equal(metrics_value(metrics, METRIC_STATUS_PATCHES, NULL, NULL), 1);
    buffer_release(&got);
    metrics_free(metrics);
}

static void test_preempted(void **state)
{
    struct metrics *metrics = controller_metrics_new();
    struct buffer got = BUFFER_INIT(4096);

    (void)state;
    run_metrics_preempted(metrics);
    describe(metrics, &got);
    assert_string_equal(buffer_text(&got), "controller_run_failures_total{kind=\"preempted\"} 1\n");
    buffer_release(&got);
    metrics_free(metrics);
}

static void test_reconciled(void **state)
{
    struct metrics *metrics = controller_metrics_new();

    (void)state;
    run_metrics_reconciled(metrics, true, 5);
    run_metrics_reconciled(metrics, false, 5);
    run_metrics_reconciled(metrics, false, 5);
    assert_int_equal(metrics_value(metrics, METRIC_RECONCILES, "success", NULL), 1);
    assert_int_equal(metrics_value(metrics, METRIC_RECONCILES, "error", NULL), 2);
    assert_int_equal(metrics_value(metrics, METRIC_RECONCILE_DURATION, NULL, NULL), 3);
    metrics_free(metrics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        {.name = "4.6: started by Replace", .test_func = test_preempted},
        cmocka_unit_test(test_reconciled),
    };

    return ROWS_RUN(rows, check_row) + cmocka_run_group_tests(tests, NULL, NULL);
}
