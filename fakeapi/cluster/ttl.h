/* ttl - deletes finished Jobs when their time is over (fakeapi/WIRE.md K9). */
#ifndef FAKEAPI_CLUSTER_TTL_H
#define FAKEAPI_CLUSTER_TTL_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct ttl;

struct ttl *ttl_new(const struct cluster_context *context) MUST_CHECK;
void ttl_free(struct ttl *ttl);

/** Jobs that have a time go so long after their end, whatever it is; CLUSTER_TTL_OWN: by their own.
 * For Jobs that are shown from now on. */
void ttl_set_after(struct ttl *ttl, int64_t after_us);

/** As those of job_controller.h. */
void ttl_note(struct ttl *ttl, const struct store_event *event);
void ttl_see(struct ttl *ttl, struct store_resource *resource, const struct store_object *object);
void ttl_pause(struct ttl *ttl);
/** Adds the steps that are armed. */
void ttl_list(const struct ttl *ttl, struct waiting *waiting);

#endif
