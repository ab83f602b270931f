/* quota - ResourceQuotas kept. */
#include "fakeapi/cluster/quota.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <json-c/linkhash.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "fakeapi/cluster/due_queue.h"
#include "fakeapi/cluster/quota_decide.h"

#define ACTOR "resourcequota-controller"

/* From something that goes to its being counted off, as others may go at once. */
#define RELEASE_US INT64_C(10000)

/* From a create to its being counted, should the object not have come after all. */
#define RECOUNT_US INT64_C(5000000)

/* Pods of a namespace that have not ended: the one count that the store does not keep. */
struct live_pods {
    char *namespace;
    int64_t count;
    UT_hash_handle hh;
};

struct quota {
    const struct cluster_context *context;
    bool on;
    struct due_queue *queue; /* of namespaces */
    struct live_pods *pods;
    struct store_resource *quotas;
};

/* --- pods that have not ended --- */

static bool has_ended(const struct store_object *pod)
{
    struct json_slice phase = json_slice_get(store_object_status(pod), "phase");

    return partial_is(phase, "Succeeded") || partial_is(phase, "Failed");
}

static struct live_pods *add_pods(struct quota *quota, const char *namespace)
{
    struct live_pods *pods = xcalloc(1, sizeof(*pods));

    pods->namespace = xstrdup(namespace);
    HASH_ADD_KEYPTR(hh, quota->pods, pods->namespace, strlen(pods->namespace), pods);
    return pods;
}

static void drop_pods(struct quota *quota, struct live_pods *pods)
{
    HASH_DEL(quota->pods, pods);
    free(pods->namespace);
    free(pods);
}

static void count_pods(struct quota *quota, const char *namespace, int64_t change)
{
    struct live_pods *pods;

    if (change == 0)
        return;
    HASH_FIND_STR(quota->pods, namespace, pods);
    if (pods == NULL)
        pods = add_pods(quota, namespace);
    pods->count += change;
    if (pods->count == 0)
        drop_pods(quota, pods);
}

static int64_t live_pods(const struct quota *quota, const char *namespace)
{
    struct live_pods *pods;

    HASH_FIND_STR(quota->pods, namespace, pods);
    return pods == NULL ? 0 : pods->count;
}

/* --- counting what is there --- */

static int64_t count_objects(struct store_resource *resource, const char *namespace)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource);
    size_t first;
    size_t end;

    store_snapshot_range(snapshot, namespace, &first, &end);
    store_snapshot_free(snapshot);
    return (int64_t)(end - first);
}

/* What all services of a namespace count under a name of their own. */
static int64_t count_services(const struct quota *quota, const char *namespace, const char *name)
{
    struct store_snapshot *snapshot =
        store_snapshot_new(store_find_resource(quota->context->store, "", "services"));
    int64_t total = 0;
    size_t index;
    size_t end;

    store_snapshot_range(snapshot, namespace, &index, &end);
    for (; index < end; index++) {
        struct json_object *tree = store_object_parse(store_snapshot_object(snapshot, index));
        struct quota_charges charges = quota_charges_of("", "services", tree);

        for (size_t i = 0; i < charges.count; i++)
            if (strcmp(charges.items[i].name, name) == 0)
                total += charges.items[i].count;
        json_object_put(tree);
    }
    store_snapshot_free(snapshot);
    return total;
}

/* "count/jobs.batch" to the resource; NULL when there is none of that name. */
static struct store_resource *resource_of(const struct quota *quota, const char *name)
{
    const char *group = strchr(name, '.');
    char *plural = group == NULL ? xstrdup(name) : xmemdup(name, (size_t)(group - name));
    struct store_resource *resource =
        store_find_resource(quota->context->store, group == NULL ? "" : group + 1, plural);

    free(plural);
    return resource;
}

