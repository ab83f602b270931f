#include "controller/agents/agents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/agents/admit.h"
#include "controller/agents/agents_parts.h"
#include "controller/agents/plan.h"
#include "controller/agents/run_metrics.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kube/kube_backoff.h"

/* Reconciles and prunings under way at a time (RULES.md 4.5): enough that an API server that takes
 * 20 ms for an answer starts hundreds of runs a second, few enough that no server notices. */
#define TASKS_MAX 16
/* Pieces of work that end at once, before the loop gets a turn again. */
#define WORK_PER_TURN 32

static void work(struct agents *agents);

/* --- timers of the worker --- */

static void on_turn(void *arg)
{
    struct agents *agents = arg;

    agents->turn_timer = NULL;
    work(agents);
}

static void work_soon(struct agents *agents)
{
    if (agents->turn_timer == NULL)
        agents->turn_timer = runtime_after(agents->context.rt, 0, on_turn, agents);
}

static void on_retry(void *arg);

/* Wakes when the next backoff is over. */
static void arm_retry(struct agents *agents)
{
    int64_t wake_us = work_queue_wake_us(agents->queue);

    if (agents->retry_timer != NULL && agents->retry_at_us == wake_us)
        return;
    timer_cancel(agents->retry_timer);
    agents->retry_timer = NULL;
    agents->retry_at_us = wake_us;
    if (wake_us != INT64_MAX) {
        int64_t now_us = runtime_elapsed_us(agents->context.rt);

        agents->retry_timer = runtime_after(agents->context.rt, wake_us - now_us, on_retry, agents);
    }
}

static void on_retry(void *arg)
{
    struct agents *agents = arg;
    int64_t now_us = runtime_elapsed_us(agents->context.rt);

    agents->retry_timer = NULL;
    work_queue_ripen(agents->queue, now_us);
    arm_retry(agents);
    work(agents);
}

/* --- tasks --- */

static struct task *add_task(struct agents *agents)
{
    struct task *task = xcalloc(1, sizeof(*task));

    task->agents = agents;
    task->started_us = runtime_elapsed_us(agents->context.rt);
    DL_APPEND(agents->tasks, task);
    agents->task_count++;
    return task;
}

void task_free(struct task *task)
{
    reconcile_free(task->reconcile);
    prune_free(task->prune);
    free(task->key);
    free(task->station);
    free(task);
}

void task_leave(struct task *task)
{
    struct agents *agents = task->agents;

    DL_DELETE(agents->tasks, task);
    agents->task_count--;
    agents->sweeping -= task->prune != NULL;
    admissions_leave(agents->context.admissions, task->station, task->part);
    task->part = ADMISSION_NONE;
}

/* --- the worker --- */

static void end_pass(struct agents *agents)
{
    struct task *task;

    DL_FOREACH (agents->tasks, task) {
        free(task->key);
        task->key = NULL;
    }
    work_queue_clear(agents->queue);
    text_list_release(&agents->sweep);
    agents->sweep_next = 0;
}

static void on_swept(void *arg)
{
    struct task *task = arg;
    struct agents *agents = task->agents;

    task_leave(task);
    task_free(task);
    work(agents);
}

/* There are news of the Agent of that name. */
static void want(struct agents *agents, const char *name)
{
    int64_t now_us = runtime_elapsed_us(agents->context.rt);

    work_queue_add(agents->queue, name, now_us);
    arm_retry(agents);
}

/* A place at the Station may have come free: who waits for it longest is looked at, and not only at
 * the next poll. */
static void look_at_next(struct agents *agents, const char *station)
{
    const struct agent *next = plan_next_in_line(agents->context.cache, station);

    if (next == NULL)
        return;
    runtime_mark(agents->context.rt, MARK_SLOT_FREED);
    want(agents, next->name);
}

/* The run of that name may have given its place up: by its end, or as it is gone, where it was. */
static void look_behind(struct agents *agents, const char *name, const char *where)
{
    const struct agent *agent = agent_cache_get(agents->context.cache, name);
    const char *station = agent == NULL ? where : agent->station;

    if (station != NULL && !plan_is_due(agent))
        look_at_next(agents, station);
}

/* What the end of a reconcile means for its key. */
static void land(struct task *task, enum reconcile_end end)
{
    struct agents *agents = task->agents;
    int64_t now_us = runtime_elapsed_us(agents->context.rt);

    if (end == RECONCILE_YIELD) {
        runtime_mark(agents->context.rt, MARK_YIELDED_TO_STATION);
        work_queue_hold(agents->queue, task->key, task->station);
    } else if (end == RECONCILE_DONE) {
        work_queue_done(agents->queue, task->key, now_us);
        look_behind(agents, task->key, task->station);
    } else {
        uint64_t random = runtime_random(agents->context.rt);
        unsigned failures = work_queue_failed(agents->queue, task->key, now_us, random,
                                              reconcile_retry_after_us(task->reconcile));

        if (kube_backoff_is_at_cap(failures))
            runtime_mark(agents->context.rt, MARK_BACKOFF_AT_CAP);
    }
    arm_retry(agents);
    if (task->station != NULL)
        work_queue_open(agents->queue, task->station);
}

