/* live_loop - turns of the loop: timers first, in the order they are due, then tasks. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/runtime/live_internal.h"

/* --- tasks --- */

void live_task_add(struct live_runtime *live, struct live_task *task)
{
    if (task->queued)
        return;
    task->queued = true;
    task->turn = live->turn + 1;
    DL_APPEND(live->tasks, task);
}

void live_task_drop(struct live_runtime *live, struct live_task *task)
{
    if (!task->queued)
        return;
    task->queued = false;
    DL_DELETE(live->tasks, task);
}

static void run_tasks(struct live_runtime *live)
{
    while (live->tasks != NULL && live->tasks->turn <= live->turn && !live->stopped) {
        struct live_task *task = live->tasks;

        live_task_drop(live, task);
        task->run(task);
    }
}

/* --- timers --- */

static bool is_before(const struct live_timer *a, const struct live_timer *b)
{
    return a->due_us != b->due_us ? a->due_us < b->due_us : a->number < b->number;
}

static void place(struct live_timers *timers, size_t index, struct live_timer *timer)
{
    timers->heap[index] = timer;
    timer->index = index;
}

static void sift_up(struct live_timers *timers, size_t index, struct live_timer *timer)
{
    while (index > 0 && is_before(timer, timers->heap[(index - 1) / 2])) {
        place(timers, index, timers->heap[(index - 1) / 2]);
        index = (index - 1) / 2;
    }
    place(timers, index, timer);
}

static void sift_down(struct live_timers *timers, size_t index, struct live_timer *timer)
{
    for (;;) {
        size_t child = 2 * index + 1;

        if (child >= timers->count)
            break;
        if (child + 1 < timers->count && is_before(timers->heap[child + 1], timers->heap[child]))
            child++;
        if (!is_before(timers->heap[child], timer))
            break;
        place(timers, index, timers->heap[child]);
        index = child;
    }
    place(timers, index, timer);
}

static void take_out(struct live_timers *timers, const struct live_timer *timer)
{
    size_t index = timer->index;
    struct live_timer *last = timers->heap[--timers->count];

    if (last == timer)
        return;
    if (index > 0 && is_before(last, timers->heap[(index - 1) / 2]))
        sift_up(timers, index, last);
    else
        sift_down(timers, index, last);
}

struct timer *live_after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg)
{
    struct live_timers *timers = &live_of(rt)->timers;
    struct live_timer *timer = xcalloc(1, sizeof(*timer));
    int64_t now_us = live_elapsed_us();

    if (delay_us < 0)
        delay_us = 0;
    timer->base.rt = rt;
    timer->fn = fn;
    timer->arg = arg;
    timer->due_us = delay_us > INT64_MAX - now_us ? INT64_MAX : now_us + delay_us;
    timer->number = timers->made++;
    if (timers->count == timers->capacity) {
        timers->capacity = timers->capacity == 0 ? 64 : timers->capacity * 2;
        timers->heap = xrealloc(timers->heap, timers->capacity * sizeof(struct live_timer *));
    }
    sift_up(timers, timers->count++, timer);
    return &timer->base;
}

void live_timer_cancel(struct timer *base)
{
    struct live_timer *timer = (struct live_timer *)base;

    take_out(&live_of(base->rt)->timers, timer);
    free(timer);
}

/* Those made meanwhile wait for the next turn, so that a chain of zero delays starves nobody. */
static void fire_timers(struct live_runtime *live)
{
    struct live_timers *timers = &live->timers;
    uint64_t made = timers->made;
    int64_t now_us = live_elapsed_us();

    while (timers->count > 0 && !live->stopped) {
        struct live_timer *timer = timers->heap[0];
        void (*fn)(void *arg) = timer->fn;
        void *arg = timer->arg;

        if (timer->due_us > now_us || timer->number >= made)
            return;
        take_out(timers, timer);
        free(timer);
        fn(arg);
    }
}

void live_loop_set_alarm(struct live_runtime *live)
{
    struct live_timers *timers = &live->timers;
    int64_t due_us = timers->count == 0 ? INT64_MAX : timers->heap[0]->due_us;
    struct itimerspec when;

    /* An alarm that rings early costs one turn; most timers move on before they are due. */
    if (due_us >= timers->alarm_us)
        return;
    timers->alarm_us = due_us;
    memset(&when, 0, sizeof(when));
    when.it_value.tv_sec = (time_t)(due_us / US_PER_SECOND);
    when.it_value.tv_nsec = (long)(due_us % US_PER_SECOND) * 1000;
    timerfd_settime(timers->alarm, TFD_TIMER_ABSTIME, &when, NULL);
}

void live_loop_turn(struct live_runtime *live)
{
    live->turn++;
    fire_timers(live);
    run_tasks(live);
}

/* --- watched sockets --- */

static void on_poll(uv_poll_t *handle, int status, int events)
{
    struct live_poll *poll = handle->data;

    /* An error shows as everything that was watched for: the next call on the socket tells. */
    poll->fn(poll->arg, status < 0 ? poll->events : events);
}

struct live_poll *live_poll_new(struct live_runtime *live, int fd,
                                void (*fn)(void *arg, int events), void *arg)
{
    struct live_poll *poll = xcalloc(1, sizeof(*poll));

    poll->handle.data = poll;
    poll->fn = fn;
    poll->arg = arg;
    if (uv_poll_init(&live->loop, &poll->handle, fd) != 0) {
        free(poll);
        return NULL;
    }
    return poll;
}

void live_poll_watch(struct live_poll *poll, int events)
{
    if (poll->events == events)
        return;
    poll->events = events;
    if (events == 0)
        uv_poll_stop(&poll->handle);
    else
        uv_poll_start(&poll->handle, events, on_poll);
}

static void on_poll_closed(uv_handle_t *handle)
{
    free(handle->data);
}

void live_poll_free(struct live_poll *poll)
{
    if (poll == NULL)
        return;
    uv_poll_stop(&poll->handle);
    uv_close((uv_handle_t *)&poll->handle, on_poll_closed);
}

/* --- begin and end --- */

static void on_alarm(void *arg, int events)
{
    struct live_runtime *live = arg;
    uint64_t times;

    (void)events;
    live->timers.alarm_us = INT64_MAX; /* spent: the next turn sets it anew */
    if (read(live->timers.alarm, &times, sizeof(times)) < 0)
        return; /* set anew in between */
}

void live_loop_init(struct live_runtime *live)
{
    if (uv_loop_init(&live->loop) != 0)
        abort(); /* no descriptors: nothing can run */
    live->timers.alarm_us = INT64_MAX;
    live->timers.alarm = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    assert(live->timers.alarm >= 0);
    live->timers.alarm_poll = live_poll_new(live, live->timers.alarm, on_alarm, live);
    assert(live->timers.alarm_poll != NULL);
    live_poll_watch(live->timers.alarm_poll, UV_READABLE);
}

void live_loop_release(struct live_runtime *live)
{
    live_poll_free(live->timers.alarm_poll);
    uv_run(&live->loop, UV_RUN_DEFAULT);
    if (uv_loop_close(&live->loop) != 0)
        abort(); /* a handle leaked */
    close(live->timers.alarm);
    for (size_t i = 0; i < live->timers.count; i++)
        free(live->timers.heap[i]);
    free(live->timers.heap);
}
