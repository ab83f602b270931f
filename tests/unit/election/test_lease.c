#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/election/lease.h"
#include "tests/unit/kube/script.h"

/* An API server that keeps one Lease, and does as told once in a while. */
struct fixture {
    struct script script;
    struct election *election;
    struct json_object *lease; /* NULL: none */
    int64_t version;
    char *body; /* the answer being sent */
    char *first_target;
    bool silent; /* tells of no request */

    const char *fault_method; /* which request: NULL none */
    unsigned fault_status;    /* answered instead; 0: silence */
    bool fault_applies;       /* the write lands all the same */
    int64_t delay_us;         /* of every answer */

    bool free_on_gain, free_on_lose;
    char last_renew[32]; /* renewTime of the last write */
    unsigned writes, disordered;
};

/* --- the server --- */

static void new_version(struct fixture *fixture)
{
    char text[24];

    snprintf(text, sizeof(text), "%lld", (long long)++fixture->version);
    json_set_text(json_ensure_object(fixture->lease, "metadata"), "resourceVersion", text);
}

static void put_lease(struct fixture *fixture, const char *spec)
{
    struct json_object *parsed = NULL;

    assert_true(json_parse(spec, strlen(spec), 10000, &parsed, NULL));
    json_object_put(fixture->lease);
    fixture->lease = json_object_new_object();
    json_set(fixture->lease, "spec", parsed);
    new_version(fixture);
}

static const char *spec_text(const struct fixture *fixture, const char *key)
{
    return text_or(json_get_text(json_get(fixture->lease, "spec"), key), "");
}

static void merge_spec(struct fixture *fixture, struct json_object *patch)
{
    struct json_object *spec = json_ensure_object(fixture->lease, "spec");
    struct json_object_iterator at, end;
    struct json_object *changes = json_get(patch, "spec");

    at = json_object_iter_begin(changes);
    end = json_object_iter_end(changes);
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at))
        json_set(spec, json_object_iter_peek_name(&at),
                 json_copy(json_object_iter_peek_value(&at)));
    new_version(fixture);
}

static unsigned write_lease(struct fixture *fixture, const char *method, const char *body)
{
    struct json_object *parsed = NULL;
    unsigned status = 409;

    assert_true(json_parse(body, strlen(body), 10000, &parsed, NULL));
    if (text_equal(method, "POST") && fixture->lease == NULL) {
        put_lease(fixture, "{}");
        merge_spec(fixture, parsed);
        status = 201;
    } else if (text_equal(method, "PATCH") && fixture->lease != NULL &&
               text_equal(json_get_text(json_get(parsed, "metadata"), "resourceVersion"),
                          json_get_text(json_get(fixture->lease, "metadata"), "resourceVersion"))) {
        merge_spec(fixture, parsed);
        status = 200;
    }
    json_object_put(parsed);
    if (status == 409)
        return status;
    fixture->writes++;
    if (strcmp(spec_text(fixture, "renewTime"), fixture->last_renew) <= 0)
        fixture->disordered++;
    snprintf(fixture->last_renew, sizeof(fixture->last_renew), "%s",
             spec_text(fixture, "renewTime"));
    return status;
}

/* "PATCH 200 ours, 3 transitions" */
static void tell(struct fixture *fixture, const char *method, unsigned status)
{
    const char *holder = spec_text(fixture, "holderIdentity");

    if (fixture->silent)
        return;
    if (fixture->election != NULL && text_equal(holder, election_identity(fixture->election)))
        holder = "ours";
    script_tell(&fixture->script, "%s %u %s, %lld transitions", method, status,
                holder[0] == '\0' ? "nobody" : holder,
                (long long)json_get_int64(json_get(fixture->lease, "spec"), "leaseTransitions", 0));
}

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;
    bool faulty = text_equal(request->method, fixture->fault_method);
    bool reading = text_equal(request->method, "GET");

    if (fixture->first_target == NULL)
        fixture->first_target = xstrdup(request->target);
    reply->delay_us = fixture->delay_us;
    if (reading)
        reply->status = fixture->lease == NULL ? 404 : 200;
    else if (!faulty || fixture->fault_applies)
        reply->status = write_lease(fixture, request->method, request->body);
    free(fixture->body);
    fixture->body = reply->status < 300 ? json_to_text(fixture->lease, NULL) : NULL;
    reply->body = fixture->body;
    if (faulty) {
        reply->silent = fixture->fault_status == 0;
        reply->status = fixture->fault_status;
        reply->body = NULL;
    }
    tell(fixture, request->method, reply->status);
}

