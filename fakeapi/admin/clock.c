/* clock - time that can be stopped and moved on. */
#include "fakeapi/admin/clock.h"

#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"

struct clock_timer {
    struct timer base;
    void (*fn)(void *arg);
    void *arg;
    int64_t due_us;     /* on this clock's elapsed time */
    struct timer *real; /* of the runtime behind; NULL: held back */
    struct clock_timer *prev;
    struct clock_timer *next;
};

struct clock {
    struct runtime base;
    struct runtime *rt;
    bool stopped;
    int64_t wall_ahead_us; /* of the runtime behind, while it runs */
    int64_t elapsed_ahead_us;
    int64_t wall_us; /* while it is stopped */
    int64_t elapsed_us;
    /* While it runs as they were made; while it is stopped by what is due first. */
    struct clock_timer *timers;
    size_t firing; /* timers with a real one, while it is stopped */

    /* being moved on */
    struct timer *step;
    int64_t target_us;
    bool start_after;
    void (*done)(void *arg);
    void *done_arg;
};

static struct clock *clock_of(struct runtime *rt)
{
    return (struct clock *)rt;
}

static int64_t wall_us(struct runtime *rt)
{
    struct clock *clock = clock_of(rt);

    return clock->stopped ? clock->wall_us : runtime_wall_us(clock->rt) + clock->wall_ahead_us;
}

static int64_t elapsed_us(struct runtime *rt)
{
    struct clock *clock = clock_of(rt);

    return clock->stopped ? clock->elapsed_us
                          : runtime_elapsed_us(clock->rt) + clock->elapsed_ahead_us;
}

/* --- timers --- */

static void forget(struct clock *clock, struct clock_timer *timer)
{
    if (clock->stopped && timer->real != NULL)
        clock->firing--;
    DL_DELETE(clock->timers, timer);
    free(timer);
}

static void fire(struct clock_timer *timer)
{
    void (*fn)(void *arg) = timer->fn;
    void *arg = timer->arg;

    forget(clock_of(timer->base.rt), timer);
    fn(arg);
}

static void on_real(void *arg)
{
    fire(arg);
}

static void arm(struct clock *clock, struct clock_timer *timer, int64_t now_us)
{
    timer->real = runtime_after(clock->rt, timer->due_us - now_us, on_real, timer);
}

/* Behind all that are due no later. */
static void insert(struct clock *clock, struct clock_timer *timer)
{
    struct clock_timer *last = clock->timers == NULL ? NULL : clock->timers->prev;

    while (last != NULL && last->due_us > timer->due_us)
        last = last == clock->timers ? NULL : last->prev;
    if (last == NULL)
        DL_PREPEND(clock->timers, timer);
    else
        DL_APPEND_ELEM(clock->timers, last, timer);
}

static struct timer *after(struct runtime *rt, int64_t delay_us, void (*fn)(void *arg), void *arg)
{
    struct clock *clock = clock_of(rt);
    struct clock_timer *timer = xcalloc(1, sizeof(*timer));
    int64_t now_us = elapsed_us(rt);

    timer->base.rt = rt;
    timer->fn = fn;
    timer->arg = arg;
    if (delay_us < 0)
        delay_us = 0;
    timer->due_us = delay_us > INT64_MAX - now_us ? INT64_MAX : now_us + delay_us;
    if (!clock->stopped) {
        DL_APPEND(clock->timers, timer);
        timer->real = runtime_after(clock->rt, delay_us, on_real, timer);
        return &timer->base;
    }
    insert(clock, timer);
    if (delay_us == 0) {
        arm(clock, timer, now_us);
        clock->firing++;
    }
    return &timer->base;
}

static void cancel(struct timer *base)
{
    struct clock_timer *timer = (struct clock_timer *)base;

    timer_cancel(timer->real);
    forget(clock_of(base->rt), timer);
}

/* --- what goes through --- */

static uint64_t pass_random(struct runtime *rt)
{
    return runtime_random(clock_of(rt)->rt);
}

static struct exchange *pass_request(struct runtime *rt, const struct http_request *request,
                                     const struct exchange_events *events, void *arg)
{
    return runtime_request(clock_of(rt)->rt, request, events, arg);
}

