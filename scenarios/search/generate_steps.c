/* generate_steps - what people and machines do: edits, deletions, namesakes, kills, pauses, links,
 * clocks. Each story has a few of these families, some steps of each. */
#include <inttypes.h>
#include <string.h>

#include "scenarios/search/generate_parts.h"

/** Most steps of one family. */
#define STEPS_MAX 4

static void optional(struct story *story, int64_t at_ms, struct json_object *step)
{
    json_set_bool(step, "optional", true);
    story_step(story, at_ms, step);
}

/* --- people --- */

static void delete_agent(struct story *story)
{
    static const char *const policies[] = {"Background", "Background", "Foreground", "Orphan"};
    char name[STORY_NAME_SIZE];
    const char *agent = story_some_agent(story, name);
    int64_t at_ms = story_some_time(story);

    optional(story, at_ms,
             story_tree("{'delete':{'kind':'Agent','name':'%s','propagation':'%s'}}", agent,
                        DRAW_ONE_OF(&story->draw, policies)));
}

/* Deletes one and makes another of its name, at once or a little later. */
static void make_namesake(struct story *story)
{
    static const char *const policies[] = {"Background", "Foreground", "Orphan"};
    char name[STORY_NAME_SIZE];
    char station[STORY_NAME_SIZE];
    const char *agent = story_some_agent(story, name);
    int64_t at_ms = story_some_time(story);
    int64_t later_ms = draw_chance(&story->draw, 50) ? 1 : draw_magnitude(&story->draw, 1, 20000);

    optional(story, at_ms,
             story_tree("{'delete':{'kind':'Agent','name':'%s','propagation':'%s'}}", agent,
                        DRAW_ONE_OF(&story->draw, policies)));
    optional(story, at_ms + later_ms,
             story_tree("{'apply':{'kind':'Agent','name':'%s','spec':{'stationRef':'%s'}}}", agent,
                        story_some_station(story, station)));
}

/* Nobody moves a run to another Station: one whose Job is there already would pass its limit. */
static void edit_agent(struct story *story)
{
    static const char *const edits[] = {
        "{'metadata':{'labels':{'team':'a'}}}",
        "{'metadata':{'annotations':{'note':'looked at'}}}",
        "{'spec':{'taskId':'t-1'}}",
        "{'metadata':{'finalizers':['example.com/hold']}}",
    };
    char name[STORY_NAME_SIZE];
    const char *agent = story_some_agent(story, name);
    int64_t at_ms = story_some_time(story);
    const char *edit = DRAW_ONE_OF(&story->draw, edits);

    optional(story, at_ms,
             story_tree("{'patch':{'kind':'Agent','name':'%s','merge':%s}}", agent, edit));
    if (edit == edits[ARRAY_SIZE(edits) - 1])
        optional(story, at_ms + draw_magnitude(&story->draw, 1000, 120000),
                 story_tree("{'patch':{'kind':'Agent','name':'%s','merge':"
                            "{'metadata':{'finalizers':null}}}}",
                            agent));
}

static void edit_station(struct story *story)
{
    static const char *const edits[] = {
        "{'maxConcurrentRuns':1}",
        "{'maxConcurrentRuns':0}",
        "{'maxConcurrentRuns':4}",
        "{'concurrencyPolicy':'Replace'}",
        "{'concurrencyPolicy':'Forbid'}",
        "{'concurrencyPolicy':'Allow'}",
        "{'successfulRunsHistoryLimit':0,'failedRunsHistoryLimit':0}",
        "{'successfulRunsHistoryLimit':5,'failedRunsHistoryLimit':5}",
        "{'agentDefRef':'recipe'}",
        "{'deadlineMinutes':1}",
    };
    char name[STORY_NAME_SIZE];
    const char *station = story_some_station(story, name);
    int64_t at_ms = story_some_time(story);

    optional(story, at_ms,
             story_tree("{'patch':{'kind':'Station','name':'%s','merge':{'spec':%s}}}", station,
                        DRAW_ONE_OF(&story->draw, edits)));
}

/* For a while there is none; what comes back may be another one. */
static void take_station_away(struct story *story)
{
    int64_t number = (int64_t)draw_below(&story->draw, (uint64_t)story->stations);
    int64_t at_ms = story_some_time(story);
    struct json_object *back = json_object_new_object();

    optional(story, at_ms,
             story_tree("{'delete':{'kind':'Station','name':'s-%" PRId64 "'}}", number));
    json_set(back, "apply", generate_station(story, number));
    optional(story, at_ms + draw_magnitude(&story->draw, 1, 60000), back);
}