static void on_reconciled(void *arg, enum reconcile_end end)
{
    struct task *task = arg;
    struct agents *agents = task->agents;
    int64_t now_us = runtime_elapsed_us(agents->context.rt);

    if (end != RECONCILE_YIELD)
        run_metrics_reconciled(agents->context.metrics, end != RECONCILE_ERROR,
                               now_us - task->started_us);
    task_leave(task);
    if (end == RECONCILE_FENCED)
        end_pass(agents); /* leads no more, and will be told so */
    else if (task->key != NULL)
        land(task, end);
    task_free(task);
    work(agents);
}

static bool start_sweep(struct agents *agents)
{
    struct task *task;

    if (agents->sweep_next >= agents->sweep.count)
        return false;
    task = add_task(agents);
    agents->sweeping++;
    task->prune = prune_new(&agents->context, agents->sweep.items[agents->sweep_next++],
                            agents->listed_us, on_swept, task);
    prune_start(task->prune);
    return true;
}

static bool start_reconcile(struct agents *agents)
{
    const struct agent *agent;
    struct work_item item;
    struct task *task;

    if (agents->listing_jobs || agents->sweeping > 0 || !work_queue_take(agents->queue, &item))
        return false;
    agent = agent_cache_get(agents->context.cache, item.key);
    if (admit(&agents->context, agents->queue, &item, agent) == ADMISSION_HOLD) {
        runtime_mark(agents->context.rt, MARK_HELD_FOR_STATION);
        work_queue_hold(agents->queue, item.key, agent->station);
        return true;
    }
    task = add_task(agents);
    task->key = xstrdup(item.key);
    task->station = agent == NULL ? NULL : xstrdup(agent->station);
    task->part = admit_part(agent);
    admissions_enter(agents->context.admissions, task->station, task->part);
    task->reconcile = reconcile_new(&agents->context, &item, on_reconciled, task);
    reconcile_start(task->reconcile);
    return true;
}

static void end_of_work(struct agents *agents)
{
    if (work_queue_marked(agents->queue) == 0)
        job_roll_forget(agents->context.jobs);
    if (agents->poll_passes && work_queue_marked(agents->queue) == 0 && agents->sweeping == 0 &&
        agents->sweep_next >= agents->sweep.count) {
        agents->poll_passes = false;
        follow_poll_done(agents->follow);
    }
}

/* Starts what is to be done next, for as long as that ends at once. */
static void work(struct agents *agents)
{
    unsigned count = 0;

    if (agents->working)
        return; /* called from what it started: it goes on there */
    agents->working = true;
    while (agents->leading && agents->task_count < TASKS_MAX) {
        if (!context_is_leader(&agents->context)) {
            runtime_mark(agents->context.rt, MARK_WORK_FENCED);
            end_pass(agents);
            break;
        }
        if (count++ >= WORK_PER_TURN) {
            work_soon(agents);
            break;
        }
        if (!start_sweep(agents) && !start_reconcile(agents))
            break;
    }
    agents->working = false;
    if (agents->task_count == TASKS_MAX)
        runtime_mark(agents->context.rt, MARK_HOUSE_FULL);
    if (agents->leading)
        end_of_work(agents);
}

/* --- what follow tells --- */

static void on_change(void *arg, const char *name)
{
    struct agents *agents = arg;

    if (plan_is_due(agent_cache_get(agents->context.cache, name)))
        want(agents, name);
    else
        look_behind(agents, name, NULL);
    work(agents);
}

static void on_gone(void *arg, const char *name, const char *station)
{
    struct agents *agents = arg;

    work_queue_forget(agents->queue, name);
    arm_retry(agents);
    if (station != NULL)
        look_at_next(agents, station);
    work(agents);
}

/* A watch from a version that is not there yet is silent until it is. */
static void on_set_back(void *arg)
{
    struct agents *agents = arg;

    job_watch_stop(agents->job_watch);
    job_watch_start(agents->job_watch);
}

/* A Pending Agent may have waited for its namesake's Job to be gone. */
static void on_job_changed(void *arg, const char *name, const char *uid, bool ended)
{
    struct agents *agents = arg;
    const struct agent *agent = agent_cache_get(agents->context.cache, name);
    bool ours = agent != NULL && text_equal(agent->uid, uid);

    if (!plan_is_due(agent) || (!ours && agent->phase != AGENT_PENDING))
        return;
    if (!ours && ended)
        runtime_mark(agents->context.rt, MARK_NAMESAKE_JOB_ENDED);
    job_roll_drop(agents->context.jobs, agent->job);
    if (ended)
        want(agents, name);
    work(agents);
}

static void on_jobs_listed(void *arg)
{
    struct agents *agents = arg;

    agents->listing_jobs = false;
    work(agents);
}

static void on_census(void *arg, bool whole)
{
    ((struct agents *)arg)->context.census_due = !whole;
    on_jobs_listed(arg);
}

