/* Watches: what they begin with, what follows, how they end (WIRE.md W1 to W20). */
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
#define TABLE "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"

static void write_one(struct server *server, const char *method, const char *target,
                      const char *body)
{
    const struct line line = {"write", method, target, body, method[1] == 'O' ? 201 : 200,
                              NULL,    NULL};

    server_tell(server, &line, 1);
}

/* One word per line: "ADDED a 6" - type, name, revision. */
static char *events_in(const struct reply *reply)
{
    struct buffer words = BUFFER_INIT(1 << 20);
    const char *at = buffer_text(&reply->body);
    size_t size;

    buffer_append_text(&words, "");
    while (*at != '\0') {
        size_t length = strcspn(at, "\n");
        struct json_object *tree = NULL;
        struct json_object *object;
        const char *revision;

        if (!json_parse(at, length, 1 << 20, &tree, NULL))
            fail_msg("no line of JSON: %s", at);
        object = json_get(tree, "object");
        revision = json_get_text(json_get(object, "metadata"), "resourceVersion");
        buffer_append_format(&words, "%s %s %s;", json_get_text(tree, "type"),
                             json_get(object, "code") != NULL
                                 ? json_get_text(object, "message")
                                 : json_get_text(json_get(object, "metadata"), "name"),
                             revision);
        json_object_put(tree);
        at += length + (at[length] == '\n');
    }
    return buffer_take(&words, &size);
}

static void check_events(const struct reply *reply, const char *want)
{
    char *got = events_in(reply);

    assert_string_equal(got, want);
    free(got);
}

static void open_watch(struct server *server, const char *target, const char *accept,
                       struct reply *reply)
{
    const struct ask ask = {.target = target, .accept = accept};

    server_send(server, &ask, reply);
    server_run(server, US_PER_SECOND);
}

/* Revisions 6 and 7. */
static void start(struct server *server)
{
    server_start(server, NULL);
    write_one(server, "POST", CM, "{\"metadata\":{\"name\":\"b\",\"labels\":{\"on\":\"1\"}}}");
    write_one(server, "POST", CM, "{\"metadata\":{\"name\":\"a\"}}");
}

static void test_beginnings(void **state)
{
    static const struct {
        const char *target;
        const char *want;
    } rows[] = {
        {CM "?watch=true",                                                           "ADDED a 7;ADDED b 6;"                  }, /* W3: in order of keys */
        {CM "?watch=1&resourceVersion=0",                                            "ADDED a 7;ADDED b 6;"                  },
        {CM "?watch=true&resourceVersion=6",                                         "ADDED a 7;"                            },
        {CM "?watch=true&resourceVersion=7",                                         ""                                      },
        {CM "?watch=true&resourceVersion=700",                                       ""                                      },
        {CM "?watch=true&fieldSelector=metadata.name%3Db",                           "ADDED b 6;"                            },
        {"/api/v1/configmaps?watch=",                                                "ADDED a 7;ADDED b 6;"                  },
        {"/api/v1/watch/namespaces/default/configmaps/b",                            "ADDED b 6;"                            }, /* W2 */
  /* W5: the end of what is there is said, to those that take bookmarks */
        {CM "?watch=true&allowWatchBookmarks=true",                                  "ADDED a 7;ADDED b 6;BOOKMARK (null) 7;"},
        {CM "?watch=true&allowWatchBookmarks=true&sendInitialEvents=true"
            "&resourceVersionMatch=NotOlderThan&resourceVersion=6",         "ADDED a 7;ADDED b 6;BOOKMARK (null) 7;"},
        {CM "?watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan", ""                                      },
        {CM "?watch=true&allowWatchBookmarks=true&resourceVersion=7",                ""                                      },
    };
    struct server server;

    (void)state;
    start(&server);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct reply reply;
        char *got;

        open_watch(&server, rows[i].target, NULL, &reply);
        got = events_in(&reply);
        if (reply.status != 200 || reply.ended || strcmp(got, rows[i].want) != 0)
            fail_msg("%s: got %u %s", rows[i].target, reply.status, got);
        free(got);
        reply_release(&reply);
    }
    server_free(&server);
}

