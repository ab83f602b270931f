/* disruption - counts for PodDisruptionBudgets how many of their pods may be evicted
 * (fakeapi/WIRE.md K31). Pods are expected as they are counted: nobody here makes pods for
 * workloads. */
#ifndef FAKEAPI_CLUSTER_DISRUPTION_H
#define FAKEAPI_CLUSTER_DISRUPTION_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct disruption;

/** delay_us: from a change of a pod or a budget to its being counted. */
struct disruption *disruption_new(const struct cluster_context *context,
                                  int64_t delay_us) MUST_CHECK;
void disruption_free(struct disruption *disruption);

/** As those of job_controller.h. */
void disruption_note(struct disruption *disruption, const struct store_event *event);
void disruption_see(struct disruption *disruption, struct store_resource *resource,
                    const struct store_object *object);
void disruption_pause(struct disruption *disruption);
/** Adds the steps that are armed. */
void disruption_list(const struct disruption *disruption, struct waiting *waiting);

#endif
