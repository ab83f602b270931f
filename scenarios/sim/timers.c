#include "scenarios/sim/timers.h"

#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "scenarios/sim/trace.h"

/* Longer delays than anybody lives are all the same, and far from overflowing. */
#define DELAY_US_MAX (INT64_C(1) << 55)

struct sim_timer {
    struct timer base;
    struct event event;
    void (*fn)(void *arg);
    void *arg;
    int64_t due_us; /* on the elapsed clock */
    struct sim_timer *prev, *next;
};

void timers_put(struct sim_runtime *runtime, struct event *event, int64_t due_us)
{
    struct sim *sim = runtime->process->sim;
    int64_t at_us = drift_when(&runtime->process->elapsed, due_us);

    queue_put(&sim->queue, event, at_us < sim->now_us ? sim->now_us : at_us);
}

static void forget(struct sim_timer *timer)
{
    struct sim_runtime *runtime = sim_runtime_of(timer->base.rt);

    queue_remove(&runtime->process->sim->queue, &timer->event);
    DL_DELETE(runtime->timers, timer);
    free(timer);
}

static void fire(void *owner)
{
    struct sim_timer *timer = owner;
    struct sim_runtime *runtime = sim_runtime_of(timer->base.rt);
    struct sim_process *process = runtime->process;
    void (*fn)(void *arg) = timer->fn;
    void *arg = timer->arg;
    int64_t late_us = sim_process_elapsed_us(process) - timer->due_us;

    struct sim_event event = {
        .kind = SIM_EVENT_TIMER, .process = process, .number = late_us, .origin = (uintptr_t)fn};

    trace_event(process->sim, &event);
    if (process_has_ended(process))
        return;
    forget(timer);
    fn(arg);
}

struct timer *timers_after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim_timer *timer = xcalloc(1, sizeof(*timer));

    delay_us = delay_us < 0 ? 0 : delay_us > DELAY_US_MAX ? DELAY_US_MAX : delay_us;
    timer->base.rt = rt;
    timer->fn = fn;
    timer->arg = arg;
    timer->due_us = sim_process_elapsed_us(runtime->process) + delay_us;
    timer->event = (struct event){.run = fire, .owner = timer, .process = runtime->process};
    DL_APPEND(runtime->timers, timer);
    if (!runtime->dead)
        timers_put(runtime, &timer->event, timer->due_us);
    return &timer->base;
}

void timers_cancel(struct timer *timer)
{
    forget((struct sim_timer *)timer);
}

void timers_move(struct sim_runtime *runtime)
{
    struct sim_timer *timer;

    DL_FOREACH (runtime->timers, timer)
        if (timer->event.place != 0)
            timers_put(runtime, &timer->event, timer->due_us);
}

void timers_free(struct sim_runtime *runtime)
{
    while (runtime->timers != NULL)
        forget(runtime->timers);
}
