/* agents_leave - the end of a term: what is being read is dropped, what is being written ends. */
#include <assert.h>
#include <utlist.h>

#include "controller/agents/agents_parts.h"

/* Writes that are called by name where a shutdown cuts them off. */
#define WRITES_NAMED_MAX 8

static void end_leftover(struct task *task)
{
    struct agents *agents = task->agents;

    DL_DELETE(agents->leftovers, task);
    task_free(task);
    agents_begin_term(agents);
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

static void leave_task(struct task *task)
{
    struct agents *agents = task->agents;
    bool reconciling = task->reconcile != NULL && reconcile_is_writing(task->reconcile);
    bool pruning = task->prune != NULL && prune_is_writing(task->prune);

    task_leave(task);
    if (!reconciling && !pruning) {
        task_free(task);
        return;
    }
    runtime_mark(agents->context.rt,
                 reconciling ? MARK_STEP_DOWN_WHILE_WRITING : MARK_STEP_DOWN_WHILE_PRUNING);
    DL_APPEND(agents->leftovers, task);
    if (reconciling)
        reconcile_abandon(task->reconcile, on_leftover_reconciled, task);
    else
        prune_stop(task->prune, on_leftover_pruned, task);
}

void agents_leave_work(struct agents *agents)
{
    while (agents->tasks != NULL)
        leave_task(agents->tasks);
}

void agents_name_writes(const struct agents *agents, struct buffer *into)
{
    const struct task *leftover;
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
    else
        runtime_mark(agents->context.rt, MARK_DRAIN_WAITS_FOR_WRITE);
}
