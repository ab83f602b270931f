#include "scenarios/sim/process.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/digest.h"
#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/sim/client.h"
#include "scenarios/sim/link.h"
#include "scenarios/sim/seam.h"
#include "scenarios/sim/server.h"
#include "scenarios/sim/timers.h"
#include "scenarios/sim/trace.h"

#define EXIT_STATUS_USAGE 2
#define EXIT_STATUS_KILLED (128 + 9)
#define FIRST_LISTEN_PORT 30000
#define DISK_BYTES_MAX ((size_t)64 * 1024 * 1024)
/* Where an elapsed clock may stand at true time 0: no two hosts alike, so none is compared. */
#define UPTIME_US_MIN US_PER_HOUR
#define UPTIME_US_SPAN (30 * US_PER_DAY)

static const uint8_t allowed_moves[] = {
    [SIM_PROCESS_NEW] = 1 << SIM_PROCESS_RUNNING,
    [SIM_PROCESS_RUNNING] = 1 << SIM_PROCESS_PAUSED | 1 << SIM_PROCESS_ENDING,
    [SIM_PROCESS_PAUSED] = 1 << SIM_PROCESS_RUNNING | 1 << SIM_PROCESS_ENDING,
    [SIM_PROCESS_ENDING] = 1 << SIM_PROCESS_ENDED,
    [SIM_PROCESS_ENDED] = 1 << SIM_PROCESS_RUNNING,
};

static void set_state(struct sim_process *process, enum sim_process_state state)
{
    assert((allowed_moves[process->state] & 1 << state) != 0);
    process->state = state;
}

/* --- making --- */

static void copy_arguments(struct sim_process *process, const char *const *arguments, size_t count)
{
    process->arguments = xcalloc(count, sizeof(*process->arguments));
    process->argument_count = count;
    for (size_t i = 0; i < count; i++)
        process->arguments[i] = xstrdup(arguments[i]);
}

static void free_arguments(struct sim_process *process)
{
    for (size_t i = 0; i < process->argument_count; i++)
        free(process->arguments[i]);
    free(process->arguments);
    process->argument_count = 0;
}

static int64_t uptime_us(const struct sim *sim, const char *name)
{
    char *text = xprintf("uptime %llu %s", (unsigned long long)sim->seed, name);
    uint64_t mixed = digest_fnv1a64(text, strlen(text));

    free(text);
    return UPTIME_US_MIN + (int64_t)(mixed % (uint64_t)UPTIME_US_SPAN);
}

struct sim_process *sim_process_new(struct sim *sim, const struct sim_process_options *options)
{
    struct sim_process *process = xcalloc(1, sizeof(*process));

    assert(sim_process_find(sim, options->name) == NULL);
    process->sim = sim;
    process->index = sim->process_count;
    process->name = xstrdup(options->name);
    process->program = options->program;
    copy_arguments(process, options->arguments, options->argument_count);
    for (size_t i = 0; i < options->setting_count; i++)
        sim_process_set_setting(process, options->settings[i].name, options->settings[i].value);
    process->wall = (struct drift){sim->now_us, sim_wall_us(sim), 0};
    process->elapsed = (struct drift){sim->now_us, uptime_us(sim, options->name) + sim->now_us, 0};
    process->next_client_port = FIRST_CLIENT_PORT;
    process->next_listen_port = FIRST_LISTEN_PORT;
    process->disk_bytes_max = DISK_BYTES_MAX;
    process->output = BUFFER_INIT(SIM_OUTPUT_BYTES_MAX);
    sim->processes = xrealloc(sim->processes, (sim->process_count + 1) * sizeof(*sim->processes));
    sim->processes[sim->process_count++] = process;
    return process;
}

static bool has_name(const struct sim_process *process, const char *name)
{
    if (text_equal_ignoring_case(process->name, name))
        return true;
    for (size_t i = 0; i < process->host_name_count; i++)
        if (text_equal_ignoring_case(process->host_names[i], name))
            return true;
    return false;
}

struct sim_process *sim_process_find(const struct sim *sim, const char *name)
{
    for (size_t i = 0; i < sim->process_count; i++)
        if (has_name(sim->processes[i], name))
            return sim->processes[i];
    return NULL;
}

