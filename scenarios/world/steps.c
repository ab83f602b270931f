/* steps - a scenario's steps, taken one after another and at their times. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/sweep.h"

/** How long a wait lasts where its step says nothing. */
#define WITHIN_US (10 * US_PER_MINUTE)

/* --- processes --- */

static void on_process(struct world *world, const struct step *step, const char *name)
{
    struct sim_process *process = role_find(world, name);

    if (process == NULL && step->optional)
        return;
    if (process == NULL) {
        world_fail(world, "no such process", NULL, "line %u: there is no %s at this moment",
                   step->place.line, name);
        return;
    }
    switch (step->action) {
    case STEP_START:
        process_start(world, process);
        return;
    case STEP_CRASH:
        deeds_overtake(world, process);
        process_crash(world, process);
        return;
    case STEP_PAUSE:
        sim_process_pause(process);
        return;
    case STEP_RESUME:
        sim_process_resume(process);
        return;
    case STEP_RESTART:
        process_crash(world, process);
        process_start(world, process);
        return;
    default:
        deeds_overtake(world, process);
        sim_process_signal(process, SIM_TERM);
        return;
    }
}

/* --- expectations --- */

static void does_not_hold(struct world *world, const struct step *step, const char *why)
{
    const char *action = step_action_name(step->action);
    bool hold = step->action == STEP_ASSERT || step->action == STEP_ALWAYS;

    if (sweep_spares(world, &step->may_change))
        return;
    claims_complain(world, action, &step->claims, hold, why, "line %u: '%s' does not hold",
                    step->place.line, action);
}

static void check_now(struct world *world, const struct step *step)
{
    struct buffer why = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    bool right = step->action == STEP_ASSERT ? claims_hold(world, &step->claims, &why)
                                             : claims_fail(world, &step->claims, &why);

    if (!right)
        does_not_hold(world, step, buffer_text(&why));
    buffer_release(&why);
}

static bool still_waiting(struct world *world, const void *arg)
{
    const struct step *step = arg;

    if (!world->changed)
        return true;
    world->changed = false;
    return !claims_hold_all(world, &step->claims);
}

/** What a swept fault may change is not waited for any longer. */
static bool still_late(struct world *world, const void *arg)
{
    const struct step *step = arg;

    if (!world->changed)
        return true;
    world->changed = false;
    return !sweep_spares(world, &step->may_change) && !claims_hold(world, &step->claims, NULL);
}

static void wait_until(struct world *world, int64_t until_us, const struct step *step,
                       bool (*more)(struct world *world, const void *arg))
{
    world->watched = &step->claims;
    world->changed = true;
    if (more(world, step))
        (void)world_advance(world, until_us, more, step);
    world->watched = NULL;
}

static void wait_for(struct world *world, const struct step *step)
{
    int64_t within_us = step->within_us >= 0 ? step->within_us : WITHIN_US;
    int64_t now_us = sim_now_us(world->sim);
    struct buffer why = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    char text[TIME_TEXT_SIZE];

    wait_until(world, now_us + within_us, step, still_waiting);
    if (world->swept_happened && within_us < world->scenario->settle_us)
        wait_until(world, now_us + world->scenario->settle_us, step, still_late);
    if (!world_has_failed(world) && !sweep_spares(world, &step->may_change) &&
        !claims_hold(world, &step->claims, &why)) {
        duration_format(within_us, text);
        claims_complain(world, step_action_name(step->action), &step->claims, true,
                        buffer_text(&why), "line %u: what is waited for has not come within %s",
                        step->place.line, text);
    }
    buffer_release(&why);
}

static bool still_holds(struct world *world, const void *arg)
{
    const struct step *step = arg;

    if (!world->changed || sweep_spares(world, &step->may_change))
        return true;
    world->changed = false;
    return step->action == STEP_ALWAYS ? claims_hold(world, &step->claims, NULL)
                                       : claims_fail(world, &step->claims, NULL);
}