static const struct line refusals[] = {
    {"L3: no number",            NULL, CM "?watch=true&resourceVersion=x",                 NULL, 500, "invalid syntax",         NULL},
    {"W5",                       NULL, CM "?watch=true&sendInitialEvents=true",            NULL, 422,
     "resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to "
     "NotOlderThan",                                                                                                            NULL},
    {"W5",                       NULL, CM "?watch=true&resourceVersionMatch=NotOlderThan", NULL, 422,
     "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",                                        NULL},
    {"W2: a named one is a get", NULL, CM "/a?watch=true",                                 NULL, 200, "\"kind\":\"ConfigMap\"",
     NULL                                                                                                                           },
};

static void test_refusals(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, refusals, ARRAY_SIZE(refusals));
    server_free(&server);
}

/* W10: what comes into a selector is added, what leaves it is deleted, as it was before. */
static void test_transitions(void **state)
{
    struct server server;
    struct reply all;
    struct reply on;

    (void)state;
    start(&server);
    open_watch(&server, CM "?watch=true&resourceVersion=7", NULL, &all);
    open_watch(&server, CM "?watch=true&resourceVersion=7&labelSelector=on", NULL, &on);
    write_one(&server, "PATCH", CM "/a", "{\"metadata\":{\"labels\":{\"on\":\"1\"}}}");
    write_one(&server, "PATCH", CM "/a", "{\"data\":{\"k\":\"1\"}}");
    write_one(&server, "PATCH", CM "/a", "{\"metadata\":{\"labels\":null},\"data\":{\"k\":\"2\"}}");
    write_one(&server, "PATCH", CM "/a", "{\"data\":{\"k\":\"3\"}}");
    write_one(&server, "PATCH", CM "/a", "{\"data\":{\"k\":\"3\"}}"); /* W19: nothing */
    write_one(&server, "DELETE", CM "/b", NULL);
    write_one(&server, "DELETE", CM "/a", NULL);
    server_run(&server, US_PER_SECOND);
    check_events(&all, "MODIFIED a 8;MODIFIED a 9;MODIFIED a 10;MODIFIED a 11;"
                       "DELETED b 12;DELETED a 13;"); /* trap 27: the deletion's revision */
    check_events(&on, "ADDED a 8;MODIFIED a 9;DELETED a 10;DELETED b 12;");
    assert_non_null(strstr(buffer_text(&on.body), "\"type\":\"DELETED\",\"object\":{\"apiVersion\":"
                                                  "\"v1\",\"kind\":\"ConfigMap\""));
    assert_null(strstr(buffer_text(&on.body), "\"k\":\"2\""));
    reply_release(&all);
    reply_release(&on);
    server_free(&server);
}

/* X6: the write that removes the last finalizer is a deletion to watchers. */
static void test_finalizer_end(void **state)
{
    struct server server;
    struct reply reply;

    (void)state;
    server_start(&server, NULL);
    open_watch(&server, CM "?watch=true&resourceVersion=5", NULL, &reply);
    write_one(&server, "POST", CM, "{\"metadata\":{\"name\":\"f\",\"finalizers\":[\"x.io/f\"]}}");
    write_one(&server, "DELETE", CM "/f", NULL);
    write_one(&server, "PATCH", CM "/f", "{\"metadata\":{\"finalizers\":null}}");
    server_run(&server, US_PER_SECOND);
    check_events(&reply, "ADDED f 6;MODIFIED f 7;DELETED f 8;");
    reply_release(&reply);
    server_free(&server);
}

