/* pods/log: which container, which lines, following (WIRE.md K29, K30). */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/time.h"

#define PODS "/api/v1/namespaces/default/pods"
/* 2024-06-01T00:00:00Z, when the world begins */
#define START_US INT64_C(1717200000000000)

/* A log that the test writes. */
struct written {
    struct rest_log_line lines[8];
    size_t count;
    bool ended;
};

static bool read_written(void *arg, const char *pod_uid, const char *container, bool previous,
                         struct rest_log *ret_log)
{
    const struct written *written = arg;

    (void)pod_uid;
    if (previous || strcmp(container, "c") != 0)
        return false;
    *ret_log = (struct rest_log){written->lines, written->count, written->ended};
    return true;
}

static const struct rest_log_source source = {read_written};

static void write_line(struct written *written, int64_t at_us, const char *text)
{
    written->lines[written->count++] = (struct rest_log_line){START_US + at_us, text, strlen(text)};
}

static const struct line setup[] = {
    {"a pod",                  "POST",  PODS,
     "{\"metadata\":{\"name\":\"p\"},\"spec\":{\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}",                                    201, NULL,                                                            NULL},
    {"K30: not scheduled",     NULL,    PODS "/p/log",                                               NULL,                              204, NULL,                                                            NULL},
    {"scheduled",              "PATCH", PODS "/p",                                                   "{\"spec\":{\"nodeName\":\"n\"}}", 200, NULL,                                                            NULL},
    {"K30: not started",       NULL,    PODS "/p/log",                                               NULL,                              400,
     "container \\\"c\\\" in pod \\\"p\\\" is waiting to start: ContainerCreating",                                                                                                                           NULL},
    {"running",                "PATCH", PODS "/p/status",
     "{\"status\":{\"containerStatuses\":[{\"name\":\"c\",\"state\":{\"running\":{}}}]}}",                                              200,
     NULL,                                                                                                                                                                                                    NULL},
    {"K30: no such pod",       NULL,    PODS "/q/log",                                               NULL,                              404, "pods \\\"q\\\" not found",                                      NULL},
    {"K30: no such container", NULL,    PODS "/p/log?container=x",                                   NULL,                              400,
     "container x is not valid for pod p",                                                                                                                                                                    NULL},
    {"K30: no previous one",   NULL,    PODS "/p/log?previous=true",                                 NULL,                              400,
     "previous terminated container \\\"c\\\" in pod \\\"p\\\" not found",                                                                                                                                    NULL},
    {"K30: bad options",       NULL,    PODS "/p/log?tailLines=-1",                                  NULL,                              422,
     "PodLogOptions \\\"p\\\" is invalid: tailLines: Invalid value: -1: must be greater than or "
     "equal to 0",                                                                                                                                                                                            NULL},
    {"K30: both times",        NULL,    PODS "/p/log?sinceSeconds=1&sinceTime=2024-06-01T00:00:00Z", NULL,
     422,                                                                                                                                    "at most one of `sinceTime` or `sinceSeconds` may be specified", NULL},
};

static void start(struct server *server, struct written *written)
{
    server_start(server, NULL);
    server_tell(server, setup, ARRAY_SIZE(setup));
    rest_set_log_source(fakeapi_rest(server_root(server)), &source, written);
    write_line(written, 0, "one\n");
    write_line(written, US_PER_SECOND, "two\n");
    write_line(written, 2 * US_PER_SECOND + 5, "three");
}

static void test_lines(void **state)
{
    static const struct {
        const char *query;
        const char *want;
    } rows[] = {
        {"",                                "one\ntwo\nthree"                     },
        {"?container=c",                    "one\ntwo\nthree"                     },
        {"?tailLines=2",                    "two\nthree"                          },
        {"?tailLines=0",                    ""                                    },
        {"?tailLines=9",                    "one\ntwo\nthree"                     },
        {"?limitBytes=6",                   "one\ntw"                             },
        {"?tailLines=2&limitBytes=1",       "t"                                   },
        {"?sinceTime=2024-06-01T00:00:01Z", "two\nthree"                          },
        {"?sinceSeconds=10",                "two\nthree"                          }, /* ten seconds later */
        {"?timestamps=true&tailLines=1",    "2024-06-01T00:00:02.000005000Z three"},
        {"?follow=true&limitBytes=3",       "one"                                 },
    };
    struct written written = {.count = 0};
    struct server server;

    (void)state;
    start(&server, &written);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct reply reply;
        char target[128];
        struct ask ask = {.target = target};

        snprintf(target, sizeof(target), PODS "/p/log%s", rows[i].query);
        if (strstr(target, "sinceSeconds") != NULL)
            server_run(&server, START_US + 10 * US_PER_SECOND - sim_wall_us(server.sim));
        server_call(&server, &ask, &reply);
        if (reply.status != 200 || strcmp(buffer_text(&reply.body), rows[i].want) != 0)
            fail_msg("%s: got %u %s", target, reply.status, buffer_text(&reply.body));
        assert_string_equal(reply.content_type, "text/plain");
        reply_release(&reply);
    }
    server_free(&server);
}

/* A line is as long as its container has made it. */
static void test_long_line(void **state)
{
    const size_t size = (size_t)3 * 1024 * 1024;
    char *text = malloc(size + 1);
    struct written written = {.count = 0, .ended = true};
    const struct ask ask = {.target = PODS "/p/log?timestamps=true&tailLines=1"};
    struct server server;
    struct reply reply;

    (void)state;
    assert_non_null(text);
    memset(text, 'x', size);
    text[size] = '\0';
    start(&server, &written);
    write_line(&written, 3 * US_PER_SECOND, text);
    server_call(&server, &ask, &reply);
    assert_int_equal(reply.body.size, strlen("2024-06-01T00:00:03.000000000Z ") + size);
    assert_memory_equal(reply.body.bytes + reply.body.size - size, text, size);
    reply_release(&reply);
    server_free(&server);
    free(text);
}

static void test_follow(void **state)
{
    struct written written = {.count = 0};
    struct server server;
    struct reply reply;
    const struct ask ask = {.target = PODS "/p/log?follow=true"};

    (void)state;
    start(&server, &written);
    server_send(&server, &ask, &reply);
    server_run(&server, US_PER_SECOND);
    assert_string_equal(buffer_text(&reply.body), "one\ntwo\nthree");
    assert_false(reply.ended);
    write_line(&written, 3 * US_PER_SECOND, "four\n");
    {
        const struct store_object *pod = store_get(
            store_find_resource(fakeapi_store(server_root(&server)), "", "pods"), "default", "p");

        rest_log_changed(fakeapi_rest(server_root(&server)), pod->uid);
        server_run(&server, US_PER_SECOND);
        assert_string_equal(buffer_text(&reply.body), "one\ntwo\nthreefour\n");
        written.ended = true;
        rest_log_changed(fakeapi_rest(server_root(&server)), pod->uid);
    }
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended);
    assert_int_equal(reply.end, EXCHANGE_COMPLETE);
    reply_release(&reply);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_follow),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
