/* What an API server may answer for ever, and which pause keeps us from answering it with a storm
 * of requests (RULES 4.1, 4.3 to 4.5). The Lease's loop has its own test: its brake is the tick. */
#include "tests/unit/rows.h"

#include "controller/base/text.h"
#include "tests/unit/agents/agents_world.h"

#define TEMPLATE "\"template\":{\"spec\":{\"containers\":[{\"name\":\"agent\"}]}}"

static const struct row {
    const char *name; /* and the brake */
    const char *prefix;
    unsigned status;
    const char *retry_after, *list_continue;
    bool short_watches, echoes, healthy;
    size_t requests_max; /* in a minute */
} rows[] = {
    {"nothing wrong", NULL, 0, NULL, NULL, false, false, true, 20},
    {"watch ends at once: FOLLOW_PAUSE_US", NULL, 0, NULL, NULL, true, false, true, 50},
    {"watch 410: FOLLOW_PAUSE_US", "WATCH", 410, NULL, NULL, false, false, true, 120},
    {"watch 500: backoff", "WATCH", 500, NULL, NULL, false, false, true, 40},
    {"watch 429, Retry-After 50: as it says", "WATCH", 429, "50", NULL, false, false, true, 17},
    {"list 429, Retry-After 50: as it says", "LIST agents", 429, "50", NULL, false, false, true, 3},
    {"Job 429, Retry-After 50: as it says", "POST jobs", 429, "50", NULL, false, false, true, 15},
    {"status 429, Retry-After 50: as it says", "PATCH", 429, "50", NULL, false, false, true, 14},
    {"Agent 503, Retry-After 50: as it says", "GET agents/", 503, "50", NULL, false, false, true,
     13},
    {"Station 429, Retry-After 50: as it says", "GET stations/", 429, "50", NULL, false, false,
     true, 9},
    {"watch 429, Retry-After 0: backoff", "WATCH", 429, "0", NULL, false, false, true, 40},
    {"list 410: backoff, poll", "LIST agents", 410, NULL, NULL, false, false, false, 30},
    {"list 429, Retry-After 0: backoff, poll", "LIST agents", 429, "0", NULL, false, false, false,
     30},
    {"list without end: the lister, backoff, poll", NULL, 0, NULL, "again", false, false, false,
     60},
    {"Agent 404: as gone, poll", "GET agents/", 404, NULL, NULL, false, false, true, 30},
    {"Agent 500: the queue's backoff", "GET agents/", 500, NULL, NULL, false, false, true, 60},
    {"status 409: the queue's backoff", "PATCH", 409, NULL, NULL, false, false, true, 80},
    {"status 429, Retry-After 0: the queue's backoff", "PATCH", 429, "0", NULL, false, false, true,
     80},
    {"Job 409, but there is none: the queue's backoff", "POST jobs", 409, NULL, NULL, false, false,
     true, 80},
    {"news after each request: the queue's rest", NULL, 0, NULL, NULL, false, true, true, 60},
    {"news after each request, status 409: the same", "PATCH", 409, NULL, NULL, false, true, true,
     100},
    {"news after each request, no Station: the same", "GET stations", 500, NULL, NULL, false, true,
     true, 60},
};

static size_t count_lines(const char *text)
{
    size_t count = 0;

    for (; *text != '\0'; text++)
        count += *text == '\n';
    return count;
}

static void test_a_minute(void **state)
{
    const struct row *row = *state;
    struct agents_world *world;
    size_t requests;
    void *own;

    agents_world_set_up(&own);
    world = own;
    agents_world_put(world, "stations/s", "\"spec\":{\"agentDefRef\":\"d\"," TEMPLATE "}");
    agents_world_put(world, "agentdefinitions/d", "\"spec\":{\"prompt\":\"hi\"}");
    agents_world_put(world, "agents/a", "\"spec\":{\"stationRef\":\"s\"}");
    world->list_continue = row->list_continue;
    world->short_watches = row->short_watches;
    world->echoes = row->echoes;
    if (row->prefix != NULL)
        world->fault = (struct agents_fault){.prefix = row->prefix,
                                             .times = 1000000,
                                             .status = row->status,
                                             .retry_after = row->retry_after};
    agents_world_lead(world);
    script_run(&world->script, 60);
    requests = count_lines(buffer_text(&world->script.told));
    if (requests > row->requests_max || agents_is_healthy(world->agents) != row->healthy)
        fail_msg("%s: %zu requests, %shealthy", row->name, requests,
                 agents_is_healthy(world->agents) ? "" : "not ");
    agents_world_tear_down(&own);
}

int main(void)
{
    return ROWS_RUN(rows, test_a_minute);
}
