/* cluster - what a cluster does behind its API: Jobs become pods, pods run, what is finished or
 * has lost its owner goes.
 *
 * Each actor works by what it is told of the store's changes, and writes as a client of the API
 * would. Each can be switched off, so that a scenario plays its part by hand; switched on again it
 * looks at all there is. */
#ifndef FAKEAPI_CLUSTER_CLUSTER_H
#define FAKEAPI_CLUSTER_CLUSTER_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/cluster/kubelet_script.h"
#include "fakeapi/cluster/waiting.h"
#include "fakeapi/rest/verbs.h"
#include "fakeapi/store/store.h"

enum cluster_actor {
    CLUSTER_JOBS,       /* the Job controller */
    CLUSTER_KUBELET,    /* scheduler and node */
    CLUSTER_COLLECTOR,  /* garbage collection by owners */
    CLUSTER_TTL,        /* ttlSecondsAfterFinished */
    CLUSTER_NAMESPACES, /* contents of deleted namespaces */
    CLUSTER_EVENTS,     /* what the others tell as Events, and the end of all Events */
    CLUSTER_QUOTA,      /* ResourceQuotas */
    CLUSTER_DISRUPTION, /* PodDisruptionBudgets */
    CLUSTER_BASICS,     /* what every cluster and every namespace has */
    CLUSTER_HEARTBEAT,  /* the node's Lease */
    CLUSTER_ACTOR_COUNT,
};

/* How long actors take where cluster_options say 0. */
#define CLUSTER_JOB_DELAY_US INT64_C(10000)
#define CLUSTER_SCHEDULE_DELAY_US INT64_C(10000)
#define CLUSTER_DISRUPTION_DELAY_US INT64_C(10000)
#define CLUSTER_COLLECTOR_DELAY_US INT64_C(500000)
#define CLUSTER_NAMESPACE_DELAY_US INT64_C(100000)

struct cluster_options {
    struct runtime *rt;
    struct store *store; /* with a schedule hook: actors live by store_deliver() */
    struct rest *rest;
    bool off[CLUSTER_ACTOR_COUNT]; /* actors to begin without */
    int64_t collector_delay_us;    /* from a change to what it leads to; 0: the default */
    const char *ca_pem;            /* of the API's certificate, for pods; NULL: none */
};

struct cluster;

/** Begins at once with what is in the store. Store and rest must outlive it. */
struct cluster *cluster_new(const struct cluster_options *options) MUST_CHECK;
void cluster_free(struct cluster *cluster);

/** Switching off forgets what the actor meant to do; pods that run go on to run, unseen. */
void cluster_switch(struct cluster *cluster, enum cluster_actor actor, bool on);
/** "collector"; never NULL. */
const char *cluster_actor_name(enum cluster_actor actor);
bool cluster_actor_find(const char *name, enum cluster_actor *ret_actor) MUST_CHECK;

/** The steps that actors have armed now, the next one first; waiting_free() it. An actor that is
 * off has none. */
struct waiting *cluster_waiting(const struct cluster *cluster) MUST_CHECK;

void cluster_set_collector_delay(struct cluster *cluster, int64_t delay_us);
/** Jobs that have a time go so long after their end, whatever it is; -1: by their own again. */
void cluster_set_ttl(struct cluster *cluster, int64_t after_us);

/** What pods do that come from now on; the first script that matches is taken. Copied. */
void cluster_add_script(struct cluster *cluster, const struct kubelet_match *match,
                        const struct kubelet_script *script);
void cluster_clear_scripts(struct cluster *cluster);

#endif
