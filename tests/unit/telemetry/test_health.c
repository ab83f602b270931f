/* What is served on the health port (RULES 4.7). */
#include "tests/unit/rows.h"

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
    int64_t scrapes;
    unsigned status;
    char *content_type;
    struct buffer body;
};

static bool is_ready(void *arg)
{
    const struct fixture *fixture = arg;

    return fixture->ready;
}

/* Two numbers that are the same whenever somebody looks. */
static void on_scrape(void *arg)
{
    struct fixture *fixture = arg;

    fixture->scrapes++;
    metrics_set(fixture->metrics, METRIC_AGENTS, "Running", fixture->scrapes);
    metrics_set(fixture->metrics, METRIC_AGENTS, "Failed", fixture->scrapes);
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
    if (!health_new(fixture->rt,
                    &(struct health_options){.port = 8081,
                                             .metrics = fixture->metrics,
                                             .is_ready = is_ready,
                                             .on_scrape = on_scrape,
                                             .arg = fixture},
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

/* clang-format off */
static const struct row {
    const char *name;
    const char *method;
    const char *target;
    bool ready;
    unsigned status;
    const char *body;
} rows[] = {
    {"4.7: alive", "GET", "/healthz", false, 200, "ok"},
    {"alive, with a query", "GET", "/healthz?full=1", false, 200, "ok"},
    {"4.7: ready", "GET", "/readyz", true, 200, "ok"},
    {"4.7: not ready", "GET", "/readyz", false, 503, "not ready"},
    {"4.7: other paths", "GET", "/", true, 404, "not found"},
    {"a longer path", "GET", "/healthzz", true, 404, "not found"},
    {"a path below", "GET", "/healthz/", true, 404, "not found"},
    {"a shorter path", "GET", "/health", true, 404, "not found"},
    {"an encoded path", "GET", "/%68ealthz", true, 404, "not found"},
    {"below the metrics", "GET", "/metrics/x", true, 404, "not found"},
    {"a POST", "POST", "/healthz", true, 405, "method not allowed"},
    {"a POST of metrics", "POST", "/metrics", true, 405, "method not allowed"},
    {"a DELETE of nothing", "DELETE", "/nothing", true, 405, "method not allowed"},
    {"alive, without the body", "HEAD", "/healthz", true, 200, ""},
    {"not ready, without the body", "HEAD", "/readyz", false, 503, ""},
};
/* clang-format on */

static void check_row(void **state)
{
    const struct row *row = *state;
    void *made = NULL;
    struct fixture *fixture;

    set_up(&made);
    fixture = made;
    fixture->ready = row->ready;
    ask(fixture, row->method, row->target);
    if (fixture->status != row->status || strcmp(buffer_text(&fixture->body), row->body) != 0)
        fail_msg("%s: got %u %s", row->name, fixture->status, buffer_text(&fixture->body));
    assert_string_equal(fixture->content_type, "text/plain; charset=utf-8");
    tear_down(&made);
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
    ask(fixture, "HEAD", "/metrics");
    assert_int_equal(fixture->status, 200);
    assert_int_equal(fixture->body.size, 0);
}

/* --- many at a time, over a slow link --- */

#define SCRAPERS 70
#define SERVED 64 /* HEALTH_CONNECTIONS_MAX */

struct scraper {
    unsigned status;
    struct buffer body;
    bool ended;
    bool whole;
};

static void scraper_on_head(void *arg, const struct response_head *head)
{
    ((struct scraper *)arg)->status = head->status;
}

static void scraper_on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct scraper *)arg)->body, bytes, size);
}

static void scraper_on_end(void *arg, enum exchange_end end, const char *detail)
{
    struct scraper *scraper = arg;

    (void)detail;
    scraper->ended = true;
    scraper->whole = end == EXCHANGE_COMPLETE;
}

static int64_t shown(const struct scraper *scraper, const char *series)
{
    const char *at = strstr(buffer_text(&scraper->body), series);

    return at == NULL ? -1 : strtoll(at + strlen(series), NULL, 10);
}

static void scrape_at_once(struct fixture *fixture, struct scraper *scrapers)
{
    static const struct exchange_events events = {scraper_on_head, scraper_on_body, scraper_on_end};
    struct sim_link slow = sim_link_default;
    struct sim_process *prometheus =
        sim_process_new(fixture->sim, &(struct sim_process_options){.name = "prometheus"});

    slow.bytes_per_second = 20000;
    sim_set_default_link(fixture->sim, &slow);
    sim_process_start(prometheus);
    assert_true(sim_run_until(fixture->sim, sim_now_us(fixture->sim)));
    for (size_t i = 0; i < SCRAPERS; i++) {
        scrapers[i].body = BUFFER_INIT(METRIC_BYTES_MAX);
        runtime_request(sim_process_runtime(prometheus),
                        &(struct http_request){.method = "GET",
                                               .url = "http://ctl:8081/metrics",
                                               .response_bytes_max = METRIC_BYTES_MAX},
                        &events, &scrapers[i]);
    }
}

/* Each whole answer shows one instant, though others were counted while it was on its way. */
static void test_many_slow_scrapers(void **state)
{
    struct fixture *fixture = *state;
    struct scraper *scrapers = xcalloc(SCRAPERS, sizeof(*scrapers));
    size_t served = 0;

    scrape_at_once(fixture, scrapers);
    for (int second = 0; second < 600; second++) {
        on_scrape(fixture);
        assert_true(sim_run_until(fixture->sim, sim_now_us(fixture->sim) + 1000000));
    }
    for (size_t i = 0; i < SCRAPERS; i++) {
        int64_t running = shown(&scrapers[i], "controller_agents{phase=\"Running\"} ");

        assert_true(scrapers[i].ended);
        served += scrapers[i].whole;
        if (scrapers[i].whole) {
            assert_int_equal(scrapers[i].status, 200);
            assert_true(running > 0);
            assert_int_equal(running, shown(&scrapers[i], "controller_agents{phase=\"Failed\"} "));
        }
        buffer_release(&scrapers[i].body);
    }
    assert_int_equal(served, SERVED);
    free(scrapers);
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
        TEST(test_metrics),
        TEST(test_many_slow_scrapers),
        TEST(test_port_in_use),
    };

    return ROWS_RUN(rows, check_row) + cmocka_run_group_tests(tests, NULL, NULL);
}