static bool pass_listen(struct runtime *rt, const struct listen_options *options,
                        const struct http_service *service, void *arg,
                        struct listener **ret_listener, struct error *err)
{
    return runtime_listen(clock_of(rt)->rt, options, service, arg, ret_listener, err);
}

static bool pass_read_file(struct runtime *rt, const char *path, struct buffer *into,
                           struct error *err)
{
    return runtime_read_file(clock_of(rt)->rt, path, into, err);
}

static bool pass_write_file(struct runtime *rt, const char *path, const void *bytes, size_t size,
                            bool private_file, struct error *err)
{
    return runtime_write_file(clock_of(rt)->rt, path, bytes, size, private_file, err);
}

static bool pass_try_file(struct runtime *rt, const char *path, struct error *err)
{
    return runtime_try_file(clock_of(rt)->rt, path, err);
}

static bool pass_list_files(struct runtime *rt, const char *path, char ***ret_names,
                            size_t *ret_count, struct error *err)
{
    return runtime_list_files(clock_of(rt)->rt, path, ret_names, ret_count, err);
}

static bool pass_stat_file(struct runtime *rt, const char *path, struct file_info *ret_info,
                           struct error *err)
{
    return runtime_stat_file(clock_of(rt)->rt, path, ret_info, err);
}

static bool pass_remove_file(struct runtime *rt, const char *path, struct error *err)
{
    return runtime_remove_file(clock_of(rt)->rt, path, err);
}

static const char *pass_setting(struct runtime *rt, const char *name)
{
    return runtime_setting(clock_of(rt)->rt, name);
}

static void pass_print(struct runtime *rt, const void *bytes, size_t size)
{
    runtime_print(clock_of(rt)->rt, bytes, size);
}

static void pass_usage(struct runtime *rt, struct process_usage *ret_usage)
{
    runtime_usage(clock_of(rt)->rt, ret_usage);
}

static void pass_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line), void *arg)
{
    runtime_read_lines(clock_of(rt)->rt, fn, arg);
}

static void pass_log_configure(struct runtime *rt, enum log_level level, bool json)
{
    runtime_log_configure(clock_of(rt)->rt, level, json);
}

static void pass_log(struct runtime *rt, const struct log_record *record)
{
    runtime_log(clock_of(rt)->rt, record);
}

static void pass_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg)
{
    runtime_on_signal(clock_of(rt)->rt, fn, arg);
}

static void pass_follow_parent(struct runtime *rt)
{
    runtime_follow_parent(clock_of(rt)->rt);
}

static void pass_mark(struct runtime *rt, enum mark mark)
{
    runtime_mark(clock_of(rt)->rt, mark);
}

static void pass_stop(struct runtime *rt, int exit_status)
{
    runtime_stop(clock_of(rt)->rt, exit_status);
}

/* Handles of exchanges, listeners and requests are those of the runtime behind, and so are their
 * operations. */
static const struct runtime_ops ops = {
    .wall_us = wall_us,
    .elapsed_us = elapsed_us,
    .random = pass_random,
    .after = after,
    .timer_cancel = cancel,
    .request = pass_request,
    .listen = pass_listen,
    .read_file = pass_read_file,
    .write_file = pass_write_file,
    .try_file = pass_try_file,
    .list_files = pass_list_files,
    .stat_file = pass_stat_file,
    .remove_file = pass_remove_file,
    .setting = pass_setting,
    .usage = pass_usage,
    .print = pass_print,
    .read_lines = pass_read_lines,
    .log_configure = pass_log_configure,
    .log = pass_log,
    .on_signal = pass_on_signal,
    .follow_parent = pass_follow_parent,
    .mark = pass_mark,
    .stop = pass_stop,
};

/* --- its life --- */

struct clock *clock_new(struct runtime *rt)
{
    struct clock *clock = xcalloc(1, sizeof(*clock));

    clock->base.ops = &ops;
    clock->rt = rt;
    return clock;
}

void clock_free(struct clock *clock)
{
    if (clock == NULL)
        return;
    timer_cancel(clock->step);
    while (clock->timers != NULL)
        cancel(&clock->timers->base);
    free(clock);
}

struct runtime *clock_runtime(struct clock *clock)
{
    return &clock->base;
}

