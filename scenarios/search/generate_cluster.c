/* generate_cluster - what is there and what pods do: Stations, Agents, scripts, settings, clocks.
 */
#include <inttypes.h>
#include <stdio.h>

#include "controller/base/text.h"
#include "scenarios/search/generate_parts.h"

/** Most Agents in most stories. */
#define AGENTS_USUAL 14
/** Runs end within so many minutes, or their Job fails. */
#define DEADLINE_MINUTES_MAX 3

static const char good_template[] =
    "{'spec':{'containers':[{'name':'agent','image':'registry.example/agent:1'}]}}";

/* Mostly good ones. The second is refused by the controller, the third by the API server. */
static const char *template_of(struct story *story)
{
    static const char *const bad[] = {
        "{'spec':{'hostNetwork':true,'containers':[{'name':'agent',"
        "'image':'registry.example/agent:1'}]}}",
        "{'spec':{'containers':[{'name':'agent','image':'registry.example/agent:1'}],"
        "'nodeSelector':7}}",
        "{'spec':{'containers':[{'name':'other','image':'registry.example/agent:1'}]}}",
    };

    return draw_chance(&story->draw, 94) ? good_template : DRAW_ONE_OF(&story->draw, bad);
}

struct json_object *generate_station(struct story *story, int64_t number)
{
    static const char *const policies[] = {"Allow", "Allow", "Forbid", "Replace"};
    static const char *const recipes[] = {"recipe", "recipe", "recipe", "recipe", "recipe",
                                          "recipe", "recipe", "recipe", "batch",  "nowhere"};
    struct draw *draw = &story->draw;
    const char *policy = DRAW_ONE_OF(draw, policies);
    const char *recipe = DRAW_ONE_OF(draw, recipes);
    int64_t limit = draw_chance(draw, 40) ? 0 : draw_between(draw, 1, 3);
    int64_t keep_succeeded = draw_between(draw, 0, 4);
    int64_t keep_failed = draw_between(draw, 0, 3);
    int64_t deadline = draw_between(draw, 1, DEADLINE_MINUTES_MAX);

    return story_tree("{'kind':'Station','name':'s-%" PRId64 "','spec':{'agentDefRef':'%s',"
                      "'concurrencyPolicy':'%s','maxConcurrentRuns':%" PRId64
                      ",'successfulRunsHistoryLimit':%" PRId64 ",'failedRunsHistoryLimit':%" PRId64
                      ",'deadlineMinutes':%" PRId64 ",'template':%s}}",
                      number, recipe, policy, limit, keep_succeeded, keep_failed, deadline,
                      template_of(story));
}

/* --- pods --- */

static void add_script(struct story *story, const char *agent)
{
    static const char *const endings[] = {"exit", "exit",       "exit",          "exit",  "exit",
                                          "exit", "hang",       "oom",           "evict", "evict",
                                          "exit", "image-pull", "unschedulable", "exit"};
    static const char *const logs[] = {"", "done\\n", "{\\\"type\\\":\\\"result\\\"}\\n",
                                       "a long line, and another one, and one more of them\\n"};
    struct draw *draw = &story->draw;
    int64_t runs_ms = draw_magnitude(draw, 200, 90000);
    int64_t stops_ms = draw_magnitude(draw, 10, 25000);
    int64_t starts_ms = draw_magnitude(draw, 10, 8000);
    int64_t code = draw_chance(draw, 70) ? 0 : draw_between(draw, 1, 255);
    const char *ending = DRAW_ONE_OF(draw, endings);
    const char *log = DRAW_ONE_OF(draw, logs);
    bool log_gone = draw_chance(draw, 6);
    bool status_missing = draw_chance(draw, 5);

    story_add(story->pods,
              "{'agent':'%s','starts':'%" PRId64 "ms','runs':'%" PRId64 "ms','stops':'%" PRId64
              "ms','exit':%" PRId64 ",'ending':'%s','log':'%s','logGone':%s,'statusMissing':%s}",
              agent, starts_ms, runs_ms, stops_ms, code, ending, log, log_gone ? "true" : "false",
              status_missing ? "true" : "false");
}