/* What people do who see a run hang. */
static void work_by_hand(struct story *story)
{
    static const char *const deeds[] = {
        "{'delete':{'kind':'Job','name':'agent-job-$'}}",
        "{'delete':{'kind':'Pod','name':'agent-job-$-*'}}",
        "{'patch':{'kind':'Job','name':'agent-job-$','merge':{'spec':"
        "{'ttlSecondsAfterFinished':3}}}}",
        "{'patch':{'kind':'Job','name':'agent-job-$','merge':{'spec':"
        "{'activeDeadlineSeconds':5}}}}",
        "{'patch':{'kind':'Job','name':'agent-job-$','merge':{'spec':{'suspend':true}}}}",
        "{'delete':{'kind':'Job','name':'agent-job-$','propagation':'Orphan'}}",
    };
    char name[STORY_NAME_SIZE];
    const char *agent = story_some_agent(story, name);
    int64_t at_ms = story_some_time(story);
    const char *deed = DRAW_ONE_OF(&story->draw, deeds);

    optional(story, at_ms, story_tree_of(deed, agent));
    if (strstr(deed, "suspend") != NULL)
        (void)json_object_array_add(story->suspended, json_object_new_string(agent));
}

/* --- the API server --- */

static void compact(struct story *story)
{
    story_step(story, story_some_time(story), story_tree("{'compact':true}"));
}

/* Not twice within a minute: who has missed the first one for its whole duration makes it again,
 * and cannot know that another did so in vain (controller/RULES.md 13.2). */
static void take_lease_away(struct story *story)
{
    int64_t at_ms = story_some_time(story);
    uint64_t minute = UINT64_C(2) << at_ms / 60000;

    if ((story->lease_minutes & (minute >> 1 | minute | minute << 1)) != 0)
        return;
    story->lease_minutes |= minute;
    optional(story, at_ms, story_tree("{'delete':{'kind':'Lease','name':'agent-controller'}}"));
}

static void pause_server(struct story *story)
{
    int64_t at_ms = story_some_time(story);

    story_step(story, at_ms, story_tree("{'pause':'api'}"));
    story_step(story, at_ms + draw_magnitude(&story->draw, 500, 40000),
               story_tree("{'resume':'api'}"));
}

/* --- processes --- */

static void kill(struct story *story)
{
    char name[STORY_NAME_SIZE];
    const char *of = story_some_replica(story, name);
    int64_t at_ms = story_some_time(story);
    int64_t among = draw_magnitude(&story->draw, 1, 300);

    optional(story, at_ms,
             story_tree("{'kill':{'of':'%s','among':%" PRId64 ",'back':'%" PRId64 "ms'}}", of,
                        among, draw_magnitude(&story->draw, 1, 40000)));
}

static void pause(struct story *story)
{
    char name[STORY_NAME_SIZE];
    const char *of = story_some_replica(story, name);
    int64_t at_ms = story_some_time(story);

    story_step(story, at_ms, story_tree("{'pause':'%s'}", of));
    story_step(story, at_ms + draw_magnitude(&story->draw, 500, 60000),
               story_tree("{'resume':'%s'}", of));
}

static void terminate(struct story *story)
{
    char name[STORY_NAME_SIZE];
    const char *of = story_some_replica(story, name);
    int64_t at_ms = story_some_time(story);

    story_step(story, at_ms, story_tree("{'terminate':'%s'}", of));
    story_step(story, at_ms + draw_magnitude(&story->draw, 100, 60000),
               story_tree("{'start':'%s'}", of));
}

static void step_clock(struct story *story)
{
    char name[STORY_NAME_SIZE];
    const char *of = story_some_replica(story, name);
    int64_t at_ms = story_some_time(story);

    story_step(story, at_ms,
               story_tree("{'clock':{'of':'%s','jump':'%" PRId64 "ms'}}", of,
                          draw_between(&story->draw, -120000, 120000)));
}

/* --- links --- */

static void break_link(struct story *story)
{
    static const char *const breaks[] = {
        "{'partition':['$','api']}", "{'halfOpen':['$','api']}", "{'halfOpen':['api','$']}",
        "{'strand':['$','api']}",
        "{'slow':{'between':['$','api'],'latency':'900ms','pieceBytes':300}}"};
    char name[STORY_NAME_SIZE];
    const char *of = story_some_replica(story, name);
    int64_t at_ms = story_some_time(story);
    const char *how = DRAW_ONE_OF(&story->draw, breaks);

    story_step(story, at_ms, story_tree_of(how, of));
    story_step(story, at_ms + draw_magnitude(&story->draw, 500, 60000),
               story_tree("{'heal':['%s','api']}", of));
}

/* --- families --- */

static const struct family {
    void (*step)(struct story *story);
    unsigned percent; /* of the stories have it */
} families[] = {
    {delete_agent,      50},
    {make_namesake,     40},
    {edit_agent,        40},
    {edit_station,      40},
    {take_station_away, 20},
    {work_by_hand,      35},
    {compact,           25},
    {take_lease_away,   15},
    {pause_server,      15},
    {kill,              45},
    {pause,             35},
    {terminate,         25},
    {step_clock,        20},
    {break_link,        35},
};

void generate_steps(struct story *story)
{
    for (size_t i = 0; i < ARRAY_SIZE(families); i++) {
        int64_t count = draw_between(&story->draw, 1, STEPS_MAX);

        if (!draw_chance(&story->draw, families[i].percent))
            continue;
        for (int64_t j = 0; j < count; j++)
            families[i].step(story);
    }
}
