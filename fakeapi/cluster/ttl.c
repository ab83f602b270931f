/* ttl - deletes finished Jobs when their time is over. */
#include "fakeapi/cluster/ttl.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/work_queue.h"

#define ACTOR "ttl-after-finished-controller"

struct ttl {
    const struct cluster_context *context;
    struct work_queue *queue; /* of uids of Jobs */
};

/* When a Job is to go, in wall time; INT64_MAX: never, or not yet known. */
static int64_t end_of(const struct json_object *tree)
{
    int64_t seconds = json_get_int64(json_get(tree, "spec"), "ttlSecondsAfterFinished", -1);
    const char *type = cluster_condition_holds(tree, "Complete") ? "Complete"
                       : cluster_condition_holds(tree, "Failed") ? "Failed"
                                                                 : NULL;
    int64_t finished_at_us;

    if (type == NULL || seconds < 0 || seconds > INT32_MAX)
        return INT64_MAX;
    finished_at_us = cluster_get_time(cluster_condition(tree, type), "lastTransitionTime");
    return finished_at_us == 0 ? INT64_MAX : finished_at_us + seconds * US_PER_SECOND;
}

static void look(struct ttl *ttl, const struct store_object *job)
{
    struct json_object *tree;
    int64_t end_us;

    if (job->deleting)
        return;
    tree = store_object_parse(job);
    end_us = end_of(tree);
    json_object_put(tree);
    if (end_us != INT64_MAX)
        work_queue_add(ttl->queue, job->uid, end_us - runtime_wall_us(ttl->context->rt));
}

static void work(void *arg, const char *uid)
{
    struct ttl *ttl = arg;
    const struct owner_node *node = owner_index_find(ttl->context->index, uid);
    const struct store_object *job = node == NULL ? NULL : owner_node_object(node);
    struct json_object *tree;
    int64_t end_us;

    if (job == NULL || job->deleting)
        return;
    tree = store_object_parse(job);
    end_us = end_of(tree);
    json_object_put(tree);
    if (end_us > runtime_wall_us(ttl->context->rt))
        look(ttl, job); /* its time was changed, or the clock was */
    else if (!cluster_delete(ttl->context, ACTOR, node->resource, job, REST_FOREGROUND))
        work_queue_add(ttl->queue, uid, CLUSTER_RETRY_US);
}

void ttl_see(struct ttl *ttl, struct store_resource *resource, const struct store_object *object)
{
    if (cluster_is_resource(resource, "batch", "jobs"))
        look(ttl, object);
}

void ttl_note(struct ttl *ttl, const struct store_event *event)
{
    if (event->change != STORE_DELETED)
        ttl_see(ttl, event->resource, event->object);
    else
        work_queue_remove(ttl->queue, event->object->uid);
}

void ttl_pause(struct ttl *ttl)
{
    work_queue_clear(ttl->queue);
}

struct ttl *ttl_new(const struct cluster_context *context)
{
    struct ttl *ttl = xcalloc(1, sizeof(*ttl));

    ttl->context = context;
    ttl->queue = work_queue_new(context->rt, work, ttl);
    return ttl;
}

void ttl_free(struct ttl *ttl)
{
    if (ttl == NULL)
        return;
    work_queue_free(ttl->queue);
    free(ttl);
}
