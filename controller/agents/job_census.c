#include "controller/agents/job_census.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/jobs/job_wire.h"
#include "controller/kube/kube_list.h"

struct job_census {
    struct runtime *rt;
    struct agent_cache *cache;
    struct kube_lister *lister;
    char *floor; /* the newest version known when the listing was sent, or NULL */
    void (*done)(void *arg, bool whole);
    void *arg;
};

static bool on_item(void *arg, const struct kube_item *item)
{
    struct job_census *census = arg;
    struct job_owner owner;

    if (!job_owner_read(item->metadata, &owner))
        return true; /* of no Agent, or on its way out */
    if (agent_cache_set_begun(census->cache, owner.name, owner.uid, true))
        runtime_mark(census->rt, MARK_CENSUS_FOUND_A_JOB);
    job_owner_release(&owner);
    return true;
}

static void on_restart(void *arg)
{
    (void)arg; /* what was seen was there */
}

static void on_end(void *arg, const struct kube_list_result *result)
{
    struct job_census *census = arg;
    bool older = result->ok && census->floor != NULL &&
                 agent_cache_is_older(result->resource_version, census->floor);
    const char *why = older ? "the listing is older than what is known" : result->error.text;
    const struct log_field fields[] = {LOG_TEXT("error", why)};
    const struct log_record record = {LOG_WARN, "Jobs not listed", fields, ARRAY_SIZE(fields)};

    if (!result->ok || older) {
        runtime_mark(census->rt, older ? MARK_CENSUS_IS_OLDER : MARK_CENSUS_FAILED);
        runtime_log(census->rt, &record);
    }
    census->done(census->arg, result->ok && !older);
}

static const struct kube_list_events events = {
    .on_item = on_item,
    .on_restart = on_restart,
    .on_end = on_end,
};

void job_census_take(struct job_census *census, void (*done)(void *arg, bool whole), void *arg)
{
    free(census->floor);
    census->floor = xstrdup(agent_cache_newest(census->cache));
    census->done = done;
    census->arg = arg;
    kube_lister_start(census->lister);
}

void job_census_stop(struct job_census *census)
{
    kube_lister_stop(census->lister);
}

struct job_census *job_census_new(struct runtime *rt, const struct agent_api *api,
                                  struct agent_cache *cache)
{
    static const char *const columns[] = {"Name"};
    const struct kube_lister_options options = {.resource = &agent_api_jobs,
                                                .namespace_name = api->namespace_name,
                                                .columns = columns,
                                                .column_count = ARRAY_SIZE(columns)};
    struct job_census *census = xcalloc(1, sizeof(*census));

    census->rt = rt;
    census->cache = cache;
    census->lister = kube_lister_new(api->kube, &options, &events, census);
    return census;
}

void job_census_free(struct job_census *census)
{
    if (census == NULL)
        return;
    kube_lister_free(census->lister);
    free(census->floor);
    free(census);
}
