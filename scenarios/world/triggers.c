/* triggers - faults of the scenario: handed to the API server, or waiting for a call to pass by. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/time.h"
#include "scenarios/language/fault_kinds.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

static void on_the_way(void *arg, const struct sim_request_view *request, struct sim_fault *fault);

/** Roles among the peers become who they are now. The first role that nobody has; NULL: none. */
static const char *resolve_peers(struct world *world, struct fault_rule *rule)
{
    for (size_t i = 0; i < rule->peer.count; i++) {
        const char *name = rule->peer.items[i];
        const struct sim_process *process;

        if (strcmp(name, "leader") != 0 && strcmp(name, "standby") != 0)
            continue;
        process = role_find(world, name);
        if (process == NULL)
            return name;
        rule->peer.items[i] = sim_process_name(process);
    }
    return NULL;
}

void faults_resolve_peers(struct world *world, struct fault_rule *rule)
{
    const char *missing = resolve_peers(world, rule);

    if (missing != NULL)
        world_fail(world, "no such process", NULL, "a fault is to hit the %s, and there is none",
                   missing);
}

static void begin_timed(void *arg)
{
    struct armed_fault *armed = arg;

    armed->begin = NULL;
    armed->acted++;
    deeds_begin(armed);
}

/** What carries it out, where that is not the API server. */
static void arm_trigger(struct world *world, struct armed_fault *armed,
                        const struct fault_rule *rule)
{
    struct error err = ERROR_INIT;

    if (armed->fault->timed) {
        armed->begin = sim_at(world->sim, rule->from_us, begin_timed, armed);
        return;
    }
    armed->trigger = faults_new();
    if (fault_target_is_request(armed->fault->kind))
        sim_set_network_fault(world->sim, on_the_way, world);
    if (armed->fault->at_event)
        api_watch_faults(world);
    if (!faults_add(armed->trigger, rule, &armed->rule_id, &err))
        world_fail(world, "fault refused", NULL, "the fault of line %u: %s",
                   armed->fault->place.line, err.text);
}

/** Where nobody has a role of its peers yet, it waits. */
static void arm(struct armed_fault *armed)
{
    struct fault_rule rule = armed->fault->rule;

    armed->waits_for_role = resolve_peers(armed->world, &rule) != NULL;
    if (armed->waits_for_role)
        return;
    if (armed->fault->kind == FAULT_AT_API)
        armed->rule_id = api_add_fault(armed->world, &rule);
    else
        arm_trigger(armed->world, armed, &rule);
}

void faults_arm(struct world *world, const struct fault *fault)
{
    struct armed_fault *armed = xcalloc(1, sizeof(*armed));

    armed->world = world;
    armed->fault = fault;
    armed->next = world->faults;
    world->faults = armed;
    arm(armed);
}

/** Those that waited for a role that somebody has now. */
static void arm_waiting(struct world *world)
{
    for (struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->waits_for_role)
            arm(armed);
    }
}

void faults_arm_first(struct world *world, const struct fault *fault, uint64_t nth)
{
    struct armed_fault *armed = xcalloc(1, sizeof(*armed));
    struct fault_rule rule = fault->rule;

    rule.nth = nth;
    armed->world = world;
    armed->fault = fault;
    world->swept = armed;
    if (fault->kind == FAULT_AT_API)
        armed->rule_id = api_add_first_fault(world, &rule);
    else
        arm_trigger(world, armed, &rule);
}

static void lift(struct armed_fault *armed)
{
    sim_alarm_cancel(armed->begin);
    armed->begin = NULL;
    armed->waits_for_role = false;
    deeds_end(armed);
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

/* --- faults at a moment of a request --- */

static bool waits(const struct armed_fault *armed, enum fault_moment moment)
{
    return armed->trigger != NULL && armed->rule_id != 0 &&
           !fault_target_is_request(armed->fault->kind) && !armed->fault->at_event &&
           !armed->fault->at_timer && armed->fault->moment == moment;
}

struct armed_fault *faults_first(const struct world *world)
{
    return world->swept != NULL ? world->swept : world->faults;
}

struct armed_fault *faults_next(const struct world *world, const struct armed_fault *armed)
{
    return armed == world->swept ? world->faults : armed->next;
}

/** "agents/status". free() it. */
static char *resource_of(const struct api_path *path)
{
    return path->subresource[0] == '\0' ? xstrdup(path->plural)
                                        : xprintf("%s/%s", path->plural, path->subresource);
}

/** Whether the fault acts here; its trigger counts it. */
static bool decides(struct world *world, const struct armed_fault *armed, struct fault_call *call)
{
    struct fault_effect effect;

    call->random = faults_draw(armed->trigger) ? sim_random(world->sim) : 0;
    faults_decide(armed->trigger, call, &effect);
    return effect.action != FAULT_NONE;
}

/** Whether the fault acts on this call. */
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

    return decides(world, armed, &call);
}

