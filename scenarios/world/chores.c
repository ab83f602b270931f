/* chores - what the cluster does behind its API, switched and slowed by the scenario. */
#include <stdlib.h>
#include <string.h>

#include "controller/base/memory.h"
#include "controller/base/text.h"
#include "controller/base/yaml.h"
#include "fakeapi/cluster/cluster.h"
#include "fakeapi/fakeapi.h"
#include "scenarios/language/kinds.h"
#include "scenarios/world/actors.h"

#define OUR_GROUP "agents.re-cinq.com"

static struct cluster *cluster_of(const struct world *world)
{
    return fakeapi_cluster(sim_process_root(world->api));
}

static void turn(struct world *world, enum cluster_actor actor, int to)
{
    if (to != CHORE_AS_IT_IS)
        cluster_switch(cluster_of(world), actor, to == CHORE_ON);
}

/** Everything that is written waits so long before it is carried out. */
static void slow_storage(struct world *world, int64_t delay_us)
{
    const struct fault_rule rule = {
        .name = "slow storage",
        .verb = {.items = {"create", "update", "patch", "delete", "deletecollection"}, .count = 5          },
        .effect = {.action = FAULT_DELAY,                                                .delay_us = delay_us}
    };

    if (world->actors->storage_rule != 0)
        (void)api_remove_fault(world, world->actors->storage_rule);
    world->actors->storage_rule = delay_us > 0 ? api_add_fault(world, &rule) : 0;
}

void chores_apply(struct world *world, const struct chores *chores)
{
    if (chores->collector_delay_us >= 0)
        cluster_set_collector_delay(cluster_of(world), chores->collector_delay_us);
    if (chores->ttl_after_us >= 0)
        cluster_set_ttl(cluster_of(world), chores->ttl_after_us);
    turn(world, CLUSTER_JOBS, chores->job_controller);
    turn(world, CLUSTER_KUBELET, chores->kubelet);
    turn(world, CLUSTER_COLLECTOR, chores->collector);
    turn(world, CLUSTER_TTL, chores->ttl);
    turn(world, CLUSTER_NAMESPACES, chores->namespaces);
    turn(world, CLUSTER_QUOTA, chores->quota);
    turn(world, CLUSTER_DISRUPTION, chores->disruption);
    if (chores->storage_us >= 0)
        slow_storage(world, chores->storage_us);
}

void chores_start(struct world *world)
{
    if (world->scenario->cluster != NULL)
        chores_apply(world, world->scenario->cluster);
}

/* --- CRDs of ours --- */

extern const char *const crd_manifests[]; /* controller/deploy/crds, see cmake/embed_files.cmake */

#define CRDS "customresourcedefinitions"
#define CRDS_GROUP "apiextensions.k8s.io"
#define MANIFEST_BYTES_MAX ((size_t)1024 * 1024)

/** "stations.agents.re-cinq.com". free() it. */
static char *crd_name(const struct kind *kind)
{
    return xprintf("%s.%s", kind->plural, kind->group);
}

static struct json_object *crd_parse(const char *text)
{
    struct yaml_document *document = NULL;
    struct error err = ERROR_INIT;
    struct json_object *tree;

    if (!yaml_parse(text, strlen(text), MANIFEST_BYTES_MAX, &document, NULL, NULL, &err))
        abort(); /* our own manifests are good */
    tree = yaml_to_json(yaml_root(document));
    yaml_free(document);
    return tree;
}

void chores_uninstall(struct world *world, const struct step *step)
{
    char *name = crd_name(kind_find(step->custom_kind));
    const struct rest_target target = {.group = CRDS_GROUP, .plural = CRDS, .name = name};
    struct error err = ERROR_INIT;

    if (!rest_delete(fakeapi_rest(sim_process_root(world->api)), &target, NULL, &err))
        world_fail(world, "uninstall", NULL, "line %u: %s", step->place.line, err.text);
    free(name);
}

static void fail_install(struct world *world, const struct step *step, const char *kind,
                         const char *why)
{
    if (step == NULL)
        world_fail(world, "install", NULL, "the CRD of %s cannot be made: %s", kind, why);
    else
        world_fail(world, "install", NULL,
                   "line %u: the CRD of %s cannot be made: %s; one that was uninstalled needs some "
                   "time to go: 'advance'",
                   step->place.line, kind, why);
}

void chores_install(struct world *world, const struct step *step, const char *kind)
{
    const struct rest_target target = {.group = CRDS_GROUP, .plural = CRDS};
    char *name = crd_name(kind_find(kind));
    struct error err = ERROR_INIT;

    for (size_t i = 0; crd_manifests[i] != NULL; i++) {
        struct json_object *tree = crd_parse(crd_manifests[i]);

        if (text_equal(json_get_text(json_get(tree, "metadata"), "name"), name) &&
            !rest_create(fakeapi_rest(sim_process_root(world->api)), &target, tree, NULL, &err))
            fail_install(world, step, kind, err.text);
        (void)json_object_put(tree);
    }
    free(name);
}

/** Those that steps took away. */
static void install_missing(struct world *world)
{
    const struct store_resource *crds = store_find_resource(world->store, CRDS_GROUP, CRDS);

    for (size_t i = 0; i < kind_count(); i++) {
        const struct kind *kind = kind_at(i);
        char *name = crd_name(kind);

        if (strcmp(kind->group, OUR_GROUP) == 0 && store_get(crds, NULL, name) == NULL)
            chores_install(world, NULL, kind->name);
        free(name);
    }
}

void chores_calm(struct world *world)
{
    static const struct chores usual = {.job_controller = CHORE_ON,
                                        .kubelet = CHORE_ON,
                                        .collector = CHORE_ON,
                                        .ttl = CHORE_ON,
                                        .namespaces = CHORE_ON,
                                        .quota = CHORE_ON,
                                        .disruption = CHORE_ON,
                                        .collector_delay_us = CLUSTER_COLLECTOR_DELAY_US,
                                        .ttl_after_us = -1,
                                        .storage_us = 0};

    install_missing(world);
    cluster_set_ttl(cluster_of(world), usual.ttl_after_us);
    chores_apply(world, &usual);
    chores_start(world);
}
