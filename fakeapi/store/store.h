/* store - every object once, one revision counter for all of them, and the history of changes.
 *
 * An object is its serialised bytes with a small parsed header; it is never changed: a write puts
 * another one in its place. Lists are snapshots (a persistent tree, so taking one costs nothing),
 * watches are cursors into the history. No clock, no randomness, no I/O: uids, timestamps and every
 * rule of the API are its callers' (fakeapi/rest/verbs.h does them for actors in this process).
 *
 * Rules: WIRE.md S1 to S6, L2, L6, W3, W4, W14. */
#ifndef FAKEAPI_STORE_STORE_H
#define FAKEAPI_STORE_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/bytes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/* --- objects --- */

struct store_label {
    const char *key;
    const char *value;
};

/** One of metadata.ownerReferences. */
struct store_owner {
    const char *api_version;
    const char *kind;
    const char *name;
    const char *uid;
    bool controller;
    bool block_owner_deletion;
};

/** Where things are within an object's bytes. */
struct store_layout {
    size_t members_offset; /* of the quote of "metadata": what is before is apiVersion and kind */
    size_t metadata_offset;
    size_t metadata_size;   /* the value of metadata, braces included */
    size_t revision_offset; /* the digits of resourceVersion, inside their quotes */
    size_t revision_size;
    size_t spec_offset; /* the value of spec; size 0: there is none */
    size_t spec_size;
    size_t status_offset; /* likewise */
    size_t status_size;
};

/** A stored object: immutable and counted. Absent texts are "", never NULL; all of it belongs to
 * the object. */
struct store_object {
    unsigned references;
    struct bytes *bytes; /* the whole object as compact JSON: apiVersion, kind, metadata, then the
                            other members sorted; every level below sorted by name */
    uint64_t revision;   /* metadata.resourceVersion */
    const char *key;     /* "namespace/name", or "name" for a cluster-scoped object */
    const char *namespace;
    const char *name;
    const char *uid;
    int64_t generation;    /* 0 when the kind has none */
    int64_t created_at_us; /* metadata.creationTimestamp; 0 when absent */
    int64_t deleted_at_us; /* metadata.deletionTimestamp; counts when deleting */
    bool deleting;         /* deletionTimestamp is set */
    const struct store_label *labels;
    size_t label_count;
    const struct store_owner *owners;
    size_t owner_count;
    const char *const *finalizers;
    size_t finalizer_count;
    const char *const *fields; /* values of the resource's selectable fields, in their order */
    size_t field_count;

    struct store_layout at;

    struct bytes *cells;  /* rendered Table cells, a cache of fakeapi/rest; NULL: not rendered */
    unsigned cells_epoch; /* the columns they were rendered for */

    /* what it is read as where that differs, likewise a cache of fakeapi/rest; NULL: itself */
    unsigned revised_epoch; /* the version and schema that it is read by; 0: not looked at */
    const struct store_object *revised;
};

struct store_object *store_object_ref(const struct store_object *object);
/** Lets go; the last one frees. Takes NULL. */
void store_object_unref(const struct store_object *object);
/** The object as a tree; json_object_put() it. */
struct json_object *store_object_parse(const struct store_object *object) MUST_CHECK;
/** Without the lists managedFields and env, which are most of many objects, and of no matter to one
 * who prints or watches them. */
struct json_object *store_object_parse_brief(const struct store_object *object) MUST_CHECK;
/** Its apiVersion, kind and metadata alone, and its status when with_status. */
struct json_object *store_object_parse_parts(const struct store_object *object,
                                             bool with_status) MUST_CHECK;
/** Their text, in place; without bytes when there is none. */
struct json_slice store_object_metadata(const struct store_object *object);
struct json_slice store_object_spec(const struct store_object *object);
struct json_slice store_object_status(const struct store_object *object);
/** The value of a label; NULL when there is none. */
const char *store_object_label(const struct store_object *object, const char *key);
bool store_object_has_finalizer(const struct store_object *object, const char *finalizer);

/* --- the store and its resources --- */

struct store;

/** One collection of objects, such as jobs.batch; all served versions share it. */
struct store_resource;

/* What history keeps where store_options say 0. These two bound what all watches together hold: a
 * watch is a cursor into the history and has at most one event of its own, so that fifty that never
 * read cost what one does. One whose next event fell off ends at its next store_watch_next(). */
