/* verbs - the API's writes for actors inside this process: the same defaults, checks and delete
 * rules as a request over HTTP, without the HTTP.
 *
 * A resource is named by its group ("" for core) and plural. Reading needs nothing of this: see
 * fakeapi/store/store.h. Errors: ERROR_NOT_FOUND (object, namespace or resource), ERROR_EXISTS,
 * ERROR_CONFLICT (resourceVersion or uid precondition), ERROR_INVALID, ERROR_DENIED (terminating
 * namespace), with the message that a client would see. */
#ifndef FAKEAPI_REST_VERBS_H
#define FAKEAPI_REST_VERBS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "fakeapi/store/store.h"

struct rest;

struct rest_target {
    const char *group;
    const char *plural;
    const char *namespace;   /* "" or NULL: cluster-scoped */
    const char *name;        /* for create: from the tree */
    const char *subresource; /* "" or NULL: the object itself; "status"; "finalize" (namespaces) */
};

/** Creates from tree (name or generateName; apiVersion and kind may be missing). tree is borrowed.
 * *ret_object (may be NULL) is borrowed until the next write. */
bool rest_create(struct rest *rest, const struct rest_target *target,
                 const struct json_object *tree, const struct store_object **ret_object,
                 struct error *err) MUST_CHECK;

/** The same; takes tree over. */
bool rest_create_owned(struct rest *rest, const struct rest_target *target,
                       struct json_object *tree, const struct store_object **ret_object,
                       struct error *err) MUST_CHECK;

/** Replaces by tree. Its metadata.resourceVersion, when set, is the precondition. When that write
 * takes the last finalizer of a deleted object away, the object goes (X6) and *ret_object is NULL.
 */
bool rest_update(struct rest *rest, const struct rest_target *target,
                 const struct json_object *tree, const struct store_object **ret_object,
                 struct error *err) MUST_CHECK;

/** Applies a JSON merge patch. */
bool rest_merge_patch(struct rest *rest, const struct rest_target *target,
                      const struct json_object *patch, const struct store_object **ret_object,
                      struct error *err) MUST_CHECK;

enum rest_propagation {
    REST_PROPAGATION_DEFAULT, /* none said: the kind's own (X7) */
    REST_BACKGROUND,
    REST_FOREGROUND,
    REST_ORPHAN,
};

struct rest_delete_options {
    enum rest_propagation propagation;
    const char *uid;       /* precondition; NULL: none */
    uint64_t revision;     /* precondition; 0: none */
    int64_t grace_seconds; /* counts when grace_given */
    bool grace_given;
};

/** Deletes by the rules X1 to X12: at once, or sets deletionTimestamp. options may be NULL. */
bool rest_delete(struct rest *rest, const struct rest_target *target,
                 const struct rest_delete_options *options, struct error *err) MUST_CHECK;

/* --- admission --- */

/** Asked of every create that is good otherwise, those of actors too. */
struct rest_admission {
    /** False refuses: *ret_why, to be freed, is what the answer says behind 'GR "name" is
     * forbidden: '. tree is the object as it would be stored. With dry_run nothing is to be taken
     * note of. */
    bool (*create)(void *arg, const struct store_resource *resource, const char *namespace,
                   const struct json_object *tree, bool dry_run, char **ret_why);
};

/** admission is kept by pointer; NULL: all are let in. */
void rest_set_admission(struct rest *rest, const struct rest_admission *admission, void *arg);

/** How a kind is served, whatever the version; the group is "" for core. */
enum rest_scope { REST_NOT_SERVED, REST_NAMESPACED, REST_CLUSTER_SCOPED };
enum rest_scope rest_kind_scope(const struct rest *rest, const char *group, const char *kind);

/* --- logs of pods --- */

/** One write of a container. */
struct rest_log_line {
    int64_t at_us;    /* wall time */
    const char *text; /* with its newline, where it has one */
    size_t size;
};

struct rest_log {
    const struct rest_log_line *lines; /* borrowed until the source changes it */
    size_t line_count;
    bool ended;   /* the container has ended: nothing will be added */
    uint64_t run; /* which run of the container this is of: differs from those before */
};

/** Where logs come from. Lines are only ever added at the end of a run. */
struct rest_log_source {
    /** The log of a container that has started; false when it has none (any more). */
    bool (*read)(void *arg, const char *pod_uid, const char *container, bool previous,
                 struct rest_log *ret_log);
};

/** source is kept by pointer; NULL: logs are empty. */
void rest_set_log_source(struct rest *rest, const struct rest_log_source *source, void *arg);
/** The source has more of this pod's logs, or they ended: followers read on. */
void rest_log_changed(struct rest *rest, const char *pod_uid);

#endif
