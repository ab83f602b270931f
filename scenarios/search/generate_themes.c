/* generate_themes - situations that chance alone would bring about too rarely: each is aimed at
 * some marks (controller/runtime/marks.h), so that none of them stays cold. */
#include <inttypes.h>
#include <stdio.h>

#include "scenarios/search/generate_parts.h"

/** Most themes of one story. */
#define THEMES_MAX 3

/** A fault that need not happen; $ in its text is a replica. */
static void fault(struct story *story, const char *text)
{
    char name[STORY_NAME_SIZE];
    struct json_object *tree = story_tree_of(text, story_some_replica(story, name));

    json_set_bool(tree, "optional", true);
    json_add(story->faults, tree);
}

static void write_step(struct story *story, int64_t at_ms, const char *text, const char *name)
{
    struct json_object *tree = story_tree_of(text, name);

    json_set_bool(tree, "optional", true);
    story_step(story, at_ms, tree);
}

/* A person deletes or labels it. */
static void touch(struct story *story, int64_t at_ms, const char *name, unsigned percent_deleted)
{
    write_step(story, at_ms,
               draw_chance(&story->draw, percent_deleted)
                   ? "{'delete':{'kind':'Agent','name':'$'}}"
                   : "{'patch':{'kind':'Agent','name':'$','merge':"
                     "{'metadata':{'labels':{'seen':'yes'}}}}}",
               name);
}

/* Many Agents for one Station at one moment, named after it, so that nobody else hits them. */
static void crowd(struct story *story, int64_t at_ms, const char *station, int64_t count)
{
    struct json_object *step =
        story_tree("{'apply':{'kind':'Agent','name':'%s-{index}','count':%" PRId64
                   ",'spec':{'stationRef':'%s'}}}",
                   station, count, station);

    json_set_bool(step, "optional", true);
    story_step(story, at_ms, step);
}

static void add_station(struct story *story, const char *name, const char *rest)
{
    story_add(story->objects,
              "{'kind':'Station','name':'%s','spec':{'agentDefRef':'recipe','deadlineMinutes':2,%s,"
              "'template':{'spec':{'containers':[{'name':'agent',"
              "'image':'registry.example/agent:1'}]}}}}",
              name, rest);
}

/* --- the themes --- */

/* Listings in pages, whose continue tokens expire. */
static void pages(struct story *story)
{
    add_station(story, "paged", "'maxConcurrentRuns':0");
    crowd(story, 4000, "paged", 24);
    fault(story, "{'match':{'verb':'list','resource':'agents'},'when':{'nth':1},"
                 "'do':{'status':406}}");
    fault(story, "{'match':{'verb':'list','resource':'agents'},'when':{'every':3},"
                 "'do':{'compact':true}}");
}

/* A listing from long ago, or two of a moment ago: the second one is believed, so that what it does
 * not know must be little. */
static void past(struct story *story)
{
    int64_t at_ms = story_some_time(story);
    bool twice = draw_chance(&story->draw, 70);

    for (int64_t i = 0; i < (twice ? 4 : 1); i++)
        story_add(
            story->faults,
            "{'match':{'peer':'ctl-*','verb':'list','resource':'agents'},'when':{'from':'%" PRId64
            "ms','count':%d},'do':{'stale':{'age':'%s'}},'optional':true}",
            at_ms + 40000 * i, twice ? 2 : 1, twice ? "4s" : "50s");
}

/* Watchers that are behind when history is forgotten. */
static void behind(struct story *story)
{
    fault(story, "{'match':{'verb':'watch','resource':'agents'},'when':{'every':3},"
                 "'do':{'delay_event':'6s'}}");
    fault(story, "{'match':{'verb':'watch','resource':'jobs'},'when':{'every':2},"
                 "'do':{'delay_event':'6s'}}");
    for (int64_t i = 0; i < 12; i++)
        story_step(story, 12000 + i * 20000, story_tree("{'compact':true}"));
}

