/* Reading a run back: its Job, its pod, its exit code (RULES 2.8, 13.9, 13.10). */
#include "tests/unit/rows.h"

#include "controller/base/json.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/outcome_decide.h"

static struct json_slice slice(const char *text)
{
    struct error err = ERROR_INIT;

    if (!json_check(text, strlen(text), 1 << 16, &err))
        fail_msg("bad JSON in a test: %s: %s", err.text, text);
    return (struct json_slice){text, strlen(text)};
}

#define COND(type, status) "{\"type\":\"" type "\",\"status\":\"" status "\"}"
#define FULL(type, reason, message)                                                                \
    "{\"type\":\"" type "\",\"status\":\"True\",\"reason\":\"" reason "\",\"message\":\"" message  \
    "\"}"

#define COMPLETE COND("Complete", "True")
#define FAILED_BARE COND("Failed", "True")
#define FAILED_FULL FULL("Failed", "R", "m")
#define EARLY_FAILURE COND("FailureTarget", "True")
#define EARLY_SUCCESS COND("SuccessCriteriaMet", "True")

static const struct job_row {
    const char *name;
    const char *counters; /* of the status, each with a comma behind it */
    const char *conditions;
    enum job_end want;
    const char *reason;
} job_rows[] = {
    {"2.8.3: no status", "", "", JOB_RUNNING, NULL},
    {"2.8.3: active", "\"active\":1,", "", JOB_RUNNING, NULL},
    {"2.8.2: Complete", "", COMPLETE, JOB_SUCCEEDED, NULL},
    {"2.8.2: only status True", "", COND("Complete", "False"), JOB_RUNNING, NULL},
    {"2.8.2: reason and message", "", FAILED_FULL, JOB_FAILED, "R: m"},
    {"2.8.2: reason alone", "", FULL("Failed", "R", ""), JOB_FAILED, "R"},
    {"2.8.2: message alone", "", FULL("Failed", "", "m"), JOB_FAILED, "m"},
    {"2.8.2: neither", "", FAILED_BARE, JOB_FAILED, NULL},
    {"2.8.2: in order", "", FAILED_FULL "," COMPLETE, JOB_FAILED, "R: m"},
    {"2.8.2: others are ignored", "", COND("Suspended", "True") "," COMPLETE, JOB_SUCCEEDED, NULL},
    {"2.8.3: counted as succeeded", "\"succeeded\":1,", "", JOB_SUCCEEDED, NULL},
    {"2.8.3: counted as failed", "\"failed\":1,", "", JOB_FAILED, "Job failed"},
    {"2.8.3: success first", "\"failed\":1,\"succeeded\":1,", "", JOB_SUCCEEDED, NULL},
    {"13.9: an active pod", "\"failed\":1,\"active\":1,", "", JOB_RUNNING, NULL},
    {"13.9: a terminating pod", "\"succeeded\":1,\"terminating\":1,", "", JOB_RUNNING, NULL},
    {"13.9: FailureTarget", "\"failed\":1,", EARLY_FAILURE, JOB_RUNNING, NULL},
    {"13.9: SuccessCriteriaMet", "\"succeeded\":1,", EARLY_SUCCESS, JOB_RUNNING, NULL},
    {"13.9: early but not True", "\"failed\":1,", COND("FailureTarget", "False"), JOB_FAILED,
     "Job failed"},
    {"13.9: early, then the real one, with a pod left", "\"terminating\":1,",
     EARLY_FAILURE "," FAILED_FULL, JOB_FAILED, "R: m"},
};

static void test_job(void **state)
{
    const struct job_row *row = *state;
    struct buffer text = BUFFER_INIT(4096);
    struct job job;
    char *reason = NULL;
    enum job_end got;

    buffer_append_format(&text, "{\"metadata\":{},\"status\":{%s\"conditions\":[%s]}}",
                         row->counters, row->conditions);
    job_read(slice(buffer_text(&text)), &job);
    got = outcome_of_job(&job, &reason);
    if (got != row->want || !text_equal(reason, row->reason))
        fail_msg("%s: got %d, %s", row->name, got, text_or(reason, "no reason"));
    free(reason);
    job_release(&job);
    buffer_release(&text);
}

static void test_owner(void **state)
{
    struct job job;

    (void)state;
    job_read(slice("{\"metadata\":{\"deletionTimestamp\":\"2024-01-01T00:00:00Z\","
                   "\"ownerReferences\":[{\"kind\":\"Agent\",\"uid\":\"no\"},"
                   "{\"kind\":\"X\",\"uid\":\"no\",\"controller\":true},"
                   "{\"kind\":\"Agent\",\"uid\":\"u\",\"controller\":true}]}}"),
             &job);
    assert_true(job.deleting);
    assert_string_equal(job.owner_uid, "u");
    job_release(&job);
    job_read(slice("{\"metadata\":{\"ownerReferences\":[5]},\"status\":{\"conditions\":[7]}}"),
             &job);
    assert_false(job.deleting);
    assert_null(job.owner_uid);
    assert_int_equal(job.condition_count, 0);
    job_release(&job);
}

