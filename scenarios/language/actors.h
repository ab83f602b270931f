/* actors - who else there is beside the controllers: pods, chores of the cluster, servers, senders
 * of webhooks, and other controllers. Structs of scenario.h. */
#ifndef SCENARIOS_LANGUAGE_ACTORS_H
#define SCENARIOS_LANGUAGE_ACTORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/json.h"
#include "scenarios/language/problems.h"
#include "scenarios/language/reader.h"

/** How a pod ends, in the order of fakeapi/cluster/kubelet_script.h. */
enum pod_ending {
    POD_EXITS,
    POD_HANGS,
    POD_OUT_OF_MEMORY,
    POD_EVICTED,
    POD_IMAGE_PULL_FAILS,
    POD_NEVER_SCHEDULED,
    POD_NODE_LOST,
};

/** What a pod of an Agent does. The first script that fits is used. */
struct pod_script {
    struct place place;
    char *agent;   /* glob over Agent names */
    int64_t first; /* so many pods only; 0: all */
    int64_t starts_us;
    int64_t runs_us;
    int64_t stops_us;
    int64_t exit_code;
    int ending;
    int64_t recovers_us;  /* from what its ending says; -1: never */
    int64_t node_gone_us; /* its lost node is taken out; -1: never */
    char *log;
    int64_t log_every_us;
    int64_t log_late_us;
    char *container;
    int64_t others_run_us;
    int64_t others_exit;
    int64_t failures; /* so many runs of the container exit so; 0: all */
    bool log_gone;
    bool status_missing;
};

enum chore_switch { CHORE_AS_IT_IS = -1, CHORE_OFF, CHORE_ON };

/** What the cluster does behind its API; what is not said stays as it is. */
struct chores {
    struct place place;
    int job_controller; /* enum chore_switch, all of them */
    int kubelet;
    int collector;
    int ttl;
    int namespaces;
    int quota;
    int disruption;
    int64_t collector_delay_us; /* -1: as it is */
    int64_t ttl_after_us;
    int64_t storage_us;
};

/** What a server answers. All that is set must fit. */
struct server_answer {
    struct place place;
    char *method; /* NULL: any */
    char *path;   /* a glob, without the query; NULL: any */
    int64_t nth;  /* of the requests that fit the rest, from 1; 0: each */
    int64_t status;
    struct settings headers;
    char *body; /* NULL: none */
    int64_t delay_us;
    bool drop; /* the connection breaks instead */
};

struct server {
    struct place place;
    char *host;
    int64_t port;
    struct server_answer *answers;
    size_t answer_count;
};

/** A request from outside, as GitHub makes for a webhook when it has an event. */
struct send_action {
    struct place place;
    char *to; /* a process or a server */
    int64_t port;
    char *method;
    char *path;
    char *event;      /* NULL: not a webhook of GitHub's */
    char *delivery;   /* its id; NULL: none */
    char *redelivers; /* the delivery that is sent again, as it was */
    char *body;       /* NULL: none */
    char *secret;     /* of the signature; NULL: none */
    struct settings headers;
    bool no_answer;                     /* none comes */
    const struct send_action *original; /* what redelivers names */
};

/** Another controller, which wants a field otherwise. */
struct rival {
    struct place place;
    char *name; /* its host's, too */
    char *kind;
    char *api_version;
    char *namespace;
    char *object; /* a glob over names */
    bool status;
    struct json_object *merge; /* one of these */
    struct json_object *json;
    int64_t every_us; /* -1: at each change that makes it otherwise */
    int64_t after_us; /* so long after the change */
    int64_t times;    /* at most so many writes */
    const char *group;
    const char *version;
    const char *plural;
};

extern const struct key_table pod_table;
extern const struct key_table chores_table;
extern const struct key_table server_table;
extern const struct key_table send_table;
extern const struct key_table rival_table;

#endif
