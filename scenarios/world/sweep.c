/* sweep - the one more fault of a sweep, and where it could be; see sweep.h and probe.h.
 *
 * It stands in front of the scenario's own faults and outlives them: it may happen while the world
 * settles, which then has to settle again. */
#include "scenarios/world/sweep.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/fault_kinds.h"

/** Within this a Lease lapses, and another replica takes over and has read what is there. */
#define TAKEOVER_US (30 * US_PER_SECOND)

/* --- what a run is --- */

static bool has_swept(const struct scenario *scenario)
{
    for (size_t i = 0; i < scenario->faults.count; i++) {
        if (scenario->faults.items[i].swept)
            return true;
    }
    return false;
}

void sweep_prepare(struct world *world)
{
    world->sweeps = world->probe != NULL || has_swept(world->scenario);
    /* a fault makes things late, and that is for 'settle' to judge */
    if (!world->sweeps)
        return;
    world->limit_us += 2 * world->scenario->settle_us;
    /* in each such run alike, as the API server reads a clock for it */
    api_watch_faults(world);
    if (world->probe != NULL)
        faults_watch_the_way(world);
}

void world_put_fault(struct world *world, const struct fault *fault)
{
    faults_arm_first(world, fault, 1);
}

void world_leave_hash(struct world *world)
{
    sim_leave_hash(world->sim);
}

void world_stop(struct world *world)
{
    world->stopped = true;
}

void world_stir(struct world *world)
{
    world->turn++;
}

/* --- what is judged once it has happened --- */

static bool is_marked(const struct may_change *mark, const char *kind)
{
    for (size_t i = 0; i < mark->kind_count; i++) {
        if (strcmp(mark->kinds[i], kind) == 0)
            return true;
    }
    return mark->any;
}

bool sweep_spares(const struct world *world, const struct may_change *mark)
{
    const struct fault_kind *kind;

    if (!world->swept_happened)
        return false;
    kind = fault_kind_of(world->swept->fault);
    return fault_is_final(world->swept->fault) || is_marked(mark, kind->name);
}

bool sweep_excuses(const struct world *world, const char *identity)
{
    static const char *const excused[] = {
        "no such process", "kill never happened", "fault never happened",
        "rewind", /* of a server that has forgotten its history */
    };

    for (size_t i = 0; world->swept_happened && i < ARRAY_SIZE(excused); i++) {
        if (strcmp(excused[i], identity) == 0)
            return true;
    }
    return false;
}

/* --- it happens --- */

/** The world is not at rest before it is over. */
static void disturb(struct world *world, int64_t for_us)
{
    int64_t until_us = sim_now_us(world->sim) + (for_us > 0 ? for_us : 0);

    world->swept_happened = true;
    world->disturbed = true;
    if (world->disturbed_until_us < until_us)
        world->disturbed_until_us = until_us;
    world_stir(world);
}

void sweep_happens(struct world *world, const struct fault *fault)
{
    int64_t for_us = fault->for_us;

    if (fault->kind == FAULT_RESTART)
        for_us = TAKEOVER_US;
    else if (fault->kind == FAULT_LATE)
        for_us = fault->amount;
    disturb(world, for_us);
}

void sweep_look(struct world *world)
{
    const struct armed_fault *swept = world->swept;

    if (swept != NULL && !world->swept_happened && swept->trigger == NULL && swept->rule_id != 0 &&
        api_fault_acted(world, swept->rule_id) > 0)
        disturb(world, 0);
}

/** A call that has no answer after this long will change what the replica knows, once it has. */
#define LONG_US US_PER_SECOND

static bool is_long(const struct world *world, const struct exchange_info *info)
{
    return info->by_controller && !info->path.watch &&
           sim_now_us(world->sim) - info->asked_us > LONG_US;
}

