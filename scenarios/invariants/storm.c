/* storm - I-STORM: nobody of ours repeats a request without pause, whatever goes wrong. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/invariants/rows.h"

/** Span over which requests are counted. */
#define WINDOW_US (10 * US_PER_SECOND)
/** One request (method, path and what it selects) that is answered with an error or not at all: the
 * shortest pause between two tries is 2 s (controller/RULES.md 4.1), with room for several who try
 * the same. */
#define FAILED_REPEATS_MAX 25
/** ... and for each Agent, which may make its own try in one pass. */
#define FAILED_REPEATS_PER_AGENT 4
/** All requests of one replica: what one pass over a full house needs, many times over. */
#define REQUESTS_MAX 4000
#define REQUESTS_PER_AGENT 20
/** Requests of one replica under way at once: 16 reconciles (controller/RULES.md 4.5), two watches,
 * listings of Agents and of Jobs, the Lease, and some room. */
#define UNDER_WAY_MAX 24

struct counter {
    char *key;
    int64_t window_start_us;
    uint64_t count;
    UT_hash_handle hh;
};

struct state {
    struct counter *failed;
    struct counter *all;
    struct counter *under_way; /* by client */
};

static void *create(void)
{
    return xcalloc(1, sizeof(struct state));
}

static void free_counters(struct counter **counters)
{
    while (*counters != NULL) {
        struct counter *counter = *counters;

        HASH_DEL(*counters, counter);
        free(counter->key);
        free(counter);
    }
}

static void destroy(void *arg)
{
    struct state *state = arg;

    free_counters(&state->failed);
    free_counters(&state->all);
    free_counters(&state->under_way);
    free(state);
}

static struct counter *ensure_counter(struct counter **counters, const char *key, int64_t at_us)
{
    struct counter *counter;

    HASH_FIND_STR(*counters, key, counter);
    if (counter != NULL)
        return counter;
    counter = xcalloc(1, sizeof(*counter));
    counter->key = xstrdup(key);
    counter->window_start_us = at_us;
    HASH_ADD_KEYPTR(hh, *counters, counter->key, strlen(counter->key), counter);
    return counter;
}

static uint64_t count_up(struct counter **counters, const char *key, int64_t at_us)
{
    struct counter *counter = ensure_counter(counters, key, at_us);

    if (at_us - counter->window_start_us > WINDOW_US) {
        counter->window_start_us = at_us;
        counter->count = 0;
    }
    return ++counter->count;
}

static size_t agents(const struct judge *judge)
{
    return HASH_COUNT(judge->model->agents);
}

/** Pages and versions make no other request, but the pods of another Job do. */
static char *key_of(const struct call *call)
{
    const char *selector = strstr(call->target, "labelSelector=");

    if (selector == NULL)
        selector = "";
    return xprintf("%s %s %.*s%s%.*s", call->client, call->method, (int)strcspn(call->target, "?"),
                   call->target, selector[0] != '\0' ? "?" : "", (int)strcspn(selector, "&"),
                   selector);
}

static void on_failure(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;
    char *key = key_of(call);
    uint64_t count = count_up(&state->failed, key, call->at_us);

    if (count > FAILED_REPEATS_MAX + FAILED_REPEATS_PER_AGENT * agents(judge))
        judge_violation(judge, call->at_us, "%s failed %" PRIu64 " times within 10 s", key, count);
    free(key);
}

static void note_under_way(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;
    struct counter *counter = ensure_counter(&state->under_way, call->client, call->at_us);

    if (call->stage == CALL_SENT)
        counter->count++;
    else if (call->stage == CALL_ENDED && counter->count > 0)
        counter->count--;
    if (counter->count > UNDER_WAY_MAX)
        judge_violation(judge, call->at_us, "%s has %" PRIu64 " requests under way at once",
                        call->client, counter->count);
}

/* What a process has sent ends with it. */
static void on_process(struct judge *judge, int64_t at_us, const char *process,
                       enum process_change change)
{
    struct state *state = judge->state;

    (void)change;
    ensure_counter(&state->under_way, process, at_us)->count = 0;
}

static void on_call(struct judge *judge, const struct call *call)
{
    struct state *state = judge->state;
    uint64_t count;

    if (!call->by_controller)
        return;
    note_under_way(judge, call);
    if (call->stage == CALL_ENDED && (call->status == 0 || call->status >= 400))
        on_failure(judge, call);
    if (call->stage != CALL_SENT)
        return;
    count = count_up(&state->all, call->client, call->at_us);
    if (count > REQUESTS_MAX + REQUESTS_PER_AGENT * agents(judge))
        judge_violation(judge, call->at_us, "%s sent %" PRIu64 " requests within 10 s",
                        call->client, count);
}

const struct invariant invariant_storm = {
    .id = "I-STORM",
    .what =
        "requests, and repeats of one that fails, stay under fixed rates, and few are under way",
    .create = create,
    .destroy = destroy,
    .on_call = on_call,
    .on_process = on_process,
};
