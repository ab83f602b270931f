#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/telemetry/controller_metrics.h"
#include "controller/telemetry/health.h"
#include "scenarios/sim/sim.h"

struct fixture {
    struct sim *sim;
    struct runtime *rt;
    struct metrics *metrics;
    struct health *health;
    bool ready;
    unsigned status;
    char *content_type;
    struct buffer body;
};

static bool is_ready(void *arg)
{
    const struct fixture *fixture = arg;

    return fixture->ready;
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));
    struct sim_process *process;
    struct error err = ERROR_INIT;

    fixture->sim = sim_new(&(struct sim_options){.seed = 1});
    process = sim_process_new(fixture->sim, &(struct sim_process_options){.name = "ctl"});
    sim_process_start(process);
    assert_true(sim_run_until(fixture->sim, 0));
    fixture->rt = sim_process_runtime(process);
    fixture->metrics = controller_metrics_new();
    fixture->body = BUFFER_INIT(METRIC_BYTES_MAX);
    if (!health_new(
            fixture->rt,
            &(struct health_options){
                .port = 8081, .metrics = fixture->metrics, .is_ready = is_ready, .arg = fixture},
            &fixture->health, &err))
        fail_msg("%s", err.text);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    health_free(fixture->health);
    metrics_free(fixture->metrics);
    sim_free(fixture->sim);
    free(fixture->content_type);
    buffer_release(&fixture->body);
    free(fixture);
    return 0;
}

static void on_head(void *arg, const struct response_head *head)
{
    struct fixture *fixture = arg;

    fixture->status = head->status;
    free(fixture->content_type);
    fixture->content_type =
        xstrdup(http_header_get(head->headers, head->header_count, "Content-Type"));
}

static void on_body(void *arg, const void *bytes, size_t size)
{
    struct fixture *fixture = arg;

    buffer_append(&fixture->body, bytes, size);
}

static void on_end(void *arg, enum exchange_end end, const char *detail)
{
    (void)arg;
    if (end != EXCHANGE_COMPLETE)
        fail_msg("%s: %s", exchange_end_name(end), detail);
}

static void ask(struct fixture *fixture, const char *method, const char *target)
{
    static const struct exchange_events events = {on_head, on_body, on_end};
    char *url = xprintf("http://localhost:8081%s", target);

    fixture->status = 0;
    buffer_clear(&fixture->body);
    runtime_request(fixture->rt,
                    &(struct http_request){
                        .method = method, .url = url, .response_bytes_max = METRIC_BYTES_MAX},
                    &events, fixture);
    assert_true(sim_run_until(fixture->sim, sim_now_us(fixture->sim) + 1000000));
    free(url);
}

/* RULES 4.7 */
static void test_answers(void **state)
{
    static const struct {
        const char *method, *target;
        bool ready;
        unsigned status;
        const char *body;
    } cases[] = {
        {"GET",  "/healthz",        false, 200, "ok"                },
        {"GET",  "/healthz?full=1", false, 200, "ok"                },
        {"GET",  "/readyz",         true,  200, "ok"                },
        {"GET",  "/readyz",         false, 503, "not ready"         },
        {"GET",  "/",               true,  404, "not found"         },
        {"GET",  "/healthzz",       true,  404, "not found"         },
        {"GET",  "/health",         true,  404, "not found"         },
        {"GET",  "/%68ealthz",      true,  404, "not found"         },
        {"POST", "/healthz",        true,  405, "method not allowed"},
    };
    struct fixture *fixture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
        fixture->ready = cases[i].ready;
        ask(fixture, cases[i].method, cases[i].target);
        if (fixture->status != cases[i].status ||
            !text_equal(buffer_text(&fixture->body), cases[i].body))
            fail_msg("%s %s: got %u %s", cases[i].method, cases[i].target, fixture->status,
                     buffer_text(&fixture->body));
        assert_string_equal(fixture->content_type, "text/plain; charset=utf-8");
    }
}

static void test_metrics(void **state)
{
    struct fixture *fixture = *state;
    struct buffer want = BUFFER_INIT(METRIC_BYTES_MAX);

    metrics_set(fixture->metrics, METRIC_IS_LEADER, NULL, 1);
    ask(fixture, "GET", "/metrics");
    metrics_render(fixture->metrics, &want);
    assert_int_equal(fixture->status, 200);
    assert_string_equal(fixture->content_type, "text/plain; version=0.0.4; charset=utf-8");
    assert_string_equal(buffer_text(&fixture->body), buffer_text(&want));
    assert_non_null(strstr(buffer_text(&want), "\ncontroller_is_leader 1\n"));
    buffer_release(&want);
}

static void test_port_in_use(void **state)
{
    struct fixture *fixture = *state;
    struct error err = ERROR_INIT;
    struct health *second;

    assert_false(health_new(
        fixture->rt,
        &(struct health_options){
            .port = 8081, .metrics = fixture->metrics, .is_ready = is_ready, .arg = fixture},
        &second, &err));
    assert_true(text_starts_with(err.text, "health server: "));
    assert_int_equal(health_port(fixture->health), 8081);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(test_answers),
        TEST(test_metrics),
        TEST(test_port_in_use),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
