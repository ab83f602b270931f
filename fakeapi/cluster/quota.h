/* quota - ResourceQuotas of objects by their number: creates that would go beyond are refused, and
 * status says what is used.
 *
 * As on a real cluster a quota holds once its status.hard is written. What is used goes up before
 * the object is made, so that no two creates share the last place, and comes down when what is
 * there is counted: soon after something went. Counted are count/RESOURCE[.GROUP], and by their old
 * names pods (that have not ended), services, services.loadbalancers, services.nodeports,
 * configmaps, secrets, persistentvolumeclaims, replicationcontrollers and resourcequotas. Other
 * names (cpu, memory) and quotas with scopes are not kept. */
#ifndef FAKEAPI_CLUSTER_QUOTA_H
#define FAKEAPI_CLUSTER_QUOTA_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct quota;

struct quota *quota_new(const struct cluster_context *context) MUST_CHECK;
void quota_free(struct quota *quota);

/** Whether creates are asked about; off at first. */
void quota_switch(struct quota *quota, bool on);

/** As those of job_controller.h, but that it is told of changes while it is off, too: pods are
 * counted by them. */
void quota_note(struct quota *quota, const struct store_event *event);
void quota_see(struct quota *quota, struct store_resource *resource,
               const struct store_object *object);
void quota_pause(struct quota *quota);
/** Adds the steps that are armed. */
void quota_list(const struct quota *quota, struct waiting *waiting);

#endif
