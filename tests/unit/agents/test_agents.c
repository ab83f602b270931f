/* The driver of the lifecycle, story by story (RULES 3, 4, 13). */
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
#include "tests/unit/agents/agents_world.h"

#define TEMPLATE "\"template\":{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}"
#define STATION(more) "\"spec\":{\"agentDefRef\":\"d\"," more TEMPLATE "}"
#define RECIPE "\"spec\":{\"prompt\":\"hi\"}"
#define AGENT "\"spec\":{\"stationRef\":\"s\"}"
#define RUNNING(since)                                                                             \
    AGENT ",\"status\":{\"phase\":\"Running\",\"jobName\":\"j\",\"startedAt\":\"" since "\"}"
#define ENDED(at)                                                                                  \
    AGENT ",\"status\":{\"phase\":\"Succeeded\",\"completedAt\":\"2024-01-01T00:00:" at "Z\"}"
#define COMPLETE "\"status\":{\"conditions\":[{\"type\":\"Complete\",\"status\":\"True\"}]}"
#define POD                                                                                        \
    "\"status\":{\"phase\":\"Succeeded\",\"containerStatuses\":[{\"name\":\"agent\","              \
    "\"state\":{\"terminated\":{\"exitCode\":0}}}]},\"test\":{\"log\":\"a long last line\"}"

static void set_refs(struct agents_world *world, const char *station)
{
    agents_world_put(world, "stations/s", station);
    agents_world_put(world, "agentdefinitions/d", RECIPE);
}

static void test_whole_life(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 LIST jobs 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 GET stations/s 200\n"
                                 "0.000 GET agentdefinitions/d 200\n"
                                 "0.000 GET agents/a 200\n"
                                 "0.000 POST jobs 201\n"
                                 "0.000 PATCH agents/a Running 200\n"
                                 "1.000 GET jobs/agent-job-a 200\n");
    assert_string_equal(agents_world_text(world, "agents/a", "status", "jobName"), "agent-job-a");
    script_run(&world->script, 16);
    script_check(&world->script, "15.000 LIST agents 200\n"
                                 "15.000 GET jobs/agent-job-a 200\n");
    agents_world_put(world, "jobs/agent-job-a", COMPLETE);
    agents_world_put(world, "pods/p", POD);
    script_run(&world->script, 46);
    script_check(&world->script, "30.000 LIST agents 200\n"
                                 "30.000 GET jobs/agent-job-a 200\n"
                                 "30.000 LIST pods 200\n"
                                 "30.000 GET pods/p/log 200\n"
                                 "30.000 PATCH agents/a Succeeded 200\n"
                                 "30.000 GET stations/s 200\n"
                                 "45.000 LIST agents 200\n"
                                 "45.000 GET stations/s 200\n");
    assert_string_equal(agents_world_text(world, "agents/a", "status", "output"),
                        "...[truncated 6 bytes]...\n last line");
    assert_int_equal(metrics_value(world->metrics, METRIC_RUNS_COMPLETED, "Succeeded", "0"), 1);
    assert_int_equal(metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL), 1);
    assert_int_equal(metrics_value(world->metrics, METRIC_STATUS_PATCHES, NULL, NULL), 2);
    assert_int_equal(metrics_value(world->metrics, METRIC_RESYNCS, NULL, NULL), 4);
    assert_int_equal(metrics_value(world->metrics, METRIC_AGENTS, "Succeeded", NULL), 1);
}

static void put_run(struct agents_world *world, const char *name, const char *job)
{
    char *body = xprintf(AGENT ",\"status\":{\"phase\":\"Running\",\"jobName\":\"%s\"}", job + 5);

    agents_world_put(world, name, body);
    agents_world_put(world, job, "\"status\":{\"active\":1}");
    free(body);
}

