/* kubelet_script - what a pod will do: how it starts, how long it runs, what it logs, how it ends.
 *
 * Scripts come from a scenario, or from a pod's own annotations, which go first:
 *
 *     fakeapi/start-seconds: "2"     from being scheduled to running; fractions are fine
 *     fakeapi/run-seconds: "60"
 *     fakeapi/stop-seconds: "1"      from being told to stop to its end
 *     fakeapi/exit-code: "3"
 *     fakeapi/log: the whole log
 *     fakeapi/container: which container all that is about
 *     fakeapi/ending: hang | oom | evict | image-pull | unschedulable
 *     fakeapi/log-gone: "true"
 *     fakeapi/status-missing: "true" */
#ifndef FAKEAPI_CLUSTER_KUBELET_SCRIPT_H
#define FAKEAPI_CLUSTER_KUBELET_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** A pod without a script runs for one second and exits 0. */
#define KUBELET_RUN_US INT64_C(1000000)

/** Longest time that can be asked for, in seconds: ten years. */
#define KUBELET_SECONDS_MAX 315360000

enum kubelet_ending {
    KUBELET_EXITS,
    KUBELET_HANGS,            /* runs until it is deleted */
    KUBELET_OUT_OF_MEMORY,    /* OOMKilled, 137 */
    KUBELET_EVICTED,          /* the node takes it down: phase Failed, reason Evicted */
    KUBELET_IMAGE_PULL_FAILS, /* ImagePullBackOff, for ever */
    KUBELET_NEVER_SCHEDULED,  /* Unschedulable, for ever */
};

struct kubelet_script {
    int64_t start_us;
    int64_t run_us;
    int64_t exit_code; /* 0 to 255; of KUBELET_EXITS */
    enum kubelet_ending ending;
    const char *log;       /* or NULL; lines but the last at the start, the last at the end */
    const char *container; /* whose exit and log that is; NULL: "agent", or else the first */
    bool log_gone;         /* once it ended the node says of the log that it cannot be retrieved */
    bool status_missing;   /* once it ended there are no containerStatuses */
    int64_t stop_us;       /* from TERM to its end, if the grace period lasts that long */
};

#define KUBELET_SCRIPT_INIT                                                                        \
    {                                                                                              \
        .run_us = KUBELET_RUN_US                                                                   \
    }

/** Which pods a script is for. Globs; NULL: any. */
struct kubelet_match {
    const char *namespace;
    const char *name;
    const char *label; /* key of a label, whose value is like */
    const char *label_value;
    uint64_t count; /* only so many pods, the first ones; 0: all */
};

/** A deep copy; kubelet_script_release() it. */
struct kubelet_script kubelet_script_copy(const struct kubelet_script *script) MUST_CHECK;
void kubelet_script_release(struct kubelet_script *script);

/** Writes what a pod's annotations say over script, which owns its texts. What is no value there
 * is passed over. */
void kubelet_script_annotate(struct kubelet_script *script, const struct json_object *annotations);

#endif
