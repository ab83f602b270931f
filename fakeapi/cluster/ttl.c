/* ttl - deletes finished Jobs when their time is over. */
#include "fakeapi/cluster/ttl.h"

#include <stdlib.h>

#include "controller/base/memory.h"
#include "controller/base/time.h"
#include "fakeapi/cluster/due_queue.h"

#define ACTOR "ttl-after-finished-controller"

struct ttl {
    const struct cluster_context *context;
    struct due_queue *queue; /* of uids of Jobs */
    int64_t after_us;        /* of all Jobs; CLUSTER_TTL_OWN: each its own */
};

/* When a Job is to go, in wall time; INT64_MAX: never, or not yet known. */
static int64_t end_of(const struct ttl *ttl, const struct store_object *job)
{
    static const char *const types[] = {"Complete", "Failed"};
    struct json_slice status = store_object_status(job);
    int64_t finished_at_us = 0;
    int64_t seconds;

    for (size_t i = 0; i < ARRAY_SIZE(types); i++)
        if (partial_condition_holds(status, types[i]))
            finished_at_us =
                partial_time(partial_condition(status, types[i]), "lastTransitionTime");
    if (finished_at_us == 0)
        return INT64_MAX;
    seconds = partial_int64(store_object_spec(job), "ttlSecondsAfterFinished", -1);
    if (seconds < 0 || seconds > INT32_MAX)
        return INT64_MAX;
    return finished_at_us +
           (ttl->after_us == CLUSTER_TTL_OWN ? seconds * US_PER_SECOND : ttl->after_us);
}

static void look(struct ttl *ttl, const struct store_object *job)
{
    int64_t end_us = job->deleting ? INT64_MAX : end_of(ttl, job);

    if (end_us != INT64_MAX)
        due_queue_add(ttl->queue, job->uid, end_us - runtime_wall_us(ttl->context->rt));
}

static void work(void *arg, const char *uid)
{
    struct ttl *ttl = arg;
    const struct owner_node *node = owner_index_find(ttl->context->index, uid);
    const struct store_object *job = node == NULL ? NULL : owner_node_object(node);

    if (job == NULL || job->deleting)
        return;
    if (end_of(ttl, job) > runtime_wall_us(ttl->context->rt))
        look(ttl, job); /* its time was changed, or the clock was */
    else if (cluster_delete(ttl->context, ACTOR, node->resource, job, REST_FOREGROUND))
        runtime_mark(ttl->context->rt, MARK_API_JOB_TTL);
    else
        due_queue_add(ttl->queue, uid, CLUSTER_RETRY_US);
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
        due_queue_remove(ttl->queue, event->object->uid);
}

void ttl_set_after(struct ttl *ttl, int64_t after_us)
{
    ttl->after_us = after_us;
}

void ttl_pause(struct ttl *ttl)
{
    due_queue_clear(ttl->queue);
}

static const char *step_of(const void *arg, const struct store_resource *resource,
                           const struct store_object *object, int64_t *due_elapsed_us)
{
    const struct ttl *ttl = arg;
    int64_t end_us = end_of(ttl, object);

    (void)resource;
    if (end_us != INT64_MAX) { /* it may have been made longer since */
        int64_t wait_us = end_us - runtime_wall_us(ttl->context->rt);
        int64_t end_elapsed_us = runtime_elapsed_us(ttl->context->rt) + wait_us;

        if (end_elapsed_us > *due_elapsed_us)
            *due_elapsed_us = end_elapsed_us;
    }
    return "delete";
}

void ttl_list(const struct ttl *ttl, struct waiting *waiting)
{
    waiting_add_uids(waiting, "ttl", ttl->queue, step_of, ttl);
}

struct ttl *ttl_new(const struct cluster_context *context)
{
    struct ttl *ttl = xcalloc(1, sizeof(*ttl));

    ttl->context = context;
    ttl->after_us = CLUSTER_TTL_OWN;
    ttl->queue = due_queue_new(context->rt, work, ttl);
    return ttl;
}

void ttl_free(struct ttl *ttl)
{
    if (ttl == NULL)
        return;
    due_queue_free(ttl->queue);
    free(ttl);
}
