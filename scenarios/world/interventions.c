/* interventions - what people and gatekeepers do at somebody's request: they meddle at one of its
 * moments, or refuse it.
 *
 * Meddling is done by the API server's own writes, at the very instant: a person's request would
 * have a way of its own, and might come too late. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/fakeapi.h"
#include "fakeapi/rest/gate.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/sweep.h"

/** A meddle or a denial of the scenario, from its step to the last one. */
struct intervention {
    struct world *world;
    const struct meddle_action *meddle; /* one of these */
    const struct deny_action *deny;
    struct faults *trigger;
    uint64_t rule_id; /* 0: over */
    uint64_t acted;   /* once over */
    struct intervention *next;
};

static struct rest *rest_of(const struct world *world)
{
    return fakeapi_rest(sim_process_root(world->api));
}

static struct intervention *arm(struct world *world, const struct fault_rule *rule, unsigned line)
{
    struct intervention *armed = xcalloc(1, sizeof(*armed));
    struct intervention **at = &world->actors->interventions;
    struct fault_rule own = *rule;
    struct error err = ERROR_INIT;

    while (*at != NULL) /* in the order of their steps */
        at = &(*at)->next;
    *at = armed;
    armed->world = world;
    armed->trigger = faults_new();
    faults_resolve_peers(world, &own);
    if (!faults_add(armed->trigger, &own, &armed->rule_id, &err))
        world_fail(world, "fault refused", NULL, "line %u: %s", line, err.text);
    return armed;
}

static void end(struct intervention *armed)
{
    if (armed->rule_id == 0)
        return;
    armed->acted = faults_acted(armed->trigger, armed->rule_id);
    (void)faults_remove(armed->trigger, armed->rule_id);
    armed->rule_id = 0;
}

/** Whether this is one of its requests; it is counted. */
static bool acts(const struct intervention *armed, const struct fault_call *call)
{
    struct fault_effect effect;

    faults_decide(armed->trigger, call, &effect);
    return effect.action != FAULT_NONE;
}

/* --- meddling --- */

static struct rest_target target_of(const struct target *target, const char *name)
{
    return (struct rest_target){.group = target->group,
                                .plural = target->plural,
                                .namespace = target->namespace,
                                .name = name};
}

static bool merge(struct world *world, const struct manifest *manifest, struct error *err)
{
    const struct rest_target target = target_of(&manifest->target, manifest->target.name);
    struct store_resource *resource =
        store_find_resource(world->store, target.group, target.plural);

    if (resource != NULL && store_get(resource, target.namespace, target.name) != NULL)
        return rest_merge_patch(rest_of(world), &target, manifest->tree, NULL, err);
    return rest_create(rest_of(world), &target, manifest->tree, NULL, err);
}

static bool apply(struct world *world, const struct step *step, struct error *err)
{
    for (size_t i = 0; i < step->objects.count; i++) {
        if (!merge(world, &step->objects.items[i], err))
            return false;
    }
    return true;
}

static bool patch(struct world *world, const struct step *step, struct error *err)
{
    const struct target *to = &step->patch->target;
    struct rest_target target = target_of(to, lookup_name(world, to));

    if (target.name == NULL)
        return error_set(err, ERROR_NOT_FOUND, "no %s is like %s", to->kind, to->name);
    target.subresource = step->patch->status ? "status" : NULL;
    return rest_merge_patch(rest_of(world), &target, step->patch->merge, NULL, err);
}

static bool delete (struct world *world, const struct step *step, struct error *err)
{
    const struct target *to = &step->deletion->target;
    const struct rest_target target = target_of(to, lookup_name(world, to));
    const struct rest_delete_options options = {
        .propagation =
            step->deletion->propagation < 0
                ? REST_PROPAGATION_DEFAULT
                : (enum rest_propagation)(REST_BACKGROUND + step->deletion->propagation)};

    if (target.name == NULL)
        return error_set(err, ERROR_NOT_FOUND, "no %s is like %s", to->kind, to->name);
    return rest_delete(rest_of(world), &target, &options, err);
}

static void take(struct world *world, const struct step *written)
{
    const struct step *step = bindings_fill(world, written);
    struct error err = ERROR_INIT;
    char *note;
    bool ok;

    if (step == NULL)
        return;
    note = xprintf("%s: %s of line %u", text_or(step->as, "user"), step_action_name(step->action),
                   step->place.line);
    sim_note(world->sim, note);
    free(note);
    if (steps_take_at_once(world, step))
        return;
    if (step->action == STEP_APPLY)
        ok = apply(world, step, &err);
    else
        ok = step->action == STEP_PATCH ? patch(world, step, &err) : delete (world, step, &err);
    if (!ok && !step->optional && !sweep_spares(world, &step->may_change))
        world_fail(world, "meddle", NULL, "line %u: the %s is refused: %s", step->place.line,
                   step_action_name(step->action), err.text);
}

