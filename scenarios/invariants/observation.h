/* observation - what the invariants see of a run: changes of the store, calls of the API, log
 * lines. Plain structs, borrowed for one call, so that a test can make any sequence by hand. */
#ifndef SCENARIOS_INVARIANTS_OBSERVATION_H
#define SCENARIOS_INVARIANTS_OBSERVATION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/json.h"

enum change_kind {
    CHANGE_PRESENT, /* there before the run began */
    CHANGE_ADDED,
    CHANGE_MODIFIED,
    CHANGE_DELETED,
};

/** One committed write of the API server's store. */
struct change {
    int64_t at_us; /* true time */
    enum change_kind kind;
    const char *plural;         /* "agents" */
    struct json_object *before; /* NULL when there was none */
    struct json_object *after;  /* NULL when it is gone */
};

/** A Kubernetes request path taken apart. Texts are "" where absent, never NULL. */
struct api_path {
    char group[64];
    char namespace[64];
    char plural[64]; /* "" when it is no path of a resource */
    char name[256];
    char subresource[32];
    bool watch;
};

/** Takes apart a request target; too long parts are cut. */
void api_path_parse(const char *target, struct api_path *ret_path);

enum call_stage {
    CALL_SENT,     /* the client sends it */
    CALL_ARRIVED,  /* the server's program is about to see it */
    CALL_ANSWERED, /* the server's program answers; status is there */
    CALL_RECEIVED, /* the client sees the answer's status */
    CALL_ENDED,    /* the client is done with it, well or not */
};

struct call {
    enum call_stage stage;
    int64_t at_us;
    uint64_t id; /* the same at every stage */
    const char *client;
    bool by_controller; /* the client is a replica of agent-controller */
    const char *method;
    const char *target;
    const struct api_path *path;
    const char *body; /* of the request, a NUL behind it; may be NULL */
    size_t body_size;
    unsigned status;    /* from CALL_ANSWERED on; 0 when there was no answer */
    const char *answer; /* CALL_ANSWERED: a whole body; may be NULL */
    size_t answer_size;
    int64_t asked_us; /* when the client decided to send it: before it was stopped, perhaps */
    int64_t asked_elapsed_us; /* that, on its own elapsed clock, which may run too fast or slow */
};

/** Whether the call would change an object. */
bool call_is_write(const struct call *call);

enum process_change { PROCESS_STARTED, PROCESS_ENDED };

#endif