/* Which Agent a listed Job belongs to: "name uid", "" for none. */
static const struct owner_row {
    const char *name;
    const char *metadata;
    const char *want;
} owner_rows[] = {
    {"3.4: of an Agent",
     "{\"ownerReferences\":[{\"kind\":\"Agent\",\"name\":\"a\",\"uid\":\"u\",\"controller\":true}]"
     "}",
     "a u"},
    {"3.4: an owner that does not control it",
     "{\"ownerReferences\":[{\"kind\":\"Agent\",\"name\":\"a\",\"uid\":\"u\"}]}", ""},
    {"3.4: of another kind",
     "{\"ownerReferences\":[{\"kind\":\"X\",\"name\":\"a\",\"uid\":\"u\",\"controller\":true}]}",
     ""},
    {"3.4: on its way out",
     "{\"deletionTimestamp\":\"2024-01-01T00:00:00Z\",\"ownerReferences\":[{\"kind\":\"Agent\","
     "\"name\":\"a\",\"uid\":\"u\",\"controller\":true}]}",
     ""},
    {"3.4: of nobody", "{}", ""},
    {"3.4: owners that are no list", "{\"ownerReferences\":{}}", ""},
};

static void test_owner_row(void **state)
{
    const struct owner_row *row = *state;
    struct job_owner owner;
    char *got = NULL;

    if (job_owner_read(slice(row->metadata), &owner)) {
        got = xprintf("%s %s", owner.name, owner.uid);
        job_owner_release(&owner);
    }
    if (!text_equal(text_or(got, ""), row->want))
        fail_msg("%s: got %s", row->name, text_or(got, "none"));
    free(got);
}

#define POD(name, phase, second)                                                                   \
    "{\"metadata\":{\"name\":\"" name "\",\"creationTimestamp\":\"2024-01-01T00:00:0" second       \
    "Z\"},\"status\":{\"phase\":\"" phase "\"}}"

#define OWNED(name, phase)                                                                         \
    "{\"metadata\":{\"name\":\"" name "\",\"ownerReferences\":[{\"controller\":true,"              \
    "\"uid\":\"j1\"}]},\"status\":{\"phase\":\"" phase "\"}}"

static const struct pod_row {
    const char *name;
    const char *items;
    enum job_end end;
    const char *want;
} pod_rows[] = {
    {"2.8.4: none", "[]", JOB_FAILED, NULL},
    {"13.10: success, a newer twin runs",
     "[" POD("a", "Succeeded", "1") "," POD("b", "Running", "2") "]", JOB_SUCCEEDED, "a"},
    {"13.10: failure, a newer one succeeded",
     "[" POD("a", "Failed", "1") "," POD("b", "Succeeded", "2") "]", JOB_FAILED, "a"},
    {"13.10: the newest that failed",
     "[" POD("a", "Failed", "1") "," POD("b", "Failed", "3") "," POD("c", "Failed", "2") "]",
     JOB_FAILED, "b"},
    {"13.10: none alike, the newest", "[" POD("a", "Running", "1") "," POD("b", "Pending", "2") "]",
     JOB_FAILED, "b"},
    {"13.10: a tie, the greater name", "[" POD("b", "Failed", "1") "," POD("a", "Failed", "1") "]",
     JOB_FAILED, "b"},
    {"13.10: an unreadable time is oldest",
     "[{\"metadata\":{\"name\":\"z\",\"creationTimestamp\":\"x\"},\"status\":{\"phase\":\"Failed\"}"
     "}," POD("a", "Failed", "1") "]",
     JOB_FAILED, "a"},
    {"2.8.4: not one of a former Job of that name",
     "[" POD("a", "Running",
             "1") ",{\"metadata\":{\"name\":\"z\",\"ownerReferences\":[{"
                  "\"controller\":true,\"uid\":\"j0\"}]},\"status\":{\"phase\":\"Failed\"}}]",
     JOB_FAILED, "a"},
    {"2.8.4: one of this Job",
     "[{\"metadata\":{\"name\":\"z\",\"ownerReferences\":[{\"uid\":\"j0\"},{"
     "\"controller\":true,\"uid\":\"j1\"}]},\"status\":{\"phase\":\"Failed\"}}]",
     JOB_FAILED, "z"},
    {"2.8.4: this Job's own before one of nobody",
     "[" POD("forged", "Failed", "9") "," OWNED("a", "Failed") "]", JOB_FAILED, "a"},
    {"2.8.4: this Job's own, not alike, before one of nobody",
     "[" OWNED("a", "Running") "," POD("forged", "Failed", "9") "]", JOB_FAILED, "a"},
    {"2.8.4: a pod without a name", "[{\"status\":{\"phase\":\"Failed\"}}]", JOB_FAILED, NULL},
};