/* 4.5: with many runs one listing tells which Jobs have to be read. */
static void test_jobs_listed(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    put_run(world, "agents/a", "jobs/ja");
    put_run(world, "agents/b", "jobs/jb");
    put_run(world, "agents/c", "jobs/jc");
    put_run(world, "agents/d", "jobs/jd");
    put_run(world, "agents/e", "jobs/je");
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 LIST jobs 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 GET jobs/ja 200\n"
                                 "0.000 GET jobs/jb 200\n"
                                 "0.000 GET jobs/jc 200\n"
                                 "0.000 GET jobs/jd 200\n"
                                 "0.000 GET jobs/je 200\n");
    script_run(&world->script, 16);
    script_check(&world->script, "15.000 LIST agents 200\n"
                                 "15.000 LIST jobs 200\n");
    agents_world_put(world, "jobs/jb", "\"status\":{\"active\":1,\"ready\":1}"); /* runs still */
    agents_world_put(world, "jobs/jc", COMPLETE);                                /* not told */
    agents_world_remove(world, "jobs/jd");
    agents_world_tell_job(world, "e", "uid-e", "Running"); /* something of it has changed */
    script_run(&world->script, 31);
    script_check(&world->script, "30.000 LIST agents 200\n"
                                 "30.000 LIST jobs 200\n"
                                 "30.000 GET jobs/jc 200\n"
                                 "30.000 GET jobs/jd 404\n"
                                 "30.000 GET jobs/je 200\n"
                                 "30.000 LIST pods 200\n"
                                 "30.000 PATCH agents/d Failed 200\n"
                                 "30.000 PATCH agents/c Succeeded 200\n"
                                 "30.000 GET stations/s 200\n"
                                 "30.000 GET stations/s 200\n");
    agents_world_put(world, "agents/d", AGENT ",\"status\":{\"phase\":\"Running\"}");
    script_run(&world->script, 40);
    script_check(&world->script, "31.000 GET jobs/agent-job-d 404\n"
                                 "31.000 PATCH agents/d Failed 200\n"
                                 "31.000 GET stations/s 200\n");
}

/* 4.5: without the listing every Job is read; so it is with few runs. */
static void test_jobs_not_listed(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    put_run(world, "agents/a", "jobs/ja");
    put_run(world, "agents/b", "jobs/jb");
    put_run(world, "agents/c", "jobs/jc");
    put_run(world, "agents/d", "jobs/jd");
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 GET jobs/ja 200\n"
                                 "0.000 GET jobs/jb 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 GET jobs/jc 200\n"
                                 "0.000 GET jobs/jd 200\n");
    put_run(world, "agents/e", "jobs/je");
    world->fault = (struct agents_fault){"LIST jobs", 1, 500, false, 0, NULL};
    script_run(&world->script, 16);
    script_check(&world->script, "1.000 GET jobs/je 200\n"
                                 "15.000 LIST agents 200\n"
                                 "15.000 LIST jobs 500\n"
                                 "15.000 GET jobs/ja 200\n"
                                 "15.000 GET jobs/jb 200\n"
                                 "15.000 GET jobs/jc 200\n"
                                 "15.000 GET jobs/jd 200\n"
                                 "15.000 GET jobs/je 200\n");
}

/* 3.5: limit 0 deletes the run that just ended, there and then. */
static void test_prune_on_transition(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":0,"));
    agents_world_put(world, "agents/a", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "jobs/j", COMPLETE);
    world->silent_reads = true;
    agents_world_lead(world);
    script_run(&world->script, 50);
    script_check(&world->script, "0.000 PATCH agents/a Succeeded 200\n"
                                 "0.000 DELETE agents/a 200\n");
}

/* 3.5: what had ended before we started goes in the first sweep; one error stops nothing. */
static void test_sweep(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":1,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/b", ENDED("03"));
    agents_world_put(world, "agents/c", ENDED("02"));
    agents_world_put(world, "agents/x",
                     "\"spec\":{\"stationRef\":\"no\"},\"status\":{\"phase\":"
                     "\"Failed\"}");
    world->fault = (struct agents_fault){"DELETE agents/c", 1, 500, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 20);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 GET stations/no 404\n"
                                 "0.000 GET stations/s 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 DELETE agents/c 500\n"
                                 "0.000 DELETE agents/a 200\n"
                                 "15.000 LIST agents 200\n"
                                 "15.000 GET stations/no 404\n"
                                 "15.000 GET stations/s 200\n"
                                 "15.000 DELETE agents/c 200\n");
    script_run(&world->script, 31);
    script_check(&world->script, "30.000 LIST agents 200\n"
                                 "30.000 GET stations/no 404\n"
                                 "30.000 GET stations/s 200\n");
}

