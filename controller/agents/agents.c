#include "controller/agents/agents.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/agents/context.h"
#include "controller/agents/follow.h"
#include "controller/agents/prune.h"
#include "controller/agents/prune_decide.h"
#include "controller/agents/queue.h"
#include "controller/agents/reconcile.h"
#include "controller/agents/run_metrics.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/kinds/text_list.h"

/* Reconciles and prunings are serialised on one worker (RULES.md 4.5). */
#define IN_FLIGHT_MAX 1
/* Writes that are called by name where a shutdown cuts them off. */
#define WRITES_NAMED_MAX 8
/* Pieces of work that end at once, before the loop gets a turn again. */
#define WORK_PER_TURN 32

/* A write of a leadership that has ended, left to end by itself. */
struct leftover {
    struct agents *agents;
    struct reconcile *reconcile; /* or */
    struct prune *prune;
    struct leftover *prev;
    struct leftover *next;
};

struct agents {
    struct agent_context context;
    char *namespace_name;
    char *agent_image;
    struct follow *follow;
    struct work_queue *queue;
    bool leading;

    /* The worker. */
    struct text_list sweep; /* Stations to prune before anything else, from sweep_next on */
    size_t sweep_next;
    struct prune *prune; /* of the sweep */
    bool listing_jobs;   /* for the pass; reconciles wait for it */
    struct reconcile *reconcile;
    char *key; /* that it reconciles */
    int64_t key_started_us;
    bool working;     /* inside work() */
    bool poll_passes; /* a poll waits for the end of its pass */
    bool refs_stale;
    struct timer *turn_timer;
    struct timer *retry_timer;
    int64_t retry_at_us; /* when retry_timer is due */

    struct leftover *leftovers;
    void (*stopped)(void *arg);
    void *stopped_arg;
};

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

/* --- the worker --- */

static void end_pass(struct agents *agents)
{
    work_queue_clear(agents->queue);
    text_list_release(&agents->sweep);
    agents->sweep_next = 0;
}

static void on_swept(void *arg)
{
    struct agents *agents = arg;

    prune_free(agents->prune);
    agents->prune = NULL;
    work(agents);
}

static void on_reconciled(void *arg, enum reconcile_end end)
{
    struct agents *agents = arg;
    int64_t now_us = runtime_elapsed_us(agents->context.rt);

    run_metrics_reconciled(agents->context.metrics, end != RECONCILE_ERROR,
                           now_us - agents->key_started_us);
    reconcile_free(agents->reconcile);
    agents->reconcile = NULL;
    if (end == RECONCILE_FENCED) {
        end_pass(agents); /* leads no more, and will be told so */
    } else if (end == RECONCILE_DONE) {
        work_queue_done(agents->queue, agents->key);
    } else {
        uint64_t random = runtime_random(agents->context.rt);

        work_queue_failed(agents->queue, agents->key, now_us, random);
        arm_retry(agents);
    }
    free(agents->key);
    agents->key = NULL;
    work(agents);
}

/* What was read for the pass serves the pass alone; other reconciles read anew. */
static void renew_refs(struct agents *agents, bool marked)
{
    if (!marked)
        job_roll_forget(agents->context.jobs);
    if (agents->refs_stale || !marked)
        refs_clear(agents->context.refs);
    else
        refs_trim(agents->context.refs);
    agents->refs_stale = false;
}

static bool start_sweep(struct agents *agents)
{
    if (agents->sweep_next >= agents->sweep.count)
        return false;
    renew_refs(agents, true);
    agents->prune =
        prune_new(&agents->context, agents->sweep.items[agents->sweep_next++], on_swept, agents);
    prune_start(agents->prune);
    return true;
}

static bool start_reconcile(struct agents *agents)
{
    bool marked = false;
    const char *key = agents->listing_jobs ? NULL : work_queue_take(agents->queue, &marked);

    if (key == NULL)
        return false;
    renew_refs(agents, marked);
    agents->key = xstrdup(key);
    agents->key_started_us = runtime_elapsed_us(agents->context.rt);
    agents->reconcile = reconcile_new(&agents->context, key, on_reconciled, agents);
    reconcile_start(agents->reconcile);
    return true;
}

