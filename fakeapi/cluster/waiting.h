/* waiting - the steps that actors have armed: of what, and when they come.
 *
 * Made anew for each question. Every actor adds its own; nothing is kept up meanwhile. */
#ifndef FAKEAPI_CLUSTER_WAITING_H
#define FAKEAPI_CLUSTER_WAITING_H

#include <stddef.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/due_queue.h"

/** An armed step. Texts are of the list, but for the constant step and actor. */
struct waiting_step {
    const char *actor; /* as cluster_actor_name() has it */
    const char *step;  /* "end": what the actor will do */
    const char *group; /* of the object that it is about */
    const char *plural;
    char *namespace; /* NULL: it has none */
    char *name;
    int64_t due_elapsed_us;
};

struct waiting;

struct waiting *waiting_new(const struct cluster_context *context) MUST_CHECK;
/** Takes NULL. */
void waiting_free(struct waiting *waiting);

/** Which step it is that an object waits for, NULL: none after all; may make *due_elapsed_us
 * later. */
typedef const char *waiting_step_fn(const void *arg, const struct store_resource *resource,
                                    const struct store_object *object, int64_t *due_elapsed_us);

/** Adds what a queue of uids holds, but for the uids of what is gone. */
void waiting_add_uids(struct waiting *waiting, const char *actor, const struct due_queue *queue,
                      waiting_step_fn *fn, const void *arg);
/** Adds what a queue of namespaces holds, one step for all. */
void waiting_add_namespaces(struct waiting *waiting, const char *actor, const char *step,
                            const struct due_queue *queue);

/** Sorts them: by time, then in the order of their adding. */
void waiting_sort(struct waiting *waiting);
size_t waiting_count(const struct waiting *waiting);
const struct waiting_step *waiting_at(const struct waiting *waiting, size_t index);

#endif
