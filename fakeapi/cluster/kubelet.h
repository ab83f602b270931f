/* kubelet - scheduler and node in one: pods are bound, start, run, log and end by their scripts,
 * and stop when they are deleted (fakeapi/WIRE.md K22 to K30, X8).
 *
 * One container of a pod follows the script, and is restarted by the pod's policy; the others run
 * beside it as long as the pod does, and exit 0. */
#ifndef FAKEAPI_CLUSTER_KUBELET_H
#define FAKEAPI_CLUSTER_KUBELET_H

#include <stdint.h>

#include "controller/base/attributes.h"
#include "fakeapi/cluster/context.h"
#include "fakeapi/cluster/kubelet_script.h"
#include "fakeapi/cluster/waiting.h"

/** The one node that there is. */
#define KUBELET_NODE "node-0"

/** Most bytes of one pod's log, as far as it is kept. */
#define KUBELET_LOG_BYTES_MAX (16 * 1024 * 1024)

struct kubelet;

/** Becomes the source of logs of the context's rest. delay_us: from a pod's coming to its being
 * bound. */
struct kubelet *kubelet_new(const struct cluster_context *context, int64_t delay_us) MUST_CHECK;
void kubelet_free(struct kubelet *kubelet);

/** Adds a script behind the others, for pods that come from now on; the first that matches is
 * taken. Both are copied. */
void kubelet_add_script(struct kubelet *kubelet, const struct kubelet_match *match,
                        const struct kubelet_script *script);
void kubelet_clear_scripts(struct kubelet *kubelet);

/** As those of job_controller.h. */
void kubelet_note(struct kubelet *kubelet, const struct store_event *event);
void kubelet_see(struct kubelet *kubelet, struct store_resource *resource,
                 const struct store_object *object);
void kubelet_pause(struct kubelet *kubelet);
/** Adds the steps that are armed. */
void kubelet_list(const struct kubelet *kubelet, struct waiting *waiting);

#endif
