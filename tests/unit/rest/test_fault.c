/* What fault rules do to requests and watches. */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

#define CM "/api/v1/namespaces/default/configmaps"

static void add_rule(struct server *server, const char *yaml)
{
    struct error err = ERROR_INIT;

    if (!faults_load(fakeapi_faults(server_root(server)), yaml, strlen(yaml), &err))
        fail_msg("%s", err.text);
    rest_faults_changed(fakeapi_rest(server_root(server)));
}

static const struct line two[] = {
    {"a", "POST", CM, "{\"metadata\":{\"name\":\"a\"}}", 201, NULL, NULL},
    {"b", "POST", CM, "{\"metadata\":{\"name\":\"b\"}}", 201, NULL, NULL},
};

static void test_requests(void **state)
{
    static const struct {
        const char *name;
        const char *rule;
        const char *method;
        const char *target;
        const char *body;
        enum exchange_end end;
        unsigned status; /* 0: no head */
        const char *want;
        bool stored; /* whether "c" is there after */
    } rows[] = {
        {"refused before its body",   "- do: {refuse: true}\n",                                "POST", CM,
         "{\"metadata\":{\"name\":\"c\"}}",                                                                           EXCHANGE_RESET,    0,   NULL,                                     false},
        {"a status instead",          "- do: {status: 503, retry_after: 7}\n",                 "POST", CM,
         "{\"metadata\":{\"name\":\"c\"}}",                                                                           EXCHANGE_COMPLETE, 503,
         "\"reason\":\"ServiceUnavailable\",\"details\":{\"retryAfterSeconds\":7}",                                                                                                     false},
        {"done, and the answer lost", "- do: {drop_answer: true}\n",                           "POST", CM,
         "{\"metadata\":{\"name\":\"c\"}}",                                                                           EXCHANGE_RESET,    0,   NULL,                                     true },
        {"done, and the answer cut",  "- do: {cut_at: 10}\n",                                  "POST", CM,
         "{\"metadata\":{\"name\":\"c\"}}",                                                                           EXCHANGE_RESET,    201, "{\"apiVersi",                            true },
        {"a cut list",                "- do: {cut_at: 10}\n",                                  NULL,   CM,      NULL, EXCHANGE_RESET,    200, "{\"kind\":\"C",
         false                                                                                                                                                                               },
        {"only others",               "- match: {verb: list}\n  do: {refuse: true}\n",         "POST", CM,
         "{\"metadata\":{\"name\":\"c\"}}",                                                                           EXCHANGE_COMPLETE, 201, NULL,                                     true },
        {"an old state",              "- match: {verb: list}\n  do: {stale: {revision: 6}}\n", NULL,   CM,      NULL,
         EXCHANGE_COMPLETE,                                                                                                              200, "\"resourceVersion\":\"6\"},\"items\":[", false},
        {"an old object",             "- match: {verb: get}\n  do: {stale: {revision: 6}}\n",  NULL,   CM "/b",
         NULL,                                                                                                        EXCHANGE_COMPLETE, 404, NULL,                                     false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct server server;
        struct reply reply;
        const struct ask ask = {.method = rows[i].method,
                                .target = rows[i].target,
                                .content_type = "application/json",
                                .body = rows[i].body};
        const struct store_object *object;

        server_start(&server, NULL);
        server_tell(&server, two, ARRAY_SIZE(two));
        add_rule(&server, rows[i].rule);
        server_call(&server, &ask, &reply);
        if (reply.end != rows[i].end || reply.status != rows[i].status ||
            (rows[i].want != NULL && strstr(buffer_text(&reply.body), rows[i].want) == NULL))
            fail_msg("%s: got %s %u %s", rows[i].name, exchange_end_name(reply.end), reply.status,
                     buffer_text(&reply.body));
        object =
            store_get(store_find_resource(fakeapi_store(server_root(&server)), "", "configmaps"),
                      "default", "c");
        if ((object != NULL) != rows[i].stored)
            fail_msg("%s: stored?", rows[i].name);
        reply_release(&reply);
        server_free(&server);
    }
}

static void test_delay_and_silence(void **state)
{
    struct server server;
    struct reply late;
    struct reply never;
    const struct ask get = {.target = CM "/a"};
    const struct ask list = {.target = CM};

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, two, ARRAY_SIZE(two));
    add_rule(&server, "- match: {verb: get}\n  do: {delay: 5s}\n"
                      "- match: {verb: list}\n  do: {silent: true}\n");
    server_send(&server, &get, &late);
    server_send(&server, &list, &never);
    server_run(&server, 4 * US_PER_SECOND);
    assert_false(late.ended);
    server_run(&server, 2 * US_PER_SECOND);
    assert_true(late.ended);
    assert_int_equal(late.status, 200);
    server_run(&server, 500 * US_PER_SECOND);
    assert_false(never.ended);
    assert_int_equal(never.status, 0);
    reply_release(&late);
    reply_release(&never);
    server_free(&server);
}