/* --- the candidate --- */

static void on_gain(void *arg)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "gain");
    if (fixture->free_on_gain) {
        election_free(fixture->election);
        fixture->election = NULL;
    }
}

static void on_lose(void *arg)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "lose");
    if (fixture->free_on_lose) {
        election_free(fixture->election);
        fixture->election = NULL;
    }
}

static void on_stopped(void *arg)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "stopped");
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    script_init(&fixture->script, handle, fixture);
    fixture->script.quiet = true;
    fixture->version = 100;
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    election_free(fixture->election);
    script_release(&fixture->script);
    json_object_put(fixture->lease);
    free(fixture->body);
    free(fixture->first_target);
    free(fixture);
    return 0;
}

static void start(struct fixture *fixture)
{
    fixture->election = election_new(fixture->script.rt, fixture->script.kube,
                                     &(struct election_options){.namespace_name = "ns",
                                                                .host_name = "ctl-0",
                                                                .on_gain = on_gain,
                                                                .on_lose = on_lose,
                                                                .arg = fixture});
}

static bool leads(const struct fixture *fixture)
{
    return election_is_leader(fixture->election, sim_process_elapsed_us(fixture->script.ctl));
}

/* RULES 5 rows 1 and 2; 13.2: ticks 5 s apart */
static void test_create_and_renew(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    assert_false(leads(fixture));
    assert_false(election_api_reachable(fixture->election));
    script_run(&fixture->script, 12);
    script_check(&fixture->script, "0.000 GET 404 nobody, 0 transitions\n"
                                   "0.000 POST 201 ours, 0 transitions\n0.000 gain\n"
                                   "5.000 GET 200 ours, 0 transitions\n"
                                   "5.000 PATCH 200 ours, 0 transitions\n"
                                   "10.000 GET 200 ours, 0 transitions\n"
                                   "10.000 PATCH 200 ours, 0 transitions\n");
    assert_true(leads(fixture));
    assert_true(election_api_reachable(fixture->election));
    assert_string_equal(fixture->first_target,
                        "/apis/coordination.k8s.io/v1/namespaces/ns/leases/agent-controller");
}

/* RULES 13.5: name, '_', 8 hex digits; another each time; the default name */
static void test_identity(void **state)
{
    struct fixture *fixture = *state;
    struct election *other;
    const char *identity;

    start(fixture);
    identity = election_identity(fixture->election);
    assert_int_equal(strlen(identity), strlen("ctl-0_") + 8);
    assert_memory_equal(identity, "ctl-0_", 6);
    assert_int_equal(strspn(identity + 6, "0123456789abcdef"), 8);
    other = election_new(fixture->script.rt, fixture->script.kube,
                         &(struct election_options){.namespace_name = "ns", .host_name = "ctl-0"});
    assert_string_not_equal(identity, election_identity(other));
    election_free(other);
    other = election_new(fixture->script.rt, fixture->script.kube,
                         &(struct election_options){.namespace_name = "ns"});
    assert_memory_equal(election_identity(other), "agent-controller_", 17);
    election_free(other);
}

#define THEIRS(renew, rest) "{\"holderIdentity\":\"ctl-0_x\",\"renewTime\":\"" renew "\"" rest "}"

