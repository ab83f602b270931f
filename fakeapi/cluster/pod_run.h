/* pod_run - one pod's life on the node: its state, its times, its log. */
#ifndef FAKEAPI_CLUSTER_POD_RUN_H
#define FAKEAPI_CLUSTER_POD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "controller/base/attributes.h"
#include "fakeapi/cluster/kubelet_script.h"
#include "fakeapi/rest/verbs.h"

enum pod_state {
    POD_NEW,
    POD_SCHEDULED, /* its containers are being made */
    POD_STUCK,     /* and will never run */
    POD_RUNNING,
    POD_ENDED,
};

struct pod_run {
    char *uid;
    char *namespace;
    char *name;
    char *container; /* whom the script is about */
    struct kubelet_script script;
    struct json_object *containers; /* of its spec: names and images */
    bool bound;                     /* to the node */
    int64_t deadline_seconds;       /* activeDeadlineSeconds; -1: none */
    uint64_t number;                /* for its address */
    enum pod_state state;
    int64_t next_elapsed_us;     /* when the state is over by itself; INT64_MAX: never */
    int64_t stop_elapsed_us;     /* when it is stopped, being deleted; INT64_MAX: it is not */
    int64_t deadline_elapsed_us; /* of activeDeadlineSeconds; INT64_MAX: none */
    bool stops_in_time;          /* before the grace period is over */
    int64_t started_at_us;       /* wall */
    int64_t ended_at_us;
    struct rest_log_line *lines; /* of the whole log; texts are the script's */
    size_t line_count;
    size_t lines_written;
    UT_hash_handle hh;
};

/** A run of a pod that was just seen. Takes script over. */
struct pod_run *pod_run_new(const char *uid, const char *namespace, const char *name,
                            struct kubelet_script *script, uint64_t number) MUST_CHECK;
void pod_run_free(struct pod_run *run);

/** Writes log lines: all but the last one, or the last one too. */
void pod_run_write_log(struct pod_run *run, bool last, int64_t now_us);

/** The log is lost: all there is to read is what the node says of that. */
void pod_run_lose_log(struct pod_run *run);

/** The earliest of its times. */
int64_t pod_run_due(const struct pod_run *run);

#endif
