/* agents_parts - what agents.c and agents_leave.c share: the worker and what it has under way. */
#ifndef CONTROLLER_AGENTS_AGENTS_PARTS_H
#define CONTROLLER_AGENTS_AGENTS_PARTS_H

#include "controller/agents/admission.h"
#include "controller/agents/agents.h"
#include "controller/agents/context.h"
#include "controller/agents/follow.h"
#include "controller/agents/job_census.h"
#include "controller/agents/job_watch.h"
#include "controller/agents/prune.h"
#include "controller/agents/queue.h"
#include "controller/agents/reconcile.h"
#include "controller/kinds/text_list.h"

/* A reconcile or a pruning under way. */
struct task {
    struct agents *agents;
    struct reconcile *reconcile; /* or */
    struct prune *prune;         /* of the sweep */
    char *key;                   /* that it reconciles; NULL once the queue has forgotten it */
    char *station;               /* of that Agent as the task began, or NULL */
    enum admission_part part;    /* what it is to that Station */
    int64_t started_us;
    struct task *prev;
    struct task *next;
};

struct agents {
    struct agent_context context;
    char *namespace_name;
    char *agent_image;
    struct follow *follow;
    struct job_watch *job_watch;
    struct work_queue *queue;
    bool leading;

    /* The worker. */
    struct text_list sweep; /* Stations to prune before anything else, from sweep_next on */
    size_t sweep_next;
    size_t sweeping;   /* tasks that prune for the sweep */
    int64_t listed_us; /* when the sweep was planned */
    bool listing_jobs; /* for the pass; reconciles wait for it */
    struct job_census *census;
    struct task *tasks; /* under way */
    size_t task_count;
    bool working;     /* inside work() */
    bool poll_passes; /* a poll waits for the end of its pass */
    struct timer *turn_timer;
    struct timer *retry_timer;
    int64_t retry_at_us; /* when retry_timer is due */

    struct task *leftovers; /* writes of a leadership that has ended, left to end by themselves */
    void (*stopped)(void *arg);
    void *stopped_arg;
};

/** Takes it out of those under way: its Station is free for the next. */
void task_leave(struct task *task);
/** Allowed in its own end. */
void task_free(struct task *task);
/** Follows the cluster from scratch, but not while a write of ours may still land behind the
 * listing's back. */
void agents_begin_term(struct agents *agents);

/* --- agents_leave.c --- */

/** Hands what is writing over to the leftovers, and drops what is only reading. */
void agents_leave_work(struct agents *agents);

#endif
