/* deeds - what faults do to processes, their clocks and links, and how it ends. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

/** A fault that lasts, each time that it happened. */
struct happening {
    struct armed_fault *armed;
    struct sim_process *from; /* the process; of a link its first end */
    struct sim_process *to;   /* of a link */
    unsigned incarnation;     /* of the process when it began */
    struct sim_alarm *end;
    struct sim_alarm *grace;
    struct happening *next;
};

/* --- processes --- */

void process_crash(struct world *world, struct sim_process *process)
{
    if (process != world->api) {
        sim_process_crash(process);
        return;
    }
    sim_process_close_ports(process, true);
    world->api_is_down = true;
    world->api_crashed_us = sim_now_us(world->sim);
}

void process_start(struct world *world, struct sim_process *process)
{
    if (process != world->api) {
        sim_process_start(process);
    } else if (world->api_is_down) {
        world->api_is_down = false;
        api_compact(world);
        sim_process_close_ports(process, false);
    }
}

/* --- clocks --- */

/** Of a process, without faults. */
struct world_clock {
    struct sim_process *process;
    struct sim_clock clock;
    struct world_clock *next;
};

static struct sim_clock *own_of(struct world *world, struct sim_process *process)
{
    struct world_clock *own;

    for (own = world->clocks; own != NULL; own = own->next) {
        if (own->process == process)
            return &own->clock;
    }
    own = xcalloc(1, sizeof(*own));
    *own = (struct world_clock){.process = process, .next = world->clocks};
    world->clocks = own;
    return &own->clock;
}

static void change_clock(const struct happening *happening, struct sim_clock *clock, bool *frozen)
{
    const struct fault *fault = happening->armed->fault;

    if (fault->kind == FAULT_CLOCK_SKEW)
        clock->wall_offset_us += fault->amount;
    else if (fault->kind == FAULT_CLOCK_DRIFT)
        clock->wall_drift_ppm = fault->amount;
    else if (fault->kind == FAULT_TIMERS_DRIFT)
        clock->elapsed_drift_ppm = fault->amount;
    else if (fault->kind == FAULT_CLOCK_FREEZE)
        *frozen = true;
}

/** A clock that was wrong is right again, as far as the scenario says so: it jumps. */
static void refresh_clock(struct world *world, struct sim_process *process)
{
    struct sim_clock clock = *own_of(world, process);
    bool frozen = false;

    for (const struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        for (const struct happening *at = armed->happenings; at != NULL; at = at->next) {
            if (at->from == process)
                change_clock(at, &clock, &frozen);
        }
    }
    sim_process_set_clock(process, &clock);
    if (frozen)
        sim_process_freeze_clock(process);
}

static void jump(struct world *world, struct sim_process *process, int64_t step_us)
{
    own_of(world, process)->wall_offset_us += step_us;
    sim_process_step_clock(process, step_us);
}

void clock_apply(struct world *world, const struct clock_setting *setting)
{
    struct sim_process *process = role_find(world, setting->of);

    if (process == NULL) {
        world_fail(world, "no such process", NULL, "line %u: there is no %s at this moment",
                   setting->place.line, setting->of);
        return;
    }
    if (setting->jump_us != 0) {
        jump(world, process, setting->jump_us);
        return;
    }
    *own_of(world, process) = (struct sim_clock){.wall_offset_us = setting->skew_us,
                                                 .wall_drift_ppm = setting->drift_ppm};
    refresh_clock(world, process);
}

/* --- links --- */

static bool is_on_link(const struct happening *happening, const struct sim_process *from,
                       const struct sim_process *to)
{
    return (happening->from == from && happening->to == to) ||
           (happening->armed->fault->both && happening->from == to && happening->to == from);
}