/* 3.4: first come, first served; a slot that frees in a pass is used in that pass. */
static void test_capacity(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"maxConcurrentRuns\":1,"));
    agents_world_put(world, "agents/z", AGENT);
    agents_world_put(world, "agents/a", AGENT);
    agents_world_put(world, "agents/m", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "jobs/j", "\"status\":{}");
    world->silent_reads = true;
    agents_world_lead(world);
    script_run(&world->script, 20);
    script_check(&world->script, "");
    agents_world_put(world, "jobs/j", COMPLETE);
    script_run(&world->script, 50);
    script_check(&world->script, "30.000 PATCH agents/m Succeeded 200\n"
                                 "30.000 POST jobs 201\n"
                                 "30.000 PATCH agents/z Running 200\n");
}

/* 3.5: nothing more is pruned once the leadership is lost. */
static void test_sweep_fenced(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":0,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/b", ENDED("02"));
    world->silent_reads = true;
    world->fault = (struct agents_fault){"DELETE", 1, 200, true, US_PER_SECOND, NULL};
    agents_world_lead(world);
    script_run(&world->script, 0.5);
    world->leading = false;
    script_run(&world->script, 10);
    script_check(&world->script, "0.000 DELETE agents/b 200\n");
}

/* 3.5: two prunings of one Station at a time: nobody is deleted twice. */
static void test_prune_twice(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":1,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/x", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "jobs/j", "\"status\":{\"active\":1}");
    world->silent_reads = true;
    world->fault = (struct agents_fault){"WATCH agents", 1000, 0, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 1);
    agents_world_put(world, "jobs/j", COMPLETE);
    agents_world_put(world, "agents/y", RUNNING("2024-01-01T00:00:00Z"));
    script_run(&world->script, 16);
    script_check(&world->script, "15.000 PATCH agents/x Succeeded 200\n"
                                 "15.000 PATCH agents/y Succeeded 200\n"
                                 "15.000 DELETE agents/a 200\n"
                                 "15.000 DELETE agents/x 200\n");
}

/* 3.5: ... nor is the deletion sent again while the first one's answer is waited for. */
static void test_prune_side_by_side(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":1,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/x", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "agents/y", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "jobs/j", "\"status\":{\"active\":1}");
    world->silent_reads = true;
    world->fault = (struct agents_fault){"DELETE agents/a", 1, 500, false, 3 * US_PER_SECOND, NULL};
    agents_world_lead(world);
    script_run(&world->script, 1);
    agents_world_put(world, "jobs/j", COMPLETE);
    script_run(&world->script, 20);
    script_check(&world->script, "15.000 PATCH agents/x Succeeded 200\n"
                                 "15.000 PATCH agents/y Succeeded 200\n"
                                 "15.000 DELETE agents/a 500\n"
                                 "15.000 DELETE agents/x 200\n");
}

static void on_log(void *arg, const struct sim_event *event)
{
    struct script *script = arg;
    const char *told = strstr(event->text, "history");

    if (told != NULL)
        script_tell(script, "| %s", told);
}

/* What goes is told once, by who has deleted it: here somebody else was first with one of two. */
static void test_prune_told(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":1,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/b", ENDED("02"));
    agents_world_put(world, "agents/c", ENDED("03"));
    world->silent_reads = true;
    world->fault = (struct agents_fault){"DELETE", 1, 404, false, 0, NULL};
    sim_add_tap(world->script.sim, SIM_EVENT_BIT(SIM_EVENT_LOG), on_log, &world->script);
    agents_world_lead(world);
    script_run(&world->script, 10);
    script_check(&world->script, "0.000 DELETE agents/b 404\n"
                                 "0.000 DELETE agents/a 200\n"
                                 "0.000 | history pruned agent=a station=s\n");
}

