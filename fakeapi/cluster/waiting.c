/* waiting - the steps that actors have armed. */
#include "fakeapi/cluster/waiting.h"

#include <stdlib.h>

#include "controller/base/memory.h"

struct numbered {
    struct waiting_step step;
    size_t number; /* of adding */
};

struct waiting {
    const struct cluster_context *context;
    struct numbered *steps;
    size_t count;
    size_t capacity;
};

/* What is being added. */
struct adding {
    struct waiting *waiting;
    const char *actor;
    const char *step;
    waiting_step_fn *fn;
    const void *arg;
};

struct waiting *waiting_new(const struct cluster_context *context)
{
    struct waiting *waiting = xcalloc(1, sizeof(*waiting));

    waiting->context = context;
    return waiting;
}

void waiting_free(struct waiting *waiting)
{
    if (waiting == NULL)
        return;
    for (size_t i = 0; i < waiting->count; i++) {
        free(waiting->steps[i].step.namespace);
        free(waiting->steps[i].step.name);
    }
    free(waiting->steps);
    free(waiting);
}

static void add(struct waiting *waiting, const struct waiting_step *step)
{
    if (waiting->count == waiting->capacity) {
        waiting->capacity = waiting->capacity == 0 ? 16 : 2 * waiting->capacity;
        waiting->steps = xrealloc(waiting->steps, waiting->capacity * sizeof(struct numbered));
    }
    waiting->steps[waiting->count] = (struct numbered){*step, waiting->count};
    waiting->count++;
}

static void add_uid(void *arg, const char *uid, int64_t due_elapsed_us)
{
    const struct adding *adding = arg;
    const struct owner_node *node = owner_index_find(adding->waiting->context->index, uid);
    const struct store_object *object = node == NULL ? NULL : owner_node_object(node);
    struct waiting_step step = {.actor = adding->actor, .due_elapsed_us = due_elapsed_us};

    if (object == NULL)
        return;
    step.step = adding->fn(adding->arg, node->resource, object, &step.due_elapsed_us);
    if (step.step == NULL)
        return;
    step.group = store_resource_group(node->resource);
    step.plural = store_resource_plural(node->resource);
    step.namespace = xstrdup(object->namespace);
    step.name = xstrdup(object->name);
    add(adding->waiting, &step);
}

void waiting_add_uids(struct waiting *waiting, const char *actor, const struct due_queue *queue,
                      waiting_step_fn *fn, const void *arg)
{
    struct adding adding = {.waiting = waiting, .actor = actor, .fn = fn, .arg = arg};

    due_queue_each(queue, add_uid, &adding);
}

static void add_namespace(void *arg, const char *name, int64_t due_elapsed_us)
{
    const struct adding *adding = arg;
    const struct waiting_step step = {.actor = adding->actor,
                                      .step = adding->step,
                                      .group = "",
                                      .plural = "namespaces",
                                      .name = xstrdup(name),
                                      .due_elapsed_us = due_elapsed_us};

    add(adding->waiting, &step);
}

void waiting_add_namespaces(struct waiting *waiting, const char *actor, const char *step,
                            const struct due_queue *queue)
{
    struct adding adding = {.waiting = waiting, .actor = actor, .step = step};

    due_queue_each(queue, add_namespace, &adding);
}

static int compare(const void *a, const void *b)
{
    const struct numbered *left = a;
    const struct numbered *right = b;

    if (left->step.due_elapsed_us != right->step.due_elapsed_us)
        return left->step.due_elapsed_us < right->step.due_elapsed_us ? -1 : 1;
    return left->number < right->number ? -1 : 1;
}

void waiting_sort(struct waiting *waiting)
{
    if (waiting->count > 0)
        qsort(waiting->steps, waiting->count, sizeof(struct numbered), compare);
}

size_t waiting_count(const struct waiting *waiting)
{
    return waiting->count;
}

const struct waiting_step *waiting_at(const struct waiting *waiting, size_t index)
{
    return &waiting->steps[index].step;
}
