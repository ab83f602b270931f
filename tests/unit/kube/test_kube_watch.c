#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_watch.h"
#include "tests/unit/kube/script.h"

static const struct kube_resource agents = {"agents.re-cinq.com", "v1beta1", "agents"};

#define PATH "/apis/agents.re-cinq.com/v1beta1/namespaces/ns/agents"
#define GET "GET " PATH "?watch=1&resourceVersion=7%20&timeoutSeconds=300"
#define EVENT(type, version)                                                                       \
    "{\"type\":\"" type "\",\"object\":{\"metadata\":{\"resourceVersion\":\"" version "\"}}}\n"

struct fixture {
    struct script script;
    struct script_reply reply;
    struct kube_watch *watch;
    const char *stop_at; /* the version at which on_event stops the watch, or with it the client */
    bool free_client;
};

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;

    (void)request;
    *reply = fixture->reply;
}

static void on_event(void *arg, const struct kube_event *event)
{
    static const char *const names[] = {"added", "modified", "deleted", "bookmark", "other"};
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "%s %s", names[event->type],
                text_or(event->resource_version, "none"));
    if (fixture->stop_at == NULL || !text_equal(fixture->stop_at, event->resource_version))
        return;
    if (fixture->free_client) {
        kube_free(fixture->script.kube);
        fixture->script.kube = NULL;
    } else {
        kube_watch_stop(fixture->watch);
    }
    fixture->watch = NULL;
}

static void on_end(void *arg, const struct kube_watch_result *result)
{
    static const char *const names[] = {"clean", "gone", "failed"};
    struct fixture *fixture = arg;

    fixture->watch = NULL;
    script_tell(&fixture->script, "%s %u, %zu malformed%s%s", names[result->end], result->status,
                result->malformed, result->error.kind == ERROR_NONE ? "" : ": ",
                result->error.text);
    if (fixture->free_client) {
        kube_free(fixture->script.kube);
        fixture->script.kube = NULL;
    }
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    script_init(&fixture->script, handle, fixture);
    fixture->reply = (struct script_reply){.status = 200, .stream = true};
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    script_release(&fixture->script);
    free(fixture);
    return 0;
}

static void start(struct fixture *fixture, double until_s)
{
    static const struct kube_watch_events events = {on_event, on_end};

    fixture->watch =
        kube_watch_start(fixture->script.kube,
                         &(struct kube_watch_options){
                             .resource = &agents, .namespace_name = "ns", .resource_version = "7 "},
                         &events, fixture);
    script_run(&fixture->script, until_s);
}

static void write_at(struct fixture *fixture, double at_s, const char *text)
{
    script_write(&fixture->script, text);
    script_run(&fixture->script, at_s);
}

static void test_events(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, 1);
    write_at(fixture, 2, EVENT("ADDED", "8") EVENT("MODIFIED", "9") "\n\r\n");
    write_at(fixture, 3, "{\"type\":\"DELETED\",\"object\":{\"metadata\":{\"resourceV");
    write_at(fixture, 4, "ersion\":\"10\"}}}");
    write_at(fixture, 5, "\r\nnonsense\n" EVENT("BOOKMARK", "11") EVENT("NEW", "12"));
    write_at(fixture, 6, "{\"half\":");
    script_end(&fixture->script);
    script_run(&fixture->script, 7);
    script_check(&fixture->script,
                 "0.000 " GET "\n1.000 added 8\n1.000 modified 9\n4.000 deleted 10\n"
                 "4.000 bookmark 11\n4.000 other 12\n6.000 clean 200, 1 malformed\n");
    assert_null(fixture->watch);
}

static void test_bookmarks_and_labels(void **state)
{
    static const struct kube_watch_events events = {on_event, on_end};
    struct fixture *fixture = *state;

    fixture->watch = kube_watch_start(fixture->script.kube,
                                      &(struct kube_watch_options){.resource = &agents,
                                                                   .resource_version = "7",
                                                                   .label_selector = "a=b",
                                                                   .bookmarks = true},
                                      &events, fixture);
    script_run(&fixture->script, 1);
    script_check(&fixture->script,
                 "0.000 GET /apis/agents.re-cinq.com/v1beta1/agents?watch=1&resourceVersion=7"
                 "&timeoutSeconds=300&allowWatchBookmarks=true&labelSelector=a%3Db\n");
}