static void test_too_old(void **state)
{
    struct server server;
    struct reply reply;
    struct store *store;

    (void)state;
    start(&server);
    store = fakeapi_store(server_root(&server));
    store_compact(store, store_revision(store));
    open_watch(&server, CM "?watch=true&resourceVersion=6", NULL, &reply);
    assert_int_equal(reply.status, 200); /* W4 */
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    assert_string_equal(buffer_text(&reply.body),
                        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\","
                        "\"metadata\":{},\"status\":\"Failure\",\"message\":\"too old resource "
                        "version: 6 (7)\",\"reason\":\"Expired\",\"code\":410}}\n");
    reply_release(&reply);
    open_watch(&server, CM "?watch=true&resourceVersion=7", NULL, &reply);
    assert_false(reply.ended);
    store_end_watches(store, NULL, true);
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended);
    check_events(&reply, "ERROR The resourceVersion for the provided watch is too old. (null);");
    reply_release(&reply);
    server_free(&server);
}

static void test_time_limits(void **state)
{
    struct server server;
    struct reply limited;
    struct reply marked;
    struct reply unlimited;

    (void)state;
    start(&server);
    open_watch(&server, CM "?watch=true&resourceVersion=7&timeoutSeconds=90", NULL, &limited);
    open_watch(&server,
               CM "?watch=true&resourceVersion=7&timeoutSeconds=90&allowWatchBookmarks=true", NULL,
               &marked);
    open_watch(&server, CM "?watch=true&resourceVersion=7", NULL, &unlimited);
    write_one(&server, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"other\"}}");
    server_run(&server, 80 * US_PER_SECOND);
    assert_false(limited.ended);
    check_events(&marked, "BOOKMARK (null) 8;"); /* W6: after a minute */
    server_run(&server, 10 * US_PER_SECOND);
    assert_true(limited.ended); /* W7: cleanly */
    assert_int_equal(limited.end, EXCHANGE_COMPLETE);
    assert_int_equal(limited.body.size, 0);
    assert_true(marked.ended);
    check_events(&marked, "BOOKMARK (null) 8;BOOKMARK (null) 8;"); /* and before the end */
    server_run(&server, 1600 * US_PER_SECOND);
    assert_false(unlimited.ended);
    server_run(&server, 1900 * US_PER_SECOND);
    assert_true(unlimited.ended);
    assert_int_equal(unlimited.body.size, 0);
    reply_release(&limited);
    reply_release(&marked);
    reply_release(&unlimited);
    server_free(&server);
}

/* W12: rows, columns only once. */
static void test_table(void **state)
{
    struct server server;
    struct reply reply;
    const char *second;

    (void)state;
    start(&server);
    open_watch(&server, CM "?watch=true&resourceVersion=6", TABLE, &reply);
    write_one(&server, "PATCH", CM "/a", "{\"data\":{\"k\":\"1\"}}");
    server_run(&server, US_PER_SECOND);
    assert_int_equal(strncmp(buffer_text(&reply.body),
                             "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Table\",\"apiVersion\":"
                             "\"meta.k8s.io/v1\",\"metadata\":{\"resourceVersion\":\"7\"},"
                             "\"columnDefinitions\":[{\"name\":\"Name\"",
                             130),
                     0);
    second = strchr(buffer_text(&reply.body), '\n') + 1;
    assert_non_null(strstr(second, "\"columnDefinitions\":null,\"rows\":[{\"cells\":[\"a\",1,"));
    check_events(&reply, "ADDED (null) 7;MODIFIED (null) 8;");
    reply_release(&reply);
    server_free(&server);
}

/* W15: an orderly stop ends streams cleanly. */
static void test_stop(void **state)
{
    struct server server;
    struct reply reply;

    (void)state;
    start(&server);
    open_watch(&server, CM "?watch=true&resourceVersion=7", NULL, &reply);
    sim_process_signal(server.api, SIM_TERM);
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    assert_false(sim_process_is_alive(server.api));
    assert_int_equal(sim_process_exit_status(server.api), 0);
    reply_release(&reply);
    server_free(&server);
}

