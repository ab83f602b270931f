/* The whole program in a simulated world: start, readiness, orderly end (RULES 4.7, 5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agent_controller.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/unit/kube/script.h"
#include "tests/unit/rows.h"

struct world {
    struct script script;
    struct sim_process *replica;
    struct json_object *lease; /* its spec; NULL: there is none */
    char *body;
    int version;
    bool down;               /* the API server answers 500 */
    const char *hang_method; /* requests of it are never answered; "": none at all */
    bool lists_down;         /* to listings alone */
    char lease_target[256];  /* of the last request for it */
    char error_text[1024];   /* the last error that was logged */
    char warning_text[1024]; /* likewise */
};

/* --- an API server with a Lease and no Agents --- */

static void merge(struct world *world, const char *body)
{
    struct json_object *parsed = NULL;
    struct json_object *spec;
    struct json_object_iterator at;
    struct json_object_iterator end;

    assert_true(json_parse(body, strlen(body), 10000, &parsed, NULL));
    spec = json_get(parsed, "spec");
    if (world->lease == NULL)
        world->lease = json_object_new_object();
    at = json_object_iter_begin(spec);
    end = json_object_iter_end(spec);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(world->lease, json_object_iter_peek_name(&at),
                 json_copy(json_object_iter_peek_value(&at)));
    world->version++;
    json_object_put(parsed);
}

static void answer_lease(struct world *world, const struct script_request *request,
                         struct script_reply *reply)
{
    if (text_equal(request->method, "GET") && world->lease == NULL) {
        reply->status = 404;
        reply->body = "{\"kind\":\"Status\",\"code\":404,\"reason\":\"NotFound\"}";
        return;
    }
    if (!text_equal(request->method, "GET"))
        merge(world, request->body);
    reply->status = text_equal(request->method, "POST") ? 201 : 200;
    free(world->body);
    world->body = xprintf(
        "{\"metadata\":{\"name\":\"agent-controller\",\"resourceVersion\":\"%d\"},\"spec\":%s}",
        world->version, json_object_to_json_string(world->lease));
    reply->body = world->body;
    script_tell(&world->script, "%s lease %u, holder %s", request->method, reply->status,
                text_is_empty(json_get_text(world->lease, "holderIdentity")) ? "nobody" : "us");
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct world *world = arg;

    if (world->hang_method != NULL &&
        (world->hang_method[0] == '\0' || text_equal(world->hang_method, request->method))) {
        reply->silent = true;
    } else if (world->down) {
        reply->status = 500;
    } else if (strstr(request->target, "/leases") != NULL) {
        snprintf(world->lease_target, sizeof(world->lease_target), "%s", request->target);
        answer_lease(world, request, reply);
    } else if (strstr(request->target, "/jobs?") != NULL) {
        reply->stream = strstr(request->target, "watch=") != NULL;
        reply->body = reply->stream ? "" : "{\"metadata\":{\"resourceVersion\":\"5\"}}";
    } else if (strstr(request->target, "watch=") != NULL) {
        reply->stream = true;
        reply->body = "";
        script_tell(&world->script, "watch");
    } else if (world->lists_down) {
        reply->status = 500;
    } else {
        reply->body = "{\"metadata\":{\"resourceVersion\":\"5\"},\"items\":[]}";
        script_tell(&world->script, "list");
    }
}

static void on_log(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    if (event->number == LOG_ERROR)
        snprintf(world->error_text, sizeof(world->error_text), "%s", event->text);
    else if (event->number == LOG_WARN)
        snprintf(world->warning_text, sizeof(world->warning_text), "%s", event->text);
}

/* --- the replica --- */

static int set_up(void **state)
{
    static const struct sim_setting settings[] = {
        {"KUBE_API_URL", "http://api:8001"},
        {"POD_NAME",     "ctl-0"          },
        {"NAMESPACE",    "ns"             },
    };
    static const char *const arguments[] = {"--health-port", "8081"};
    struct world *world = xcalloc(1, sizeof(*world));

    script_init(&world->script, handle, world);
    world->script.quiet = true;
    world->replica = sim_process_new(world->script.sim, &(struct sim_process_options){
                                                            .name = "replica",
                                                            .program = &agent_controller_program,
                                                            .arguments = arguments,
                                                            .argument_count = ARRAY_SIZE(arguments),
                                                            .settings = settings,
                                                            .setting_count = ARRAY_SIZE(settings),
                                                        });
    sim_add_tap(world->script.sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, world);
    *state = world;
    return 0;
}

