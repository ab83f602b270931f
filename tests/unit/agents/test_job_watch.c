/* The watch of Jobs: what it asks, how it goes on, and whom it tells (RULES 4.5). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "controller/agents/job_watch.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "tests/unit/agents/agents_world.h"
#include "tests/unit/kube/script.h"

/* --- alone --- */

#define ROW(type, version, columns, status)                                                        \
    "{\"type\":\"" type "\",\"object\":{\"kind\":\"Table\",\"metadata\":{\"resourceVersion\":"     \
    "\"" version "\"}," columns "\"rows\":[{\"cells\":[\"" status "\"],\"object\":{\"metadata\":{" \
    "\"ownerReferences\":[{\"kind\":\"Agent\",\"controller\":true,\"name\":\"a\",\"uid\":\"u\"}]}" \
    "}}]}}\n"
#define COLUMNS "\"columnDefinitions\":[{\"name\":\"Status\"}],"

struct fixture {
    struct script script;
    struct agent_api api;
    struct job_watch *watch;
    struct script_reply list; /* to the question where to begin */
    struct script_reply watch_reply;
};

static void handle(void *arg, const struct script_request *request, struct script_reply *reply)
{
    struct fixture *fixture = arg;
    const char *query = strchr(request->target, '?');

    script_tell(&fixture->script, "%s", query);
    *reply = strstr(query, "watch=1") != NULL ? fixture->watch_reply : fixture->list;
}

static void on_change(void *arg, const char *agent, const char *uid, bool ended)
{
    struct fixture *fixture = arg;

    script_tell(&fixture->script, "%s %s %s", ended ? "ended" : "changed", agent, uid);
}

static int set_up(void **state)
{
    struct fixture *fixture = xcalloc(1, sizeof(*fixture));

    script_init(&fixture->script, handle, fixture);
    fixture->script.quiet = true;
    fixture->api = (struct agent_api){fixture->script.kube, "ns"};
    fixture->list = (struct script_reply){
        .status = 200, .body = "{\"metadata\":{\"resourceVersion\":\"7\"},\"items\":[]}"};
    fixture->watch_reply = (struct script_reply){.status = 200, .stream = true, .body = ""};
    fixture->watch = job_watch_new(fixture->script.rt, &fixture->api, on_change, fixture);
    *state = fixture;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *fixture = *state;

    job_watch_free(fixture->watch);
    script_release(&fixture->script);
    free(fixture);
    return 0;
}

#define WATCH(version)                                                                             \
    "?watch=1&resourceVersion=" version                                                            \
    "&timeoutSeconds=300&allowWatchBookmarks=true&includeObject=Metadata\n"

static void test_tells(void **state)
{
    struct fixture *fixture = *state;

    job_watch_start(fixture->watch);
    script_run(&fixture->script, 1);
    script_check(&fixture->script, "0.000 ?limit=1\n0.000 " WATCH("7"));
    script_write(&fixture->script, ROW("ADDED", "8", COLUMNS, "Running"));
    script_write(&fixture->script, ROW("MODIFIED", "9", "", "Running"));
    script_run(&fixture->script, 2);
    script_check(&fixture->script, "1.000 changed a u\n");
    script_write(&fixture->script, ROW("MODIFIED", "10", "", "Complete"));
    script_write(&fixture->script, ROW("DELETED", "11", "", "Running"));
    script_write(&fixture->script, ROW("ADDED", "12", "", "Complete"));
    script_run(&fixture->script, 3);
    script_check(&fixture->script, "2.000 ended a u\n2.000 ended a u\n");
    script_end(&fixture->script);
    script_run(&fixture->script, 5.5);
    script_check(&fixture->script, "5.000 " WATCH("12"));
}

static const struct row {
    const char *name;
    struct script_reply list;
    struct script_reply watch;
    const char *told; /* in the first ten seconds, and no more than that */
} rows[] = {
    {"a 410 begins anew after 2 s",
     {.status = 200, .body = "{\"metadata\":{\"resourceVersion\":\"7\"}}"},
     {.status = 410},
     "0.000 ?limit=1\n0.000 " WATCH("7") "2.000 ?limit=1\n2.000 " WATCH(
         "7") "4.000 ?limit=1\n4.000 " WATCH("7") "6.000 ?limit=1\n6.000 " WATCH("7") "8.000 "
                                                                                      "?limit=1\n8."
                                                                                      "000 " WATCH(
                                                                                          "7")},
    {"a list without a version is a failure",
     {.status = 200, .body = "{\"metadata\":{}}"},
     {.status = 200},
     NULL},
    {"a list that is refused", {.status = 403}, {.status = 200}, NULL},
    {"a watch that fails keeps its place",
     {.status = 200, .body = "{\"metadata\":{\"resourceVersion\":\"7\"}}"},
     {.status = 500},
     NULL},
};

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