/* 3.4: Replace deletes the oldest run; a refused deletion starts nothing. */
static void test_replace(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"concurrencyPolicy\":\"Replace\","));
    agents_world_put(world, "agents/old", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "agents/new", AGENT);
    agents_world_put(world, "jobs/j", "\"status\":{}");
    world->silent_reads = true;
    world->fault = (struct agents_fault){"DELETE", 1, 409, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 20);
    script_check(&world->script, "0.000 DELETE agents/old 409\n"
                                 "15.000 DELETE agents/old 200\n"
                                 "15.000 POST jobs 201\n"
                                 "15.000 PATCH agents/new Running 200\n");
    assert_int_equal(metrics_value(world->metrics, METRIC_RUN_FAILURES, "preempted", NULL), 1);
}

/* M06: the victim's end is not seen yet: it counts no more, and there is no second victim. */
static void test_replace_twice(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"concurrencyPolicy\":\"Replace\","));
    agents_world_put(world, "agents/old", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "agents/p", AGENT);
    agents_world_put(world, "agents/q", AGENT);
    agents_world_put(world, "jobs/j", "\"status\":{}");
    world->silent_reads = true;
    world->fault = (struct agents_fault){"WATCH", 1000, 0, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 DELETE agents/old 200\n"
                                 "0.000 POST jobs 201\n"
                                 "0.000 PATCH agents/p Running 200\n"
                                 "0.000 DELETE agents/p 200\n"
                                 "0.000 POST jobs 201\n"
                                 "0.000 PATCH agents/q Running 200\n");
}

/* 3.6: a conflict drops the write; the run is looked at again from fresh state. */
static void test_conflict(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    world->fault = (struct agents_fault){"PATCH", 1, 409, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 0.5);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 LIST jobs 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 GET stations/s 200\n"
                                 "0.000 GET agentdefinitions/d 200\n"
                                 "0.000 GET agents/a 200\n"
                                 "0.000 POST jobs 201\n"
                                 "0.000 PATCH agents/a Running 409\n"
                                 "0.000 GET agents/a 200\n");
    world->silent_reads = true;
    script_run(&world->script, 10);
    assert_string_equal(agents_world_text(world, "agents/a", "status", "phase"), "Running");
    assert_int_equal(metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL), 1);
    assert_int_equal(metrics_value(world->metrics, METRIC_RECONCILES, "error", NULL), 0);
}

/* 3.2, M03: the Job was created, its answer lost. */
static void test_answer_lost(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    world->silent_reads = true;
    world->fault = (struct agents_fault){"POST jobs", 1, 500, true, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 10);
    assert_string_equal(agents_world_text(world, "agents/a", "status", "phase"), "Running");
    assert_int_equal(metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL), 0);
    assert_int_equal(metrics_value(world->metrics, METRIC_RECONCILES, "error", NULL), 1);
}

/* 4.1: a server that is busy is asked again as it says, and the output is not given up. */
static void test_log_put_off(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", RUNNING("2024-01-01T00:00:00Z"));
    agents_world_put(world, "jobs/j", COMPLETE);
    agents_world_put(world, "pods/p", POD);
    world->fault = (struct agents_fault){"GET pods/p/log", 1, 429, false, 0, "20"};
    agents_world_lead(world);
    script_run(&world->script, 19.5);
    assert_string_equal(agents_world_text(world, "agents/a", "status", "phase"), "Running");
    world->fault = (struct agents_fault){"LIST pods", 1, 503, false, 0, "20"};
    script_run(&world->script, 39.5);
    assert_string_equal(agents_world_text(world, "agents/a", "status", "phase"), "Running");
    script_run(&world->script, 48);
    assert_string_equal(agents_world_text(world, "agents/a", "status", "phase"), "Succeeded");
    assert_string_equal(agents_world_text(world, "agents/a", "status", "output"),
                        "...[truncated 6 bytes]...\n last line");
}

