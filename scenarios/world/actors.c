/* actors - all that acts beside the controllers, as one: made, calmed, asked what it waits for. */
#include "scenarios/world/actors.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/fakeapi.h"

/** Most steps that are told as still to come. */
#define WAITING_LINES_MAX 12

/** Everybody who does one of the steps in his own name. */
static void start_people(struct world *world, const struct step *steps, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *name = steps[i].as;

        if (name == NULL || sim_process_find(world->sim, name) != NULL)
            continue;
        sim_process_start(sim_process_new(world->sim, &(struct sim_process_options){.name = name}));
    }
}

void actors_start(struct world *world)
{
    servers_start(world);
    sender_start(world);
    rivals_start(world);
    start_people(world, world->scenario->steps, world->scenario->step_count);
    start_people(world, world->scenario->cleanup, world->scenario->cleanup_count);
}

void actors_calm(struct world *world)
{
    rivals_end(world);
    interventions_end(world);
    chores_calm(world);
}

void actors_release(struct world *world)
{
    servers_release(world);
    sender_release(world);
    rivals_release(world);
    interventions_release(world);
    free(world->actors);
}

/* --- what they wait for --- */

/** The end of Events and the counting of quotas come in every run. */
static bool comes_by_itself(const struct waiting_step *step)
{
    return strcmp(step->actor, cluster_actor_name(CLUSTER_EVENTS)) == 0 ||
           strcmp(step->actor, cluster_actor_name(CLUSTER_QUOTA)) == 0;
}

void actors_append_waiting(struct world *world, struct buffer *buffer)
{
    struct runtime *rt = sim_process_runtime(world->api);
    struct waiting *waiting;
    size_t count = 0;

    if (rt == NULL)
        return;
    waiting = cluster_waiting(fakeapi_cluster(sim_process_root(world->api)));
    for (size_t i = 0; i < waiting_count(waiting); i++) {
        const struct waiting_step *step = waiting_at(waiting, i);
        int64_t left_us = step->due_elapsed_us - sim_process_elapsed_us(world->api);
        char due[TIME_TEXT_SIZE];

        if (comes_by_itself(step) || ++count > WAITING_LINES_MAX)
            continue;
        duration_format(left_us / US_PER_SECOND * US_PER_SECOND, due);
        buffer_append_format(buffer, "  still to come in %s: %s: %s %s/%s\n", due, step->actor,
                             step->step, step->plural, step->name);
    }
    if (count > WAITING_LINES_MAX)
        buffer_append_format(buffer, "  and %zu more step%s\n", count - WAITING_LINES_MAX,
                             text_plural(count - WAITING_LINES_MAX));
    waiting_free(waiting);
}
