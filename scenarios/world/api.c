/* api - the API server of a world: fakeapi on a simulated process, and its inside. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/fakeapi.h"
#include "fakeapi/load.h"
#include "scenarios/language/schemas.h"
#include "scenarios/world/actors.h"
#include "scenarios/world/sweep.h"

#define MANIFEST_BYTES_MAX ((size_t)1024 * 1024)
/** The label by which the controller marks the pods of an Agent (controller/RULES.md 2.3). */
#define AGENT_LABEL "agents.re-cinq.com/agent"

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

/** Of the running API server. */
static void *root_of(const struct world *world)
{
    return sim_process_root(world->api);
}

/* --- what every world begins with --- */

/** The CRDs, and the namespace. */
#define KIT_OBJECTS_MAX 16

struct world_kit {
    struct json_object *trees[KIT_OBJECTS_MAX];
    size_t count;
    struct schemas *schemas;
};

static const char namespace_manifest[] =
    "{apiVersion: v1, kind: Namespace, metadata: {name: " SCENARIO_NAMESPACE "}}";

/** Our own manifests are good: a test loads them. */
static void add_manifest(struct world_kit *kit, const char *text)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;

    if (kit->count == KIT_OBJECTS_MAX ||
        !yaml_parse(text, strlen(text), MANIFEST_BYTES_MAX, &document, NULL, NULL, &err))
        abort();
    kit->trees[kit->count++] = yaml_to_json(yaml_root(document));
    yaml_free(document);
}

struct world_kit *world_kit_new(void)
{
    struct world_kit *kit = xcalloc(1, sizeof(*kit));

    for (size_t i = 0; crd_manifests[i] != NULL; i++)
        add_manifest(kit, crd_manifests[i]);
    add_manifest(kit, namespace_manifest);
    kit->schemas = schemas_new();
    return kit;
}

const struct schemas *world_kit_schemas(const struct world_kit *kit)
{
    return kit->schemas;
}

void world_kit_free(struct world_kit *kit)
{
    if (kit == NULL)
        return;
    for (size_t i = 0; i < kit->count; i++)
        (void)json_object_put(kit->trees[i]);
    schemas_free(kit->schemas);
    free(kit);
}

/* --- what is in it at the start --- */

static void load(struct world *world, const struct json_object *tree, unsigned line)
{
    struct error err = ERROR_INIT;

    if (!rest_load(fakeapi_rest(root_of(world)), tree, &err))
        world_fail(world, "object refused", NULL, "line %u: %s", line, err.text);
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
    script.recover_us = pod->recovers_us;
    script.node_gone_us = pod->node_gone_us;
    script.log_every_us = pod->log_every_us;
    script.log_late_us = pod->log_late_us;
    script.others_run_us = pod->others_run_us;
    script.others_exit_code = pod->others_exit;
    script.fail_times = pod->failures;
    cluster_add_script(cluster, &match, &script);
}

void api_start(struct world *world, const struct world_kit *kit)
{
    const struct scenario *scenario = world->scenario;

    static const char *const arguments[] = {"--listen", "0.0.0.0:8001", "--open", "--without",
                                            "heartbeat"};
    const struct sim_process_options options = {.name = "api",
                                                .program = &fakeapi_program,
                                                .arguments = arguments,
                                                .argument_count = ARRAY_SIZE(arguments)};

    world->api = sim_process_new(world->sim, &options);
    sim_process_start(world->api);
    (void)sim_run_until(world->sim, 0);
    for (size_t i = 0; i < scenario->pod_count; i++)
        add_script(fakeapi_cluster(root_of(world)), &scenario->pods[i]);
    chores_start(world);
    for (size_t i = 0; i < kit->count; i++)
        load(world, kit->trees[i], 0);
    (void)sim_run_until(world->sim, 0); /* the new kinds are served from here on */
    for (size_t i = 0; i < scenario->objects.count; i++)
        load(world, scenario->objects.items[i].tree, scenario->objects.items[i].place.line);
    (void)sim_run_until(world->sim, 0);
    world->store = fakeapi_store(root_of(world));
    store_observe(world->store, &observe_store, world);
}

/* --- faults --- */

uint64_t api_add_fault(struct world *world, const struct fault_rule *rule)
{
    struct error err = ERROR_INIT;
    uint64_t id = 0;

    if (!faults_add(fakeapi_faults(root_of(world)), rule, &id, &err))
        world_fail(world, "fault refused", NULL, "a fault: %s", err.text);
    rest_faults_changed(fakeapi_rest(root_of(world)));
    return id;
}

uint64_t api_add_first_fault(struct world *world, const struct fault_rule *rule)
{
    struct error err = ERROR_INIT;

    if (!faults_add_first(fakeapi_faults(root_of(world)), rule, &err))
        world_fail(world, "fault refused", NULL, "a fault: %s", err.text);
    return FAULT_FIRST_ID;
}

uint64_t api_fault_acted(const struct world *world, uint64_t id)
{
    return faults_acted(fakeapi_faults(root_of(world)), id);
}

static void on_decision(void *arg, const struct fault_call *call, bool event)
{
    struct world *world = arg;

    sweep_on_api(world, call, event);
    if (event)
        faults_on_event(world, call);
}

void api_watch_faults(struct world *world)
{
    faults_observe(fakeapi_faults(root_of(world)), on_decision, world);
}

uint64_t api_remove_fault(struct world *world, uint64_t id)
{
    uint64_t acted = faults_acted(fakeapi_faults(root_of(world)), id);

    (void)faults_remove(fakeapi_faults(root_of(world)), id);
    rest_faults_changed(fakeapi_rest(root_of(world)));
    return acted;
}

/** On a store of its own, so that what is told of it is not a change. */
static void look_at(struct world *world)
{
    world->store = fakeapi_store(root_of(world));
    observe_set_back(world);
    store_observe(world->store, &observe_store, world);
    for (size_t i = 0; i < world->scenario->pod_count; i++)
        add_script(fakeapi_cluster(root_of(world)), &world->scenario->pods[i]);
}

void api_rewind(struct world *world, int64_t amount)
{
    uint64_t revision = store_revision(world->store);
    struct error err = ERROR_INIT;

    if (amount >= 0)
        revision -= (uint64_t)amount < revision ? (uint64_t)amount : revision - 1;
    else
        revision = rest_revision_at(fakeapi_rest(root_of(world)), -amount);
    world->api_crashed_us = sim_now_us(world->sim);
    store_unobserve(world->store, &observe_store, world);
    if (!fakeapi_rewind(root_of(world), revision, &err))
        world_fail(world, "rewind", NULL, "the API server cannot be set back: %s", err.text);
    look_at(world);
}

void api_compact(struct world *world)
{
    store_compact(world->store, store_revision(world->store));
}

char *api_keep(struct world *world)
{
    struct buffer text = BUFFER_INIT(WORLD_KEPT_BYTES_MAX);
    struct error err = ERROR_INIT;
    char *kept = NULL;
    size_t size;

    if (world->store != NULL && fakeapi_dump_text(world->store, 0, &text, &err) &&
        buffer_check(&text, &err))
        kept = buffer_take(&text, &size);
    buffer_release(&text);
    return kept;
}

void api_stop(struct world *world)
{
    if (world->store != NULL)
        store_unobserve(world->store, &observe_store, world);
    world->store = NULL;
}
