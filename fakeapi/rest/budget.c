/* budget - whether PodDisruptionBudgets let a pod be evicted.
 *
 * Source: k8s.io/kubernetes/pkg/registry/core/pod/storage/eviction.go. */
#include "fakeapi/rest/budget.h"

#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/rest/parts.h"
#include "fakeapi/rest/selector.h"

/* When to ask again while a budget is not looked at yet. */
#define PROCESSING_SECONDS 10

bool budget_is_about(const struct json_object *budget, const struct store_object *pod)
{
    const struct json_object *wanted = json_get_object(json_get(budget, "spec"), "selector");
    struct rest_status status = {0};
    struct selector selector = {0};
    char *text;
    bool is;

    if (wanted == NULL)
        return false;
    text = selector_text_of(wanted);
    is = selector_parse_labels(text, &selector, &status) && selector_matches(&selector, pod);
    selector_release(&selector);
    rest_status_release(&status);
    free(text);
    return is;
}

static bool holds(const struct json_object *status, const char *type)
{
    struct json_object *list = json_get_array(status, "conditions");

    for (size_t i = 0; list != NULL && i < json_object_array_length(list); i++) {
        const struct json_object *item = json_object_array_get_idx(list, i);

        if (text_equal(json_get_text(item, "type"), type))
            return text_equal(json_get_text(item, "status"), "True");
    }
    return false;
}

/* A pod that does not work yet, or no more, may always go. */
static bool needs_none(const struct store_object *pod, const struct json_object *status)
{
    const char *phase = text_or(json_get_text(status, "phase"), "");

    return pod->deleting || strcmp(phase, "Running") != 0;
}

static bool refuse(struct write *write, int64_t retry_after_seconds, const char *why)
{
    rest_status_set(&write->status, 429, "TooManyRequests",
                    "Cannot evict pod as it would violate the pod's disruption budget.");
    rest_status_cause(&write->status, "DisruptionBudget", why, NULL);
    write->status.retry_after_seconds = retry_after_seconds;
    return false;
}

/* Writes that one disruption less is allowed. */
static bool count_down(struct write *write, struct json_object *budget)
{
    struct json_object *status = json_get(budget, "status");
    const struct rest_target target = {.group = "policy",
                                       .plural = "poddisruptionbudgets",
                                       .namespace = write->namespace,
                                       .name = json_get_text(json_get(budget, "metadata"), "name"),
                                       .subresource = "status"};
    struct error err = ERROR_INIT;

    json_set_int64(status, "disruptionsAllowed",
                   json_get_int64(status, "disruptionsAllowed", 0) - 1);
    return rest_update(write->rest, &target, budget, NULL, &err) ||
           rest_status_set(&write->status, 500, "InternalError", "Internal error occurred: %s",
                           err.text);
}

static bool take_from(struct write *write, struct json_object *budget, bool ready)
{
    const struct json_object *metadata = json_get(budget, "metadata");
    const struct json_object *status = json_get(budget, "status");
    const char *name = text_or(json_get_text(metadata, "name"), "");
    const char *policy =
        text_or(json_get_text(json_get(budget, "spec"), "unhealthyPodEvictionPolicy"), "");
    int64_t desired = json_get_int64(status, "desiredHealthy", 0);
    int64_t healthy = json_get_int64(status, "currentHealthy", 0);
    char *why;

    if (!ready && (strcmp(policy, "AlwaysAllow") == 0 || (desired > 0 && healthy >= desired)))
        return true;
    if (json_get_int64(status, "observedGeneration", 0) <
        json_get_int64(metadata, "generation", 0)) {
        why = xprintf("The disruption budget %s is still being processed by the server.", name);
        refuse(write, PROCESSING_SECONDS, why);
    } else if (json_get_int64(status, "disruptionsAllowed", 0) <= 0) {
        why = xprintf("The disruption budget %s needs %lld healthy pods and has %lld currently",
                      name, (long long)desired, (long long)healthy);
        refuse(write, 0, why);
    } else {
        return write->dry_run || count_down(write, budget);
    }
    free(why);
    return false;
}

/* The one budget that is about the pod; NULL: none is, or *ret_count of them. json_object_put(). */
static struct json_object *find(const struct write *write, const struct store_object *pod,
                                size_t *ret_count)
{
    const struct kind *kind = kinds_find(write->rest->kinds, "policy", "poddisruptionbudgets");
    struct store_snapshot *snapshot = store_snapshot_new(kind->objects);
    struct json_object *found = NULL;
    size_t index;
    size_t end;

    *ret_count = 0;
    store_snapshot_range(snapshot, write->namespace, &index, &end);
    for (; index < end; index++) {
        struct json_object *tree = store_object_parse(store_snapshot_object(snapshot, index));

        if (budget_is_about(tree, pod)) {
            ++*ret_count;
            json_object_put(found);
            found = tree;
        } else {
            json_object_put(tree);
        }
    }
    store_snapshot_free(snapshot);
    return found;
}

bool budget_take(struct write *write, const struct store_object *pod)
{
    struct json_object *tree = store_object_parse(pod);
    const struct json_object *status = json_get(tree, "status");
    struct json_object *budget = NULL;
    size_t count = 0;
    bool ok = true;

    if (!needs_none(pod, status))
        budget = find(write, pod, &count);
    if (count > 1)
        ok = rest_status_untyped(&write->status,
                                 "This pod has more than one PodDisruptionBudget, which the "
                                 "eviction subresource does not support.");
    else if (budget != NULL)
        ok = take_from(write, budget, holds(status, "Ready"));
    json_object_put(budget);
    json_object_put(tree);
    return ok;
}
