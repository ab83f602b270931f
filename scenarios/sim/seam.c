#include "scenarios/sim/seam.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "scenarios/sim/client.h"
#include "scenarios/sim/exchange.h"
#include "scenarios/sim/files.h"
#include "scenarios/sim/listener.h"
#include "scenarios/sim/process.h"
#include "scenarios/sim/request.h"
#include "scenarios/sim/server.h"
#include "scenarios/sim/timers.h"
#include "scenarios/sim/trace.h"

#define LOG_LINE_BYTES_MAX (64 * 1024)
#define STANDARD_FILES 3
#define OPEN_FILES_MAX 1024
#define RESIDENT_BYTES (4 * INT64_C(1024) * 1024)
#define VIRTUAL_BYTES (4 * RESIDENT_BYTES)

/* --- clocks and randomness --- */

static int64_t traced_clock(struct runtime *rt, const struct drift *drift, const char *name)
{
    const struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim *sim = runtime->process->sim;
    int64_t shown_us = drift_show(drift, sim->now_us);

    if (!runtime->dead)
        trace_number(sim, SIM_EVENT_CLOCK, runtime->process, shown_us, name);
    return shown_us;
}

static int64_t seam_wall_us(struct runtime *rt)
{
    return traced_clock(rt, &sim_runtime_of(rt)->process->wall, "wall");
}

static int64_t seam_elapsed_us(struct runtime *rt)
{
    return traced_clock(rt, &sim_runtime_of(rt)->process->elapsed, "elapsed");
}

static uint64_t seam_random(struct runtime *rt)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    uint64_t number = prng_next(&runtime->random);

    if (!runtime->dead)
        trace_number(runtime->process->sim, SIM_EVENT_RANDOM, runtime->process, (int64_t)number,
                     NULL);
    return number;
}

/* --- the process --- */

static const char *seam_setting(struct runtime *rt, const char *name)
{
    const struct sim_runtime *runtime = sim_runtime_of(rt);

    for (size_t i = 0; i < runtime->setting_count; i++)
        if (strcmp(runtime->settings[i].name, name) == 0)
            return runtime->settings[i].value;
    return NULL;
}

/* What no simulated program can change is the same for all of them. */
static void seam_usage(struct runtime *rt, struct process_usage *ret_usage)
{
    const struct sim_runtime *runtime = sim_runtime_of(rt);
    int64_t files = STANDARD_FILES;

    for (const struct sim_listener *at = runtime->listeners; at != NULL; at = at->next)
        files++;
    for (const struct sim_exchange *at = runtime->exchanges; at != NULL; at = at->next)
        files++;
    for (const struct sim_request *at = runtime->requests; at != NULL; at = at->next)
        files++;
    *ret_usage = (struct process_usage){
        .started_at_us = runtime->started_at_us,
        .resident_bytes = RESIDENT_BYTES,
        .virtual_bytes = VIRTUAL_BYTES,
        .open_files = files,
        .open_files_max = OPEN_FILES_MAX,
    };
}

static void seam_print(struct runtime *rt, const void *bytes, size_t size)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);
    struct sim_event event = {
        .kind = SIM_EVENT_PRINT, .process = runtime->process, .bytes = bytes, .size = size};

    if (runtime->dead)
        return;
    buffer_append(&runtime->process->output, bytes, size);
    trace_event(runtime->process->sim, &event);
}

static void read_line(void *owner)
{
    struct sim_runtime *runtime = owner;
    char *line = runtime->input == NULL ? NULL : runtime->input + runtime->input_at;
    size_t size;

    if (line == NULL || *line == '\0') {
        runtime->on_line(runtime->line_arg, NULL);
        return;
    }
    size = strcspn(line, "\n");
    runtime->input_at += size + (line[size] == '\n' ? 1 : 0);
    line[size] = '\0';
    queue_put(&runtime->process->sim->queue, &runtime->input_event, runtime->process->sim->now_us);
    runtime->on_line(runtime->line_arg, line);
}

static void seam_read_lines(struct runtime *rt, void (*fn)(void *arg, const char *line), void *arg)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);

    runtime->on_line = fn;
    runtime->line_arg = arg;
    if (!runtime->dead)
        queue_put(&runtime->process->sim->queue, &runtime->input_event,
                  runtime->process->sim->now_us);
}

static void seam_log_configure(struct runtime *rt, enum log_level level, bool json)
{
    sim_runtime_of(rt)->level = level;
    sim_runtime_of(rt)->json = json;
}

static void write_line(void *arg, const struct log_record *record)
{
    struct sim_runtime *runtime = arg;
    struct sim_process *process = runtime->process;

    buffer_clear(&runtime->line);
    if (runtime->json)
        log_append_json(&runtime->line, record, sim_process_wall_us(process));
    else
        log_append_text(&runtime->line, record);
    trace_number(process->sim, SIM_EVENT_LOG, process, record->level, buffer_text(&runtime->line));
}

static void seam_log(struct runtime *rt, const struct log_record *record)
{
    struct sim_runtime *runtime = sim_runtime_of(rt);

    if (!runtime->dead && record->level >= runtime->level)
        log_limit_pass(&runtime->log_limit, record, sim_process_elapsed_us(runtime->process),
                       write_line, runtime);
}

static void take_signal(void *owner)
{
    struct sim_runtime *runtime = owner;
    struct sim_process *process = runtime->process;
    int number = runtime->signals[0];

    runtime->signals[0] = runtime->signals[1];
    if (--runtime->signal_count > 0)
        queue_put(&process->sim->queue, &runtime->signal, process->sim->now_us);
    trace_number(process->sim, SIM_EVENT_SIGNALLED, process, number, NULL);
    if (!process_can_run(process))
        return;
    if (runtime->signalled) {
        process_exit(process, 128 + number);
        return;
    }
    runtime->signalled = true;
    if (runtime->on_signal == NULL)
        process_exit(process, 0);
    else
        runtime->on_signal(runtime->signal_arg);
}

