/* collector - deletes what has lost its owners, orphans and deletes dependents (WIRE.md K1 to K7).
 */
#ifndef FAKEAPI_CLUSTER_COLLECTOR_H
#define FAKEAPI_CLUSTER_COLLECTOR_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct collector;

/** delay_us: from a change to what it leads to. */
struct collector *collector_new(const struct cluster_context *context, int64_t delay_us) MUST_CHECK;
void collector_free(struct collector *collector);

void collector_set_delay(struct collector *collector, int64_t delay_us);

/** As those of job_controller.h. */
void collector_note(struct collector *collector, const struct store_event *event);
void collector_see(struct collector *collector, struct store_resource *resource,
                   const struct store_object *object);
void collector_pause(struct collector *collector);
/** Adds the steps that are armed. */
void collector_list(const struct collector *collector, struct waiting *waiting);

#endif