/* RULES 5 rows 3 and 4, 13.3, 13.5: when another's Lease that does not change is taken over */
static void test_take_over(void **state)
{
    static const struct {
        const char *spec;
        int want_s;
    } cases[] = {
        {THEIRS("a",                                              ",\"leaseDurationSeconds\":15,\"leaseTransitions\":2"),           15},
        {THEIRS("a",                                                       ",\"leaseDurationSeconds\":20,\"leaseTransitions\":2"),                                                                                                              20},
        {THEIRS("a",                                                     ",\"leaseDurationSeconds\":16,\"leaseTransitions\":2"),        20},
        {THEIRS("a",",\"leaseDurationSeconds\":5,\"leaseTransitions\":2"),    5},
        {THEIRS("a",                                              ",\"leaseDurationSeconds\":3600,\"leaseTransitions\":2"),                                                                                                             60},
        {THEIRS("a",                                                       ",\"leaseDurationSeconds\":0,\"leaseTransitions\":2"),                                                                                                              15},
        {THEIRS("a",                                                     ",\"leaseDurationSeconds\":\"9\",\"leaseTransitions\":2"),         15},
        {THEIRS("a",",\"leaseTransitions\":2"),15},
        {"{\"holderIdentity\":\"\",\"leaseTransitions\":2}",                                              0},
        {"{\"leaseTransitions\":2}",                                                       0                                                                                                             },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char want[100];
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        put_lease(fixture, cases[i].spec);
        start(fixture);
        script_run(&fixture->script, 64);
        snprintf(want, sizeof(want), "%d.000 PATCH 200 ours, 3 transitions\n%d.000 gain\n",
                 cases[i].want_s, cases[i].want_s);
        if (strstr(buffer_text(&fixture->script.told), want) == NULL)
            fail_msg("%s: want %s, got %s", cases[i].spec, want,
                     buffer_text(&fixture->script.told));
        assert_int_equal(
            json_get_int64(json_get(fixture->lease, "spec"), "leaseDurationSeconds", 0), 15);
        tear_down(&own);
    }
}

/* RULES 13.4: what restarts the observation, and what does not */
static void test_observation(void **state)
{
    static const struct {
        const char *spec; /* at 12 s; NULL: only the version changes */
        int want_s;
    } cases[] = {
        {NULL,                                                                               15                             },
        {THEIRS("a",                                                                         ",\"leaseDurationSeconds\":15"), 15},
        {THEIRS("b",                                                                                  ",\"leaseDurationSeconds\":15"),                                                                                                        30},
        {THEIRS("",                                                                                ",\"leaseDurationSeconds\":15"),        30},
        {"{\"holderIdentity\":\"ctl-0_y\",\"renewTime\":\"a\",\"leaseDurationSeconds\":15}",30},
        {"{\"holderIdentity\":\"ctl-0_x\",\"leaseDurationSeconds\":15}", 30                                                          },
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        char want[40];
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        put_lease(fixture, THEIRS("a", ",\"leaseDurationSeconds\":15"));
        start(fixture);
        script_run(&fixture->script, 12);
        if (cases[i].spec == NULL)
            new_version(fixture);
        else
            put_lease(fixture, cases[i].spec);
        script_run(&fixture->script, 40);
        snprintf(want, sizeof(want), "%d.000 gain\n", cases[i].want_s);
        if (strstr(buffer_text(&fixture->script.told), want) == NULL)
            fail_msg("case %zu: want %s, got %s", i, want, buffer_text(&fixture->script.told));
        tear_down(&own);
    }
}

/* RULES 5, loss events: at once, and back with the next good tick */
static void test_losses(void **state)
{
    static const struct {
        const char *name, *method;
        unsigned status;
        const char *want;
        bool reachable;
    } cases[] = {
        {"409 on renew",    "PATCH", 409,
         "5.000 GET 200 ours, 0 transitions\n5.000 PATCH 409 ours, 0 transitions\n5.000 lose\n", true },
        {"PATCH 500",       "PATCH", 500,
         "5.000 GET 200 ours, 0 transitions\n5.000 PATCH 500 ours, 0 transitions\n5.000 lose\n", true },
        {"PATCH cut off",   "PATCH", 0,
         "5.000 GET 200 ours, 0 transitions\n5.000 PATCH 0 ours, 0 transitions\n9.000 lose\n",   true },
        {"GET 500",         "GET",   500, "5.000 GET 500 ours, 0 transitions\n5.000 lose\n",     false},
        {"GET 403",         "GET",   403, "5.000 GET 403 ours, 0 transitions\n5.000 lose\n",     false},
        {"GET cut off",     "GET",   0,   "5.000 GET 0 ours, 0 transitions\n9.000 lose\n",       false},
        {"GET not a Lease", "GET",   200, "5.000 GET 200 ours, 0 transitions\n5.000 lose\n",     false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        start(fixture);
        script_run(&fixture->script, 4);
        assert_true(leads(fixture));
        buffer_clear(&fixture->script.told);
        fixture->fault_method = cases[i].method;
        fixture->fault_status = cases[i].status;
        script_run(&fixture->script, 9.5);
        if (!text_equal(buffer_text(&fixture->script.told), cases[i].want) || leads(fixture) ||
            election_api_reachable(fixture->election) != cases[i].reachable)
            fail_msg("%s: %s", cases[i].name, buffer_text(&fixture->script.told));
        fixture->fault_method = NULL;
        buffer_clear(&fixture->script.told);
        script_run(&fixture->script, 11);
        script_check(&fixture->script, "10.000 GET 200 ours, 0 transitions\n"
                                       "10.000 PATCH 200 ours, 0 transitions\n10.000 gain\n");
        tear_down(&own);
    }
}

/* A write that landed unheard is ours at the next tick. */
static void test_answer_lost(void **state)
{
    struct fixture *fixture = *state;

    fixture->fault_method = "POST";
    fixture->fault_applies = true;
    start(fixture);
    script_run(&fixture->script, 6);
    script_check(&fixture->script, "0.000 GET 404 nobody, 0 transitions\n"
                                   "0.000 POST 0 ours, 0 transitions\n"
                                   "5.000 GET 200 ours, 0 transitions\n"
                                   "5.000 PATCH 200 ours, 0 transitions\n5.000 gain\n");
}

static void test_stolen(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 4);
    buffer_clear(&fixture->script.told);
    put_lease(fixture, THEIRS("a", ""));
    script_run(&fixture->script, 6);
    script_check(&fixture->script, "5.000 GET 200 ctl-0_x, 0 transitions\n5.000 lose\n");
}

