/* defaults - what the server fills in for built-in kinds (WIRE.md C21, C22, K10).
 *
 * Each is called with the new object on create (old is NULL) and on update; metadata is complete,
 * uid included. All are idempotent. */
#ifndef FAKEAPI_REST_DEFAULTS_H
#define FAKEAPI_REST_DEFAULTS_H

#include "controller/base/json.h"

void defaults_namespace(struct json_object *tree, const struct json_object *old);
void defaults_pod(struct json_object *tree, const struct json_object *old);
void defaults_secret(struct json_object *tree, const struct json_object *old);
void defaults_service(struct json_object *tree, const struct json_object *old);
void defaults_job(struct json_object *tree, const struct json_object *old);
void defaults_cron_job(struct json_object *tree, const struct json_object *old);
void defaults_crd(struct json_object *tree, const struct json_object *old);
void defaults_lease(struct json_object *tree, const struct json_object *old);
void defaults_role(struct json_object *tree, const struct json_object *old);
void defaults_role_binding(struct json_object *tree, const struct json_object *old);
void defaults_service_account(struct json_object *tree, const struct json_object *old);
/** A status that is there, though empty. */
void defaults_disruption_budget(struct json_object *tree, const struct json_object *old);
void defaults_status(struct json_object *tree, const struct json_object *old);
void defaults_persistent_volume_claim(struct json_object *tree, const struct json_object *old);
void defaults_daemon_set(struct json_object *tree, const struct json_object *old);
void defaults_deployment(struct json_object *tree, const struct json_object *old);
void defaults_replica_set(struct json_object *tree, const struct json_object *old);
void defaults_stateful_set(struct json_object *tree, const struct json_object *old);
void defaults_network_policy(struct json_object *tree, const struct json_object *old);

/** What a pod template lacks. */
void defaults_pod_template(struct json_object *template);

#endif
