/* aggregate - ClusterRoles that are put together from others, by their labels. */
#ifndef FAKEAPI_ACCESS_AGGREGATE_H
#define FAKEAPI_ACCESS_AGGREGATE_H

#include <stdbool.h>

#include "fakeapi/store/store.h"

/** Gives every ClusterRole with an aggregationRule the rules of those that it selects, in order of
 * their names, each rule once, and writes those that this changes. False when there was none: then
 * all is as it should be, until a ClusterRole changes. */
bool aggregate_roles(struct store *store);

#endif