/* 4.1: one told to wait is asked for nothing more, and the rest of its history waits too. */
static void test_sweep_put_off(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION("\"successfulRunsHistoryLimit\":0,"));
    agents_world_put(world, "agents/a", ENDED("01"));
    agents_world_put(world, "agents/b", ENDED("02"));
    agents_world_put(world, "agents/c", ENDED("03"));
    world->silent_reads = true;
    world->fault = (struct agents_fault){"DELETE", 1, 429, false, 0, "1"};
    agents_world_lead(world);
    script_run(&world->script, 20);
    script_check(&world->script, "0.000 DELETE agents/c 429\n"
                                 "15.000 DELETE agents/c 200\n"
                                 "15.000 DELETE agents/b 200\n"
                                 "15.000 DELETE agents/a 200\n");
}

/* M08: made again under its name while the Job of the former one still stands. */
static void test_namesake(void **state)
{
    struct agents_world *world = *state;
    static const char owners[] = "[{\"kind\":\"Agent\",\"controller\":true,\"uid\":\"former\"}]";
    struct json_object *parsed = NULL;

    set_refs(world, STATION(""));
    agents_world_put(world, "jobs/agent-job-a", "\"spec\":{}");
    assert_true(json_parse(owners, strlen(owners), 1000, &parsed, NULL));
    json_set(json_get_object(json_get(world->objects, "jobs/agent-job-a"), "metadata"),
             "ownerReferences", parsed);
    agents_world_put(world, "agents/a", AGENT);
    world->silent_reads = true;
    agents_world_lead(world);
    script_run(&world->script, 20);
    script_check(&world->script, "0.000 POST jobs 409\n15.000 POST jobs 409\n");
    agents_world_remove(world, "jobs/agent-job-a");
    script_run(&world->script, 32);
    script_check(&world->script, "30.000 POST jobs 201\n30.000 PATCH agents/a Running 200\n");
    assert_int_equal(metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL), 1);
}

/* 3.2: refused for good. */
static void test_job_refused(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    world->silent_reads = true;
    world->fault = (struct agents_fault){"POST jobs", 1, 422, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 POST jobs 422\n0.000 PATCH agents/a Failed 200\n");
    assert_string_equal(agents_world_text(world, "agents/a", "status", "failureReason"), "says no");
    assert_int_equal(metrics_value(world->metrics, METRIC_RUNS_COMPLETED, "Failed", "1"), 1);
    assert_int_equal(metrics_value(world->metrics, METRIC_RUN_FAILURES, "job_failed", NULL), 1);
}

/* 3.2: what a gateway answers has created nothing and refused nothing. */
static void test_job_answered_by_a_gateway(void **state)
{
    static const unsigned lies[] = {200, 201, 202, 204, 302, 400, 401, 403, 404, 405, 422, 502};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(lies); i++) {
        struct agents_world *world;
        void *own = NULL;

        agents_world_set_up(&own);
        world = own;
        set_refs(world, STATION(""));
        agents_world_put(world, "agents/a", AGENT);
        world->fault = (struct agents_fault){"POST jobs", 1, lies[i], false, 0, NULL, true};
        agents_world_lead(world);
        script_run(&world->script, 20);
        if (strcmp(agents_world_text(world, "agents/a", "status", "phase"), "Running") != 0 ||
            strstr(buffer_text(&world->script.told), "POST jobs 201\n") == NULL ||
            metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL) != 1)
            fail_msg("%u: %s", lies[i], buffer_text(&world->script.told));
        buffer_clear(&world->script.told);
        agents_world_tear_down(&own);
    }
}

