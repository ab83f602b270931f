/* kills - processes that die right after something that happened to them, drawn from the seed.
 *
 * Moments are counted, not microseconds: what matters is between which two things a process dies,
 * and almost all time goes by without any. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/parts.h"

/** What reaches a process, and what it does that others could tell: between two of these it makes
 * no difference when it dies, so that a reading of a clock is none. Nor is what is done to it. */
#define MOMENTS                                                                                    \
    (SIM_EVENTS_ALL & ~(SIM_EVENT_BIT(SIM_EVENT_CLOCK) | SIM_EVENT_BIT(SIM_EVENT_RANDOM) |         \
                        SIM_EVENT_BIT(SIM_EVENT_NOTE) | SIM_EVENT_BIT(SIM_EVENT_MARK) |            \
                        SIM_EVENT_BIT(SIM_EVENT_STARTED) | SIM_EVENT_BIT(SIM_EVENT_EXITED) |       \
                        SIM_EVENT_BIT(SIM_EVENT_CRASHED) | SIM_EVENT_BIT(SIM_EVENT_PAUSED) |       \
                        SIM_EVENT_BIT(SIM_EVENT_RESUMED)))

/** A kill while it waits for its moment, and what came of it. */
struct armed_kill {
    struct world *world;
    const struct step *step;
    const struct kill_action *action; /* of the step */
    struct sim_process *victim;
    uint64_t seen;   /* moments so far */
    uint64_t moment; /* it happens at this one, from 1 */
    bool happened;
    struct armed_kill *next;
};

/** "response sent: create jobs": the last thing that happened to it. */
static char *describe(struct world *world, const struct sim_event *event)
{
    const struct exchange_info *info = exchanges_find(&world->exchanges, event->exchange_id);
    const char *kind = sim_event_kind_name(event->kind);

    if (info == NULL || *info->path.plural == '\0')
        return xstrdup(kind);
    return xprintf("%s: %s %s%s%s", kind, exchange_verb(info), info->path.plural,
                   info->path.subresource[0] == '\0' ? "" : "/", info->path.subresource);
}

static void start_again(void *process)
{
    sim_process_start(process);
}

static void happen(struct armed_kill *kill, const struct sim_event *event)
{
    struct world *world = kill->world;
    char *what = describe(world, event);
    char *note = xprintf("kill at moment %" PRIu64 " of %" PRId64 ": %s", kill->moment,
                         kill->action->among, what);

    kill->happened = true;
    sim_note(world->sim, note);
    sim_process_crash(kill->victim);
    if (kill->action->back_us >= 0)
        (void)sim_at(world->sim, sim_now_us(world->sim) + kill->action->back_us, start_again,
                     kill->victim);
    buffer_append_format(&world->kills, "%s\n", what);
    free(note);
    free(what);
}

static void on_event(void *arg, const struct sim_event *event)
{
    struct world *world = arg;

    for (struct armed_kill *kill = world->armed_kills; kill != NULL; kill = kill->next) {
        if (kill->happened || kill->victim == NULL ||
            (event->process != kill->victim && event->peer != kill->victim) ||
            !sim_process_is_alive(kill->victim))
            continue;
        if (++kill->seen == kill->moment)
            happen(kill, event);
    }
}

void kills_arm(struct world *world, const struct step *step)
{
    const struct kill_action *action = step->kill;
    struct armed_kill *kill = xcalloc(1, sizeof(*kill));
    uint64_t random = sim_random(world->sim);

    kill->world = world;
    kill->step = step;
    kill->action = action;
    kill->victim = role_find(world, action->of);
    kill->moment = 1 + random % (uint64_t)action->among;
    if (world->armed_kills == NULL)
        sim_add_tap(world->sim, MOMENTS, on_event, world);
    kill->next = world->armed_kills;
    world->armed_kills = kill;
    if (kill->victim == NULL && !step->optional)
        world_fail(world, "no such process", NULL, "line %u: there is no %s at this moment",
                   action->place.line, action->of);
}

void kills_end(struct world *world)
{
    for (struct armed_kill *kill = world->armed_kills; kill != NULL; kill = kill->next) {
        if (!kill->happened && !kill->step->optional)
            world_fail(world, "kill never happened", NULL,
                       "the kill of line %u never happened: only %" PRIu64 " of %" PRId64
                       " moments came",
                       kill->action->place.line, kill->seen, kill->action->among);
        kill->happened = true;
    }
}

void kills_release(struct world *world)
{
    while (world->armed_kills != NULL) {
        struct armed_kill *kill = world->armed_kills;

        world->armed_kills = kill->next;
        free(kill);
    }
    buffer_release(&world->kills);
}
