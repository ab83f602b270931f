/* job_controller - makes pods from Jobs and counts how they end (fakeapi/WIRE.md K10 to K20).
 *
 * Pods that match a Job's selector without being owned by it are not adopted. */
#ifndef FAKEAPI_CLUSTER_JOB_CONTROLLER_H
#define FAKEAPI_CLUSTER_JOB_CONTROLLER_H

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/waiting.h"

struct job_controller;

struct job_controller *job_controller_new(const struct cluster_context *context,
                                          int64_t delay_us) MUST_CHECK;
void job_controller_free(struct job_controller *controller);

/** Looks at a change; told only while it is switched on. */
void job_controller_note(struct job_controller *controller, const struct store_event *event);
/** Looks at an object that is there when it is switched on. */
void job_controller_see(struct job_controller *controller, struct store_resource *resource,
                        const struct store_object *object);
/** Forgets what it meant to do. */
void job_controller_pause(struct job_controller *controller);
/** Adds the steps that are armed. */
void job_controller_list(const struct job_controller *controller, struct waiting *waiting);

#endif
