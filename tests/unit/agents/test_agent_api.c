/* The requests of the lifecycle as they leave (RULES 2.8, 3.6). */
#include "tests/unit/rows.h"

#include "controller/agents/agent_api.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/unit/kube/script.h"

static void done(void *arg, const struct kube_result *result)
{
    (void)arg;
    (void)result;
}

static void send_get_job(const struct agent_api *api)
{
    assert_non_null(agent_api_get_job(api, "agent-job-a", done, NULL));
}

static void send_list_pods(const struct agent_api *api)
{
    assert_non_null(agent_api_list_pods(api, "agent-job-a.b", done, NULL));
}

static void send_get_log(const struct agent_api *api)
{
    assert_non_null(agent_api_get_log(api, "agent-job-a-x1", 4096, done, NULL));
}

static void send_create_job(const struct agent_api *api)
{
    assert_non_null(agent_api_create_job(api, "{\"kind\":\"Job\"}", 14, done, NULL));
}

static const struct api_row {
    const char *row;
    void (*send)(const struct agent_api *api);
    const char *want;
} rows[] = {
    {"2.8.1: the Job by its name", send_get_job,
     "0.000 GET /apis/batch/v1/namespaces/ns/jobs/agent-job-a\n"},
    {"2.8.4: the pods of the Job", send_list_pods,
     "0.000 GET /api/v1/namespaces/ns/pods?labelSelector=job-name%3Dagent-job-a.b\n"},
    {"2.8.6: the last 10000 lines of container agent", send_get_log,
     "0.000 GET /api/v1/namespaces/ns/pods/agent-job-a-x1/log?container=agent&tailLines=10000\n"},
    {"3.2.7: the Job as it was built", send_create_job,
     "0.000 POST /apis/batch/v1/namespaces/ns/jobs {\"kind\":\"Job\"}\n"},
};

static void answer(void *arg, const struct script_request *request, struct script_reply *reply)
{
    (void)arg;
    (void)request;
    reply->body = "{}";
}

static void test_request(void **state)
{
    const struct api_row *row = *state;
    struct script script;
    struct agent_api api;

    script_init(&script, answer, NULL);
    api = (struct agent_api){.kube = script.kube, .namespace_name = "ns"};
    row->send(&api);
    script_run(&script, 1);
    if (!text_equal(buffer_text(&script.told), row->want))
        fail_msg("%s: got %s", row->row, buffer_text(&script.told));
    script_release(&script);
}

static void answer_at_length(void *arg, const struct script_request *request,
                             struct script_reply *reply)
{
    (void)request;
    reply->body = arg;
    reply->body_size = KUBE_OBJECT_BYTES_MAX + 1;
}

static void expect_too_large(void *arg, const struct kube_result *result)
{
    *(bool *)arg = true;
    assert_false(result->ok);
    assert_int_equal(result->error.kind, ERROR_TOO_LARGE);
}

/* 4.1: pods of that label are anybody's, and sixteen such answers can be held. */
static void test_pods_are_few(void **state)
{
    char *body = xcalloc(1, KUBE_OBJECT_BYTES_MAX + 2);
    bool told = false;
    struct script script;
    struct agent_api api;

    (void)state;
    memset(body, ' ', KUBE_OBJECT_BYTES_MAX);
    memcpy(body, "{", 1);
    memcpy(body + KUBE_OBJECT_BYTES_MAX, "}", 1);
    script_init(&script, answer_at_length, body);
    api = (struct agent_api){.kube = script.kube, .namespace_name = "ns"};
    assert_non_null(agent_api_list_pods(&api, "j", expect_too_large, &told));
    script_run(&script, 1);
    assert_true(told);
    script_release(&script);
    free(body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pods_are_few)};

    return ROWS_RUN(rows, test_request) + cmocka_run_group_tests(tests, NULL, NULL);
}