static int tear_down(void **state)
{
    struct world *world = *state;

    script_release(&world->script);
    json_object_put(world->lease);
    free(world->body);
    free(world);
    return 0;
}

/* --- asking it --- */

struct question {
    unsigned status;
    struct buffer body;
};

static void on_head(void *arg, const struct response_head *head)
{
    ((struct question *)arg)->status = head->status;
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct question *)arg)->body, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    (void)arg;
    (void)end;
    (void)detail;
}

static const struct exchange_events question_events = {on_head, on_body, on_end};

/* The status of a GET, 0 when refused; body is compared unless NULL: it must be found in it. */
static unsigned ask(struct world *world, const char *path, const char *body)
{
    struct question question = {.body = BUFFER_INIT(1 << 20)};
    char *url = xprintf("http://replica:8081%s", path);
    const struct http_request request = {
        .method = "GET", .url = url, .response_bytes_max = 1 << 20};
    unsigned status;

    runtime_request(world->script.rt, &request, &question_events, &question);
    assert_true(sim_run_until(world->script.sim, sim_now_us(world->script.sim) + 1000));
    status = question.status;
    if (body != NULL && strstr(buffer_text(&question.body), body) == NULL)
        fail_msg("%s: got %s", path, buffer_text(&question.body));
    buffer_release(&question.body);
    free(url);
    return status;
}

static void test_life(void **state)
{
    struct world *world = *state;

    sim_process_start(world->replica);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 POST lease 201, holder us\n"
                                 "0.000 list\n0.000 list\n0.000 watch\n");
    assert_int_equal(ask(world, "/healthz", "ok"), 200);
    assert_int_equal(ask(world, "/readyz", "ok"), 200);
    assert_int_equal(ask(world, "/metrics", "controller_is_leader 1\n"), 200);
    assert_int_equal(ask(world, "/metrics", "controller_resyncs_total 1\n"), 200);
    assert_int_equal(ask(world, "/", "not found"), 404);
    script_run(&world->script, 6);
    script_check(&world->script,
                 "5.000 GET lease 200, holder us\n5.000 PATCH lease 200, holder us\n");

    sim_process_signal(world->replica, SIM_TERM);
    script_run(&world->script, 7);
    script_check(&world->script, "6.000 PATCH lease 200, holder nobody\n");
    assert_int_equal(sim_process_state(world->replica), SIM_PROCESS_ENDED);
    assert_int_equal(sim_process_exit_status(world->replica), 0);
}

static void test_not_ready(void **state)
{
    struct world *world = *state;

    world->down = true;
    sim_process_start(world->replica);
    script_run(&world->script, 1);
    assert_int_equal(ask(world, "/readyz", "not ready"), 503); /* 4.7: starts false */
    assert_int_equal(ask(world, "/healthz", "ok"), 200);
    world->down = false;
    script_run(&world->script, 6);
    assert_int_equal(ask(world, "/readyz", "ok"), 200);
    world->down = true;
    script_run(&world->script, 12);
    assert_int_equal(ask(world, "/readyz", "not ready"), 503);
    assert_int_equal(ask(world, "/metrics", "controller_is_leader 0\n"), 200);
    sim_process_signal(world->replica, SIM_TERM); /* nothing to give up */
    script_run(&world->script, 20);
    assert_int_equal(sim_process_exit_status(world->replica), 0);
    assert_int_equal(sim_process_state(world->replica), SIM_PROCESS_ENDED);
}

/* 4.7: a leader whose polls fail, though it can renew its Lease. */
static void test_not_ready_without_polls(void **state)
{
    struct world *world = *state;

    sim_process_start(world->replica);
    script_run(&world->script, 1);
    world->lists_down = true;
    script_run(&world->script, 44);
    assert_int_equal(ask(world, "/readyz", "ok"), 200);
    script_run(&world->script, 50);
    assert_int_equal(ask(world, "/readyz", "not ready"), 503);
    assert_int_equal(ask(world, "/metrics", "controller_is_leader 1\n"), 200);
    world->lists_down = false;
    script_run(&world->script, 130);
    assert_int_equal(ask(world, "/readyz", "ok"), 200);
}