size_t sim_process_count(const struct sim *sim)
{
    return sim->process_count;
}

struct sim_process *sim_process_at(const struct sim *sim, size_t index)
{
    assert(index < sim->process_count);
    return sim->processes[index];
}

const char *sim_process_name(const struct sim_process *process)
{
    return process->name;
}

size_t sim_process_index(const struct sim_process *process)
{
    return process->index;
}

struct sim *sim_process_world(const struct sim_process *process)
{
    return process->sim;
}

void sim_process_add_host(struct sim_process *process, const char *name)
{
    assert(sim_process_find(process->sim, name) == NULL);
    process->host_names = xrealloc(process->host_names,
                                   (process->host_name_count + 1) * sizeof(*process->host_names));
    process->host_names[process->host_name_count++] = xstrdup(name);
}

static struct setting *find_setting(struct sim_process *process, const char *name)
{
    for (size_t i = 0; i < process->setting_count; i++)
        if (strcmp(process->settings[i].name, name) == 0)
            return &process->settings[i];
    return NULL;
}

void sim_process_set_setting(struct sim_process *process, const char *name, const char *value)
{
    struct setting *setting = find_setting(process, name);

    if (setting == NULL) {
        if (value == NULL)
            return;
        process->settings =
            xrealloc(process->settings, (process->setting_count + 1) * sizeof(*process->settings));
        setting = &process->settings[process->setting_count++];
        *setting = (struct setting){.name = xstrdup(name)};
    }
    free(setting->value);
    setting->value = xstrdup(value);
}

void sim_process_set_arguments(struct sim_process *process, const char *const *arguments,
                               size_t count)
{
    free_arguments(process);
    copy_arguments(process, arguments, count);
}

/* --- looking --- */

enum sim_process_state sim_process_state(const struct sim_process *process)
{
    return process->state;
}

bool sim_process_is_alive(const struct sim_process *process)
{
    return process->state == SIM_PROCESS_RUNNING || process->state == SIM_PROCESS_PAUSED;
}

int sim_process_exit_status(const struct sim_process *process)
{
    return process->exit_status;
}

unsigned sim_process_incarnation(const struct sim_process *process)
{
    return process->incarnation;
}

struct runtime *sim_process_runtime(const struct sim_process *process)
{
    return sim_process_is_alive(process) ? &process->runtime->base : NULL;
}

void *sim_process_root(const struct sim_process *process)
{
    return sim_process_is_alive(process) ? process->runtime->root : NULL;
}

const struct buffer *sim_process_output(const struct sim_process *process)
{
    return &process->output;
}

void sim_process_set_input(struct sim_process *process, const char *text)
{
    free(process->input);
    process->input = xstrdup(text);
    if (!sim_process_is_alive(process) || process->runtime->on_line != NULL)
        return;
    free(process->runtime->input);
    process->runtime->input = xstrdup(text);
}

/* --- lives --- */

static void run_start(void *owner)
{
    struct sim_runtime *runtime = owner;
    struct sim_process *process = runtime->process;
    struct error err = ERROR_INIT;

    if (process->program->start(&runtime->base, runtime->argc, runtime->argv, &runtime->root,
                                &err)) {
        runtime->started = true;
        return;
    }
    trace_number(process->sim, SIM_EVENT_LOG, process, LOG_ERROR, err.text);
    process_exit(process, EXIT_STATUS_USAGE);
}

static void begin(struct sim_process *process)
{
    process->incarnation++;
    process->start_wanted = false;
    process->power_lost = false;
    process->runtime = seam_new(process);
    process->runtime->start =
        (struct event){.run = run_start, .owner = process->runtime, .process = process};
    set_state(process, SIM_PROCESS_RUNNING);
    trace_number(process->sim, SIM_EVENT_STARTED, process, process->incarnation, NULL);
    if (process->program != NULL && process_can_run(process))
        queue_put(&process->sim->queue, &process->runtime->start, process->sim->now_us);
}

static void end(struct sim_process *process, int status)
{
    process->exit_status = status;
    set_state(process, SIM_PROCESS_ENDING);
    process->sim->some_end = true;
}

