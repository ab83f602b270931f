/* pod_security - what a Station's pod template may not ask of the node (RULES.md 2.3). Our own
 * three checks, and the rest of Kubernetes' Pod Security Standard "baseline", which the namespace
 * enforces: a pod that it refuses would never come, and its run would wait for the deadline. For
 * pod_template alone.
 *
 * Source: Kubernetes' documentation, Pod Security Standards. */
#ifndef CONTROLLER_JOBS_POD_SECURITY_H
#define CONTROLLER_JOBS_POD_SECURITY_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "controller/base/json.h"

/** Whether a template with a list of containers asks for nothing forbidden. What a run's pod gets
 * replaced (the pod's securityContext, that of container "agent", init containers) is not looked
 * at, save that no container may be privileged. Fails with a text of RULES.md 2.3. */
bool pod_security_check(const struct json_object *template, struct error *err) MUST_CHECK;

#endif