/* How many things of a name there are; false when it is none that is kept. */
static bool count(const struct quota *quota, const char *namespace, const char *name,
                  int64_t *ret_count)
{
    struct store_resource *resource;

    if (strcmp(name, "pods") == 0) {
        *ret_count = live_pods(quota, namespace);
        return true;
    }
    if (text_starts_with(name, "services.")) {
        *ret_count = count_services(quota, namespace, name);
        return true;
    }
    if (text_starts_with(name, "count/"))
        name += strlen("count/");
    else if (strchr(name, '.') != NULL || strcmp(name, "cpu") == 0)
        return false;
    resource = resource_of(quota, name);
    if (resource == NULL || !store_resource_namespaced(resource))
        return false;
    *ret_count = count_objects(resource, namespace);
    return true;
}

/* --- the controller --- */

static bool is_scoped(const struct json_object *spec)
{
    const struct json_object *scopes = json_get_array(spec, "scopes");

    return (scopes != NULL && json_object_array_length(scopes) > 0) ||
           json_get(spec, "scopeSelector") != NULL;
}

static bool write_status(struct quota *quota, const struct store_object *object)
{
    struct json_object *tree = store_object_parse(object);
    const struct json_object *spec = json_get(tree, "spec");
    struct json_object *hard = json_get_object(spec, "hard");
    struct json_object *status = json_ensure_object(tree, "status");
    struct json_object *used = json_object_new_object();
    struct json_object_iter at;
    bool ok;

    json_set(status, "hard", hard == NULL ? json_object_new_object() : json_copy(hard));
    if (hard != NULL && !is_scoped(spec)) {
        json_object_object_foreachC(hard, at)
        {
            char text[24];
            int64_t number;

            if (!count(quota, object->namespace, at.key, &number))
                continue;
            snprintf(text, sizeof(text), "%" PRId64, number);
            json_set_text(used, at.key, text);
        }
    }
    json_set(status, "used", used);
    ok = cluster_update(quota->context, ACTOR, quota->quotas, object, "status", tree);
    json_object_put(tree);
    return ok;
}

static void work(void *arg, const char *namespace)
{
    struct quota *quota = arg;
    struct store_snapshot *snapshot;
    bool ok = true;
    size_t index;
    size_t end;

    store_deliver(quota->context->store); /* so that pods are counted to the last */
    snapshot = store_snapshot_new(quota->quotas);
    store_snapshot_range(snapshot, namespace, &index, &end);
    for (; index < end; index++)
        ok = write_status(quota, store_snapshot_object(snapshot, index)) && ok;
    store_snapshot_free(snapshot);
    if (!ok)
        due_queue_add(quota->queue, namespace, CLUSTER_RETRY_US);
}

/* --- creates --- */

/* Adds the charges to what is used. */
static bool charge(struct quota *quota, const struct store_object *object, struct json_object *tree,
                   const struct quota_charges *charges)
{
    struct json_object *hard = json_walk(tree, "status", "hard", NULL);
    struct json_object *used = json_ensure_object(json_ensure_object(tree, "status"), "used");
    bool changed = false;

    for (size_t i = 0; i < charges->count; i++) {
        const char *name = charges->items[i].name;
        const char *text = text_or(json_get_text(used, name), "0");
        char sum[24];
        int64_t number;

        if (json_get(hard, name) == NULL || !quota_parse(text, &number))
            continue;
        snprintf(sum, sizeof(sum), "%" PRId64, number + charges->items[i].count);
        json_set_text(used, name, sum);
        changed = true;
    }
    return !changed || cluster_update(quota->context, ACTOR, quota->quotas, object, "status", tree);
}

/* Whether one quota lets the object in; charges it unless it is a dry run. */
static bool admit_by(struct quota *quota, const struct store_object *object,
                     const struct quota_charges *charges, bool dry_run, char **ret_why)
{
    struct json_object *tree = partial_with_status(object);
    const struct json_object *status = json_get(tree, "status");
    char *excess = quota_excess(json_get(status, "hard"), json_get(status, "used"), charges);

    if (excess != NULL)
        *ret_why = xprintf("exceeded quota: %s, %s", object->name, excess);
    else if (!dry_run && !charge(quota, object, tree, charges))
        *ret_why = xprintf("status of quota %s could not be updated", object->name);
    free(excess);
    json_object_put(tree);
    return *ret_why == NULL;
}

