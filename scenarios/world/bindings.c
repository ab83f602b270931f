/* bindings - values that steps find, and that later ones are filled in with. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "scenarios/world/parts.h"

static struct expression_name *find_name(struct world *world, const char *name)
{
    for (size_t i = 0; i < world->name_count; i++) {
        if (strcmp(world->names[i].name, name) == 0)
            return &world->names[i];
    }
    return NULL;
}

void bindings_start(struct world *world)
{
    size_t count = world->scenario->name_count;

    world->name_count = count;
    world->names = xcalloc(count + 1, sizeof(*world->names));
    if (count > 0)
        memcpy(world->names, world->scenario->names, count * sizeof(*world->names));
}

void bindings_release(struct world *world)
{
    free(world->names);
    arena_release(&world->arena);
}

/* --- finding --- */

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

/** The item that "[0]..." at *field means, which goes on behind it. */
static struct json_object *item_of(struct json_object *list, const char **field)
{
    size_t digits = strspn(*field + 1, "0123456789");
    char *text = xmemdup(*field + 1, digits);
    int64_t index = -1;
    bool ok = (*field)[1 + digits] == ']' && text_to_int64(text, &index);

    free(text);
    *field += ok ? digits + 2 : strlen(*field);
    return ok && json_is(list, json_type_array) ? json_object_array_get_idx(list, (size_t)index)
                                                : NULL;
}

/** Follows "status.conditions[0].type". NULL where there is nothing. */
static struct json_object *walk(struct json_object *value, const char *field)
{
    while (*field != '\0' && value != NULL) {
        size_t size = strcspn(field, ".[");
        char *key = xmemdup(field, size);

        value = json_get(value, key);
        free(key);
        field += size;
        while (*field == '[')
            value = item_of(value, &field);
        field += *field == '.';
    }
    return value;
}

static bool value_from(struct world *world, struct json_object *from,
                       struct expression_value *ret_value)
{
    if (json_is(from, json_type_int))
        *ret_value =
            (struct expression_value){EXPRESSION_NUMBER, json_object_get_int64(from), NULL};
    else if (json_is(from, json_type_boolean))
        *ret_value =
            (struct expression_value){EXPRESSION_FLAG, json_object_get_boolean(from), NULL};
    else if (json_text(from) != NULL)
        *ret_value = (struct expression_value){EXPRESSION_TEXT, 0,
                                               arena_text(&world->arena, json_text(from))};
    else
        return false;
    return true;
}

static void take_one(struct world *world, const struct binding *binding)
{
    struct expression_name *name = find_name(world, binding->name);
    struct expression_value value = binding->value;
    struct json_object *object = NULL;
    char *identity = xprintf("bind: %s", binding->name);

    if (binding->field != NULL) {
        object = object_of(world, &binding->target);
        if (object == NULL)
            world_fail(world, identity, NULL, "line %u: there is no %s %s to take '%s' from",
                       binding->place.line, binding->target.kind, binding->target.name,
                       binding->name);
        else if (!value_from(world, walk(object, binding->field), &value))
            world_fail(world, identity, NULL, "line %u: %s %s has no number, text or flag at '%s'",
                       binding->place.line, binding->target.kind, binding->target.name,
                       binding->field);
    }
    if (name != NULL && !world_has_failed(world)) {
        name->value = value;
        name->later = false;
    }
    (void)json_object_put(object);
    free(identity);
}

void bindings_take(struct world *world, const struct step *step)
{
    for (size_t i = 0; i < step->binding_count && !world_has_failed(world); i++)
        take_one(world, &step->bindings[i]);
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
    const struct expression_names names = {world->names, world->name_count, false};
    struct problems problems = {0};
    const struct step *filled = step;

    if (step->node != NULL) {
        filled = scenario_fill_step(step, &names, &world->arena, &problems);
        if (filled == NULL || filled->node != NULL)
            complain(world, step_action_name(step->action), &problems);
    }
    problems_release(&problems);
    return filled;
}

const struct claims *bindings_fill_expect(struct world *world)
{
    const struct expression_names names = {world->names, world->name_count, false};
    struct claims *filled = arena_alloc(&world->arena, sizeof(*filled));
    struct problems problems = {0};

    if (world->scenario->expect_node == NULL)
        return &world->scenario->expect;
    if (!scenario_fill_expect(world->scenario, &names, &world->arena, &problems, filled))
        complain(world, "expect", &problems);
    problems_release(&problems);
    return filled;
}
