/* context - what every actor of the cluster works on, and the small writes that they share. */
#ifndef FAKEAPI_CLUSTER_CONTEXT_H
#define FAKEAPI_CLUSTER_CONTEXT_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/cluster/conditions.h"
#include "fakeapi/cluster/owner_index.h"
#include "fakeapi/cluster/partial.h"
#include "fakeapi/rest/verbs.h"
#include "fakeapi/store/store.h"

/** When an actor tries again what failed. */
#define CLUSTER_RETRY_US (1 * INT64_C(1000000))
/** Each Job's own time, of cluster_set_ttl(). */
#define CLUSTER_TTL_OWN INT64_C(-1)

struct events;

/** Borrowed by every actor, all of which end before it. */
struct cluster_context {
    struct runtime *rt;
    struct store *store;
    struct rest *rest;
    struct owner_index *index;
    struct events *events;
};

bool cluster_is_resource(const struct store_resource *resource, const char *group,
                         const char *plural);

/** The target of a write to an object. Borrows its texts. */
struct rest_target cluster_target(const struct store_resource *resource,
                                  const struct store_object *object, const char *subresource);

/** Replaces the object, or its status, by tree, if nobody else wrote meanwhile. A failure is logged
 * as the actor's and what it was about; one that only came too late is not. */
bool cluster_update(const struct cluster_context *context, const char *actor,
                    const struct store_resource *resource, const struct store_object *object,
                    const char *subresource, const struct json_object *tree);

/** Applies a merge patch to it, if nobody else wrote meanwhile. Takes patch over. */
bool cluster_patch(const struct cluster_context *context, const char *actor,
                   const struct store_resource *resource, const struct store_object *object,
                   struct json_object *patch);

/** Deletes it, if it is still the same object. */
bool cluster_delete(const struct cluster_context *context, const char *actor,
                    const struct store_resource *resource, const struct store_object *object,
                    enum rest_propagation propagation);

/** Takes a finalizer off; true when it is not there any more. */
bool cluster_remove_finalizer(const struct cluster_context *context, const char *actor,
                              const struct store_resource *resource,
                              const struct store_object *object, const char *finalizer);

/** Records an Event about an object; see events.h. */
void cluster_event(const struct cluster_context *context, const char *actor,
                   const struct store_object *object, const char *type, const char *reason,
                   const char *format, ...) PRINTF_LIKE(6, 7);

/** Logs what an actor could not do. */
void cluster_log_failure(const struct cluster_context *context, const char *actor,
                         const struct store_object *object, const struct error *err);

#endif