#define GONE "{\"code\":410,\"reason\":\"Expired\",\"message\":\"old\"}"

/* RULES 4.4: 410 both ways, other ends */
static void test_error_event(void **state)
{
    static const struct {
        const char *object, *end, *text;
    } cases[] = {
        {GONE,                                          "gone",   "410 Expired: old"             },
        {"{\"code\":500,\"message\":\"s3cret-token\"}", "failed", "500 (no reason): ************"},
        {"null",                                        "failed", "500 (no reason): (no message)"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char *line = xprintf("{\"type\":\"ERROR\",\"object\":%s}\n", cases[i].object);
        char *want = xprintf("0.000 %s 200, 0 malformed: watch: GET %s: ERROR event: %s\n",
                             cases[i].end, PATH, cases[i].text);
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        start(fixture, 0);
        buffer_clear(&fixture->script.told);
        write_at(fixture, 0, line);
        script_check(&fixture->script, want);
        assert_null(fixture->watch);
        script_run(&fixture->script, 1);
        assert_int_equal(script_open_count(&fixture->script), 0);
        tear_down(&own);
        free(line);
        free(want);
    }
}

/* An error's text is cut somewhere: no part of the token stands there then. */
static void test_secret_where_the_text_is_cut(void **state)
{
    (void)state;
    for (size_t left = 1; left < sizeof("s3cret-token"); left++) {
        size_t before = ERROR_TEXT_SIZE - sizeof("...") - left -
                        strlen("watch: GET " PATH ": ERROR event: 500 (no reason): ");
        char *line = xprintf("{\"type\":\"ERROR\",\"object\":{\"code\":500,\"message\":\"%0*d"
                             "s3cret-token and more\"}}\n",
                             (int)before, 0);
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        start(fixture, 0);
        write_at(fixture, 0, line);
        assert_non_null(strstr(buffer_text(&fixture->script.told), "ERROR event: 500"));
        if (strstr(buffer_text(&fixture->script.told), "0s") != NULL)
            fail_msg("%zu bytes of it are told", left);
        tear_down(&own);
        free(line);
    }
}

static void test_nothing_after_an_error(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, 1);
    write_at(
        fixture, 2,
        EVENT("ADDED", "8") "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n" EVENT("ADDED", "9"));
    script_check(&fixture->script,
                 "0.000 " GET "\n1.000 added 8\n1.000 gone 200, 0 malformed: watch: GET " PATH
                 ": ERROR event: 410 (no reason): (no message)\n");
}

static void test_statuses(void **state)
{
    static const struct {
        struct script_reply reply;
        const char *want;
    } cases[] = {
        {{.status = 410, .body = "{\"reason\":\"Gone\",\"message\":\"x\"}"},
         "0.000 gone 410, 0 malformed: watch: GET " PATH ": 410 Gone: x\n"                                                              },
        {{.status = 500},                                                    "0.000 failed 500, 0 malformed: watch: GET " PATH ": 500\n"},
        {{.status = 403, .body = "no"},
         "0.000 failed 403, 0 malformed: watch: GET " PATH ": 403: no\n"                                                                },
        {{.status = 200},                                                    "0.000 clean 200, 0 malformed\n"                           },
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fixture->reply = cases[i].reply;
        start(fixture, 0);
        if (!text_ends_with(buffer_text(&fixture->script.told), cases[i].want))
            fail_msg("want %s, got %s", cases[i].want, buffer_text(&fixture->script.told));
    }
}

/* RULES 4.1: 360 s without a byte, counted anew from each */
static void test_half_open(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, 300);
    write_at(fixture, 659.999, EVENT("ADDED", "8"));
    script_check(&fixture->script, "0.000 " GET "\n300.000 added 8\n");
    script_run(&fixture->script, 661);
    assert_true(text_starts_with(buffer_text(&fixture->script.told),
                                 "660.000 failed 200, 0 malformed: watch: GET " PATH
                                 ": timed out"));
}

