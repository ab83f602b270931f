/* watch - cursors into a resource's part of the history. */
#include <inttypes.h>
#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "fakeapi/store/parts.h"

bool store_watch_new(struct store_resource *resource, uint64_t revision, void (*wake)(void *arg),
                     void *arg, struct store_watch **ret_watch, struct error *err)
{
    struct store *store = resource->store;
    struct store_watch *watch;

    if (revision < store->oldest)
        return error_set(err, ERROR_GONE, "too old resource version: %" PRIu64 " (%" PRIu64 ")",
                         revision, store->oldest);
    watch = xcalloc(1, sizeof(*watch));
    watch->resource = resource;
    resource->references++;
    watch->from = revision;
    watch->seen = revision;
    watch->sequence = resource->events_dropped + event_queue_find(&resource->events, revision);
    watch->over = STORE_WATCH_IDLE;
    watch->wake = wake;
    watch->arg = arg;
    DL_APPEND(resource->watches, watch);
    store->watch_count++;
    *ret_watch = watch;
    return true;
}

/* Out of the resource's list: a watch that is over wakes nobody. */
static void detach(struct store_watch *watch)
{
    struct store_resource *resource = watch->resource;

    DL_DELETE(resource->watches, watch);
    if (resource->store != NULL)
        resource->store->watch_count--;
}

void store_watch_free(struct store_watch *watch)
{
    if (watch == NULL)
        return;
    event_unref(watch->current);
    if (watch->over == STORE_WATCH_IDLE)
        detach(watch);
    resource_unref(watch->resource);
    free(watch);
}

static enum store_watch_next end(struct store_watch *watch, enum store_watch_next how)
{
    detach(watch);
    watch->over = how;
    return how;
}

enum store_watch_next store_watch_next(struct store_watch *watch,
                                       const struct store_event **ret_event)
{
    struct store_resource *resource = watch->resource;

    event_unref(watch->current);
    watch->current = NULL;
    if (watch->over != STORE_WATCH_IDLE)
        return watch->over;
    /* Falling off by a deliberate compaction is the 410 of etcd; by being slow, a closed stream. */
    if (watch->sequence < resource->events_dropped)
        return end(watch, resource->store != NULL && watch->seen < resource->store->compacted
                              ? STORE_WATCH_GONE
                              : STORE_WATCH_ENDED);
    while (watch->sequence - resource->events_dropped < resource->events.count) {
        struct store_event *event =
            event_queue_at(&resource->events, (size_t)(watch->sequence - resource->events_dropped));

        watch->sequence++;
        if (event->revision <= watch->from)
            continue;
        watch->seen = event->revision;
        event->references++;
        watch->current = event;
        *ret_event = event;
        return STORE_WATCH_EVENT;
    }
    if (resource->store == NULL) /* it was removed, and there was no more to it */
        return end(watch, STORE_WATCH_ENDED);
    if (resource->store->revision > watch->seen)
        watch->seen = resource->store->revision;
    return STORE_WATCH_IDLE;
}

bool store_watch_has_fallen(const struct store_watch *watch)
{
    const struct store_resource *resource = watch->resource;

    return watch->over == STORE_WATCH_IDLE && watch->sequence < resource->events_dropped;
}

uint64_t store_watch_revision(const struct store_watch *watch)
{
    return watch->seen;
}

void watches_end(struct store_resource *resource, enum store_watch_next how)
{
    while (resource->watches != NULL) {
        struct store_watch *watch = resource->watches;

        end(watch, how);
        watch->wake(watch->arg);
    }
}

void watches_leave(struct store_resource *resource)
{
    struct store_watch *watch;

    DL_FOREACH (resource->watches, watch) {
        resource->store->watch_count--;
        watch->wake(watch->arg);
    }
}

void store_end_watches(struct store *store, struct store_resource *resource, bool gone)
{
    enum store_watch_next how = gone ? STORE_WATCH_GONE : STORE_WATCH_ENDED;

    for (size_t i = 0; i < store->resource_count; i++)
        if (resource == NULL || resource == store->resources[i])
            watches_end(store->resources[i], how);
}

size_t store_watch_count(const struct store *store)
{
    return store->watch_count;
}
