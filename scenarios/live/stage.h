/* stage - a cluster of real processes on this machine's loopback: fakeapi, and replicas of
 * agent-controller, as a scenario wants them. */
#ifndef SCENARIOS_LIVE_STAGE_H
#define SCENARIOS_LIVE_STAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/attributes.h"
#include "controller/base/error.h"
#include "scenarios/language/scenario.h"
#include "scenarios/live/caller.h"
#include "scenarios/live/child.h"

struct stage {
    const struct scenario *scenario;
    struct caller *caller;
    char *directory; /* of its own, with all logs */
    char *programs;  /* where fakeapi and agent-controller are */
    struct child api;
    struct child replicas[SCENARIO_REPLICAS_MAX];
    size_t replica_count;
    char *url; /* of the API server; NULL until it listens */
    char *admin_socket;
    char *user_token;
    char *secret; /* what all tokens of this run end in */
    int hold;     /* on the directory, by a lock: as long as this process lives; -1: none */
    struct caller_server server; /* as the person with kubectl asks it */
    struct caller_server admin;
};

/** Makes the directory and starts the API server with what the scenario has at its start. ERROR_IO,
 * ERROR_INVALID. stage_end() in any case. */
bool stage_begin(struct stage *stage, const struct scenario *scenario, const char *programs,
                 struct error *err) MUST_CHECK;
bool stage_start_replica(struct stage *stage, size_t index, struct error *err) MUST_CHECK;

/** "ctl-0" or "api"; NULL: there is none, as of roles. */
struct child *stage_find(struct stage *stage, const char *name);

/** Asks the server's admin door; an answer other than 2xx is ERROR_INVALID. */
bool stage_admin(struct stage *stage, const char *method, const char *path, const char *body,
                 struct buffer *ret_body, struct error *err) MUST_CHECK;
/** Adds a fault of the API server. */
bool stage_add_fault(struct stage *stage, const struct fault *fault, struct error *err) MUST_CHECK;

/** The last lines of every log, for a story. */
void stage_append_logs(const struct stage *stage, struct buffer *buffer);

/** Ends all processes and removes the directory. */
void stage_end(struct stage *stage);

#endif
