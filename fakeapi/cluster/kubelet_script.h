/* kubelet_script - what a pod will do: how it starts, how long it runs, what it logs, how it ends.
 *
 * Scripts come from a scenario, or from a pod's own annotations, which go first:
 *
 *     fakeapi/start-seconds: "2"     from being scheduled to running; fractions are fine
 *     fakeapi/run-seconds: "60"
 *     fakeapi/stop-seconds: "1"      from being told to stop to its end
 *     fakeapi/exit-code: "3"
 *     fakeapi/fail-times: "2"        so many runs exit with that code, those after them with 0
 *     fakeapi/ready-seconds: "1"     from running to ready
 *     fakeapi/init-seconds: "1"      how long each init container runs
 *     fakeapi/init-exit-code: "1"    of the last of them
 *     fakeapi/log: the whole log
 *     fakeapi/log-times: "20"        that text so many times: logs longer than an annotation may be
 *     fakeapi/termination-message: what the container leaves in /dev/termination-log
 *     fakeapi/container: which container all that is about
 *     fakeapi/ending: hang | oom | evict | image-pull | unschedulable | node-lost
 *     fakeapi/log-gone: "true"
 *     fakeapi/status-missing: "true" */
#ifndef FAKEAPI_CLUSTER_KUBELET_SCRIPT_H
#define FAKEAPI_CLUSTER_KUBELET_SCRIPT_H

#include <stdbool.h>
#include <stdint.h>

#include "controller/base/attributes.h"
#include "controller/base/json.h"

/** Longest log that fakeapi/log-times makes; it makes none that would be longer. */
#define KUBELET_SCRIPT_LOG_BYTES_MAX ((size_t)8 * 1024 * 1024)

/** A pod without a script runs for one second and exits 0, unless its containers are restarted
 * always: then it runs for ever. */
#define KUBELET_RUN_US INT64_C(1000000)
#define KUBELET_RUN_DEFAULT INT64_C(-1)

/** Longest time that can be asked for, in seconds: ten years. */
#define KUBELET_SECONDS_MAX 315360000

enum kubelet_ending {
    KUBELET_EXITS,
    KUBELET_HANGS,            /* runs until it is deleted */
    KUBELET_OUT_OF_MEMORY,    /* OOMKilled, 137 */
    KUBELET_EVICTED,          /* the node takes it down: phase Failed, reason Evicted */
    KUBELET_IMAGE_PULL_FAILS, /* ImagePullBackOff, for ever */
    KUBELET_NEVER_SCHEDULED,  /* Unschedulable, for ever */
    KUBELET_NODE_LOST,        /* its node goes silent: it is not ready, then deleted, and stays */
};

struct kubelet_script {
    int64_t start_us;
    int64_t run_us;    /* KUBELET_RUN_DEFAULT: as long as pods without a script */
    int64_t exit_code; /* 0 to 255; of KUBELET_EXITS */
    enum kubelet_ending ending;
    const char *log;        /* or NULL; lines but the last at the start, the last at the end */
    const char *container;  /* whose exit and log that is; NULL: "agent", or else the first */
    bool log_gone;          /* once it ended the node says of the log that it cannot be retrieved */
    bool status_missing;    /* once it ended there are no containerStatuses */
    int64_t stop_us;        /* from TERM to its end, if the grace period lasts that long */
    int64_t ready_us;       /* from running to ready */
    int64_t init_us;        /* how long each init container runs */
    int64_t init_exit_code; /* of the last one */
    int64_t fail_times;     /* so many runs exit with exit_code, later ones with 0; 0: all */
    const char *message;    /* termination message; or NULL */
};

#define KUBELET_SCRIPT_INIT                                                                        \
    {                                                                                              \
        .run_us = KUBELET_RUN_DEFAULT                                                              \
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