#define STORE_HISTORY_EVENTS 10000
#define STORE_HISTORY_BYTES ((size_t)128 * 1024 * 1024)

struct store_options {
    size_t history_events_max;
    uint64_t first_revision;  /* where the counter stands at first; 0: at 1 */
    size_t history_bytes_max; /* of the objects in it; the last event is kept whatever its size */
    /* Asks for one call of store_deliver() soon, from the loop; NULL: nobody observes. */
    void (*schedule)(void *arg);
    void *schedule_arg;
};

struct store *store_new(const struct store_options *options) MUST_CHECK;
/** Frees everything. Watches and snapshots must have been freed. Takes NULL. */
void store_free(struct store *store);
/** The revision of the last write; above 0 in a new store. */
uint64_t store_revision(const struct store *store);

/** Texts are copied. */
struct store_resource_options {
    const char *group; /* "" for the core group */
    const char *plural;
    bool namespaced;
    /* dotted paths of the selectable fields, as in a field selector: "spec.nodeName" */
    const char *const *field_paths;
    size_t field_path_count;
};

/** A new, empty collection. Group and plural together must be new. */
struct store_resource *store_add_resource(struct store *store,
                                          const struct store_resource_options *options);
/** Takes an empty collection out; its watches end once they have seen its last events, its
 * snapshots and past events stay valid. */
void store_remove_resource(struct store_resource *resource);
/** NULL when there is none. */
struct store_resource *store_find_resource(const struct store *store, const char *group,
                                           const char *plural);
/** The i-th in order of their adding; NULL past the last. */
struct store_resource *store_resource_at(const struct store *store, size_t index);
const char *store_resource_group(const struct store_resource *resource);
const char *store_resource_plural(const struct store_resource *resource);
bool store_resource_namespaced(const struct store_resource *resource);
size_t store_resource_count(const struct store_resource *resource);
/** Replaces the selectable fields; the objects there are read again. */
void store_resource_set_fields(struct store_resource *resource, const char *const *field_paths,
                               size_t field_path_count);

/* --- reading and writing one object --- */

/** Borrowed until the next write to it; NULL when there is none. namespace is "" or NULL for a
 * cluster-scoped resource. */
const struct store_object *store_get(const struct store_resource *resource, const char *namespace,
                                     const char *name);

/** Stores a new object. tree has metadata.name (and namespace); it is read, not kept, and its
 * metadata.resourceVersion is ignored. ERROR_EXISTS. *ret_object (may be NULL) is borrowed. */
bool store_create(struct store_resource *resource, const struct json_object *tree,
                  const struct store_object **ret_object, struct error *err) MUST_CHECK;

/** Stores a new object as of that revision, above 0; the store's own becomes at least that, and
 * its history forgets what it has. For a store that is being restored, before anybody watches it.
 * ERROR_EXISTS. */
bool store_restore(struct store_resource *resource, const struct json_object *tree,
                   uint64_t revision, struct error *err) MUST_CHECK;
/** Makes the store's revision at least that, as if writes had been. */
void store_skip_to(struct store *store, uint64_t revision);

/** Puts tree in the place of expected, which store_get() gave. ERROR_CONFLICT when another object
 * is there by now, ERROR_NOT_FOUND when none is. An equal tree changes nothing and makes no event
 * (S4): *ret_object is the old one then. */
bool store_update(struct store_resource *resource, const struct store_object *expected,
                  const struct json_object *tree, const struct store_object **ret_object,
                  struct error *err) MUST_CHECK;

/** What an update writes. All else stays as it is stored, byte for byte. */
struct store_parts {
    const struct json_object *metadata; /* NULL: stays, but for resourceVersion */
    const struct json_object *status;   /* NULL: stays */
    const char *spec_key;               /* a member of the spec, of an object that has one, that */
    const char *spec_text;              /* becomes this text; NULL: the spec stays */
};

/** As store_update(), without a tree of the parts that stay. */
bool store_update_parts(struct store_resource *resource, const struct store_object *expected,
                        const struct store_parts *parts, const struct store_object **ret_object,
                        struct error *err) MUST_CHECK;

/** Takes expected out at once, whatever its finalizers. Errors as store_update. *ret_revision (may
 * be NULL) gets the deletion's revision (S5). */