static void happen(void *arg)
{
    const struct intervention *armed = arg;

    for (size_t i = 0; i < armed->meddle->step_count && !world_has_failed(armed->world); i++)
        take(armed->world, &armed->meddle->steps[i]);
}

void interventions_meddle(struct world *world, const struct meddle_action *meddle)
{
    arm(world, &meddle->rule, meddle->place.line)->meddle = meddle;
}

static struct fault_call call_of(struct world *world, const struct exchange_info *info,
                                 const char *resource)
{
    return (struct fault_call){.user_agent = info->user_agent,
                               .peer = info->client,
                               .verb = exchange_verb(info),
                               .resource = resource,
                               .namespace = info->path.namespace,
                               .name = info->path.name,
                               .since_start_us = sim_now_us(world->sim)};
}

void interventions_on_call(struct world *world, const struct exchange_info *info,
                           enum fault_moment moment)
{
    char *resource;

    if (world->actors->interventions == NULL || *info->path.plural == '\0')
        return;
    resource = info->path.subresource[0] == '\0'
                   ? xstrdup(info->path.plural)
                   : xprintf("%s/%s", info->path.plural, info->path.subresource);
    for (struct intervention *armed = world->actors->interventions; armed != NULL;
         armed = armed->next) {
        struct fault_call call;

        if (armed->rule_id == 0 || armed->meddle == NULL || armed->meddle->moment != (int)moment)
            continue;
        call = call_of(world, info, resource);
        call.random = sim_random(world->sim);
        if (acts(armed, &call)) /* behind what goes on now, and before anything can arrive */
            (void)sim_at(world->sim, sim_now_us(world->sim), happen, armed);
    }
    free(resource);
}

/* --- denying --- */

static enum rest_refusal ask(void *arg, const struct fault_call *request,
                             struct rest_refused *ret_refused)
{
    static const enum rest_refusal refusals[] = {[DENY_RBAC] = REST_REFUSAL_ACCESS,
                                                 [DENY_WEBHOOK] = REST_REFUSAL_WEBHOOK,
                                                 [DENY_WEBHOOK_DOWN] = REST_REFUSAL_WEBHOOK_DOWN};
    struct world *world = arg;
    struct fault_call call = *request;

    for (struct intervention *armed = world->actors->interventions; armed != NULL;
         armed = armed->next) {
        if (armed->rule_id == 0 || armed->deny == NULL)
            continue;
        call.since_start_us = sim_now_us(world->sim);
        call.random = sim_random(world->sim);
        if (!acts(armed, &call))
            continue;
        ret_refused->user = armed->deny->user;
        ret_refused->webhook = armed->deny->webhook;
        ret_refused->message = armed->deny->message;
        ret_refused->code = (unsigned)armed->deny->code;
        return refusals[armed->deny->by];
    }
    return REST_REFUSAL_NONE;
}

static void on_over(void *arg)
{
    end(arg);
}

void interventions_deny(struct world *world, const struct deny_action *deny)
{
    static const struct rest_gate gate = {ask};
    struct intervention *armed = arm(world, &deny->rule, deny->place.line);

    armed->deny = deny;
    rest_set_gate(rest_of(world), &gate, world);
    if (deny->for_us >= 0)
        (void)sim_at(world->sim, sim_now_us(world->sim) + deny->for_us, on_over, armed);
}

/* --- the end --- */

void interventions_end(struct world *world)
{
    for (struct intervention *armed = world->actors->interventions; armed != NULL;
         armed = armed->next)
        end(armed);
}

void interventions_check(struct world *world)
{
    for (const struct intervention *armed = world->actors->interventions; armed != NULL;
         armed = armed->next) {
        bool optional = armed->deny != NULL ? armed->deny->optional : armed->meddle->optional;
        unsigned line = armed->deny != NULL ? armed->deny->place.line : armed->meddle->place.line;

        if (armed->acted == 0 && !optional)
            world_fail(world, "fault never happened", NULL,
                       "the %s of line %u never happened; if it need not, say 'optional: true'",
                       armed->deny != NULL ? "deny" : "meddle", line);
    }
}

void interventions_release(struct world *world)
{
    while (world->actors->interventions != NULL) {
        struct intervention *armed = world->actors->interventions;

        world->actors->interventions = armed->next;
        faults_free(armed->trigger);
        free(armed);
    }
}
