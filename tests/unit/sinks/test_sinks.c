/* A run's events as its sinks get them, settings and selectors and headers included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "controller/sinks/sinks.h"
#include "scenarios/sim/sim.h"

#define TOLD_BYTES_MAX (1024 * 1024)
#define SOURCE                                                                                     \
    "{\"source\":{\"agent\":\"run-1\",\"station\":\"st\",\"namespace\":\"ai\"},\"event\":"

struct world {
    struct sim *sim;
    struct sim_process *ctl;
    struct sim_process *sink;
    struct listener *listener;
    struct request *request;
    struct sinks *sinks;
    struct buffer told; /* "path X-Key body|" */
    struct buffer logged;
    bool stopped;
};

static void on_body(void *arg, const void *bytes, size_t size)
{
    buffer_append(&((struct world *)arg)->told, bytes, size);
}

static void on_body_end(void *arg)
{
    struct world *world = arg;

    buffer_append_char(&world->told, '|');
    request_respond(world->request, &(struct http_response){.status = 200});
}

static void on_closed(void *arg, bool delivered)
{
    (void)arg;
    (void)delivered;
}

static void on_request(void *arg, struct request *request, const struct request_head *head)
{
    static const struct request_events events = {on_body, on_body_end, on_closed};
    struct world *world = arg;
    const char *key = http_header_get(head->headers, head->header_count, "X-Key");

    buffer_append_format(&world->told, "%s %s ", head->target, text_or(key, "-"));
    world->request = request;
    request_accept(request, &events, world);
}

static void on_log(void *arg, const struct sim_event *event)
{
    buffer_append_format(&((struct world *)arg)->logged, "%s\n", event->text);
}

static void world_init(struct world *world, const struct sim_setting *settings, size_t count)
{
    static const struct http_service service = {on_request};

    *world = (struct world){.sim = sim_new(&(struct sim_options){.seed = 1})};
    world->told = BUFFER_INIT(TOLD_BYTES_MAX);
    world->logged = BUFFER_INIT(TOLD_BYTES_MAX);
    world->ctl = sim_process_new(
        world->sim,
        &(struct sim_process_options){.name = "ctl", .settings = settings, .setting_count = count});
    world->sink = sim_process_new(world->sim, &(struct sim_process_options){.name = "sink"});
    sim_process_start(world->ctl);
    sim_process_start(world->sink);
    sim_add_tap(world->sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, world);
    assert_true(sim_run_until(world->sim, 0));
    if (!runtime_listen(sim_process_runtime(world->sink),
                        &(struct listen_options){.address = "0.0.0.0", .port = 80}, &service, world,
                        &world->listener, NULL))
        fail_msg("listen");
    world->sinks = sinks_new(sim_process_runtime(world->ctl));
}

static void world_release(struct world *world)
{
    sinks_free(world->sinks);
    sim_free(world->sim);
    buffer_release(&world->told);
    buffer_release(&world->logged);
}

static void run(struct world *world, int64_t for_us)
{
    assert_true(sim_run_until(world->sim, sim_now_us(world->sim) + for_us));
}

static struct sinks_run *begin(struct world *world, const struct sinks_item *items, size_t count)
{
    static struct sinks_run_options options;

    options = (struct sinks_run_options){
        .source = {.agent = "run-1", .station = "st", .namespace_name = "ai"},
        .items = items,
        .item_count = count,
    };
    return sinks_run_new(world->sinks, &options);
}

static void line(struct sinks_run *run, const char *text)
{
    sinks_run_line(run, text, strlen(text));
}

/* The events of a batch that succeeded (RULES 6.5), to each of its http sinks. */
static void test_a_whole_run(void **state)
{
    static const char headers[] = "X-Key: SECRET\n";
    static const struct sinks_item items[] = {
        {"stdout", NULL,              NULL,    0                  },
        {"http",   "http://sink/one", headers, sizeof(headers) - 1},
        {"file",   NULL,              NULL,    0                  },
    };
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, NULL, 0);
    sinks_run = begin(&world, items, ARRAY_SIZE(items));
    sinks_run_lifecycle(sinks_run, &(struct lifecycle_event){.phase = LIFECYCLE_AGENT,
                                                             .status = LIFECYCLE_STARTED});
    line(sinks_run, "{\"type\": \"result\"}");
    line(sinks_run, "no json");
    line(sinks_run, "{\"source\":1,\"event\":2}");
    sinks_run_lifecycle(sinks_run, &(struct lifecycle_event){.phase = LIFECYCLE_AGENT,
                                                             .status = LIFECYCLE_SUCCEEDED,
                                                             .has_exit_code = true});
    sinks_run_free(sinks_run); /* what is queued goes on its way */
    run(&world, US_PER_SECOND);
    assert_string_equal(buffer_text(&world.told),
                        "/one SECRET " SOURCE
                        "{\"kind\":\"lifecycle\",\"phase\":\"agent\",\"status\":\"started\"}}|"
                        "/one SECRET " SOURCE "{\"type\":\"result\"}}|"
                        "/one SECRET " SOURCE "\"no json\"}|"
                        "/one SECRET " SOURCE "{\"kind\":\"lifecycle\",\"phase\":\"agent\","
                        "\"status\":\"succeeded\",\"exitCode\":0}}|");
    assert_string_equal(
        buffer_text(&world.logged),
        "event not sent agent=run-1 why=\"it has a source and an event already\"\n");
    assert_int_equal(sinks_counts(world.sinks).delivered, 4);
    world_release(&world);
}

