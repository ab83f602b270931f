/* conditions - status.conditions and times in trees of objects. */
#ifndef FAKEAPI_CLUSTER_CONDITIONS_H
#define FAKEAPI_CLUSTER_CONDITIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/json.h"

/** The condition of that type in status.conditions; NULL when there is none. Borrowed. */
struct json_object *cluster_condition(const struct json_object *tree, const char *type);
/** Whether its status is "True". */
bool cluster_condition_holds(const struct json_object *tree, const char *type);

/** Sets a condition; its times change only when its status does. probed: it carries a
 * lastProbeTime too, as those of Jobs and pods do. reason and message may be NULL. */
void cluster_set_condition(struct json_object *tree, const char *type, const char *status,
                           const char *reason, const char *message, bool probed, int64_t now_us);

/** Sets a member to an instant. */
void cluster_set_time(struct json_object *object, const char *key, int64_t at_us);
/** Reads one; 0 when there is none. */
int64_t cluster_get_time(const struct json_object *object, const char *key);

#endif
