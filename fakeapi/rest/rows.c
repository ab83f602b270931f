/* rows - the built-in kinds. A new one is a row here, its cells, and what it defaults and checks.
 */
#include "fakeapi/rest/builtin_cells.h"
#include "fakeapi/rest/call.h"
#include "fakeapi/rest/checks.h"
#include "fakeapi/rest/defaults.h"
#include "fakeapi/rest/event_form.h"
#include "fakeapi/rest/kinds.h"
#include "fakeapi/rest/review.h"
#include "fakeapi/rest/row_columns.h"
#include "fakeapi/rest/stored_rows.h"

/* --- core --- */

static const struct kind_field namespace_fields[] = {
    {"status.phase", "status.phase", ""}
};
static const struct kind_column namespace_columns[] = {COLUMN_NAME, COLUMN("Status"), COLUMN_AGE};
static const struct kind_row namespaces = {
    .group = "",
    .version = "v1",
    .kind = "Namespace",
    .plural = "namespaces",
    .singular = "namespace",
    .short_names = "ns",
    .categories = "",
    .flags = KIND_STATUS | KIND_FINALIZE | KIND_NO_COLLECTION | KIND_NO_NAMESPACE_FIELD,
    .name_rule = NAME_LABEL,
    FIELDS(namespace_fields),
    COLUMNS(namespace_columns),
    .cells = cells_namespace,
    .set_defaults = defaults_namespace,
};

static const struct kind_field pod_fields[] = {
    {"spec.nodeName",            "spec.nodeName",            ""     },
    {"spec.host",                "spec.nodeName",            ""     },
    {"spec.restartPolicy",       "spec.restartPolicy",       ""     },
    {"spec.schedulerName",       "spec.schedulerName",       ""     },
    {"spec.serviceAccountName",  "spec.serviceAccountName",  ""     },
    {"spec.hostNetwork",         "spec.hostNetwork",         "false"},
    {"status.phase",             "status.phase",             ""     },
    {"status.podIP",             "status.podIP",             ""     },
    {"status.podIPs",            "status.podIP",             ""     },
    {"status.nominatedNodeName", "status.nominatedNodeName", ""     },
};
static const struct kind_column pod_columns[] = {
    COLUMN_NAME,
    COLUMN("Ready"),
    COLUMN("Status"),
    COLUMN("Restarts"),
    COLUMN_AGE,
    COLUMN_WIDE("IP"),
    COLUMN_WIDE("Node"),
    COLUMN_WIDE("Nominated Node"),
    COLUMN_WIDE("Readiness Gates"),
};
static const struct kind_row pods = {
    .group = "",
    .version = "v1",
    .kind = "Pod",
    .plural = "pods",
    .singular = "pod",
    .short_names = "po",
    .categories = "all",
    .flags =
        KIND_NAMESPACED | KIND_STATUS | KIND_DELETE_SHOWS | KIND_GRACEFUL | KIND_LOG | KIND_APART,
    .name_rule = NAME_SUBDOMAIN,
    FIELDS(pod_fields),
    COLUMNS(pod_columns),
    .cells = cells_pod,
    .set_defaults = defaults_pod,
    .check = check_pod,
};

static const struct kind_field secret_fields[] = {
    {"type", "type", ""}
};
static const struct kind_column secret_columns[] = {COLUMN_NAME, COLUMN("Type"), COLUMN("Data"),
                                                    COLUMN_AGE};
static const struct kind_row secrets = {
    .group = "",
    .version = "v1",
    .kind = "Secret",
    .plural = "secrets",
    .singular = "secret",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED,
    FIELDS(secret_fields),
    COLUMNS(secret_columns),
    .cells = cells_secret,
    .set_defaults = defaults_secret,
    .check = check_secret,
};

static const struct kind_column config_map_columns[] = {COLUMN_NAME, COLUMN("Data"), COLUMN_AGE};
static const struct kind_row config_maps = {
    .group = "",
    .version = "v1",
    .kind = "ConfigMap",
    .plural = "configmaps",
    .singular = "configmap",
    .short_names = "cm",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_STRICT_FIELDS,
    COLUMNS(config_map_columns),
    .cells = cells_config_map,
    .check = check_config_map,
};

static const struct kind_column service_account_columns[] = {COLUMN_NAME, COLUMN("Secrets"),
                                                             COLUMN_AGE};
static const struct kind_row service_accounts = {
    .group = "",
    .version = "v1",
    .kind = "ServiceAccount",
    .plural = "serviceaccounts",
    .singular = "serviceaccount",
    .short_names = "sa",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_DELETE_SHOWS | KIND_STRICT_FIELDS | KIND_TOKEN,
    COLUMNS(service_account_columns),
    .cells = cells_service_account,
    .set_defaults = defaults_service_account,
};

