/* cluster - what a cluster does behind its API. */
#include "fakeapi/cluster/cluster.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/basics.h"
#include "fakeapi/cluster/collector.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/disruption.h"
#include "fakeapi/cluster/events.h"
#include "fakeapi/cluster/job_controller.h"
#include "fakeapi/cluster/kubelet.h"
#include "fakeapi/cluster/namespaces.h"
#include "fakeapi/cluster/quota.h"
#include "fakeapi/cluster/ttl.h"

struct cluster {
    struct cluster_context context;
    bool on[CLUSTER_ACTOR_COUNT];
    struct job_controller *jobs;
    struct kubelet *kubelet;
    struct collector *collector;
    struct ttl *ttl;
    struct namespaces *namespaces;
    struct events *events;
    struct quota *quota;
    struct disruption *disruption;
    struct basics *basics;
};

static const char *const actor_names[] = {
    [CLUSTER_JOBS] = "jobs",
    [CLUSTER_KUBELET] = "kubelet",
    [CLUSTER_COLLECTOR] = "collector",
    [CLUSTER_TTL] = "ttl",
    [CLUSTER_NAMESPACES] = "namespaces",
    [CLUSTER_EVENTS] = "events",
    [CLUSTER_QUOTA] = "quota",
    [CLUSTER_DISRUPTION] = "disruption",
    [CLUSTER_BASICS] = "basics",
    [CLUSTER_HEARTBEAT] = "heartbeat",
};

const char *cluster_actor_name(enum cluster_actor actor)
{
    return actor_names[actor];
}

bool cluster_actor_find(const char *name, enum cluster_actor *ret_actor)
{
    for (size_t i = 0; i < ARRAY_SIZE(actor_names); i++) {
        if (text_equal(name, actor_names[i])) {
            *ret_actor = (enum cluster_actor)i;
            return true;
        }
    }
    return false;
}

/* The index first: actors look things up in it. */
static void on_change(void *arg, const struct store_event *event)
{
    struct cluster *cluster = arg;

    owner_index_note(cluster->context.index, event);
    if (cluster->on[CLUSTER_JOBS])
        job_controller_note(cluster->jobs, event);
    if (cluster->on[CLUSTER_KUBELET] || event->change == STORE_DELETED)
        kubelet_note(cluster->kubelet, event);
    if (cluster->on[CLUSTER_COLLECTOR])
        collector_note(cluster->collector, event);
    if (cluster->on[CLUSTER_TTL])
        ttl_note(cluster->ttl, event);
    if (cluster->on[CLUSTER_NAMESPACES])
        namespaces_note(cluster->namespaces, event);
    if (cluster->on[CLUSTER_EVENTS])
        events_note(cluster->events, event);
    quota_note(cluster->quota, event);
    if (cluster->on[CLUSTER_DISRUPTION])
        disruption_note(cluster->disruption, event);
    if (cluster->on[CLUSTER_BASICS])
        basics_note(cluster->basics, event);
}

static const struct store_observer observer = {on_change};

static void show(struct cluster *cluster, enum cluster_actor actor, const struct owner_node *node,
                 const struct store_object *object)
{
    switch (actor) {
    case CLUSTER_JOBS:
        job_controller_see(cluster->jobs, node->resource, object);
        break;
    case CLUSTER_KUBELET:
        kubelet_see(cluster->kubelet, node->resource, object);
        break;
    case CLUSTER_COLLECTOR:
        collector_see(cluster->collector, node->resource, object);
        break;
    case CLUSTER_TTL:
        ttl_see(cluster->ttl, node->resource, object);
        break;
    case CLUSTER_NAMESPACES:
        namespaces_see(cluster->namespaces, node->resource, object);
        break;
    case CLUSTER_EVENTS:
        events_see(cluster->events, node->resource, object);
        break;
    case CLUSTER_QUOTA:
        quota_see(cluster->quota, node->resource, object);
        break;
    case CLUSTER_DISRUPTION:
        disruption_see(cluster->disruption, node->resource, object);
        break;
    case CLUSTER_BASICS:
        basics_see(cluster->basics, node->resource, object);
        break;
    case CLUSTER_HEARTBEAT:
    case CLUSTER_ACTOR_COUNT:
        break;
    }
}

static void show_all(struct cluster *cluster, enum cluster_actor actor)
{
    size_t count;
    char **uids = owner_index_all(cluster->context.index, &count);

    for (size_t i = 0; i < count; i++) {
        const struct owner_node *node = owner_index_find(cluster->context.index, uids[i]);
        const struct store_object *object = node == NULL ? NULL : owner_node_object(node);

        if (object != NULL)
            show(cluster, actor, node, object);
    }
    owner_uids_free(uids, count);
}

