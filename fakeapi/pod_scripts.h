/* pod_scripts - what pods to come do, as one who runs a test tells it. */
#ifndef FAKEAPI_POD_SCRIPTS_H
#define FAKEAPI_POD_SCRIPTS_H

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "fakeapi/cluster/cluster.h"

/** Reads a JSON list of {"label": KEY, "value": GLOB, "first": N, "annotations": {...}}: pods whose
 * label is like that (all without one; only the first N) do as if these were annotations of theirs
 * (kubelet_script.h); the first script that fits counts, behind those from before. All are taken,
 * or none. cluster may be NULL: there is no cluster. ERROR_INVALID, ERROR_TOO_LARGE. */
bool pod_scripts_add(struct cluster *cluster, const char *text, size_t size,
                     struct error *err) MUST_CHECK;

#endif
