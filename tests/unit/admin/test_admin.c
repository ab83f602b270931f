/* The door: what each path does to the server behind it. */
#include "tests/unit/rest/server.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/text.h"
#include "controller/base/time.h"

#define CONFIGMAPS "/api/v1/namespaces/default/configmaps"
#define NAMED(name) "{\"metadata\":{\"name\":\"" name "\"}}"

static void start(struct server *server)
{
    server_start(server, "--admin", "127.0.0.1:81", NULL);
}

static const struct line faults[] = {
    {"none yet",                                    NULL,     "/faults",   NULL,                                                     200, "\"faults\": []",                                                                       NULL, true },
    {"two rules, one of a kind that is not served", "POST",   "/faults",
     "[{\"name\": \"full\", \"match\": {\"verb\": \"create\", \"resource\": \"configmapz\"},"
     " \"do\": {\"status\": 429}},"
     " {\"match\": {\"verb\": \"create\"}, \"when\": {\"count\": 1}, \"do\": {\"status\": 507}}]",                                   201, "\"full: no resource \\\"configmapz\\\" is served; did you mean \\\"configmaps\\\"?\"",
     NULL,                                                                                                                                                                                                                              true },
    {"acts",                                        "POST",   CONFIGMAPS,  NAMED("a"),                                               507, NULL,                                                                                   NULL, false},
    {"once",                                        "POST",   CONFIGMAPS,  NAMED("a"),                                               201, NULL,                                                                                   NULL, false},
    {"counts",                                      NULL,     "/faults/2", NULL,                                                     200, "\"matched\": 2,\n  \"acted\": 1,",                                                     NULL, true },
    {"as YAML too",                                 "POST",   "/faults",   "- match: {resource: configmaps}\n  do: {status: 418}\n",
     201,                                                                                                                                 "\"ids\": [\n    3\n  ]",                                                               NULL, true },
    {"all the verbs",                               NULL,     CONFIGMAPS,  NULL,                                                     418, NULL,                                                                                   NULL, false},
    {"dropped",                                     "DELETE", "/faults/3", NULL,                                                     200, "\"acted\": 1,",                                                                        NULL, true },
    {"is gone",                                     "DELETE", "/faults/3", NULL,                                                     404, "no fault rule has this number",                                                        NULL, true },
    {"acts no more",                                NULL,     CONFIGMAPS,  NULL,                                                     200, NULL,                                                                                   NULL, false},
    {"a wrong rule adds none",                      "POST",   "/faults",   "- do: {status: 500}\n- do: {refuze: true}\n",
     400,                                                                                                                                 "line 2, column 8: unknown key 'refuze'; did you mean 'refuse'?",                       NULL, true },
    {"all dropped",                                 "DELETE", "/faults",   NULL,                                                     200, "\"dropped\": 2",                                                                       NULL, true },
};

