/* builtin_cells - the Table cells of built-in kinds (WIRE.md L15 to L19). */
#ifndef FAKEAPI_REST_BUILTIN_CELLS_H
#define FAKEAPI_REST_BUILTIN_CELLS_H

#include "fakeapi/rest/cells.h"

/** "k=v,k=v" sorted, or "<none>". */
void cells_add_map(struct cells *cells, struct json_object *map);
/** The texts of one member of each item of a list: "a,b". */
void cells_add_members(struct cells *cells, const struct json_object *list, const char *name);

void cells_pod(struct cells *cells, const struct json_object *tree);
void cells_job(struct cells *cells, const struct json_object *tree);
void cells_cron_job(struct cells *cells, const struct json_object *tree);
void cells_namespace(struct cells *cells, const struct json_object *tree);
void cells_secret(struct cells *cells, const struct json_object *tree);
void cells_config_map(struct cells *cells, const struct json_object *tree);
void cells_service(struct cells *cells, const struct json_object *tree);
void cells_service_account(struct cells *cells, const struct json_object *tree);
void cells_node(struct cells *cells, const struct json_object *tree);
void cells_event(struct cells *cells, const struct json_object *tree);
/** Of one under the names of events.k8s.io/v1. */
void cells_new_event(struct cells *cells, const struct json_object *tree);
void cells_lease(struct cells *cells, const struct json_object *tree);
void cells_resource_quota(struct cells *cells, const struct json_object *tree);
/** Name and Created At: roles, cluster roles, CRDs. */
void cells_created_at(struct cells *cells, const struct json_object *tree);
void cells_role_binding(struct cells *cells, const struct json_object *tree);

/* of kinds that are stored and no more (stored_cells.c) */
void cells_endpoints(struct cells *cells, const struct json_object *tree);
void cells_persistent_volume_claim(struct cells *cells, const struct json_object *tree);
void cells_daemon_set(struct cells *cells, const struct json_object *tree);
void cells_disruption_budget(struct cells *cells, const struct json_object *tree);
void cells_deployment(struct cells *cells, const struct json_object *tree);
void cells_replica_set(struct cells *cells, const struct json_object *tree);
void cells_stateful_set(struct cells *cells, const struct json_object *tree);
void cells_ingress(struct cells *cells, const struct json_object *tree);
void cells_network_policy(struct cells *cells, const struct json_object *tree);

#endif