/* 4.4: what the watch tells is acted upon at once; malformed lines are not. */
static void test_watch(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_lead(world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 LIST agents 200\n0.000 WATCH agents 200\n");
    agents_world_put(world, "agents/a", AGENT);
    script_run(&world->script, 2);
    script_check(&world->script, "1.000 GET stations/s 200\n"
                                 "1.000 GET agentdefinitions/d 200\n"
                                 "1.000 GET agents/a 200\n"
                                 "1.000 POST jobs 201\n"
                                 "1.000 PATCH agents/a Running 200\n"
                                 "2.000 GET jobs/agent-job-a 200\n");
    script_write(&world->script, "not json\n{\"type\":\"ADDED\",\"object\":{\"metadata\":{}}}\n");
    script_run(&world->script, 3);
    script_check(&world->script, "");
}

/* 4.4: 410 lists again, 2 s later; a clean end goes on from the cursor. */
static void test_watch_ends(void **state)
{
    struct agents_world *world = *state;

    agents_world_lead(world);
    script_run(&world->script, 1);
    script_write(&world->script, "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n");
    script_run(&world->script, 4);
    script_check(&world->script, "0.000 LIST agents 200\n0.000 WATCH agents 200\n"
                                 "3.000 LIST agents 200\n3.000 WATCH agents 200\n");
    script_end(&world->script);
    script_run(&world->script, 7);
    script_check(&world->script, "6.000 WATCH agents 200\n");
    assert_int_equal(metrics_value(world->metrics, METRIC_WATCH_RECONNECTS, NULL, NULL), 2);
}

/* M36: a collection older than the watch has told is not believed at once. */
static void test_store_set_back(void **state)
{
    struct agents_world *world = *state;

    agents_world_lead(world);
    script_run(&world->script, 1);
    world->list_version = 5;
    script_run(&world->script, 16);
    script_check(&world->script, "0.000 LIST agents 200\n0.000 WATCH agents 200\n"
                                 "15.000 LIST agents 200\n"
                                 "15.000 LIST agents 200\n15.000 WATCH agents 200\n");
}

/* 13.1: nor is one that lags behind our own write, of which the watch has not told yet; the second
 * time it is. */
static void test_listing_lags(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    world->fault = (struct agents_fault){"WATCH", 1, 0, false, 0, NULL};
    agents_world_lead(world);
    script_run(&world->script, 1);
    buffer_clear(&world->script.told);
    world->list_version = world->version - 1;
    script_run(&world->script, 16);
    script_check(&world->script, "15.000 LIST agents 200\n"
                                 "15.000 LIST agents 200\n"
                                 "15.000 GET jobs/agent-job-a 200\n15.000 WATCH agents 200\n");
    world->list_version = 0;
    script_run(&world->script, 31);
    script_check(&world->script, "30.000 LIST agents 200\n"
                                 "30.000 GET jobs/agent-job-a 200\n");
}

/* 4.5: three failed polls in a row, and not one less. */
static void test_poll_failures(void **state)
{
    struct agents_world *world = *state;

    agents_world_lead(world);
    script_run(&world->script, 1);
    world->fault = (struct agents_fault){"LIST", 3, 500, false, 0, NULL};
    script_run(&world->script, 44);
    assert_true(agents_is_healthy(world->agents));
    script_run(&world->script, 46);
    assert_false(agents_is_healthy(world->agents));
    script_run(&world->script, 61);
    assert_true(agents_is_healthy(world->agents));
    world->fault = (struct agents_fault){"LIST", 100, 500, false, 0, NULL};
    script_run(&world->script, 200);
    assert_false(agents_is_healthy(world->agents));
    agents_world_stand_by(world);
    assert_true(agents_is_healthy(world->agents)); /* a standby is */
}

/* 13.2, M18: after the loss nothing new is sent; a new term begins with a listing. */
static void test_leadership_lost(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    agents_world_put(world, "agents/b", AGENT);
    world->fault = (struct agents_fault){"POST jobs", 1, 200, true, US_PER_SECOND, NULL};
    agents_world_lead(world);
    script_run(&world->script, 0.5);
    agents_world_stand_by(world);
    script_run(&world->script, 100);
    script_check(&world->script, "0.000 LIST agents 200\n"
                                 "0.000 LIST jobs 200\n"
                                 "0.000 WATCH agents 200\n"
                                 "0.000 GET stations/s 200\n"
                                 "0.000 GET agentdefinitions/d 200\n"
                                 "0.000 GET agents/a 200\n"
                                 "0.000 POST jobs 201\n");
    assert_int_equal(metrics_value(world->metrics, METRIC_JOBS_CREATED, NULL, NULL), 1);
    world->silent_reads = true;
    agents_world_lead(world);
    script_run(&world->script, 101);
    script_check(&world->script, "100.000 PATCH agents/a Running 200\n"
                                 "100.000 POST jobs 201\n"
                                 "100.000 PATCH agents/b Running 200\n");
}

/* 13.2: the flag falls before anybody is told: the next write is not sent. */
static void test_fenced(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    agents_world_put(world, "agents/b", AGENT);
    world->silent_reads = true;
    world->fault = (struct agents_fault){"GET agents/a", 1, 200, true, US_PER_SECOND, NULL};
    agents_world_lead(world);
    script_run(&world->script, 0.5);
    world->leading = false;
    script_run(&world->script, 14);
    script_check(&world->script, "");
}

static void on_stopped(void *arg)
{
    struct agents_world *world = arg;

    script_tell(&world->script, "stopped");
    agents_free(world->agents);
    world->agents = NULL;
}

static void test_stop_waits_for_a_write(void **state)
{
    struct agents_world *world = *state;

    set_refs(world, STATION(""));
    agents_world_put(world, "agents/a", AGENT);
    world->silent_reads = true;
    world->fault = (struct agents_fault){"PATCH", 1, 200, true, US_PER_SECOND, NULL};
    agents_world_lead(world);
    script_run(&world->script, 0.5);
    agents_stop(world->agents, on_stopped, world);
    script_run(&world->script, 10);
    script_check(&world->script, "0.000 POST jobs 201\n"
                                 "0.000 PATCH agents/a Running 200\n"
                                 "1.000 stopped\n");
    assert_int_equal(metrics_value(world->metrics, METRIC_STATUS_PATCHES, NULL, NULL), 1);
}

static void test_stop_when_idle(void **state)
{
    struct agents_world *world = *state;

    agents_stop(world->agents, on_stopped, world);
    script_run(&world->script, 1);
    script_check(&world->script, "0.000 stopped\n");
}

/* Freed after each number of events: nothing is left over, nobody is called (valgrind watches). */
static void test_freed_anywhere(void **state)
{
    (void)state;
    for (int events = 0; events < 120; events++) {
        void *made = NULL;
        struct agents_world *world;

        agents_world_set_up(&made);
        world = made;
        set_refs(world, STATION("\"successfulRunsHistoryLimit\":0,"));
        agents_world_put(world, "agents/a", AGENT);
        agents_world_put(world, "agents/b", RUNNING("2024-01-01T00:00:00Z"));
        agents_world_put(world, "jobs/j", COMPLETE);
        agents_world_put(world, "pods/p", POD);
        agents_world_lead(world);
        for (int i = 0; i < events; i++)
            sim_step(world->script.sim);
        if (events % 3 == 1)
            agents_world_stand_by(world);
        agents_world_tear_down(&made);
    }
}

#define STORY(test)                                                                                \
    cmocka_unit_test_setup_teardown(test, agents_world_set_up, agents_world_tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORY(test_jobs_listed),
        STORY(test_jobs_not_listed),
        STORY(test_whole_life),
        STORY(test_prune_on_transition),
        STORY(test_sweep),
        STORY(test_sweep_fenced),
        STORY(test_prune_side_by_side),
        STORY(test_prune_twice),
        STORY(test_prune_told),
        STORY(test_capacity),
        STORY(test_replace),
        STORY(test_replace_twice),
        STORY(test_conflict),
        STORY(test_answer_lost),
        STORY(test_namesake),
        STORY(test_log_put_off),
        STORY(test_sweep_put_off),
        STORY(test_job_refused),
        cmocka_unit_test(test_job_answered_by_a_gateway),
        STORY(test_watch),
        STORY(test_watch_ends),
        STORY(test_store_set_back),
        STORY(test_listing_lags),
        STORY(test_poll_failures),
        STORY(test_leadership_lost),
        STORY(test_fenced),
        STORY(test_stop_waits_for_a_write),
        STORY(test_stop_when_idle),
        cmocka_unit_test(test_freed_anywhere),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