static void test_compaction(void **state)
{
    static const struct line list = {"compacted with it", NULL, CM "/a", NULL, 200, NULL, NULL};
    struct server server;
    struct store *store;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, two, ARRAY_SIZE(two));
    store = fakeapi_store(server_root(&server));
    assert_true(store_oldest_revision(store) < store_revision(store));
    add_rule(&server, "- match: {verb: get}\n  do: {compact: true}\n");
    server_tell(&server, &list, 1);
    assert_int_equal(store_oldest_revision(store), store_revision(store));
    server_free(&server);
}

/* The names of the objects in a watch's lines, in order. */
static void check_names(const struct reply *reply, const char *want)
{
    char names[256] = "";
    const char *at = buffer_text(&reply->body);

    while ((at = strstr(at, "\"name\":\"")) != NULL) {
        size_t used = strlen(names);

        at += 8;
        snprintf(names + used, sizeof(names) - used, "%.*s ", (int)strcspn(at, "\""), at);
    }
    assert_string_equal(names, want);
}

static void test_watches(void **state)
{
    static const struct {
        const char *rule;
        const char *want;
        bool ended;
    } rows[] = {
        {"- match: {verb: watch, name: a}\n  do: {swallow_event: true}\n",           "b ",     false},
        {"- match: {verb: watch, name: b}\n  do: {close_watch: true}\n",             "a ",     true },
        {"- match: {verb: watch, name: b}\n  do: {stall_watch: true}\n",             "a ",     false},
        {"- match: {verb: watch}\n  when: {nth: 1}\n  do: {gap: 2}\n",               "",       false},
        {"- match: {verb: watch}\n  when: {nth: 1}\n  do: {gap: 1}\n",               "b ",     false},
        {"- match: {verb: watch, name: a}\n  do: {repeat_event: true}\n",            "a a b ", false},
        {"- match: {verb: watch, name: a}\n  do: {garbage_line: true}\n",            "b ",     false},
        {"- match: {verb: watch, name: b}\n  do: {half_line: true}\n",               "a ",     true },
        {"- match: {verb: watch, name: b}\n  do: {error_event: 410}\n",              "a ",     true },
        {"- match: {verb: watch, name: a}\n  do: {long_line: 100000}\n",             "b ",     false},
        {"- match: {verb: watch}\n  when: {from: 20s}\n  do: {close_watch: true}\n", "a b ",   true },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct ask ask = {.target = CM "?watch=true"};
        struct server server;
        struct reply reply;

        server_start(&server, NULL);
        add_rule(&server, rows[i].rule);
        server_send(&server, &ask, &reply);
        server_run(&server, US_PER_SECOND);
        server_tell(&server, two, ARRAY_SIZE(two));
        server_run(&server, 60 * US_PER_SECOND);
        check_names(&reply, rows[i].want);
        assert_int_equal(reply.ended, rows[i].ended);
        if (reply.ended)
            assert_int_equal(reply.end, EXCHANGE_COMPLETE);
        reply_release(&reply);
        server_free(&server);
    }
}

/* What an answer is like beyond its status. */
static void test_spoilt_answers(void **state)
{
    static const struct {
        const char *rule;
        const char *target;
        unsigned status;
        const char *content_type;
        const char *begins;
        size_t size; /* 0: any */
    } rows[] = {
        {"- do: {html: 200}\n",                CM,               200, "text/html",        "<html>",         0 },
        {"- do: {html: 502}\n",                CM "/a",          502, "text/html",        "<html>",         0 },
        {"- do: {content_type: text/plain}\n", CM,               200, "text/plain",       "{\"kind\":",     0 },
        {"- do: {truncate: 0}\n",              CM,               200, "application/json", "",               0 },
        {"- do: {truncate: 11}\n",             CM,               200, "application/json", "{\"kind\":\"Co", 11},
        {"- do: {truncate: 9}\n",              CM "?watch=true", 200, "application/json", "{\"type\":\"",   9 },
        {"- do: {truncate: 1000000}\n",        CM "/a",          200, "application/json", "{",              0 },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const struct ask ask = {.target = rows[i].target};
        struct server server;
        struct reply reply;

        server_start(&server, NULL);
        server_tell(&server, two, ARRAY_SIZE(two));
        add_rule(&server, rows[i].rule);
        server_call(&server, &ask, &reply);
        assert_int_equal(reply.end, EXCHANGE_COMPLETE);
        assert_int_equal(reply.status, rows[i].status);
        assert_string_equal(reply.content_type, rows[i].content_type);
        assert_memory_equal(buffer_text(&reply.body), rows[i].begins, strlen(rows[i].begins));
        if (rows[i].size > 0)
            assert_int_equal(reply.body.size, rows[i].size);
        reply_release(&reply);
        server_free(&server);
    }
}

