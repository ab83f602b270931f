/* triggers - faults of the scenario: handed to the API server, or waiting for a call to pass by. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/world/parts.h"

static void on_the_way(void *arg, const struct sim_request_view *request, struct sim_fault *fault);

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
            world_fail(world, "no such process", NULL,
                       "a fault is to hit the %s, and there is none", name);
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
    if (fault->kind == FAULT_LATE)
        sim_set_network_fault(world->sim, on_the_way, world);
    if (!faults_add(armed->trigger, &rule, &armed->rule_id, &err))
        world_fail(world, "fault refused", NULL, "the fault of line %u: %s", fault->place.line,
                   err.text);
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

    if (process == NULL && fault->optional)
        return;
    if (process == NULL) {
        world_fail(world, "no such process", NULL, "a fault is to hit the %s, and there is none",
                   fault->process);
        return;
    }
    switch (fault->kind) {
    case FAULT_AT_API:
    case FAULT_LATE:
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

static bool waits(const struct armed_fault *armed, enum fault_moment moment)
{
    return armed->trigger != NULL && armed->rule_id != 0 && armed->fault->kind != FAULT_LATE &&
           armed->fault->moment == moment;
}

/** "agents/status". free() it. */
static char *resource_of(const struct api_path *path)
{
    return path->subresource[0] == '\0' ? xstrdup(path->plural)
                                        : xprintf("%s/%s", path->plural, path->subresource);
}

/** Whether the fault acts on this call; its trigger counts it. */
static bool acts(struct world *world, struct armed_fault *armed, const struct exchange_info *info,
                 const char *resource)
{
    struct fault_call call = {.user_agent = info->user_agent,
                              .peer = info->client,
                              .verb = exchange_verb(info),
                              .resource = resource,
                              .namespace = info->path.namespace,
                              .name = info->path.name,
                              .since_start_us = sim_now_us(world->sim)};
    struct fault_effect effect;

    call.random = sim_random(world->sim);
    faults_decide(armed->trigger, &call, &effect);
    return effect.action != FAULT_NONE;
}

void faults_on_call(struct world *world, const struct exchange_info *info, enum fault_moment moment)
{
    struct armed_fault *armed;
    char *resource;

    for (armed = world->faults; armed != NULL && !waits(armed, moment); armed = armed->next)
        continue;
    if (armed == NULL || *info->path.plural == '\0')
        return;
    resource = resource_of(&info->path);
    for (armed = world->faults; armed != NULL; armed = armed->next) {
        if (waits(armed, moment) && acts(world, armed, info, resource))
            happen(world, armed->fault);
    }
    free(resource);
}

/* --- faults on the way --- */

static void on_the_way(void *arg, const struct sim_request_view *request, struct sim_fault *fault)
{
    struct world *world = arg;
    const char *user_agent = http_header_get(request->headers, request->header_count, "User-Agent");
    struct exchange_info info = {.client = xstrdup(sim_process_name(request->from)),
                                 .user_agent = xstrdup(text_or(user_agent, "")),
                                 .method = xstrdup(request->method)};
    char *resource;

    api_path_parse(request->target, &info.path);
    resource = resource_of(&info.path);
    for (struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->fault->kind == FAULT_LATE && armed->rule_id != 0 && *resource != '\0' &&
            acts(world, armed, &info, resource))
            fault->delay_us += armed->fault->late_us;
    }
    free(resource);
    free(info.client);
    free(info.user_agent);
    free(info.method);
}

/* --- at the end --- */

void faults_check(struct world *world)
{
    for (const struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->acted == 0 && !armed->fault->optional)
            world_fail(world, "fault never happened", NULL,
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
