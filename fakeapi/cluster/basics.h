/* basics - what every cluster has, and every namespace of it: a node that is ready and its Lease,
 * Service default/kubernetes, ServiceAccounts and root certificates (fakeapi/WIRE.md C22, K33).
 *
 * What of it is deleted is made again, as its controllers would, while its namespace stays. */
#ifndef FAKEAPI_CLUSTER_BASICS_H
#define FAKEAPI_CLUSTER_BASICS_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"

struct basics;

/** ca_pem: what kube-root-ca.crt holds; copied, NULL: "". */
struct basics *basics_new(const struct cluster_context *context, const char *ca_pem) MUST_CHECK;
void basics_free(struct basics *basics);

/** Begins: the node, and what is not a namespace's. */
void basics_start(struct basics *basics);

/** The node renews its Lease from now on, or does so no more. */
void basics_heartbeat(struct basics *basics, bool on);

/** As those of job_controller.h. */
void basics_note(struct basics *basics, const struct store_event *event);
void basics_see(struct basics *basics, struct store_resource *resource,
                const struct store_object *object);

#endif