/* A byte each 10 ms, and the head at once. */
static void test_slow_body(void **state)
{
    const struct ask ask = {.target = CM "/a"};
    struct server server;
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    server_tell(&server, two, ARRAY_SIZE(two));
    add_rule(&server, "- match: {verb: get}\n  do: {slow_body: 10ms}\n");
    server_send(&server, &ask, &reply);
    server_run(&server, 995 * US_PER_MS);
    assert_int_equal(reply.status, 200);
    assert_int_equal(reply.body.size, 100);
    assert_false(reply.ended);
    server_run(&server, US_PER_MINUTE);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    reply_release(&reply);
    server_free(&server);
}

static void test_delayed_event(void **state)
{
    const struct ask ask = {.target = CM "?watch=true"};
    struct server server;
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    add_rule(&server, "- match: {verb: watch, name: a}\n  do: {delay_event: 5s}\n");
    server_send(&server, &ask, &reply);
    server_run(&server, US_PER_SECOND);
    server_tell(&server, two, ARRAY_SIZE(two));
    server_run(&server, 4900 * US_PER_MS);
    check_names(&reply, ""); /* b waits behind it */
    server_run(&server, 200 * US_PER_MS);
    check_names(&reply, "a b ");
    reply_release(&reply);
    server_free(&server);
}

/* The whole of what a watch sends. */
static void test_spoilt_lines(void **state)
{
    static const struct {
        const char *deed;
        const char *want;
    } rows[] = {
        {"{error_event: 410}",                            "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":"
                               "\"v1\",\"metadata\":{},"
                               "\"status\":\"Failure\",\"message\":\"injected "
                               "fault\",\"reason\":\"Expired\",\"code\":410}}\n"       },
        {"{error_event: 410, reason: '', message: gone}",
         "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{}"
         ","
         "\"status\":\"Failure\",\"message\":\"gone\",\"code\":410}}\n"                                              },
        {"{garbage_line: true}",                          "}no json{\n"                                              },
        {"{long_line: 5}",                                "{\"type\":\"ADDED\",\"object\":{\"padding\":\"xxxxx\"}}\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        char *rule = xprintf("- match: {verb: watch}\n  when: {nth: 1}\n  do: %s\n", rows[i].deed);
        const struct ask ask = {.target = CM "?watch=true&resourceVersion=1"};
        struct server server;
        struct reply reply;

        server_start(&server, NULL);
        add_rule(&server, rule);
        server_send(&server, &ask, &reply);
        server_run(&server, US_PER_SECOND);
        server_tell(&server, two, 1);
        server_run(&server, US_PER_SECOND);
        assert_string_equal(buffer_text(&reply.body), rows[i].want);
        reply_release(&reply);
        server_free(&server);
        free(rule);
    }
}

static size_t count_bookmarks(const struct reply *reply)
{
    size_t count = 0;

    for (const char *at = buffer_text(&reply->body); (at = strstr(at, "BOOKMARK")) != NULL; at++)
        count++;
    return count;
}

static void test_lost_bookmarks(void **state)
{
    const struct ask ask = {.target = CM "?watch=true&allowWatchBookmarks=true&resourceVersion=1"};
    struct server server;
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    add_rule(&server, "- match: {verb: watch}\n  when: {nth: 2}\n  do: {no_bookmark: true}\n");
    server_send(&server, &ask, &reply);
    server_run(&server, 61 * US_PER_SECOND);
    assert_int_equal(count_bookmarks(&reply), 1);
    server_run(&server, 60 * US_PER_SECOND);
    assert_int_equal(count_bookmarks(&reply), 1);
    server_run(&server, 60 * US_PER_SECOND);
    assert_int_equal(count_bookmarks(&reply), 2);
    reply_release(&reply);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_requests),       cmocka_unit_test(test_delay_and_silence),
        cmocka_unit_test(test_compaction),     cmocka_unit_test(test_watches),
        cmocka_unit_test(test_spoilt_answers), cmocka_unit_test(test_slow_body),
        cmocka_unit_test(test_delayed_event),  cmocka_unit_test(test_spoilt_lines),
        cmocka_unit_test(test_lost_bookmarks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
