/* context - the small writes that actors share. */
#include "fakeapi/cluster/context.h"

#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <string.h>

bool cluster_is_resource(const struct store_resource *resource, const char *group,
                         const char *plural)
{
    return strcmp(store_resource_plural(resource), plural) == 0 &&
           strcmp(store_resource_group(resource), group) == 0;
}

struct rest_target cluster_target(const struct store_resource *resource,
                                  const struct store_object *object, const char *subresource)
{
    return (struct rest_target){
        .group = store_resource_group(resource),
        .plural = store_resource_plural(resource),
        .namespace = object->namespace,
        .name = object->name,
        .subresource = subresource,
    };
}

void cluster_log_failure(const struct cluster_context *context, const char *actor,
                         const struct store_object *object, const struct error *err)
{
    const struct log_field fields[] = {
        LOG_TEXT("actor", actor),
        LOG_TEXT("object", object->key),
        LOG_TEXT("error", err->text),
    };
    const struct log_record record = {LOG_WARN, "cluster actor failed", fields, ARRAY_SIZE(fields)};

    runtime_log(context->rt, &record);
}

/* Somebody else was faster: no failure, what they did comes as a change. */
static bool came_too_late(const struct error *err)
{
    return err->kind == ERROR_CONFLICT || err->kind == ERROR_NOT_FOUND;
}

static bool concluded(const struct cluster_context *context, const char *actor,
                      const struct store_object *held, bool ok, const struct error *err)
{
    if (!ok && !came_too_late(err))
        cluster_log_failure(context, actor, held, err);
    return ok;
}

bool cluster_update(const struct cluster_context *context, const char *actor,
                    const struct store_resource *resource, const struct store_object *object,
                    const char *subresource, const struct json_object *tree)
{
    struct store_object *held = store_object_ref(object);
    struct rest_target target = cluster_target(resource, held, subresource);
    struct error err = ERROR_INIT;
    bool ok = rest_update(context->rest, &target, tree, NULL, &err);

    ok = concluded(context, actor, held, ok, &err);
    store_object_unref(held);
    return ok;
}

bool cluster_patch(const struct cluster_context *context, const char *actor,
                   const struct store_resource *resource, const struct store_object *object,
                   struct json_object *patch)
{
    struct store_object *held = store_object_ref(object);
    struct rest_target target = cluster_target(resource, held, NULL);
    struct json_object *metadata = json_ensure_object(patch, "metadata");
    struct error err = ERROR_INIT;
    char revision[24];
    bool ok;

    snprintf(revision, sizeof(revision), "%" PRIu64, held->revision);
    json_set_text(metadata, "resourceVersion", revision);
    ok = rest_merge_patch(context->rest, &target, patch, NULL, &err);
    ok = concluded(context, actor, held, ok, &err);
    json_object_put(patch);
    store_object_unref(held);
    return ok;
}

bool cluster_delete(const struct cluster_context *context, const char *actor,
                    const struct store_resource *resource, const struct store_object *object,
                    enum rest_propagation propagation)
{
    struct store_object *held = store_object_ref(object);
    struct rest_target target = cluster_target(resource, held, NULL);
    struct rest_delete_options options = {.propagation = propagation, .uid = held->uid};
    struct error err = ERROR_INIT;
    bool ok = rest_delete(context->rest, &target, &options, &err);

    ok = concluded(context, actor, held, ok, &err);
    store_object_unref(held);
    return ok;
}

bool cluster_remove_finalizer(const struct cluster_context *context, const char *actor,
                              const struct store_resource *resource,
                              const struct store_object *object, const char *finalizer)
{
    struct json_object *patch;
    struct json_object *rest;

    if (!store_object_has_finalizer(object, finalizer))
        return true;
    rest = json_object_new_array();
    for (size_t i = 0; i < object->finalizer_count; i++)
        if (strcmp(object->finalizers[i], finalizer) != 0)
            json_add(rest, json_object_new_string(object->finalizers[i]));
    patch = json_object_new_object();
    json_set(json_ensure_object(patch, "metadata"), "finalizers", rest);
    return cluster_patch(context, actor, resource, object, patch);
}
