/* kubelet_parts - the kubelet, as its files share it. */
#ifndef FAKEAPI_CLUSTER_KUBELET_PARTS_H
#define FAKEAPI_CLUSTER_KUBELET_PARTS_H

#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/cluster/events.h"
#include "fakeapi/cluster/kubelet.h"
#include "fakeapi/cluster/pod_run.h"
#include "fakeapi/cluster/pod_status.h"

#define KUBELET_ACTOR "kubelet"

struct scripted {
    struct kubelet_match match; /* its texts are of this entry */
    struct kubelet_script script;
    uint64_t used;
    struct scripted *prev;
    struct scripted *next;
};

struct kubelet {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of uids */
    struct pod_run *runs;    /* by uid */
    struct scripted *scripts;
    uint64_t next_number;
};

/** Of the runtime's clocks. */
int64_t kubelet_elapsed_us(const struct kubelet *kubelet);
int64_t kubelet_wall_us(const struct kubelet *kubelet);

struct store_resource *kubelet_pods(const struct kubelet *kubelet);
/** The pod as it is now; NULL when it is gone. Borrowed. */
const struct store_object *kubelet_pod(const struct kubelet *kubelet, const struct pod_run *run);

/** now_us + delay_us, or never. */
int64_t kubelet_later(int64_t now_us, int64_t delay_us);

/** Takes the step that is due; true when that went well, or none is. Each step gives false when a
 * write failed: the run is as it was then, and is tried again (kubelet_steps.c). */
bool kubelet_step(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** What the next one is, for people: "end". */
const char *kubelet_step_name(const struct pod_run *run);

/* --- steps to its running (kubelet_start.c) --- */

bool kubelet_schedule(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** Its containers are made, or what keeps them from that is told. */
bool kubelet_prepare(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** What kept it from being scheduled, or its image from being pulled, is over. */
bool kubelet_recover(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** An init container's time is over, or its wait. */
bool kubelet_end_init(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
bool kubelet_become_ready(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** The container that the script is about runs from here on. */
void kubelet_begin_run(struct kubelet *kubelet, struct pod_run *run);

/* --- nodes that are lost (kubelet_node.c) --- */

/** Its node goes silent: it is not ready. */
bool kubelet_lose_node(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** Of a node that is or was lost: whether a step is due, which is taken then; *ret_ok: what came of
 * it. */
bool kubelet_step_lost(struct kubelet *kubelet, struct pod_run *run, bool *ret_ok);

/** The container that the script is about has run as long as it says. */
bool kubelet_finish_run(struct kubelet *kubelet, struct pod_run *run) MUST_CHECK;
/** The last word of the node on a deleted pod (K28): whoever holds finalizers may still keep it. */
bool kubelet_let_go(struct kubelet *kubelet, const struct pod_run *run) MUST_CHECK;

/** The pod is over. reason and message are the pod's, or NULL. All that runs ends: the container
 * that the script is about as how says, the others with 0, unless how is a kill, which ends all so.
 * how may be NULL: no container ended by the script (kubelet_steps.c). */
bool kubelet_end_pod(struct kubelet *kubelet, struct pod_run *run, const struct container_end *how,
                     const char *reason, const char *message) MUST_CHECK;

/* --- what steps have in common (kubelet_write.c) --- */

/** Goes over to a state that is over by itself at next_elapsed_us. */
void kubelet_set_state(struct pod_run *run, enum pod_state state, int64_t next_elapsed_us);

/** An Event of the node's about the pod, or about one of its containers. */
void kubelet_tell(const struct kubelet *kubelet, const struct pod_run *run,
                  const struct pod_container *container, const char *type, const char *reason,
                  const char *message);
/** Pulled, Created, Started. */
void kubelet_tell_start(const struct kubelet *kubelet, const struct pod_run *run,
                        const struct pod_container *container);
void kubelet_tell_stop(const struct kubelet *kubelet, const struct pod_run *run,
                       const struct pod_container *container);
void kubelet_tell_backoff(const struct kubelet *kubelet, const struct pod_run *run,
                          const struct pod_container *container);

bool kubelet_save_status(struct kubelet *kubelet, const struct pod_run *run,
                         const struct json_object *tree) MUST_CHECK;
/** By the states of its containers; the view's now_us is set here. */
bool kubelet_write_status(struct kubelet *kubelet, const struct pod_run *run,
                          struct pod_view view) MUST_CHECK;

/** A copy of the containers' states, to go back to when a write fails. */
struct pod_container *kubelet_remember(const struct pod_run *run) MUST_CHECK;
/** Ends a step: keeps what was done when it is written, else undoes it. Frees before; gives
 * written. */
bool kubelet_conclude(struct pod_run *run, struct pod_container *before, bool written);

/** The wait before a container that ran so long is started again; the next one will be longer. */
int64_t kubelet_take_backoff(struct pod_run *run, int64_t ran_us);
/** free() it. */
char *kubelet_backoff_message(const struct pod_run *run, const struct pod_container *container,
                              int64_t wait_us);

#endif
