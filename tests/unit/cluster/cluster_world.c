#include "tests/unit/cluster/cluster_world.h"

#include "controller/base/text.h"

static void deliver(void *arg)
{
    store_deliver(((struct cluster_world *)arg)->store);
}

static void schedule(void *arg)
{
    struct cluster_world *world = arg;

    (void)runtime_after(world->rt, 0, deliver, world);
}

int cluster_world_new(void **state)
{
    const struct sim_options sim_options = {.seed = 1, .start_wall_us = 1700000000 * SECOND};
    const struct sim_process_options process = {.name = "api"};
    struct cluster_world *world = xcalloc(1, sizeof(*world));
    const struct store_options store_options = {.schedule = schedule, .schedule_arg = world};
    struct sim_process *api;

    world->sim = sim_new(&sim_options);
    api = sim_process_new(world->sim, &process);
    sim_process_start(api);
    sim_run_until(world->sim, 0);
    world->rt = sim_process_runtime(api);
    world->store = store_new(&store_options);
    world->secrets = access_secrets_new();
    world->access = access_new(&(struct access_options){
        .rt = world->rt, .store = world->store, .secrets = world->secrets, .mode = ACCESS_OPEN});
    world->rest = rest_new(
        &(struct rest_options){.rt = world->rt, .store = world->store, .access = world->access});
    world->cluster = cluster_new(
        &(struct cluster_options){.rt = world->rt, .store = world->store, .rest = world->rest});
    *state = world;
    cluster_world_create(world, "namespaces", "{'metadata':{'name':'" NAMESPACE "'}}");
    cluster_world_run(world, SECOND);
    return 0;
}

int cluster_world_free(void **state)
{
    struct cluster_world *world = *state;

    cluster_free(world->cluster);
    rest_free(world->rest);
    access_free(world->access);
    access_secrets_free(world->secrets);
    store_free(world->store);
    sim_free(world->sim);
    free(world);
    return 0;
}

void cluster_world_run(struct cluster_world *world, int64_t for_us)
{
    assert_true(sim_run_until(world->sim, sim_now_us(world->sim) + for_us));
}

/* group of room's size 64. */
static struct rest_target target_of(const char *resource, const char *name, char group[64])
{
    const char *slash = strchr(resource, '/');
    bool in_namespace = strcmp(resource, "namespaces") != 0;
    size_t size = slash == NULL ? 0 : (size_t)(slash - resource);

    memcpy(group, resource, size);
    group[size] = '\0';
    return (struct rest_target){.group = group,
                                .plural = slash == NULL ? resource : slash + 1,
                                .namespace = in_namespace ? NAMESPACE : NULL,
                                .name = name};
}

void cluster_world_create(struct cluster_world *world, const char *resource, const char *json)
{
    char group[64];
    struct rest_target target = target_of(resource, NULL, group);
    struct json_object *tree = quoted(json);
    struct error err = ERROR_INIT;

    if (!rest_create(world->rest, &target, tree, NULL, &err))
        fail_msg("create %s: %s", json, err.text);
    json_object_put(tree);
}

void cluster_world_delete(struct cluster_world *world, const char *resource, const char *name,
                          enum rest_propagation propagation)
{
    char group[64];
    struct rest_target target = target_of(resource, name, group);
    struct rest_delete_options options = {.propagation = propagation};
    struct error err = ERROR_INIT;

    if (!rest_delete(world->rest, &target, &options, &err))
        fail_msg("delete %s: %s", name, err.text);
}

void cluster_world_patch(struct cluster_world *world, const char *resource, const char *name,
                         const char *json)
{
    char group[64];
    struct rest_target target = target_of(resource, name, group);
    struct json_object *patch = quoted(json);
    struct error err = ERROR_INIT;

    if (!rest_merge_patch(world->rest, &target, patch, NULL, &err))
        fail_msg("patch %s: %s", name, err.text);
    json_object_put(patch);
}

static struct store_resource *resource_of(struct cluster_world *world, const char *resource)
{
    char group[64];
    struct rest_target target = target_of(resource, NULL, group);
    struct store_resource *found = store_find_resource(world->store, target.group, target.plural);

    assert_non_null(found);
    return found;
}

const struct store_object *cluster_world_get(struct cluster_world *world, const char *resource,
                                             const char *name)
{
    bool in_namespace = strcmp(resource, "namespaces") != 0;

    return store_get(resource_of(world, resource), in_namespace ? NAMESPACE : NULL, name);
}

size_t cluster_world_count(struct cluster_world *world, const char *resource)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource_of(world, resource));
    size_t first;
    size_t end;

    store_snapshot_range(snapshot, NAMESPACE, &first, &end);
    store_snapshot_free(snapshot);
    return end - first;
}

const struct store_object *cluster_world_at(struct cluster_world *world, const char *resource,
                                            size_t index)
{
    struct store_snapshot *snapshot = store_snapshot_new(resource_of(world, resource));
    const struct store_object *object;
    size_t first;
    size_t end;

    store_snapshot_range(snapshot, NAMESPACE, &first, &end);
    assert_true(index < end - first);
    object =
        cluster_world_get(world, resource, store_snapshot_object(snapshot, first + index)->name);
    store_snapshot_free(snapshot);
    return object;
}

void cluster_world_expect(const struct store_object *object, const char *texts)
{
    char *wanted = xstrdup(texts);

    assert_non_null(object);
    for (char *at = wanted; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    for (char *next = wanted; next != NULL;) {
        char *bar = strchr(next, '|');

        if (bar != NULL)
            *bar = '\0';
        if (strstr(object->bytes->data, next) == NULL)
            fail_msg("%s\nis not in %s", next, object->bytes->data);
        next = bar == NULL ? NULL : bar + 1;
    }
    free(wanted);
}