static const struct kind_field service_fields[] = {
    {"spec.clusterIP", "spec.clusterIP", ""},
    {"spec.type",      "spec.type",      ""}
};
static const struct kind_column service_columns[] = {
    COLUMN_NAME,       COLUMN("Type"), COLUMN("Cluster-IP"),   COLUMN("External-IP"),
    COLUMN("Port(s)"), COLUMN_AGE,     COLUMN_WIDE("Selector")};
static const struct kind_row services = {
    .group = "",
    .version = "v1",
    .kind = "Service",
    .plural = "services",
    .singular = "service",
    .short_names = "svc",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_DELETE_SHOWS,
    .name_rule = NAME_DNS1035,
    FIELDS(service_fields),
    COLUMNS(service_columns),
    .cells = cells_service,
    .set_defaults = defaults_service,
    .check = check_service,
};

static const struct kind_field event_fields[] = {
    {"involvedObject.kind",            "involvedObject.kind",            ""},
    {"involvedObject.namespace",       "involvedObject.namespace",       ""},
    {"involvedObject.name",            "involvedObject.name",            ""},
    {"involvedObject.uid",             "involvedObject.uid",             ""},
    {"involvedObject.apiVersion",      "involvedObject.apiVersion",      ""},
    {"involvedObject.resourceVersion", "involvedObject.resourceVersion", ""},
    {"involvedObject.fieldPath",       "involvedObject.fieldPath",       ""},
    {"reason",                         "reason",                         ""},
    {"reportingComponent",             "reportingComponent",             ""},
    {"source",                         "source.component",               ""},
    {"type",                           "type",                           ""},
};
static const struct kind_column event_columns[] = {
    {.name = "Last Seen", .type = "string"},
    COLUMN("Type"),
    COLUMN("Reason"),
    COLUMN("Object"),
    COLUMN_WIDE("Subobject"),
    COLUMN_WIDE("Source"),
    COLUMN("Message"),
    COLUMN_WIDE("First Seen"),
    COLUMN_WIDE("Count"),
    { .name = "Name", .type = "string",      .format = "name", .priority = 1},
};
static const struct kind_row events = {
    .group = "",
    .version = "v1",
    .kind = "Event",
    .plural = "events",
    .singular = "event",
    .short_names = "ev",
    .categories = "",
    .flags = KIND_FREE_FINALIZERS | KIND_NAMESPACED | KIND_CREATE_ON_UPDATE,
    FIELDS(event_fields),
    COLUMNS(event_columns),
    .cells = cells_event,
    .set_defaults = event_form_complete,
    .check = check_event,
};

/* The same objects under other names (S9); fields in the order of event_fields. */
static const struct kind_field new_event_fields[] = {
    {"regarding.kind",            "involvedObject.kind",            ""},
    {"regarding.namespace",       "involvedObject.namespace",       ""},
    {"regarding.name",            "involvedObject.name",            ""},
    {"regarding.uid",             "involvedObject.uid",             ""},
    {"regarding.apiVersion",      "involvedObject.apiVersion",      ""},
    {"regarding.resourceVersion", "involvedObject.resourceVersion", ""},
    {"regarding.fieldPath",       "involvedObject.fieldPath",       ""},
    {"reason",                    "reason",                         ""},
    {"reportingController",       "reportingComponent",             ""},
    {"deprecatedSource",          "source.component",               ""},
    {"type",                      "type",                           ""},
};
static const struct kind_row new_events = {
    .group = "events.k8s.io",
    .version = "v1",
    .kind = "Event",
    .plural = "events",
    .singular = "event",
    .short_names = "ev",
    .categories = "",
    .flags = KIND_FREE_FINALIZERS | KIND_NAMESPACED | KIND_CREATE_ON_UPDATE,
    FIELDS(new_event_fields),
    COLUMNS(event_columns),
    .cells = cells_new_event,
    .check = check_new_event,
    .twin = &events,
    .show = event_form_show,
    .store = event_form_store,
};

static const struct kind_field node_fields[] = {
    {"spec.unschedulable", "spec.unschedulable", "false"}
};
static const struct kind_column node_columns[] = {
    COLUMN_NAME,
    COLUMN("Status"),
    COLUMN("Roles"),
    COLUMN_AGE,
    COLUMN("Version"),
    COLUMN_WIDE("Internal-IP"),
    COLUMN_WIDE("External-IP"),
    COLUMN_WIDE("OS-Image"),
    COLUMN_WIDE("Kernel-Version"),
    COLUMN_WIDE("Container-Runtime"),
};
static const struct kind_row nodes = {
    .group = "",
    .version = "v1",
    .kind = "Node",
    .plural = "nodes",
    .singular = "node",
    .short_names = "no",
    .categories = "",
    .flags = KIND_STATUS | KIND_NO_NAMESPACE_FIELD | KIND_KEEPS_STATUS,
    FIELDS(node_fields),
    COLUMNS(node_columns),
    .cells = cells_node,
};

