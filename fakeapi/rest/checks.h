/* checks - what built-in kinds refuse, on create (old is NULL) and on update (WIRE.md U9, K10). */
#ifndef FAKEAPI_REST_CHECKS_H
#define FAKEAPI_REST_CHECKS_H

#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

/** The spec of a pod against the one before, which differs. */
void check_pod_update(const struct json_object *spec, const struct json_object *before,
                      struct field_errors *errors);
void check_pod(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors);
void check_secret(const struct json_object *tree, const struct json_object *old,
                  struct field_errors *errors);
void check_config_map(const struct json_object *tree, const struct json_object *old,
                      struct field_errors *errors);
void check_job(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors);
void check_cron_job(const struct json_object *tree, const struct json_object *old,
                    struct field_errors *errors);
/** The same under the names of events.k8s.io/v1, where a new one needs more. */
void check_new_event(const struct json_object *tree, const struct json_object *old,
                     struct field_errors *errors);
void check_lease(const struct json_object *tree, const struct json_object *old,
                 struct field_errors *errors);
void check_service(const struct json_object *tree, const struct json_object *old,
                   struct field_errors *errors);
void check_role(const struct json_object *tree, const struct json_object *old,
                struct field_errors *errors);
void check_event(const struct json_object *tree, const struct json_object *old,
                 struct field_errors *errors);
void check_role_binding(const struct json_object *tree, const struct json_object *old,
                        struct field_errors *errors);
void check_workload(const struct json_object *tree, const struct json_object *old,
                    struct field_errors *errors);
/** R1 to R3, R6, R13: names, versions, schemas. */
void check_crd(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors);

/** What pods and pod templates have in common; path is of the spec. */
void check_pod_spec(const struct json_object *spec, const char *path, struct field_errors *errors);
/** That of a Job's pods. */
void check_job_restart_policy(const struct json_object *spec, const char *path,
                              struct field_errors *errors);
/** A Job's status, when it changes (K20). */
void check_job_status(const struct json_object *tree, const struct json_object *old,
                      struct field_errors *errors);
/** "must be greater than or equal to 0"; prefix is the path of the object. */
void check_not_negative(const struct json_object *object, const char *prefix, const char *key,
                        struct field_errors *errors);

#endif
