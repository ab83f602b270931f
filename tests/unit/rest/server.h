/* server - the API server in a simulated world, and a client that the test plays. */
#ifndef TESTS_UNIT_REST_SERVER_H
#define TESTS_UNIT_REST_SERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "controller/runtime/runtime.h"
#include "fakeapi/fakeapi.h"
#include "scenarios/sim/sim.h"

struct server {
    struct sim *sim;
    struct sim_process *api;
    struct sim_process *client;
};

/** A world with a server of these flags (besides --listen and --no-cluster); NULL ends them. */
void server_start(struct server *server, ...) __attribute__((sentinel));
void server_free(struct server *server);
/** What fakeapi.h's accessors want. */
void *server_root(const struct server *server);
/** Lets virtual time go by. */
void server_run(struct server *server, int64_t duration_us);

/** A request as it goes, and what came of it. */
struct reply {
    struct exchange *exchange; /* NULL once it ended */
    unsigned status;
    char content_type[160];
    char warning[1024]; /* the last one */
    char retry_after[16];
    char etag[80];
    struct buffer body;
    bool ended;
    enum exchange_end end;
};

struct ask {
    const char *method; /* NULL: GET */
    const char *target;
    const char *accept;
    const char *content_type;
    const char *authorization;
    const char *if_none_match;
    const char *body;
    bool admin;         /* goes to --admin 127.0.0.1:81, from the server's own machine */
    const char *origin; /* as a browser says for a page */
    const char *as;     /* Impersonate-User */
    const char *as_group;
};

/** Sends and does not wait. reply must outlive the exchange. */
void server_send(struct server *server, const struct ask *ask, struct reply *reply);
/** Sends and waits for the end. */
void server_call(struct server *server, const struct ask *ask, struct reply *reply);
void reply_release(struct reply *reply);

/** One line of a story: what is asked, and what of the answer is looked at. */
struct line {
    const char *name;   /* what it shows; rule ids */
    const char *method; /* NULL: GET */
    const char *target;
    const char *body;
    unsigned status;
    const char *want;   /* must be in the body; NULL: anything */
    const char *refuse; /* must not be in it; NULL: nothing */
    bool admin;         /* as in struct ask */
};

/** Tells a story, and fails the test where it goes wrong. PATCH bodies are merge patches, or JSON
 * patches when they begin with '['. */
void server_tell(struct server *server, const struct line *lines, size_t count);

/** The body parsed; json_object_put() it. */
struct json_object *reply_tree(const struct reply *reply);

#endif