static const struct kind_column quota_columns[] = {COLUMN_NAME, COLUMN("Request"), COLUMN("Limit"),
                                                   COLUMN_AGE};
static const struct kind_row resource_quotas = {
    .group = "",
    .version = "v1",
    .kind = "ResourceQuota",
    .plural = "resourcequotas",
    .singular = "resourcequota",
    .short_names = "quota",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_DELETE_SHOWS | KIND_STRICT_FIELDS,
    COLUMNS(quota_columns),
    .cells = cells_resource_quota,
};

static const struct kind_column created_at_columns[] = {COLUMN_NAME, COLUMN_CREATED_AT};
static const struct kind_row limit_ranges = {
    .group = "",
    .version = "v1",
    .kind = "LimitRange",
    .plural = "limitranges",
    .singular = "limitrange",
    .short_names = "limits",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
};

/* --- batch --- */

static const struct kind_field job_fields[] = {
    {"status.successful", "status.succeeded", "0"}
};
static const struct kind_column job_columns[] = {
    COLUMN_NAME, COLUMN("Status"),          COLUMN("Completions"), COLUMN("Duration"),
    COLUMN_AGE,  COLUMN_WIDE("Containers"), COLUMN_WIDE("Images"), COLUMN_WIDE("Selector"),
};
static const struct kind_row jobs = {
    .group = "batch",
    .version = "v1",
    .kind = "Job",
    .plural = "jobs",
    .singular = "job",
    .short_names = "",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_ORPHANS | KIND_APART |
             KIND_STATUS_CHECKED,
    FIELDS(job_fields),
    .selected_as = "Job",
    COLUMNS(job_columns),
    .cells = cells_job,
    .set_defaults = defaults_job,
    .check = check_job,
};

static const struct kind_column cron_job_columns[] = {
    COLUMN_NAME,
    COLUMN("Schedule"),
    COLUMN("Timezone"),
    COLUMN_BOOLEAN("Suspend"),
    COLUMN_INTEGER("Active"),
    COLUMN("Last Schedule"),
    COLUMN_AGE,
    COLUMN_WIDE("Containers"),
    COLUMN_WIDE("Images"),
    COLUMN_WIDE("Selector"),
};
static const struct kind_row cron_jobs = {
    .group = "batch",
    .version = "v1",
    .kind = "CronJob",
    .plural = "cronjobs",
    .singular = "cronjob",
    .short_names = "cj",
    .categories = "all",
    .flags = KIND_NAMESPACED | KIND_STATUS | KIND_GENERATION | KIND_STRICT_FIELDS,
    COLUMNS(cron_job_columns),
    .cells = cells_cron_job,
    .set_defaults = defaults_cron_job,
    .check = check_cron_job,
};

/* --- coordination, apiextensions, rbac --- */

static const struct kind_column lease_columns[] = {COLUMN_NAME, COLUMN("Holder"), COLUMN_AGE};
static const struct kind_row leases = {
    .group = "coordination.k8s.io",
    .version = "v1",
    .kind = "Lease",
    .plural = "leases",
    .singular = "lease",
    .short_names = "",
    .categories = "",
    .flags = KIND_FREE_FINALIZERS | KIND_NAMESPACED | KIND_NEEDS_REVISION | KIND_CREATE_ON_UPDATE |
             KIND_STRICT_FIELDS,
    COLUMNS(lease_columns),
    .cells = cells_lease,
    .set_defaults = defaults_lease,
    .check = check_lease,
};

static const struct kind_row custom_resource_definitions = {
    .group = "apiextensions.k8s.io",
    .version = "v1",
    .kind = "CustomResourceDefinition",
    .plural = "customresourcedefinitions",
    .singular = "customresourcedefinition",
    .short_names = "crd crds",
    .categories = "api-extensions",
    .flags = KIND_FREE_FINALIZERS | KIND_STATUS | KIND_GENERATION | KIND_NEEDS_REVISION |
             KIND_STRICT_FIELDS,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .set_defaults = defaults_crd,
    .check = check_crd,
};

static const struct kind_row roles = {
    .group = "rbac.authorization.k8s.io",
    .version = "v1",
    .kind = "Role",
    .plural = "roles",
    .singular = "role",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    .name_rule = NAME_PATH_SEGMENT,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .set_defaults = defaults_role,
    .check = check_role,
};