bool clock_is_stopped(const struct clock *clock)
{
    return clock->stopped;
}

static int by_due(const struct clock_timer *a, const struct clock_timer *b)
{
    return (a->due_us > b->due_us) - (a->due_us < b->due_us);
}

void clock_stop(struct clock *clock)
{
    struct clock_timer *timer;
    int64_t at_wall_us = wall_us(&clock->base);
    int64_t at_elapsed_us = elapsed_us(&clock->base);

    clock->start_after = false; /* somebody wants it to stand, also when it was moved */
    if (clock->stopped)
        return;
    clock->stopped = true;
    clock->wall_us = at_wall_us;
    clock->elapsed_us = at_elapsed_us;
    /* cppcheck-suppress nullPointer ; the macro looks whether there are any */
    DL_SORT(clock->timers, by_due);
    DL_FOREACH (clock->timers, timer) {
        if (timer->due_us <= at_elapsed_us) {
            clock->firing++;
        } else {
            timer_cancel(timer->real);
            timer->real = NULL;
        }
    }
}

static void start(struct clock *clock)
{
    struct clock_timer *timer;
    int64_t real_wall_us = runtime_wall_us(clock->rt);
    int64_t real_elapsed_us = runtime_elapsed_us(clock->rt);

    clock->stopped = false;
    clock->firing = 0;
    clock->wall_ahead_us = clock->wall_us - real_wall_us;
    clock->elapsed_ahead_us = clock->elapsed_us - real_elapsed_us;
    DL_FOREACH (clock->timers, timer) {
        if (timer->real == NULL)
            arm(clock, timer, clock->elapsed_us);
    }
}

void clock_start(struct clock *clock)
{
    if (clock->step != NULL)
        clock->start_after = true;
    else if (clock->stopped)
        start(clock);
}

/* --- moving it on --- */

static void move_to(struct clock *clock, int64_t to_us)
{
    clock->wall_us += to_us - clock->elapsed_us;
    clock->elapsed_us = to_us;
}

static void arrive(struct clock *clock)
{
    void (*done)(void *arg) = clock->done;

    move_to(clock, clock->target_us);
    clock->done = NULL;
    if (clock->start_after)
        start(clock);
    if (done != NULL)
        done(clock->done_arg);
}

/* One timer a turn, so that what it asks the loop for comes before the next one. */
static void on_step(void *arg)
{
    struct clock *clock = arg;
    struct clock_timer *first = clock->timers;

    clock->step = NULL;
    if (clock->firing == 0 && (first == NULL || first->due_us > clock->target_us)) {
        arrive(clock);
        return;
    }
    clock->step = runtime_after(clock->rt, 0, on_step, clock);
    if (clock->firing > 0)
        return;
    move_to(clock, first->due_us);
    fire(first);
}

bool clock_advance(struct clock *clock, int64_t by_us, void (*done)(void *arg), void *arg,
                   struct error *err)
{
    bool ran = !clock->stopped;

    if (by_us < 0 || by_us > CLOCK_ADVANCE_US_MAX)
        return error_set(err, ERROR_INVALID, "a clock is moved on by 0 to %d days at once",
                         (int)(CLOCK_ADVANCE_US_MAX / US_PER_DAY));
    if (clock->step != NULL)
        return error_set(err, ERROR_CONFLICT, "the clock is being moved on already");
    clock_stop(clock);
    clock->start_after = ran;
    clock->target_us = clock->elapsed_us + by_us;
    clock->done = done;
    clock->done_arg = arg;
    clock->step = runtime_after(clock->rt, 0, on_step, clock);
    return true;
}

void clock_forget(struct clock *clock, const void *arg)
{
    if (clock->done_arg == arg)
        clock->done = NULL;
}

void clock_reset(struct clock *clock)
{
    if (clock->step != NULL) {
        timer_cancel(clock->step);
        clock->step = NULL;
        clock->target_us = clock->elapsed_us;
        arrive(clock);
    }
    clock_start(clock);
    clock->wall_ahead_us = 0;
}

int64_t clock_offset_us(struct clock *clock)
{
    int64_t real_us = runtime_wall_us(clock->rt);

    return wall_us(&clock->base) - real_us;
}
