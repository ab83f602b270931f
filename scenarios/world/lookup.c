/* lookup - claims over the store as it is now. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "scenarios/language/verdict.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/sweep.h"

/** The first object of that kind whose name is like the target's. */
static const struct store_object *first_like(const struct world *world, const struct target *target)
{
    struct store_resource *resource =
        store_find_resource(world->store, target->group, target->plural);
    const struct store_object *found = NULL;
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
            found = store_get(resource, target->namespace, object->name);
    }
    store_snapshot_free(snapshot);
    return found;
}

const char *lookup_name(const struct world *world, const struct target *target)
{
    const struct store_object *object;

    if (strchr(target->name, '*') == NULL)
        return target->name;
    object = first_like(world, target);
    return object == NULL ? NULL : object->name;
}

struct found {
    struct json_object **items;
    size_t count;
};

static void add(struct found *found, const struct store_object *object)
{
    found->items = xrealloc(found->items, (found->count + 1) * sizeof(struct json_object *));
    found->items[found->count++] = store_object_parse(object);
}

/** The object of the claim's name alone, or all of its kind and namespace. */
static struct found find(const struct world *world, const struct claim *claim, bool told)
{
    struct store_resource *resource =
        store_find_resource(world->store, claim->target.group, claim->target.plural);
    struct found found = {0};
    struct store_snapshot *snapshot;
    size_t first;
    size_t end;

    if (claim->server != NULL) {
        found.count = servers_requests(world, claim->server, &found.items);
        return found;
    }

    if (resource == NULL)
        return found;
    if (claim->target.name != NULL) {
        const struct store_object *object =
            store_get(resource, claim->target.namespace, claim->target.name);

        if (object != NULL)
            add(&found, object);
        if (object != NULL || !told)
            return found;
    }
    snapshot = store_snapshot_new(resource);
    store_snapshot_range(snapshot, claim->target.namespace, &first, &end);
    for (size_t i = first; i < end; i++)
        add(&found, store_snapshot_object(snapshot, i));
    store_snapshot_free(snapshot);
    return found;
}

static bool holds(const struct world *world, const struct claim *claim, struct buffer *why)
{
    struct found found = find(world, claim, why != NULL);
    bool right = claim_holds(claim, found.items, found.count, world->scenario->path, why);

    for (size_t i = 0; i < found.count; i++)
        (void)json_object_put(found.items[i]);
    free(found.items);
    return right;
}

bool claims_hold_all(struct world *world, const struct claims *claims)
{
    size_t index = 0;

    while (index < claims->count && holds(world, &claims->items[index], NULL))
        index++;
    return index == claims->count;
}

static bool is_spared(const struct world *world, const struct claim *claim)
{
    return sweep_spares(world, &claim->may_change);
}

bool claims_hold(struct world *world, const struct claims *claims, struct buffer *why)
{
    bool all = true;

    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];

        all = (is_spared(world, claim) || holds(world, claim, why)) && all;
        if (!all && why == NULL)
            break;
    }
    return all;
}

bool claims_fail(struct world *world, const struct claims *claims, struct buffer *why)
{
    bool none = true;

    for (size_t i = 0; i < claims->count; i++) {
        const struct claim *claim = &claims->items[i];

        if (is_spared(world, claim) || !holds(world, claim, NULL))
            continue;
        none = false;
        if (why == NULL)
            break;
        buffer_append_format(why, "  %s:%u:%u: ", world->scenario->path, claim->place.line,
                             claim->place.column);
        claim_append_subject(claim, why);
        buffer_append_text(why, ": this must not hold, and it does\n");
    }
    return none;
}

void claims_complain(struct world *world, const char *what, const struct claims *claims, bool hold,
                     const char *details, const char *format, ...)
{
    struct buffer identity = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    struct buffer text = BUFFER_INIT(WORLD_TEXT_BYTES_MAX);
    size_t first = 0;
    va_list values;

    while (first + 1 < claims->count && (is_spared(world, &claims->items[first]) ||
                                         holds(world, &claims->items[first], NULL) == hold))
        first++;
    buffer_append_format(&identity, "%s: ", what);
    claim_append_subject(&claims->items[first], &identity);
    va_start(values, format);
    buffer_append_format_list(&text, format, values);
    va_end(values);
    world_fail(world, buffer_text(&identity), details, "%s", buffer_text(&text));
    buffer_release(&identity);
    buffer_release(&text);
}
