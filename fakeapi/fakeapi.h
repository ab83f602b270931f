/* fakeapi - the program: a Kubernetes API server with the cluster behind it, in one process.
 *
 * The same program runs on a machine (fakeapi_main.c) and inside a simulated world, where what it
 * is made of can be reached through the root that its start returned. */
#ifndef FAKEAPI_FAKEAPI_H
#define FAKEAPI_FAKEAPI_H

#include "controller/runtime/runtime.h"
#include "fakeapi/faults/faults.h"
#include "fakeapi/rest/rest.h"
#include "fakeapi/store/store.h"

struct cluster;

extern const struct program fakeapi_program;

/* The parts of a running one; root as program->start returned it. They live as long as it, or until
 * its admin is asked for another state. */

/** For observers, and to look at objects. */
struct store *fakeapi_store(void *root);
/** For writes (verbs.h), and to tell that fault rules have changed. */
struct rest *fakeapi_rest(void *root);
/** Rules may be added and removed at any time; rest_faults_changed() after. Never NULL. */
struct faults *fakeapi_faults(void *root);
/** For pod scripts and actors (cluster/cluster.h); NULL with --no-cluster. */
struct cluster *fakeapi_cluster(void *root);

/** All is as it was at that revision, as after etcd was restored from a backup, as far as the
 * history reaches: store, rest and cluster are others from here on, and all connections break. Not
 * from within a call of the server. */
bool fakeapi_rewind(void *root, uint64_t revision, struct error *err) MUST_CHECK;

#endif
