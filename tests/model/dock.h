/* dock - the server itself, as it is shipped, in a simulated world where nothing takes time. */
#ifndef TESTS_MODEL_DOCK_H
#define TESTS_MODEL_DOCK_H

#include <stdbool.h>

#include "controller/base/buffer.h"
#include "controller/runtime/runtime.h"
#include "scenarios/sim/sim.h"
#include "tests/model/ask.h"

/** Where simulated time begins: 2024-06-01T00:00:00Z. */
#define DOCK_START_US INT64_C(1717200000000000)

struct dock {
    struct sim *sim;
    struct sim_process *api;
    struct sim_process *client;
};

/** A request on its way and what came of it. */
struct reply {
    struct exchange *exchange; /* NULL once it ended */
    unsigned status;           /* 0: no answer yet */
    bool json;
    struct json_object *warnings; /* texts; NULL: none */
    struct buffer body;           /* so far */
    bool ended;
    bool whole; /* ended as it should */
};

/** Starts a server that keeps so many events, its counter at that version. */
void dock_start(struct dock *dock, uint64_t seed, uint64_t history, uint64_t first_version);
void dock_free(struct dock *dock);
/** UTC. */
int64_t dock_now_us(const struct dock *dock);
/** Lets time go by; at least all that is due now happens. */
void dock_run(struct dock *dock, int64_t duration_us);
/** Sends; reply must stay where it is. dock_run() brings the answer. */
void dock_send(struct dock *dock, const struct ask *ask, struct reply *reply);
/** Sends and waits for the end. False when there is none. */
bool dock_call(struct dock *dock, const struct ask *ask, struct reply *reply);
/** As any client's would be: a POST of a body to a path. */
bool dock_post(struct dock *dock, const char *target, const char *body, struct reply *reply);
/** Forgets all events up to now. */
void dock_compact(struct dock *dock);
void reply_release(struct reply *reply);

#endif
