#include "controller/agents/reconcile.h"

#include <assert.h>
#include <stdlib.h>

#include "controller/agents/capacity.h"
#include "controller/agents/reconcile_parts.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/jobs/job_build.h"

/* --- life --- */

struct reconcile *reconcile_new(const struct agent_context *context, const struct work_item *item,
                                void (*done)(void *arg, enum reconcile_end end), void *arg)
{
    struct reconcile *reconcile = xcalloc(1, sizeof(*reconcile));
    int64_t now_us = runtime_elapsed_us(context->rt);

    reconcile->context = context;
    reconcile->name = xstrdup(item->key);
    reconcile->marked = item->marked;
    reconcile->failures = item->failures;
    reconcile->since_us = refs_believed_since(item->since_us, now_us);
    reconcile->done = done;
    reconcile->arg = arg;
    return reconcile;
}

/* Back to knowing nothing but the Agent. */
static void forget(struct reconcile *reconcile)
{
    agent_decision_release(&reconcile->decision);
    ref_drop(reconcile->station);
    ref_drop(reconcile->definition);
    agent_spec_free(reconcile->spec);
    free(reconcile->spec_version);
    free(reconcile->job_text);
    free(reconcile->build_error);
    free(reconcile->create_error);
    job_release(&reconcile->job);
    pod_list_release(&reconcile->pods);
    buffer_release(&reconcile->output);
    reconcile->station = NULL;
    reconcile->definition = NULL;
    reconcile->spec = NULL;
    reconcile->spec_version = NULL;
    reconcile->job_text = NULL;
    reconcile->build_error = NULL;
    reconcile->create_error = NULL;
    reconcile->view = (struct agent_view){0};
}

void reconcile_free(struct reconcile *reconcile)
{
    if (reconcile == NULL)
        return;
    kube_call_cancel(reconcile->call);
    prune_free(reconcile->prune);
    forget(reconcile);
    agent_free(reconcile->agent);
    agent_free(reconcile->victim);
    free(reconcile->name);
    free(reconcile);
}

const char *reconcile_name(const struct reconcile *reconcile)
{
    return reconcile->name;
}

bool reconcile_is_writing(const struct reconcile *reconcile)
{
    return reconcile->writing || (reconcile->prune != NULL && prune_is_writing(reconcile->prune));
}

void reconcile_abandon(struct reconcile *reconcile, void (*done)(void *arg, enum reconcile_end end),
                       void *arg)
{
    assert(reconcile_is_writing(reconcile));
    reconcile->abandoned = true;
    reconcile->done = done;
    reconcile->arg = arg;
    if (reconcile->prune != NULL)
        prune_stop(reconcile->prune, reconcile_on_pruned, reconcile);
}

int64_t reconcile_retry_after_us(const struct reconcile *reconcile)
{
    return reconcile->retry_after_us;
}

void reconcile_finish(struct reconcile *reconcile, enum reconcile_end end)
{
    reconcile->done(reconcile->arg, end);
}

/* --- steps --- */

static void build(struct reconcile *reconcile)
{
    const struct agent_context *context = reconcile->context;
    struct job_order order = {
        .agent_name = reconcile->agent->name,
        .agent_uid = reconcile->agent->uid,
        .namespace_name = context->api.namespace_name,
        .agent_image = context->agent_image,
        .spec = reconcile->spec,
        .station = reconcile->view.station,
        .definition = reconcile->view.definition,
    };
    struct error err = ERROR_INIT;

    free(reconcile->job_text);
    free(reconcile->build_error);
    reconcile->job_text = NULL;
    reconcile->build_error = NULL;
    if (job_build(&order, &reconcile->job_text, &reconcile->job_size, &err)) {
        reconcile->view.build = WRITE_DONE;
        return;
    }
    runtime_mark(context->rt, MARK_BUILD_REFUSED);
    reconcile->build_error = xstrdup(err.text);
    reconcile->view.build = WRITE_REFUSED;
    reconcile->view.build_error = reconcile->build_error;
}

/* Takes over what the cache has now. False when the Agent is gone. */
static bool observe(struct reconcile *reconcile)
{
    const struct agent *now = agent_cache_get(reconcile->context->cache, reconcile->name);
    struct agent *before = reconcile->agent;

    if (now == NULL) {
        runtime_mark(reconcile->context->rt, MARK_AGENT_GONE_MEANWHILE);
        return false;
    }
    if (before != NULL && text_equal(now->uid, before->uid) && now->phase == before->phase &&
        now->deleting == before->deleting && text_equal(now->station, before->station) &&
        text_equal(now->job, before->job)) {
        if (!text_equal(now->resource_version, before->resource_version))
            reconcile->view.build = WRITE_NOT_YET; /* it may read differently now */
    } else {
        if (before != NULL)
            runtime_mark(reconcile->context->rt, MARK_AGENT_CHANGED_MEANWHILE);
        forget(reconcile);
    }
    reconcile->agent = agent_copy(now);
    agent_free(before);
    return true;
}