/* Failures back off: no more than five requests in a minute, and one list where one is enough. */
static void test_goes_on(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct fixture *fixture;
        void *own = NULL;
        const char *told;

        set_up(&own);
        fixture = own;
        fixture->list = rows[i].list;
        fixture->watch_reply = rows[i].watch;
        job_watch_start(fixture->watch);
        script_run(&fixture->script, rows[i].told != NULL ? 9.9 : 60);
        told = buffer_text(&fixture->script.told);
        if (rows[i].told != NULL ? !text_equal(told, rows[i].told)
                                 : count_lines(told) < 2 || count_lines(told) > 13)
            fail_msg("%s: %s", rows[i].name, told);
        if (rows[i].watch.status == 500 && strstr(strstr(told, "limit") + 1, "limit") != NULL)
            fail_msg("%s: %s", rows[i].name, told);
        tear_down(&own);
    }
}

/* RULES 4.1: a server that says when to come again is heeded. */
static void test_comes_again_as_told(void **state)
{
    struct fixture *fixture = *state;

    fixture->list = (struct script_reply){.status = 429, .retry_after = "30"};
    job_watch_start(fixture->watch);
    script_run(&fixture->script, 29.9);
    script_check(&fixture->script, "0.000 ?limit=1\n");
    fixture->list =
        (struct script_reply){.status = 200, .body = "{\"metadata\":{\"resourceVersion\":\"7\"}}"};
    fixture->watch_reply = (struct script_reply){.status = 503, .retry_after = "40"};
    script_run(&fixture->script, 69.9);
    assert_int_equal(count_lines(buffer_text(&fixture->script.told)), 2);
    script_run(&fixture->script, 75);
    assert_int_equal(count_lines(buffer_text(&fixture->script.told)), 3);
    buffer_clear(&fixture->script.told);
}

static void test_stops(void **state)
{
    struct fixture *fixture = *state;

    job_watch_start(fixture->watch);
    job_watch_stop(fixture->watch);
    script_run(&fixture->script, 10);
    script_check(&fixture->script, "");
    job_watch_start(fixture->watch); /* once more, from scratch */
    script_run(&fixture->script, 11);
    script_check(&fixture->script, "10.000 ?limit=1\n10.000 " WATCH("7"));
    job_watch_stop(fixture->watch);
    script_run(&fixture->script, 30);
    script_check(&fixture->script, "");
}

/* --- in the lifecycle --- */

#define STATION                                                                                    \
    "\"spec\":{\"agentDefRef\":\"d\",\"maxConcurrentRuns\":1,\"successfulRunsHistoryLimit\":9,"    \
    "\"template\":{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}}"
#define AGENT "\"spec\":{\"stationRef\":\"s\"}"
#define RUNNING AGENT ",\"status\":{\"phase\":\"Running\",\"jobName\":\"j\"}"
#define COMPLETE "\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}"

static struct agents_world *lead(void **state)
{
    struct agents_world *world = *state;

    agents_world_put(world, "stations/s", STATION);
    agents_world_put(world, "agentdefinitions/d", "\"spec\":{\"prompt\":\"hi\"}");
    agents_world_put(world, "agents/run", RUNNING);
    agents_world_put(world, "jobs/j", "\"status\":{\"active\":1}");
    agents_world_put(world, "agents/older", AGENT);
    agents_world_put(world, "agents/newer", AGENT);
    world->silent_reads = true;
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "");
    return world;
}

static void test_next_in_line(void **state)
{
    struct agents_world *world = lead(state);

    agents_world_put(world, "jobs/j", COMPLETE);
    agents_world_tell_job(world, "run", "uid-of-another", "Complete");
    agents_world_tell_job(world, "run", "uid-run", "Running");
    agents_world_tell_job(world, "nobody", "uid-run", "Complete");
    script_run(&world->script, 2);
    script_check(&world->script, "");
    agents_world_tell_job(world, "run", "uid-run", "Complete");
    script_run(&world->script, 3);
    script_check(&world->script, "2.000 PATCH agents/run Succeeded 200\n"
                                 "2.000 POST jobs 201\n"
                                 "2.000 PATCH agents/older Running 200\n");
}

static void test_deleted_run(void **state)
{
    struct agents_world *world = lead(state);

    agents_world_remove(world, "agents/run");
    script_run(&world->script, 2);
    script_check(&world->script, "1.000 POST jobs 201\n"
                                 "1.000 PATCH agents/older Running 200\n");
}

static void test_ended_by_another(void **state)
{
    struct agents_world *world = lead(state);

    agents_world_put(world, "agents/run", AGENT ",\"status\":{\"phase\":\"Failed\"}");
    script_run(&world->script, 2);
    script_check(&world->script, "1.000 POST jobs 201\n"
                                 "1.000 PATCH agents/older Running 200\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tells, set_up, tear_down),
        cmocka_unit_test(test_goes_on),
        cmocka_unit_test_setup_teardown(test_comes_again_as_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_stops, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_next_in_line, agents_world_set_up,
                                        agents_world_tear_down),
        cmocka_unit_test_setup_teardown(test_deleted_run, agents_world_set_up,
                                        agents_world_tear_down),
        cmocka_unit_test_setup_teardown(test_ended_by_another, agents_world_set_up,
                                        agents_world_tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
