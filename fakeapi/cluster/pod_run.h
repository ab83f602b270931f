/* pod_run - one pod's life on the node: its containers, its times, its log. */
#ifndef FAKEAPI_CLUSTER_POD_RUN_H
#define FAKEAPI_CLUSTER_POD_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <uthash.h>

#include "controller/base/attributes.h"
#include "fakeapi/cluster/kubelet_script.h"
#include "fakeapi/rest/verbs.h"
#include "fakeapi/store/store.h"

/** First wait before a container is started again, but for the first time, and the longest; one
 * that ran for so long is as good as new (K27). */
#define POD_BACKOFF_FIRST_US (10 * INT64_C(1000000))
#define POD_BACKOFF_LONGEST_US (300 * INT64_C(1000000))
#define POD_BACKOFF_FORGOTTEN_US (600 * INT64_C(1000000))

enum pod_state {
    POD_NEW,         /* not on the node yet, or not looked at */
    POD_UNSCHEDULED, /* no node takes it, for now or for ever */
    POD_SCHEDULED,   /* its containers are being made */
    POD_BLOCKED,     /* what its containers refer to is not there: looked at again */
    POD_STUCK,       /* and will never run */
    POD_INITIALIZING,
    POD_RUNNING,
    POD_CRASHED,  /* the container that the script is about waits to be started again */
    POD_LOST,     /* nothing is heard of its node */
    POD_OUTLIVED, /* the container that the script is about has ended, others run on */
    POD_ENDED,
};

enum container_role { CONTAINER_MAIN, CONTAINER_INIT, CONTAINER_SIDECAR };
enum container_state { CONTAINER_WAITS, CONTAINER_RUNS, CONTAINER_ENDED };

/** How a run of a container ended. */
struct container_end {
    bool there;
    int64_t exit_code;
    const char *reason; /* constant; NULL: Completed or Error, by the code */
    bool says;          /* with the script's termination message */
    int64_t started_at_us;
    int64_t ended_at_us;
};

struct pod_container {
    char *name;
    char *image;
    bool pulls; /* its image each time */
    enum container_role role;
    enum container_state state;
    const char *waiting; /* constant: the reason */
    char *message;       /* of waiting; or NULL */
    bool ready;
    int64_t restarts;
    int64_t started_at_us;
    struct container_end end;  /* of this run, when it is over */
    struct container_end last; /* of the run before */
};

enum restart_policy { RESTART_ALWAYS, RESTART_ON_FAILURE, RESTART_NEVER };

struct pod_run {
    char *uid;
    char *namespace;
    char *name;
    struct kubelet_script script;
    struct pod_container *containers; /* those of spec.initContainers first, in their order */
    size_t container_count;
    size_t main; /* the one that the script is about; container_count: there is none */
    enum restart_policy restarts;
    bool bound;               /* to the node */
    bool others_schedule;     /* another scheduler, or a gate, has it */
    int64_t deadline_seconds; /* activeDeadlineSeconds; -1: none */
    uint64_t number;          /* for its address */
    enum pod_state state;
    size_t initializing;         /* the init container that runs */
    int64_t next_elapsed_us;     /* when the state is over by itself; INT64_MAX: never */
    int64_t stop_elapsed_us;     /* when it is stopped, being deleted; INT64_MAX: it is not */
    int64_t deadline_elapsed_us; /* of activeDeadlineSeconds; INT64_MAX: none */
    int64_t ready_elapsed_us;    /* when it becomes ready; INT64_MAX: it is, or never */
    int64_t log_elapsed_us;      /* when more of its log can be read; INT64_MAX: by no time */
    int64_t back_elapsed_us; /* when its lost node is back; INT64_MAX: it is not lost, or never */
    int64_t gone_elapsed_us; /* when its lost node is taken out, likewise */
    bool recovered;          /* from what kept it from running */
    bool stops_in_time;      /* before the grace period is over */
    int64_t started_at_us;   /* wall; status.startTime */
    int64_t backoff_us;      /* the last wait; 0: it was never started again */
    struct rest_log_line *lines; /* of the whole log; texts are the script's */
    size_t line_count;
    size_t lines_written;
    struct rest_log_line *previous; /* of the run before */
    size_t previous_count;
    UT_hash_handle hh;
};

/** A run of a pod that was just seen. Takes script over. */
struct pod_run *pod_run_new(const struct store_object *pod, struct kubelet_script *script,
                            uint64_t number) MUST_CHECK;
void pod_run_free(struct pod_run *run);

/** Reads what may change of its spec: its node, its deadline, its gates. */
void pod_run_read_spec(struct pod_run *run, const struct store_object *pod);

/** Takes another script, whose texts are taken over; the log so far stays as it is. */
void pod_run_set_script(struct pod_run *run, struct kubelet_script *script);

/** Sets what a run is when its pod runs on a node already, by its status. Times are wall times but
 * for those that are said to be elapsed. */
void pod_run_restore(struct pod_run *run, const struct store_object *pod, int64_t now_us,
                     int64_t elapsed_us);
/** The same for one that is over: what it left, its whole log among it. */
void pod_run_restore_ended(struct pod_run *run, const struct store_object *pod, int64_t now_us);

/** The container that the script is about; NULL when the pod has none. */
struct pod_container *pod_run_main(const struct pod_run *run);
/** One of that name; NULL when there is none. */
const struct pod_container *pod_run_container(const struct pod_run *run, const char *name);
/** How its script ends; a pod that has recovered exits. */
enum kubelet_ending pod_run_ending(const struct pod_run *run);
/** How long the container runs when it is not disturbed; INT64_MAX: for ever. */
int64_t pod_run_length(const struct pod_run *run);
/** How the run of the container that is going on will end, by the script. */
int64_t pod_run_exit_code(const struct pod_run *run);

void pod_container_wait(struct pod_container *container, const char *reason, char *message);
void pod_container_start(struct pod_container *container, int64_t now_us);
void pod_container_end(struct pod_container *container, const struct container_end *end);

/** Writes log lines: all but the last one, or the last one too. */
void pod_run_write_log(struct pod_run *run, bool last, int64_t now_us);
/** Writes the next line, but never the last one; whether there is another one to write so. */
bool pod_run_write_line(struct pod_run *run, int64_t now_us);
/** What was written becomes the previous log. */
void pod_run_turn_log(struct pod_run *run);
/** The log is lost: all there is to read is what the node says of that. */
void pod_run_lose_log(struct pod_run *run, int64_t now_us);

/** The earliest of its elapsed times. */
int64_t pod_run_due(const struct pod_run *run);

#endif
