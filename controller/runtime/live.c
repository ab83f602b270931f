#include "controller/runtime/live.h"

#include <signal.h>
#include <stdlib.h>
#include <time.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "controller/runtime/live_internal.h"

static int64_t clock_us(clockid_t clock)
{
    struct timespec now;

    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * US_PER_SECOND + now.tv_nsec / 1000;
}

int64_t live_elapsed_us(void)
{
    return clock_us(CLOCK_BOOTTIME);
}

static int64_t wall_us(struct runtime *rt)
{
    (void)rt;
    return clock_us(CLOCK_REALTIME);
}

static int64_t elapsed_us(struct runtime *rt)
{
    (void)rt;
    return live_elapsed_us();
}

static void stop(struct runtime *rt, int exit_status)
{
    struct live_runtime *live = live_of(rt);

    if (live->stopped)
        return;
    live->stopped = true;
    live->exit_status = exit_status;
}

static void pass_by(struct runtime *rt, enum mark mark)
{
    (void)rt;
    (void)mark;
}

static const struct runtime_ops ops = {
    .wall_us = wall_us,
    .elapsed_us = elapsed_us,
    .random = live_random,
    .after = live_after,
    .timer_cancel = live_timer_cancel,
    .listen = live_listen,
    .listener_port = live_listener_port,
    .listener_stop = live_listener_stop,
    .listener_close = live_listener_close,
    .request_accept = live_request_accept,
    .request_respond = live_request_respond,
    .request_wake = live_request_wake,
    .request_reset = live_request_reset,
    .read_file = live_read_file,
    .write_file = live_write_file,
    .try_file = live_try_file,
    .list_files = live_list_files,
    .stat_file = live_stat_file,
    .remove_file = live_remove_file,
    .setting = live_setting,
    .usage = live_usage,
    .print = live_print,
    .read_lines = live_read_lines,
    .log_configure = live_log_configure,
    .log = live_log,
    .on_signal = live_on_signal,
    .follow_parent = live_follow_parent,
    .mark = pass_by,
    .stop = stop,
};

struct live_runtime *live_new(const struct live_client *client)
{
    struct live_runtime *live = xcalloc(1, sizeof(*live));
    struct sigaction ignore = {.sa_handler = SIG_IGN};

    live->ops = ops;
    live->client = client;
    if (client != NULL)
        client->start(&live->ops);
    live->base.ops = &live->ops;
    live->started_at_us = clock_us(CLOCK_REALTIME);
    live->log_level = LOG_INFO;
    sigaction(SIGPIPE, &ignore, NULL); /* a peer that went away is an error of that write */
    live_loop_init(live);
    live_signals_start(live);
    return live;
}

void live_free(struct live_runtime *live)
{
    if (live == NULL)
        return;
    if (live->client != NULL)
        live->client->release(live);
    live_servers_release(live);
    live_process_release(live);
    live_loop_release(live);
    if (live->client != NULL)
        live->client->end();
    free(live);
}

struct runtime *live_runtime(struct live_runtime *live)
{
    return &live->base;
}

bool live_step(struct live_runtime *live)
{
    bool more;

    if (live->stopped)
        return false;
    more = live_servers_run(live);
    live_loop_set_alarm(live);
    uv_run(&live->loop, more || live->tasks != NULL ? UV_RUN_NOWAIT : UV_RUN_ONCE);
    live_loop_turn(live);
    return !live->stopped;
}

int live_run(struct live_runtime *live)
{
    while (live_step(live))
        ;
    return live->exit_status;
}

int live_main(const struct program *program, const struct live_client *client, int argc,
              char **argv)
{
    struct error err = ERROR_INIT;
    struct live_runtime *live;
    void *root = NULL;
    int status = 2;

    live_open_standard_streams();
    live = live_new(client);
    live->name = program->name;
    if (program->start(&live->base, argc, (const char *const *)argv, &root, &err)) {
        status = live_run(live);
        program->free(root);
    } else {
        live_complain(live, err.text);
        if (live->stopped)
            status = live->exit_status;
    }
    if (live->print_failed && status == 0)
        status = 2;
    live_free(live);
    return status;
}
