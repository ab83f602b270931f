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
 *     fakeapi/log-every-seconds: "5" from one line to the next; the last one comes at the end
 *     fakeapi/log-late-seconds: "10" from its end until the last line can be read
 *     fakeapi/container: which container all that is about
 *     fakeapi/others-run-seconds: "9" how long the other containers run on after it
 *     fakeapi/others-exit-code: "1"  of theirs
 *     fakeapi/ending: hang | oom | evict | image-pull | unschedulable | node-lost
 *     fakeapi/recover-seconds: "60"  how long image-pull, unschedulable or node-lost lasts
 *     fakeapi/node-gone-seconds: "400" from its node's silence to the node's being taken out
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
#define KUBELET_NEVER INT64_C(-1)

/** Longest time that can be asked for, in seconds: ten years. */
#define KUBELET_SECONDS_MAX 315360000

enum kubelet_ending {
    KUBELET_EXITS,
    KUBELET_HANGS,            /* runs until it is deleted */
    KUBELET_OUT_OF_MEMORY,    /* OOMKilled, 137 */
    KUBELET_EVICTED,          /* the node takes it down: phase Failed, reason Evicted */
    KUBELET_IMAGE_PULL_FAILS, /* ImagePullBackOff, until it recovers */
    KUBELET_NEVER_SCHEDULED,  /* Unschedulable, until it recovers */
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
    int64_t recover_us;     /* how long IMAGE_PULL_FAILS, NEVER_SCHEDULED and NODE_LOST last; then
                             * it goes on and exits; KUBELET_NEVER: they do for ever */
    int64_t node_gone_us;   /* from NODE_LOST to the node's being taken out, and its pods with it;
                             * KUBELET_NEVER: it stays */
    int64_t log_every_us;   /* from one line to the next; 0: lines but the last at the start */
    int64_t log_late_us;    /* from its end until its last line can be read */
    int64_t others_run_us;  /* how long the other containers run on after it */
    int64_t others_exit_code;
};

#define KUBELET_SCRIPT_INIT                                                                        \
    {                                                                                              \
        .run_us = KUBELET_RUN_DEFAULT, .recover_us = KUBELET_NEVER, .node_gone_us = KUBELET_NEVER  \
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
