/* links - how links are: what the scenario and its steps make of them, and on top of that what
 * faults do while they last. */
#include <stdlib.h>

#include "controller/base/memory.h"
#include "scenarios/world/parts.h"

/** One way, without faults. */
struct world_link {
    struct sim_process *from;
    struct sim_process *to;
    struct sim_link link;
    struct world_link *next;
};

static struct world_link *own_of(struct world *world, struct sim_process *from,
                                 struct sim_process *to)
{
    struct world_link *own;

    for (own = world->links; own != NULL; own = own->next) {
        if (own->from == from && own->to == to)
            return own;
    }
    own = xcalloc(1, sizeof(*own));
    *own = (struct world_link){from, to, sim_link_default, world->links};
    world->links = own;
    return own;
}

void links_refresh(struct world *world, struct sim_process *from, struct sim_process *to)
{
    struct sim_link link = own_of(world, from, to)->link;

    for (const struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed))
        deeds_change_link(armed, from, to, &link);
    sim_set_link(world->sim, from, to, &link);
}

static void set(struct world *world, struct sim_process *from, struct sim_process *to,
                const struct sim_link *link)
{
    own_of(world, from, to)->link = *link;
    links_refresh(world, from, to);
}

static void cut(struct world *world, struct sim_process *from, struct sim_process *to)
{
    own_of(world, from, to)->link.cut = true;
    links_refresh(world, from, to);
}

static void set_both(struct world *world, struct sim_process *a, struct sim_process *b,
                     const struct sim_link *link)
{
    set(world, a, b, link);
    set(world, b, a, link);
}

void links_slow(struct world *world, const struct link_setting *setting)
{
    struct sim_process *a = role_find(world, setting->between.items[0]);
    struct sim_process *b = role_find(world, setting->between.items[1]);
    struct sim_link link;

    if (a == NULL || b == NULL) {
        world_fail(world, "no such process", NULL, "line %u: one end of the link is not there",
                   setting->place.line);
        return;
    }
    link = own_of(world, a, b)->link;
    if (setting->latency_us >= 0)
        link.latency_us = setting->latency_us;
    if (setting->jitter_us >= 0)
        link.jitter_us = setting->jitter_us;
    if (setting->bytes_per_second > 0)
        link.bytes_per_second = setting->bytes_per_second;
    if (setting->piece_bytes > 0)
        link.piece_bytes = (size_t)setting->piece_bytes;
    set_both(world, a, b, &link);
}

/** As at the start: the default, and what the scenario says of links. */
void links_apply(struct world *world)
{
    size_t count = sim_process_count(world->sim);

    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count; j++)
            set_both(world, sim_process_at(world->sim, i), sim_process_at(world->sim, j),
                     &sim_link_default);
    }
    for (size_t i = 0; i < world->scenario->link_count; i++)
        links_slow(world, &world->scenario->links[i]);
}

static void heal(struct world *world, struct sim_process *a, struct sim_process *b)
{
    set_both(world, a, b, &sim_link_default);
    for (size_t i = 0; i < world->scenario->link_count; i++) {
        const struct link_setting *setting = &world->scenario->links[i];
        const struct sim_process *x = role_find(world, setting->between.items[0]);
        const struct sim_process *y = role_find(world, setting->between.items[1]);

        if ((x == a && y == b) || (x == b && y == a))
            links_slow(world, setting);
    }
}

void links_step(struct world *world, const struct step *step)
{
    struct sim_process *a;
    struct sim_process *b;

    if (step->processes.count == 0) {
        links_apply(world);
        return;
    }
    a = role_find(world, step->processes.items[0]);
    b = role_find(world, step->processes.items[1]);
    if (a == NULL || b == NULL) {
        world_fail(world, "no such process", NULL, "line %u: one end of the link is not there",
                   step->place.line);
        return;
    }
    if (step->action == STEP_PARTITION || step->action == STEP_HALF_OPEN)
        cut(world, a, b);
    if (step->action == STEP_PARTITION)
        cut(world, b, a);
    else if (step->action == STEP_STRAND)
        sim_strand(world->sim, a, b);
    else if (step->action == STEP_HEAL)
        heal(world, a, b);
}

void links_release(struct world *world)
{
    while (world->links != NULL) {
        struct world_link *own = world->links;

        world->links = own->next;
        free(own);
    }
}