static void end_of_work(struct agents *agents)
{
    if (work_queue_marked(agents->queue) == 0)
        job_roll_forget(agents->context.jobs);
    if (agents->poll_passes && work_queue_marked(agents->queue) == 0 &&
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
    while (agents->leading && agents->prune == NULL && agents->reconcile == NULL) {
        if (!context_is_leader(&agents->context)) {
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
    if (agents->leading)
        end_of_work(agents);
}

/* --- what follow tells --- */

static bool is_due(const struct agent *agent)
{
    return !agent->deleting && !agent_phase_is_terminal(agent->phase);
}

static void on_change(void *arg, const char *name)
{
    struct agents *agents = arg;

    if (!is_due(agent_cache_get(agents->context.cache, name)))
        return;
    work_queue_add(agents->queue, name);
    work(agents);
}

static void on_gone(void *arg, const char *name)
{
    struct agents *agents = arg;

    work_queue_forget(agents->queue, name);
    arm_retry(agents);
}

static int compare_created(const struct agent *a, const struct agent *b)
{
    return (a->created_at_us > b->created_at_us) - (a->created_at_us < b->created_at_us);
}

/* The order of a pass: Running before Pending, first come, first served (RULES.md 3.4). */
static int compare_pass(const void *left, const void *right)
{
    const struct agent *a = *(const struct agent *const *)left;
    const struct agent *b = *(const struct agent *const *)right;
    int order = (int)b->phase - (int)a->phase; /* AGENT_RUNNING is above AGENT_PENDING */

    if (order == 0)
        order = compare_created(a, b);
    return order == 0 ? strcmp(a->name, b->name) : order;
}

static void on_jobs_listed(void *arg)
{
    struct agents *agents = arg;

    agents->listing_jobs = false;
    work(agents);
}

static void plan_pass(struct agents *agents)
{
    size_t count;
    size_t running = 0;
    const struct agent **all = agent_cache_sorted(agents->context.cache, &count);
    size_t due = 0;

    for (size_t i = 0; i < count; i++) {
        if (is_due(all[i]))
            all[due++] = all[i];
    }
    qsort(all, due, sizeof(const struct agent *), compare_pass);
    for (size_t i = 0; i < due; i++) {
        running += all[i]->phase == AGENT_RUNNING;
        work_queue_add_marked(agents->queue, all[i]->name);
    }
    free(all);
    if (running >= JOB_ROLL_RUNS_MIN && !agents->listing_jobs) {
        agents->listing_jobs = true;
        job_roll_list(agents->context.jobs, on_jobs_listed, agents);
    }
}

static int compare_stations(const void *left, const void *right)
{
    const struct agent *a = *(const struct agent *const *)left;
    const struct agent *b = *(const struct agent *const *)right;

    return strcmp(a->station, b->station);
}

/* Every Station that has anything to prune, by name. */
static void plan_sweep(struct agents *agents)
{
    size_t count;
    const struct agent **all = agent_cache_sorted(agents->context.cache, &count);
    size_t ended = 0;

    text_list_release(&agents->sweep);
    agents->sweep_next = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i]->station != NULL && prune_counts(all[i], all[i]->station))
            all[ended++] = all[i];
    }
    qsort(all, ended, sizeof(const struct agent *), compare_stations);
    for (size_t i = 0; i < ended; i++) {
        if (i == 0 || !text_equal(all[i]->station, all[i - 1]->station))
            text_list_add(&agents->sweep, all[i]->station);
    }
    free(all);
}

static void on_list(void *arg, bool poll)
{
    struct agents *agents = arg;

    if (poll)
        run_metrics_phases(agents->context.metrics, agents->context.cache);
    agents->poll_passes = agents->poll_passes || poll;
    agents->refs_stale = true;
    plan_sweep(agents);
    plan_pass(agents);
    work_soon(agents);
}

static const struct follow_events follow_events = {
    .on_change = on_change,
    .on_gone = on_gone,
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
    agents->queue = work_queue_new(IN_FLIGHT_MAX);
    agents->follow = follow_new(&agents->context, &follow_events, agents);
    return agents;
}

static void free_leftover(struct leftover *leftover)
{
    struct agents *agents = leftover->agents;

    DL_DELETE(agents->leftovers, leftover);
    reconcile_free(leftover->reconcile);
    prune_free(leftover->prune);
    free(leftover);
}