static void test_pod(void **state)
{
    const struct pod_row *row = *state;
    struct buffer text = BUFFER_INIT(4096);
    struct pod_list pods;
    const struct pod *got;

    buffer_append_format(&text, "{\"items\":%s}", row->items);
    pod_list_read(slice(buffer_text(&text)), &pods);
    got = outcome_pod(&pods, "j1", row->end);
    if (!text_equal(got == NULL ? NULL : got->name, row->want))
        fail_msg("%s: got %s", row->name, got == NULL ? "none" : got->name);
    pod_list_release(&pods);
    buffer_release(&text);
}

#define CODE(name, code)                                                                           \
    "{\"name\":\"" name "\",\"state\":{\"terminated\":{\"exitCode\":" code "}}}"

static const struct code_row {
    const char *name;
    const char *statuses;
    bool known;
    int64_t code;
} codes[] = {
    {"2.8.5: no statuses", "[]", false, 0},
    {"2.8.5: of another container alone", "[" CODE("side", "9") "]", false, 0},
    {"2.8.5: of container agent, behind another",
     "[" CODE("side", "9") "," CODE("agent", "137") "]", true, 137},
    {"2.8.5: not terminated", "[{\"name\":\"agent\",\"state\":{\"running\":{}}}]", false, 0},
    {"2.8.5: a code of 0", "[" CODE("agent", "0") "]", true, 0},
    {"2.8.5: a code that is no number", "[" CODE("agent", "\"1\"") "]", false, 0},
    {"2.8.5: statuses that are no list", "{\"name\":\"agent\"}", false, 0},
};

static void test_exit_code(void **state)
{
    const struct code_row *row = *state;
    struct buffer text = BUFFER_INIT(4096);
    struct pod_list pods;

    buffer_append_format(
        &text,
        "{\"items\":[{\"metadata\":{\"name\":\"p\"},\"status\":{\"containerStatuses\":%s}}]}",
        row->statuses);
    pod_list_read(slice(buffer_text(&text)), &pods);
    if (pods.pods[0].has_exit_code != row->known || pods.pods[0].exit_code != row->code)
        fail_msg("%s: got %d", row->name, (int)pods.pods[0].exit_code);
    pod_list_release(&pods);
    buffer_release(&text);
}

/* The view's fields in order: job_gone, end, job_reason, has_exit_code, exit_code, has_output. */
static const struct outcome_row {
    const char *name;
    struct outcome_view view;
    bool succeeded;
    int64_t exit_code;
    const char *reason;
} outcome_rows[] = {
    {"2.8.1: the Job is gone",
     {true, JOB_SUCCEEDED, NULL, false, 0, false},
     false,
     1,
     "run record unavailable: Job garbage-collected before its result was observed"},
    {"2.8: succeeded", {false, JOB_SUCCEEDED, NULL, true, 0, true}, true, 0, NULL},
    {"2.8.8: succeeded is 0, whatever the pod says",
     {false, JOB_SUCCEEDED, NULL, true, 3, true},
     true,
     0,
     NULL},
    {"2.8.7: succeeded without output",
     {false, JOB_SUCCEEDED, NULL, false, 0, false},
     true,
     0,
     "run output unavailable: pod garbage-collected"},
    {"2.8: failed with the pod's code",
     {false, JOB_FAILED, "R: m", true, 137, true},
     false,
     137,
     "R: m"},
    {"2.8.8: failed with 0 is 1", {false, JOB_FAILED, "R", true, 0, true}, false, 1, "R"},
    {"2.8.8: failed, unknown is 1", {false, JOB_FAILED, "R", false, 0, true}, false, 1, "R"},
    {"2.8.7: an existing reason is kept", {false, JOB_FAILED, "R", false, 0, false}, false, 1, "R"},
    {"2.8.7: no reason and no output",
     {false, JOB_FAILED, NULL, false, 0, false},
     false,
     1,
     "run output unavailable: pod garbage-collected"},
    {"2.8.9: no reason at all", {false, JOB_FAILED, NULL, false, 0, true}, false, 1, "Job failed"},
};

static void test_outcome(void **state)
{
    const struct outcome_row *row = *state;
    struct outcome got = outcome_decide(&row->view);

    if (got.succeeded != row->succeeded || got.exit_code != row->exit_code ||
        !text_equal(got.reason, row->reason))
        fail_msg("%s: got %d, code %d, %s", row->name, got.succeeded, (int)got.exit_code,
                 text_or(got.reason, "no reason"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_owner),
    };

    return ROWS_RUN(owner_rows, test_owner_row) + ROWS_RUN(job_rows, test_job) +
           ROWS_RUN(pod_rows, test_pod) + ROWS_RUN(codes, test_exit_code) +
           ROWS_RUN(outcome_rows, test_outcome) + cmocka_run_group_tests(tests, NULL, NULL);
}
