/* When the lifecycle counts what (RULES 4.6): a short story for each rule, and a number after it.
 */
#include "tests/unit/rows.h"

#include "controller/base/time.h"
#include "controller/telemetry/controller_metrics.h"
#include "tests/unit/agents/agents_world.h"

#define STATION                                                                                    \
    "\"spec\":{\"agentDefRef\":\"d\",\"template\":{\"spec\":{\"containers\":[{\"name\":"           \
    "\"agent\"}]}}}"
#define AGENT "\"spec\":{\"stationRef\":\"s\"}"
#define ENDED AGENT ",\"status\":{\"phase\":\"Failed\",\"completedAt\":\"2024-01-01T00:00:00Z\"}"

static void run_to(struct agents_world *world, double time_s)
{
    script_run(&world->script, time_s);
}

static void fault(struct agents_world *world, const char *prefix, unsigned status)
{
    world->fault = (struct agents_fault){.prefix = prefix, .times = 1, .status = status};
}

/* One Agent that starts at 0 s; polls come at 15 s, 30 s... */
static void lead_with_agent(struct agents_world *world)
{
    world->silent_reads = true;
    agents_world_put(world, "stations/s", STATION);
    agents_world_put(world, "agentdefinitions/d", "\"spec\":{\"prompt\":\"hi\"}");
    agents_world_put(world, "agents/a", AGENT);
    agents_world_lead(world);
}

static void start(struct agents_world *world)
{
    lead_with_agent(world);
    run_to(world, 1);
}

static void job_is_there(struct agents_world *world)
{
    fault(world, "POST jobs", 409);
    start(world);
}

static void job_refused(struct agents_world *world)
{
    fault(world, "POST jobs", 403);
    start(world);
}

static void job_answer_lost(struct agents_world *world)
{
    world->fault = (struct agents_fault){"POST jobs", 1, 500, true, 0, NULL};
    start(world);
    run_to(world, 16);
}

static void patch_refused(struct agents_world *world)
{
    fault(world, "PATCH agents/a", 409);
    lead_with_agent(world);
    run_to(world, 0.5);
}

/* The first patch is not taken; the run starts all the same, a poll later at the latest. */
static void patch_sent_twice(struct agents_world *world)
{
    fault(world, "PATCH agents/a", 500);
    start(world);
    run_to(world, 31);
}

static void missing_station(struct agents_world *world)
{
    agents_world_put(world, "agents/a", AGENT);
    agents_world_lead(world);
    run_to(world, 1);
}

static void station_unreadable(struct agents_world *world)
{
    fault(world, "GET stations", 500);
    lead_with_agent(world);
    run_to(world, 0.5);
}

static void first_poll(struct agents_world *world)
{
    start(world);
    run_to(world, 16);
}

static void poll_fails(struct agents_world *world)
{
    start(world);
    fault(world, "LIST agents", 500);
    run_to(world, 16);
}

/* What is listed again behind a 410 is no poll. */
static void listed_again(struct agents_world *world)
{
    first_poll(world);
    agents_world_put(world, "agents/b", ENDED);
    script_write(&world->script, "{\"type\":\"ERROR\",\"object\":{\"code\":410}}\n");
    run_to(world, 20);
}

static void watch_ends(struct agents_world *world)
{
    start(world);
    script_end(&world->script);
    run_to(world, 4);
}

static void stands_by(struct agents_world *world)
{
    first_poll(world);
    agents_world_stand_by(world);
    run_to(world, 17);
}

static void leads_again(struct agents_world *world)
{
    stands_by(world);
    agents_world_lead(world);
    run_to(world, 18);
}

/* clang-format off */
static const struct row {
    const char *name;
    void (*tell)(struct agents_world *world);
    unsigned metric;
    const char *label;
    const char *label2;
    int64_t want; /* of a histogram: observations */
} rows[] = {
    {"4.6: a start counts a Job", start, METRIC_JOBS_CREATED, NULL, NULL, 1},
    {"4.6: a Job that was there is none created", job_is_there, METRIC_JOBS_CREATED, NULL, NULL, 0},
    {"4.6: a refused Job is none", job_refused, METRIC_JOBS_CREATED, NULL, NULL, 0},
    {"4.6: a Job whose 201 got lost is none", job_answer_lost, METRIC_JOBS_CREATED, NULL, NULL, 0},
    {"4.6: a start is observed in the queue", start, METRIC_RUN_QUEUE, NULL, NULL, 1},
    {"4.6: so is one whose Job was there", job_answer_lost, METRIC_RUN_QUEUE, NULL, NULL, 1},
    {"4.6: observed once, also when patched twice",
     patch_sent_twice, METRIC_RUN_QUEUE, NULL, NULL, 1},
    {"4.6: what never started was in no queue", missing_station, METRIC_RUN_QUEUE, NULL, NULL, 0},
    {"4.6: an accepted patch counts", start, METRIC_STATUS_PATCHES, NULL, NULL, 1},
    {"4.6: a refused patch does not", patch_refused, METRIC_STATUS_PATCHES, NULL, NULL, 0},
    {"4.6: missing ref counts a failure",
     missing_station, METRIC_RUN_FAILURES, "missing_ref", NULL, 1},
    {"4.6: missing ref ends with code 1", missing_station, METRIC_RUNS_COMPLETED, "Failed", "1", 1},
    {"4.6: missing ref is not timed", missing_station, METRIC_RUN_DURATION, "Failed", NULL, 0},
    {"4.6: a missing ref is no error", missing_station, METRIC_RECONCILES, "error", NULL, 0},
    {"4.6: a read that fails is an error", station_unreadable, METRIC_RECONCILES, "error", NULL, 1},
    {"4.6: errors are timed too", station_unreadable, METRIC_RECONCILE_DURATION, NULL, NULL, 1},
    {"4.6: the first LIST is a resync", start, METRIC_RESYNCS, NULL, NULL, 1},
    {"4.6: so is a poll", first_poll, METRIC_RESYNCS, NULL, NULL, 2},
    {"4.6: a poll that fails is none", poll_fails, METRIC_RESYNCS, NULL, NULL, 1},
    {"4.6: the first watch is no reconnect", start, METRIC_WATCH_RECONNECTS, NULL, NULL, 0},
    {"4.6: the next one is", watch_ends, METRIC_WATCH_RECONNECTS, NULL, NULL, 1},
    {"4.6: the first one of a new leadership is not",
     leads_again, METRIC_WATCH_RECONNECTS, NULL, NULL, 0},
    {"4.6: no Agents before the first poll", start, METRIC_AGENTS, "Pending", NULL, 0},
    {"4.6: the poll counts them", first_poll, METRIC_AGENTS, "Running", NULL, 1},
    {"4.6: by phase", first_poll, METRIC_AGENTS, "Pending", NULL, 0},
    {"4.6: no other LIST counts them", listed_again, METRIC_AGENTS, "Failed", NULL, 0},
    {"4.6: a standby has none", stands_by, METRIC_AGENTS, "Running", NULL, 0},
};
/* clang-format on */

static void check_row(void **state)
{
    const struct row *row = *state;
    void *made = NULL;
    struct agents_world *world;
    int64_t got;

    agents_world_set_up(&made);
    world = made;
    row->tell(world);
    got = metrics_value(world->metrics, row->metric, row->label, row->label2);
    agents_world_tear_down(&made);
    if (got != row->want)
        fail_msg("%s: got %lld, want %lld", row->name, (long long)got, (long long)row->want);
}

int main(void)
{
    return ROWS_RUN(rows, check_row);
}