/* A deleted Lease is made again. */
static void test_deleted(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 4);
    buffer_clear(&fixture->script.told);
    json_object_put(fixture->lease);
    fixture->lease = NULL;
    script_run(&fixture->script, 6);
    script_check(&fixture->script,
                 "5.000 GET 404 nobody, 0 transitions\n5.000 POST 201 ours, 0 transitions\n");
    assert_true(leads(fixture));
}

/* RULES 13.2: the age counts from when the renewal was sent, so slowness alone fences */
static void test_slow_server(void **state)
{
    static const struct {
        int64_t delay_us;
        bool loses;
    } cases[] = {
        {3300 * US_PER_MS, false},
        {3400 * US_PER_MS, true }
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        fixture->silent = true;
        fixture->delay_us = cases[i].delay_us;
        start(fixture);
        script_run(&fixture->script, 60);
        /* A tick takes 2 delays, a renewal is 3 delays old when the next one lands. */
        assert_int_equal(strstr(buffer_text(&fixture->script.told), "lose") != NULL,
                         cases[i].loses);
        assert_int_equal(fixture->disordered, 0);
        tear_down(&own);
    }
}

/* A stalled process that wakes knows better before it has heard anything. */
static void ask(void *arg)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "leads: %d", leads(fixture));
}

static void test_paused_process(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 1);
    buffer_clear(&fixture->script.told);
    assert_non_null(runtime_after(fixture->script.rt, US_PER_SECOND, ask, fixture));
    sim_process_pause(fixture->script.ctl);
    script_run(&fixture->script, 30);
    assert_false(leads(fixture));
    sim_process_resume(fixture->script.ctl);
    script_run(&fixture->script, 31);
    script_check(&fixture->script, "30.000 leads: 0\n30.000 lose\n"
                                   "30.000 GET 200 ours, 0 transitions\n"
                                   "30.000 PATCH 200 ours, 0 transitions\n30.000 gain\n");
}

/* Both sides of 10 s, the tick being silent. */
static void test_age_to_the_microsecond(void **state)
{
    struct fixture *fixture = *state;
    int64_t zero_us;

    zero_us = sim_process_elapsed_us(fixture->script.ctl);
    start(fixture);
    script_run(&fixture->script, 1);
    assert_true(election_is_leader(fixture->election, zero_us + 10 * US_PER_SECOND));
    assert_false(election_is_leader(fixture->election, zero_us + 10 * US_PER_SECOND + 1));
}

/* RULES 13.4: our renewTime strictly increases whatever the wall clock does */
static void test_wall_clock_steps(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    for (int i = 1; i <= 40; i++) {
        script_run(&fixture->script, 5.0 * i + 1);
        sim_process_step_clock(fixture->script.ctl, (i % 2 == 0 ? 1 : -2) * US_PER_HOUR);
    }
    assert_true(leads(fixture));
    assert_int_equal(fixture->writes, 41);
    assert_int_equal(fixture->disordered, 0);
}