const char *reconcile_job_name(const struct reconcile *reconcile, char derived[SAFE_NAME_SIZE])
{
    job_name(reconcile->name, derived);
    return reconcile->agent->phase == AGENT_PENDING ? derived
                                                    : text_or(reconcile->agent->job, derived);
}

/* A Station, then its recipe, that another reconcile has read. */
static void look_up(struct reconcile *reconcile)
{
    const struct refs *refs = reconcile->context->refs;
    struct agent_view *view = &reconcile->view;

    if (view->station_read == READ_NOT_YET) {
        reconcile->station = refs_station(refs, reconcile->agent->station, reconcile->since_us);
        if (reconcile->station == NULL)
            return;
        view->station = ref_station(reconcile->station);
        view->station_read = READ_FOUND;
    }
    if (view->station_read == READ_FOUND && view->definition_read == READ_NOT_YET) {
        reconcile->definition =
            refs_definition(refs, view->station->definition, reconcile->since_us);
        if (reconcile->definition == NULL)
            return;
        view->definition = ref_definition(reconcile->definition);
        view->definition_read = READ_FOUND;
    }
}

/* What stands in the way of a start at a Station with a limit. */
static void mark_obstacles(const struct reconcile *reconcile)
{
    const struct agent_view *view = &reconcile->view;
    struct runtime *rt = reconcile->context->rt;

    if (!capacity_is_bounded(view->station))
        return;
    if (view->uncounted)
        runtime_mark(rt, MARK_UNCOUNTED_STATION);
    if (view->ahead > 0)
        runtime_mark(rt, MARK_QUEUED_BEHIND_OLDER);
    if (!view->has_victim && capacity_decide(view->station, view->running) == CAPACITY_PREEMPT)
        runtime_mark(rt, MARK_NO_VICTIM_YET);
}

/* What the decision reads beside what was fetched. */
static void complete_view(struct reconcile *reconcile)
{
    struct agent_view *view = &reconcile->view;
    const struct agent_context *context = reconcile->context;
    const struct agent *agent = reconcile->agent;
    struct admission_load load;
    char derived[SAFE_NAME_SIZE];

    view->agent = agent;
    view->job_unchanged =
        reconcile->marked &&
        job_roll_is_unchanged(context->jobs, reconcile_job_name(reconcile, derived));
    view->now_us = runtime_wall_us(context->rt);
    view->whole =
        reconcile->spec != NULL && text_equal(reconcile->spec_version, agent->resource_version);
    view->uncounted = context->census_due;
    if (agent->phase != AGENT_PENDING || agent->station == NULL)
        return;
    look_up(reconcile);
    if (view->station_read != READ_FOUND)
        return;
    load = admissions_load(context->admissions, agent->station);
    view->crowded = admission_is_crowded(&load);
    view->running = capacity_running(context->cache, agent->station, agent->name);
    view->ahead =
        reconcile->marked || !capacity_is_bounded(view->station)
            ? 0
            : capacity_ahead(context->cache, agent, (size_t)capacity_limit(view->station));
    view->has_victim = view->station->policy == CONCURRENCY_REPLACE &&
                       capacity_victim(context->cache, agent->station, agent->name) != NULL;
    mark_obstacles(reconcile);
}

static void read_step(struct reconcile *reconcile, enum agent_step what)
{
    const struct agent_api *api = &reconcile->context->api;
    const struct agent *agent = reconcile->agent;
    char derived[SAFE_NAME_SIZE];
    const char *job = reconcile_job_name(reconcile, derived);

    if (what == STEP_GET_STATION)
        reconcile->call =
            agent_api_get_station(api, agent->station, reconcile_on_station, reconcile);
    else if (what == STEP_GET_DEFINITION)
        reconcile->call = agent_api_get_definition(api, reconcile->view.station->definition,
                                                   reconcile_on_definition, reconcile);
    else if (what == STEP_GET_AGENT)
        reconcile->call = agent_api_get_agent(api, agent->name, reconcile_on_whole, reconcile);
    else if (what == STEP_REFRESH)
        reconcile->call = agent_api_get_agent(api, agent->name, reconcile_on_refreshed, reconcile);
    else if (what == STEP_GET_JOB)
        reconcile->call = agent_api_get_job(api, job, reconcile_on_job, reconcile);
    else if (what == STEP_LIST_PODS)
        reconcile->call = agent_api_list_pods(api, job, reconcile_on_pods, reconcile);
    else
        reconcile->call = agent_api_get_log(
            api, reconcile->view.pod->name,
            reconcile->context->output_bytes_max == 0 ? 1 : reconcile->context->output_bytes_max,
            reconcile_on_log, reconcile);
}

