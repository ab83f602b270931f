/* pod_references - ConfigMaps and Secrets that a pod wants and that are not there (WIRE.md K25). */
#ifndef FAKEAPI_CLUSTER_POD_REFERENCES_H
#define FAKEAPI_CLUSTER_POD_REFERENCES_H

#include "controller/base/attributes.h"
#include "fakeapi/store/store.h"

/** The first thing that is missing. */
struct pod_missing {
    char *container; /* which cannot be made for it; NULL: a volume cannot be mounted */
    char *volume;
    char *message; /* configmap "x" not found */
};

void pod_missing_release(struct pod_missing *missing);

/** Whether something is missing; what is optional never is. */
bool pod_references_missing(const struct store *store, const struct store_object *pod,
                            struct pod_missing *ret_missing) MUST_CHECK;

#endif
