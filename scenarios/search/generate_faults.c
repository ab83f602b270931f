/* generate_faults - the swarm: a few kinds of the table, each aimed at some of the requests that a
 * controller makes, for some of the time. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/search/document.h"
#include "scenarios/search/generate_parts.h"

/** Most kinds of one story: with all at once nothing would ever work. */
#define KINDS_MAX 8
/** Room for the table's. */
#define KINDS_IN_ALL_MAX 256

/** The first of them. */
#define LIST_AGENTS 0

/** What a replica asks. */
static const struct target_call {
    const char *verb;
    const char *resource;
} calls[] = {
    {"list",   "agents"          },
    {"watch",  "agents"          },
    {"get",    "agents"          },
    {"patch",  "agents/status"   },
    {"delete", "agents"          },
    {"get",    "stations"        },
    {"get",    "agentdefinitions"},
    {"create", "jobs"            },
    {"get",    "jobs"            },
    {"list",   "jobs"            },
    {"watch",  "jobs"            },
    {"list",   "pods"            },
    {"get",    "pods/log"        },
    {"get",    "leases"          },
    {"patch",  "leases"          },
    {"create", "leases"          },
};

/** Values of "do" that are drawn anew; what is not here stays as the kind's example has it. */
static const struct range {
    const char *key;
    const char *unit; /* NULL: a number */
    int64_t low;
    int64_t high;
} ranges[] = {
    {"delay_event", "ms", 50,   25000},
    {"delay",       "ms", 50,   25000},
    {"late",        "ms", 500,  45000},
    {"for",         "ms", 500,  40000},
    {"age",         "ms", 1000, 90000},
    {"cut_at",      NULL, 1,    3000 },
    {"retry_after", NULL, 1,    20   },
};

/* --- what happens --- */

static void draw_values(struct story *story, struct json_object *deed)
{
    struct json_object *stale = json_get_object(deed, "stale");

    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
        const struct range *range = &ranges[i];
        struct json_object *where = strcmp(range->key, "age") == 0 ? stale : deed;
        int64_t value;

        if (where == NULL || json_get(where, range->key) == NULL)
            continue;
        value = draw_magnitude(&story->draw, range->low, range->high);
        json_set(where, range->key,
                 range->unit == NULL ? json_object_new_int64(value)
                                     : story_tree("'%" PRId64 "%s'", value, range->unit));
    }
}

static struct json_object *deed_of(struct story *story, const struct fault_kind *kind,
                                   const char *peer)
{
    static const char *const moments[] = {"sent", "applied", "answered"};
    char *text = fault_kind_deed(kind, peer);
    struct json_object *deed = NULL;
    struct error err = ERROR_INIT;

    if (!document_read(text, strlen(text), &deed, &err))
        abort(); /* the table's own example */
    free(text);
    draw_values(story, deed);
    if (kind->moments)
        json_set_text(deed, "moment", DRAW_ONE_OF(&story->draw, moments));
    return deed;
}

/* --- to which requests, and when --- */

/* Two listings of Agents in a row from the past are believed (controller/RULES.md 13.1), so there
 * is a theme for one, and the store itself may be set back. */
static bool applies(const struct fault_kind *kind, const struct target_call *call)
{
    unsigned site = fault_site_of_verb(call->verb);

    if (strcmp(kind->key, "stale") == 0 && call == &calls[LIST_AGENTS])
        return false;
    if (fault_kind_applies(kind, site, call->resource))
        return true;
    return site == FAULT_SITE_WATCH && fault_kind_applies(kind, FAULT_SITE_EVENT, call->resource);
}

static const struct target_call *some_call(struct story *story, const struct fault_kind *kind)
{
    const struct target_call *fitting[ARRAY_SIZE(calls)];
    size_t count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(calls); i++) {
        if (applies(kind, &calls[i]))
            fitting[count++] = &calls[i];
    }
    return count == 0 ? NULL : fitting[draw_below(&story->draw, count)];
}

static bool hits_a_process(const struct fault_kind *kind)
{
    return strstr(kind->example, "{peer}") != NULL;
}

/* Rarely for good, for then nothing else would be reached. What hits a process does so a few times
 * at most: one that is killed at its first request each time is a storm that no cluster allows. */
static struct json_object *some_occasions(struct story *story, bool few)
{
    struct draw *draw = &story->draw;
    int64_t from_ms = story_some_time(story);
    int64_t until_ms = from_ms + draw_magnitude(draw, 5000, 240000);

    switch (few ? 2 * draw_below(draw, 2) : draw_below(draw, 5)) {
    case 0:
        return story_tree("{'nth':%" PRId64 "}", draw_magnitude(draw, 1, 40));
    case 1:
        return story_tree("{'every':%" PRId64 ",'until':'%" PRId64 "ms'}", draw_between(draw, 2, 9),
                          until_ms);
    case 2:
        return story_tree("{'from':'%" PRId64 "ms','count':%" PRId64 "}", from_ms,
                          draw_between(draw, 1, 4));
    case 3:
        return story_tree("{'from':'%" PRId64 "ms','until':'%" PRId64 "ms'}", from_ms, until_ms);
    default:
        return story_tree("{'probability':0.%02" PRId64 "}", draw_between(draw, 2, 40));
    }
}

/* False where no request of a replica fits. */
static bool add_fault(struct story *story, const struct fault_kind *kind)
{
    const struct target_call *call = some_call(story, kind);
    char name[STORY_NAME_SIZE];
    const char *peer = story_some_replica(story, name);
    bool all = draw_chance(&story->draw, 50) && !hits_a_process(kind);
    struct json_object *fault;

    if (call == NULL)
        return false;
    fault = story_tree("{'match':{'peer':'%s','verb':'%s','resource':'%s'}}", all ? "ctl-*" : peer,
                       call->verb, call->resource);
    json_set(fault, "when", some_occasions(story, hits_a_process(kind)));
    json_set(fault, "do", deed_of(story, kind, peer));
    json_set_bool(fault, "optional", true);
    json_add(story->faults, fault);
    return true;
}

void generate_faults(struct story *story)
{
    bool taken[KINDS_IN_ALL_MAX] = {false};
    int64_t wanted = draw_between(&story->draw, GENERATE_KINDS_MIN, KINDS_MAX);
    size_t count = fault_kind_count() < ARRAY_SIZE(taken) ? fault_kind_count() : ARRAY_SIZE(taken);

    for (int64_t kinds = 0; kinds < wanted;) {
        uint64_t index = draw_below(&story->draw, count);
        bool twice = draw_chance(&story->draw, 40);

        if (taken[index] || !add_fault(story, fault_kind_at(index)))
            continue;
        if (twice)
            (void)add_fault(story, fault_kind_at(index));
        taken[index] = true;
        kinds++;
    }
}