static void change_link(const struct fault *fault, struct sim_link *link)
{
    switch (fault->kind) {
    case FAULT_CUT_LINK:
    case FAULT_PARTITION:
        link->cut = true;
        break;
    case FAULT_LATENCY:
        link->latency_us = fault->amount;
        break;
    case FAULT_JITTER:
        link->jitter_us = fault->amount;
        break;
    case FAULT_BANDWIDTH:
        link->bytes_per_second = fault->amount;
        break;
    case FAULT_PIECES:
        link->piece_bytes = (size_t)fault->amount;
        break;
    case FAULT_REFUSE_CONNECT:
        link->refuse = true;
        break;
    case FAULT_RESET_AFTER:
        link->reset_after_bytes = fault->amount;
        break;
    default:
        break;
    }
}

void deeds_change_link(const struct armed_fault *armed, const struct sim_process *from,
                       const struct sim_process *to, struct sim_link *link)
{
    for (const struct happening *at = armed->happenings; at != NULL; at = at->next) {
        if (at->to != NULL && is_on_link(at, from, to))
            change_link(armed->fault, link);
    }
}

static void refresh_link(struct world *world, const struct happening *happening)
{
    links_refresh(world, happening->from, happening->to);
    links_refresh(world, happening->to, happening->from);
}

/* --- beginning --- */

/** What nobody would tell otherwise. */
static void tell(struct world *world, const struct fault *fault, const struct sim_process *from,
                 const struct sim_process *to, const char *more)
{
    char *place = fault->swept ? xstrdup("fault of the sweep")
                               : xprintf("fault of line %u", fault->place.line);
    char *text = xprintf("%s: %s %s%s%s%s", place, fault->key, sim_process_name(from),
                         to == NULL ? "" : " ", to == NULL ? "" : sim_process_name(to), more);

    sim_note(world->sim, text);
    free(text);
    free(place);
}

static void kill_late(void *arg)
{
    struct happening *happening = arg;

    happening->grace = NULL;
    if (sim_process_is_alive(happening->from) &&
        sim_process_incarnation(happening->from) == happening->incarnation)
        sim_process_crash(happening->from);
}

static void terminate(struct world *world, struct happening *happening)
{
    const struct fault *fault = happening->armed->fault;

    sim_process_resume(happening->from);
    sim_process_signal(happening->from, SIM_TERM);
    if (fault->grace_us >= 0)
        happening->grace =
            sim_at(world->sim, sim_now_us(world->sim) + fault->grace_us, kill_late, happening);
}

static void begin_lasting(struct world *world, struct happening *happening)
{
    const struct fault *fault = happening->armed->fault;

    switch (fault->kind) {
    case FAULT_CRASH:
        process_crash(world, happening->from);
        break;
    case FAULT_POWER_OFF:
        sim_process_power_off(happening->from);
        break;
    case FAULT_PAUSE:
        sim_process_pause(happening->from);
        break;
    case FAULT_TERMINATE:
        terminate(world, happening);
        break;
    default:
        if (happening->to != NULL)
            refresh_link(world, happening);
        else
            refresh_clock(world, happening->from);
        break;
    }
}

/** What is over at once. */
static void do_sudden(struct world *world, const struct fault *fault, struct sim_process *from,
                      struct sim_process *to)
{
    if (fault->kind == FAULT_STRAND) {
        sim_strand(world->sim, from, to);
    } else if (fault->kind == FAULT_RESET_CONNECTIONS) {
        sim_reset_connections(world->sim, from, to);
    } else if (fault->kind == FAULT_CLOCK_JUMP) {
        jump(world, from, fault->amount);
    } else {
        process_crash(world, from);
        process_start(world, from);
    }
}

static void on_end(void *arg);

static void add_happening(struct armed_fault *armed, struct sim_process *from,
                          struct sim_process *to)
{
    struct world *world = armed->world;
    struct happening *happening = xcalloc(1, sizeof(*happening));

    happening->armed = armed;
    happening->from = from;
    happening->to = to;
    happening->incarnation = sim_process_incarnation(from);
    happening->next = armed->happenings;
    armed->happenings = happening;
    if (armed->fault->for_us >= 0)
        happening->end =
            sim_at(world->sim, sim_now_us(world->sim) + armed->fault->for_us, on_end, happening);
    begin_lasting(world, happening);
}