static const struct kind_row cluster_roles = {
    .group = "rbac.authorization.k8s.io",
    .version = "v1",
    .kind = "ClusterRole",
    .plural = "clusterroles",
    .singular = "clusterrole",
    .short_names = "",
    .categories = "",
    .flags = KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    .name_rule = NAME_PATH_SEGMENT,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .set_defaults = defaults_role,
    .check = check_role,
};

static const struct kind_column role_binding_columns[] = {
    COLUMN_NAME,          COLUMN("Role"),        COLUMN_AGE,
    COLUMN_WIDE("Users"), COLUMN_WIDE("Groups"), COLUMN_WIDE("ServiceAccounts"),
};
static const struct kind_row role_bindings = {
    .group = "rbac.authorization.k8s.io",
    .version = "v1",
    .kind = "RoleBinding",
    .plural = "rolebindings",
    .singular = "rolebinding",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    .name_rule = NAME_PATH_SEGMENT,
    COLUMNS(role_binding_columns),
    .cells = cells_role_binding,
    .set_defaults = defaults_role_binding,
    .check = check_role_binding,
};

static const struct kind_row cluster_role_bindings = {
    .group = "rbac.authorization.k8s.io",
    .version = "v1",
    .kind = "ClusterRoleBinding",
    .plural = "clusterrolebindings",
    .singular = "clusterrolebinding",
    .short_names = "",
    .categories = "",
    .flags = KIND_CREATE_ON_UPDATE | KIND_STRICT_FIELDS,
    .name_rule = NAME_PATH_SEGMENT,
    COLUMNS(role_binding_columns),
    .cells = cells_role_binding,
    .set_defaults = defaults_role_binding,
    .check = check_role_binding,
};

/* --- questions --- */

static const struct kind_row bindings = {
    .group = "",
    .version = "v1",
    .kind = "Binding",
    .plural = "bindings",
    .singular = "binding",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .serve = call_bind_named,
};

static const struct kind_row self_subject_reviews = {
    .group = "authentication.k8s.io",
    .version = "v1",
    .kind = "SelfSubjectReview",
    .plural = "selfsubjectreviews",
    .singular = "selfsubjectreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_self,
};

static const struct kind_row token_reviews = {
    .group = "authentication.k8s.io",
    .version = "v1",
    .kind = "TokenReview",
    .plural = "tokenreviews",
    .singular = "tokenreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_token,
};

static const struct kind_row local_subject_access_reviews = {
    .group = "authorization.k8s.io",
    .version = "v1",
    .kind = "LocalSubjectAccessReview",
    .plural = "localsubjectaccessreviews",
    .singular = "localsubjectaccessreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NAMESPACED | KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_local_access,
};

static const struct kind_row self_subject_access_reviews = {
    .group = "authorization.k8s.io",
    .version = "v1",
    .kind = "SelfSubjectAccessReview",
    .plural = "selfsubjectaccessreviews",
    .singular = "selfsubjectaccessreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_own_access,
};

static const struct kind_row self_subject_rules_reviews = {
    .group = "authorization.k8s.io",
    .version = "v1",
    .kind = "SelfSubjectRulesReview",
    .plural = "selfsubjectrulesreviews",
    .singular = "selfsubjectrulesreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_own_rules,
};

static const struct kind_row subject_access_reviews = {
    .group = "authorization.k8s.io",
    .version = "v1",
    .kind = "SubjectAccessReview",
    .plural = "subjectaccessreviews",
    .singular = "subjectaccessreview",
    .short_names = "",
    .categories = "",
    .flags = KIND_NO_COLLECTION,
    COLUMNS(created_at_columns),
    .cells = cells_created_at,
    .review = review_access,
};

const struct kind_row *const kind_rows[] = {
    &bindings,
    &config_maps,
    &events,
    &limit_ranges,
    &namespaces,
    &nodes,
    &pods,
    &resource_quotas,
    &secrets,
    &service_accounts,
    &services,
    &custom_resource_definitions,
    &cron_jobs,
    &jobs,
    &leases,
    &new_events,
    &cluster_role_bindings,
    &cluster_roles,
    &role_bindings,
    &roles,
    &self_subject_reviews,
    &token_reviews,
    &local_subject_access_reviews,
    &self_subject_access_reviews,
    &self_subject_rules_reviews,
    &subject_access_reviews,
    &endpoints_row,
    &persistent_volume_claims_row,
    &daemon_sets_row,
    &deployments_row,
    &replica_sets_row,
    &stateful_sets_row,
    &ingresses_row,
    &network_policies_row,
    &disruption_budgets_row,
};

const size_t kind_row_count = ARRAY_SIZE(kind_rows);
