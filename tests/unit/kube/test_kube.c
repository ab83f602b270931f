#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/unit/kube/script.h"
#include "tests/unit/rows.h"

static const struct kube_resource jobs = {"batch", "v1", "jobs"};
static const struct kube_resource pods = {"", "v1", "pods"};

/* What the server will say, and what came of the call. */
struct fixture {
    struct script script;
    struct script_reply reply;
    char *authorization, *content_type, *user_agent, *accept;
    unsigned done;
};

static void keep_header(char **into, const struct script_request *request, const char *name)
{
    free(*into);
    *into = xstrdup(http_header_get(request->head->headers, request->head->header_count, name));
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;

    keep_header(&fixture->authorization, request, "Authorization");
    keep_header(&fixture->content_type, request, "Content-Type");
    keep_header(&fixture->user_agent, request, "User-Agent");
    keep_header(&fixture->accept, request, "Accept");
    *reply = fixture->reply;
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    script_init(&fixture->script, handle, fixture);
    fixture->reply.status = 200;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    script_release(&fixture->script);
    free(fixture->authorization);
    free(fixture->content_type);
    free(fixture->user_agent);
    free(fixture->accept);
    free(fixture);
    return 0;
}

static void done(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    fixture->done++;
    script_tell(&fixture->script, "%s %u %s: %s%.*s%.*s", result->ok ? "ok" : "not ok",
                result->status, error_kind_name(result->error.kind), result->error.text,
                (int)result->body.size, result->body.bytes == NULL ? "" : result->body.bytes,
                (int)result->text_size, result->text == NULL ? "" : result->text);
    assert_true(result->ok == (result->error.kind == ERROR_NONE));
}

static void test_get(void **state)
{
    struct fixture *fixture = *state;

    fixture->reply.body = " {\"metadata\":{\"name\":\"a/b ?\"}}";
    assert_non_null(
        kube_send(fixture->script.kube,
                  &(struct kube_request){
                      .verb = KUBE_GET, .resource = &jobs, .namespace_name = "ns", .name = "a/b ?"},
                  done, fixture));
    script_check(&fixture->script, "");
    script_run(&fixture->script, 1);
    script_check(&fixture->script, "0.000 GET /apis/batch/v1/namespaces/ns/jobs/a%2Fb%20%3F\n"
                                   "0.000 ok 200 none: {\"metadata\":{\"name\":\"a/b ?\"}}\n");
    assert_string_equal(fixture->authorization, "Bearer s3cret-token");
    assert_string_equal(fixture->user_agent, "agent-controller/" PROGRAM_VERSION);
    assert_string_equal(fixture->accept, "application/json");
    assert_null(fixture->content_type);
    assert_int_equal(fixture->done, 1);
}

#define NAMED "{\"metadata\":{\"name\":\"a\"}}"

static void test_writes(void **state)
{
    static const struct {
        enum kube_verb verb;
        const char *name, *subresource, *want, *content_type;
    } cases[] = {
        {KUBE_CREATE,      NULL, NULL,
         "0.000 POST /api/v1/namespaces/ns/pods {}\n0.000 ok 200 none: " NAMED "\n",
         "application/json"            },
        {KUBE_MERGE_PATCH, "a",  "status",
         "0.000 PATCH /api/v1/namespaces/ns/pods/a/status {}\n0.000 ok 200 none: " NAMED "\n",
         "application/merge-patch+json"},
        {KUBE_JSON_PATCH,  "a",  NULL,
         "0.000 PATCH /api/v1/namespaces/ns/pods/a {}\n0.000 ok 200 none: " NAMED "\n",
         "application/json-patch+json" },
        {KUBE_DELETE,      "a",  NULL,
         "0.000 DELETE /api/v1/namespaces/ns/pods/a {}\n0.000 ok 200 none: " NAMED "\n",
         "application/json"            },
    };
    struct fixture *fixture = *state;

    fixture->reply.body = NAMED;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        kube_send(fixture->script.kube,
                  &(struct kube_request){.verb = cases[i].verb,
                                         .resource = &pods,
                                         .namespace_name = "ns",
                                         .name = cases[i].name,
                                         .subresource = cases[i].subresource,
                                         .body = "{}",
                                         .body_size = 2},
                  done, fixture);
        script_run(&fixture->script, 0);
        script_check(&fixture->script, cases[i].want);
        assert_string_equal(fixture->content_type, cases[i].content_type);
    }
}

