/* delivery_world - a delivery over the simulated network, and two sinks that do as told. */
#ifndef TESTS_UNIT_SINKS_DELIVERY_WORLD_H
#define TESTS_UNIT_SINKS_DELIVERY_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "controller/base/buffer.h"
#include "controller/sinks/delivery.h"
#include "scenarios/sim/sim.h"

/** Room for what is told, and for what is logged. */
#define TOLD_BYTES_MAX (1024 * 1024)

/** What a sink does with an event that it has read. */
enum deed { ANSWER, SILENCE, RESET, HANG, FLOOD, LATE };

struct sink {
    struct delivery_world *world;
    struct sim_process *process;
    struct listener *listener;
    enum deed deed;
    unsigned status;
    const char *location;
    struct request *request;
    struct buffer body;
    char *peers; /* of all requests, one after the other */
};

struct delivery_world {
    struct sim *sim;
    struct sim_process *ctl;
    struct sink a; /* on http://a */
    struct sink b;
    struct delivery *delivery;
    struct buffer told; /* what sinks got: "a:1|b:2|" */
    struct buffer logged;
    bool stopped;
    bool free_when_stopped;
    int64_t stopped_us;
};

/** A cmocka set-up and tear-down; *state is the world. Both sinks listen and answer 200. */
int delivery_world_set_up(void **state);
int delivery_world_tear_down(void **state);

void delivery_world_run(struct delivery_world *world, int64_t until_us);

/** Adds an event for that URL, with a header that holds SECRET. */
void delivery_world_send_bytes(struct delivery_world *world, const char *url, const void *bytes,
                               size_t size);
void delivery_world_send(struct delivery_world *world, const char *url, const char *text);

/** What the sinks got so far, and the counts; and that nobody has logged SECRET. */
void delivery_world_check(struct delivery_world *world, const char *told, uint64_t delivered,
                          uint64_t failed, uint64_t dropped);
bool delivery_world_has_logged(const struct delivery_world *world, const char *text);
/** Lines. */
size_t delivery_world_log_count(const struct delivery_world *world);

/** A sink that is closed refuses connections, until it listens again. */
void sink_listen(struct sink *sink);
void sink_close(struct sink *sink);

#endif