static void test_reset(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, 1);
    write_at(fixture, 2, EVENT("ADDED", "8"));
    script_break(&fixture->script);
    script_run(&fixture->script, 3);
    assert_non_null(strstr(buffer_text(&fixture->script.told),
                           "2.000 failed 200, 0 malformed: watch: GET " PATH ": reset"));
}

/* A line of exactly the limit is read, one more byte is not; whole or in pieces. */
static void test_long_lines(void **state)
{
    static const char head[] = "{\"type\":\"ADDED\",\"object\":{\"metadata\":{\"resourceVersion\":"
                               "\"8\"}}}";

    (void)state;
    for (size_t excess = 0; excess < 2; excess++) {
        size_t size = KUBE_WATCH_LINE_BYTES_MAX + excess;
        char *line = xcalloc(1, size + 2);
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        memset(line, ' ', size);
        memcpy(line, head, strlen(head));
        line[size] = '\n';
        start(fixture, 1);
        write_at(fixture, 2, line);
        if (excess == 0)
            script_check(&fixture->script, "0.000 " GET "\n1.000 added 8\n");
        else
            script_check(&fixture->script,
                         "0.000 " GET "\n1.000 failed 200, 0 malformed: watch: GET " PATH
                         ": a line of more than 4194304 bytes\n");
        free(line);
        tear_down(&own);
    }
}

static void test_stop(void **state)
{
    struct fixture *fixture = *state;

    start(fixture, 1);
    kube_watch_stop(fixture->watch);
    kube_watch_stop(NULL);
    script_run(&fixture->script, 2);
    assert_int_equal(script_open_count(&fixture->script), 0);
    script_check(&fixture->script, "0.000 " GET "\n");
}

/* In its own callbacks, alone or with the client. */
static void test_stop_in_callbacks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        fixture->stop_at = "8";
        fixture->free_client = i == 1;
        start(fixture, 1);
        write_at(fixture, 2, EVENT("ADDED", "7") EVENT("ADDED", "8") EVENT("ADDED", "9"));
        script_check(&fixture->script, "0.000 " GET "\n1.000 added 7\n1.000 added 8\n");
        tear_down(&own);
    }
}

static void test_free_at_end(void **state)
{
    struct fixture *fixture = *state;

    fixture->free_client = true;
    start(fixture, 1);
    write_at(fixture, 2, "{\"type\":\"ERROR\"}\n" EVENT("ADDED", "9"));
    assert_null(fixture->script.kube);
}

static void count_call(void *arg, enum kube_verb verb, int64_t duration_us)
{
    script_tell(arg, "call %s %lld", kube_verb_name(verb), (long long)duration_us);
}

/* 4.6: controller_apiserver_request_duration_seconds is without watches, however they end. */
static void test_is_no_call(void **state)
{
    struct fixture *fixture = *state;
    struct script *script = &fixture->script;
    struct kube_config *config;

    kube_free(script->kube);
    assert_true(kube_config_load(script->rt, &(struct kube_config_options){0}, &config, NULL));
    script->kube =
        kube_new(script->rt, config, &(struct kube_options){.on_call = count_call, .arg = script});
    start(fixture, 1);
    write_at(fixture, 2, "{\"type\":\"ERROR\"}\n");
    fixture->reply = (struct script_reply){.status = 410};
    start(fixture, 3);
    assert_non_null(strstr(buffer_text(&script->told), "gone 410"));
    assert_null(strstr(buffer_text(&script->told), "call"));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_events),
        TEST(test_bookmarks_and_labels),
        cmocka_unit_test(test_error_event),
        cmocka_unit_test(test_secret_where_the_text_is_cut),
        TEST(test_nothing_after_an_error),
        TEST(test_statuses),
        TEST(test_half_open),
        TEST(test_reset),
        cmocka_unit_test(test_long_lines),
        TEST(test_stop),
        cmocka_unit_test(test_stop_in_callbacks),
        TEST(test_free_at_end),
        TEST(test_is_no_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