void sim_process_signal(struct sim_process *process, int number)
{
    struct sim_runtime *runtime = process->runtime;

    /* Two are enough to end any process; more say nothing new. */
    if (!sim_process_is_alive(process) || runtime->signal_count == ARRAY_SIZE(runtime->signals))
        return;
    runtime->signals[runtime->signal_count++] = number;
    if (!event_is_waiting(&runtime->signal))
        queue_put(&process->sim->queue, &runtime->signal, process->sim->now_us);
}

static void seam_on_signal(struct runtime *rt, void (*fn)(void *arg), void *arg)
{
    sim_runtime_of(rt)->on_signal = fn;
    sim_runtime_of(rt)->signal_arg = arg;
}

static void seam_follow_parent(struct runtime *rt)
{
    (void)rt;
}

static void seam_mark(struct runtime *rt, enum mark mark)
{
    const struct sim_runtime *runtime = sim_runtime_of(rt);

    if (!runtime->dead)
        trace_mark(runtime->process->sim, runtime->process, mark);
}

static void seam_stop(struct runtime *rt, int exit_status)
{
    if (!sim_runtime_of(rt)->dead)
        process_exit(sim_runtime_of(rt)->process, exit_status);
}

/* --- the table --- */

static const struct runtime_ops ops = {
    .wall_us = seam_wall_us,
    .elapsed_us = seam_elapsed_us,
    .random = seam_random,
    .after = timers_after,
    .timer_cancel = timers_cancel,
    .request = client_request,
    .exchange_cancel = client_cancel,
    .exchange_pause = client_pause,
    .exchange_resume = client_resume,
    .exchange_was_sent = client_was_sent,
    .listen = server_listen,
    .listener_port = server_port,
    .listener_stop = server_stop,
    .listener_close = server_close,
    .request_accept = server_accept,
    .request_respond = server_respond,
    .request_wake = server_wake,
    .request_reset = server_reset,
    .read_file = files_read,
    .write_file = files_write,
    .try_file = files_try,
    .list_files = files_list,
    .stat_file = files_stat,
    .remove_file = files_remove,
    .setting = seam_setting,
    .usage = seam_usage,
    .print = seam_print,
    .read_lines = seam_read_lines,
    .log_configure = seam_log_configure,
    .log = seam_log,
    .on_signal = seam_on_signal,
    .follow_parent = seam_follow_parent,
    .mark = seam_mark,
    .stop = seam_stop,
};

/* A stream of its own for each life, so that nothing that happens elsewhere moves it. */
static void seed_random(struct sim_runtime *runtime)
{
    const struct sim_process *process = runtime->process;
    char *text = xprintf("program %llu %u %s", (unsigned long long)process->sim->seed,
                         process->incarnation, process->name);

    prng_seed(&runtime->random, digest_fnv1a64(text, strlen(text)));
    free(text);
}

static void copy_settings(struct sim_runtime *runtime)
{
    const struct sim_process *process = runtime->process;

    runtime->setting_count = process->setting_count;
    runtime->settings = xcalloc(process->setting_count, sizeof(*runtime->settings));
    for (size_t i = 0; i < process->setting_count; i++) {
        runtime->settings[i].name = xstrdup(process->settings[i].name);
        runtime->settings[i].value = xstrdup(process->settings[i].value);
    }
}

static void copy_arguments(struct sim_runtime *runtime)
{
    const struct sim_process *process = runtime->process;
    size_t count = process->argument_count + 1;

    runtime->argc = (int)count;
    runtime->argv = xcalloc(count + 1, sizeof(*runtime->argv));
    runtime->argv_texts = xcalloc(count, sizeof(*runtime->argv_texts));
    runtime->argv_texts[0] =
        xstrdup(process->program == NULL ? process->name : process->program->name);
    for (size_t i = 1; i < count; i++)
        runtime->argv_texts[i] = xstrdup(process->arguments[i - 1]);
    for (size_t i = 0; i < count; i++)
        runtime->argv[i] = runtime->argv_texts[i];
}

struct sim_runtime *seam_new(struct sim_process *process)
{
    struct sim_runtime *runtime = xcalloc(1, sizeof(*runtime));

    runtime->base.ops = &ops;
    runtime->process = process;
    runtime->started_at_us = sim_process_wall_us(process);
    runtime->level = LOG_INFO;
    runtime->line = BUFFER_INIT(LOG_LINE_BYTES_MAX);
    runtime->input = xstrdup(process->input);
    runtime->signal = (struct event){.run = take_signal, .owner = runtime, .process = process};
    runtime->input_event = (struct event){.run = read_line, .owner = runtime, .process = process};
    seed_random(runtime);
    copy_settings(runtime);
    copy_arguments(runtime);
    return runtime;
}

void settings_free(struct setting *settings, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        free(settings[i].name);
        free(settings[i].value);
    }
    free(settings);
}

void seam_free(struct sim_runtime *runtime)
{
    struct queue *queue = &runtime->process->sim->queue;

    queue_remove(queue, &runtime->start);
    queue_remove(queue, &runtime->signal);
    queue_remove(queue, &runtime->input_event);
    settings_free(runtime->settings, runtime->setting_count);
    for (int i = 0; i < runtime->argc; i++)
        free(runtime->argv_texts[i]);
    free(runtime->argv_texts);
    free(runtime->argv);
    free(runtime->input);
    buffer_release(&runtime->line);
    free(runtime);
}