/* --- the orderly end (RULES.md 5.1) --- */

static bool has_ended(const struct world *world)
{
    return sim_process_state(world->replica) == SIM_PROCESS_ENDED;
}

/* Not ready at once, but serving, leading and renewing until the delay is over. */
static void test_minimum_delay(void **state)
{
    struct world *world = *state;

    sim_process_set_setting(world->replica, "CONTROLLER_SHUTDOWN_MIN_DELAY", "10");
    sim_process_start(world->replica);
    script_run(&world->script, 6);
    buffer_clear(&world->script.told);
    assert_int_equal(ask(world, "/readyz", "ok"), 200);
    sim_process_signal(world->replica, SIM_TERM);
    assert_int_equal(ask(world, "/readyz", "not ready"), 503);
    assert_int_equal(ask(world, "/healthz", "ok"), 200);
    script_run(&world->script, 15.9);
    assert_int_equal(ask(world, "/readyz", "not ready"), 503);
    assert_int_equal(ask(world, "/healthz", "ok"), 200);
    assert_int_equal(ask(world, "/metrics", "controller_is_leader 1\n"), 200);
    assert_false(has_ended(world));
    script_run(&world->script, 16.1);
    assert_true(has_ended(world));
    assert_int_equal(sim_process_exit_status(world->replica), 0);
    script_check(&world->script, "10.000 GET lease 200, holder us\n"
                                 "10.000 PATCH lease 200, holder us\n"
                                 "15.000 list\n15.000 GET lease 200, holder us\n"
                                 "15.000 PATCH lease 200, holder us\n"
                                 "16.001 PATCH lease 200, holder nobody\n");
}

static void test_second_signal(void **state)
{
    struct world *world = *state;

    sim_process_set_setting(world->replica, "CONTROLLER_SHUTDOWN_MIN_DELAY", "10s");
    sim_process_start(world->replica);
    script_run(&world->script, 6);
    buffer_clear(&world->script.told);
    sim_process_signal(world->replica, SIM_TERM);
    script_run(&world->script, 8);
    assert_false(has_ended(world));
    sim_process_signal(world->replica, SIM_INT);
    script_run(&world->script, 8.001);
    assert_true(has_ended(world));
    assert_int_equal(sim_process_exit_status(world->replica), 128 + SIM_INT);
    script_check(&world->script, "");
}

/* What the API server does not answer, from hang_s on; a signal; and when and how it ends. */
static const struct end {
    const char *name;
    double hang_s;
    const char *hang_method;
    double signal_s;
    int signal;
    const char *timeout;
    double want_s;
    int want_status;
    const char *want_warning;
} ends[] = {
    {"as soon as it starts",      0,   NULL,    0, SIM_TERM, NULL,     0,   0, ""             },
    {"SIGINT is as good",         0,   NULL,    6, SIM_INT,  NULL,     6,   0, ""             },
    {"nothing is answered",       0,   "",      1, SIM_TERM, NULL,     1,   0, ""             },
    {"its first write hangs",     0,   "POST",  1, SIM_TERM, NULL,     4,   0, ""             },
    {"it hangs past the time",    0,   "POST",  1, SIM_TERM, "2",      3,   1, "not held"     },
    {"the Lease is not given up", 5.5, "PATCH", 6, SIM_TERM, NULL,     10,  0, "not released" },
    {"nor within the timeout",    5.5, "PATCH", 6, SIM_TERM, "1500ms", 7.5, 1, "left to lapse"},
    {"a renewal that hangs",      4,   "PATCH", 6, SIM_TERM, NULL,     13,  0, "not released" },
};