static const struct line refused[] = {
    {"no such path",                NULL,    "/fault",                     NULL,                                                     404, "no such path",              NULL, true },
    {"nor below one",               NULL,    "/clock/stop/now",            NULL,                                                     404, "no such path",              NULL, true },
    {"not that method",             "PATCH", "/faults",                    "{}",                                                     405, "not with this method",      NULL, true },
    {"what there is",               NULL,    "/",                          NULL,                                                     200, "\"POST /reset\": ",         NULL, true },
    {"no YAML",                     "POST",  "/faults",                    "a: [",                                                   400, "line 2",                    NULL, true },
    {"no rule",                     "POST",  "/faults",                    "5",                                                      400, "a list of rules is wanted", NULL, true },
    {"a body where none is wanted", "POST",  "/reset",                     "x",                                                      413, "too large",                 NULL, true },
    {"no duration",                 "POST",  "/clock/advance",             "{\"by\": \"soon\"}",                                     400, "by: a duration",            NULL,
     true                                                                                                                                                                         },
    {"none at all",                 "POST",  "/clock/advance",             NULL,                                                     400, "by: a duration",            NULL, true },
    {"too long",                    "POST",  "/clock/advance",             "{\"by\": \"745h\"}",                                     400, "0 to 31 days",              NULL, true },
    {"another key",                 "POST",  "/clock/advance",             "{\"by\": \"1h\", \"to\": 1}",                            400, "nothing else",
     NULL,                                                                                                                                                                   true },
    {"no object",                   "POST",  "/compact",                   "[1]",                                                    400, "want {",                    NULL, true },
    {"no JSON",                     "POST",  "/compact",                   "{",                                                      400, "byte",                      NULL, true },
    {"no number",                   "POST",  "/compact",                   "{\"revision\": \"x\"}",                                  400, "a whole number",            NULL, true },
    {"zero",                        "POST",  "/compact",                   "{\"revision\": 0}",                                      400, "want one from 1 to ",       NULL, true },
    {"not there yet",               "POST",  "/compact",                   "{\"revision\": 999}",                                    400, "want one from 1 to ",       NULL,
     true                                                                                                                                                                         },
    {"rewind to nowhere",           "POST",  "/rewind",                    NULL,                                                     400, "the one to go back to",     NULL, true },
    {"rewind ahead",                "POST",  "/rewind",                    "{\"revision\": 999}",                                    400, "is not there yet",          NULL, true },
    {"no state",                    "PUT",   "/state",                     "a: [",                                                   400, "body:2:",                   NULL, true },
    {"of no dump",                  "PUT",   "/state",                     "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n", 400,
     "body:1:1: want metadata with a uid and a resourceVersion",                                                                                                       NULL, true },
    {"of no kind",                  "POST",  "/state",                     "apiVersion: v1\nkind: Chair\nmetadata: {name: a}\n",     400,
     "body:1:1: no kind \\\"Chair\\\"",                                                                                                                                NULL, true },
    {"an unknown filter",           NULL,    "/requests?verbs=get",        NULL,                                                     400, "unknown parameter",         NULL, true },
    {"a broken one",                NULL,    "/requests?verb=%zz",         NULL,                                                     400, "cannot be decoded",         NULL, true },
    {"no number of them",           NULL,    "/requests?limit=0",          NULL,                                                     400, "whole numbers",             NULL, true },
    {"the cluster is as before",    NULL,    "/api/v1/namespaces/default", NULL,                                                     200, NULL,                        NULL, false},
};

static void test_faults(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, faults, ARRAY_SIZE(faults));
    server_free(&server);
}

static void test_refused(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, refused, ARRAY_SIZE(refused));
    server_free(&server);
}

static const struct line asked[] = {
    {"forgets what was",      "DELETE", "/requests",                                 NULL,                                                     200, NULL,                          NULL,      true },
    {"one",                   "POST",   CONFIGMAPS,                                  NAMED("a"),                                               201, NULL,                          NULL,      false},
    {"two",                   NULL,     CONFIGMAPS "/b?secret=yes",                  NULL,                                                     404, NULL,                          NULL,      false},
    {"not a resource",        NULL,     "/version?secret=yes",                       NULL,                                                     200, NULL,                          NULL,      false},
    {"a rule",                "POST",   "/faults",                                   "- {name: lost, match: {verb: list}, do: {status: 503}}", 201,
     NULL,                                                                                                                                                                         NULL,      true },
    {"three",                 NULL,     CONFIGMAPS,                                  NULL,                                                     503, NULL,                          NULL,      false},
    {"all of them, no query", NULL,     "/requests",                                 NULL,                                                     200, "\"/version\"",                "secret",  true },
    {"who",                   NULL,     "/requests?status=404",                      NULL,                                                     200,
     "\"userAgent\": \"test/1.0\",\n      \"peer\": \"client\",\n      \"verb\": \"get\",\n      "
     "\"resource\": \"configmaps\",\n"
     "      \"namespace\": \"default\",\n      \"name\": \"b\",\n      \"status\": 404",                                                                                           "create",  true },
    {"by what",               NULL,     "/requests?fault=lost",                      NULL,                                                     200, "\"faultAction\": \"status\"", "create",
     true                                                                                                                                                                                          },
    {"by pattern",            NULL,     "/requests?verb=cre*&resource=config%6daps", NULL,                                                     200, "\"status\": 201",
     "\"get\"",                                                                                                                                                                               true },
    {"the last",              NULL,     "/requests?limit=1",                         NULL,                                                     200, "\"list\"",                    "\"get\"", true },
};