/* How answers that are no success, or no JSON, are told. */
static const struct row {
    const char *name;
    struct script_reply reply; /* status, body */
    const char *want;
} rows[] = {
    {"a Status",
     {404, "{\"kind\":\"Status\",\"reason\":\"NotFound\",\"message\":\"no a\",\"code\":404}"},
     "not ok 404 not found: GET /api/v1/namespaces/ns/pods/a: 404 NotFound: no a"                },
    {"already there",
     {409, "{\"reason\":\"AlreadyExists\",\"message\":\"is there\"}"},
     "not ok 409 exists: GET /api/v1/namespaces/ns/pods/a: 409 AlreadyExists: is there"          },
    {"flow control",
     {429, "Too many requests, please try again later.\nmore"},
     "not ok 429 unavailable: GET /api/v1/namespaces/ns/pods/a: 429: Too many requests, please try "
     "again later."                                                                              },
    {"no body at all",
     {503, NULL},
     "not ok 503 unavailable: GET /api/v1/namespaces/ns/pods/a: 503"                             },
    {"a secret that comes back",
     {403, "{\"reason\":\"Forbidden\",\"message\":\"s3cret-token may not\"}"},
     "not ok 403 denied: GET /api/v1/namespaces/ns/pods/a: 403 Forbidden: ************ may not"  },
    {"and in a plain text",
     {401, "Bearer s3cret-token"},
     "not ok 401 denied: GET /api/v1/namespaces/ns/pods/a: 401: Bearer ************"             },
    {"a Status under 200",
     {200, "{\"kind\":\"Status\",\"metadata\":{},\"status\":\"Failure\",\"code\":404}"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an object of that name"},
    {"another object",
     {200, "{\"metadata\":{\"name\":\"b\"}}"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an object of that name"},
    {"a list",
     {200, "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an object of that name"},
    {"a name that is no text",
     {200, "{\"metadata\":{\"name\":7}}"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an object of that name"},
    {"metadata that is no object",
     {200, "{\"metadata\":\"a\"}"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an object of that name"},
    {"an array",
     {200, "[]"},
     "not ok 200 malformed: GET /api/v1/namespaces/ns/pods/a: answer: not an "
     "object"                                                                                    },
};

static void test_refusals(void **state)
{
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *told;

        fixture->reply = rows[i].reply;
        kube_send(fixture->script.kube,
                  &(struct kube_request){
                      .verb = KUBE_GET, .resource = &pods, .namespace_name = "ns", .name = "a"},
                  done, fixture);
        script_run(&fixture->script, 0);
        told = xprintf("0.000 GET /api/v1/namespaces/ns/pods/a\n0.000 %s\n", rows[i].want);
        if (!text_equal(buffer_text(&fixture->script.told), told))
            fail_msg("%s: got %s", rows[i].name, buffer_text(&fixture->script.told));
        buffer_clear(&fixture->script.told);
        free(told);
    }
}

static void expect_no_secret(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    fixture->done++;
    if (strstr(result->error.text, "s3c") != NULL ||
        strstr(text_or(result->refusal.message, ""), "s3c") != NULL ||
        strstr(text_or(result->refusal.reason, ""), "s3c") != NULL)
        script_tell(&fixture->script, "told in part");
}

/* Texts are cut somewhere: no part of the token stands there then. */
static void test_secrets_where_texts_are_cut(void **state)
{
    static const struct {
        const char *start, *end;
        size_t limit;
    } bodies[] = {
        {"",                "",    200                  },
        {"{\"message\":\"", "\"}", KUBE_STATUS_TEXT_SIZE},
        {"{\"reason\":\"",  "\"}", KUBE_STATUS_TEXT_SIZE},
    };
    struct fixture *fixture = *state;
    unsigned asked = 0;

    fixture->script.quiet = true;
    for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
        for (size_t before = bodies[i].limit - 16; before < bodies[i].limit; before++) {
            char *body =
                xprintf("%s%0*d s3cret-token%s", bodies[i].start, (int)before, 0, bodies[i].end);

            fixture->reply = (struct script_reply){.status = 422, .body = body};
            kube_send(fixture->script.kube,
                      &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"},
                      expect_no_secret, fixture);
            script_run(&fixture->script, 0);
            asked++;
            free(body);
        }
    }
    assert_int_equal(fixture->done, asked);
    script_check(&fixture->script, "");
}

/* RULES 2.8, 3.2: only the API server's own word that an object is not there counts. */
static void test_missing(void **state)
{
    static const struct {
        const char *name;
        unsigned status;
        const char *reason;
        bool want;
    } answers[] = {
        {"not there",        404, "NotFound", true },
        {"404 of a gateway", 404, NULL,       false},
        {"404, another why", 404, "Other",    false},
        {"found",            200, NULL,       false},
        {"gone",             410, "NotFound", false},
        {"no answer",        0,   NULL,       false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(answers); i++) {
        char *reason = xstrdup(answers[i].reason);
        struct kube_result result = {.status = answers[i].status, .refusal = {.reason = reason}};

        if (kube_result_is_missing(&result) != answers[i].want)
            fail_msg("%s", answers[i].name);
        free(reason);
    }
}

static void expect_malformed(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    fixture->done++;
    assert_false(result->ok);
    assert_int_equal(result->status, 200);
    assert_int_equal(result->error.kind, ERROR_MALFORMED);
    assert_null(result->body.bytes);
}

static void test_malformed(void **state)
{
    static const char *const bodies[] = {
        "", "{", "{}x", "<html>", "{\"a\":1,\"a\":2}", " ", "\"x\\\"", "nul", "{\"a\":\"\xff\"}"};
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(bodies); i++) {
        fixture->reply.body = bodies[i];
        kube_send(fixture->script.kube,
                  &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"},
                  expect_malformed, fixture);
        script_run(&fixture->script, 0);
    }
    assert_int_equal(fixture->done, ARRAY_SIZE(bodies));
}

static void expect_retry_after(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    fixture->done++;
    assert_int_equal(result->retry_after_us, 7 * US_PER_SECOND);
}

static void test_retry_after(void **state)
{
    struct fixture *fixture = *state;
    const struct kube_request request = {.verb = KUBE_GET, .resource = &pods, .name = "a"};

    fixture->reply = (struct script_reply){.status = 429, .retry_after = "7"};
    kube_send(fixture->script.kube, &request, expect_retry_after, fixture);
    script_run(&fixture->script, 0);
    fixture->reply = (struct script_reply){
        .status = 429, .retry_after = "1", .body = "{\"details\":{\"retryAfterSeconds\":7}}"};
    kube_send(fixture->script.kube, &request, expect_retry_after, fixture);
    script_run(&fixture->script, 0);
    assert_int_equal(fixture->done, 2);
}

/* A delete may be answered by nothing. */
static void test_empty_answer(void **state)
{
    struct fixture *fixture = *state;

    kube_send(fixture->script.kube,
              &(struct kube_request){.verb = KUBE_DELETE, .resource = &pods, .name = "a"}, done,
              fixture);
    script_run(&fixture->script, 0);
    script_check(&fixture->script, "0.000 DELETE /api/v1/pods/a\n0.000 ok 200 none: \n");
}

/* RULES 4.1 (30 s without a byte) and 13.2 (4 s in all) */
static void test_timeouts(void **state)
{
    struct fixture *fixture = *state;

    fixture->reply.silent = true;
    kube_send(fixture->script.kube,
              &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"}, done,
              fixture);
    kube_send(
        fixture->script.kube,
        &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "b", .lease = true},
        done, fixture);
    script_run(&fixture->script, 3.999);
    assert_int_equal(fixture->done, 0);
    script_run(&fixture->script, 4);
    assert_int_equal(fixture->done, 1);
    script_run(&fixture->script, 29.999);
    assert_int_equal(fixture->done, 1);
    script_run(&fixture->script, 31);
    assert_int_equal(fixture->done, 2);
    assert_non_null(strstr(buffer_text(&fixture->script.told),
                           "\n4.000 not ok 0 timed out: GET /api/v1/pods/b: timed out"));
    assert_non_null(strstr(buffer_text(&fixture->script.told),
                           "\n30.000 not ok 0 timed out: GET /api/v1/pods/a: timed out"));
}

static void test_refused(void **state)
{
    struct fixture *fixture = *state;

    listener_close(fixture->script.listener);
    kube_send(fixture->script.kube,
              &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"}, done,
              fixture);
    script_run(&fixture->script, 1);
    assert_int_equal(fixture->done, 1);
    assert_non_null(strstr(buffer_text(&fixture->script.told),
                           "not ok 0 unavailable: GET /api/v1/pods/a: refused"));
}

/* RULES 2.8 step 6, 2.9: only the end of a log is kept */
static void tail_done(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "%d %zu of %zu: %s", result->ok, result->text_size,
                result->text_total, result->text);
}

static void test_text_tail(void **state)
{
    static const struct {
        const char *body;
        size_t keep;
        const char *want;
    } cases[] = {
        {"",            4, "1 0 of 0: "     },
        {"abc",         4, "1 3 of 3: abc"  },
        {"abcd",        4, "1 4 of 4: abcd" },
        {"abcde",       4, "1 4 of 5: bcde" },
        {"abcdefghijk", 4, "1 4 of 11: hijk"},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *want =
            xprintf("0.000 GET /api/v1/pods/a/log?tailLines=10\n0.000 %s\n", cases[i].want);

        fixture->reply = (struct script_reply){
            .status = 200, .body = cases[i].body, .content_type = "text/plain"};
        kube_send(fixture->script.kube,
                  &(struct kube_request){.verb = KUBE_GET,
                                         .resource = &pods,
                                         .name = "a",
                                         .subresource = "log",
                                         .query = "tailLines=10",
                                         .text_bytes = cases[i].keep},
                  tail_done, fixture);
        script_run(&fixture->script, 0);
        script_check(&fixture->script, want);
        free(want);
    }
}

/* Many pieces of odd sizes: the tail is the same as of one. */
static void test_text_tail_in_pieces(void **state)
{
    struct fixture *fixture = *state;

    fixture->reply.stream = true;
    kube_send(
        fixture->script.kube,
        &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a", .text_bytes = 5},
        tail_done, fixture);
    script_run(&fixture->script, 1);
    for (int i = 0; i < 10; i++) {
        script_write(&fixture->script, &"abcdefghi"[i % 7]);
        script_run(&fixture->script, 2 + i);
    }
    script_end(&fixture->script);
    script_run(&fixture->script, 20);
    script_check(&fixture->script, "0.000 GET /api/v1/pods/a\n11.000 1 5 of 66: efghi\n");
}

static void test_cancel(void **state)
{
    struct fixture *fixture = *state;
    struct kube_call *call = kube_send(
        fixture->script.kube,
        &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"}, done, fixture);

    kube_call_cancel(call);
    kube_call_cancel(NULL);
    script_run(&fixture->script, 60);
    assert_int_equal(fixture->done, 0);
}

/* A callback may free the client with all that it has under way. */
static void free_client(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    (void)result;
    fixture->done++;
    kube_free(fixture->script.kube);
    fixture->script.kube = NULL;
}

static void test_free_in_callback(void **state)
{
    struct fixture *fixture = *state;

    for (int i = 0; i < 3; i++)
        kube_send(fixture->script.kube,
                  &(struct kube_request){.verb = KUBE_GET, .resource = &pods, .name = "a"},
                  free_client, fixture);
    script_run(&fixture->script, 60);
    assert_int_equal(fixture->done, 1);
}

static void count_call(void *arg, enum kube_verb verb, int64_t duration_us)
{
    script_tell(arg, "call %s %lld", kube_verb_name(verb), (long long)duration_us);
}

static void test_on_call(void **state)
{
    struct fixture *fixture = *state;
    struct script *script = &fixture->script;
    struct kube_config *config;
    struct kube *kube;

    assert_true(kube_config_load(script->rt, &(struct kube_config_options){0}, &config, NULL));
    kube =
        kube_new(script->rt, config, &(struct kube_options){.on_call = count_call, .arg = script});
    fixture->reply.delay_us = 1500;
    kube_send(kube, &(struct kube_request){.verb = KUBE_LIST, .resource = &pods}, done, fixture);
    script_run(script, 1);
    assert_non_null(strstr(buffer_text(&script->told), "0.001 call list 1500\n"));
    kube_free(kube);
}

/* RULES 4.1: the longest answer that is taken; the answer of a lying server stops there. */
static const struct size_row {
    const char *name;
    struct kube_request request;
    size_t size_max;
} sizes[] = {
    {"4.1: an object",               {.verb = KUBE_GET, .resource = &pods, .name = "a"}, KUBE_OBJECT_BYTES_MAX  },
    {"4.1: an object that was made",
     {.verb = KUBE_CREATE, .resource = &pods, .body = "{}", .body_size = 2},
     KUBE_OBJECT_BYTES_MAX                                                                                      },
    {"4.1: a Lease",
     {.verb = KUBE_GET, .resource = &pods, .name = "a", .lease = true},
     KUBE_OBJECT_BYTES_MAX                                                                                      },
    {"4.1: a small list",
     {.verb = KUBE_LIST, .resource = &pods, .few = true},
     KUBE_OBJECT_BYTES_MAX                                                                                      },
    {"4.1: a page",                  {.verb = KUBE_LIST, .resource = &pods},             KUBE_RESPONSE_BYTES_MAX},
    {"4.1: a text",
     {.verb = KUBE_GET, .resource = &pods, .name = "a", .text_bytes = 10},
     KUBE_RESPONSE_BYTES_MAX                                                                                    },
};

static void note_end(void *arg, const struct kube_result *result)
{
    struct fixture *fixture = arg;

    fixture->done++;
    script_tell(&fixture->script, "%s", result->ok ? "ok" : error_kind_name(result->error.kind));
}

static void test_size(void **state)
{
    const struct size_row *row = *state;
    static const char start[] = "{\"metadata\":{\"name\":\"a\"}";

    for (size_t over = 0; over < 2; over++) {
        size_t size = row->size_max + over;
        char *body = xcalloc(1, size + 1);
        struct fixture *fixture;
        void *own = NULL;

        memset(body, ' ', size);
        memcpy(body, start, strlen(start));
        body[size - 1] = '}';
        set_up(&own);
        fixture = own;
        fixture->script.quiet = true;
        fixture->reply.body = body;
        fixture->reply.body_size = size;
        kube_send(fixture->script.kube, &row->request, note_end, fixture);
        script_run(&fixture->script, 60);
        if (strstr(buffer_text(&fixture->script.told), over > 0 ? "too large" : "ok") == NULL)
            fail_msg("%s, %zu over: %s", row->name, over, buffer_text(&fixture->script.told));
        buffer_clear(&fixture->script.told);
        tear_down(&own);
        free(body);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_get),         TEST(test_writes),
        TEST(test_refusals),    TEST(test_secrets_where_texts_are_cut),
        TEST(test_malformed),   TEST(test_missing),
        TEST(test_retry_after), TEST(test_empty_answer),
        TEST(test_timeouts),    TEST(test_refused),
        TEST(test_text_tail),   TEST(test_text_tail_in_pieces),
        TEST(test_cancel),      TEST(test_free_in_callback),
        TEST(test_on_call),
    };

    return ROWS_RUN(sizes, test_size) + cmocka_run_group_tests(tests, NULL, NULL);
}