/* First all quotas are asked, then all are charged: a refusal charges none. */
static bool admit_create(void *arg, const struct store_resource *resource, const char *namespace,
                         const struct json_object *tree, bool dry_run, char **ret_why)
{
    struct quota *quota = arg;
    struct quota_charges charges;
    struct store_snapshot *snapshot;
    bool ok = true;
    size_t first;
    size_t end;

    if (store_resource_count(quota->quotas) == 0 || namespace[0] == '\0')
        return true;
    *ret_why = NULL;
    snapshot = store_snapshot_new(quota->quotas);
    store_snapshot_range(snapshot, namespace, &first, &end);
    charges =
        quota_charges_of(store_resource_group(resource), store_resource_plural(resource), tree);
    for (int pass = 0; pass < (dry_run ? 1 : 2) && ok; pass++)
        for (size_t i = first; i < end && ok; i++)
            ok = admit_by(quota, store_snapshot_object(snapshot, i), &charges, pass == 0, ret_why);
    if (ok && !dry_run && end > first)
        due_queue_add(quota->queue, namespace, RECOUNT_US);
    store_snapshot_free(snapshot);
    return ok;
}

static const struct rest_admission admission = {admit_create};

void quota_switch(struct quota *quota, bool on)
{
    quota->on = on;
    rest_set_admission(quota->context->rest, on ? &admission : NULL, quota);
}

/* --- told of changes --- */

static bool has_quota(const struct quota *quota, const char *namespace)
{
    return store_resource_count(quota->quotas) > 0 && count_objects(quota->quotas, namespace) > 0;
}

/* Pods are counted whether they are looked at or not: off, the count would be lost. */
static void note_pod(struct quota *quota, const struct store_event *event)
{
    bool was = event->old != NULL && !has_ended(event->old);
    bool is = event->change != STORE_DELETED && !has_ended(event->object);

    count_pods(quota, event->object->namespace, (int64_t)is - (int64_t)was);
    if (quota->on && was && !is && has_quota(quota, event->object->namespace))
        due_queue_add(quota->queue, event->object->namespace, RELEASE_US);
}

void quota_see(struct quota *quota, struct store_resource *resource,
               const struct store_object *object)
{
    if (resource == quota->quotas)
        due_queue_add(quota->queue, object->namespace, 0);
}

void quota_note(struct quota *quota, const struct store_event *event)
{
    const char *namespace = event->object->namespace;

    if (cluster_is_resource(event->resource, "", "pods"))
        note_pod(quota, event);
    if (!quota->on)
        return;
    if (event->resource == quota->quotas && event->change != STORE_DELETED)
        quota_see(quota, event->resource, event->object);
    else if (event->change == STORE_DELETED && namespace[0] != '\0' && has_quota(quota, namespace))
        due_queue_add(quota->queue, namespace, RELEASE_US);
}

void quota_pause(struct quota *quota)
{
    due_queue_clear(quota->queue);
}

/* The pods that are there. */
static void count_all_pods(struct quota *quota)
{
    struct store_snapshot *snapshot =
        store_snapshot_new(store_find_resource(quota->context->store, "", "pods"));

    for (size_t i = 0; i < store_snapshot_count(snapshot); i++) {
        const struct store_object *pod = store_snapshot_object(snapshot, i);

        count_pods(quota, pod->namespace, !has_ended(pod));
    }
    store_snapshot_free(snapshot);
}

void quota_list(const struct quota *quota, struct waiting *waiting)
{
    waiting_add_namespaces(waiting, "quota", "count", quota->queue);
}

struct quota *quota_new(const struct cluster_context *context)
{
    struct quota *quota = xcalloc(1, sizeof(*quota));

    quota->context = context;
    quota->queue = due_queue_new(context->rt, work, quota);
    quota->quotas = store_find_resource(context->store, "", "resourcequotas");
    count_all_pods(quota);
    return quota;
}

void quota_free(struct quota *quota)
{
    struct live_pods *pods;
    struct live_pods *next;

    if (quota == NULL)
        return;
    quota_switch(quota, false);
    HASH_ITER (hh, quota->pods, pods, next)
        drop_pods(quota, pods);
    due_queue_free(quota->queue);
    free(quota);
}
