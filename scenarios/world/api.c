/* api - the API server of a world: fakeapi's parts on a simulated process, and its inside. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/rest/rest.h"
#include "scenarios/world/parts.h"

#define API_PORT 8001
#define MANIFEST_BYTES_MAX ((size_t)1024 * 1024)
/** The label by which the controller marks the pods of an Agent (controller/RULES.md 2.3). */
#define AGENT_LABEL "agents.re-cinq.com/agent"

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

/* --- the program --- */

struct api {
    struct runtime *rt;
    struct store *store;
    struct faults *faults;
    struct rest *rest;
    struct cluster *cluster;
    struct listener *listener;
    bool delivering;
};

static void deliver(void *arg)
{
    struct api *api = arg;

    api->delivering = false;
    store_deliver(api->store);
}

static void schedule(void *arg)
{
    struct api *api = arg;

    if (api->delivering)
        return;
    api->delivering = true;
    (void)runtime_after(api->rt, 0, deliver, api);
}

static void free_api(void *root)
{
    struct api *api = root;

    listener_close(api->listener);
    cluster_free(api->cluster);
    rest_free(api->rest);
    faults_free(api->faults);
    store_free(api->store);
    free(api);
}

static bool start_api(struct runtime *rt, int argc, const char *const *argv, void **ret_root,
                      struct error *err)
{
    struct api *api = xcalloc(1, sizeof(*api));
    const struct store_options store_options = {.schedule = schedule, .schedule_arg = api};
    const struct listen_options listen_options = {.address = "0.0.0.0", .port = API_PORT};

    (void)argc;
    (void)argv;
    api->rt = rt;
    api->store = store_new(&store_options);
    api->faults = faults_new();
    api->rest =
        rest_new(&(struct rest_options){.rt = rt, .store = api->store, .faults = api->faults});
    api->cluster =
        cluster_new(&(struct cluster_options){.rt = rt, .store = api->store, .rest = api->rest});
    if (!runtime_listen(rt, &listen_options, rest_service(), api->rest, &api->listener, err)) {
        free_api(api);
        return false;
    }
    *ret_root = api;
    return true;
}

static const struct program api_program = {.name = "api", .start = start_api, .free = free_api};

static struct api *api_of(const struct world *world)
{
    return sim_process_root(world->api);
}

/* --- what is in it at the start --- */

static void load(struct world *world, const struct json_object *tree, unsigned line)
{
    struct error err = ERROR_INIT;

    if (!rest_load(api_of(world)->rest, tree, &err))
        world_fail(world, NULL, "line %u: %s", line, err.text);
}

static void load_yaml(struct world *world, const char *text)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct json_object *tree;

    if (!yaml_parse(text, strlen(text), MANIFEST_BYTES_MAX, &document, NULL, NULL, &err)) {
        world_fail(world, NULL, "a manifest of the deployment: %s", err.text);
        return;
    }
    tree = yaml_to_json(yaml_root(document));
    load(world, tree, 0);
    (void)json_object_put(tree);
    yaml_free(document);
}

static void add_script(struct cluster *cluster, const struct pod_script *pod)
{
    const struct kubelet_match match = {
        .label = AGENT_LABEL, .label_value = pod->agent, .count = (uint64_t)pod->first};
    struct kubelet_script script = KUBELET_SCRIPT_INIT;

    script.start_us = pod->starts_us;
    script.run_us = pod->runs_us;
    script.stop_us = pod->stops_us;
    script.exit_code = pod->exit_code;
    script.ending = (enum kubelet_ending)pod->ending;
    script.log = pod->log;
    script.container = pod->container;
    script.log_gone = pod->log_gone;
    script.status_missing = pod->status_missing;
    cluster_add_script(cluster, &match, &script);
}

void api_start(struct world *world)
{
    const struct scenario *scenario = world->scenario;

    world->api = sim_process_new(
        world->sim, &(struct sim_process_options){.name = "api", .program = &api_program});
    sim_process_start(world->api);
    (void)sim_run_until(world->sim, 0);
    for (size_t i = 0; i < scenario->pod_count; i++)
        add_script(api_of(world)->cluster, &scenario->pods[i]);
    for (size_t i = 0; crd_manifests[i] != NULL; i++)
        load_yaml(world, crd_manifests[i]);
    load_yaml(world, "{apiVersion: v1, kind: Namespace, metadata: {name: " SCENARIO_NAMESPACE "}}");
    (void)sim_run_until(world->sim, 0); /* the new kinds are served from here on */
    for (size_t i = 0; i < scenario->objects.count; i++)
        load(world, scenario->objects.items[i].tree, scenario->objects.items[i].place.line);
    (void)sim_run_until(world->sim, 0);
    world->store = api_of(world)->store;
    store_observe(world->store, &observe_store, world);
}

/* --- faults --- */

uint64_t api_add_fault(struct world *world, const struct fault_rule *rule)
{
    struct error err = ERROR_INIT;
    uint64_t id = 0;

    if (!faults_add(api_of(world)->faults, rule, &id, &err))
        world_fail(world, NULL, "a fault: %s", err.text);
    return id;
}

uint64_t api_remove_fault(struct world *world, uint64_t id)
{
    uint64_t acted = faults_acted(api_of(world)->faults, id);

    (void)faults_remove(api_of(world)->faults, id);
    return acted;
}

void api_compact(struct world *world)
{
    store_compact(world->store, store_revision(world->store));
}

void api_stop(struct world *world)
{
    if (world->store != NULL)
        store_unobserve(world->store, &observe_store, world);
    world->store = NULL;
}
