/* kubelet_node - what becomes of a pod whose node goes silent (fakeapi/WIRE.md K26): it is not
 * ready, then deleted, and stays until its node is back or is taken out. */
#include <json-c/json.h>

#include "controller/base/time.h"
#include "fakeapi/cluster/kubelet_parts.h"

/* How long pods are left on a node that is not heard of. */
#define LOST_US (300 * INT64_C(1000000))

static int64_t after(const struct kubelet *kubelet, int64_t delay_us)
{
    return delay_us == KUBELET_NEVER ? INT64_MAX
                                     : kubelet_later(kubelet_elapsed_us(kubelet), delay_us);
}

bool kubelet_lose_node(struct kubelet *kubelet, struct pod_run *run)
{
    if (!kubelet_write_status(
            kubelet, run,
            (struct pod_view){.phase = "Running", .networked = true, .node_lost = true}))
        return false;
    kubelet_set_state(run, POD_LOST, after(kubelet, LOST_US));
    run->back_elapsed_us = after(kubelet, run->script.recover_us);
    run->gone_elapsed_us = after(kubelet, run->script.node_gone_us);
    run->deadline_elapsed_us = INT64_MAX;
    run->log_elapsed_us = INT64_MAX;
    kubelet_tell(kubelet, run, NULL, "Warning", "NodeNotReady", "Node is not ready");
    return true;
}

/* First it is not ready, and when that lasts it is deleted; nobody says that it is gone. */
static bool give_up(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_object *tree = partial_with_status(kubelet_pod(kubelet, run));
    bool ok;

    pod_status_disrupted(tree, "DeletionByTaintManager",
                         "Taint manager: deleting due to NoExecute taint",
                         kubelet_wall_us(kubelet));
    ok = kubelet_save_status(kubelet, run, tree) &&
         cluster_delete(kubelet->context, "taint-eviction-controller", kubelet_pods(kubelet),
                        kubelet_pod(kubelet, run), REST_BACKGROUND);
    json_object_put(tree);
    if (ok)
        kubelet_set_state(run, POD_LOST, INT64_MAX);
    return ok;
}

static void forget_node(struct pod_run *run)
{
    run->back_elapsed_us = INT64_MAX;
    run->gone_elapsed_us = INT64_MAX;
}

/* The container ran on meanwhile and has ended; a pod that was deleted can go now. */
static bool come_back(struct kubelet *kubelet, struct pod_run *run)
{
    run->recovered = true;
    if (run->state == POD_LOST && !kubelet_finish_run(kubelet, run))
        return false;
    if (kubelet_pod(kubelet, run)->deleting && !kubelet_let_go(kubelet, run))
        return false;
    forget_node(run);
    return true;
}

/* Pods of a node that is not there any more are failed, and taken away without its word. */
static bool go_with_node(struct kubelet *kubelet, struct pod_run *run)
{
    struct json_object *tree = partial_with_status(kubelet_pod(kubelet, run));
    bool ok;

    json_set_text(json_ensure_object(tree, "status"), "phase", "Failed");
    pod_status_disrupted(tree, "DeletionByPodGC", "PodGC: node no longer exists",
                         kubelet_wall_us(kubelet));
    ok = kubelet_save_status(kubelet, run, tree) && kubelet_let_go(kubelet, run);
    json_object_put(tree);
    if (!ok)
        return false;
    forget_node(run);
    kubelet_set_state(run, POD_ENDED, INT64_MAX);
    return true;
}

bool kubelet_step_lost(struct kubelet *kubelet, struct pod_run *run, bool *ret_ok)
{
    int64_t now_us = kubelet_elapsed_us(kubelet);

    if (run->back_elapsed_us <= now_us)
        *ret_ok = come_back(kubelet, run);
    else if (run->gone_elapsed_us <= now_us)
        *ret_ok = go_with_node(kubelet, run);
    else if (run->next_elapsed_us <= now_us)
        *ret_ok = give_up(kubelet, run);
    else
        return false;
    return true;
}