bool store_delete(struct store_resource *resource, const struct store_object *expected,
                  uint64_t *ret_revision, struct error *err) MUST_CHECK;

/* --- changes --- */

enum store_change { STORE_ADDED, STORE_MODIFIED, STORE_DELETED };

/** One committed write. Immutable and counted. */
struct store_event {
    unsigned references;
    enum store_change change;
    uint64_t revision; /* also of a deletion, whose object keeps its own, lower one */
    struct store_resource *resource;
    const struct store_object *object; /* after the write; for STORE_DELETED the last content */
    const struct store_object *old;    /* before it; NULL for STORE_ADDED */
};

/** "ADDED" */
const char *store_change_name(enum store_change change);

/** Told of every change, in order, from store_deliver(): never inside a write, never re-entrantly;
 * it may read and write the store. The event is borrowed. */
struct store_observer {
    void (*on_change)(void *arg, const struct store_event *event);
};

/** Observers are called in the order they were added. observer is kept by pointer. */
void store_observe(struct store *store, const struct store_observer *observer, void *arg);
void store_unobserve(struct store *store, const struct store_observer *observer, void *arg);
/** Tells the observers what has happened since, including what they do while told. */
void store_deliver(struct store *store);

/* --- snapshots --- */

/** A resource as it was at one revision. */
struct store_snapshot;

/** As it is now. */
struct store_snapshot *store_snapshot_new(struct store_resource *resource) MUST_CHECK;
/** As it was at revision, which is at most the current one. ERROR_GONE when history does not reach
 * back that far. */
bool store_snapshot_at(struct store_resource *resource, uint64_t revision,
                       struct store_snapshot **ret_snapshot, struct error *err) MUST_CHECK;
void store_snapshot_free(struct store_snapshot *snapshot);
uint64_t store_snapshot_revision(const struct store_snapshot *snapshot);
size_t store_snapshot_count(const struct store_snapshot *snapshot);
/** The index of the first object whose key is not below key, in bytewise key order. For all objects
 * of a namespace: from find("ns/") to find("ns0"), as '0' follows '/'. */
size_t store_snapshot_find(const struct store_snapshot *snapshot, const char *key);
/** The object at an index below the count; borrowed from the snapshot. */
const struct store_object *store_snapshot_object(const struct store_snapshot *snapshot,
                                                 size_t index);
/** The range of a namespace; of everything when namespace is NULL or "". */
void store_snapshot_range(const struct store_snapshot *snapshot, const char *namespace,
                          size_t *ret_first, size_t *ret_end);

/* --- watches --- */

struct store_watch;

enum store_watch_next {
    STORE_WATCH_EVENT,
    STORE_WATCH_IDLE,  /* nothing now: wake is called when there is */
    STORE_WATCH_ENDED, /* the server ends it (shutdown, CRD gone), or it fell behind the history */
    STORE_WATCH_GONE,  /* what comes next was compacted away: answer 410 */
};

/** Watches a resource for events later than revision (which may lie ahead). ERROR_GONE when
 * history does not reach back that far. wake is called from inside writes: it may only take note
 * and ask the loop for a turn; it is called too when the next event falls off the history. */
bool store_watch_new(struct store_resource *resource, uint64_t revision, void (*wake)(void *arg),
                     void *arg, struct store_watch **ret_watch, struct error *err) MUST_CHECK;
void store_watch_free(struct store_watch *watch);
/** The next event, in order; borrowed until the next call. */
enum store_watch_next store_watch_next(struct store_watch *watch,
                                       const struct store_event **ret_event);
/** Whether its next event is history no more: the next call of store_watch_next() ends it. */
bool store_watch_has_fallen(const struct store_watch *watch);
/** All events up to this revision have been handed out: what a bookmark may say. */
uint64_t store_watch_revision(const struct store_watch *watch);
/** Ends the watches of a resource, or of all when it is NULL: as ENDED, or as GONE. */
void store_end_watches(struct store *store, struct store_resource *resource, bool gone);
size_t store_watch_count(const struct store *store);

/* --- history --- */

/** Forgets all events up to revision (at most the current one): what lies behind answers GONE. */
void store_compact(struct store *store, uint64_t revision);
/** The lowest revision that a watch may start from and a snapshot may be taken at. */
uint64_t store_oldest_revision(const struct store *store);

#endif