/** Whether it is still there to be told; who died has left his calls behind. */
static bool is_waited_for(const struct world *world, const struct exchange_info *info)
{
    for (size_t i = 0; !info->client_done && i < world->replica_count; i++) {
        if (strcmp(sim_process_name(world->replicas[i]), info->client) == 0)
            return sim_process_is_alive(world->replicas[i]) &&
                   info->asked_us > world->started_us[i];
    }
    return false;
}

int64_t sweep_busy_us(const struct world *world)
{
    int64_t busy_us = world->written_us > world->disturbed_until_us ? world->written_us
                                                                    : world->disturbed_until_us;

    for (const struct exchange_info *info = world->exchanges.items; world->sweeps && info != NULL;
         info = info->hh.next) {
        if (is_long(world, info) && is_waited_for(world, info))
            busy_us = sim_now_us(world->sim);
    }
    return busy_us;
}

void sweep_on_answer(struct world *world, const struct exchange_info *info)
{
    int64_t now_us = sim_now_us(world->sim);

    if (world->sweeps && is_long(world, info) && world->disturbed_until_us < now_us)
        world->disturbed_until_us = now_us;
}

/* --- sites --- */

/** How a call of a replica went when it was last made. */
struct call_habit {
    char *call;
    int end; /* see end_of() */
    UT_hash_handle hh;
};

/** 0: soon and well; else its status, or how it broke off, and whether that took long. */
static int end_of(const struct world *world, const struct exchange_info *info,
                  const struct sim_event *event)
{
    int end = 0;

    if (event->kind != SIM_EVENT_END)
        end = 1;
    else if (event->number != EXCHANGE_COMPLETE)
        end = 2 + (int)event->number;
    else if (info->status >= 400)
        end = (int)info->status;
    return 2 * end + (is_long(world, info) ? 1 : 0);
}

void sweep_on_end(struct world *world, const struct exchange_info *info,
                  const struct sim_event *event)
{
    int end = end_of(world, info, event);
    struct call_habit *habit;
    char *call;

    if (!sweep_looks(world) || !info->by_controller)
        return;
    call = xprintf("%s %s %s %s %s", info->client, exchange_verb(info), info->path.plural,
                   info->path.subresource, info->path.name);
    HASH_FIND_STR(world->habits, call, habit);
    if (habit == NULL) {
        habit = xcalloc(1, sizeof(*habit));
        habit->call = call;
        HASH_ADD_KEYPTR(hh, world->habits, habit->call, strlen(habit->call), habit);
    } else {
        free(call);
    }
    if (habit->end != end)
        world_stir(world);
    habit->end = end;
}

void sweep_release(struct world *world)
{
    while (world->habits != NULL) {
        struct call_habit *habit = world->habits;

        HASH_DEL(world->habits, habit);
        free(habit->call);
        free(habit);
    }
}

static void show(struct world *world, struct site *site)
{
    site->turn = world->turn;
    if (!world->stopped)
        world->probe->on_site(world->probe->arg, world, site);
}

bool sweep_looks(const struct world *world)
{
    return world->probe != NULL && world->swept == NULL;
}

void sweep_on_call(struct world *world, const struct exchange_info *info, const char *resource,
                   enum site_stage stage)
{
    struct site site = {.stage = stage,
                        .peer = info->client,
                        .verb = exchange_verb(info),
                        .resource = resource,
                        .name = info->path.name};

    if (sweep_looks(world) && info->by_controller)
        show(world, &site);
}

void sweep_on_timer(struct world *world, const struct sim_event *event)
{
    struct site site = {.stage = SITE_TIMER,
                        .peer = sim_process_name(event->process),
                        .origin = event->origin,
                        .verb = "",
                        .resource = "",
                        .name = ""};

    if (sweep_looks(world))
        show(world, &site);
}

void sweep_on_api(struct world *world, const struct fault_call *call, bool event)
{
    struct site site = {.stage = event ? SITE_EVENT : SITE_ARRIVED,
                        .peer = call->peer,
                        .verb = call->verb,
                        .resource = call->resource,
                        .name = text_or(call->name, "")};

    if (sweep_looks(world) && role_is_replica(world, call->peer))
        show(world, &site);
}
