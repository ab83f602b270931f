/* stored_rows - rows of kinds without behaviour. */
#include "fakeapi/rest/stored_rows.h"

#include "fakeapi/rest/builtin_cells.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/defaults.h"
#include "fakeapi/rest/row_columns.h"

static const struct kind_column endpoints_columns[] = {COLUMN_NAME, COLUMN("Endpoints"),
                                                       COLUMN_AGE};
const struct kind_row endpoints_row = {
    .group = "",
    .version = "v1",
    .kind = "Endpoints",
    .plural = "endpoints",
    .singular = "endpoints",
    .short_names = "ep",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    COLUMNS(endpoints_columns),
    .cells = cells_endpoints,
};

static const struct kind_column persistent_volume_claims_columns[] = {
    COLUMN_NAME,
    COLUMN("Status"),
    COLUMN("Volume"),
    COLUMN("Capacity"),
    COLUMN("Access Modes"),
    COLUMN("StorageClass"),
    COLUMN("VolumeAttributesClass"),
    COLUMN_AGE,
    COLUMN_WIDE("VolumeMode")};
const struct kind_row persistent_volume_claims_row = {
    .group = "",
    .version = "v1",
    .kind = "PersistentVolumeClaim",
    .plural = "persistentvolumeclaims",
    .singular = "persistentvolumeclaim",
    .short_names = "pvc",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_DELETE_SHOWS | KIND_STRICT_FIELDS,
    COLUMNS(persistent_volume_claims_columns),
    .cells = cells_persistent_volume_claim,
    .set_defaults = defaults_persistent_volume_claim,
};

static const struct kind_column daemon_sets_columns[] = {COLUMN_NAME,
                                                         COLUMN_INTEGER("Desired"),
                                                         COLUMN_INTEGER("Current"),
                                                         COLUMN_INTEGER("Ready"),
                                                         COLUMN_INTEGER("Up-to-date"),
                                                         COLUMN_INTEGER("Available"),
                                                         COLUMN("Node Selector"),
                                                         COLUMN_AGE,
                                                         COLUMN_WIDE("Containers"),
                                                         COLUMN_WIDE("Images"),
                                                         COLUMN_WIDE("Selector")};
const struct kind_row daemon_sets_row = {
    .group = "apps",
    .version = "v1",
    .kind = "DaemonSet",
    .plural = "daemonsets",
    .singular = "daemonset",
    .short_names = "ds",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_STRICT_FIELDS,
    COLUMNS(daemon_sets_columns),
    .cells = cells_daemon_set,
    .set_defaults = defaults_daemon_set,
    .check = check_workload,
};

static const struct kind_column deployments_columns[] = {
    COLUMN_NAME, COLUMN("Ready"),           COLUMN("Up-to-date"),  COLUMN("Available"),
    COLUMN_AGE,  COLUMN_WIDE("Containers"), COLUMN_WIDE("Images"), COLUMN_WIDE("Selector")};
const struct kind_row deployments_row = {
    .group = "apps",
    .version = "v1",
    .kind = "Deployment",
    .plural = "deployments",
    .singular = "deployment",
    .short_names = "deploy",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_SCALE | KIND_STRICT_FIELDS,
    COLUMNS(deployments_columns),
    .cells = cells_deployment,
    .set_defaults = defaults_deployment,
    .check = check_workload,
};

static const struct kind_column replica_sets_columns[] = {
    COLUMN_NAME, COLUMN_INTEGER("Desired"), COLUMN_INTEGER("Current"), COLUMN_INTEGER("Ready"),
    COLUMN_AGE,  COLUMN_WIDE("Containers"), COLUMN_WIDE("Images"),     COLUMN_WIDE("Selector")};
static const struct kind_field replica_sets_fields[] = {
    {"status.replicas", "status.replicas", "0"}
};
const struct kind_row replica_sets_row = {
    .group = "apps",
    .version = "v1",
    .kind = "ReplicaSet",
    .plural = "replicasets",
    .singular = "replicaset",
    .short_names = "rs",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_SCALE,
    FIELDS(replica_sets_fields),
    COLUMNS(replica_sets_columns),
    .cells = cells_replica_set,
    .set_defaults = defaults_replica_set,
    .check = check_workload,
};

static const struct kind_column stateful_sets_columns[] = {
    COLUMN_NAME, COLUMN("Ready"), COLUMN_AGE, COLUMN_WIDE("Containers"), COLUMN_WIDE("Images")};
const struct kind_row stateful_sets_row = {
    .group = "apps",
    .version = "v1",
    .kind = "StatefulSet",
    .plural = "statefulsets",
    .singular = "statefulset",
    .short_names = "sts",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_SCALE | KIND_STRICT_FIELDS,
    COLUMNS(stateful_sets_columns),
    .cells = cells_stateful_set,
    .set_defaults = defaults_stateful_set,
    .check = check_workload,
};

static const struct kind_column ingresses_columns[] = {
    COLUMN_NAME, COLUMN("Class"), COLUMN("Hosts"), COLUMN("Address"), COLUMN("Ports"), COLUMN_AGE};
const struct kind_row ingresses_row = {
    .group = "networking.k8s.io",
    .version = "v1",
    .kind = "Ingress",
    .plural = "ingresses",
    .singular = "ingress",
    .short_names = "ing",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_STRICT_FIELDS,
    COLUMNS(ingresses_columns),
    .cells = cells_ingress,
    .set_defaults = defaults_status,
};

static const struct kind_column network_policies_columns[] = {COLUMN_NAME, COLUMN("Pod-Selector"),
                                                              COLUMN_AGE};
const struct kind_row network_policies_row = {
    .group = "networking.k8s.io",
    .version = "v1",
    .kind = "NetworkPolicy",
    .plural = "networkpolicies",
    .singular = "networkpolicy",
    .short_names = "netpol",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_GENERATION | KIND_STRICT_FIELDS,
    COLUMNS(network_policies_columns),
    .cells = cells_network_policy,
    .set_defaults = defaults_network_policy,
};

static const struct kind_column disruption_budgets_columns[] = {
    COLUMN_NAME, COLUMN("Min Available"), COLUMN("Max Unavailable"),
    COLUMN_INTEGER("Allowed Disruptions"), COLUMN_AGE};
const struct kind_row disruption_budgets_row = {
    .group = "policy",
    .version = "v1",
    .kind = "PodDisruptionBudget",
    .plural = "poddisruptionbudgets",
    .singular = "poddisruptionbudget",
    .short_names = "pdb",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_STRICT_FIELDS,
    COLUMNS(disruption_budgets_columns),
    .cells = cells_disruption_budget,
    .set_defaults = defaults_disruption_budget,
};
