/* roles - processes by what they are at this moment. */
#include <string.h>

#include "controller/base/text.h"
#include "scenarios/world/parts.h"

#define LEASE_NAME "agent-controller"

/** The replica whose identity holds the Lease: "ctl-0_1f2e3d4c" is ctl-0's. */
static struct sim_process *leader(struct world *world)
{
    struct store_resource *leases =
        store_find_resource(world->store, "coordination.k8s.io", "leases");
    const struct store_object *lease =
        leases == NULL ? NULL : store_get(leases, SCENARIO_NAMESPACE, LEASE_NAME);
    struct json_object *tree = lease == NULL ? NULL : store_object_parse(lease);
    const char *holder = text_or(json_get_text(json_get(tree, "spec"), "holderIdentity"), "");
    struct sim_process *found = NULL;

    for (size_t i = 0; i < world->replica_count; i++) {
        const char *name = sim_process_name(world->replicas[i]);
        size_t size = strlen(name);

        if (strncmp(holder, name, size) == 0 && (holder[size] == '_' || holder[size] == '\0'))
            found = world->replicas[i];
    }
    (void)json_object_put(tree);
    return found;
}

/** The first replica that is alive and does not lead. */
static struct sim_process *standby(struct world *world)
{
    const struct sim_process *leading = leader(world);

    for (size_t i = 0; i < world->replica_count; i++) {
        if (world->replicas[i] != leading && sim_process_is_alive(world->replicas[i]))
            return world->replicas[i];
    }
    return NULL;
}

struct sim_process *role_find(struct world *world, const char *name)
{
    if (strcmp(name, "leader") == 0)
        return leader(world);
    if (strcmp(name, "standby") == 0)
        return standby(world);
    return sim_process_find(world->sim, name);
}

bool role_is_replica(const struct world *world, const char *name)
{
    for (size_t i = 0; i < world->replica_count; i++) {
        if (strcmp(sim_process_name(world->replicas[i]), name) == 0)
            return true;
    }
    return false;
}
