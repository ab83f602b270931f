/* history - the bounded ring of events, compaction, and delivery to observers. */
#include <assert.h>
#include <stdlib.h>
#include <utlist.h>

#include "controller/base/memory.h"
#include "fakeapi/store/parts.h"

void event_queue_push(struct event_queue *queue, struct store_event *event)
{
    if (queue->count == queue->capacity) {
        size_t capacity = queue->capacity == 0 ? 16 : queue->capacity * 2;
        struct store_event **events = xcalloc(capacity, sizeof(*events));

        for (size_t i = 0; i < queue->count; i++)
            events[i] = event_queue_at(queue, i);
        free(queue->events);
        queue->events = events;
        queue->capacity = capacity;
        queue->head = 0;
    }
    queue->events[(queue->head + queue->count) % queue->capacity] = event;
    queue->count++;
}

struct store_event *event_queue_pop(struct event_queue *queue)
{
    struct store_event *event = queue->events[queue->head];

    assert(queue->count > 0);
    queue->head = (queue->head + 1) % queue->capacity;
    queue->count--;
    return event;
}

struct store_event *event_queue_at(const struct event_queue *queue, size_t index)
{
    return queue->events[(queue->head + index) % queue->capacity];
}

void event_queue_release(struct event_queue *queue)
{
    free(queue->events);
    *queue = (struct event_queue){0};
}

size_t event_queue_find(const struct event_queue *queue, uint64_t revision)
{
    size_t low = 0;
    size_t high = queue->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (event_queue_at(queue, middle)->revision <= revision)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void event_unref(struct store_event *event)
{
    if (event == NULL || --event->references > 0)
        return;
    store_object_unref(event->object);
    store_object_unref(event->old);
    resource_unref(event->resource);
    free(event);
}

const char *store_change_name(enum store_change change)
{
    static const char *const names[] = {
        [STORE_ADDED] = "ADDED", [STORE_MODIFIED] = "MODIFIED", [STORE_DELETED] = "DELETED"};

    return names[change];
}

/* Those that come too late for the event that was dropped just now. */
static void wake_fallen(const struct store_resource *resource)
{
    struct store_watch *watch;

    DL_FOREACH (resource->watches, watch)
        if (watch->sequence + 1 == resource->events_dropped)
            watch->wake(watch->arg);
}

static void drop_oldest(struct store *store)
{
    struct store_event *event = event_queue_pop(&store->history);
    struct store_event *first = event_queue_pop(&event->resource->events);

    assert(first == event);
    event->resource->events_dropped++;
    snapshot_forget_past(event->resource, event->revision);
    store->history_bytes -= event->object->bytes->size;
    store->oldest = event->revision;
    wake_fallen(event->resource);
    event_unref(event);
}

static void ask_for_delivery(struct store *store, struct store_event *event)
{
    if (store->observer_count == 0)
        return;
    event->references++;
    event_queue_push(&store->undelivered, event);
    if (store->scheduled || store->delivering || store->options.schedule == NULL)
        return;
    store->scheduled = true;
    store->options.schedule(store->options.schedule_arg);
}

void history_add(struct store_resource *resource, enum store_change change,
                 const struct store_object *object, const struct store_object *old)
{
    struct store *store = resource->store;
    struct store_event *event = xcalloc(1, sizeof(*event));
    struct store_watch *watch;

    event->references = 1;
    event->change = change;
    event->revision = store->revision;
    event->resource = resource;
    event->object = store_object_ref(object);
    event->old = old == NULL ? NULL : store_object_ref(old);
    resource->references++;
    event_queue_push(&store->history, event);
    event_queue_push(&resource->events, event);
    store->history_bytes += object->bytes->size;
    while (store->history.count > 1 && (store->history.count > store->options.history_events_max ||
                                        store->history_bytes > store->options.history_bytes_max))
        drop_oldest(store);
    ask_for_delivery(store, event);
    DL_FOREACH (resource->watches, watch)
        watch->wake(watch->arg);
}

void history_release(struct store *store)
{
    while (store->undelivered.count > 0)
        event_unref(event_queue_pop(&store->undelivered));
    while (store->history.count > 0)
        drop_oldest(store);
    event_queue_release(&store->undelivered);
    event_queue_release(&store->history);
}

void store_compact(struct store *store, uint64_t revision)
{
    assert(revision <= store->revision);
    while (store->history.count > 0 && event_queue_at(&store->history, 0)->revision <= revision)
        drop_oldest(store);
    if (revision > store->oldest)
        store->oldest = revision;
    if (revision > store->compacted)
        store->compacted = revision;
}

uint64_t store_oldest_revision(const struct store *store)
{
    return store->oldest;
}

void store_observe(struct store *store, const struct store_observer *observer, void *arg)
{
    store->observers =
        xrealloc(store->observers, (store->observer_count + 1) * sizeof(*store->observers));
    store->observers[store->observer_count++] = (struct observer_entry){observer, arg};
}

static void drop_removed_observers(struct store *store)
{
    size_t kept = 0;

    for (size_t i = 0; i < store->observer_count; i++)
        if (store->observers[i].observer != NULL)
            store->observers[kept++] = store->observers[i];
    store->observer_count = kept;
}

void store_unobserve(struct store *store, const struct store_observer *observer, void *arg)
{
    for (size_t i = 0; i < store->observer_count; i++)
        if (store->observers[i].observer == observer && store->observers[i].arg == arg)
            store->observers[i].observer = NULL;
    if (!store->delivering)
        drop_removed_observers(store);
}

void store_deliver(struct store *store)
{
    store->scheduled = false;
    if (store->delivering)
        return;
    store->delivering = true;
    while (store->undelivered.count > 0) {
        struct store_event *event = event_queue_pop(&store->undelivered);

        for (size_t i = 0; i < store->observer_count; i++)
            if (store->observers[i].observer != NULL)
                store->observers[i].observer->on_change(store->observers[i].arg, event);
        event_unref(event);
    }
    store->delivering = false;
    drop_removed_observers(store);
}