/* A crash with watches open must leave nothing behind (valgrind agrees). */
static void test_crash(void **state)
{
    struct server server;
    struct reply reply;

    (void)state;
    start(&server);
    open_watch(&server, CM "?watch=true&allowWatchBookmarks=true", NULL, &reply);
    sim_process_crash(server.api);
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_RESET);
    reply_release(&reply);
    server_free(&server);
}

/* A reader that takes nothing costs a cursor; when history runs out its stream is closed (W9). */
static void test_slow_reader(void **state)
{
    struct server server;
    struct reply reply;
    const struct ask ask = {.target = CM "?watch=true&resourceVersion=5"};

    (void)state;
    server_start(&server, "--history", "100", NULL);
    server_send(&server, &ask, &reply);
    server_run(&server, US_PER_SECOND);
    exchange_pause(reply.exchange);
    write_one(&server, "POST", CM, "{\"metadata\":{\"name\":\"a\"}}");
    for (unsigned i = 0; i < 400; i++) {
        char body[4096];

        snprintf(body, sizeof(body), "{\"data\":{\"k\":\"%03000u\"}}", i);
        write_one(&server, "PATCH", CM "/a", body);
    }
    exchange_resume(reply.exchange);
    server_run(&server, 10 * US_PER_SECOND);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    assert_int_equal(strncmp(buffer_text(&reply.body), "{\"type\":\"ADDED\"", 15), 0);
    reply_release(&reply);
    server_free(&server);
}

static int64_t count_watches(struct server *server)
{
    const struct ask ask = {.target = "/status", .admin = true};
    struct reply reply;
    struct json_object *tree;
    int64_t count;

    server_call(server, &ask, &reply);
    tree = reply_tree(&reply);
    count = json_get_int64(tree, "watches", -1);
    json_object_put(tree);
    reply_release(&reply);
    return count;
}

/* Who reads nothing at all is broken off as soon as history is past it (W9), be it in the middle of
 * what was there first, which goes on being rewritten. */
static void test_sleeper(void **state)
{
    static const char *const targets[] = {CM "?watch=true&resourceVersion=5", CM "?watch=true"};

    (void)state;
    for (size_t t = 0; t < ARRAY_SIZE(targets); t++) {
        const struct ask ask = {.target = targets[t]};
        struct server server;
        struct reply reply;
        char body[32 * 1024];

        server_start(&server, "--history", "100", "--admin", "127.0.0.1:81", NULL);
        for (unsigned i = 0; i < 100; i++) {
            snprintf(body, sizeof(body),
                     "{\"metadata\":{\"name\":\"a%u\"},\"data\":{\"k\":\"%030000u\"}}", i, i);
            write_one(&server, "POST", CM, body);
        }
        server_send(&server, &ask, &reply);
        exchange_pause(reply.exchange);
        server_run(&server, US_PER_SECOND);
        assert_int_equal(count_watches(&server), 1);
        for (unsigned i = 0; i < 102; i++) {
            snprintf(body, sizeof(body), "{\"data\":{\"k\":\"%030000u\"}}", 200 + i);
            write_one(&server, "PATCH", CM "/a1", body);
        }
        server_run(&server, 2 * US_PER_SECOND);
        assert_int_equal(count_watches(&server), 0);
        exchange_resume(reply.exchange);
        server_run(&server, US_PER_SECOND);
        assert_true(reply.ended);
        assert_int_equal(reply.end, EXCHANGE_RESET);
        reply_release(&reply);
        server_free(&server);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beginnings),  cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_transitions), cmocka_unit_test(test_finalizer_end),
        cmocka_unit_test(test_too_old),     cmocka_unit_test(test_time_limits),
        cmocka_unit_test(test_table),       cmocka_unit_test(test_stop),
        cmocka_unit_test(test_crash),       cmocka_unit_test(test_slow_reader),
        cmocka_unit_test(test_sleeper),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