/* Processes that stand still just as they have asked something, for longer than they lead. */
static void late_answers(struct story *story)
{
    static const char *const asked[] = {
        "'verb':'list','resource':'agents'", "'verb':'patch','resource':'leases'",
        "'verb':'get','resource':'jobs'",    "'verb':'delete','resource':'agents'",
        "'verb':'create','resource':'jobs'", "'verb':'get','resource':'stations'",
        "'verb':'get','resource':'agents'",
    };
    char name[STORY_NAME_SIZE];
    int64_t count = draw_between(&story->draw, 2, 4);

    for (int64_t i = 0; i < count; i++) {
        const char *of = story_some_replica(story, name);
        const char *what = DRAW_ONE_OF(&story->draw, asked);
        int64_t nth = draw_magnitude(&story->draw, 1, 16);
        int64_t for_ms = draw_between(&story->draw, 9000, 14000);
        struct json_object *tree = story_tree("{'match':{'peer':'%s',%s},'when':{'nth':%" PRId64
                                              "},'do':{'pause':'%s','for':'%" PRId64
                                              "ms','moment':'sent'},'optional':true}",
                                              of, what, nth, of, for_ms);

        json_add(story->faults, tree);
    }
}

/* Prunings that are slow, much to prune, and people who delete the same. */
static void history(struct story *story)
{
    static const char *const limits[] = {
        "'successfulRunsHistoryLimit':0,'failedRunsHistoryLimit':0",
        "'successfulRunsHistoryLimit':1,'failedRunsHistoryLimit':1"};
    char name[STORY_NAME_SIZE];

    add_station(story, "short", DRAW_ONE_OF(&story->draw, limits));
    story_add(
        story->objects,
        "{'kind':'Agent','name':'done-{index}','count':8,'spec':{'stationRef':'short'},"
        "'status':{'phase':'Succeeded','exitCode':0,'completedAt':'2025-06-01T08:0{index}:00Z'"
        "}}");
    crowd(story, 4000 + 1000 * (int64_t)draw_below(&story->draw, 20), "short", 6);
    if (draw_chance(&story->draw, 60))
        fault(story, "{'match':{'verb':'delete','resource':'agents'},'do':{'delay':'4s'}}");
    if (draw_chance(&story->draw, 40))
        fault(story, "{'match':{'verb':'watch','resource':'agents'},'when':{'probability':0.6},"
                     "'do':{'swallow_event':true}}");
    if (draw_chance(&story->draw, 30))
        fault(story, "{'match':{'verb':'delete','resource':'agents'},'when':{'every':2},"
                     "'do':{'drop_answer':true}}");
    for (int64_t i = 1; i <= 8; i++) {
        snprintf(name, sizeof(name), "done-%" PRId64, i);
        touch(story, draw_between(&story->draw, 1000, 30000), name, 50);
    }
}

/* Runs that make room for one another, and those that cannot. */
static void replacing(struct story *story)
{
    static const char *const troubles[] = {
        "{'match':{'verb':'patch','resource':'agents/status'},'when':{'probability':0.4},"
        "'do':{'status':500}}",
        "{'match':{'verb':'watch','resource':'agents'},'when':{'probability':0.6},"
        "'do':{'swallow_event':true}}",
        "{'match':{'verb':'delete','resource':'agents'},'when':{'probability':0.5},"
        "'do':{'drop_answer':true}}",
        "{'match':{'verb':'delete','resource':'agents'},'when':{'probability':0.5},"
        "'do':{'status':503}}",
        "{'match':{'verb':'delete','resource':'agents'},'do':{'delay':'3s'}}",
        "{'match':{'verb':'create','resource':'jobs'},'when':{'probability':0.4},"
        "'do':{'drop_answer':true}}",
    };
    char name[STORY_NAME_SIZE];
    int64_t at_ms = 6000;

    add_station(story, "one", "'concurrencyPolicy':'Replace','successfulRunsHistoryLimit':9");
    story_add(story->pods, "{'agent':'r-*','runs':'50s'}");
    fault(story, DRAW_ONE_OF(&story->draw, troubles));
    fault(story, DRAW_ONE_OF(&story->draw, troubles));
    for (int64_t i = 1; i <= 9; i++) {
        snprintf(name, sizeof(name), "r-%" PRId64, i);
        write_step(story, at_ms,
                   "{'apply':{'kind':'Agent','name':'$','spec':{'stationRef':'one'}}}", name);
        touch(story, at_ms + draw_magnitude(&story->draw, 500, 60000), name, 50);
        at_ms += draw_magnitude(&story->draw, 200, 20000);
    }
}