static void hold_for(struct world *world, const struct step *step)
{
    struct buffer why = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    bool right;

    world->watched = &step->claims;
    world->changed = true;
    if (still_holds(world, step))
        (void)world_advance(world, sim_now_us(world->sim) + step->for_us, still_holds, step);
    world->watched = NULL;
    right = step->action == STEP_ALWAYS ? claims_hold(world, &step->claims, &why)
                                        : claims_fail(world, &step->claims, &why);
    if (!right)
        does_not_hold(world, step, buffer_text(&why));
    buffer_release(&why);
}

/* --- steps --- */

static void arm_all(struct world *world, const struct step *step)
{
    for (size_t i = 0; i < step->faults.count; i++)
        faults_arm(world, &step->faults.items[i]);
}

/** What nobody would tell otherwise: links, clocks, faults and history make no noise. */
static void tell_step(struct world *world, const struct step *step)
{
    struct buffer text = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    const struct process_names *names =
        step->action == STEP_SLOW ? &step->link->between : &step->processes;

    buffer_append_text(&text, step_action_name(step->action));
    if (step->action != STEP_COMPACT && step->action != STEP_FAULT)
        buffer_append_char(&text, ':');
    if (step->action == STEP_HEAL && names->count == 0)
        buffer_append_text(&text, " all");
    for (size_t i = 0; i < names->count; i++)
        buffer_append_format(&text, " %s", names->items[i]);
    for (size_t i = 0; i < step->faults.count; i++) {
        if (step->faults.items[i].name != NULL)
            buffer_append_format(&text, " %s", step->faults.items[i].name);
    }
    for (size_t i = 0; i < step->lifted.count; i++)
        buffer_append_format(&text, " %s", step->lifted.items[i]);
    if (step->action == STEP_CLOCK)
        buffer_append_format(&text, " %s", step->clock->of);
    if (step->custom_kind != NULL)
        buffer_append_format(&text, " %s", step->custom_kind);
    if (step->action == STEP_CHORES || step->action == STEP_MEDDLE || step->action == STEP_DENY)
        buffer_append_format(&text, " as of line %u", step->place.line);
    sim_note(world->sim, buffer_text(&text));
    buffer_release(&text);
}

static bool is_silent(int action)
{
    switch (action) {
    case STEP_PARTITION:
    case STEP_HALF_OPEN:
    case STEP_STRAND:
    case STEP_HEAL:
    case STEP_SLOW:
    case STEP_CLOCK:
    case STEP_FAULT:
    case STEP_LIFT:
    case STEP_COMPACT:
    case STEP_CHORES:
    case STEP_MEDDLE:
    case STEP_DENY:
    case STEP_INSTALL:
    case STEP_UNINSTALL:
        return true;
    default:
        return false;
    }
}

/** What takes no time. False for a step that does. */
bool steps_take_at_once(struct world *world, const struct step *step)
{
    if (is_silent(step->action))
        tell_step(world, step);
    switch (step->action) {
    case STEP_ASSERT:
    case STEP_ERROR:
        check_now(world, step);
        return true;
    case STEP_START:
    case STEP_CRASH:
    case STEP_PAUSE:
    case STEP_RESUME:
    case STEP_RESTART:
    case STEP_TERMINATE:
        for (size_t i = 0; i < step->processes.count; i++)
            on_process(world, step, step->processes.items[i]);
        return true;
    case STEP_PARTITION:
    case STEP_HALF_OPEN:
    case STEP_STRAND:
    case STEP_HEAL:
        links_step(world, step);
        return true;
    case STEP_SLOW:
        links_slow(world, step->link);
        return true;
    case STEP_CLOCK:
        clock_apply(world, step->clock);
        return true;
    case STEP_FAULT:
        arm_all(world, step);
        return true;
    case STEP_KILL:
        kills_arm(world, step);
        return true;
    case STEP_LIFT:
        for (size_t i = 0; i < step->lifted.count; i++)
            faults_lift(world, step->lifted.items[i]);
        return true;
    case STEP_COMPACT:
        api_compact(world);
        return true;
    case STEP_BIND:
        bindings_take(world, step);
        return true;
    case STEP_CHORES:
        chores_apply(world, step->chores);
        return true;
    case STEP_MEDDLE:
        interventions_meddle(world, step->meddle);
        return true;
    case STEP_DENY:
        interventions_deny(world, step->deny);
        return true;
    case STEP_INSTALL:
        chores_install(world, step, step->custom_kind);
        return true;
    case STEP_UNINSTALL:
        chores_uninstall(world, step);
        return true;
    default:
        return false;
    }
}

