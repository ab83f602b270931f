#include "fakeapi/cluster/job_decide.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "controller/base/attributes.h"

#define SECOND INT64_C(1000000)
#define NOW (1000 * SECOND)
#define NEVER INT64_MAX

/* clang-format off */
static const struct row {
    const char *name;
    struct job_view view;
    struct job_decision want; /* verdict, over, create, remove, wake_at_us */
} rows[] = {
    {"new", {.parallelism = 1, .completions = 1, .deadline_seconds = -1},
     {JOB_RUNS, false, 1, 0, NEVER}},
    {"its pod is there", {.parallelism = 1, .completions = 1, .deadline_seconds = -1, .active = 1},
     {JOB_RUNS, false, 0, 0, NEVER}},
    {"three of five at once",
     {.parallelism = 3, .completions = 5, .deadline_seconds = -1, .active = 1},
     {JOB_RUNS, false, 2, 0, NEVER}},
    {"no more than are needed",
     {.parallelism = 3, .completions = 5, .deadline_seconds = -1, .succeeded = 4},
     {JOB_RUNS, false, 1, 0, NEVER}},
    {"parallelism was lowered", {.parallelism = 1, .completions = 5, .deadline_seconds = -1,
     .active = 3}, {JOB_RUNS, false, 0, 2, NEVER}},
    {"many at once", {.parallelism = 100000, .completions = 100000, .deadline_seconds = -1},
     {JOB_RUNS, false, JOB_PODS_AT_ONCE_MAX, 0, NEVER}},
    {"succeeded (K14)", {.parallelism = 1, .completions = 1, .deadline_seconds = -1,
     .succeeded = 1}, {JOB_SUCCEEDS, true, 0, 0, NEVER}},
    {"succeeded, one is still running", {.parallelism = 2, .completions = 1,
     .deadline_seconds = -1, .succeeded = 1, .active = 1}, {JOB_SUCCEEDS, false, 0, 1, NEVER}},
    {"succeeded, one is still going", {.parallelism = 2, .completions = 1,
     .deadline_seconds = -1, .succeeded = 1, .terminating = 1},
     {JOB_SUCCEEDS, false, 0, 0, NEVER}},
    {"nothing to complete", {.parallelism = 1, .completions = 0, .deadline_seconds = -1},
     {JOB_SUCCEEDS, true, 0, 0, NEVER}},
    {"any success will do, once all are done", {.parallelism = 2, .completions = -1,
     .deadline_seconds = -1, .succeeded = 1, .active = 1}, {JOB_RUNS, false, 0, 0, NEVER}},
    {"all are done", {.parallelism = 2, .completions = -1, .deadline_seconds = -1,
     .succeeded = 1}, {JOB_SUCCEEDS, true, 0, 0, NEVER}},
    {"no failure is borne", {.parallelism = 1, .completions = 1, .backoff_limit = 0,
     .deadline_seconds = -1, .failed = 1, .failed_now = true},
     {JOB_FAILS_BACKOFF, true, 0, 0, NEVER}},
    {"as many as are borne", {.parallelism = 1, .completions = 1, .backoff_limit = 1,
     .deadline_seconds = -1, .failed = 1, .failed_now = true, .failures_in_row = 1,
     .last_failure_at_us = NOW}, {JOB_RUNS, false, 0, 0, NOW + 10 * SECOND}},
    {"the wait is over (K16)", {.parallelism = 1, .completions = 1, .backoff_limit = 1,
     .deadline_seconds = -1, .failed = 1, .failures_in_row = 1,
     .last_failure_at_us = NOW - 10 * SECOND}, {JOB_RUNS, false, 1, 0, NEVER}},
    {"the third wait", {.parallelism = 1, .completions = 1, .backoff_limit = 6,
     .deadline_seconds = -1, .failed = 3, .failures_in_row = 3,
     .last_failure_at_us = NOW - 39 * SECOND}, {JOB_RUNS, false, 0, 0, NOW + SECOND}},
    {"the longest wait", {.parallelism = 1, .completions = 1, .backoff_limit = 100,
     .deadline_seconds = -1, .failed = 50, .failures_in_row = 50, .last_failure_at_us = NOW},
     {JOB_RUNS, false, 0, 0, NOW + 600 * SECOND}},
    {"a microsecond before the deadline", {.parallelism = 1, .completions = 1,
     .deadline_seconds = 60, .started_at_us = NOW - 60 * SECOND + 1, .active = 1},
     {JOB_RUNS, false, 0, 0, NOW + 1}},
    {"at the deadline (K17)", {.parallelism = 1, .completions = 1, .deadline_seconds = 60,
     .started_at_us = NOW - 60 * SECOND, .active = 1}, {JOB_FAILS_DEADLINE, false, 0, 1, NEVER}},
    {"a deadline beyond all time", {.parallelism = 1, .completions = 1,
     .deadline_seconds = INT64_MAX, .started_at_us = NOW, .active = 1},
     {JOB_RUNS, false, 0, 0, NEVER}},
    {"a failure that was decided", {.parallelism = 1, .completions = 1, .deadline_seconds = -1,
     .failure_decided = true, .terminating = 1}, {JOB_FAILS_AS_DECIDED, false, 0, 0, NEVER}},
    {"and is over", {.parallelism = 1, .completions = 1, .deadline_seconds = -1,
     .failure_decided = true}, {JOB_FAILS_AS_DECIDED, true, 0, 0, NEVER}},
    {"a success that was decided stays one", {.parallelism = 1, .completions = 1,
     .deadline_seconds = 60, .started_at_us = 1, .success_decided = true, .failed = 9,
     .failed_now = true}, {JOB_SUCCEEDS, true, 0, 0, NEVER}},
    {"suspended (K18)", {.suspend = true, .parallelism = 1, .completions = 1,
     .deadline_seconds = 60, .started_at_us = 1, .active = 1},
     {JOB_SUSPENDED, false, 0, 1, NEVER}},
    {"suspended without pods is not over", {.suspend = true, .parallelism = 1, .completions = 1,
     .deadline_seconds = -1}, {JOB_SUSPENDED, false, 0, 0, NEVER}},
};
/* clang-format on */

static void test_decide(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct job_decision *want = &rows[i].want;
        struct job_decision got = job_decide(&rows[i].view, NOW);

        if (got.verdict != want->verdict || got.over != want->over || got.create != want->create ||
            got.remove != want->remove || got.wake_at_us != want->wake_at_us)
            fail_msg("%s: verdict %d, over %d, create %lld, remove %lld, wake %lld", rows[i].name,
                     got.verdict, got.over, (long long)got.create, (long long)got.remove,
                     (long long)got.wake_at_us);
    }
}

static void test_reasons(void **state)
{
    (void)state;
    assert_string_equal(job_verdict_reason(JOB_FAILS_BACKOFF), "BackoffLimitExceeded");
    assert_string_equal(job_verdict_message(JOB_FAILS_DEADLINE),
                        "Job was active longer than specified deadline");
    assert_null(job_verdict_reason(JOB_RUNS));
    assert_null(job_verdict_reason(JOB_FAILS_AS_DECIDED));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decide),
        cmocka_unit_test(test_reasons),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