static void pause_actor(struct cluster *cluster, enum cluster_actor actor)
{
    switch (actor) {
    case CLUSTER_JOBS:
        job_controller_pause(cluster->jobs);
        break;
    case CLUSTER_KUBELET:
        kubelet_pause(cluster->kubelet);
        break;
    case CLUSTER_COLLECTOR:
        collector_pause(cluster->collector);
        break;
    case CLUSTER_TTL:
        ttl_pause(cluster->ttl);
        break;
    case CLUSTER_NAMESPACES:
        namespaces_pause(cluster->namespaces);
        break;
    case CLUSTER_EVENTS:
        events_pause(cluster->events);
        break;
    case CLUSTER_QUOTA:
        quota_pause(cluster->quota);
        break;
    case CLUSTER_DISRUPTION:
        disruption_pause(cluster->disruption);
        break;
    case CLUSTER_BASICS: /* it does all at once */
    case CLUSTER_HEARTBEAT:
    case CLUSTER_ACTOR_COUNT:
        break;
    }
}

/* What is not by objects. */
static void switch_parts(struct cluster *cluster, enum cluster_actor actor, bool on)
{
    if (actor == CLUSTER_EVENTS)
        events_switch(cluster->events, on);
    else if (actor == CLUSTER_QUOTA)
        quota_switch(cluster->quota, on);
    else if (actor == CLUSTER_HEARTBEAT)
        basics_heartbeat(cluster->basics, on);
    else if (actor == CLUSTER_BASICS && on)
        basics_start(cluster->basics);
}

void cluster_switch(struct cluster *cluster, enum cluster_actor actor, bool on)
{
    if (cluster->on[actor] == on)
        return;
    cluster->on[actor] = on;
    switch_parts(cluster, actor, on);
    if (on)
        show_all(cluster, actor);
    else
        pause_actor(cluster, actor);
}

struct waiting *cluster_waiting(const struct cluster *cluster)
{
    struct waiting *waiting = waiting_new(&cluster->context);

    job_controller_list(cluster->jobs, waiting);
    kubelet_list(cluster->kubelet, waiting);
    collector_list(cluster->collector, waiting);
    ttl_list(cluster->ttl, waiting);
    namespaces_list(cluster->namespaces, waiting);
    events_list(cluster->events, waiting);
    quota_list(cluster->quota, waiting);
    disruption_list(cluster->disruption, waiting);
    waiting_sort(waiting);
    return waiting;
}

void cluster_set_collector_delay(struct cluster *cluster, int64_t delay_us)
{
    collector_set_delay(cluster->collector, delay_us);
}

void cluster_set_ttl(struct cluster *cluster, int64_t after_us)
{
    ttl_set_after(cluster->ttl, after_us);
    ttl_pause(cluster->ttl);
    if (cluster->on[CLUSTER_TTL])
        show_all(cluster, CLUSTER_TTL);
}

void cluster_add_script(struct cluster *cluster, const struct kubelet_match *match,
                        const struct kubelet_script *script)
{
    kubelet_add_script(cluster->kubelet, match, script);
}

void cluster_clear_scripts(struct cluster *cluster)
{
    kubelet_clear_scripts(cluster->kubelet);
}

struct cluster *cluster_new(const struct cluster_options *options)
{
    struct cluster *cluster = xcalloc(1, sizeof(*cluster));
    struct cluster_context *context = &cluster->context;
    int64_t collector_delay_us = options->collector_delay_us;

    context->rt = options->rt;
    context->store = options->store;
    context->rest = options->rest;
    store_deliver(options->store); /* what was there before is no news */
    context->index = owner_index_new(options->store);
    if (collector_delay_us == 0)
        collector_delay_us = CLUSTER_COLLECTOR_DELAY_US;
    cluster->events = events_new(context);
    context->events = cluster->events;
    cluster->quota = quota_new(context);
    cluster->disruption = disruption_new(context, CLUSTER_DISRUPTION_DELAY_US);
    cluster->basics = basics_new(context, options->ca_pem);
    cluster->jobs = job_controller_new(context, CLUSTER_JOB_DELAY_US);
    cluster->kubelet = kubelet_new(context, CLUSTER_SCHEDULE_DELAY_US);
    cluster->collector = collector_new(context, collector_delay_us);
    cluster->ttl = ttl_new(context);
    cluster->namespaces = namespaces_new(context, CLUSTER_NAMESPACE_DELAY_US);
    store_observe(options->store, &observer, cluster);
    for (size_t i = 0; i < CLUSTER_ACTOR_COUNT; i++)
        cluster_switch(cluster, (enum cluster_actor)i, !options->off[i]);
    return cluster;
}

void cluster_free(struct cluster *cluster)
{
    if (cluster == NULL)
        return;
    store_unobserve(cluster->context.store, &observer, cluster);
    namespaces_free(cluster->namespaces);
    ttl_free(cluster->ttl);
    collector_free(cluster->collector);
    kubelet_free(cluster->kubelet);
    job_controller_free(cluster->jobs);
    basics_free(cluster->basics);
    disruption_free(cluster->disruption);
    quota_free(cluster->quota);
    events_free(cluster->events);
    owner_index_free(cluster->context.index);
    free(cluster);
}