void agents_free(struct agents *agents)
{
    if (agents == NULL)
        return;
    while (agents->leftovers != NULL)
        free_leftover(agents->leftovers);
    timer_cancel(agents->turn_timer);
    timer_cancel(agents->retry_timer);
    reconcile_free(agents->reconcile);
    prune_free(agents->prune);
    follow_free(agents->follow);
    work_queue_free(agents->queue);
    text_list_release(&agents->sweep);
    agent_cache_free(agents->context.cache);
    refs_free(agents->context.refs);
    job_roll_free(agents->context.jobs);
    free(agents->key);
    free(agents->namespace_name);
    free(agents->agent_image);
    free(agents);
}

/* Lists from scratch, but not while a write of ours may still land behind the listing's back. */
static void begin_term(struct agents *agents)
{
    if (agents->leading && agents->leftovers == NULL)
        follow_start(agents->follow);
}

static void end_leftover(struct leftover *leftover)
{
    struct agents *agents = leftover->agents;

    free_leftover(leftover);
    begin_term(agents);
    if (agents->leftovers == NULL && agents->stopped != NULL)
        agents->stopped(agents->stopped_arg); /* may free us: last */
}

static void on_leftover_reconciled(void *arg, enum reconcile_end end)
{
    (void)end;
    end_leftover(arg);
}

static void on_leftover_pruned(void *arg)
{
    end_leftover(arg);
}

/* Hands what is writing over to the leftovers, and drops what is only reading. */
static void leave_work(struct agents *agents)
{
    bool reconciling = agents->reconcile != NULL && reconcile_is_writing(agents->reconcile);
    bool pruning = agents->prune != NULL && prune_is_writing(agents->prune);
    struct leftover *leftover;

    if (reconciling || pruning) {
        leftover = xcalloc(1, sizeof(*leftover));
        leftover->agents = agents;
        DL_APPEND(agents->leftovers, leftover);
        if (reconciling) {
            leftover->reconcile = agents->reconcile;
            reconcile_abandon(agents->reconcile, on_leftover_reconciled, leftover);
            agents->reconcile = NULL;
        } else {
            leftover->prune = agents->prune;
            prune_stop(agents->prune, on_leftover_pruned, leftover);
            agents->prune = NULL;
        }
    }
    reconcile_free(agents->reconcile);
    prune_free(agents->prune);
    agents->reconcile = NULL;
    agents->prune = NULL;
    free(agents->key);
    agents->key = NULL;
}

void agents_lead(struct agents *agents)
{
    assert(!agents->leading);
    agents->leading = true;
    agent_cache_clear(agents->context.cache);
    refs_clear(agents->context.refs);
    begin_term(agents);
}

void agents_stand_by(struct agents *agents)
{
    if (!agents->leading)
        return;
    agents->leading = false;
    follow_stop(agents->follow);
    leave_work(agents);
    end_pass(agents);
    job_roll_clear(agents->context.jobs);
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

void agents_name_writes(const struct agents *agents, struct buffer *into)
{
    const struct leftover *leftover;
    size_t count = 0;

    DL_FOREACH (agents->leftovers, leftover) {
        if (count++ >= WRITES_NAMED_MAX)
            continue;
        buffer_append_text(into, count == 1 ? "" : ", ");
        if (leftover->reconcile != NULL)
            buffer_append_text(into, reconcile_name(leftover->reconcile));
        else
            buffer_append_format(into, "Station %s", prune_station(leftover->prune));
    }
    if (count == 0)
        buffer_append_text(into, "none");
    else if (count > WRITES_NAMED_MAX)
        buffer_append_format(into, ", and %zu more", count - WRITES_NAMED_MAX);
}

static void say_stopped(void *arg)
{
    struct agents *agents = arg;

    agents->turn_timer = NULL;
    agents->stopped(agents->stopped_arg); /* may free us: last */
}

void agents_stop(struct agents *agents, void (*done)(void *arg), void *arg)
{
    assert(agents->stopped == NULL);
    agents_stand_by(agents);
    agents->stopped = done;
    agents->stopped_arg = arg;
    if (agents->leftovers == NULL)
        agents->turn_timer = runtime_after(agents->context.rt, 0, say_stopped, agents);
}
