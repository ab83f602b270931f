/* namespaces - empties namespaces that are being deleted, then lets them go (WIRE.md X10); its
 * conditions say what is left. */
#ifndef FAKEAPI_CLUSTER_NAMESPACES_H
#define FAKEAPI_CLUSTER_NAMESPACES_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct namespaces;

struct namespaces *namespaces_new(const struct cluster_context *context,
                                  int64_t delay_us) MUST_CHECK;
void namespaces_free(struct namespaces *namespaces);

/** As those of job_controller.h. */
void namespaces_note(struct namespaces *namespaces, const struct store_event *event);
void namespaces_see(struct namespaces *namespaces, struct store_resource *resource,
                    const struct store_object *object);
void namespaces_pause(struct namespaces *namespaces);
/** Adds the steps that are armed. */
void namespaces_list(const struct namespaces *namespaces, struct waiting *waiting);

#endif