/* RULES 10.4: lines pass the selectors, lifecycle events bypass them. */
static void test_selectors(void **state)
{
    static const struct sinks_item item = {"http", "http://sink/", NULL, 0};
    static const struct selector selector = {.event = "message", .contains = "yes"};
    const struct sinks_run_options options = {
        .source = {.agent = "run-1", .station = "st", .namespace_name = "ai"},
        .vendor = SELECTOR_GEMINI,
        .selectors = &selector,
        .selector_count = 1,
        .items = &item,
        .item_count = 1,
    };
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, NULL, 0);
    sinks_run = sinks_run_new(world.sinks, &options);
    line(sinks_run, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"no\"}");
    line(sinks_run, "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"yes\"}");
    line(sinks_run, "yes");
    sinks_run_lifecycle(sinks_run, &(struct lifecycle_event){.phase = LIFECYCLE_AGENT,
                                                             .status = LIFECYCLE_FAILED,
                                                             .reason = LIFECYCLE_BATCH_TIMEOUT});
    sinks_run_free(sinks_run);
    run(&world, US_PER_SECOND);
    assert_string_equal(
        buffer_text(&world.told),
        "/ - " SOURCE "{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"yes\"}}|"
        "/ - " SOURCE "{\"kind\":\"lifecycle\",\"phase\":\"agent\",\"status\":\"failed\","
        "\"reason\":\"batch_timeout\"}}|");
    world_release(&world);
}

/* What is wrong with a sink is told, without what is in it; the others get their events. */
static void test_faulty_sinks(void **state)
{
    static const char headers[] = "X-Key: SECRET\nHost: SECRET\nSECRET\n";
    static const struct sinks_item items[] = {
        {"http",           "https://user:SECRET@sink/", NULL,    0                  },
        {"http",           NULL,                        NULL,    0                  },
        {"carrier pigeon", "http://sink/SECRET",        NULL,    0                  },
        {NULL,             "http://sink/SECRET",        NULL,    0                  },
        {"http",           "http://sink/",              headers, sizeof(headers) - 1},
    };
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, NULL, 0);
    sinks_run = begin(&world, items, ARRAY_SIZE(items));
    line(sinks_run, "1");
    sinks_run_free(sinks_run);
    run(&world, US_PER_SECOND);
    assert_string_equal(buffer_text(&world.told), "/ SECRET " SOURCE "1}|");
    assert_string_equal(
        buffer_text(&world.logged),
        "sink left out agent=run-1 why=\"URL: user info before the host is not taken\" sink=1\n"
        "sink left out agent=run-1 why=\"URL: must begin with http:// or https://\" sink=2\n"
        "headers of a sink left out agent=run-1 why=\"line 2: header that is not for a sink to "
        "set\" sink=5\n");
    world_release(&world);
}

static void test_limit_of_sinks(void **state)
{
    struct sinks_item items[SINKS_OF_RUN_MAX + 1];
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, NULL, 0);
    for (size_t i = 0; i < ARRAY_SIZE(items); i++)
        items[i] = (struct sinks_item){"http", "http://sink/", NULL, 0};
    sinks_run = begin(&world, items, ARRAY_SIZE(items));
    line(sinks_run, "1");
    sinks_run_free(sinks_run);
    run(&world, US_PER_SECOND);
    assert_int_equal(sinks_counts(world.sinks).delivered, SINKS_OF_RUN_MAX);
    assert_string_equal(
        buffer_text(&world.logged),
        "sink left out agent=run-1 why=\"more sinks than a run can have\" sink=17\n");
    world_release(&world);
}

/* RULES 4.8: AGENT_SINK_RETRY_ATTEMPTS, _BASE_MS, _MAX_MS. */
static void test_settings(void **state)
{
    static const struct sim_setting settings[] = {
        {"AGENT_SINK_RETRY_ATTEMPTS", "4"   },
        {"AGENT_SINK_RETRY_BASE_MS",  "1000"},
        {"AGENT_SINK_RETRY_MAX_MS",   "2000"},
    };
    static const struct sinks_item item = {"http", "http://sink/", NULL, 0};
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, settings, ARRAY_SIZE(settings));
    listener_close(world.listener);
    sinks_run = begin(&world, &item, 1);
    line(sinks_run, "1");
    sinks_run_free(sinks_run);
    run(&world, 4990 * US_PER_MS); /* 1, 2 and 2 seconds of waiting */
    assert_int_equal(sinks_counts(world.sinks).failed, 0);
    run(&world, 20 * US_PER_MS);
    assert_int_equal(sinks_counts(world.sinks).failed, 1);
    assert_non_null(strstr(buffer_text(&world.logged), "attempts=4"));
    world_release(&world);
}

static void on_stopped(void *arg)
{
    ((struct world *)arg)->stopped = true;
}

static void test_stop(void **state)
{
    static const struct sinks_item item = {"http", "http://sink/", NULL, 0};
    struct sinks_run *sinks_run;
    struct world world;

    (void)state;
    world_init(&world, NULL, 0);
    sinks_run = begin(&world, &item, 1);
    line(sinks_run, "1");
    sinks_run_free(sinks_run);
    sinks_stop(world.sinks, US_PER_SECOND, on_stopped, &world);
    assert_false(world.stopped);
    run(&world, US_PER_SECOND / 2);
    assert_true(world.stopped);
    assert_int_equal(sinks_counts(world.sinks).delivered, 1);
    world_release(&world);
    sinks_run_free(NULL);
    sinks_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_run),  cmocka_unit_test(test_selectors),
        cmocka_unit_test(test_faulty_sinks), cmocka_unit_test(test_limit_of_sinks),
        cmocka_unit_test(test_settings),     cmocka_unit_test(test_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
