/* checks - what built-in kinds refuse, on create (old is NULL) and on update (WIRE.md U9, K10). */
#ifndef FAKEAPI_REST_CHECKS_H
#define FAKEAPI_REST_CHECKS_H

#include "controller/base/json.h"
#include "fakeapi/schema/field_error.h"

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
void check_lease(const struct json_object *tree, const struct json_object *old,
                 struct field_errors *errors);
void check_role_binding(const struct json_object *tree, const struct json_object *old,
                        struct field_errors *errors);
/** R1 to R3, R6, R13: names, versions, schemas. */
void check_crd(const struct json_object *tree, const struct json_object *old,
               struct field_errors *errors);

#endif
