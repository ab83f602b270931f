/* contract_live - the contract on the live runtime: real sockets on loopback. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "controller/base/memory.h"
#include "controller/runtime/live.h"
#include "tests/contract/contract.h"

struct live_world {
    struct contract_world base;
    struct live_runtime *live;
    struct timer *patience;
    bool impatient;
    bool stopped;
};

static void on_impatient(void *arg)
{
    struct live_world *world = arg;

    world->patience = NULL;
    world->impatient = true;
}

static void run(struct contract_world *base, const bool *done)
{
    struct live_world *world = (struct live_world *)base;

    world->impatient = false;
    world->patience = runtime_after(base->client, CONTRACT_LONG_US, on_impatient, world);
    while (!*done && !world->impatient && !world->stopped)
        world->stopped = !live_step(world->live);
    timer_cancel(world->patience);
    world->patience = NULL;
}

static bool stopped(struct contract_world *base, struct runtime *rt, int *ret_status)
{
    struct live_world *world = (struct live_world *)base;

    (void)rt;
    if (world->stopped)
        *ret_status = live_run(world->live);
    return world->stopped;
}

static struct contract_world *open_world(void)
{
    struct live_world *world = xcalloc(1, sizeof(*world));

    world->live = live_new();
    world->base.server = live_runtime(world->live);
    world->base.client = live_runtime(world->live);
    world->base.listen_address = "127.0.0.1";
    world->base.host = "127.0.0.1";
    world->base.run = run;
    world->base.stopped = stopped;
    return &world->base;
}

static void close_world(struct contract_world *base)
{
    struct live_world *world = (struct live_world *)base;

    live_free(world->live);
    free(world);
}

int main(int argc, char **argv)
{
    static const struct contract_maker maker = {"contract/live", open_world, close_world};

    return contract_run(&maker, argc, argv);
}