static void add_scripts(struct story *story)
{
    char name[STORY_NAME_SIZE];
    int64_t count = draw_between(&story->draw, 2, 6);

    for (int64_t i = 0; i < count; i++)
        add_script(story, story_some_agent(story, name));
    add_script(story, "a-0*");
    add_script(story, "*");
}

/* --- Agents --- */

static void add_agent(struct story *story, int64_t number)
{
    char name[STORY_NAME_SIZE];
    char station[STORY_NAME_SIZE];
    struct json_object *agent = story_tree(
        "{'kind':'Agent','name':'%s','spec':{'stationRef':'%s'}}", story_agent(number, name),
        draw_chance(&story->draw, 97) ? story_some_station(story, station) : "missing");
    struct json_object *step;

    if (draw_chance(&story->draw, 35)) {
        json_add(story->objects, agent);
        return;
    }
    step = json_object_new_object();
    json_set(step, "apply", agent);
    json_set_bool(step, "optional", true);
    story_step(story, draw_chance(&story->draw, 40) ? 5000 : story_some_time(story), step);
}

/* Runs of before, as a controller of before has left them. */
static void add_history(struct story *story)
{
    static const char *const phases[] = {"Succeeded", "Failed"};
    char station[STORY_NAME_SIZE];
    int64_t count = draw_between(&story->draw, 1, 6);
    uint64_t phase = draw_below(&story->draw, ARRAY_SIZE(phases));

    story_add(story->objects,
              "{'kind':'Agent','name':'old-{index}','count':%" PRId64
              ",'spec':{'stationRef':'%s'},'status':{'phase':'%s','exitCode':%d,"
              "'startedAt':'2025-06-01T08:00:00Z','completedAt':'2025-06-01T08:0{index}:00Z'}}",
              count, story_some_station(story, station), phases[phase], phase == 0 ? 0 : 1);
}

/* --- the replicas --- */

static void set_up_replicas(struct story *story)
{
    static const char *const timeouts[] = {"2s", "5s", "20s"};
    struct draw *draw = &story->draw;
    char name[STORY_NAME_SIZE];

    if (draw_chance(draw, 30))
        json_set_text(story->settings, "MAX_OUTPUT_BYTES", "20");
    if (draw_chance(draw, 50))
        json_set_text(story->settings, "CONTROLLER_SHUTDOWN_TIMEOUT", DRAW_ONE_OF(draw, timeouts));
    if (draw_chance(draw, 20))
        json_set_text(story->settings, "CONTROLLER_SHUTDOWN_MIN_DELAY", "3s");
    if (draw_chance(draw, 25)) {
        const char *of = story_some_replica(story, name);
        int64_t skew_s = draw_between(draw, -90, 90);

        story_add(story->clocks, "{'of':'%s','skew':'%" PRId64 "s','drift':%" PRId64 "}", of,
                  skew_s, draw_between(draw, -2000, 2000));
    }
    if (draw_chance(draw, 35)) {
        const char *of = story_some_replica(story, name);
        int64_t latency_ms = draw_magnitude(draw, 1, 700);

        story_add(story->links,
                  "{'between':['%s','api'],'latency':'%" PRId64 "ms','jitter':'%" PRId64 "ms'}", of,
                  latency_ms, draw_magnitude(draw, 1, 200));
    }
}

void generate_cluster(struct story *story)
{
    struct draw *draw = &story->draw;

    story->stations = draw_between(draw, 1, STORY_STATIONS_MAX);
    story->agents = draw_chance(draw, 90) ? draw_between(draw, GENERATE_AGENTS_MIN, AGENTS_USUAL)
                                          : draw_between(draw, AGENTS_USUAL, 2 * AGENTS_USUAL);
    set_up_replicas(story);
    story_add(story->objects, "{'kind':'AgentDefinition','name':'batch','spec':{'prompt':'x',"
                              "'execution':'batch'}}");
    for (int64_t i = 0; i < story->stations; i++)
        json_add(story->objects, generate_station(story, i));
    if (draw_chance(draw, 40))
        add_history(story);
    for (int64_t i = 1; i <= story->agents; i++)
        add_agent(story, i);
    add_scripts(story);
}