static void test_requests(void **state)
{
    struct server server;

    (void)state;
    start(&server);
    server_tell(&server, asked, ARRAY_SIZE(asked));
    server_free(&server);
}

/* Asks the admin, and wants a text in the answer. */
static void tell(struct server *server, const char *method, const char *target, const char *body,
                 const char *want)
{
    const struct line line = {target, method, target, body, 200, want, NULL, true};

    server_tell(server, &line, 1);
}

static void test_watches(void **state)
{
    struct server server;
    struct ask ask = {.target = CONFIGMAPS "?watch=1"};
    struct reply watch;

    (void)state;
    start(&server);
    server_send(&server, &ask, &watch);
    server_run(&server, US_PER_SECOND);
    tell(&server, NULL, "/watches", NULL, "\"watches\": 1,");
    tell(&server, NULL, "/watches", NULL, "\"userAgent\": \"test/1.0\"");
    tell(&server, NULL, "/status", NULL, "\"watches\": 1,");
    assert_false(watch.ended);
    tell(&server, "DELETE", "/watches", NULL, "\"ended\": 1");
    server_run(&server, US_PER_SECOND);
    assert_true(watch.ended && watch.end == EXCHANGE_COMPLETE);
    tell(&server, NULL, "/watches", NULL, "\"streams\": []");
    reply_release(&watch);
    server_free(&server);
}

/* A watch that resumes from before a compaction is told so (W4). */
static void test_compact(void **state)
{
    struct server server;
    const struct line lines[] = {
        {"history",      "POST", CONFIGMAPS,                                               NAMED("a"),          201, NULL,                    NULL,    false},
        {"is kept",      NULL,   CONFIGMAPS "?watch=1&resourceVersion=2&timeoutSeconds=1", NULL,                200,
         "ADDED",                                                                                                                             "ERROR", false},
        {"forgotten",    "POST", "/compact",                                               "{\"revision\": 3}", 200, "\"oldestRevision\": 3", NULL,
         true                                                                                                                                               },
        {"not kept",     NULL,   CONFIGMAPS "?watch=1&resourceVersion=2&timeoutSeconds=1", NULL,                200,
         "\"code\":410",                                                                                                                      "ADDED", false},
        {"the rest is",  NULL,   CONFIGMAPS "?watch=1&resourceVersion=3&timeoutSeconds=1", NULL,                200,
         "ADDED",                                                                                                                             "ERROR", false},
        {"all of it",    "POST", "/compact",                                               NULL,                200, NULL,                    NULL,    true },
        {"nothing kept", NULL,   CONFIGMAPS "?watch=1&resourceVersion=3&timeoutSeconds=1", NULL,                200,
         "\"code\":410",                                                                                                                      "ADDED", false},
    };

    (void)state;
    start(&server);
    server_tell(&server, lines, ARRAY_SIZE(lines));
    server_free(&server);
}