/* A shutdown in the middle of a write, which may take too long. */
static void shutdown(struct story *story)
{
    static const char *const writes[] = {"'verb':'create','resource':'jobs'",
                                         "'verb':'patch','resource':'agents/status'",
                                         "'verb':'delete','resource':'agents'"};
    char name[STORY_NAME_SIZE];

    for (int64_t i = 0; i < story->replicas; i++) {
        const char *what = DRAW_ONE_OF(&story->draw, writes);
        int64_t nth = draw_magnitude(&story->draw, 1, 9);
        int64_t delay_ms = draw_magnitude(&story->draw, 500, 24000);

        snprintf(name, sizeof(name), "ctl-%" PRId64, i);
        story_add(story->faults,
                  "{'match':{'peer':'%s',%s},'when':{'nth':%" PRId64 "},'do':{'delay':'%" PRId64
                  "ms'},'optional':true}",
                  name, what, nth, delay_ms);
        story_add(story->faults,
                  "{'match':{'peer':'%s',%s},'when':{'nth':%" PRId64
                  "},'do':{'terminate':'%s','moment':'sent'},'optional':true}",
                  name, what, nth, name);
        story_step(story, 60000 * draw_between(&story->draw, 1, 5),
                   story_tree("{'start':'%s'}", name));
    }
    if (draw_chance(&story->draw, 50))
        fault(story, "{'match':{'verb':'patch','resource':'leases'},'when':{'every':2},"
                     "'do':{'status':503}}");
}

/* Leads, loses it and leads again while a write of before is under way. */
static void terms(struct story *story)
{
    fault(story, "{'match':{'verb':'create','resource':'jobs'},'when':{'every':2},"
                 "'do':{'delay':'20s'}}");
    fault(story, "{'match':{'verb':'patch','resource':'agents/status'},'when':{'every':4},"
                 "'do':{'delay':'20s'}}");
    fault(story, "{'match':{'verb':'delete','resource':'agents'},'when':{'every':2},"
                 "'do':{'delay':'20s'}}");
    fault(story, "{'match':{'verb':'patch','resource':'leases'},'when':{'every':5},"
                 "'do':{'status':500}}");
}

/* The server is broken in one place, for long. */
static void broken(struct story *story)
{
    static const char *const what[] = {
        "'verb':'get','resource':'stations'", "'verb':'create','resource':'jobs'",
        "'verb':'get','resource':'jobs'",     "'verb':'list','resource':'agents'",
        "'verb':'list','resource':'pods'",    "'verb':'get','resource':'pods/log'",
        "'verb':'list','resource':'jobs'",    "'verb':'patch','resource':'agents/status'"};
    const char *where = DRAW_ONE_OF(&story->draw, what);
    int64_t from_ms = draw_between(&story->draw, 2000, 60000);
    int64_t until_ms = from_ms + draw_between(&story->draw, 60000, 240000);

    story_add(story->faults,
              "{'match':{'peer':'ctl-*',%s},'when':{'from':'%" PRId64 "ms','until':'%" PRId64
              "ms'},'do':{'status':500},'optional':true}",
              where, from_ms, until_ms);
}

/* More than may be under way at a time, far away. */
static void full_house(struct story *story)
{
    add_station(story, "wide", "'maxConcurrentRuns':0");
    crowd(story, draw_between(&story->draw, 4000, 60000), "wide", 20);
    for (int64_t i = 0; i < story->replicas; i++)
        story_add(story->links, "{'between':['ctl-%" PRId64 "','api'],'latency':'60ms'}", i);
}

/* Jobs that are there before their Agents ask for them. */
static void jobs_before(struct story *story)
{
    char name[STORY_NAME_SIZE];

    for (int64_t i = 1; i <= 3; i++) {
        int64_t at_ms = story_some_time(story);

        snprintf(name, sizeof(name), "j-%" PRId64, i);
        write_step(story, at_ms,
                   "{'apply':{'kind':'Job','name':'agent-job-$','spec':{'backoffLimit':0,"
                   "'activeDeadlineSeconds':60,"
                   "'template':{'spec':{'restartPolicy':'Never','containers':"
                   "[{'name':'agent','image':'x'}]}}}}}",
                   name);
        write_step(story, at_ms + draw_magnitude(&story->draw, 1, 20000),
                   "{'apply':{'kind':'Agent','name':'$','spec':{'stationRef':'s-0'}}}", name);
    }
    fault(story, "{'match':{'verb':'list','resource':'jobs'},'when':{'probability':0.4},"
                 "'do':{'stale':{'age':'40s'}}}");
    fault(story,
          "{'match':{'peer':'$','verb':'create','resource':'jobs'},'when':{'every':3,'count':6},"
          "'do':{'restart':'$','moment':'applied'}}");
}

