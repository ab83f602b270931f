/* budget - whether PodDisruptionBudgets let a pod be evicted (WIRE.md K31). */
#ifndef FAKEAPI_REST_BUDGET_H
#define FAKEAPI_REST_BUDGET_H

#include <stdbool.h>

#include "controller/base/attributes.h"
#include "fakeapi/rest/write.h"
#include "fakeapi/store/store.h"

/** Takes one of the disruptions that the pod's budget allows, if it needs one; nothing in a dry
 * run. False with a 429, or with the 500 of a pod that has two budgets. */
bool budget_take(struct write *write, const struct store_object *pod) MUST_CHECK;

/** Whether a budget is about a pod of its namespace: by spec.selector, {} is about all of them. */
bool budget_is_about(const struct json_object *budget, const struct store_object *pod);

#endif
