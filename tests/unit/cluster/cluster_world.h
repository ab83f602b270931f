/* cluster_world - an API with a cluster behind it, in simulated time, for tests. */
#ifndef TESTS_UNIT_CLUSTER_CLUSTER_WORLD_H
#define TESTS_UNIT_CLUSTER_CLUSTER_WORLD_H

#include "fakeapi/cluster/cluster.h"
#include "fakeapi/rest/rest.h"
#include "scenarios/sim/sim.h"
#include "tests/unit/cluster/quoted.h"

#define SECOND INT64_C(1000000)

/** All that tests make is in this namespace. */
#define NAMESPACE "ns"

struct cluster_world {
    struct sim *sim;
    struct runtime *rt;
    struct store *store;
    struct access_secrets *secrets;
    struct access *access;
    struct rest *rest;
    struct cluster *cluster;
};

/** cmocka's set-up and tear-down; *state is the world. */
int cluster_world_new(void **state);
int cluster_world_free(void **state);

/** Lets time go on. */
void cluster_world_run(struct cluster_world *world, int64_t for_us);

/** Creates an object from JSON with ' for "; its uid is kept in the store. The resource is
 * "group/plural", or "plural" for core. */
void cluster_world_create(struct cluster_world *world, const char *resource, const char *json);
void cluster_world_delete(struct cluster_world *world, const char *resource, const char *name,
                          enum rest_propagation propagation);
void cluster_world_patch(struct cluster_world *world, const char *resource, const char *name,
                         const char *json);

/** NULL when there is none. Borrowed. */
const struct store_object *cluster_world_get(struct cluster_world *world, const char *resource,
                                             const char *name);
/** How many objects a resource has in the namespace. */
size_t cluster_world_count(struct cluster_world *world, const char *resource);
/** The i-th of them by name. */
const struct store_object *cluster_world_at(struct cluster_world *world, const char *resource,
                                            size_t index);

/** Fails unless the object, as JSON, holds all these texts (' for "), parted by bars. */
void cluster_world_expect(const struct store_object *object, const char *texts);

#endif