/* While it stands a delayed answer does not come, and objects have its time. */
static void test_clock(void **state)
{
    struct server server;
    struct ask ask = {.target = CONFIGMAPS};
    struct reply reply;
    const struct line lines[] = {
        {"slow",      "POST", "/faults",     "- {match: {verb: list}, do: {delay: 1h}}", 201, NULL,                NULL,
         true                                                                                                                 },
        {"stopped",   "POST", "/clock/stop", NULL,                                       200, "\"stopped\": true", NULL, true },
        {"made then", "POST", CONFIGMAPS,    NAMED("a"),                                 201,
         "\"creationTimestamp\":\"2024-06-01T00:00:00Z\"",                                                         NULL, false},
    };
    const struct line later = {"a day later", "POST",
                               CONFIGMAPS,    NAMED("b"),
                               201,           "\"creationTimestamp\":\"2024-06-01T01:00:00Z\"",
                               NULL,          false};

    (void)state;
    start(&server);
    server_tell(&server, lines, ARRAY_SIZE(lines));
    server_send(&server, &ask, &reply);
    server_run(&server, US_PER_MINUTE);
    assert_false(reply.ended);
    tell(&server, "POST", "/clock/advance", "{\"by\": \"59m59s\"}", "\"stopped\": true");
    server_run(&server, US_PER_SECOND);
    assert_false(reply.ended);
    tell(&server, "POST", "/clock/advance", "{\"by\": \"1s\"}", "\"now\": \"2024-06-01T01:00:00.");
    server_run(&server, US_PER_SECOND);
    assert_true(reply.ended && reply.status == 200);
    server_tell(&server, &later, 1);
    tell(&server, "POST", "/clock/start", NULL, "\"stopped\": false");
    tell(&server, "POST", "/reset", NULL, NULL);
    tell(&server, NULL, "/clock", NULL, "\"ahead\": \"0s\"");
    reply_release(&reply);
    server_free(&server);
}

/* The text of an answer of the admin. free() it. */
static char *fetch(struct server *server, const char *target)
{
    struct ask ask = {.target = target, .admin = true};
    struct reply reply;
    char *text;
    size_t size;

    server_call(server, &ask, &reply);
    assert_int_equal(reply.status, 200);
    text = buffer_take(&reply.body, &size);
    reply_release(&reply);
    return text;
}

/* What was dumped comes back as it was, revisions and all; what came later is gone, and who had
 * seen it watches from ahead. */
static void test_state(void **state)
{
    struct server server;
    struct ask ask = {.target = CONFIGMAPS "?watch=1&resourceVersion=2"};
    struct reply watch;
    const struct line before[] = {
        {"one",                           "POST",   CONFIGMAPS,                               NAMED("a"), 201, NULL, NULL, false},
        {"a deletion is a revision too",  "POST",   CONFIGMAPS,                               NAMED("b"), 201, NULL, NULL, false},
        {"so it is",                      "DELETE", CONFIGMAPS "/b",                          NULL,       200, NULL, NULL, false},
        {"a selector that is of its uid", "POST",   "/apis/batch/v1/namespaces/default/jobs",
         "{\"metadata\":{\"name\":\"j\"},\"spec\":{\"template\":{\"spec\":{\"restartPolicy\":"
         "\"Never\",\"containers\":[{\"name\":\"c\",\"image\":\"i\"}]}}}}",                               201, NULL, NULL, false},
        {"a namespace",                   "POST",   "/api/v1/namespaces",                     NAMED("t"), 201, NULL, NULL, false},
        {"what holds it up",              "POST",   "/api/v1/namespaces/t/configmaps",
         "{\"metadata\":{\"name\":\"h\",\"finalizers\":[\"x.io/hold\"]}}",                                201, NULL, NULL, false},
        {"it is going",                   "DELETE", "/api/v1/namespaces/t",                   NULL,       200, NULL, NULL, false},
        {"and that",                      "DELETE", "/api/v1/namespaces/t/configmaps/h",      NULL,       200, NULL, NULL, false},
    };
    const struct line between[] = {
        {"two",  "POST",   CONFIGMAPS,      NAMED("c"), 201, NULL, NULL, false},
        {"gone", "DELETE", CONFIGMAPS "/a", NULL,       200, NULL, NULL, false},
    };
    const struct line after[] = {
        {"there again",   NULL,   CONFIGMAPS "/a", NULL,           200, NULL, NULL, false},
        {"not there yet", NULL,   CONFIGMAPS "/c", NULL,           404, NULL, NULL, false},
        {"more is added", "POST", "/state",
         "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\n", 200, NULL, NULL, true },
        {"it is there",   NULL,   CONFIGMAPS "/d", NULL,           200, NULL, NULL, false},
    };
    char *dump;
    char *again;

    (void)state;
    start(&server);
    server_tell(&server, before, ARRAY_SIZE(before));
    dump = fetch(&server, "/state");
    server_tell(&server, between, ARRAY_SIZE(between));
    server_send(&server, &ask, &watch);
    server_run(&server, US_PER_SECOND);
    tell(&server, "PUT", "/state", dump, NULL);
    server_run(&server, US_PER_SECOND);
    assert_true(watch.ended && watch.end == EXCHANGE_RESET);
    again = fetch(&server, "/state");
    assert_string_equal(again, dump);
    server_tell(&server, after, ARRAY_SIZE(after));
    free(again);
    free(dump);
    reply_release(&watch);
    server_free(&server);
}