static bool anything_waits(const struct world *world, enum fault_moment moment)
{
    for (const struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        if (waits(armed, moment))
            return true;
    }
    return false;
}

void faults_on_call(struct world *world, const struct exchange_info *info, enum fault_moment moment)
{
    static const enum site_stage stages[] = {[MOMENT_SENT] = SITE_SENT,
                                             [MOMENT_APPLIED] = SITE_APPLIED,
                                             [MOMENT_ANSWERED] = SITE_ANSWERED};
    char *resource;

    interventions_on_call(world, info, moment);
    arm_waiting(world);
    if (*info->path.plural == '\0' || (!sweep_looks(world) && !anything_waits(world, moment)))
        return;
    resource = resource_of(&info->path);
    sweep_on_call(world, info, resource, stages[moment]);
    for (struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        if (waits(armed, moment) && acts(world, armed, info, resource))
            deeds_begin(armed);
    }
    free(resource);
}

void faults_on_event(struct world *world, const struct fault_call *event)
{
    for (struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        struct fault_call call = *event;

        if (armed->fault->at_event && armed->trigger != NULL && armed->rule_id != 0 &&
            decides(world, armed, &call))
            deeds_begin(armed);
    }
}

void faults_on_timer(struct world *world, const struct sim_event *event)
{
    sweep_on_timer(world, event);
    for (struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        struct fault_call call = {.peer = sim_process_name(event->process),
                                  .since_start_us = sim_now_us(world->sim)};

        if (armed->fault->at_timer && armed->rule_id != 0 && decides(world, armed, &call))
            deeds_begin(armed);
    }
}

/* --- faults on the way --- */

/** Of several the first decides; they only add up in time. */
static void spoil(const struct fault *fault, struct sim_fault *way)
{
    static const enum sim_fault_kind kinds[] = {
        [FAULT_LOSE_REQUEST] = SIM_FAULT_LOSE,
        [FAULT_LOSE_ANSWER] = SIM_FAULT_LOSE_ANSWER,
        [FAULT_RESET_REQUEST] = SIM_FAULT_RESET_REQUEST,
        [FAULT_RESET_ANSWER] = SIM_FAULT_RESET_RESPONSE,
        [FAULT_UNREACHABLE] = SIM_FAULT_REFUSE,
    };

    if (fault->kind == FAULT_LATE) {
        way->delay_us += fault->amount;
    } else if (way->kind == SIM_FAULT_NONE) {
        way->kind = kinds[fault->kind];
        way->after_bytes = fault->amount < 0 ? 0 : (size_t)fault->amount;
    }
}

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
    sweep_on_call(world, &info, resource, SITE_WAY);
    for (struct armed_fault *armed = faults_first(world); armed != NULL;
         armed = faults_next(world, armed)) {
        if (!fault_target_is_request(armed->fault->kind) || armed->rule_id == 0 ||
            *resource == '\0' || !acts(world, armed, &info, resource))
            continue;
        if (armed->fault->swept)
            sweep_happens(world, armed->fault);
        spoil(armed->fault, fault);
    }
    free(resource);
    free(info.client);
    free(info.user_agent);
    free(info.method);
}

/* --- at the end --- */

void faults_check(struct world *world)
{
    if (world->swept != NULL && !world->swept_happened)
        world_fail(world, "fault never happened", NULL, "the fault of the sweep never happened");
    for (const struct armed_fault *armed = world->faults; armed != NULL; armed = armed->next) {
        if (armed->acted > 0 || armed->fault->optional)
            continue;
        if (armed->fault->timed)
            world_fail(world, "fault never happened", NULL,
                       "the fault of line %u never happened: the steps ended before its time; let "
                       "them last longer, with an 'advance' at the end",
                       armed->fault->place.line);
        else
            world_fail(world, "fault never happened", NULL,
                       "the fault of line %u never happened; if it need not, say 'optional: true'",
                       armed->fault->place.line);
    }
}

void faults_watch_the_way(struct world *world)
{
    sim_set_network_fault(world->sim, on_the_way, world);
}

void faults_release(struct world *world)
{
    if (world->swept != NULL) {
        faults_free(world->swept->trigger);
        deeds_release(world->swept);
        free(world->swept);
        world->swept = NULL;
    }
    while (world->faults != NULL) {
        struct armed_fault *armed = world->faults;

        world->faults = armed->next;
        faults_free(armed->trigger);
        deeds_release(armed);
        free(armed);
    }
}