static bool task_goes_on(struct world *world, const void *task)
{
    (void)world;
    return !user_is_done(task);
}

static bool sent_goes_on(struct world *world, const void *sent)
{
    (void)world;
    return !sender_is_done(sent);
}

/** Somebody sends what the step says; it goes on meanwhile. */
static void begin_requests(struct world *world, const struct step *step)
{
    if (step->action == STEP_SEND)
        (void)sender_begin(world, step);
    else
        (void)user_begin(world, step);
}

static void take_in_order(struct world *world, const struct step *step)
{
    const struct user_task *task;

    world_stir(world);
    if (step->note != NULL)
        sim_note(world->sim, step->note);
    if (steps_take_at_once(world, step))
        return;
    switch (step->action) {
    case STEP_WAIT:
        wait_for(world, step);
        return;
    case STEP_ALWAYS:
    case STEP_NEVER:
        hold_for(world, step);
        return;
    case STEP_SEND:
        (void)world_advance(world, world->limit_us, sent_goes_on, sender_begin(world, step));
        return;
    case STEP_ADVANCE:
        (void)world_advance(world, sim_now_us(world->sim) + step->advance_us, NULL, NULL);
        return;
    default:
        task = user_begin(world, step);
        (void)world_advance(world, world->limit_us, task_goes_on, task);
        return;
    }
}

void steps_take(struct world *world, const struct step *step)
{
    checks_begin(world, step);
    step = bindings_fill(world, step);
    if (world_has_failed(world))
        return;
    checks_begin(world, step);
    take_in_order(world, step);
    if (!world_has_failed(world))
        checks_end(world, step);
}

/* --- steps at their times --- */

struct timed_step {
    struct world *world;
    const struct step *step;
};

static void take_timed(void *arg)
{
    const struct timed_step *timed = arg;
    struct world *world = timed->world;
    const struct step *step;

    if (world->cleaning)
        return;
    step = bindings_fill(world, timed->step);
    world_stir(world);
    world->timed_steps_left--;
    checks_begin(world, timed->step);
    if (world_has_failed(world))
        return;
    checks_begin(world, step);
    if (step->note != NULL)
        sim_note(world->sim, step->note);
    if (!steps_take_at_once(world, step))
        begin_requests(world, step);
    else if (!world_has_failed(world))
        checks_end(world, step);
}

static bool timed_steps_are_left(struct world *world, const void *arg)
{
    (void)arg;
    return world->timed_steps_left > 0;
}

void steps_run(struct world *world)
{
    const struct scenario *scenario = world->scenario;
    struct timed_step *timed = xcalloc(scenario->step_count + 1, sizeof(*timed));

    for (size_t i = 0; i < scenario->step_count; i++) {
        timed[i] = (struct timed_step){world, &scenario->steps[i]};
        if (timed[i].step->at_us < 0)
            continue;
        world->timed_steps_left++;
        (void)sim_at(world->sim, timed[i].step->at_us, take_timed, &timed[i]);
    }
    for (size_t i = 0; i < scenario->step_count && !world_has_failed(world); i++) {
        if (scenario->steps[i].at_us < 0)
            steps_take(world, &scenario->steps[i]);
    }
    (void)world_advance(world, world->limit_us, timed_steps_are_left, NULL);
    world->timed_steps = timed;
}

void steps_calm(struct world *world)
{
    if (world->calmed)
        return;
    world->calmed = true;
    sim_note(world->sim, "all faults are lifted");
    faults_lift_all(world);
    actors_calm(world);
    links_apply(world);
    for (size_t i = 0; i < world->replica_count; i++) {
        struct sim_process *replica = world->replicas[i];

        sim_process_resume(replica);
        if (!sim_process_is_alive(replica))
            sim_process_start(replica);
    }
    sim_process_resume(world->api);
    process_start(world, world->api);
}
