/* triggers - faults of the scenario: handed to the API server, or waiting for a call to pass by. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/world/parts.h"

/** Roles among the peers are who they are when the fault is armed. */
static void resolve_peers(struct world *world, struct fault_rule *rule)
{
    for (size_t i = 0; i < rule->peer.count; i++) {
        const char *name = rule->peer.items[i];
        const struct sim_process *process;

        if (strcmp(name, "leader") != 0 && strcmp(name, "standby") != 0)
            continue;
        process = role_find(world, name);
        if (process == NULL)
            world_fail(world, NULL, "a fault is to hit the %s, and there is none", name);
        else
            rule->peer.items[i] = sim_process_name(process);
    }
}

void faults_arm(struct world *world, const struct fault *fault)
{
    struct armed_fault *armed = xcalloc(1, sizeof(*armed));
    struct fault_rule rule = fault->rule;
    struct error err = ERROR_INIT;

    resolve_peers(world, &rule);
    armed->world = world;
    armed->fault = fault;
    armed->next = world->faults;
    world->faults = armed;
    if (fault->kind == FAULT_AT_API) {
        armed->rule_id = api_add_fault(world, &rule);
        return;
    }
    armed->trigger = faults_new();
    if (!faults_add(armed->trigger, &rule, &armed->rule_id, &err))
        world_fail(world, NULL, "the fault of line %u: %s", fault->place.line, err.text);
}

static void lift(struct armed_fault *armed)
{
    if (armed->rule_id == 0)
        return;
    if (armed->trigger == NULL) {
        armed->acted += api_remove_fault(armed->world, armed->rule_id);
    } else {
        armed->acted += faults_acted(armed->trigger, armed->rule_id);
        (void)faults_remove(armed->trigger, armed->rule_id);
    }
    armed->rule_id = 0;
}

void faults_lift(struct world *world, const char *name)
{
    for (struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (text_equal(armed->fault->name, name))
            lift(armed);
    }
}

void faults_lift_all(struct world *world)
{
    for (struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next)
        lift(armed);
}

/* --- faults of processes --- */

static void resume(void *arg)
{
    sim_process_resume(arg);
}

static void happen(struct world *world, const struct fault *fault)
{
    struct sim_process *process = role_find(world, fault->process);

    if (process == NULL) {
        world_fail(world, NULL, "a fault is to hit the %s, and there is none", fault->process);
        return;
    }
    switch (fault->kind) {
    case FAULT_AT_API:
        break;
    case FAULT_CRASH:
        sim_process_crash(process);
        break;
    case FAULT_PAUSE:
        sim_process_pause(process);
        if (fault->pause_us >= 0)
            (void)sim_at(world->sim, sim_now_us(world->sim) + fault->pause_us, resume, process);
        break;
    case FAULT_RESTART:
        sim_process_restart(process);
        break;
    case FAULT_TERMINATE:
        sim_process_signal(process, SIM_TERM);
        break;
    }
}

void faults_on_call(struct world *world, const struct exchange_info *info, enum fault_moment moment)
{
    struct armed_fault *armed;
    struct fault_call call = {.user_agent = info->user_agent,
                              .peer = info->client,
                              .verb = exchange_verb(info),
                              .namespace = info->path.namespace,
                              .name = info->path.name,
                              .since_start_us = sim_now_us(world->sim)};
    char *resource;

    for (armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->trigger != NULL && armed->rule_id != 0 && armed->fault->moment == moment)
            break;
    }
    if (armed == NULL || *info->path.plural == '\0')
        return;
    resource = info->path.subresource[0] == '\0'
                   ? xstrdup(info->path.plural)
                   : xprintf("%s/%s", info->path.plural, info->path.subresource);
    call.resource = resource;
    for (armed = world->faults; armed != NULL; armed = armed->next) {
        struct fault_effect effect;

        if (armed->trigger == NULL || armed->rule_id == 0 || armed->fault->moment != moment)
            continue;
        call.random = sim_random(world->sim);
        faults_decide(armed->trigger, &call, &effect);
        if (effect.action != FAULT_NONE)
            happen(world, armed->fault);
    }
    free(resource);
}

/* --- at the end --- */

void faults_check(struct world *world)
{
    for (const struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->acted == 0 && !armed->fault->optional)
            world_fail(world, NULL,
                       "the fault of line %u never happened; if it need not, say 'optional: true'",
                       armed->fault->place.line);
    }
}

void faults_release(struct world *world)
{
    while (world->faults != NULL) {
        struct armed_fault *armed = world->faults;

        world->faults = armed->next;
        faults_free(armed->trigger);
        free(armed);
    }
}
