#include "scenarios/sim/sim.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "scenarios/sim/connection.h"
#include "scenarios/sim/parts.h"
#include "scenarios/sim/process.h"
#include "scenarios/sim/trace.h"
#include "scenarios/sim/trust.h"

struct sim_alarm {
    struct sim *sim;
    struct event event;
    void (*fn)(void *arg);
    void *arg;
    struct sim_alarm *prev, *next;
};

static void seed_stream(struct prng *prng, uint64_t seed, const char *name)
{
    char *text = xprintf("%s %llu", name, (unsigned long long)seed);

    prng_seed(prng, digest_fnv1a64(text, strlen(text)));
    free(text);
}

struct sim *sim_new(const struct sim_options *options)
{
    struct sim *sim = xcalloc(1, sizeof(*sim));

    sim->seed = options->seed;
    sim->start_wall_us = options->start_wall_us;
    sim->default_link = sim_link_default;
    sim->scratch = xrealloc(NULL, SIM_PIECE_BYTES);
    sim->trust = trust_new();
    seed_stream(&sim->random, options->seed, "scenario");
    seed_stream(&sim->network, options->seed, "network");
    trace_init(&sim->trace);
    return sim;
}

void sim_free(struct sim *sim)
{
    if (sim == NULL)
        return;
    assert(!sim->running);
    sim->running = true;
    sim->trace.tap_count = 0;
    for (size_t i = 0; i < sim->process_count; i++)
        process_free(sim->processes[i]);
    connections_free(sim);
    while (sim->alarms != NULL)
        sim_alarm_cancel(sim->alarms);
    trust_free(sim->trust);
    trace_release(&sim->trace);
    queue_free(&sim->queue);
    free(sim->processes);
    free(sim->scratch);
    free(sim);
}

int64_t sim_now_us(const struct sim *sim)
{
    return sim->now_us;
}

int64_t sim_wall_us(const struct sim *sim)
{
    return sim->start_wall_us + sim->now_us;
}

int64_t sim_next_us(const struct sim *sim)
{
    return queue_next_us(&sim->queue);
}

uint64_t sim_event_count(const struct sim *sim)
{
    return sim->event_count;
}

uint64_t sim_random(struct sim *sim)
{
    return prng_next(&sim->random);
}

bool sim_is_stuck(const struct sim *sim)
{
    return sim->stuck;
}

/* --- events --- */

static void move_to(struct sim *sim, int64_t at_us)
{
    if (at_us > sim->now_us) {
        sim->now_us = at_us;
        sim->instant_count = 0;
    }
}

bool sim_step(struct sim *sim)
{
    struct event *event;

    assert(!sim->running);
    if (sim->queue.count == 0 || sim->stuck)
        return false;
    move_to(sim, queue_next_us(&sim->queue));
    if (sim->instant_count++ >= SIM_EVENTS_PER_INSTANT_MAX) {
        sim->stuck = true;
        return false;
    }
    sim->event_count++;
    event = queue_take(&sim->queue);
    if (event->process != NULL && event->process->state == SIM_PROCESS_PAUSED) {
        event_hold(&event->process->held, event);
        return true;
    }
    sim->running = true;
    event->run(event->owner);
    sim->running = false;
    processes_reap(sim);
    return true;
}

bool sim_run_until(struct sim *sim, int64_t until_us)
{
    while (sim_next_us(sim) <= until_us)
        if (!sim_step(sim))
            return false;
    move_to(sim, until_us);
    return true;
}

bool sim_run_while(struct sim *sim, int64_t limit_us, bool (*more)(void *arg), void *arg)
{
    while (more(arg)) {
        if (sim_next_us(sim) > limit_us) {
            move_to(sim, limit_us);
            return false;
        }
        if (!sim_step(sim))
            return false;
    }
    return true;
}

/* --- alarms --- */

static void ring(void *owner)
{
    struct sim_alarm *alarm = owner;
    void (*fn)(void *arg) = alarm->fn;
    void *arg = alarm->arg;

    sim_alarm_cancel(alarm);
    fn(arg);
}

struct sim_alarm *sim_at(struct sim *sim, int64_t at_us, void (*fn)(void *arg), void *arg)
{
    struct sim_alarm *alarm = xcalloc(1, sizeof(*alarm));

    alarm->sim = sim;
    alarm->fn = fn;
    alarm->arg = arg;
    alarm->event = (struct event){.run = ring, .owner = alarm};
    DL_APPEND(sim->alarms, alarm);
    queue_put(&sim->queue, &alarm->event, at_us < sim->now_us ? sim->now_us : at_us);
    return alarm;
}

void sim_alarm_cancel(struct sim_alarm *alarm)
{
    if (alarm == NULL)
        return;
    queue_remove(&alarm->sim->queue, &alarm->event);
    DL_DELETE(alarm->sim->alarms, alarm);
    free(alarm);
}

/* --- what the network asks --- */

void sim_set_system_authority(struct sim *sim, const char *ca_pem)
{
    trust_set_system(sim->trust, ca_pem);
}
