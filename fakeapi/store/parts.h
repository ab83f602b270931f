/* parts - what the files of the store share: its structs. */
#ifndef FAKEAPI_STORE_PARTS_H
#define FAKEAPI_STORE_PARTS_H

#include "fakeapi/store/store.h"
#include "fakeapi/store/tree.h"

/** Events in order, a ring that grows. Holds no references of its own. */
struct event_queue {
    struct store_event **events;
    size_t capacity;
    size_t head;
    size_t count;
};

void event_queue_push(struct event_queue *queue, struct store_event *event);
struct store_event *event_queue_pop(struct event_queue *queue);
struct store_event *event_queue_at(const struct event_queue *queue, size_t index);
void event_queue_release(struct event_queue *queue);
/** The index of the first event later than revision. */
size_t event_queue_find(const struct event_queue *queue, uint64_t revision);

struct store_resource {
    unsigned references; /* the store's while it is served, and one for each event */
    struct store *store; /* NULL once it was removed */
    char *group;
    char *plural;
    bool namespaced;
    char **field_paths;
    size_t field_path_count;
    struct tree *objects;
    struct event_queue events; /* those of the store's history that are of this resource */
    struct tree *past;         /* as it was at past_revision: what a list goes on from; or NULL */
    uint64_t past_revision;
    uint64_t events_dropped; /* how many were popped: the sequence of the first one kept */
    struct store_watch *watches;
};

struct observer_entry {
    const struct store_observer *observer; /* NULL: taken out, entry to be dropped */
    void *arg;
};

struct store {
    struct store_options options;
    uint64_t revision;
    uint64_t oldest;    /* see store_oldest_revision() */
    uint64_t compacted; /* the last deliberate compaction */
    struct store_resource **resources;
    size_t resource_count;
    struct event_queue history; /* holds the references */
    size_t history_bytes;
    struct event_queue undelivered; /* to observers; holds references */
    bool scheduled;
    bool delivering;
    struct observer_entry *observers;
    size_t observer_count;
    size_t watch_count;
};

struct store_watch {
    struct store_resource *resource;
    uint64_t from;               /* events up to here are not wanted */
    uint64_t sequence;           /* of the next event of the resource to look at */
    enum store_watch_next over;  /* IDLE: it goes on */
    struct store_event *current; /* what the last call handed out */
    uint64_t seen;               /* the revision of the last event looked at, or from */
    void (*wake)(void *arg);
    void *arg;
    struct store_watch *prev;
    struct store_watch *next;
};

/** An event of the resource of that revision is gone: so is a past state from before it. */
void snapshot_forget_past(struct store_resource *resource, uint64_t dropped);

void resource_unref(struct store_resource *resource);
void event_unref(struct store_event *event);

/** Puts a committed change into the history, wakes the watches, asks for delivery. Borrows both. */
void history_add(struct store_resource *resource, enum store_change change,
                 const struct store_object *object, const struct store_object *old);
void history_release(struct store *store);
void watches_end(struct store_resource *resource, enum store_watch_next how);
/** The resource is about to be removed: its watches end once they have seen all of it. */
void watches_leave(struct store_resource *resource);

#endif