/** NULL after a failure, or where the fault need not happen. */
static struct sim_process *find(struct armed_fault *armed, const char *name)
{
    struct sim_process *process = role_find(armed->world, name);

    if (process == NULL && !armed->fault->optional)
        world_fail(armed->world, "no such process", NULL,
                   "a fault is to hit the %s, and there is none", name);
    return process;
}

static void rewind_api(void *arg)
{
    const struct armed_fault *armed = arg;
    char *text = xprintf("fault of line %u: rewind", armed->fault->place.line);

    sim_note(armed->world->sim, text);
    free(text);
    api_rewind(armed->world, armed->fault->amount);
}

void deeds_begin(struct armed_fault *armed)
{
    const struct fault *fault = armed->fault;
    bool link = fault->link.count == 2;
    struct sim_process *from = fault->kind == FAULT_REWIND
                                   ? armed->world->api
                                   : find(armed, link ? fault->link.items[0] : fault->process);
    struct sim_process *to = link && from != NULL ? find(armed, fault->link.items[1]) : NULL;

    if (fault->swept)
        sweep_happens(armed->world, fault);
    if (fault->kind == FAULT_REWIND) {
        (void)sim_at(armed->world->sim, sim_now_us(armed->world->sim), rewind_api, armed);
        return;
    }
    if (from == NULL || (link && (to == NULL || to == from)))
        return;
    if (link || from == armed->world->api || fault->kind > FAULT_POWER_OFF)
        tell(armed->world, fault, from, to, "");
    if (fault_target_is_sudden(fault->kind))
        do_sudden(armed->world, fault, from, to);
    else
        add_happening(armed, from, to);
}

/* --- ending --- */

static void take_out(struct happening *happening)
{
    struct happening **at = &happening->armed->happenings;

    while (*at != happening)
        at = &(*at)->next;
    *at = happening->next;
}

static void end(struct happening *happening)
{
    struct world *world = happening->armed->world;

    sim_alarm_cancel(happening->end);
    sim_alarm_cancel(happening->grace);
    take_out(happening);
    switch (happening->armed->fault->kind) {
    case FAULT_CRASH:
    case FAULT_POWER_OFF:
    case FAULT_TERMINATE:
        process_start(world, happening->from);
        break;
    case FAULT_PAUSE:
        sim_process_resume(happening->from);
        break;
    default:
        tell(world, happening->armed->fault, happening->from, happening->to, " is over");
        if (happening->to != NULL)
            refresh_link(world, happening);
        else
            refresh_clock(world, happening->from);
        break;
    }
    free(happening);
}

static void on_end(void *arg)
{
    struct happening *happening = arg;

    happening->end = NULL;
    end(happening);
}

void deeds_end(struct armed_fault *armed)
{
    while (armed->happenings != NULL)
        end(armed->happenings);
}

static bool is_of_life(const struct happening *happening)
{
    enum fault_target kind = happening->armed->fault->kind;

    return kind == FAULT_CRASH || kind == FAULT_POWER_OFF || kind == FAULT_TERMINATE;
}

void deeds_overtake(struct world *world, const struct sim_process *process)
{
    for (struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        struct happening *at = armed->happenings;

        while (at != NULL) {
            struct happening *next = at->next;

            if (at->from == process && is_of_life(at)) {
                sim_alarm_cancel(at->end);
                sim_alarm_cancel(at->grace);
                take_out(at);
                free(at);
            }
            at = next;
        }
    }
}

void deeds_release(struct armed_fault *armed)
{
    while (armed->happenings != NULL) {
        struct happening *happening = armed->happenings;

        armed->happenings = happening->next;
        free(happening);
    }
}

void clocks_release(struct world *world)
{
    while (world->clocks != NULL) {
        struct world_clock *own = world->clocks;

        world->clocks = own->next;
        free(own);
    }
}
