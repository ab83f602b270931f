/* script - for tests: a simulated world with a client "ctl" and an API server "api" whose every
 * answer the test writes. All requests are told in one text, as "12.000 GET /path body". */
#ifndef TESTS_UNIT_KUBE_SCRIPT_H
#define TESTS_UNIT_KUBE_SCRIPT_H

#include <stdbool.h>
#include <stddef.h>

#include "controller/base/buffer.h"
#include "controller/base/json.h"
#include "controller/kube/kube.h"
#include "scenarios/sim/sim.h"

/** A request that arrived whole; borrowed for the callback. */
struct script_request {
    const char *method;
    const char *target;
    const struct request_head *head;
    const char *body; /* "" without one */
};

/** What to do with it; comes as a 200 without a body. The body is copied; the other texts must last
 * until the answer is sent. */
struct script_reply {
    unsigned status;
    const char *body;
    size_t body_size;         /* 0: strlen(body) */
    const char *content_type; /* NULL: application/json */
    const char *retry_after;  /* a Retry-After header; or NULL */
    int64_t delay_us;
    bool silent; /* never answer */
    bool stream; /* keep the answer open after body: script_write() and its kin */
    bool aside;  /* of a stream: only script_write_aside() writes to it */
};

struct script {
    struct sim *sim;
    struct sim_process *ctl;
    struct sim_process *api;
    struct runtime *rt; /* of ctl */
    struct kube *kube;
    struct listener *listener;
    void (*handle)(void *arg, const struct script_request *request, struct script_reply *reply);
    void *arg;
    struct buffer told;
    bool quiet;                        /* requests are not told: the handler does it */
    struct script_exchange *exchanges; /* not closed yet, newest last */
};

/** The world at 0 s, the server listening, a client configured by KUBE_API_URL. */
void script_init(struct script *script,
                 void (*handle)(void *arg, const struct script_request *request,
                                struct script_reply *reply),
                 void *arg);
/** Frees the client first, then the world. */
void script_release(struct script *script);

/** Runs all that is due until that true time, in seconds. */
void script_run(struct script *script, double until_s);

/** Adds to the open answer that was begun last; ends it; breaks it. */
void script_write(struct script *script, const char *text);
void script_write_aside(struct script *script, const char *text);
void script_end(struct script *script);
void script_break(struct script *script);
size_t script_open_count(const struct script *script);

/** Adds a line of the test's own to the story. */
void script_tell(struct script *script, const char *format, ...) PRINTF_LIKE(2, 3);
/** Compares the story so far, and begins a new one. */
void script_check(struct script *script, const char *want);

#endif