/* Agents made again while their namesake's Job is being deleted. */
static void leaving(struct story *story)
{
    char name[STORY_NAME_SIZE];

    add_station(story, "slow", "'maxConcurrentRuns':0");
    story_add(story->pods, "{'agent':'l-*','runs':'60s','stops':'25s'}");
    for (int64_t i = 1; i <= 3; i++) {
        int64_t at_ms = story_some_time(story);

        snprintf(name, sizeof(name), "l-%" PRId64, i);
        write_step(story, at_ms,
                   "{'apply':{'kind':'Agent','name':'$','spec':{'stationRef':'slow'}}}", name);
        write_step(story, at_ms + 9000,
                   "{'delete':{'kind':'Job','name':'agent-job-$','propagation':'Foreground'}}",
                   name);
        write_step(story, at_ms + 9000, "{'delete':{'kind':'Agent','name':'$'}}", name);
        write_step(story, at_ms + 9000 + draw_magnitude(&story->draw, 1, 4000),
                   "{'apply':{'kind':'Agent','name':'$','spec':{'stationRef':'slow'}}}", name);
    }
}

/* Every leader is gone at once, and the Lease as well. */
static void no_lease(struct story *story)
{
    int64_t at_ms = story_some_time(story);
    int64_t spared = (int64_t)draw_below(&story->draw, (uint64_t)story->replicas);

    for (int64_t i = 0; i < story->replicas; i++) {
        if (i == spared)
            continue;
        story_step(story, at_ms, story_tree("{'crash':'ctl-%" PRId64 "'}", i));
        story_step(story, at_ms + 70000, story_tree("{'start':'ctl-%" PRId64 "'}", i));
    }
    write_step(story, at_ms + 1, "{'delete':{'kind':'Lease','name':'$'}}", "agent-controller");
}

/* A quota with room for one pod at a time: where nobody takes it away again, all goes on, slowly.
 */
static void quota(struct story *story)
{
    int64_t at_ms = draw_between(&story->draw, 2000, 60000);

    write_step(story, at_ms,
               "{'apply':{'kind':'ResourceQuota','apiVersion':'v1','name':'$',"
               "'spec':{'hard':{'pods':'1'}}}}",
               "full");
    write_step(story, at_ms + draw_magnitude(&story->draw, 10000, 120000),
               "{'delete':{'kind':'ResourceQuota','apiVersion':'v1','name':'$'}}", "full");
}

/* Agents that change while a slow reconcile is about them. */
static void meanwhile(struct story *story)
{
    char name[STORY_NAME_SIZE];

    fault(story, "{'match':{'verb':'get','resource':'agents'},'do':{'delay':'3s'}}");
    fault(story, "{'match':{'verb':'get','resource':'stations'},'when':{'every':2},"
                 "'do':{'delay':'2s'}}");
    for (int64_t i = 1; i <= 8; i++) {
        int64_t at_ms = story_some_time(story);

        snprintf(name, sizeof(name), "m-%" PRId64, i);
        write_step(story, at_ms,
                   "{'apply':{'kind':'Agent','name':'$','spec':{'stationRef':'s-0'}}}", name);
        for (int64_t j = 0; j < 3; j++)
            touch(story, at_ms + draw_between(&story->draw, 500, 9000), name, 25);
    }
}

static void (*const themes[])(struct story *story) = {
    pages,  past,  behind,     late_answers, history,  replacing, shutdown, terms,
    broken, quota, full_house, jobs_before,  no_lease, meanwhile, leaving,
};

void generate_themes(struct story *story)
{
    int64_t count = draw_between(&story->draw, 1, THEMES_MAX);
    bool taken[ARRAY_SIZE(themes)] = {false};

    for (int64_t i = 0; i < count; i++) {
        uint64_t at = draw_below(&story->draw, ARRAY_SIZE(themes));

        if (!taken[at])
            themes[at](story);
        taken[at] = true;
    }
}
