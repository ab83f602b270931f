/* disruption - counts for PodDisruptionBudgets.
 *
 * Source: k8s.io/kubernetes/pkg/controller/disruption. */
#include "fakeapi/cluster/disruption.h"

#include <json-c/json.h>
#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/rest/budget.h"

#define ACTOR "disruption-controller"

struct disruption {
    const struct cluster_context *context;
    int64_t delay_us;
    struct due_queue *queue; /* of namespaces */
    struct store_resource *budgets;
    struct store_resource *pods;
};

struct counts {
    int64_t expected;
    int64_t healthy;
    int64_t desired;
    int64_t allowed;
};

/* A number, or a percentage of total, rounded up. */
static int64_t amount_of(const struct json_object *value, int64_t total)
{
    const char *text = json_text(value);
    char *digits;
    uint64_t percent = 0;

    if (json_is(value, json_type_int))
        return json_object_get_int64(value);
    if (text == NULL || text[0] == '\0')
        return 0;
    digits = xmemdup(text, strlen(text) - 1);
    if (!text_to_uint64(digits, &percent) || percent > 100)
        percent = 100;
    free(digits);
    return (total * (int64_t)percent + 99) / 100;
}

static void count_pods(const struct disruption *disruption, const struct json_object *budget,
                       const char *namespace, struct counts *counts)
{
    struct store_snapshot *snapshot = store_snapshot_new(disruption->pods);
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, namespace, &index, &end);
    for (; index < end; index++) {
        const struct store_object *pod = store_snapshot_object(snapshot, index);

        if (!budget_is_about(budget, pod))
            continue;
        counts->expected++;
        counts->healthy +=
            !pod->deleting && partial_condition_holds(store_object_status(pod), "Ready");
    }
    store_snapshot_free(snapshot);
}

static void decide(const struct json_object *spec, struct counts *counts)
{
    const struct json_object *least = json_get(spec, "minAvailable");
    const struct json_object *most = json_get(spec, "maxUnavailable");

    if (most != NULL)
        counts->desired = counts->expected - amount_of(most, counts->expected);
    else if (least != NULL)
        counts->desired = amount_of(least, counts->expected);
    if (counts->desired < 0)
        counts->desired = 0;
    counts->allowed = counts->healthy - counts->desired;
    if (counts->allowed < 0 || counts->expected == 0)
        counts->allowed = 0;
}

static bool look(struct disruption *disruption, const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    struct json_object *status = json_ensure_object(tree, "status");
    struct counts counts = {0};
    bool ok;

    count_pods(disruption, tree, object->namespace, &counts);
    decide(json_get(tree, "spec"), &counts);
    json_set_int64(status, "observedGeneration",
                   json_get_int64(json_get(tree, "metadata"), "generation", 0));
    json_set_int64(status, "currentHealthy", counts.healthy);
    json_set_int64(status, "desiredHealthy", counts.desired);
    json_set_int64(status, "disruptionsAllowed", counts.allowed);
    json_set_int64(status, "expectedPods", counts.expected);
    cluster_set_condition(tree, "DisruptionAllowed", counts.allowed > 0 ? "True" : "False",
                          counts.allowed > 0 ? "SufficientPods" : "InsufficientPods", "", false,
                          runtime_wall_us(disruption->context->rt));
    json_set_int64(cluster_condition(tree, "DisruptionAllowed"), "observedGeneration",
                   json_get_int64(status, "observedGeneration", 0));
    ok = cluster_update(disruption->context, ACTOR, disruption->budgets, object, "status", tree);
    json_object_put(tree);
    return ok;
}

static void work(void *arg, const char *namespace)
{
    struct disruption *disruption = arg;
    struct store_snapshot *snapshot = store_snapshot_new(disruption->budgets);
    bool ok = true;
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, namespace, &index, &end);
    for (; index < end; index++)
        ok = look(disruption, store_snapshot_object(snapshot, index)) && ok;
    store_snapshot_free(snapshot);
    if (!ok)
        due_queue_add(disruption->queue, namespace, CLUSTER_RETRY_US);
}

void disruption_see(struct disruption *disruption, struct store_resource *resource,
                    const struct store_object *object)
{
    if (resource == disruption->budgets ||
        (resource == disruption->pods && store_resource_count(disruption->budgets) > 0))
        due_queue_add(disruption->queue, object->namespace, disruption->delay_us);
}

void disruption_note(struct disruption *disruption, const struct store_event *event)
{
    disruption_see(disruption, event->resource, event->object);
}

void disruption_pause(struct disruption *disruption)
{
    due_queue_clear(disruption->queue);
}

void disruption_list(const struct disruption *disruption, struct waiting *waiting)
{
    waiting_add_namespaces(waiting, "disruption", "count", disruption->queue);
}

struct disruption *disruption_new(const struct cluster_context *context, int64_t delay_us)
{
    struct disruption *disruption = xcalloc(1, sizeof(*disruption));

    disruption->context = context;
    disruption->delay_us = delay_us;
    disruption->queue = due_queue_new(context->rt, work, disruption);
    disruption->budgets = store_find_resource(context->store, "policy", "poddisruptionbudgets");
    disruption->pods = store_find_resource(context->store, "", "pods");
    return disruption;
}

void disruption_free(struct disruption *disruption)
{
    if (disruption == NULL)
        return;
    due_queue_free(disruption->queue);
    free(disruption);
}
