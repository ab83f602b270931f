#include "controller/agents/prune.h"

#include <stdlib.h>

#include "controller/agents/prune_decide.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"

struct prune {
    const struct agent_context *context;
    char *station;
    int64_t since_us;
    void (*done)(void *arg);
    void *arg;
    struct kube_call *call;
    bool writing;
    struct agent **doomed; /* copies, in the order of their deletion */
    size_t doomed_count;
    size_t next;
    bool stopped;
};

static void delete_next(struct prune *prune);

struct prune *prune_new(const struct agent_context *context, const char *station, int64_t since_us,
                        void (*done)(void *arg), void *arg)
{
    struct prune *prune = xcalloc(1, sizeof(*prune));
    int64_t now_us = runtime_elapsed_us(context->rt);

    prune->context = context;
    prune->station = xstrdup(station);
    prune->since_us = refs_believed_since(since_us, now_us);
    prune->done = done;
    prune->arg = arg;
    return prune;
}

void prune_free(struct prune *prune)
{
    if (prune == NULL)
        return;
    kube_call_cancel(prune->call);
    for (size_t i = 0; i < prune->doomed_count; i++)
        agent_free(prune->doomed[i]);
    free(prune->doomed);
    free(prune->station);
    free(prune);
}

const char *prune_station(const struct prune *prune)
{
    return prune->station;
}

bool prune_is_writing(const struct prune *prune)
{
    return prune->writing;
}

void prune_stop(struct prune *prune, void (*done)(void *arg), void *arg)
{
    prune->stopped = true;
    prune->done = done;
    prune->arg = arg;
}

static void tell(const struct prune *prune, const struct agent *agent)
{
    const struct log_field fields[] = {LOG_TEXT("agent", agent->name),
                                       LOG_TEXT("station", prune->station)};
    const struct log_record record = {LOG_INFO, "history pruned", fields, ARRAY_SIZE(fields)};

    runtime_log(prune->context->rt, &record);
}

static void mark_deleted(struct prune *prune, const struct kube_result *result)
{
    bool deleted = kube_result_landed(result);

    runtime_mark(prune->context->rt, deleted                          ? MARK_PRUNED
                                     : kube_result_is_missing(result) ? MARK_PRUNE_WAS_GONE
                                     : result->status == 409          ? MARK_PRUNE_CONFLICT
                                                                      : MARK_PRUNE_FAILED);
}

static void on_deleted(void *arg, const struct kube_result *result)
{
    struct prune *prune = arg;
    const struct agent *agent = prune->doomed[prune->next++];
    const struct agent_context *context = prune->context;
    bool deleted = kube_result_landed(result);

    prune->call = NULL;
    prune->writing = false;
    agent_cache_set_leaving(context->cache, agent->uid, false);
    mark_deleted(prune, result);
    if (deleted)
        tell(prune, agent); /* where it is missing, somebody else has deleted it */
    if (deleted || kube_result_is_missing(result))
        agent_cache_mark_deleting(context->cache, agent->name, agent->uid);
    else if (result->status != 409) /* a conflict: it is looked at again in the next sweep */
        context_log_failure(context, "history not pruned", "agent", agent->name, &result->error);
    if (result->retry_after_us > 0)
        prune->stopped = true; /* the next sweep goes on */
    delete_next(prune);
}

/* Whether it is gone already, or going, or another pruning of the Station is deleting it. */
static bool is_done_with(const struct prune *prune, const struct agent *doomed)
{
    const struct agent *agent = agent_cache_get(prune->context->cache, doomed->name);
    bool leaving = agent_cache_is_leaving(prune->context->cache, doomed->uid);

    if (leaving)
        runtime_mark(prune->context->rt, MARK_PRUNE_SHARED);
    return agent == NULL || agent->deleting || !text_equal(agent->uid, doomed->uid) || leaving;
}

static void delete_next(struct prune *prune)
{
    while (prune->next < prune->doomed_count && is_done_with(prune, prune->doomed[prune->next]))
        prune->next++;
    if (prune->next >= prune->doomed_count || prune->stopped) {
        prune->done(prune->arg);
        return;
    }
    if (!context_is_leader(prune->context)) {
        runtime_mark(prune->context->rt, MARK_PRUNE_FENCED);
        prune->done(prune->arg);
        return;
    }
    prune->writing = true;
    agent_cache_set_leaving(prune->context->cache, prune->doomed[prune->next]->uid, true);
    prune->call =
        agent_api_delete(&prune->context->api, prune->doomed[prune->next], on_deleted, prune);
}

/* Appends those that have ended so; agents has room for them. */
static size_t gather(const struct prune *prune, enum roster_part part, const struct agent **agents)
{
    const struct roster_place *place =
        agent_cache_first_at(prune->context->cache, prune->station, part);
    size_t count = 0;

    for (; place != NULL; place = place->next)
        agents[count++] = place->agent;
    return count;
}

static void choose(struct prune *prune, struct ref *station)
{
    const struct agent_cache *cache = prune->context->cache;
    size_t succeeded = agent_cache_count_at(cache, prune->station, ROSTER_SUCCEEDED);
    size_t failed = agent_cache_count_at(cache, prune->station, ROSTER_FAILED);

    if (prune_is_due(ref_station(station), succeeded, failed)) {
        const struct agent **agents = xcalloc(succeeded + failed + 1, sizeof(const struct agent *));
        size_t count = gather(prune, ROSTER_SUCCEEDED, agents);

        count += gather(prune, ROSTER_FAILED, agents + count);
        prune->doomed_count = prune_decide(ref_station(station), agents, count);
        prune->doomed = xcalloc(prune->doomed_count + 1, sizeof(struct agent *));
        for (size_t i = 0; i < prune->doomed_count; i++)
            prune->doomed[i] = agent_copy(agents[i]);
        free(agents);
    }
    ref_drop(station);
    delete_next(prune);
}

static void on_station(void *arg, const struct kube_result *result)
{
    struct prune *prune = arg;
    struct station *station = NULL;
    struct error err = result->error;

    prune->call = NULL;
    if (result->ok && station_read(result->body, &station, &err)) {
        choose(prune, refs_add_station(prune->context->refs, station, result->sent_elapsed_us));
        return;
    }
    if (kube_result_is_missing(result)) /* nothing says how much history to keep */
        runtime_mark(prune->context->rt, MARK_PRUNE_WITHOUT_STATION);
    else
        context_log_failure(prune->context, "history not pruned", "station", prune->station, &err);
    prune->done(prune->arg);
}

void prune_start(struct prune *prune)
{
    int64_t now_us = runtime_elapsed_us(prune->context->rt);
    struct ref *station;

    if (now_us < prune->context->prune_from_us) {
        runtime_mark(prune->context->rt, MARK_PRUNE_AFTER_LAPSE);
        prune->done(prune->arg); /* a later sweep */
        return;
    }
    station = refs_station(prune->context->refs, prune->station, prune->since_us);
    if (station != NULL)
        choose(prune, station);
    else
        prune->call =
            agent_api_get_station(&prune->context->api, prune->station, on_station, prune);
}
