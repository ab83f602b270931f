/* bindings - values that steps find, and that later ones are filled in with. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/parts.h"
#include "scenarios/world/sweep.h"

/** The first object of the name, which may have '*'; NULL: none. json_object_put() it. */
static struct json_object *object_of(const struct world *world, const struct target *target)
{
    struct store_resource *resource =
        store_find_resource(world->store, target->group, target->plural);
    struct json_object *found = NULL;
    struct store_snapshot *snapshot;
    size_t first;
    size_t end;

    if (resource == NULL)
        return NULL;
    snapshot = store_snapshot_new(resource);
    store_snapshot_range(snapshot, target->namespace, &first, &end);
    for (size_t i = first; i < end && found == NULL; i++) {
        const struct store_object *object = store_snapshot_object(snapshot, i);

        if (fnmatch(target->name, object->name, 0) == 0)
            found = store_object_parse(object);
    }
    store_snapshot_free(snapshot);
    return found;
}

static void take_one(struct world *world, const struct binding *binding)
{
    struct json_object *object = NULL;
    struct error err = ERROR_INIT;
    char *identity = xprintf("bind: %s", binding->name);

    if (binding->field != NULL)
        object = object_of(world, &binding->target);
    if (binding->field != NULL && object == NULL)
        world_fail(world, identity, NULL, "line %u: there is no %s %s to take '%s' from",
                   binding->place.line, binding->target.kind, binding->target.name, binding->name);
    else if (!bound_take(&world->bound, binding, object, &err))
        world_fail(world, identity, NULL, "line %u: %s %s has %s", binding->place.line,
                   binding->target.kind, binding->target.name, err.text);
    (void)json_object_put(object);
    free(identity);
}

void bindings_take(struct world *world, const struct step *step)
{
    for (size_t i = 0; i < step->binding_count && !world_has_failed(world); i++)
        take_one(world, &step->bindings[i]);
}

void bindings_take_answer(struct world *world, const struct step *step, const struct answer *answer)
{
    const char *name = "";
    struct error err = ERROR_INIT;
    char *identity;

    if (bound_take_answer(&world->bound, step, answer, &name, &err))
        return;
    identity = xprintf("bind: %s", name);
    if (!step->optional && !sweep_spares(world, &step->may_change))
        world_fail(world, identity, NULL, "line %u: the answer to the %s (%u) has %s",
                   step->place.line, step_action_name(step->action), answer->status, err.text);
    free(identity);
}

/* --- filling in --- */

static void complain(struct world *world, const char *what, struct problems *problems)
{
    struct buffer text = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);

    problems_append(problems, world->scenario->path, &text);
    world_fail(world, what, buffer_text(&text),
               "with the values that are bound this cannot be read");
    buffer_release(&text);
}

const struct step *bindings_fill(struct world *world, const struct step *step)
{
    struct problems problems = {0};
    const struct step *filled = bound_fill(&world->bound, step, &problems);

    if (filled == NULL)
        complain(world, step_action_name(step->action), &problems);
    problems_release(&problems);
    return filled;
}

const struct claims *bindings_fill_expect(struct world *world)
{
    static const struct claims none = {0};
    struct problems problems = {0};
    const struct claims *filled = bound_fill_expect(&world->bound, &problems);

    if (filled == NULL)
        complain(world, "expect", &problems);
    problems_release(&problems);
    return filled == NULL ? &none : filled;
}