/* The request has its own copy: with many under way a second one would count. That there was an
 * output is known still. */
static void let_go_of_output(struct reconcile *reconcile)
{
    buffer_release(&reconcile->output);
    reconcile->view.output = NULL;
    reconcile->decision.change.output = NULL;
}

static void create_job(struct reconcile *reconcile)
{
    const struct agent_context *context = reconcile->context;
    const char *uid = reconcile->agent->uid;

    reconcile->sent_again = agent_cache_is_sent(context->cache, uid);
    agent_cache_set_sent(context->cache, uid, true);
    (void)agent_cache_set_begun(context->cache, reconcile->name, uid, true);
    reconcile->view.job_read = READ_NOT_YET;
    reconcile->call = agent_api_create_job(&context->api, reconcile->job_text, reconcile->job_size,
                                           reconcile_on_created, reconcile);
}

static void write_step(struct reconcile *reconcile, enum agent_step what)
{
    const struct agent_context *context = reconcile->context;

    if (!context_is_leader(context)) {
        runtime_mark(context->rt, MARK_RECONCILE_FENCED);
        reconcile_finish(reconcile, RECONCILE_FENCED);
        return;
    }
    if (what == STEP_PRUNE) {
        reconcile->prune = prune_new(context, reconcile->agent->station, reconcile->since_us,
                                     reconcile_on_pruned, reconcile);
        prune_start(reconcile->prune);
        return;
    }
    reconcile->writing = true;
    if (what == STEP_CREATE_JOB) {
        create_job(reconcile);
    } else if (what == STEP_DELETE_VICTIM) {
        agent_free(reconcile->victim);
        reconcile->victim =
            agent_copy(capacity_victim(context->cache, reconcile->agent->station, reconcile->name));
        reconcile->call = agent_api_delete(&context->api, reconcile->victim,
                                           reconcile_on_victim_deleted, reconcile);
    } else {
        agent_cache_begin_write(context->cache, reconcile->name);
        reconcile->call =
            agent_api_patch(&context->api, reconcile->agent, &reconcile->decision.change,
                            reconcile_on_patched, reconcile);
        let_go_of_output(reconcile);
    }
}

static void mark_step(const struct reconcile *reconcile)
{
    const struct agent_decision *decision = &reconcile->decision;
    bool running = reconcile->agent->phase == AGENT_RUNNING;

    if (decision->step == STEP_PATCH && decision->event == RUN_MISSING_REF)
        runtime_mark(reconcile->context->rt, MARK_REF_MISSING);
    else if (decision->step == STEP_DONE && running && reconcile->view.job_unchanged)
        runtime_mark(reconcile->context->rt, MARK_ROLL_SPARED_A_READ);
}

void reconcile_step(struct reconcile *reconcile)
{
    enum agent_step what;

    do {
        if (reconcile->view.patch == WRITE_NOT_YET && !observe(reconcile)) {
            reconcile_finish(reconcile, RECONCILE_DONE);
            return;
        }
        complete_view(reconcile);
        agent_decision_release(&reconcile->decision);
        agent_decide(&reconcile->view, &reconcile->decision);
        what = reconcile->decision.step;
        if (what == STEP_BUILD_JOB)
            build(reconcile);
    } while (what == STEP_BUILD_JOB);

    mark_step(reconcile);
    if (what == STEP_DONE)
        reconcile_finish(reconcile, RECONCILE_DONE);
    else if (what == STEP_RETRY)
        reconcile_finish(reconcile, RECONCILE_ERROR);
    else if (what == STEP_YIELD)
        reconcile_finish(reconcile, RECONCILE_YIELD);
    else if (what == STEP_PRUNE && reconcile->agent->station == NULL)
        reconcile_finish(reconcile, RECONCILE_DONE); /* of no Station: no history */
    else if (what == STEP_CREATE_JOB || what == STEP_DELETE_VICTIM || what == STEP_PATCH ||
             what == STEP_PRUNE)
        write_step(reconcile, what);
    else
        read_step(reconcile, what);
}

void reconcile_start(struct reconcile *reconcile)
{
    reconcile_step(reconcile);
}