/* Before the pass: whose Job is there already, once a term, or which of many runs need no look. */
static void plan_pass(struct agents *agents)
{
    struct plan_pass pass = plan_pass_keys(agents->context.cache, agents->queue, agents->listed_us);
    bool census = agents->context.census_due && pass.pending > 0;

    agents->context.census_due = census;
    if (agents->listing_jobs)
        return;
    agents->listing_jobs = census || pass.running >= JOB_ROLL_RUNS_MIN;
    if (census)
        job_census_take(agents->census, on_census, agents);
    else if (agents->listing_jobs)
        job_roll_list(agents->context.jobs, on_jobs_listed, agents);
}

static void on_list(void *arg, bool poll)
{
    struct agents *agents = arg;

    if (poll)
        run_metrics_phases(agents->context.metrics, agents->context.cache);
    agents->poll_passes = agents->poll_passes || poll;
    agents->listed_us = runtime_elapsed_us(agents->context.rt);
    text_list_release(&agents->sweep);
    agents->sweep_next = 0;
    agent_cache_ended(agents->context.cache, &agents->sweep);
    plan_pass(agents);
    work_soon(agents);
}

static const struct follow_events follow_events = {
    .on_change = on_change,
    .on_gone = on_gone,
    .on_set_back = on_set_back,
    .on_list = on_list,
};

/* --- life --- */

struct agents *agents_new(struct runtime *rt, struct kube *kube, struct metrics *metrics,
                          const struct agents_options *options)
{
    struct agents *agents = xcalloc(1, sizeof(*agents));

    agents->namespace_name = xstrdup(options->namespace_name);
    agents->agent_image = xstrdup(options->agent_image);
    agents->context = (struct agent_context){
        .rt = rt,
        .api = {kube, agents->namespace_name},
        .cache = agent_cache_new(),
        .refs = refs_new(),
        .metrics = metrics,
        .agent_image = agents->agent_image,
        .output_bytes_max = options->output_bytes_max,
        .is_leader = options->is_leader,
        .is_leader_arg = options->arg,
    };
    agents->context.jobs = job_roll_new(rt, &agents->context.api);
    agents->census = job_census_new(rt, &agents->context.api, agents->context.cache);
    agents->context.admissions = admissions_new();
    agents->queue = work_queue_new(TASKS_MAX);
    agents->follow = follow_new(&agents->context, &follow_events, agents);
    agents->job_watch = job_watch_new(rt, &agents->context.api, on_job_changed, agents);
    return agents;
}

static void free_tasks(struct task **tasks)
{
    struct task *task;
    struct task *next = NULL;

    DL_FOREACH_SAFE(*tasks, task, next)
    task_free(task);
    *tasks = NULL;
}

void agents_free(struct agents *agents)
{
    if (agents == NULL)
        return;
    free_tasks(&agents->leftovers);
    free_tasks(&agents->tasks);
    timer_cancel(agents->turn_timer);
    timer_cancel(agents->retry_timer);
    follow_free(agents->follow);
    job_census_free(agents->census);
    job_watch_free(agents->job_watch);
    work_queue_free(agents->queue);
    text_list_release(&agents->sweep);
    agent_cache_free(agents->context.cache);
    refs_free(agents->context.refs);
    job_roll_free(agents->context.jobs);
    admissions_free(agents->context.admissions);
    free(agents->namespace_name);
    free(agents->agent_image);
    free(agents);
}

void agents_begin_term(struct agents *agents)
{
    if (!agents->leading)
        return;
    if (agents->leftovers != NULL) {
        runtime_mark(agents->context.rt, MARK_LEADS_AGAIN_BEHIND_WRITE);
        return;
    }
    follow_start(agents->follow);
    job_watch_start(agents->job_watch);
}

void agents_lead(struct agents *agents, const char *since, bool after_a_lapse)
{
    assert(!agents->leading);
    agents->leading = true;
    agents->context.census_due = true;
    agents->context.prune_from_us = runtime_elapsed_us(agents->context.rt);
    agents->context.prune_from_us += after_a_lapse ? PRUNE_AFTER_LAPSE_US : 0;
    agent_cache_clear(agents->context.cache);
    agent_cache_note_version(agents->context.cache, since);
    refs_clear(agents->context.refs);
    agents_begin_term(agents);
}

void agents_stand_by(struct agents *agents)
{
    if (!agents->leading)
        return;
    agents->leading = false;
    follow_stop(agents->follow);
    job_watch_stop(agents->job_watch);
    agents_leave_work(agents);
    end_pass(agents);
    job_roll_clear(agents->context.jobs);
    job_census_stop(agents->census);
    agents->listing_jobs = false;
    agents->poll_passes = false;
    timer_cancel(agents->turn_timer);
    timer_cancel(agents->retry_timer);
    agents->turn_timer = NULL;
    agents->retry_timer = NULL;
    agent_cache_clear(agents->context.cache);
    run_metrics_phases(agents->context.metrics, agents->context.cache); /* known no more */
}

bool agents_is_healthy(const struct agents *agents)
{
    return follow_is_healthy(agents->follow);
}