/* --- leaving --- */

static void test_stop_leader(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 1);
    buffer_clear(&fixture->script.told);
    election_stop(fixture->election, on_stopped, fixture);
    assert_false(leads(fixture));
    script_run(&fixture->script, 60);
    script_check(&fixture->script, "1.000 PATCH 200 nobody, 0 transitions\n1.000 stopped\n");
}

static void test_stop_standby(void **state)
{
    struct fixture *fixture = *state;

    put_lease(fixture, THEIRS("a", ""));
    start(fixture);
    script_run(&fixture->script, 1);
    buffer_clear(&fixture->script.told);
    election_stop(fixture->election, on_stopped, fixture);
    script_check(&fixture->script, "");
    script_run(&fixture->script, 60);
    script_check(&fixture->script, "1.000 stopped\n");
}

/* A renewal under way ends first, so that its version is the precondition. */
static void test_stop_while_writing(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 4);
    fixture->delay_us = US_PER_SECOND;
    script_run(&fixture->script, 6.5);
    buffer_clear(&fixture->script.told);
    election_stop(fixture->election, on_stopped, fixture);
    script_run(&fixture->script, 60);
    script_check(&fixture->script, "7.000 PATCH 200 nobody, 0 transitions\n8.000 stopped\n");
}

static void test_stop_while_reading(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 4);
    fixture->delay_us = US_PER_SECOND;
    script_run(&fixture->script, 5.5);
    buffer_clear(&fixture->script.told);
    election_stop(fixture->election, on_stopped, fixture);
    script_run(&fixture->script, 60);
    script_check(&fixture->script, "5.500 PATCH 200 nobody, 0 transitions\n6.500 stopped\n");
}

static void test_stop_with_no_server(void **state)
{
    struct fixture *fixture = *state;

    start(fixture);
    script_run(&fixture->script, 1);
    buffer_clear(&fixture->script.told);
    fixture->fault_method = "PATCH";
    election_stop(fixture->election, on_stopped, fixture);
    script_run(&fixture->script, 60);
    script_check(&fixture->script, "1.000 PATCH 0 ours, 0 transitions\n5.000 stopped\n");
}

/* After a release the other one leads at its next tick. */
static void test_hand_over(void **state)
{
    struct fixture *fixture = *state;
    struct election *leaving;

    start(fixture);
    script_run(&fixture->script, 1);
    leaving = fixture->election;
    start(fixture);
    script_run(&fixture->script, 4);
    assert_false(leads(fixture));
    buffer_clear(&fixture->script.told);
    election_stop(leaving, on_stopped, fixture);
    script_run(&fixture->script, 7);
    script_check(&fixture->script, "4.000 PATCH 200 nobody, 0 transitions\n4.000 stopped\n"
                                   "6.000 GET 200 nobody, 0 transitions\n"
                                   "6.000 PATCH 200 ours, 1 transitions\n6.000 gain\n");
    election_free(leaving);
}

static void test_free_in_callbacks(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct fixture *fixture;
        void *own;

        set_up(&own);
        fixture = own;
        fixture->free_on_gain = i == 0;
        fixture->free_on_lose = i == 1;
        start(fixture);
        script_run(&fixture->script, 4);
        fixture->fault_method = "PATCH";
        script_run(&fixture->script, 20);
        assert_null(fixture->election);
        tear_down(&own);
    }
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_create_and_renew),
        TEST(test_identity),
        cmocka_unit_test(test_take_over),
        cmocka_unit_test(test_observation),
        cmocka_unit_test(test_losses),
        TEST(test_answer_lost),
        TEST(test_stolen),
        TEST(test_deleted),
        cmocka_unit_test(test_slow_server),
        TEST(test_paused_process),
        TEST(test_age_to_the_microsecond),
        TEST(test_wall_clock_steps),
        TEST(test_stop_leader),
        TEST(test_stop_standby),
        TEST(test_stop_while_writing),
        TEST(test_stop_while_reading),
        TEST(test_stop_with_no_server),
        TEST(test_hand_over),
        cmocka_unit_test(test_free_in_callbacks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