static void test_rewind(void **state)
{
    struct server server;
    const struct line before = {"one", "POST", CONFIGMAPS, NAMED("a"), 201, NULL, NULL, false};
    const struct line between[] = {
        {"two",      "POST",   CONFIGMAPS,      NAMED("b"), 201, NULL, NULL, false},
        {"one goes", "DELETE", CONFIGMAPS "/a", NULL,       200, NULL, NULL, false},
    };
    const struct line after[] = {
        {"there again",         NULL, CONFIGMAPS "/a",                         NULL, 200, NULL, NULL, false},
        {"not there yet",       NULL, CONFIGMAPS "/b",                         NULL, 404, NULL, NULL, false},
        {"its history is gone", NULL, CONFIGMAPS "?watch=1&resourceVersion=2", NULL, 200,
         "\"code\":410",                                                                        NULL, false},
    };
    uint64_t revision;
    char body[64];

    (void)state;
    start(&server);
    server_tell(&server, &before, 1);
    revision = store_revision(fakeapi_store(server_root(&server)));
    server_tell(&server, between, ARRAY_SIZE(between));
    snprintf(body, sizeof(body), "{\"revision\": %d}", (int)revision);
    tell(&server, "POST", "/rewind", body, NULL);
    assert_int_equal(store_revision(fakeapi_store(server_root(&server))), revision);
    server_tell(&server, after, ARRAY_SIZE(after));
    server_free(&server);
}

/* The uid of the loaded object. */
static const char *loaded_uid(struct server *server)
{
    const struct store *store = fakeapi_store(server_root(server));

    return store_get(store_find_resource(store, "", "configmaps"), "default", "c")->uid;
}

/* Objects, their uids, rules and what was asked are as at the start. */
static void test_reset(void **state)
{
    struct server server;
    char uid[64];
    const struct line lines[] = {
        {"loaded",               NULL,     CONFIGMAPS "/c", NULL,       200, NULL,               NULL, false},
        {"the file's rule",      NULL,     CONFIGMAPS,      NULL,       507, NULL,               NULL, false},
        {"an object",            "POST",   CONFIGMAPS,      NAMED("a"), 201, NULL,               NULL, false},
        {"the loaded one goes",  "DELETE", CONFIGMAPS "/c", NULL,       200, NULL,               NULL, false},
        {"a rule goes",          "DELETE", "/faults",       NULL,       200, NULL,               NULL, true },
        {"and all is as it was", "POST",   "/reset",        NULL,       200, NULL,               NULL, true },
        {"nothing was asked",    NULL,     "/requests",     NULL,       200, "\"requests\": []", NULL, true },
        {"loaded again",         NULL,     CONFIGMAPS "/c", NULL,       200, NULL,               NULL, false},
        {"made no more",         NULL,     CONFIGMAPS "/a", NULL,       404, NULL,               NULL, false},
        {"the rule again",       NULL,     CONFIGMAPS,      NULL,       507, NULL,               NULL, false},
    };
    static const char object[] = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: c}\n";
    static const char rule[] = "- {match: {verb: list}, do: {status: 507}}\n";

    (void)state;
    server_start(&server, "--admin", "127.0.0.1:81", "--load", "/o.yaml", "--faults", "/f.yaml",
                 NULL);
    sim_file_put(server.api, "/o.yaml", object, strlen(object));
    sim_file_put(server.api, "/f.yaml", rule, strlen(rule));
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    snprintf(uid, sizeof(uid), "%s", loaded_uid(&server));
    server_tell(&server, lines, ARRAY_SIZE(lines));
    assert_string_equal(loaded_uid(&server), uid);
    server_free(&server);
}