static void reap(struct sim_process *process)
{
    struct sim_runtime *runtime = process->runtime;

    if (!runtime->dead)
        trace_number(process->sim, SIM_EVENT_EXITED, process, process->exit_status, NULL);
    runtime->dead = true;
    if (runtime->started)
        process->program->free(runtime->root);
    client_free_all(runtime);
    server_free_all(runtime);
    timers_free(runtime);
    seam_free(runtime);
    process->runtime = NULL;
    set_state(process, SIM_PROCESS_ENDED);
    if (process->start_wanted)
        begin(process);
}

void processes_reap(struct sim *sim)
{
    if (sim->running)
        return;
    sim->running = true;
    while (sim->some_end) {
        sim->some_end = false;
        for (size_t i = 0; i < sim->process_count; i++)
            if (sim->processes[i]->state == SIM_PROCESS_ENDING)
                reap(sim->processes[i]);
    }
    sim->running = false;
}

void process_exit(struct sim_process *process, int status)
{
    if (sim_process_is_alive(process))
        end(process, status);
}

void sim_process_start(struct sim_process *process)
{
    if (process->state == SIM_PROCESS_ENDING)
        process->start_wanted = true;
    else if (!sim_process_is_alive(process))
        begin(process);
}

void sim_process_crash(struct sim_process *process)
{
    process->start_wanted = false;
    if (!sim_process_is_alive(process))
        return;
    end(process, EXIT_STATUS_KILLED);
    process->runtime->dead = true;
    trace_number(process->sim, SIM_EVENT_CRASHED, process, 0, NULL);
    processes_reap(process->sim);
}

void sim_process_power_off(struct sim_process *process)
{
    process->power_lost = true;
    sim_process_crash(process);
}

void sim_process_restart(struct sim_process *process)
{
    sim_process_crash(process);
    sim_process_start(process);
}

void sim_process_pause(struct sim_process *process)
{
    if (process->state != SIM_PROCESS_RUNNING)
        return;
    set_state(process, SIM_PROCESS_PAUSED);
    trace_number(process->sim, SIM_EVENT_PAUSED, process, 0, NULL);
}

void sim_process_resume(struct sim_process *process)
{
    if (process->state != SIM_PROCESS_PAUSED)
        return;
    set_state(process, SIM_PROCESS_RUNNING);
    trace_number(process->sim, SIM_EVENT_RESUMED, process, 0, NULL);
    queue_release(&process->sim->queue, &process->held, process->sim->now_us);
}

/* --- clocks --- */

int64_t sim_process_wall_us(const struct sim_process *process)
{
    return drift_show(&process->wall, process->sim->now_us);
}

int64_t sim_process_elapsed_us(const struct sim_process *process)
{
    return drift_show(&process->elapsed, process->sim->now_us);
}

void sim_process_set_clock(struct sim_process *process, const struct sim_clock *clock)
{
    const struct sim *sim = process->sim;

    process->wall = (struct drift){sim->now_us, sim_wall_us(sim) + clock->wall_offset_us, 0};
    drift_set_rate(&process->wall, sim->now_us, clock->wall_drift_ppm);
    drift_set_rate(&process->elapsed, sim->now_us, clock->elapsed_drift_ppm);
    if (!sim_process_is_alive(process))
        return;
    timers_move(process->runtime);
    client_move_timeouts(process->runtime);
    server_move_timeouts(process->runtime);
}

void sim_process_freeze_clock(struct sim_process *process)
{
    drift_stop(&process->wall, process->sim->now_us);
}

void sim_process_step_clock(struct sim_process *process, int64_t step_us)
{
    process->wall.shown_us += step_us;
}

void process_free(struct sim_process *process)
{
    process->start_wanted = false;
    if (process->state == SIM_PROCESS_PAUSED || process->state == SIM_PROCESS_RUNNING)
        end(process, EXIT_STATUS_KILLED);
    if (process->state == SIM_PROCESS_ENDING) {
        process->runtime->dead = true;
        reap(process);
    }
    sim_files_remove_all(process);
    links_free(process);
    free_arguments(process);
    settings_free(process->settings, process->setting_count);
    for (size_t i = 0; i < process->host_name_count; i++)
        free(process->host_names[i]);
    free(process->host_names);
    buffer_release(&process->output);
    free(process->input);
    free(process->name);
    free(process);
}