static void check_end(void **state)
{
    const struct end *end = *state;
    void *made = NULL;
    struct world *world;

    set_up(&made);
    world = made;
    sim_process_set_setting(world->replica, "CONTROLLER_SHUTDOWN_TIMEOUT", end->timeout);
    sim_process_start(world->replica);
    if (end->hang_s > 0)
        script_run(&world->script, end->hang_s);
    world->hang_method = end->hang_method;
    script_run(&world->script, end->signal_s);
    sim_process_signal(world->replica, end->signal);
    if (end->want_s > end->signal_s) {
        script_run(&world->script, end->want_s - 0.01);
        if (has_ended(world))
            fail_msg("%s: too early", end->name);
    }
    script_run(&world->script, end->want_s + 0.01);
    if (!has_ended(world) || sim_process_exit_status(world->replica) != end->want_status ||
        strstr(world->warning_text, end->want_warning) == NULL)
        fail_msg("%s: ended %d, status %d, warned \"%s\"", end->name, has_ended(world),
                 sim_process_exit_status(world->replica), world->warning_text);
    tear_down(&made);
}

/* Values of no use: named in one warning, and as if they were not there. */
static void test_ignored_setting(void **state)
{
    struct world *world = *state;

    sim_process_set_setting(world->replica, "CONTROLLER_SHUTDOWN_MIN_DELAY", "soon");
    sim_process_start(world->replica);
    script_run(&world->script, 1);
    assert_string_equal(world->warning_text,
                        "setting ignored setting=CONTROLLER_SHUTDOWN_MIN_DELAY "
                        "error=\"CONTROLLER_SHUTDOWN_MIN_DELAY must be seconds or a duration such "
                        "as 1m30s, not negative and at most 1h, got: \\\"soon\\\"\" used=0s");
    sim_process_signal(world->replica, SIM_TERM);
    script_run(&world->script, 1.01);
    assert_true(has_ended(world));
}

/* 4.8: NAMESPACE counts only where the service account has none. */
static void test_namespace_of_the_account(void **state)
{
    struct world *world = *state;

    sim_process_start(world->replica);
    script_run(&world->script, 1);
    assert_non_null(strstr(world->lease_target, "/namespaces/ns/"));
    sim_file_put(world->replica, "/var/run/secrets/kubernetes.io/serviceaccount/namespace", "own",
                 3);
    sim_process_restart(world->replica);
    script_run(&world->script, 40);
    assert_non_null(strstr(world->lease_target, "/namespaces/own/"));
}

/* --- other ends --- */

static void test_bad_start(void **state)
{
    static const struct {
        const char *argument;
        int status;
        const char *text;
    } starts[] = {
        {"--help",          0, ""                                         },
        {"--version",       0, ""                                         },
        {"--nonsense",      2, "unknown argument '--nonsense', see --help"},
        {"--kubeconfig=/x", 2, "/x"                                       },
    };
    struct world *world = *state;

    for (size_t i = 0; i < ARRAY_SIZE(starts); i++) {
        sim_process_set_arguments(world->replica, &starts[i].argument, 1);
        sim_process_start(world->replica);
        script_run(&world->script, 1 + (double)i);
        assert_int_equal(sim_process_state(world->replica), SIM_PROCESS_ENDED);
        assert_int_equal(sim_process_exit_status(world->replica), starts[i].status);
        if (strstr(world->error_text, starts[i].text) == NULL)
            fail_msg("%s: got %s", starts[i].argument, world->error_text);
    }
    assert_non_null(strstr(buffer_text(sim_process_output(world->replica)), "usage: "));
    assert_non_null(strstr(buffer_text(sim_process_output(world->replica)), PROGRAM_VERSION));
}

/* Killed after each number of events: nothing is left over (valgrind watches). */
static void test_killed_anywhere(void **state)
{
    (void)state;
    for (int events = 0; events < 60; events++) {
        void *made = NULL;
        struct world *world;

        set_up(&made);
        world = made;
        sim_process_start(world->replica);
        for (int i = 0; i < events; i++)
            sim_step(world->script.sim);
        if (events % 2 == 0)
            sim_process_crash(world->replica);
        sim_step(world->script.sim);
        tear_down(&made);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_life, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_ready, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_not_ready_without_polls, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_minimum_delay, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_second_signal, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_ignored_setting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_namespace_of_the_account, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_bad_start, set_up, tear_down),
        cmocka_unit_test(test_killed_anywhere),
    };

    int failed = cmocka_run_group_tests(tests, NULL, NULL);

    return failed + ROWS_RUN(ends, check_end);
}