static unsigned status_of(struct server *server, const struct ask *ask)
{
    struct reply reply;
    unsigned status;

    server_call(server, ask, &reply);
    status = reply.status;
    reply_release(&reply);
    return status;
}

/* Pages in a browser do not get in; with a token nobody does without it. */
static void test_who_may(void **state)
{
    struct server server;
    struct ask page = {.target = "/status", .admin = true, .origin = "http://127.0.0.1:9000"};
    struct ask bare = {.target = "/status", .admin = true};
    struct ask wrong = {.target = "/status", .admin = true, .authorization = "Bearer secreT"};
    struct ask right = {.target = "/status", .admin = true, .authorization = "Bearer secret"};

    (void)state;
    start(&server);
    assert_int_equal(status_of(&server, &page), 403);
    assert_int_equal(status_of(&server, &bare), 200);
    server_free(&server);

    server_start(&server, "--admin", "127.0.0.1:81", "--admin-token-file", "/token", NULL);
    sim_file_put(server.api, "/token", "secret\n", 7);
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    assert_int_equal(status_of(&server, &bare), 401);
    assert_int_equal(status_of(&server, &wrong), 401);
    assert_int_equal(status_of(&server, &right), 200);
    assert_null(strstr(buffer_text(sim_process_output(server.api)), "secret"));
    server_free(&server);
}

static void keep_log(void *arg, const struct sim_event *event)
{
    buffer_append_text(arg, event->text);
    buffer_append_char(arg, '\n');
}

/* A rule that could not and one that did not act are told of. */
static void test_warnings(void **state)
{
    static const char rules[] =
        "- {name: typo, match: {resource: podz}, do: {silent: true}}\n"
        "- {name: glob, match: {resource: po*z}, do: {silent: true}}\n"
        "- {name: path, match: {resource: /healthy}, do: {silent: true}}\n"
        "- {name: log, match: {resource: pods/log}, do: {silent: true}}\n"
        "- {name: used, match: {resource: /version}, do: {delay: 1ms}}\n"
        "- {name: third, match: {resource: /version}, when: {nth: 3}, do: {silent: true}}\n";
    const struct line line = {"used", NULL, "/version", NULL, 200, NULL, NULL, false};
    struct buffer said = BUFFER_INIT(4096);
    struct server server;

    (void)state;
    server_start(&server, "--faults", "/f.yaml", NULL);
    sim_add_tap(server.sim, SIM_EVENT_BIT(SIM_EVENT_LOG), keep_log, &said);
    sim_file_put(server.api, "/f.yaml", rules, strlen(rules));
    sim_process_start(server.api);
    server_run(&server, US_PER_SECOND);
    assert_string_equal(buffer_text(&said),
                        "fault rule may never act rule=typo why=\"no resource \\\"podz\\\" is "
                        "served; did you mean \\\"pods\\\"?\"\n");
    buffer_clear(&said);
    server_tell(&server, &line, 1);
    sim_process_signal(server.api, SIM_TERM);
    server_run(&server, US_PER_SECOND);
    assert_string_equal(buffer_text(&said), "fault rule never acted rule=typo matched=0\n"
                                            "fault rule never acted rule=glob matched=0\n"
                                            "fault rule never acted rule=path matched=0\n"
                                            "fault rule never acted rule=log matched=0\n"
                                            "fault rule never acted rule=third matched=1\n");
    buffer_release(&said);
    server_free(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_faults),   cmocka_unit_test(test_refused),
        cmocka_unit_test(test_requests), cmocka_unit_test(test_watches),
        cmocka_unit_test(test_compact),  cmocka_unit_test(test_clock),
        cmocka_unit_test(test_state),    cmocka_unit_test(test_rewind),
        cmocka_unit_test(test_reset),    cmocka_unit_test(test_who_may),
        cmocka_unit_test(test_warnings),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
