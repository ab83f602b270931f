/* stored_defaults - what kinds that are stored and no more lack (WIRE.md C21). */
#include "controller/base/text.h"
#include "fakeapi/rest/defaults.h"

static void text_default(struct json_object *object, const char *key, const char *value)
{
    if (json_get(object, key) == NULL)
        json_set_text(object, key, value);
}

static void number_default(struct json_object *object, const char *key, int64_t value)
{
    if (json_get(object, key) == NULL)
        json_set_int64(object, key, value);
}

void defaults_status(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    (void)json_ensure_object(tree, "status");
}

void defaults_disruption_budget(struct json_object *tree, const struct json_object *old)
{
    static const char *const counts[] = {"currentHealthy", "desiredHealthy", "disruptionsAllowed",
                                         "expectedPods"};
    struct json_object *status = json_ensure_object(tree, "status");

    (void)old;
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        if (json_get(status, counts[i]) == NULL)
            json_set_int64(status, counts[i], 0);
}

/* The rolling update of a strategy of that type; NULL for another. */
static struct json_object *rolling_update(struct json_object *spec, const char *key)
{
    struct json_object *strategy = json_ensure_object(spec, key);

    text_default(strategy, "type", "RollingUpdate");
    if (!text_equal(json_get_text(strategy, "type"), "RollingUpdate"))
        return NULL;
    return json_ensure_object(strategy, "rollingUpdate");
}

static struct json_object *default_workload(struct json_object *tree)
{
    struct json_object *spec = json_ensure_object(tree, "spec");

    defaults_pod_template(json_ensure_object(spec, "template"));
    (void)json_ensure_object(tree, "status");
    return spec;
}

void defaults_deployment(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = default_workload(tree);
    struct json_object *rolling = rolling_update(spec, "strategy");

    (void)old;
    number_default(spec, "replicas", 1);
    number_default(spec, "revisionHistoryLimit", 10);
    number_default(spec, "progressDeadlineSeconds", 600);
    if (rolling == NULL)
        return;
    text_default(rolling, "maxUnavailable", "25%");
    text_default(rolling, "maxSurge", "25%");
}

void defaults_replica_set(struct json_object *tree, const struct json_object *old)
{
    (void)old;
    number_default(default_workload(tree), "replicas", 1);
    number_default(json_ensure_object(tree, "status"), "replicas", 0);
}

void defaults_stateful_set(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = default_workload(tree);
    struct json_object *rolling = rolling_update(spec, "updateStrategy");
    struct json_object *retention =
        json_ensure_object(spec, "persistentVolumeClaimRetentionPolicy");
    struct json_object *status = json_ensure_object(tree, "status");

    (void)old;
    number_default(spec, "replicas", 1);
    number_default(spec, "revisionHistoryLimit", 10);
    text_default(spec, "podManagementPolicy", "OrderedReady");
    text_default(retention, "whenDeleted", "Retain");
    text_default(retention, "whenScaled", "Retain");
    if (rolling != NULL)
        number_default(rolling, "partition", 0);
    number_default(status, "replicas", 0);
    number_default(status, "availableReplicas", 0);
}

void defaults_daemon_set(struct json_object *tree, const struct json_object *old)
{
    static const char *const counts[] = {"currentNumberScheduled", "numberMisscheduled",
                                         "desiredNumberScheduled", "numberReady"};
    struct json_object *spec = default_workload(tree);
    struct json_object *rolling = rolling_update(spec, "updateStrategy");

    (void)old;
    number_default(spec, "revisionHistoryLimit", 10);
    if (rolling != NULL) {
        number_default(rolling, "maxUnavailable", 1);
        number_default(rolling, "maxSurge", 0);
    }
    for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
        number_default(json_ensure_object(tree, "status"), counts[i], 0);
}

void defaults_persistent_volume_claim(struct json_object *tree, const struct json_object *old)
{
    text_default(json_ensure_object(tree, "spec"), "volumeMode", "Filesystem");
    if (old == NULL)
        text_default(json_ensure_object(tree, "status"), "phase", "Pending");
}

void defaults_network_policy(struct json_object *tree, const struct json_object *old)
{
    struct json_object *spec = json_ensure_object(tree, "spec");
    struct json_object *types;

    (void)old;
    (void)json_ensure_object(spec, "podSelector");
    if (json_get(spec, "policyTypes") != NULL)
        return;
    types = json_object_new_array();
    json_add(types, json_object_new_string("Ingress"));
    if (json_get(spec, "egress") != NULL)
        json_add(types, json_object_new_string("Egress"));
    json_set(spec, "policyTypes", types);
}
